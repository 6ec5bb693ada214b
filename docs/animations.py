"""Animations of the gallery (a MkDocs hook).

``record`` keeps the motion of a model in a small file beside its page, gallery/NAME.json. When the site is built, a
page is made of each, which shares one player with all others. ``still`` takes a picture of it, for the index.
"""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jointplay.gallery import Case
from jointplay.viewer.page import asset, document

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "gallery"
FRAMES = 400
SIZE = (960, 600)  # pixels of a picture
WHEN = 0.3  # of the run: then the picture is taken
BARE = (
    "header, footer, aside, .tools, .legend { display: none !important; }"
    "#app { display: block; } main { height: 100vh; }"
)
HEAD = '<link rel="stylesheet" href="../assets/player.css">'
PLAYER = '<script src="../assets/player.js"></script>'


def models() -> dict[str, Path]:
    """The recorded motions by name."""
    return {file.stem: file for file in sorted(FOLDER.glob("*.json"))}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages and the player."""
    from mkdocs.structure.files import File

    for name in ("player.js", "player.css"):
        files.append(File.generated(config, f"assets/{name}", content=asset(name)))
    for name, file in models().items():
        files.append(File.generated(config, f"gallery/{name}_animation.html", content=page(file)))
    return files


def page(file: Path, head: str = HEAD, player: str = PLAYER) -> str:
    """The page of a recorded motion."""
    kept = json.loads(file.read_text(encoding="utf-8"))
    return document(kept["scene"], kept["numbers"], head=head, player=player)


def record(case: Case) -> None:
    """Run a model and keep its motion."""
    import jointplay as jp
    from jointplay.cli.model_input import read_job
    from jointplay.quantities.units import si
    from jointplay.viewer.scene import scene_of

    assert case.model
    job = read_job(case.model)
    until = si(job.until, "s")
    scene, pack = scene_of(jp.simulate(job.system, until, job.method, until / FRAMES))
    scene |= {"title": scene["name"], "version": jp.__version__}
    text = json.dumps({"scene": scene, "numbers": pack.text}, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / f"{case.name}.json").write_text(text + "\n", encoding="utf-8")


def still(name: str, folder: Path) -> None:
    """Take the picture of a recorded motion, with a browser without a window."""
    from PIL import Image

    sys.path.insert(0, str(DOCS.parent / "tests"))
    from browser import Browser, find_browser

    path = find_browser()
    assert path, "pictures of mechanisms need Chromium or Chrome"
    whole = folder / f"{name}.html"
    style, script = f"<style>{asset('player.css')}{BARE}</style>", f"<script>{asset('player.js')}</script>"
    whole.write_text(page(models()[name], style, script), encoding="utf-8")
    with Browser(path) as browser:
        tab = browser.open(whole, size=SIZE)
        tab.run(f"jointplay.pause(); jointplay.seek({WHEN} * jointplay.state().end)")
        tab.run("document.querySelector('[data-do=fit]').click()")
        tab.settle()
        picture = Image.fromarray((255 * tab.pixels()).astype("uint8"))
        tab.close()
    stream = BytesIO()
    picture.save(stream, "WEBP", quality=82, method=6)
    (FOLDER / f"{name}.webp").write_bytes(stream.getvalue())
