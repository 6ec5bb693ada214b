"""The sheet that a figure is drawn on: its size, its file, its title. All figures take the same options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from .saving import check_dpi, check_format, save_figure
from .style import NARROW, forgive_formulas, heading, look, new_figure, width_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FINE = 0.7  # of the usual thickness, in narrow figures


class Page(TypedDict, total=False):
    """Options of every figure."""

    path: str | Path | None  # file to write: .png, .svg or .pdf
    width: float | str | None  # "89 mm", "column", "page", "slide", or m
    height: float | str | None  # "60 mm", or m; follows from the width unless given
    dpi: float | None  # dots per inch of a .png, 150 unless given
    title: str | None  # instead of the usual one; "" for none


@dataclass(frozen=True)
class Sheet:
    """The settings of a Page."""

    path: str | Path | None = None
    width: Any = None
    height: Any = None
    dpi: float | None = None
    title: str | None = None

    @contextmanager
    def figure(self, width: float, height: float, title: str, *, square: bool = False) -> Iterator[Figure]:
        """A figure of the usual size (inches) unless another is given; titled and saved when it is drawn.

        A narrower figure is also lower: in proportion if ``square``, else less so, because axes need their height.
        """
        check_format(self.path)
        check_dpi(self.dpi)
        wide = width_of(self.width)
        high = width_of(self.height, "height")
        share = 1.0 if wide is None else wide / width
        wide = wide or width
        high = high or height * (share if square else share**0.5)
        with look(wide):
            figure = new_figure(wide, high)
            yield figure
            heading(figure, title if self.title is None else self.title)
            if wide < NARROW:
                _thin(figure)
            forgive_formulas(figure)
            figure.draw_without_rendering()  # ticks take their size from the settings that hold now
            save_figure(figure, self.path, self.dpi)


def _thin(figure: Figure) -> None:
    """Lines and marks of a narrow figure are finer."""
    from matplotlib.collections import LineCollection

    for ax in figure.axes:
        for line in ax.lines:
            line.set_linewidth(FINE * line.get_linewidth())
            line.set_markersize(FINE * line.get_markersize())
        for lines in ax.collections:
            if isinstance(lines, LineCollection):
                lines.set_linewidth((FINE * np.atleast_1d(lines.get_linewidth())).tolist())
