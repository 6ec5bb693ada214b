"""Pictures of contacts: orbits in their clearance, gaps, the timeline of modes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..results.plot import COLOURS, save_figure
from ..results.solution import Solution
from .contacts import contact_names, own_name
from .modes import NONE, Mode, contact_modes
from .orbits import Orbit, orbit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDE = 4.2  # inches of an orbit
ROW = 1.1  # inches of a gap
UNITS = ((1e-3, "mm"), (1e-6, "µm"))  # for gaps: the first that leaves the largest one above 0.1
AXES = ("h", "t", "b")
TICKS = (-1.0, -0.5, 0.0, 0.5, 1.0)


def plot_orbit(solution: Solution, joint: str, *, path: str | Path | None = None) -> Figure:
    """Orbits of a joint in their circles of clearance, dark where they end, impacts as points on the circle.

    A socket is drawn twice: seen along b and along t.

    Args:
        solution: a run with contacts.
        joint: name of a joint with round clearance.
        path: file to write, .png, .svg or .pdf.
    """
    from matplotlib.figure import Figure

    views = [(one, across) for one in orbit(solution, joint) for across in _views(one)]
    figure = Figure(figsize=(SIDE * len(views), SIDE + 0.1), layout="constrained")
    axes = figure.subplots(1, len(views), squeeze=False)[0]
    for ax, (one, across) in zip(axes, views, strict=True):
        _draw_orbit(ax, one, across)
    return _finish(figure, solution, path)


def _views(one: Orbit) -> list[tuple[int, int]]:
    return [(0, 1)] if one.path.shape[1] == 2 else [(0, 1), (0, 2)]


def _draw_orbit(ax: Any, one: Orbit, across: tuple[int, int]) -> None:
    from matplotlib.collections import LineCollection

    turn = np.linspace(0.0, 2.0 * np.pi, 361)
    ax.fill(np.cos(turn), np.sin(turn), color="0.97", zorder=0)
    ax.plot(np.cos(turn), np.sin(turn), color="0.3", linewidth=1.2, zorder=1)
    ax.axhline(0.0, color="0.85", linewidth=0.6, zorder=0.5)
    ax.axvline(0.0, color="0.85", linewidth=0.6, zorder=0.5)
    path = one.path[:, across]
    # from pale to dark with time
    shades = LineCollection(list(np.stack([path[:-1], path[1:]], axis=1)), cmap="Blues", linewidth=1.1, zorder=2)
    shades.set_array(np.linspace(0.35, 1.0, max(len(path) - 1, 0)))
    shades.set_clim(0.0, 1.0)
    ax.add_collection(shades)
    ax.plot(*path[0], "o", color=COLOURS[2], markersize=5, label="start", zorder=4, linestyle="none")
    if len(one.impact_times):
        hits = one.impact_points[:, across]
        ax.plot(*hits.T, "x", color=COLOURS[1], markersize=5, label="impact", zorder=3, linestyle="none")
    ax.set_aspect("equal")
    ax.set(xlim=(-1.12, 1.12), ylim=(-1.12, 1.12), xticks=TICKS, yticks=TICKS)
    ax.set_xlabel(f"{AXES[across[0]]} / clearance")
    ax.set_ylabel(f"{AXES[across[1]]} / clearance")
    ax.set_title(f"{one.contact}, clearance {_length(one.clearance)}", fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper right", frameon=False, fontsize="small")


def plot_gaps(
    solution: Solution, joint: str, *, tolerance: float | None = None, path: str | Path | None = None
) -> Figure:
    """Gap of every contact in a panel of its own, impacts marked, with the timeline of modes below.

    Args:
        solution: a run with contacts.
        joint: name of a joint with clearance.
        tolerance: gap (m) that counts as none (``closed`` says which one if it is not given).
        path: file to write, .png, .svg or .pdf.
    """
    from matplotlib.figure import Figure

    names, gaps = contact_names(solution, joint), solution[f"{joint}.gap"]
    modes = contact_modes(solution, joint, tolerance)
    labels = _labels(modes)
    factor, unit = _scale(float(np.max(gaps)))
    heights = [ROW] * len(names) + [0.45 + 0.2 * len(labels)]
    figure = Figure(figsize=(8.0, sum(heights) + 1.0), layout="constrained")
    axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for k, (ax, name) in enumerate(zip(axes, names, strict=False)):
        impacts = solution.impacts[solution.impacts["contact"] == name]
        ax.plot(solution.time, gaps[:, k] / factor, color=COLOURS[0], linewidth=1.2)
        if len(impacts):
            ax.plot(impacts["time"], np.zeros(len(impacts)), "|", color=COLOURS[1], markersize=9, clip_on=False)
        ax.set_ylabel(own_name(name), rotation=0, ha="right", va="center", fontsize="small")
        ax.set_ylim(min(0.0, float(np.min(gaps)) / factor), 1.05 * float(np.max(gaps)) / factor)
        ax.grid(True, color="0.9", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    _draw_modes(axes[-1], modes, labels)
    return _finish(figure, solution, path, f"gaps of {joint} [{unit}], impacts marked")


def plot_modes(
    solution: Solution, joint: str, *, tolerance: float | None = None, path: str | Path | None = None
) -> Figure:
    """Timeline of the contact modes of a joint: one line per mode, filled while it holds.

    Args:
        solution: a run with contacts.
        joint: name of a joint with clearance.
        tolerance: gap (m) that counts as none (``closed`` says which one if it is not given).
        path: file to write, .png, .svg or .pdf.
    """
    from matplotlib.figure import Figure

    modes = contact_modes(solution, joint, tolerance)
    labels = _labels(modes)
    figure = Figure(figsize=(8.0, 1.1 + 0.3 * len(labels)), layout="constrained")
    _draw_modes(figure.subplots(), modes, labels)
    return _finish(figure, solution, path, f"contact modes of {joint}")


def _labels(modes: Sequence[Mode]) -> list[str]:
    """The modes that occur: none first, then few contacts before many."""
    found = {mode.label: len(mode.contacts) for mode in modes}
    return sorted(found, key=lambda label: (label != NONE, found[label], label))


def _draw_modes(ax: Any, modes: Sequence[Mode], labels: Sequence[str]) -> None:
    for place, label in enumerate(labels):
        spans = [(mode.start, mode.duration) for mode in modes if mode.label == label]
        colour = "0.75" if label == NONE else COLOURS[place % len(COLOURS)]
        # an edge of the same colour keeps short modes visible
        ax.broken_barh(spans, (place - 0.38, 0.76), facecolor=colour, edgecolor=colour, linewidth=0.5)
    ax.set_yticks(range(len(labels)), labels, fontsize="small")
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.set_xlim(modes[0].start, modes[-1].end if modes[-1].end > modes[0].start else modes[0].start + 1.0)
    ax.set_xlabel("time [s]")
    ax.spines[["top", "right"]].set_visible(False)


def _scale(largest: float) -> tuple[float, str]:
    return next(((factor, unit) for factor, unit in UNITS if largest >= 0.1 * factor), UNITS[-1])


def _length(value: float) -> str:
    factor, unit = _scale(value)
    return f"{value / factor:.4g} {unit}"


def _finish(figure: Figure, solution: Solution, path: str | Path | None, about: str = "") -> Figure:
    name = str(solution.meta.get("name") or "")
    figure.suptitle(": ".join(word for word in (name, about) if word), fontsize="medium", x=0.01, ha="left")
    save_figure(figure, path)
    return figure
