"""The HTML text: the tree and the numbers of a scene, the player and its style, and nothing from elsewhere."""

from __future__ import annotations

import html
import json
from functools import cache
from importlib.resources import files
from typing import Any

from .. import __version__
from ..model.system import System
from ..results.solution import Solution
from .scene import scene_of

# What the page may do: run its own script and style. A browser then refuses any request, whatever the script tries.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


def page(result: Solution | System, *, curves: list[str] | str | None = None, title: str | None = None) -> str:
    """One self-contained HTML text.

    Args:
        result: a Solution (its motion) or a System (as drawn).
        curves: a name or names to plot beside the picture, as in ``sol[name]``; the first three are shown, more are in
            the menu.
        title: instead of the name of the model.
    """
    scene, pack = scene_of(result, curves)
    scene["title"] = str(title or scene["name"])
    scene["version"] = __version__
    return document(
        scene,
        pack.text,
        head=f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<style>{asset("player.css")}</style>',
        player=f"<script>{asset('player.js')}</script>",
    )


def document(scene: dict[str, Any], numbers: str, *, head: str, player: str) -> str:
    """The text of a page around a scene; ``head`` and ``player`` hold style and script, or their places."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="jointplay {__version__}">\n<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(scene['title'])}</title>\n{head}\n</head>\n<body>\n"
        '<div id="app"></div>\n<noscript>This animation needs JavaScript.</noscript>\n'
        f'<script type="application/json" id="scene">{_script(scene)}</script>\n'
        f'<script type="text/plain" id="numbers">{numbers}</script>\n'
        f"{player}\n</body>\n</html>\n"
    )


@cache
def asset(name: str) -> str:
    """A file of the player."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _script(data: Any) -> str:
    """JSON that may stand inside a script element: no text in it can end the element."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
