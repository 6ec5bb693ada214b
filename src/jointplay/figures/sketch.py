"""A Figure that notebooks show, whether or not pyplot was ever imported there."""

from __future__ import annotations

from matplotlib.figure import Figure

from .saving import png


class Sketch(Figure):
    """A figure that draws itself in a notebook."""

    def _repr_png_(self) -> bytes:
        return png(self)
