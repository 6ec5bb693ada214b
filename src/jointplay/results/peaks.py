"""Extremes of every quantity over every step of a run, whatever was saved.

A run keeps four lines (least value, its time, greatest value, its time) with a column for every channel of the layout
and behind them one for the magnitudes of force and torque of each joint: the largest magnitude of a vector is none of
its components. Steps are looked at where they end. A column is not a number where only saved states are known: with
methods of fixed step all but the motion of bodies, and forces of rigid contacts, which have no peak (impulsive.py).
Saved states count too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .impulsive import WHY, impulsive
from .layout import Layout

if TYPE_CHECKING:
    from .solution import Solution

LEAST, LEAST_AT, GREATEST, GREATEST_AT = LINES = range(4)
SIZES = {"force": 0, "torque": 1, "force_local": 0, "torque_local": 1}  # magnitudes that are kept; axes do not matter
SHOWN = 4  # contacts or components that a line shows


def joints_of(layout: Layout) -> tuple[str, ...]:
    """Joints in the order of their reactions."""
    return next((v.labels for v in layout.variables if v.dimension == "joint"), ())


def columns_of(layout: Layout) -> int:
    """Columns of the extremes of a run."""
    return layout.channels + 2 * len(joints_of(layout))


@dataclass(frozen=True)
class Peak:
    """Least and greatest value of a quantity, with their times (s): numbers, or arrays with one for each component."""

    name: str
    unit: str
    least: Any
    least_time: Any
    greatest: Any
    greatest_time: Any
    every_step: bool  # False if only the saved states are known
    saved: Any  # largest absolute value in saved states
    impulsive: bool = False  # True for a force of rigid contacts at saved instants: its height has no meaning

    @property
    def size(self) -> Any:
        """The largest absolute value."""
        return np.maximum(np.abs(self.least), np.abs(self.greatest))[()]

    @property
    def size_time(self) -> Any:
        """Its time (s)."""
        return np.where(np.abs(self.least) > np.abs(self.greatest), self.least_time, self.greatest_time)[()]

    @property
    def source(self) -> str:
        """Where the extremes come from, in words."""
        return "over every step" if self.every_step else "in saved states"

    def __repr__(self) -> str:
        if self.impulsive:
            return f"<Peak {self.name}: {WHY}; see sol.impacts and jointplay.analysis.mean_force>"
        return f"<Peak {self.name}: {_words(self)} {self.source}>"


class Peaks(Mapping[str, Peak]):
    """Extremes by name: ``sol.peaks["B.force"]``, ``["slider.position[0]"]`` or, largest of all, ``["|B.force|"]``.

    Of a magnitude the greatest value is over every step where the joint's reaction is; the least is that of saved
    states.
    """

    def __init__(self, solution: Solution, kept: np.ndarray | None) -> None:
        self._solution, self._kept = solution, kept

    def __getitem__(self, name: str) -> Peak:
        sol = self._solution
        inside = name[1:-1] if len(name) > 2 and name[0] == name[-1] == "|" else None
        values, unit = sol[name], sol.units[name]
        found = _of_saved(sol.time, values)
        saved = np.maximum(np.abs(found[LEAST]), np.abs(found[GREATEST]))[()]
        if inside is None:
            steps = self._steps(self._channels(name))
        else:
            size = self._size(inside)
            steps = size if size is None else np.stack([*found[:2], *size[2:]])
        known = steps is not None and bool(np.all(np.isfinite(steps[GREATEST])))
        if steps is not None:
            found = _merged(found, steps)
        carried = not known and impulsive(sol.layout, self._public(inside or name))
        least, least_time, greatest, greatest_time = (line[()] for line in found)
        return Peak(name, unit, least, least_time, greatest, greatest_time, known, saved, carried)

    def __iter__(self) -> Iterator[str]:
        return iter(self._solution.names)

    def __len__(self) -> int:
        return len(self._solution.names)

    def __repr__(self) -> str:
        rows = [
            (one.name, "impulses: no peak", "") if one.impulsive else (one.name, _words(one), one.source)
            for one in self.values()
        ]
        wide, long = (max((len(row[k]) for row in rows), default=0) for k in (0, 1))
        return "\n".join(f"{name:<{wide}}  {words:<{long}}  {source}".rstrip() for name, words, source in rows)

    def _public(self, name: str) -> str:
        """The name of the quantity in the layout: that of a stop on an angle may be requested as a force."""
        base, _ = self._solution._split(name)
        try:
            variable, k = self._solution._find(base)
        except KeyError:
            return base
        return variable.publics[k[0] if isinstance(k, list) else k]

    def _steps(self, channels: np.ndarray | None) -> np.ndarray | None:
        return None if self._kept is None or channels is None else self._kept[:, channels]

    def _channels(self, name: str) -> np.ndarray | None:
        """Columns of a name in the shape of one of its saved states; None if it is made from others."""
        base, component = self._solution._split(name)
        try:
            variable, k = self._solution._find(base)
        except KeyError:
            return None
        columns = np.array([variable.columns[n] for n in k] if isinstance(k, list) else variable.columns[k])
        if variable.width == 1:
            columns = columns[..., 0]
        return np.asarray(columns if component is None else columns[component])

    def _size(self, name: str) -> np.ndarray | None:
        """Extremes of a magnitude, as far as steps show them."""
        layout, (base, component) = self._solution.layout, self._solution._split(name)
        channels = self._channels(name)
        if channels is None or self._kept is None:
            return None
        variable, k = self._solution._find(base)
        if variable.dimension == "joint" and variable.name in SIZES and component is None:
            assert isinstance(k, int)
            return self._kept[:, layout.channels + 2 * k + SIZES[variable.name]]
        if variable.width > 1 and component is None:
            return None
        least, least_at, greatest, greatest_at = self._kept[:, channels]
        low = np.abs(least) > np.abs(greatest)
        size = np.where(low, np.abs(least), np.abs(greatest))
        return np.stack([size, least_at, size, np.where(low, least_at, greatest_at)])


def _of_saved(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Extremes of saved states, in four lines."""
    if not len(time):
        return np.full((4, *values.shape[1:]), np.nan)
    low, high = values.argmin(axis=0), values.argmax(axis=0)
    return np.stack([values.min(axis=0), time[low], values.max(axis=0), time[high]])


def _merged(saved: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The extremes of both."""
    lower = ~(saved[LEAST] <= steps[LEAST]) & np.isfinite(steps[LEAST])
    higher = ~(saved[GREATEST] >= steps[GREATEST]) & np.isfinite(steps[GREATEST])
    return np.concatenate([np.where(lower, steps[:2], saved[:2]), np.where(higher, steps[2:], saved[2:])])


def _words(peak: Peak) -> str:
    """Extremes in a line."""
    unit = "" if peak.unit == "1" else f" {peak.unit}"

    def shown(values: Any) -> str:
        many = np.ravel(values)
        text = ", ".join(f"{value:.5g}" for value in many[:SHOWN]) + (", ..." if len(many) > SHOWN else "")
        return text if np.ndim(values) == 0 else f"({text})"

    low, high = (f"{shown(a)}{unit} at {shown(b)} s" for a, b in _pairs(peak))
    return f"{low} to {high}"


def _pairs(peak: Peak) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    return (peak.least, peak.least_time), (peak.greatest, peak.greatest_time)
