"""Errors over step sizes in logarithms, with the order that they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..analysis.convergence import errors, order, step_of
from ..errors import InputError, Problem
from ..results.solution import Solution
from .prefixes import Scale, scale_of
from .sheet import Page, Sheet
from .style import GREY, clean, colour, literal, log_ticks
from .windows import runs_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = (5.4, 4.4)  # inches
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

Pairs = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def convergence(
    runs: Sequence[Solution] | Pairs,
    *names: str,
    reference: Solution | None = None,
    norm: str = "max",
    unit: str = "",
    **page: Unpack[Page],
) -> Figure:
    """Draw the errors of runs over their steps, with a fitted line whose slope is the order.

    Args:
        runs: solutions with different steps; or ``{"Moreau": (steps, errors)}`` with numbers of your own (s, SI).
        names: quantities whose errors are drawn (of solutions only).
        reference: the truth; of solutions the one with the shortest step unless given.
        norm: over the saved instants: "max", "rms", or the error at the "end".
        unit: of errors that were given as numbers.
        page: path, width, height, dpi, title.
    """
    if isinstance(runs, Mapping):
        pairs = {str(label): (np.asarray(h, float), np.asarray(e, float)) for label, (h, e) in runs.items()}
        units = {unit}
        of_norm = ""
    else:
        pairs, units = _measured(runs_of(runs), names, reference, norm)
        of_norm = f", {norm}"
    if not any(len(h) for h, _ in pairs.values()):
        raise InputError(Problem("runs", "there is nothing to draw: no run has an error"))
    along = scale_of("s", max(float(np.max(h)) for h, _ in pairs.values()))
    title = "" if isinstance(runs, Mapping) else literal(str(next(iter(runs)).meta.get("name") or ""))
    with Sheet(**page).figure(*SIZE, title) as figure:
        ax = figure.subplots()
        left_out = [_draw(ax, n, label, h, e, along) for n, (label, (h, e)) in enumerate(pairs.items())]
        if any(map(len, left_out)):
            rings: dict[str, Any] = {
                "marker": "o",
                "markersize": 10,
                "markerfacecolor": "none",
                "markeredgecolor": GREY,
            }
            ax.plot(*np.concatenate(left_out).T, linestyle="none", label="not in the fit", **rings)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ends = [float(one) for h, _ in pairs.values() for one in h]
        log_ticks(ax.xaxis, max(ends) / min(ends))
        ax.set_xlabel(f"step{along.bracket}")
        ax.set_ylabel(f"error{of_norm}{Scale(1.0, units.pop()).bracket if len(units) == 1 else ' [SI]'}")
        clean(ax)
        ax.grid(True, which="minor", color="0.95", linewidth=0.4)
        figure.legend(loc="outside lower center", ncols=1 if len(pairs) < 4 else 2, frameon=False, fontsize="small")
    return figure


def _measured(
    runs: list[Solution], names: Sequence[str], reference: Solution | None, norm: str
) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], set[str]]:
    """Steps and errors by name; all names must exist in all runs."""
    if not names:
        raise InputError(Problem("names", "name the quantities that are to converge, such as slider.position[0]"))
    ordered = sorted(runs, key=step_of)
    truth = reference or ordered[0]
    others = [run for run in ordered if run is not truth]
    if not others:
        raise InputError(Problem("runs", "at least two runs with different steps are needed"))
    h = np.array([step_of(run) for run in others])
    if np.ptp(h) == 0.0 and len(h) > 1:
        raise InputError(Problem("runs", f"all have the same step of {h[0]:g} s"))
    return {name: (h, errors(others, name, truth, norm)) for name in names}, {truth.units[name] for name in names}


def _draw(ax: Any, n: int, label: str, h: np.ndarray, e: np.ndarray, along: Scale) -> np.ndarray:
    """Draw errors and their line; the points that the line does not rest on."""
    good = e > 0.0
    found = order(h, e)
    slope = "" if found is None else f": order {found.slope:.2f}"
    look = {"color": colour(n), "marker": MARKERS[n % len(MARKERS)], "markersize": 5, "linestyle": "none"}
    ax.plot(h[good] / along.factor, e[good], label=f"{label}{slope}", **look)
    if found is None:
        return np.zeros((0, 2))
    line = np.array([np.min(h[good]), np.max(h[good])])
    ax.plot(line / along.factor, found.at(line), color=colour(n), linewidth=1.0, alpha=0.7)
    left_out = np.setdiff1d(np.flatnonzero(good), found.used)
    return np.column_stack([h[left_out] / along.factor, e[left_out]])
