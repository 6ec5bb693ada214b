"""When which contacts of a joint are closed: a timeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..analysis.modes import NONE, Mode, contact_modes, mode_shares
from ..results.solution import Solution
from .contact_look import NONE_COLOUR
from .lines import time_axis
from .sheet import Page, Sheet
from .style import clean, colour
from .windows import title_of, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW = 0.3  # inches
MOST = 12  # lines; the rarest modes beyond share the last one
OTHERS = "others"


def modes(
    solution: Solution,
    joint: str,
    *,
    tolerance: float | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
    **page: Unpack[Page],
) -> Figure:
    """Draw the contact modes of a joint: a line for each, filled while it holds, with its share of the time.

    Args:
        solution: a run with contacts.
        joint: name of a joint with clearance.
        tolerance: gap (m) that counts as none (unless given, that of ``analysis.closed``).
        start: from this instant on (s, or a text with a unit).
        end: until this instant.
        page: path, width, height, dpi, title.
    """
    found = modes_within(solution, joint, tolerance, within(solution, start, end))
    labels = mode_labels(found)
    title = f"{title_of(solution)}: contact modes of {joint}".removeprefix(": ")
    with Sheet(**page).figure(8.0, 1.1 + ROW * len(labels), title) as figure:
        ax = figure.subplots()
        draw_modes(ax, found, labels, shares=True)
    return figure


def modes_within(solution: Solution, joint: str, tolerance: float | None, inside: np.ndarray) -> list[Mode]:
    """The modes, cut at the window."""
    first, last = float(solution.time[inside][0]), float(solution.time[inside][-1])
    cut = [
        Mode(max(one.start, first), min(one.end, last), one.label, one.contacts)
        for one in contact_modes(solution, joint, tolerance)
    ]
    return [one for one in cut if one.duration > 0.0] or cut[:1]


def mode_labels(found: Sequence[Mode]) -> list[str]:
    """The modes that occur: none first, then few contacts before many; the rarest are gathered if there are many."""
    sizes = {mode.label: len(mode.contacts) for mode in found}
    often = list(mode_shares(found))
    kept = often if len(often) <= MOST else often[: MOST - 1]
    ordered = sorted(kept, key=lambda label: (label != NONE, sizes[label], label))
    return ordered if len(kept) == len(often) else [*ordered, OTHERS]


def draw_modes(ax: Any, found: Sequence[Mode], labels: Sequence[str], *, shares: bool = False) -> None:
    """A line for each mode, filled while it holds."""
    scale, below = time_axis([np.array([mode.end for mode in found])])
    share = mode_shares(found)
    share[OTHERS] = 1.0 - sum(share.get(label, 0.0) for label in labels if label != OTHERS)
    for place, label in enumerate(labels):
        mine = [one for one in found if one.label == label or (label == OTHERS and one.label not in labels)]
        spans = [(one.start / scale.factor, one.duration / scale.factor) for one in mine]
        filled = NONE_COLOUR if label == NONE else colour(place)
        # an edge of the same colour keeps short modes visible
        ax.broken_barh(spans, (place - 0.38, 0.76), facecolor=filled, edgecolor=filled, linewidth=0.5)
        if shares:
            at = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": "small", "color": "0.35"}
            ax.text(1.01, place, _percent(share[label]), **at)
    ax.set_yticks(range(len(labels)), labels, fontsize="small")
    ax.set_ylim(len(labels) - 0.5, -0.5)
    begin, finish = found[0].start / scale.factor, found[-1].end / scale.factor
    ax.set_xlim(begin, finish if finish > begin else begin + 1.0)
    ax.set_xlabel(below)
    ax.tick_params(axis="y", length=0)
    clean(ax, grid=False)


def _percent(share: float) -> str:
    return "< 0.1 %" if 0.0 < share < 1e-3 else f"{100.0 * share:.1f} %"
