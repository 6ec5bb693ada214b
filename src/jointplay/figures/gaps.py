"""Gaps of a joint's contacts, what the impacts and forces were, and the modes: all of a clearance on one sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..analysis.contacts import contact_names, own_name
from ..results.solution import Solution
from .contact_look import IMPACT
from .lines import time_axis
from .modes import draw_modes, mode_labels, modes_within
from .prefixes import Scale, scale_of
from .sheet import Page, Sheet
from .style import clean, colour, dash, legend
from .windows import title_of, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW, TALL = 0.9, 1.7  # inches, of a gap and of the panel of impulses
MOST = 6  # gaps that are drawn: those that close, the most loaded first


def gaps(
    solution: Solution,
    joint: str,
    *,
    tolerance: float | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
    **page: Unpack[Page],
) -> Figure:
    """Draw gaps, impulses of impacts (or forces of compliant contacts), and the timeline of modes.

    Every contact has a panel of its own, at most six: those with the largest impulse. Ticks on
    the zero line are impacts.

    Args:
        solution: a run with contacts.
        joint: name of a joint with clearance.
        tolerance: gap (m) that counts as none (unless given, that of ``analysis.closed``).
        start: from this instant on (s, or a text with a unit).
        end: until this instant.
        page: path, width, height, dpi, title.
    """
    names, inside = contact_names(solution, joint), within(solution, start, end)
    shown = _most_loaded(solution, joint, names)
    found = modes_within(solution, joint, tolerance, inside)
    labels = mode_labels(found)
    values, time = solution[f"{joint}.gap"][inside], solution.time[inside]
    along, _ = time_axis([time])
    scale = scale_of("m", float(np.max(values)))
    heights = [ROW] * len(shown) + [TALL, 0.45 + 0.2 * len(labels)]
    title = f"{title_of(solution)}: gaps of {joint}{scale.bracket}".removeprefix(": ")
    if len(shown) < len(names):
        title += f", {len(shown)} of {len(names)} contacts"
    with Sheet(**page).figure(8.0, sum(heights) + 1.0, title) as figure:
        axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for n, (ax, k) in enumerate(zip(axes, shown, strict=False)):
            _gap(ax, time / along.factor, values[:, k] / scale.factor, colour(n))
            _ticks(ax, solution, names[k], time, along)
            ax.set_ylim(min(0.0, float(np.min(values)) / scale.factor), 1.05 * float(np.max(values)) / scale.factor)
            ax.set_ylabel(own_name(names[k]), rotation=0, ha="right", va="center", fontsize="small")
        _blows(axes[-2], solution, joint, [names[k] for k in shown], shown, inside, along)
        if len(shown) > 1:
            legend(axes[-2], figure)
        draw_modes(axes[-1], found, labels)
    return figure


def _most_loaded(solution: Solution, joint: str, names: tuple[str, ...]) -> list[int]:
    """Contacts to draw, in their own order."""
    if len(names) <= MOST:
        return list(range(len(names)))
    load = solution[f"{joint}.normal_impulse"][-1] - solution[f"{joint}.normal_impulse"][0]
    return sorted(np.argsort(-load, kind="stable")[:MOST].tolist())


def _gap(ax: Any, time: np.ndarray, values: np.ndarray, shade: str) -> None:
    ax.plot(time, values, color=shade, linewidth=1.2)
    ax.locator_params(axis="y", nbins=3)
    ax.margins(x=0.0)
    clean(ax)


def _mine(solution: Solution, contact: str, time: np.ndarray) -> np.ndarray:
    table = solution.impacts
    return np.asarray(table[(table["contact"] == contact) & (table["time"] >= time[0]) & (table["time"] <= time[-1])])


def _ticks(ax: Any, solution: Solution, contact: str, time: np.ndarray, along: Scale) -> None:
    at = _mine(solution, contact, time)["time"] / along.factor
    if len(at):
        ax.plot(at, np.zeros(len(at)), "|", color=IMPACT, markersize=9, clip_on=False)


def _blows(
    ax: Any, solution: Solution, joint: str, names: list[str], shown: list[int], inside: np.ndarray, along: Scale
) -> None:
    """Impulse of every impact as a stem; where contacts are compliant, or never strike, their forces."""
    time = solution.time[inside]
    hits = [_mine(solution, name, time) for name in names]
    if any(len(one) for one in hits):
        scale = scale_of("N s", max(float(np.max(one["impulse"])) for one in hits if len(one)))
        reached: dict[int, float] = {}  # by impact: contacts that strike together stand upon each other
        for n, (name, one) in enumerate(zip(names, hits, strict=True)):
            low = np.array([reached.get(int(number), 0.0) for number in one["impact"]])
            high = low + one["impulse"]
            reached |= {int(number): float(top) for number, top in zip(one["impact"], high, strict=True)}
            x = one["time"] / along.factor
            ax.vlines(x, low / scale.factor, high / scale.factor, color=colour(n), linewidth=1.4)
            ax.plot(
                x, high / scale.factor, "o", color=colour(n), markersize=3.0, linestyle="none", label=own_name(name)
            )
        ax.set_ylabel(f"impulse{scale.bracket}")
    else:
        forces = solution[f"{joint}.normal_force"][inside]
        scale = scale_of("N", float(np.max(np.abs(forces))))
        for n, (name, k) in enumerate(zip(names, shown, strict=True)):
            look = {"color": colour(n), "linestyle": dash(n), "linewidth": 1.0}
            ax.plot(time / along.factor, forces[:, k] / scale.factor, label=own_name(name), **look)
        ax.set_ylabel(f"normal force{scale.bracket}")
    ax.set_ylim(bottom=0.0)
    ax.margins(x=0.0)
    clean(ax)
