"""The pictures of the page on figures, made by the page's own code: ``python docs/draw_figures.py``."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "how-to" / "figures.md"
TARGET = DOCS / "assets" / "figures"


def main() -> None:
    """Run the page in an empty folder and keep the pictures that it shows."""
    text = PAGE.read_text(encoding="utf-8")
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for title, model in re.findall(r'^```yaml title="([^"]+)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL):
            Path(title).write_text(model, encoding="utf-8")
        space: dict[str, object] = {}
        for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            exec(compile(block, PAGE.name, "exec"), space)
        for name in re.findall(r"assets/figures/(\w+\.png)", text):
            shutil.copy(name, TARGET / name)
            print(f"drew {TARGET / name}")
        os.chdir(DOCS)


if __name__ == "__main__":
    main()
