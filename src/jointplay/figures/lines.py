"""Quantities over time, or over another quantity: one panel per unit, one colour per line, one line style per run.

Marks along the top of a panel are impacts: of its contacts or stops, or all of them where reactions and accelerations
carry forces of rigid contacts. A line below then states that impulses are not among the forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from ..errors import InputError, Problem
from ..results.impulsive import NOT_FORCES, is_impulsive, walls
from ..results.solution import Solution
from .curves import Panel, curves, default_names, single
from .prefixes import Scale, scale_of
from .sheet import Page, Sheet
from .style import GREY, NARROW, PANEL, STYLES, clean, colour, dash, legend, words
from .windows import run_labels, runs_of, title_of, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLAT = 1e-6  # of its size: a variation below this is drawn as none
NOTHING = 1e-9  # SI: and so is what is smaller than this
MARKS = 1000  # impacts closer to each other than this part of the time make one mark
STOPS = ("[lower]", "[upper]")  # ends of the names of stops
ARRAYS = 20  # runs at most


class Abscissa(NamedTuple):
    """What stands along the axis below."""

    label: str
    values: list[np.ndarray]  # of each run, as drawn
    factor: float


Drawn = dict[str, list[tuple[int, np.ndarray]]]  # label -> (run, values)


def lines(
    solution: Solution | Sequence[Solution],
    *names: str,
    against: str | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
    labels: Sequence[str] = (),
    **page: Unpack[Page],
) -> Figure:
    """Draw ``names`` (the joint forces if none are given) of one or several runs.

    Args:
        solution: a run, or several that are drawn over each other, distinguished by line style.
        names: quantities, components ``slider.position[0]`` or magnitudes ``|B.force|``; drawn for those runs that have
            them.
        against: quantity to draw over, such as ``A.angle``; time unless given.
        start: from this instant on (s, or a text with a unit).
        end: until this instant.
        labels: what to call the runs in the legend.
        page: path, width, height, dpi, title.
    """
    runs = runs_of(solution)
    inside = [within(run, start, end) for run in runs]
    below = _abscissa(runs, against, inside)
    shown = list(names) or default_names(runs[0])
    panels = _panels(runs, shown, inside)
    looks = Looks(panels, len(runs))
    title = title_of(runs[0]) if len(runs) == 1 else ""
    with Sheet(**page).figure(PANEL[0], PANEL[1] * len(panels) + 0.6, title) as figure:
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (panel, drawn) in zip(axes, panels.items(), strict=True):
            _panel(ax, panel, drawn, below, looks)
            marked = len(runs) == 1 and against is None and _mark_impacts(ax, panel, drawn, runs[0], below)
            if len(drawn) > 1 or marked:
                legend(ax, figure)
        axes[-1].set_xlabel(below.label)
        if any(is_impulsive(run.layout, name) for run in runs for name in shown):
            figure.supxlabel(NOT_FORCES, fontsize="small", color=GREY)
        figure.align_ylabels()
        if len(runs) > 1:
            _name_runs(figure, run_labels(runs, labels), looks)
    return figure


def time_axis(times: Sequence[np.ndarray]) -> tuple[Scale, str]:
    """Scale and label of an axis of time."""
    scale = scale_of("s", max((float(np.max(np.abs(one), initial=0.0)) for one in times), default=0.0))
    return scale, f"time{scale.bracket}"


def _abscissa(runs: Sequence[Solution], against: str | None, inside: Sequence[np.ndarray]) -> Abscissa:
    if against is None or against == "time":
        scale, label = time_axis([run.time[kept] for run, kept in zip(runs, inside, strict=True)])
        return Abscissa(label, [run.time[k] / scale.factor for run, k in zip(runs, inside, strict=True)], scale.factor)
    found = [single(run, against)[kept] for run, kept in zip(runs, inside, strict=True)]
    scale = scale_of(runs[0].units[against], max(float(np.max(np.abs(one), initial=0.0)) for one in found))
    return Abscissa(f"{against}{scale.bracket}", [one / scale.factor for one in found], scale.factor)


def _panels(runs: Sequence[Solution], names: Sequence[str], inside: Sequence[np.ndarray]) -> dict[Panel, Drawn]:
    """Lines by unit, in the order in which they were requested."""
    panels: dict[Panel, Drawn] = {}
    wrong = []
    for name in names:
        missing: KeyError | None = None
        drawn = False
        for k, (run, kept) in enumerate(zip(runs, inside, strict=True)):
            try:
                for label, panel, values in curves(run, name):
                    panels.setdefault(panel, {}).setdefault(label, []).append((k, values[kept]))
                    drawn = True
            except KeyError as error:
                missing = error
        if missing is not None and not drawn:
            wrong.append(str(missing.args[0]))
    if wrong:
        raise KeyError("\n".join(wrong))
    return panels


class Looks:
    """How lines look: a colour per quantity and a style per run; where panels have one quantity, a colour per run."""

    def __init__(self, panels: dict[Panel, Drawn], runs: int) -> None:
        self.several = runs > 1
        self.by_run = self.several and all(len(drawn) == 1 for drawn in panels.values())

    def run(self, k: int) -> dict[str, Any]:
        """Of run k; of several, the first is broad and pale, so that it shows under the others."""
        if self.by_run:
            return {"linestyle": dash(k), "linewidth": 1.2, "color": colour(k)}
        if self.several and k == 0:
            return {"linestyle": "-", "linewidth": 3.5, "alpha": 0.4, "solid_capstyle": "butt"}
        return {"linestyle": STYLES[(k - 1) % len(STYLES)] if self.several else "-", "linewidth": 1.4}

    def line(self, n: int, k: int, panel: Panel, lines: int) -> dict[str, Any]:
        """Of line n out of ``lines`` in a panel, of run k."""
        look = {"color": colour(n)} | self.run(k)
        if not self.several and panel.quantity and lines > 1:
            # neighbours often do the same: a thin line upon a broad and pale one shows both
            look |= {"linewidth": 1.1} if n % 2 else {"linewidth": 3.5, "alpha": 0.5, "solid_capstyle": "butt"}
        if dash(n) != "-":
            look["linestyle"] = dash(n)
        return look


def _panel(ax: Any, panel: Panel, drawn: Drawn, below: Abscissa, looks: Looks) -> None:
    largest = max((float(np.max(np.abs(v), initial=0.0)) for pairs in drawn.values() for _, v in pairs), default=0.0)
    scale = scale_of(panel.unit, largest if largest > NOTHING else 0.0)
    for n, (label, pairs) in enumerate(drawn.items()):
        for position, (k, values) in enumerate(pairs):
            look = looks.line(n, k, panel, len(drawn))
            ax.plot(below.values[k], values / scale.factor, label=label if position == 0 else None, **look)
    ax.set_ylabel(_axis_label(list(drawn), panel, scale))
    _keep_rounding_flat(ax, drawn, scale.factor)
    ax.margins(x=0.0)
    clean(ax)


def _mark_impacts(ax: Any, panel: Panel, drawn: Drawn, solution: Solution, below: Abscissa) -> bool:
    """Thin marks along the top of a panel at the impacts of its contacts or stops; True if there are any."""
    if not solution.layout.contacts:
        return False
    shown = set(drawn) if panel.quantity else _stops_of(solution, drawn) or _walls_behind(solution, drawn)
    times = solution.impacts["time"][np.isin(solution.impacts["contact"], list(shown))] / below.factor
    begin, span = float(below.values[0][0]), float(np.ptp(below.values[0])) or 1.0
    places = np.unique(np.round((times - begin) * (MARKS / span)))
    places = places[(places >= 0.0) & (places <= MARKS)]
    if len(places):
        at = begin + places * (span / MARKS)
        look = {"linestyle": "none", "marker": "|", "markersize": 8, "markeredgewidth": 0.7, "color": GREY}
        ax.plot(at, np.full(len(at), 0.98), transform=ax.get_xaxis_transform(), label="impact", **look)
    return len(places) > 0


def _stops_of(solution: Solution, drawn: Drawn) -> set[str]:
    """The stops whose forces are drawn."""
    owners = tuple(label.partition(".")[0] + "." for label in drawn if ".stop_" in label)
    return {name for name in solution.layout.contacts if name.endswith(STOPS) and owners and name.startswith(owners)}


def _walls_behind(solution: Solution, drawn: Drawn) -> set[str]:
    """All rigid contacts where lines are drawn that carry their forces."""
    carry = any(is_impulsive(solution.layout, label.split(" ")[0]) for label in drawn)
    return set(walls(solution.layout)) if carry else set()


def _keep_rounding_flat(ax: Any, drawn: Drawn, factor: float) -> None:
    """A quantity that is constant up to rounding is drawn as a constant, and single states as points."""
    shown = [values for pairs in drawn.values() for _, values in pairs if len(values)]
    if not shown:
        return
    low, high = min(float(np.min(v)) for v in shown), max(float(np.max(v)) for v in shown)
    least = max(FLAT * max(abs(low), abs(high)), NOTHING)
    if high - low < least:
        ax.set_ylim((0.5 * (low + high) - least) / factor, (0.5 * (low + high) + least) / factor)
    ax.ticklabel_format(axis="y", useOffset=False)
    if max(len(values) for values in shown) < 4:
        for line in ax.lines:
            line.set_marker("o")


def _axis_label(labels: list[str], panel: Panel, scale: Scale) -> str:
    """The name of a single line, or the quantity if all lines show the same; and the unit."""
    if panel.quantity:
        return f"{panel.quantity}{scale.bracket}"
    if len(labels) == 1:
        return f"{labels[0]}{scale.bracket}"
    if all(label.startswith("energy.") for label in labels):
        return f"energy{scale.bracket}"
    kinds = {words(label.split(" ")[0]) for label in labels}
    return f"{kinds.pop()}{scale.bracket}" if len(kinds) == 1 else scale.bracket.strip() or "[1]"


def _name_runs(figure: Any, labels: Sequence[str], looks: Looks) -> None:
    """Which look is which run, above everything."""
    from matplotlib.lines import Line2D

    if len(labels) > ARRAYS:
        raise InputError(Problem("solution", f"{len(labels)} runs are too many for one picture"))
    handles = [Line2D([], [], **({"color": "0.2"} | looks.run(k))) for k in range(len(labels))]
    columns = 1 if figure.get_figwidth() < NARROW else min(len(labels), 4)
    figure.legend(handles, labels, loc="outside upper left", ncols=columns, frameon=False, fontsize="small")
