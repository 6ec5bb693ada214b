"""A page shown at once: inside a notebook, or in the browser from a temporary file."""

from __future__ import annotations

import html
import re
import sys
import tempfile
import webbrowser
from pathlib import Path

from ..model.system import System
from ..results.solution import Solution
from .page import page
from .write import view

HEIGHT = 620  # pixels, in a notebook


class Shown:
    """A page that is shown: a notebook draws it where it stands; elsewhere ``path`` is the file that was opened."""

    def __init__(self, *, text: str = "", path: Path | None = None, label: str = "") -> None:
        self.path = path
        self._text = text
        self._label = label

    def _repr_html_(self) -> str | None:
        """The page in a frame of its own; nothing more to show if it is open elsewhere."""
        if not self._text:
            return None
        look = f"width:100%;height:{HEIGHT}px;border:1px solid rgba(128,128,128,.4);border-radius:6px"
        return f'<iframe srcdoc="{html.escape(self._text)}" style="{look}" title="animation"></iframe>'

    def __repr__(self) -> str:
        return self._label


def show(result: Solution | System, *, curves: list[str] | str | None = None, title: str | None = None) -> Shown:
    """Show a run, or a system as drawn: in the cell of a notebook, else in the browser."""
    if in_notebook():
        return Shown(text=page(result, curves=curves, title=title), label="an animation, shown in notebooks")
    name = result.name if isinstance(result, System) else str(result.meta.get("name", ""))
    stem = re.sub(r"\W+", "_", name).strip("_") or "mechanism"
    file = Path(tempfile.mkdtemp(prefix="jointplay-")) / f"{stem[:60]}.html"
    view(result, file, curves=curves, title=title)
    # the file stays: a browser may read it long after this program has ended
    if webbrowser.open(file.as_uri()):
        return Shown(path=file, label=f"opened {file}")
    print(f"no browser was found; the animation is in {file}", file=sys.stderr)
    return Shown(path=file, label=f"wrote {file}")


def in_notebook() -> bool:
    """True if this runs in the kernel of a notebook, which draws what ``_repr_html_`` returns."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
