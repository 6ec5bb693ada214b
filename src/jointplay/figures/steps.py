"""How long the steps of a method were: where it found the motion hard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..analysis.convergence import step_of
from ..errors import InputError, Problem
from ..results.solution import Solution
from .lines import time_axis
from .prefixes import readable, scale_of
from .sheet import Page, Sheet
from .style import GREY, PANEL, clean, colour, legend, log_ticks
from .windows import run_labels, runs_of, title_of, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEP, COUNT, REJECTED = "solver.step", "solver.steps", "solver.rejections"
FIXED = "step="  # in how a method writes itself: its steps are all alike


def mean_steps(time: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Mean step between a saved state and the one before it, in s; the step goes on where none ended in between."""
    taken = np.diff(count)
    spans = np.diff(time)
    found = np.full(len(spans), np.nan)
    waited = 0.0
    for k, (n, span) in enumerate(zip(taken, spans, strict=True)):
        waited += float(span)
        if n > 0:
            found[k] = waited / n
            waited = 0.0
    # a long step covers several saves: what it was is known when it ends
    for k in range(len(found) - 2, -1, -1):
        if np.isnan(found[k]):
            found[k] = found[k + 1]
    return found


def steps(
    solution: Solution | Sequence[Solution],
    *,
    start: float | str | None = None,
    end: float | str | None = None,
    labels: Sequence[str] = (),
    **page: Unpack[Page],
) -> Figure:
    """Draw the history of step sizes, and below it rejected steps and impacts where there are any.

    Args:
        solution: a run, or several.
        start: from this instant on (s, or a text with a unit).
        end: until this instant.
        labels: what to call the runs.
        page: path, width, height, dpi, title.
    """
    runs = runs_of(solution)
    called = run_labels(runs, labels)
    inside = [within(run, start, end) for run in runs]
    along, below = time_axis([run.time[kept] for run, kept in zip(runs, inside, strict=True)])
    histories = [_history(run, kept) for run, kept in zip(runs, inside, strict=True)]
    scale = scale_of("s", max(float(np.nanmax(one)) for one in histories))
    title = _title(runs[0]) if len(runs) == 1 else ""
    refused = [_rejected(run, kept) for run, kept in zip(runs, inside, strict=True)]
    rows = 2 if any(one is not None and one[-1] > 0 for one in refused) else 1
    heights = [PANEL[1], 0.5 * PANEL[1]][:rows]
    with Sheet(**page).figure(PANEL[0], sum(heights) + 0.7, title) as figure:
        axes = figure.subplots(rows, 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for n, (run, kept, history, label) in enumerate(zip(runs, inside, histories, called, strict=True)):
            time = run.time[kept] / along.factor
            look: dict[str, Any] = {"color": colour(n), "linewidth": 1.1, "where": "pre"}
            axes[0].step(time, history / scale.factor, label=label if len(runs) > 1 else None, **look)
            if rows > 1 and refused[n] is not None:
                axes[1].step(time, refused[n], **look)
        if len(runs) == 1:
            _impacts(axes[0], runs[0], inside[0], along.factor)
        _decades(axes[0], [history / scale.factor for history in histories])
        axes[0].set_ylabel(f"step{scale.bracket}")
        if rows > 1:
            axes[1].set_ylabel("rejected so far")
            axes[1].set_ylim(bottom=0.0)
        axes[-1].set_xlabel(below)
        for ax in axes:
            ax.margins(x=0.0)
            clean(ax)
        legend(axes[0], figure)
        figure.align_ylabels()
    return figure


def _history(run: Solution, inside: np.ndarray) -> np.ndarray:
    """Step at every saved state, in s."""
    time = run.time[inside]
    if COUNT in run.names and len(time) > 1:
        means = mean_steps(run.time, run[COUNT])
        whole = np.concatenate([means[:1], means])
        return np.where(np.isnan(whole), run[STEP], whole)[inside]  # the last step may end after the run
    if FIXED in str(run.meta.get("method", "")):
        return np.full(len(time), step_of(run))
    message = "this result holds no step sizes; run it again with this version, or with a fixed step"
    raise InputError(Problem("solution", message))


def _rejected(run: Solution, inside: np.ndarray) -> np.ndarray | None:
    return np.asarray(run[REJECTED][inside]) if REJECTED in run.names else None


def _impacts(ax: Any, run: Solution, inside: np.ndarray, factor: float) -> None:
    """Marks along the top where impacts cut steps."""
    if not len(run.impacts):
        return
    times = np.unique(run.impacts["time"])
    times = times[(times >= run.time[inside][0]) & (times <= run.time[inside][-1])]
    look = {"linestyle": "none", "marker": "|", "markersize": 8, "markeredgewidth": 0.7, "color": GREY}
    ax.plot(times / factor, np.full(len(times), 0.98), transform=ax.get_xaxis_transform(), label="impact", **look)


def _decades(ax: Any, histories: list[np.ndarray]) -> None:
    """Logarithms, with at least a decade on the axis: a constant is a line and not noise."""
    low, high = min(float(np.nanmin(one)) for one in histories), max(float(np.nanmax(one)) for one in histories)
    middle, half = (low * high) ** 0.5, max((high / low) ** 0.5 * 1.3, 10.0**0.5)
    ax.set_ylim(middle / half, middle * half)
    ax.set_yscale("log")
    log_ticks(ax.yaxis, half**2)


def _title(run: Solution) -> str:
    taken = run.stats.get("steps")
    text = f"{taken} steps of {run.meta.get('method', '')}" if taken else str(run.meta.get("method", ""))
    if taken and len(run.time) > 1:
        text += f", mean {readable(float(run.time[-1] - run.time[0]) / taken, 's')}"
    return f"{title_of(run)}: {text}".removeprefix(": ")
