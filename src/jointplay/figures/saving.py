"""Figures as files and as text to put into pages."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, Problem
from ..writing import refuse_place, write_whole
from .style import TEXT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
DPI = 150  # dots per inch of a screen; print needs 300 to 600
DPIS = (30, 2400)


def check_format(path: str | Path | None) -> None:
    """Refuse a kind of file that cannot be drawn, and a place where none may be."""
    if path is None:
        return
    refuse_place(path)
    if Path(path).suffix.lower() not in FORMATS:
        raise InputError(Problem("output", f"cannot draw a '{Path(path).suffix}' file; use {', '.join(FORMATS)}"))


def check_dpi(dpi: float | None) -> None:
    """Refuse a resolution that makes no picture."""
    if dpi is not None and not DPIS[0] <= dpi <= DPIS[1]:
        raise InputError(Problem("dpi", f"must lie between {DPIS[0]} and {DPIS[1]} dots per inch, is {dpi:g}"))


def save_figure(figure: Figure, path: str | Path | None, dpi: float | None = None) -> None:
    """Write a figure, if a path is given: .png, .svg, or .pdf with its fonts inside."""
    check_format(path)
    check_dpi(dpi)
    if path is None:
        return
    write_whole(path, _bytes(figure, Path(path).suffix.lower()[1:], dpi))


def png(figure: Figure, dpi: float | None = None) -> bytes:
    """The figure as the bytes of a PNG file."""
    check_dpi(dpi)
    return _bytes(figure, "png", dpi)


def svg(figure: Figure) -> str:
    """The figure as an ``<svg>`` element to put into a page."""
    text = _bytes(figure, "svg", None).decode()
    return text[text.index("<svg") :]


def _bytes(figure: Figure, kind: str, dpi: float | None) -> bytes:
    """The file, in memory: Matplotlib stumbles over a disk that is full."""
    from matplotlib import rc_context

    nameless = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]  # the same bytes every time
    stream = BytesIO()
    with rc_context(TEXT):
        figure.savefig(stream, format=kind, dpi=dpi or DPI, metadata=nameless)
    return stream.getvalue()
