"""Where a journal, a ball or a slider goes inside its clearance.

A journal is drawn in its circle, a ball in three projections of its sphere, a planar slider in the rhombus of what its
guide allows: place across the guide, and tilt. Blue is free flight, red is contact; crosses are impacts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..analysis.contacts import closed, contact_names, own_name
from ..analysis.modes import is_planar_slider
from ..analysis.orbits import Orbit
from ..analysis.orbits import orbit as orbits_of
from ..analysis.sliders import SliderPath, slider_path
from ..errors import InputError, Problem
from ..results.solution import Solution
from .contact_look import CLOSED, IMPACT, OPEN, START, WALL
from .curves import JOINT_AXES
from .prefixes import Scale, readable, scale_of
from .sheet import Page, Sheet
from .style import clean
from .windows import title_of, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDE = 4.2  # inches of a panel
ROOM = 1.08  # of the clearance, on each side
ENDS = 2  # circles that are drawn of a bearing with more strips than that: the ends


def orbit(
    solution: Solution,
    joint: str,
    *,
    contact: str | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
    **page: Unpack[Page],
) -> Figure:
    """Draw the motion of a joint inside its clearance, in µm or mm, with equal axes.

    Args:
        solution: a run with contacts, rigid or compliant.
        joint: a joint with round clearance, or a planar slider with clearance.
        contact: one contact, such as ``radial[3]``; of a bearing with strips the two ends are drawn unless given.
        start: from this instant on (s, or a text with a unit).
        end: until this instant.
        page: path, width, height, dpi, title.
    """
    inside = within(solution, start, end)
    names = contact_names(solution, joint)
    if is_planar_slider(joint, names):
        return _slider(slider_path(solution, joint), inside, f"{title_of(solution)}: {joint} in its guide", page)
    found = _chosen(orbits_of(solution, joint), joint, contact)
    in_contact = closed(solution, joint)
    views = [(one, across) for one in found for across in _views(one)]
    title = f"{title_of(solution)}: {joint} in its clearance of {readable(found[0].clearance, 'm', 1.0)}"
    with Sheet(**page).figure(SIDE * len(views), SIDE + 0.4, title.removeprefix(": "), square=True) as figure:
        axes = figure.subplots(1, len(views), squeeze=False)[0]
        ticks = 5 if figure.get_figwidth() > 2.5 * len(views) else 3
        for ax, (one, across) in zip(axes, views, strict=True):
            _circle(ax, one, across, in_contact[:, names.index(one.contact)], inside, ticks)
            if len(found) > 1:
                ax.set_title(own_name(one.contact), fontsize="medium")
        _one_legend(figure, axes)
    return figure


def _chosen(found: list[Orbit], joint: str, contact: str | None) -> list[Orbit]:
    if contact is None:
        return found if len(found) <= ENDS else [found[0], found[-1]]
    mine = [one for one in found if contact in (one.contact, own_name(one.contact))]
    if not mine:
        known = ", ".join(own_name(one.contact) for one in found)
        raise InputError(Problem("contact", f"{joint!r} has no round contact '{contact}'; known: {known}"))
    return mine


def _views(one: Orbit) -> list[tuple[int, int]]:
    return [(0, 1)] if one.path.shape[1] == 2 else [(0, 1), (0, 2), (1, 2)]


def _circle(
    ax: Any, one: Orbit, across: tuple[int, int], in_contact: np.ndarray, inside: np.ndarray, ticks: int
) -> None:
    scale = scale_of("m", one.clearance, 1.0)
    size = one.clearance / scale.factor
    turn = np.linspace(0.0, 2.0 * np.pi, 361)
    ax.fill(size * np.cos(turn), size * np.sin(turn), color="0.97", zorder=0)
    ax.plot(size * np.cos(turn), size * np.sin(turn), color=WALL, linewidth=1.2, zorder=1)
    path = size * one.path[inside][:, across]
    _trail(ax, path, in_contact[inside], 2.2 if one.path.shape[1] == 2 else 1.2)
    times = one.time[inside]
    within = (one.impact_times >= times[0]) & (one.impact_times <= times[-1])
    if within.any():
        hits = size * one.impact_points[within][:, across]
        ax.plot(
            *hits.T, "x", color=IMPACT, markersize=5, markeredgewidth=0.8, label="impact", zorder=3, linestyle="none"
        )
    reach = max(ROOM * size, ROOM * float(np.max(np.abs(path), initial=0.0)))
    _frame(ax, scale, reach, [JOINT_AXES[k] for k in across], ticks)


def _trail(ax: Any, path: np.ndarray, in_contact: np.ndarray, broad: float) -> None:
    """The path, a piece for each interval between saves: contact if it lasts over the whole of it."""
    from matplotlib.collections import LineCollection

    pieces = np.stack([path[:-1], path[1:]], axis=1) if len(path) > 1 else np.zeros((0, 2, 2))
    touching = in_contact[:-1] & in_contact[1:] if len(path) > 1 else np.zeros(0, dtype=bool)
    for which, colour, wide, label, level in (
        (~touching, OPEN, 0.8, "free", 2.0),
        (touching, CLOSED, broad, "contact", 2.5),
    ):
        if which.any():
            lines = LineCollection(list(pieces[which]), colors=colour, linewidths=wide, label=label, zorder=level)
            lines.set_capstyle("round")
            ax.add_collection(lines, autolim=False)
    if in_contact.any():  # a place where contact lasts may be a single point
        ax.plot(
            *path[in_contact].T,
            ".",
            color=CLOSED,
            markersize=1.5 * broad,
            linestyle="none",
            zorder=2.6,
            markeredgewidth=0.0,
        )
    ax.plot(
        *path[0], "o", color=START, markersize=5, label="start", zorder=4, linestyle="none", markeredgecolor="white"
    )


def _frame(ax: Any, scale: Scale, reach: float, axes: list[str], ticks: int = 5) -> None:
    ax.set_aspect("equal")
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
    ax.axhline(0.0, color="0.85", linewidth=0.6, zorder=0.5)
    ax.axvline(0.0, color="0.85", linewidth=0.6, zorder=0.5)
    ax.set_xlabel(f"{axes[0]}{scale.bracket}")
    ax.set_ylabel(f"{axes[1]}{scale.bracket}")
    ax.locator_params(nbins=ticks)
    clean(ax, grid=False)


def _slider(path: SliderPath, inside: np.ndarray, title: str, page: Page) -> Figure:
    """Place across the guide and tilt, in the rhombus of what the walls allow."""
    scale = scale_of("m", path.clearance, 1.0)
    size = path.clearance / scale.factor
    with Sheet(**page).figure(SIDE + 0.4, SIDE + 0.4, title.removeprefix(": "), square=True) as figure:
        ax = figure.subplots()
        ax.fill([size, 0, -size, 0], [0, size, 0, -size], facecolor="0.97", edgecolor=WALL, linewidth=1.2, zorder=0)
        points = np.column_stack([path.offset, path.edge])[inside] / scale.factor
        _trail(ax, points, path.closed[inside] > 0, 5.0)
        _frame(
            ax,
            scale,
            max(ROOM * size, ROOM * float(np.max(np.abs(points)))),
            ["place across the guide", "tilt × half length"],
        )
        _one_legend(figure, [ax])
    return figure


def _one_legend(figure: Figure, axes: Any) -> None:
    """One legend for all panels, below them."""
    known: dict[str, Any] = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        known |= dict(zip(labels, handles, strict=True))
    figure.legend(
        list(known.values()), list(known), loc="outside lower center", ncols=len(known), frameon=False, fontsize="small"
    )
