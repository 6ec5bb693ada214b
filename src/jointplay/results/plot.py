"""Quantities over time: one panel per unit, one colour per line, one line style per solution.

A name draws all its components; ``crank.position[2]`` draws one, ``|B.force|`` the magnitude. Figures are made without
pyplot: no window, no global state, the same picture on a server as on a desk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
FORMATS = (".png", ".svg", ".pdf")
MOST_DEFAULTS = len(COLOURS)
PANEL = (8.0, 2.7)  # inches


def default_names(solution: Solution) -> list[str]:
    """Magnitudes of the joint forces, the largest if there are many; without joints, positions or energies."""
    joints = sorted({label for v in solution.layout.variables if v.dimension == "joint" for label in v.labels})
    forces = [f"{joint}.force" for joint in joints]
    if forces:
        peaks = {name: float(np.max(np.linalg.norm(solution[name], axis=1), initial=0.0)) for name in forces}
        largest = sorted(forces, key=lambda name: -peaks[name])[:MOST_DEFAULTS]
        return [f"|{name}|" for name in forces if name in largest]
    return ["energy.kinetic", "energy.potential"]


def curves(solution: Solution, name: str) -> Iterator[tuple[str, str, np.ndarray]]:
    """Label, unit and values of each line that ``name`` asks for; KeyError if there is no such quantity."""
    values, unit = solution[name], solution.units[name]
    if values.ndim == 1:
        yield name, unit, values
        return
    components = {len(axes): axes for axes in AXES.values()}[values.shape[1]]
    if name.endswith("_local"):
        components = ("h", "t", "b")  # axes of the joint
    for k, component in enumerate(components):
        yield f"{name} {component}", unit, values[:, k]


def plot(solutions: Sequence[Solution], names: Sequence[str] = (), path: str | Path | None = None) -> Figure:
    """Draw ``names`` (joint forces if none are given) of one or several solutions; save if a path is given.

    Args:
        solutions: drawn over each other, told apart by line style.
        names: quantities; drawn for the solutions that have them.
        path: file to write, .png, .svg or .pdf.
    """
    from matplotlib.figure import Figure

    if path is not None and Path(path).suffix.lower() not in FORMATS:
        raise InputError(Problem("output", f"cannot draw a '{Path(path).suffix}' file; use {', '.join(FORMATS)}"))
    if not any(len(solution.time) for solution in solutions):
        raise InputError(Problem("", "there is nothing to draw: no state was saved"))
    names = list(names) or default_names(solutions[0])
    panels = _panels(solutions, names)
    figure = Figure(figsize=(PANEL[0], PANEL[1] * len(panels) + 0.6), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (unit, lines) in zip(axes, panels.items(), strict=True):
        _panel(ax, unit, lines, solutions)
    axes[-1].set_xlabel("time [s]")
    figure.align_ylabels()
    _heading(figure, solutions)
    if path is not None:
        try:
            figure.savefig(path, dpi=150)
        except OSError as error:
            raise InputError(Problem("output", f"cannot write {path}: {reason(error)}")) from None
    return figure


Lines = dict[str, list[tuple[int, np.ndarray]]]  # label -> (solution, values)


def _panels(solutions: Sequence[Solution], names: Sequence[str]) -> dict[str, Lines]:
    """Lines by unit, in the order in which they were asked for."""
    panels: dict[str, Lines] = {}
    for name in names:
        missing: KeyError | None = None
        drawn = False
        for k, solution in enumerate(solutions):
            try:
                for label, unit, values in curves(solution, name):
                    panels.setdefault(unit, {}).setdefault(label, []).append((k, values))
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


def _panel(ax: Any, unit: str, lines: Lines, solutions: Sequence[Solution]) -> None:
    for n, (label, drawn) in enumerate(lines.items()):
        # more lines than colours: go round again, dotted
        again = {"linestyle": ":"} if n >= len(COLOURS) else {}
        for position, (k, values) in enumerate(drawn):
            ax.plot(
                solutions[k].time,
                values,
                color=COLOURS[n % len(COLOURS)],
                label=label if position == 0 else None,
                **(_look(k, len(solutions) > 1) | again),
            )
    ax.set_ylabel(_axis_label(list(lines), unit))
    _keep_rounding_flat(ax, lines)
    ax.margins(x=0.0)
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize="small", borderaxespad=0.0)


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


def _axis_label(labels: list[str], unit: str) -> str:
    """The quantity and its unit, if all lines show the same quantity."""
    words = {label.strip("|").split(" ")[0].split("[")[0].rpartition(".")[2].replace("_", " ") for label in labels}
    shown = "" if unit == "1" else f" [{unit if ' or ' in unit else unit.replace(' ', '·')}]"
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
