"""Derivatives over time, one panel per quantity and component, one line per parameter; of objectives bars.

Scaled ones, rho dx/drho, share the unit of x and can be compared with each other; a parameter that is zero has none and
is named below the picture. What lies behind the first instant that is not valid is shaded. The object that is drawn is
what ``jointplay.sensitivities`` returns; this layer lies below that one and knows only its attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..errors import InputError, Problem
from .prefixes import pretty
from .sheet import Page, Sheet
from .style import BLUE, FAINT, PANEL, RED, clean, colour, dash, legend, literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS = 8


def sensitivities(result: Any, of: Any = None, *, scaled: bool = True, **page: Unpack[Page]) -> Figure:
    """Draw derivatives: curves of quantities, bars of objectives, the largest bar first.

    Args:
        result: what ``jp.sensitivities`` gave.
        of: one of the quantities or objectives; all of them unless given.
        scaled: times the parameter, in the unit of the quantity: what a change by 100 % would do. False: plain.
        page: path, width, height, dpi, title.
    """
    shown = [result.target(name) for name in ([of] if of is not None else result.names)]
    zero = [name for name, value in result.parameters.items() if value == 0.0] if scaled else []
    names = [name for name in result.parameters if name not in zero]
    if not names:
        raise InputError(Problem("scaled", "all parameters are zero, so nothing can be scaled by them; scaled=False"))
    panels = [(target, place) for target in shown for place in _places(result, target)]
    if len(panels) > MOST_PANELS:
        raise InputError(Problem("of", f"{len(panels)} panels are too many for one picture; draw single components"))
    heights = [PANEL[1] if not target.is_objective else 0.8 + 0.32 * len(names) for target, _ in panels]
    title = f"{literal(result.name)}  ({result.derivative}, {type(result.method).__name__})".strip()
    with Sheet(**page).figure(PANEL[0], sum(heights) + 0.8, title) as figure:
        axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
        for ax, (target, place) in zip(axes, panels, strict=True):
            if target.is_objective:
                _bars(ax, result, target, names, scaled)
            else:
                _lines(ax, result, target, place, names, scaled)
                legend(ax, figure)
        if zero:
            figure.supxlabel(
                f"left out, because zero cannot scale: {', '.join(zero)}", fontsize="small", x=0.01, ha="left"
            )
    return figure


def _places(result: Any, target: Any) -> list[tuple[int, ...]]:
    """Components with a panel each; those whose derivatives all vanish are left out."""
    if target.quantity is None or not target.quantity.shape:
        return [()]
    places = list(np.ndindex(target.quantity.shape))
    found = result[target.key]
    sizes = {place: max(_size(found[name][(slice(None), *place)]) for name in found) for place in places}
    least = 1e-12 * max(sizes.values())
    return [place for place in places if sizes[place] > least] or places[:1]


def _size(values: np.ndarray) -> float:
    return float(np.nanmax(np.abs(values), initial=0.0))


def _factor(result: Any, name: str, scaled: bool) -> float:
    return float(result.parameters[name]) if scaled else 1.0


def _label(result: Any, target: Any, place: tuple[int, ...], scaled: bool) -> str:
    """Symbol and unit."""
    what = target.key + "".join(f"[{k}]" for k in place)
    unit = f" [{pretty(target.unit)}]" if target.unit not in ("", "1") else ""
    if scaled:
        return f"ρ d/dρ {what}{unit}"
    units = set(result.units.values())
    own = units.pop() if len(units) == 1 else ""
    per = f"{unit[:-1]} / ({own})]" if own and unit else f"{unit} per SI unit"
    return f"d/dρ {what}{per}"


def _lines(ax: Any, result: Any, target: Any, place: tuple[int, ...], names: list[str], scaled: bool) -> None:
    for n, name in enumerate(names):
        values = _factor(result, name, scaled) * result[target.key][name][(slice(None), *place)]
        ax.plot(result.time, values, label=name, linewidth=1.3, color=colour(n), linestyle=dash(n))
    end = float(result.time[-1])
    first = min((time for time, _ in result.invalid), default=np.inf)
    if first < end:
        ax.axvspan(first, end, color=FAINT, zorder=0, label="not valid")
    label = _label(result, target, place, scaled)
    ax.set_ylabel(label, fontsize="small" if len(label) > 28 else None)
    ax.set_xlabel("time [s]")
    ax.margins(x=0.0)
    clean(ax)


def _bars(ax: Any, result: Any, target: Any, names: list[str], scaled: bool) -> None:
    """One bar per parameter, the longest on top; blue raises the objective, red lowers it."""
    values = {name: float(_factor(result, name, scaled) * result[target.key][name]) for name in names}
    ordered = sorted(names, key=lambda name: -abs(values[name]))
    shades = [BLUE if values[name] >= 0.0 else RED for name in ordered]
    bars = ax.barh(range(len(ordered)), [values[name] for name in ordered], color=shades, height=0.6)
    ax.bar_label(bars, labels=[f"{values[name]:.3g}" for name in ordered], padding=3, fontsize="small", color="0.3")
    ax.set_yticks(range(len(ordered)), ordered)
    ax.invert_yaxis()
    ax.axvline(0.0, color="0.3", linewidth=0.8)
    ax.margins(x=0.12)  # room for the numbers
    ax.set_xlabel(_label(result, target, (), scaled))
    ax.tick_params(axis="y", length=0)
    clean(ax)
    ax.grid(False, axis="y")
