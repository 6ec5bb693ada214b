"""The animation: one HTML file with the mechanism, its motion and the player inside; opens from disk, no network.

    page(result) -> str          the whole HTML text, of a Solution (motion) or a System (as drawn)
    view(result, path) -> Path   the same, written to a file; or a film (.mp4, .webm, .gif)
    show(result) -> Shown        the same, in the cell of a notebook or in the browser

Python prepares facts and numbers, JavaScript (source in ``viewer/`` at the root of the repository, built into
``assets/``) draws. Nothing here changes a result.
"""

from .film import FilmOptions
from .page import page
from .shown import Shown, show
from .write import view

__all__ = ["FilmOptions", "Shown", "page", "show", "view"]
