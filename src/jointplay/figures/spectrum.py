"""Spectra of forces, accelerations and whatever else is saved: amplitude or power density over frequency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..analysis.spectra import Spectrum
from ..analysis.spectra import spectrum as spectrum_of
from ..errors import InputError, Problem
from ..quantities.units import QuantityError, si
from ..results.solution import Solution
from .curves import single
from .prefixes import pretty, readable, scale_of
from .sheet import Page, Sheet
from .style import PANEL, clean, colour, dash, legend
from .windows import run_labels, runs_of, title_of, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOOR = 1e-8  # of the largest value: what is smaller is not drawn
SHOWN = ("amplitude", "density")
TRACE = {
    "amplitude": 3e-3,
    "density": 1e-7,
}  # of the largest value: what lies above the last such frequency is not drawn


def spectrum(
    solution: Solution | Sequence[Solution],
    *names: str,
    show: str = "amplitude",
    window: str = "hann",
    segments: int = 1,
    most: float | str | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
    labels: Sequence[str] = (),
    **page: Unpack[Page],
) -> Figure:
    """Draw the spectra of scalars such as ``slider.acceleration[0]`` or ``|B.force|``, one panel per unit.

    Args:
        solution: a run, or several.
        names: scalars, components or magnitudes.
        show: "amplitude" (a sine of amplitude a is a peak of height a) or "density" (of power, per Hz).
        window: "hann", "flattop" (exact heights of peaks) or "none".
        segments: pieces to average over; more make a smoother and coarser density.
        most: highest frequency to draw (Hz, or a text with a unit).
        start: from this instant on (s, or a text with a unit), for a motion that has settled.
        end: until this instant.
        labels: what to call the runs.
        page: path, width, height, dpi, title.
    """
    runs = runs_of(solution)
    if show not in SHOWN:
        raise InputError(Problem("show", f"there is no spectrum of '{show}'; known: {', '.join(SHOWN)}"))
    if not names:
        raise InputError(Problem("names", "a spectrum needs a quantity, such as slider.acceleration[0] or |B.force|"))
    called = run_labels(runs, labels)
    panels: dict[str, list[tuple[str, Spectrum]]] = {}
    for name in names:
        for run, label in zip(runs, called, strict=True):
            inside = within(run, start, end)
            one = spectrum_of(run.time[inside], single(run, name)[inside], window=window, segments=segments)
            panels.setdefault(run.units[name], []).append((f"{name}, {label}" if len(runs) > 1 else name, one))
    every = [one for found in panels.values() for _, one in found]
    with Sheet(**page).figure(PANEL[0], PANEL[1] * len(panels) + 0.9, _title(runs[0], every)) as figure:
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        reach = _highest(most, every, show)
        scale = scale_of("Hz", reach)
        for ax, (unit, found) in zip(axes, panels.items(), strict=True):
            if _panel(ax, unit, found, show, scale.factor):
                legend(ax, figure)
        axes[-1].set_xlim(0.0, reach / scale.factor)
        axes[-1].set_xlabel(f"frequency{scale.bracket}")
        figure.align_ylabels()
    return figure


def _panel(ax: Any, unit: str, found: list[tuple[str, Spectrum]], show: str, factor: float) -> bool:
    """Draw a panel; True if it needs a legend."""
    values = [one.amplitude if show == "amplitude" else one.density for _, one in found]
    largest = max(float(np.max(v[1:], initial=0.0)) for v in values)
    scale = scale_of(unit, largest) if show == "amplitude" else None
    for n, ((label, one), y) in enumerate(zip(found, values, strict=True)):
        look = {"color": colour(n), "linestyle": dash(n), "linewidth": 1.1}
        ax.plot(one.frequency[1:] / factor, y[1:] / (scale.factor if scale else 1.0), label=label, **look)
    if scale is None:
        ax.set_yscale("log")
        if largest > 0.0:
            ax.set_ylim(FLOOR * largest, 3.0 * largest)
    else:
        ax.set_ylim(bottom=0.0)
    whose = f"{found[0][0]}\n" if len(found) == 1 else ""
    ax.set_ylabel(f"{whose}amplitude{scale.bracket}" if scale else f"{whose}density [{_squared(unit)}/Hz]")
    clean(ax)
    return len(found) > 1


def _squared(unit: str) -> str:
    return "1" if unit == "1" else f"({pretty(unit)})²"


def _highest(most: Any, every: list[Spectrum], show: str) -> float:
    """The highest frequency to draw: as given, else the last that is more than a trace."""
    limit = max(float(one.frequency[-1]) for one in every)
    if most is not None:
        try:
            given = si(most, "1/s")
        except QuantityError as error:
            raise InputError(Problem("most", str(error))) from None
        if not given > 0.0:
            raise InputError(Problem("most", f"must be greater than zero, is {given:g} Hz"))
        return min(given, limit)
    reach = 0.0
    for one in every:
        values = getattr(one, show)[1:]
        seen = np.flatnonzero(values > TRACE[show] * np.max(values, initial=0.0))
        reach = max(reach, 1.1 * float(one.frequency[1:][seen[-1]]) if len(seen) else 0.0)
    return min(max(reach, 20.0 * every[0].resolution), limit)


def _title(run: Solution, every: list[Spectrum]) -> str:
    one = every[0]
    parts = [f"{one.window} window" if one.window != "none" else "no window", f"resolution {one.resolution:.3g} Hz"]
    if one.segments > 1:
        parts.append(f"{one.segments} segments")
    if one.resampled:
        parts.append(f"resampled at {readable(one.rate, 'Hz')}")
    return f"{title_of(run)}: {', '.join(parts)}".removeprefix(": ")
