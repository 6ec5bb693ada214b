"""Targets of runs whose end, or whose instants, move with the parameters.

A condition g(t, x(t; rho); rho) passes zero at t_e. With the derivative of x at fixed time, which is what the engines
give,

    dt_e/drho = -(dg/dx . dx/drho + dg/drho) / g'                     g' = dg/dt along the motion

and an objective psi of a run that ends there changes by

    dpsi/drho = (dpsi/drho at fixed end) + psi_e dt_e/drho            psi_e = W . x' + dpsi/dt_e

with the weights W of the last instant and the rates x' there. Both are linear in the derivatives of the channels at
t_e: they are more weights on these (``weights``), so that direct and adjoint derivatives share them, and a part that no
channel carries, from parameters in the condition itself (``beyond``).

Rates are those of the interpolant on which the instant was located: slopes of the polynomial through channels saved at
NODES instants about t_e, all in its step.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..results.solution import Solution
from .conditions import Condition
from .objectives import Instant, Term
from .quantity import Quantity
from .targets import Targets, _series, channels_of

NODES = 13  # instants about t_e, an odd number; half of them are enough
WIDTH = 1.0 / 16.0  # of a step: half of the span of the nodes
DEGREE = 6
JUMP = 1e-6  # of g' times the step: a value of g at the instant that no location leaves
GRAZE = 1e-6  # of the size of g over a step: a change g' h that is no crossing
KINK = 0.05  # of g': difference of its two values
FLAT = 1e-3  # of what g changes by about the instant, where its tangent there says less


@dataclass(frozen=True, eq=False)
class Event:
    """An instant at which a condition became true."""

    condition: Condition
    number: int
    time: float = np.nan  # s; NaN: it did not
    rate: float = np.nan  # g', 1/s
    slopes: np.ndarray = field(default_factory=lambda: np.zeros(0))  # dg/dx at its places
    rates: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of all wanted channels
    by: np.ndarray = field(default_factory=lambda: np.zeros(0))  # dg/drho of each parameter, x held
    flaw: tuple[float, str] | None = None  # from when on, and why, it has no derivative

    @staticmethod
    def unseen(event: Event, channels: int) -> Event:
        """An event whose steps are too short to be looked at."""
        why = f"the steps in which '{event.condition.text}' became true are too short to take its rate from"
        return replace(event, rates=np.ones(channels), flaw=(event.time, why))

    @property
    def key(self) -> tuple[str, int]:
        """What it is the instant of."""
        return self.condition.text, self.number


@dataclass(eq=False)
class Moving(Targets):
    """Targets beside the events that they depend on."""

    times: np.ndarray = field(default_factory=lambda: np.zeros(0))  # all instants that the engine saves
    visible: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))  # those that the result shows
    events: dict[tuple[str, int], Event] = field(default_factory=dict)
    end: Event | None = None  # that ended the run
    parameters: int = 0
    _beyond: np.ndarray | None = None

    @property
    def flaws(self) -> list[tuple[float, str]]:
        """Why instants have no derivative."""
        found = [one.flaw for one in self.events.values() if one.flaw is not None]
        return list(dict.fromkeys(found))

    def shown(self, time: np.ndarray) -> np.ndarray:
        """Without instants of events that were not asked for."""
        return time[self.visible[: len(time)]]

    def shown_change(
        self, time: np.ndarray, quantity: Quantity, channels: np.ndarray, change: np.ndarray
    ) -> np.ndarray:
        """At fixed instants."""
        rows = self.visible[: len(time)]
        return quantity.change(channels[rows], change[rows])

    def values(self, time: np.ndarray, channels: np.ndarray) -> dict[str, Any]:
        """Of the instants that are shown."""
        rows = self.visible[: len(time)]
        return super().values(time[rows], channels[rows])

    def of_run(self, solution: Solution) -> dict[str, Any]:
        """Of another run, with its own instants."""
        own = {key: Event(one.condition, one.number, _time_of(one, solution)) for key, one in self.events.items()}
        rows = np.ones(len(solution.time), dtype=bool)
        other = Moving(self.targets, self.columns, visible=rows, events=own)
        return other.values(solution.time, channels_of(solution, self.columns))

    def _term(self, time: np.ndarray, channels: np.ndarray, term: Term, quantity: Quantity | Condition) -> float:
        if isinstance(term, Instant):
            return self.events[term.name, term.number].time
        return super()._term(time, channels, term, quantity)

    def weights(self, time: np.ndarray, channels: np.ndarray) -> np.ndarray:
        """W (objectives, nt, nc), with what moves."""
        rows = self.visible[: len(time)]
        out = np.zeros((len(self.objectives), *channels.shape))
        out[:, rows] = super().weights(time[rows], channels[rows])
        beyond = np.zeros((len(out), self.parameters))
        if self.end is not None and len(time) == len(self.times):
            shift = out[:, -1] @ self.end.rates + self._by_end(time[rows], channels[rows])
            self._move(out, beyond, self.end, shift)
        for k, target in enumerate(self.objectives):
            for weight, term, _ in target.terms:
                if isinstance(term, Instant):
                    share = np.zeros(len(out))
                    share[k] = weight
                    self._move(out, beyond, self.events[term.name, term.number], share)
        self._beyond = beyond
        return out

    def beyond(self, parameters: int) -> np.ndarray:
        """From parameters in conditions; NaN where there is no derivative."""
        return np.zeros((len(self.objectives), parameters)) if self._beyond is None else self._beyond

    def _move(self, out: np.ndarray, beyond: np.ndarray, event: Event, share: np.ndarray) -> None:
        """Add share (objectives,) times dt_e/drho."""
        row = int(np.searchsorted(self.times, event.time)) if np.isfinite(event.time) else len(self.times)
        if event.flaw is not None or row >= out.shape[1]:
            beyond[share != 0.0] = np.nan
            return
        np.add.at(out[:, row].T, event.condition.places, -np.outer(event.slopes, share) / event.rate)
        beyond += -np.outer(share, event.by) / event.rate

    def _by_end(self, time: np.ndarray, channels: np.ndarray) -> np.ndarray:
        """dpsi/dt_e of each objective with all values held."""
        out = np.zeros(len(self.objectives))
        if len(time) < 2:
            return out
        for k, target in enumerate(self.objectives):
            for weight, term, quantity in target.terms:
                if isinstance(quantity, Quantity):
                    out[k] += weight * term.by_end(time, _series(term, quantity, channels))
        return out


def _time_of(event: Event, solution: Solution) -> float:
    """The instant in a run, NaN if there is none."""
    times = times_of(event.condition.text, solution)
    return times[event.number - 1] if event.number <= len(times) else float("nan")


def times_of(text: str, solution: Solution) -> list[float]:
    """All instants at which a condition became true."""
    return [one.time for one in solution.events if one.name == text]


def nodes_about(time: float, step: float, end: float) -> np.ndarray:
    """Instants about an event, none behind the end."""
    nodes = time + WIDTH * step * np.linspace(-1.0, 1.0, NODES)
    nodes[NODES // 2] = time
    return nodes[(nodes >= 0.0) & (nodes <= end)]


def polynomial(time: float, nodes: np.ndarray, lines: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value, first and second derivative at ``time`` of lines (nodes, nc) that one polynomial goes through."""
    width = float(np.max(np.abs(nodes - time)))
    degree = min(DEGREE, len(nodes) - 1)
    basis = np.vander((nodes - time) / width, degree + 1, increasing=True)
    fit = np.linalg.lstsq(basis, lines, rcond=None)[0]
    second = 2.0 * fit[2] / width**2 if degree > 1 else np.zeros_like(fit[0])
    return fit[0], fit[1] / width, second


def flaw_of(
    text: str, time: float, step: float, g: float, rates: tuple[float, float], bend: float, spread: float
) -> tuple[float, str] | None:
    """Why an instant does not move smoothly with parameters, if so.

    ``rates``: g' from its values, and by the chain rule; ``spread``: what g changes by about the instant.
    """
    rate, chain = rates
    size = abs(g) + abs(rate) * step + abs(bend) * step * step
    if abs(g) > JUMP * max(abs(rate) * step, 1e-300) and abs(g) > JUMP * size:
        return (
            time,
            f"'{text}' became true by a jump: its instant is that of the jump, whose derivative is not followed",
        )
    if not (rate * step > GRAZE * size and 2.0 * WIDTH * rate * step > FLAT * spread):
        return time, f"'{text}' became true where it was only touched: its instant has no derivative there"
    if abs(chain - rate) > KINK * abs(rate):
        return time, f"'{text}' became true where it is not smooth: its instant has no derivative there"
    return None
