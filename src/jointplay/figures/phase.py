"""Phase portraits and Poincaré sections: one quantity over another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..analysis.sections import crossings, strokes
from ..errors import InputError, Problem
from ..quantities.units import QuantityError, si
from ..results.solution import Solution
from .curves import single
from .pen import TURN, Path, path, turned
from .prefixes import Scale, scale_of
from .sheet import Page, Sheet
from .style import GREEN, clean, colour
from .windows import run_labels, runs_of, seconds, title_of, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = (5.4, 4.4)  # inches
ALIKE = 1e-2  # of their size: points nearer to each other than this do not fill the picture
FEW = 60  # points that are drawn large


def rate_of(solution: Solution, name: str) -> str:
    """The name of the rate of a quantity: ``P.angle_rate`` of ``P.angle``, ``b.velocity[0]`` of ``b.position[0]``."""
    base, component = solution._split(name)
    place = "" if component is None else f"[{component}]"
    if base.endswith(".position"):
        return f"{base.removesuffix('position')}velocity{place}"
    if f"{base}_rate" in solution.names:
        return f"{base}_rate{place}"
    solution[name]  # raises if there is no such quantity
    raise InputError(Problem(name, "has no rate among the saved quantities; name the quantity for the other axis"))


def phase(
    solution: Solution | Sequence[Solution],
    x: str,
    y: str | None = None,
    *,
    start: float | str | None = None,
    end: float | str | None = None,
    labels: Sequence[str] = (),
    **page: Unpack[Page],
) -> Figure:
    """Draw ``y`` over ``x``; without ``y`` its rate: the phase portrait.

    Args:
        solution: a run, or several.
        x: a scalar, such as ``P.angle`` or ``slider.position[0]``.
        y: another; the rate of ``x`` unless given.
        start: from this instant on (s, or a text with a unit), for a motion that has settled.
        end: until this instant.
        labels: what to call the runs.
        page: path, width, height, dpi, title.
    """
    runs = runs_of(solution)
    y = y or rate_of(runs[0], x)
    paths = [_path(run, (x, y), within(run, start, end)) for run in runs]
    scales = _scales(runs[0], (x, y), [one.line for one in paths])
    factors = [scale.factor for scale in scales]
    title = f"{title_of(runs[0])}: phase portrait".removeprefix(": ") if len(runs) == 1 else ""
    with Sheet(**page).figure(*SIZE, title) as figure:
        ax = figure.subplots()
        for n, (one, label) in enumerate(zip(paths, run_labels(runs, labels), strict=True)):
            drawn, jumps = (one.line / factors).T, (one.jumps / factors).T
            ax.plot(*drawn, color=colour(n), linewidth=0.9, label=label if len(runs) > 1 else None)
            first: dict[str, Any] = {
                "color": GREEN,
                "markeredgecolor": "white",
                "markersize": 6,
                "zorder": 4,
                "linestyle": "none",
            }
            ax.plot(drawn[0][:1], drawn[1][:1], "o", **first, label="start" if n == len(runs) - 1 else None)
            if jumps.size:
                look: dict[str, Any] = {"color": colour(n), "linewidth": 0.6, "alpha": 0.5, "linestyle": (0, (2, 2))}
                ax.plot(*jumps, **look, label="impact" if n == len(runs) - 1 else None)
        _frame(figure, ax, (x, y), scales)
    return figure


def poincare(
    solution: Solution | Sequence[Solution],
    x: str,
    y: str | None = None,
    *,
    when: str | None = None,
    level: float | str = 0.0,
    direction: str = "up",
    every: float | str | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
    labels: Sequence[str] = (),
    **page: Unpack[Page],
) -> Figure:
    """Draw a Poincaré section: ``y`` over ``x`` once per period of a drive, or whenever a quantity crosses a level.

    Args:
        solution: a run, or several.
        x: a scalar, such as ``P.angle``.
        y: another; the rate of ``x`` unless given.
        when: quantity whose crossings of ``level`` are meant, such as ``A.angle`` or ``slider.velocity[0]``.
        level: value that is crossed, in SI or with a unit.
        direction: "up", "down" or "both".
        every: without ``when`` the period (s, or a text with a unit); with it the distance of levels, such as "1 turn".
        start: from this instant on (s, or a text with a unit), for a motion that has settled; also where periods begin.
        end: until this instant.
        labels: what to call the runs.
        page: path, width, height, dpi, title.
    """
    runs = runs_of(solution)
    if when is None and every is None:
        raise InputError(Problem("when", "a section needs a quantity to cross (when=) or a period (every=)"))
    y = y or rate_of(runs[0], x)
    points = []
    for run in runs:
        inside = within(run, start, end)
        time = run.time[inside]
        if when is None:
            at = strokes(time, seconds("every", every) or 0.0, seconds("start", start))
        else:
            unit = run.units[when]
            cycle = None if every is None else _value("every", every, unit)
            at = crossings(
                time, single(run, when)[inside], _value("level", level, unit), every=cycle, direction=direction
            )
        points.append(tuple(_in_turn(run, name, np.interp(at, time, single(run, name)[inside])) for name in (x, y)))
    if not any(len(one[0]) for one in points):
        raise InputError(Problem("when", f"{when} never crosses {level} {direction} in the states that were saved"))
    # the size of the motion, not of its points: they may all lie near zero
    sizes = [max(_size(run, name, within(run, start, end)) for run in runs) for name in (x, y)]
    scales = [scale_of(runs[0].units[name], size) for name, size in zip((x, y), sizes, strict=True)]
    count = sum(len(one[0]) for one in points)
    rule = f"every {every}" if when is None else f"{when} crosses {level}" + (f" + k {every}" if every else "")
    title = f"{title_of(runs[0])}: {count} points, {rule}{' s' if isinstance(every, float) and when is None else ''}"
    with Sheet(**page).figure(*SIZE, title.removeprefix(": ")) as figure:
        ax = figure.subplots()
        for n, ((a, b), label) in enumerate(zip(points, run_labels(runs, labels), strict=True)):
            look: dict[str, Any] = {
                "linestyle": "none",
                "marker": "o",
                "markersize": 4.5 if count < FEW else 2.0,
                "markeredgewidth": 0.0,
            }
            ax.plot(a / scales[0].factor, b / scales[1].factor, color=colour(n), label=label, **look)
        _frame(figure, ax, (x, y), scales, named=len(runs) > 1)
        _steady(ax, [size / scale.factor for size, scale in zip(sizes, scales, strict=True)])
    return figure


def _turns(run: Solution, name: str, values: np.ndarray) -> bool:
    """True for an angle that passes more than a turn."""
    return bool(run.units[name] == "rad" and len(values) and np.ptp(values) > TURN * (1.0 + 1e-9))


def _in_turn(run: Solution, name: str, values: np.ndarray) -> np.ndarray:
    return turned(values) if _turns(run, name, values) else values


def _size(run: Solution, name: str, inside: np.ndarray) -> float:
    return float(np.ptp(_in_turn(run, name, single(run, name)[inside])))


def _path(run: Solution, names: tuple[str, str], inside: np.ndarray) -> Path:
    """The path of a run; struck is where an impact lies between two saved states."""
    time, values = run.time[inside], [single(run, name)[inside] for name in names]
    impacts = np.sort(run.impacts["time"]) if run.layout.contacts else np.empty(0)
    struck = np.diff(np.searchsorted(impacts, time, side="right")) > 0
    return path(
        np.column_stack(values), [_turns(run, name, one) for name, one in zip(names, values, strict=True)], struck
    )


def _steady(ax: Any, sizes: list[float]) -> None:
    """Points that agree but for rounding are drawn as one place, not as a cloud; ``sizes`` are those of the motion."""
    limits = ((*ax.get_xlim(), ax.set_xlim), (*ax.get_ylim(), ax.set_ylim))
    for (low, high, put), size in zip(limits, sizes, strict=True):
        if high - low < ALIKE * size:
            put(0.5 * (low + high) - 0.5 * ALIKE * size, 0.5 * (low + high) + 0.5 * ALIKE * size)


def _value(field: str, given: Any, unit: str) -> float:
    try:
        return si(given, "" if unit == "1" else unit)
    except QuantityError as error:
        raise InputError(Problem(field, str(error))) from None


def _scales(run: Solution, names: tuple[str, str], lines: Sequence[np.ndarray]) -> list[Scale]:
    return [
        scale_of(run.units[name], max(float(np.nanmax(np.abs(line[:, k]), initial=0.0)) for line in lines))
        for k, name in enumerate(names)
    ]


def _frame(figure: Figure, ax: Any, names: tuple[str, str], scales: list[Scale], named: bool = True) -> None:
    ax.set_xlabel(f"{names[0]}{scales[0].bracket}")
    ax.set_ylabel(f"{names[1]}{scales[1].bracket}")
    ax.ticklabel_format(useOffset=False)
    clean(ax)
    if named:
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize="small")
