"""How all figures look: colours, lines, sizes. The only place that knows.

Colours are those of Okabe and Ito, which all kinds of sight distinguish; their pale yellow is left out, because it
vanishes on paper. Order matters: neighbours differ in lightness too, so that they differ in a grey print. Where more
lines are needed than there are colours, the line style changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import InputError, Problem
from ..quantities.units import QuantityError, si

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, RED, GREEN, PURPLE, SKY, ORANGE, BLACK = COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#000000",
)
GREY, PALE, FAINT = "0.35", "0.75", "0.9"  # marks, what is absent, grids
STYLES = ("-", "--", ":", "-.")
PANEL = (8.0, 2.7)  # inches, of a panel over time
NARROW = 5.0  # inches: below this the legend stands under the panel and text is smaller
INCH = 0.0254  # m
WIDTHS = {"column": "89 mm", "page": "183 mm", "slide": "280 mm"}  # of journals with two columns; of a screen
SIZES = (0.02, 2.0)  # m, widths and heights that make sense
SHORT_LOG = 100.0  # a logarithmic axis below this has few decades
LONG = 12  # lines that make a legend of two columns
LEGEND: dict[str, Any] = {
    "loc": "upper left",
    "bbox_to_anchor": (1.01, 1.0),
    "frameon": False,
    "fontsize": "small",
    "borderaxespad": 0.0,
}
TEXT: dict[Any, Any] = {
    "pdf.fonttype": 42,  # TrueType inside the file: journals require it, and text can be searched
    "ps.fonttype": 42,
    "svg.fonttype": "path",  # letters as outlines: the same on every screen
    "svg.hashsalt": "jointplay",  # the same picture gives the same bytes
    "font.family": "sans-serif",
    "axes.unicode_minus": True,
}


def width_of(given: Any, field: str = "width") -> float | None:
    """A width or height in inches from ``"column"``, ``"89 mm"`` or a number of metres; None if not given."""
    if given is None:
        return None
    text = WIDTHS.get(given, given) if isinstance(given, str) else given
    try:
        metres = si(text, "m")
    except QuantityError as error:
        raise InputError(Problem(field, f"{error}; or one of {', '.join(WIDTHS)}")) from None
    if not SIZES[0] <= metres <= SIZES[1]:
        raise InputError(Problem(field, f"must lie between 20 mm and 2 m, is {1e3 * metres:g} mm"))
    return metres / INCH


@contextmanager
def look(width: float) -> Iterator[None]:
    """Settings that hold while a figure is made: letters of 7 pt in narrow ones, as journals require."""
    from matplotlib import rc_context

    size = 7.0 if width < NARROW else 10.0
    thin = {"axes.linewidth": 0.5, "xtick.major.width": 0.5, "ytick.major.width": 0.5} if width < NARROW else {}
    with rc_context(TEXT | thin | {"font.size": size}):
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure (inches), made without pyplot: no window, no global state."""
    from .sketch import Sketch

    return Sketch(figsize=(width, height), layout="constrained")


def clean(ax: Any, grid: bool = True) -> None:
    """Take away the frame; a faint grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    if grid:
        ax.grid(True, color=FAINT, linewidth=0.6)
        ax.set_axisbelow(True)


def log_ticks(axis: Any, ratio: float) -> None:
    """Readable ticks of a logarithmic axis that spans a ``ratio``: 1, 2, 5 where there are few decades."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    if ratio < SHORT_LOG:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def colour(n: int) -> str:
    """The n-th colour."""
    return COLOURS[n % len(COLOURS)]


def dash(n: int) -> str:
    """Style of line n: another one each time the colours are used up."""
    return STYLES[n // len(COLOURS) % len(STYLES)]


def heading(figure: Figure, text: str) -> None:
    """A quiet title, from the left; broken where the figure ends."""
    if text:
        wide = int(figure.get_figwidth() * 72.0 / (0.5 * _points(figure)))
        figure.suptitle(_wrapped(text, wide), fontsize="medium", x=0.01, ha="left")


def _points(figure: Figure) -> float:
    return 7.0 if figure.get_figwidth() < NARROW else 10.0


def _wrapped(text: str, width: int) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(text, max(width, 12)))


def legend(ax: Any, figure: Figure, handles: Sequence[Any] = (), labels: Sequence[str] = ()) -> None:
    """Beside the panel, or above it where the figure is narrow; none if there are no entries.

    ``handles`` and ``labels`` are those of the panel in the order in which they were drawn, unless given.
    """
    if not handles:
        handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    if figure.get_figwidth() < NARROW:
        columns = max(1, min(len(labels), int(figure.get_figwidth() / 0.06 / (max(map(len, labels)) + 6))))
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2, "handlelength": 1.5}
        ax.legend(handles, labels, ncols=columns, frameon=False, fontsize="small", **place)
        return
    ax.legend(handles, labels, **LEGEND, ncols=1 if len(labels) < LONG else 2)


def literal(text: str) -> str:
    """A text of a model as it stands; else what is between two $ would be read as a formula."""
    return text.replace("$", r"\$")


def forgive_formulas(figure: Figure) -> None:
    """Show texts that look like formulas but are none as they stand."""
    from matplotlib.mathtext import MathTextParser
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        try:
            if "$" in text.get_text():
                MathTextParser("path").parse(text.get_text())
        except ValueError:
            text.set_parse_math(False)


def words(name: str) -> str:
    """A name of a quantity in words: ``friction_force`` is "friction force"."""
    return re.sub(r"\[-?\d+\]$", "", name.strip("|")).rpartition(".")[2].replace("_", " ")
