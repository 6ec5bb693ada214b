"""The files of docs/assets/katex, from the package on npm: what sets formulas in the pages, without a network.

    npm pack katex@0.19.1 && tar xf katex-0.19.1.tgz && python docs/make_katex.py package

The fonts stand inside the style sheet: browsers refuse to read fonts beside pages that are opened from a folder. Only
those are kept that the pages use.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import sys
from pathlib import Path

TARGET = Path(__file__).parent / "assets" / "katex"
FONTS = (
    "Main-Regular",
    "Main-Italic",
    "Math-Italic",
    "Size1-Regular",
    "Size2-Regular",
    "Size3-Regular",
    "Size4-Regular",
)


def style(package: Path) -> str:
    """The style sheet with its fonts inside."""
    text = (package / "dist" / "katex.min.css").read_text(encoding="utf-8")

    def face(found: re.Match[str]) -> str:
        font = re.search(r"fonts/KaTeX_([\w-]+)\.woff2", found[0])
        assert font
        if font[1] not in FONTS:
            return ""
        data = base64.b64encode((package / "dist" / "fonts" / f"KaTeX_{font[1]}.woff2").read_bytes()).decode("ascii")
        return re.sub(r"src:[^}]*", f'src:url(data:font/woff2;base64,{data}) format("woff2")', found[0])

    return re.sub(r"@font-face\{[^}]*\}", face, text)


def main(package: Path) -> None:
    """Write the files."""
    TARGET.mkdir(exist_ok=True)
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    (TARGET / "katex.css").write_text(f"/* KaTeX {version}, MIT, see LICENSE */\n{style(package)}\n", encoding="utf-8")
    shutil.copy(package / "dist" / "katex.min.js", TARGET / "katex.js")
    shutil.copy(package / "LICENSE", TARGET / "LICENSE")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
