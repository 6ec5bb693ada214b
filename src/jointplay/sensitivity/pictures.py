"""Derivatives over time, one panel per quantity and component, one line per parameter; of objectives bars.

Scaled ones, rho dx/drho, share the unit of x and can be compared with each other; a parameter that is zero has none and
is named below the picture. What lies behind the first instant that is not valid is shaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, Problem
from ..results.plot import COLOURS, LEGEND, PANEL, STYLES, check_format, save_figure
from .objectives import Objective
from .targets import Target

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .result import Sensitivities

MOST_PANELS = 8


def plot(result: Sensitivities, of: str | Objective | None, scaled: bool, path: str | Path | None) -> Figure:
    """Draw one target, or all of them."""
    from matplotlib.figure import Figure

    check_format(path)
    shown = [result.target(name) for name in ([of] if of is not None else result.names)]
    zero = [name for name, value in result.parameters.items() if value == 0.0] if scaled else []
    names = [name for name in result.parameters if name not in zero]
    if not names:
        raise InputError(Problem("scaled", "all parameters are zero, so nothing can be scaled by them; scaled=False"))
    panels = [(target, place) for target in shown for place in _places(result, target)]
    if len(panels) > MOST_PANELS:
        raise InputError(Problem("of", f"{len(panels)} panels are too many for one picture; draw single components"))
    heights = [PANEL[1] if not target.is_objective else 0.8 + 0.32 * len(names) for target, _ in panels]
    figure = Figure(figsize=(PANEL[0], sum(heights) + 0.8), layout="constrained")
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for ax, (target, place) in zip(axes, panels, strict=True):
        if target.is_objective:
            _bars(ax, result, target, names, scaled)
        else:
            _lines(ax, result, target, place, names, scaled)
    heading = f"{result.name}  ({result.method}, {type(result.scheme).__name__})".strip()
    figure.suptitle(heading, fontsize="medium", x=0.01, ha="left")
    if zero:
        figure.supxlabel(f"left out, because zero cannot scale: {', '.join(zero)}", fontsize="small", x=0.01, ha="left")
    save_figure(figure, path)
    return figure


def _places(result: Sensitivities, target: Target) -> list[tuple[int, ...]]:
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


def _factor(result: Sensitivities, name: str, scaled: bool) -> float:
    return result.parameters[name] if scaled else 1.0


def _label(result: Sensitivities, target: Target, place: tuple[int, ...], scaled: bool) -> str:
    """Symbol and unit."""
    what = target.key + "".join(f"[{k}]" for k in place)
    unit = f" [{target.unit.replace(' ', '·')}]" if target.unit not in ("", "1") else ""
    if scaled:
        return f"ρ d/dρ {what}{unit}"
    units = set(result.units.values())
    own = units.pop() if len(units) == 1 else ""
    per = f"{unit[:-1]} / ({own})]" if own and unit else f"{unit} per SI unit"
    return f"d/dρ {what}{per}"


def _lines(
    ax: Any, result: Sensitivities, target: Target, place: tuple[int, ...], names: list[str], scaled: bool
) -> None:
    for n, name in enumerate(names):
        values = _factor(result, name, scaled) * result[target.key][name][(slice(None), *place)]
        look = {"color": COLOURS[n % len(COLOURS)], "linestyle": STYLES[n // len(COLOURS) % len(STYLES)]}
        ax.plot(result.time, values, label=name, linewidth=1.3, **look)
    end = float(result.time[-1])
    first = min((time for time, _ in result.invalid), default=np.inf)
    if first < end:
        ax.axvspan(first, end, color="0.9", zorder=0, label="not valid")
    label = _label(result, target, place, scaled)
    ax.set_ylabel(label, fontsize="small" if len(label) > 28 else None)
    ax.set_xlabel("time [s]")
    ax.margins(x=0.0)
    ax.legend(**LEGEND)
    _quiet(ax)


def _bars(ax: Any, result: Sensitivities, target: Target, names: list[str], scaled: bool) -> None:
    values = [_factor(result, name, scaled) * result[target.key][name] for name in names]
    ax.barh(range(len(names)), values, color=COLOURS[0], height=0.6)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.axvline(0.0, color="0.3", linewidth=0.8)
    ax.set_xlabel(_label(result, target, (), scaled))
    _quiet(ax)


def _quiet(ax: Any) -> None:
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
