"""The energy ledger as stacked areas: what moves, what is stored, what was lost; and the error on an axis of its own.

    kinetic + weight + elastic + lost = start + input + error

The areas above each other are the left side; the dashed line is start + input. Where areas end below or above the line
energy is missing or made up: the panel below shows by how much. Potential energies count from their lowest values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..errors import InputError, Problem
from ..results.solution import Solution
from .lines import time_axis
from .prefixes import scale_of
from .sheet import Page, Sheet
from .style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, clean, legend
from .windows import title_of, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRACE = 1e-6  # of the largest area: smaller ones are not drawn
HEIGHTS = (3.4, 1.1)  # inches
REST = "friction, damping"  # what is lost other than in impacts


def parts(solution: Solution, inside: np.ndarray) -> dict[str, np.ndarray]:
    """The areas from below, in J: none is negative."""
    found = {"kinetic": solution["energy.kinetic"][inside]}
    for name in ("gravity", "elastic"):
        stored = solution[f"energy.{name}"][inside]
        least = float(np.min(solution[f"energy.{name}"]))
        found["weight" if name == "gravity" else name] = stored - (least if name == "gravity" else min(least, 0.0))
    lost = solution["energy.dissipated"][inside]
    struck = np.minimum(struck_before(solution)[inside], lost)  # a drive takes part in impacts and may give some back
    found["lost in impacts"] = struck
    found[f"lost: {REST}"] = lost - struck
    return found


def struck_before(solution: Solution) -> np.ndarray:
    """Energy that impacts took up to each saved instant, in J."""
    table = solution.impacts
    if not len(table):
        return np.zeros(len(solution.time))
    order = np.argsort(table["time"], kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(table["energy_loss"][order])])
    return np.asarray(sums[np.searchsorted(table["time"][order], solution.time, side="right")])


def energy(
    solution: Solution,
    *,
    start: float | str | None = None,
    end: float | str | None = None,
    **page: Unpack[Page],
) -> Figure:
    """Draw the energy ledger: stacked areas, the line they must meet, and the error below.

    Args:
        solution: any run.
        start: from this instant on (s, or a text with a unit).
        end: until this instant.
        page: path, width, height, dpi, title.
    """
    if not len(solution.time):
        raise InputError(Problem("", "there is nothing to draw: no state was saved"))
    inside = within(solution, start, end)
    time = solution.time[inside]
    along, below = time_axis([time])
    areas = parts(solution, inside)
    stack = np.sum(list(areas.values()), axis=0)
    error = solution["energy.error"][inside]
    scale, largest = scale_of("J", float(np.max(stack))), float(np.max(stack))
    shades = (BLUE, GREEN, ORANGE, RED, PURPLE)
    title = f"{title_of(solution)}: energy".removeprefix(": ")
    with Sheet(**page).figure(8.0, sum(HEIGHTS) + 0.7, title) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=HEIGHTS)
        bottom = np.zeros(len(time))
        for shade, (label, area) in zip(shades, areas.items(), strict=True):
            if float(np.max(area)) <= TRACE * largest:
                continue
            top = bottom + area
            band = (bottom / scale.factor, top / scale.factor)
            upper.fill_between(time / along.factor, *band, color=shade, alpha=0.75, linewidth=0.0, label=label)
            upper.plot(time / along.factor, band[1], color="white", linewidth=0.5)
            bottom = top
        look: dict[str, Any] = {"color": BLACK, "linewidth": 1.2, "linestyle": "--"}
        given = solution["energy.input"][inside]
        line = stack[0] - error[0] + given - given[0]
        upper.plot(time / along.factor, line / scale.factor, label="start + input", **look)
        upper.set_ylabel(f"energy{scale.bracket}")
        upper.set_ylim(bottom=0.0)
        small = scale_of("J", float(np.max(np.abs(error))))
        tiny = float(np.max(np.abs(error))) / small.factor
        lower.plot(time / along.factor, error / small.factor, color=GREY, linewidth=0.8)
        lower.set_ylabel(f"error{small.bracket}")
        if tiny < 1e-3:
            lower.ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
        lower.set_xlabel(below)
        lower.locator_params(axis="y", nbins=3)
        for ax in (upper, lower):
            ax.margins(x=0.0)
            clean(ax)
        handles, labels = upper.get_legend_handles_labels()
        areas_first = [*range(len(handles) - 2, -1, -1), len(handles) - 1]  # as they lie, the line last
        legend(upper, figure, [handles[k] for k in areas_first], [labels[k] for k in areas_first])
        figure.align_ylabels()
    return figure
