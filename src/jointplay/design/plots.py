"""Pictures of a search and of a fit. Made without pyplot, like all figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..figures.saving import save_figure
from ..figures.style import COLOURS, LEGEND, PANEL, clean
from .fitted import Fitted
from .optimum import Optimum

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOW = 0.7  # height of a panel of residuals, in panels
DATA, MODEL = COLOURS[0], COLOURS[1]


def plot_optimum(found: Optimum, path: str | Path | None = None) -> Figure:
    """Objective, limited quantities and parameters over the runs; failed runs as crosses at the bottom."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    assert found._problem is not None and found._best is not None
    problem, table = found._problem, found.history
    rows = 3 if problem.limits else 2
    figure = Figure(figsize=(PANEL[0], PANEL[1] * rows + 0.4), layout="constrained")
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    good = table["ok"]
    _lines(axes[0], table["run"][good], {str(problem.objective): table["value"][good]})
    axes[0].set_ylabel("objective")
    if problem.limits:
        shares = {str(one): table[str(one)][good] / (abs(one.level) or size) for one, size in _sized(problem)}
        _lines(axes[1], table["run"][good], shares)
        for level in {float(np.sign(one.level)) for one in problem.limits}:
            axes[1].axhline(level, color="0.3", linewidth=1.0, linestyle="--")
        axes[1].set_ylabel("quantity / limit")
    variables = problem.variables
    moved = {name: table[name] / variables.scale[k] for k, name in enumerate(variables.names)}
    labels = {
        f"{name} / {variables.scale[k]:.4g} {variables.units[k]}".strip(): moved[name] for k, name in enumerate(moved)
    }
    _lines(axes[-1], table["run"], labels)
    axes[-1].set(xlabel="run", ylabel="parameter / scale")
    axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    for ax in axes:
        ax.axvline(found._best.number, color="0.8", linewidth=3.0, zorder=0)
        bad = table["run"][~good]
        ax.plot(bad, np.full(len(bad), 0.04), "x", color="0.3", transform=ax.get_xaxis_transform())
    figure.suptitle(found.outcome, fontsize="medium", x=0.01, ha="left")
    figure.align_ylabels()
    save_figure(figure, path)
    return figure


def _sized(problem: Any) -> Any:
    return zip(problem.limits, problem.sizes, strict=True)


def _lines(ax: Any, x: np.ndarray, curves: dict[str, np.ndarray]) -> None:
    for k, (label, y) in enumerate(curves.items()):
        ax.plot(x, y, "o-", color=COLOURS[k % len(COLOURS)], markersize=3.0, linewidth=1.2, label=label)
    clean(ax)
    ax.legend(**LEGEND)


def plot_fitted(found: Fitted, path: str | Path | None = None) -> Figure:
    """Per channel a panel with data and fit, and below it what is left, in standard deviations."""
    from matplotlib.figure import Figure

    assert found._misfit is not None
    channels, motion = found._misfit.channels, found.solution
    figure = Figure(figsize=(PANEL[0], PANEL[1] * (1.0 + LOW) * len(channels) + 0.4), layout="constrained")
    axes = figure.subplots(2 * len(channels), 1, sharex=True, height_ratios=[1.0, LOW] * len(channels))
    for n, one in enumerate(channels):
        above, below = axes[2 * n], axes[2 * n + 1]
        history = motion[one.name]
        for k, y in enumerate(one.values.reshape(len(one.times), -1).T):
            above.plot(one.times, y, ".", color=DATA, markersize=3.0, alpha=0.6, label="data" if k == 0 else None)
        for k, y in enumerate(history.reshape(len(motion.time), -1).T):
            above.plot(motion.time, y, color=MODEL, linewidth=1.2, label="fit" if k == 0 else None)
        left = (found.residuals[one.name] / found.sigma[one.name]).reshape(len(one.times), -1)
        below.axhspan(-2.0, 2.0, color="0.94", zorder=0)
        below.plot(one.times, left, ".", color=DATA, markersize=3.0)
        above.set_ylabel(f"{one.name} [{motion.units[one.name]}]")
        below.set_ylabel("residual / sigma")
        above.legend(**LEGEND)
        for ax in (above, below):
            clean(ax)
    axes[-1].set_xlabel("time [s]")
    limits = found.intervals()
    parts = [f"{name} = {value:.4g} ± {limits[name][1] - value:.2g}" for name, value in found.parameters.items()]
    figure.suptitle(", ".join(parts) + " (95 %)", fontsize="medium", x=0.01, ha="left")
    figure.align_ylabels()
    save_figure(figure, path)
    return figure
