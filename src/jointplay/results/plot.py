"""Quantities over time: one panel per unit, one colour per line, one line style per solution.

A name draws all its components; ``crank.position[2]`` draws one, ``|B.force|`` the magnitude. A quantity of contacts,
``D.gap``, has a line for each contact and a panel of its own, or one for each component that does not vanish. Marks
along the top of such a panel are impacts. Figures are made without pyplot: no window, no global state, the same picture
on a server as on a desk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InputError, Problem
from .solution import Solution
from .store import AXES, reason

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart by all kinds of sight; the pale yellow is left out.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
FLAT = 1e-6  # of its size: a variation below this is drawn as none
NOTHING = 1e-9  # SI: and so is what is smaller than this
STYLES = ("-", "--", ":", "-.")
JOINT_AXES = ("h", "t", "b")
FORMATS = (".png", ".svg", ".pdf")
MOST_DEFAULTS = len(COLOURS)
LONG = 12  # lines that make a legend of two columns
MARKS = 1000  # impacts closer to each other than this part of the time make one mark
PANEL = (8.0, 2.7)  # inches
STOPS = ("[lower]", "[upper]")  # ends of the names of stops
LEGEND: dict[str, Any] = {
    "loc": "upper left",
    "bbox_to_anchor": (1.01, 1.0),
    "frameon": False,
    "fontsize": "small",
    "borderaxespad": 0.0,
}


def default_names(solution: Solution) -> list[str]:
    """Magnitudes of the joint forces, the largest if there are many; without joints, positions or energies."""
    joints = sorted({label for v in solution.layout.variables if v.dimension == "joint" for label in v.labels})
    forces = [f"{joint}.force" for joint in joints]
    if forces:
        peaks = {name: float(np.max(np.linalg.norm(solution[name], axis=1), initial=0.0)) for name in forces}
        largest = sorted(forces, key=lambda name: -peaks[name])[:MOST_DEFAULTS]
        return [f"|{name}|" for name in forces if name in largest]
    return ["energy.kinetic", "energy.potential"]


class Panel(NamedTuple):
    """What the lines of a panel have in common."""

    unit: str
    quantity: str = ""  # of contacts, which share a panel only with their like: "gap", "offset h"


def curves(solution: Solution, name: str) -> Iterator[tuple[str, Panel, np.ndarray]]:
    """Label, panel and values of each line that ``name`` asks for; KeyError if there is no such quantity."""
    values, unit = solution[name], solution.units[name]
    contacts = _contacts_of(solution, name)
    if contacts:
        yield from _contact_curves(name, unit, contacts, solution[name.strip("|")])
        return
    panel = Panel(unit)
    if values.ndim == 1:
        yield name, panel, values
        return
    components = {len(axes): axes for axes in AXES.values()}[values.shape[1]]
    if name.endswith("_local"):
        components = JOINT_AXES
    for k, component in enumerate(components):
        yield f"{name} {component}", panel, values[:, k]


def _contacts_of(solution: Solution, name: str) -> list[str]:
    """The contacts whose quantity ``name`` is, such as ``D.radial[0]``; none for other quantities."""
    base, component = solution._split(name.strip("|"))
    try:
        variable, places = solution.layout.find(base)
    except KeyError:
        return []
    if not isinstance(places, list):
        return []
    labels = [variable.labels[k] for k in places]
    return labels if component is None else [labels[component]]


def _contact_curves(
    name: str, unit: str, contacts: list[str], values: np.ndarray
) -> Iterator[tuple[str, Panel, np.ndarray]]:
    """Lines of a quantity of contacts, one panel for each component; those that vanish at all contacts are left out."""
    quantity = re.sub(r"\[-?\d+\]$", "", name.strip("|")).rpartition(".")[2].replace("_", " ")
    blocks = values.reshape(len(values), len(contacts), -1)
    if name.startswith("|"):
        quantity, blocks = f"|{quantity}|", np.linalg.norm(blocks, axis=2, keepdims=True)  # of each contact
    axes = {1: ("",), 2: ("1", "2"), 3: JOINT_AXES}[blocks.shape[2]]
    shown = [k for k in range(len(axes)) if np.any(blocks[:, :, k] != 0.0)] or [0]
    for k in shown:
        for n, contact in enumerate(contacts):
            yield contact, Panel(unit, f"{quantity} {axes[k]}".rstrip()), blocks[:, n, k]


def plot(solutions: Sequence[Solution], names: Sequence[str] = (), path: str | Path | None = None) -> Figure:
    """Draw ``names`` (joint forces if none are given) of one or several solutions; save if a path is given.

    Args:
        solutions: drawn over each other, told apart by line style.
        names: quantities; drawn for the solutions that have them.
        path: file to write, .png, .svg or .pdf.
    """
    from matplotlib.figure import Figure

    check_format(path)
    if not any(len(solution.time) for solution in solutions):
        raise InputError(Problem("", "there is nothing to draw: no state was saved"))
    names = list(names) or default_names(solutions[0])
    panels = _panels(solutions, names)
    figure = Figure(figsize=(PANEL[0], PANEL[1] * len(panels) + 0.6), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (panel, lines) in zip(axes, panels.items(), strict=True):
        _panel(ax, panel, lines, solutions)
        if len(solutions) == 1:
            _mark_impacts(ax, panel, lines, solutions[0])
        ax.legend(**LEGEND, ncols=1 if len(lines) < LONG else 2)
    axes[-1].set_xlabel("time [s]")
    figure.align_ylabels()
    _heading(figure, solutions)
    save_figure(figure, path)
    return figure


def check_format(path: str | Path | None) -> None:
    """Refuse a kind of file that cannot be drawn."""
    if path is not None and Path(path).suffix.lower() not in FORMATS:
        raise InputError(Problem("output", f"cannot draw a '{Path(path).suffix}' file; use {', '.join(FORMATS)}"))


def save_figure(figure: Figure, path: str | Path | None) -> None:
    """Write a figure, if a path is given."""
    check_format(path)
    if path is None:
        return
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise InputError(Problem("output", f"cannot write {path}: {reason(error)}")) from None


Lines = dict[str, list[tuple[int, np.ndarray]]]  # label -> (solution, values)


def _panels(solutions: Sequence[Solution], names: Sequence[str]) -> dict[Panel, Lines]:
    """Lines by unit, in the order in which they were asked for."""
    panels: dict[Panel, Lines] = {}
    for name in names:
        missing: KeyError | None = None
        drawn = False
        for k, solution in enumerate(solutions):
            try:
                for label, panel, values in curves(solution, name):
                    panels.setdefault(panel, {}).setdefault(label, []).append((k, values))
                    drawn = True
            except KeyError as error:
                missing = error
        if missing is not None and not drawn:
            raise missing
    return panels


def _look(k: int, several: bool) -> dict[str, Any]:
    """Line style of solution k; of several, the first is broad and pale, so that it shows under the others."""
    if several and k == 0:
        return {"linestyle": "-", "linewidth": 3.5, "alpha": 0.4, "solid_capstyle": "butt"}
    return {"linestyle": STYLES[k % len(STYLES)], "linewidth": 1.4}


def _panel(ax: Any, panel: Panel, lines: Lines, solutions: Sequence[Solution]) -> None:
    for n, (label, drawn) in enumerate(lines.items()):
        look: dict[str, Any] = {}
        if len(solutions) == 1 and panel.quantity and len(lines) > 1:
            # neighbours often do the same: a thin line upon a broad and pale one shows both
            look |= {"linewidth": 1.1} if n % 2 else {"linewidth": 3.5, "alpha": 0.5, "solid_capstyle": "butt"}
        if n >= len(COLOURS):  # more lines than colours: go round again in another style
            look["linestyle"] = STYLES[n // len(COLOURS) % len(STYLES)]
        for position, (k, values) in enumerate(drawn):
            ax.plot(
                solutions[k].time,
                values,
                color=COLOURS[n % len(COLOURS)],
                label=label if position == 0 else None,
                **(_look(k, len(solutions) > 1) | look),
            )
    ax.set_ylabel(_axis_label(list(lines), panel))
    _keep_rounding_flat(ax, lines)
    ax.margins(x=0.0)
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def _mark_impacts(ax: Any, panel: Panel, lines: Lines, solution: Solution) -> None:
    """Thin marks along the top of a panel at the impacts of its contacts or stops."""
    if not solution.layout.contacts:
        return
    shown = set(lines) if panel.quantity else _stops_of(solution, lines)
    times = solution.impacts["time"][np.isin(solution.impacts["contact"], list(shown))]
    begin, span = float(solution.time[0]), float(np.ptp(solution.time)) or 1.0
    places = np.unique(np.round((times - begin) * (MARKS / span)))
    if len(places):
        at = begin + places * (span / MARKS)
        look = {"linestyle": "none", "marker": "|", "markersize": 8, "markeredgewidth": 0.7, "color": "0.35"}
        ax.plot(at, np.full(len(at), 0.98), transform=ax.get_xaxis_transform(), label="impact", **look)


def _stops_of(solution: Solution, lines: Lines) -> set[str]:
    """The stops whose forces are drawn."""
    owners = tuple(label.partition(".")[0] + "." for label in lines if ".stop_" in label)
    return {name for name in solution.layout.contacts if name.endswith(STOPS) and owners and name.startswith(owners)}


def _keep_rounding_flat(ax: Any, lines: Lines) -> None:
    """A quantity that is constant up to rounding is drawn as a constant, and single states as points."""
    shown = [values for drawn in lines.values() for _, values in drawn if len(values)]
    if not shown:
        return
    low, high = min(float(np.min(v)) for v in shown), max(float(np.max(v)) for v in shown)
    least = max(FLAT * max(abs(low), abs(high)), NOTHING)
    if high - low < least:
        ax.set_ylim(0.5 * (low + high) - least, 0.5 * (low + high) + least)
    ax.ticklabel_format(axis="y", useOffset=False)
    if max(len(values) for values in shown) < 4:
        for line in ax.lines:
            line.set_marker("o")


def _axis_label(labels: list[str], panel: Panel) -> str:
    """The quantity and its unit, if all lines show the same quantity."""
    unit = panel.unit
    words = {label.strip("|").split(" ")[0].split("[")[0].rpartition(".")[2].replace("_", " ") for label in labels}
    shown = "" if unit == "1" else f" [{unit if ' or ' in unit else unit.replace(' ', '·')}]"
    if panel.quantity:
        return f"{panel.quantity}{shown}"
    if all(label.startswith("energy.") for label in labels):
        return f"energy{shown}"
    return f"{words.pop()}{shown}" if len(words) == 1 else shown.strip() or "[1]"


def _heading(figure: Any, solutions: Sequence[Solution]) -> None:
    """The name of the system, or which line style is which solution."""
    titles = [_title(solution, k) for k, solution in enumerate(solutions)]
    if len(solutions) == 1:
        figure.suptitle(titles[0], fontsize="medium", x=0.01, ha="left")
        return
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color="0.2", **_look(k, True)) for k in range(len(solutions))]
    figure.legend(handles, titles, loc="outside upper left", ncols=min(len(titles), 4), frameon=False, fontsize="small")


def _title(solution: Solution, k: int) -> str:
    name = str(solution.meta.get("name") or "")
    if solution.path is not None:
        return f"{name} ({solution.path.name})" if name else solution.path.name
    return name or f"solution {k + 1}"
