"""Scenes with known answers: piecewise closed forms, and an event-driven integrator for what has none.

A scene is a System with the true history of one of its quantities. Truth comes from here alone: parabolas between
impacts, or ``flow``, which runs an ordinary differential equation with SciPy (DOP853, rtol 1e-13) from event to event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import jointplay as jp
from jointplay.compile.build import compile_system

G = 9.81  # m/s2
STEEP = 0.3  # of the fastest rate of a gap: events at lower rates are ill-conditioned, and end a scene
CROWDED = 1e-2  # of a run: events closer than that are the end of what an event-driven program can follow


@dataclass
class Scene:
    """A System, the quantity that is compared, its truth at given times, and the instants of its impacts."""

    name: str
    system: jp.System
    quantity: str
    until: float
    truth: Callable[[np.ndarray], np.ndarray]
    strikes: np.ndarray
    scale: float = 1.0  # of the quantity: m for places; 1 for angles
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, method: Any = None, count: int = 101) -> jp.Solution:
        """Simulate with saves at equal intervals."""
        return jp.simulate(self.system, until=self.until, method=method, save=np.linspace(0.0, self.until, count))

    def error(self, sol: jp.Solution) -> float:
        """Largest error of the quantity, relative to the size of the mechanism (places) or to a radian (angles)."""
        return float(np.max(np.abs(sol[self.quantity] - self.truth(sol.time)))) / self.scale


def size_of(system: jp.System) -> float:
    """Size of a mechanism, to which ``rtol`` refers (m)."""
    return float(compile_system(system).model.info[0]["length"])


# ------------------------------------------------------------------ truths


def parabolas(x: float, v: float, accel: float, lower: float, upper: float, e: float, until: float) -> Any:
    """A mass under constant acceleration between two stops: truth(t), velocity(t), instants of impacts."""
    t, knots, strikes = 0.0, [(0.0, x, v)], []
    while t < until and len(knots) < 200_000:
        first, wall = np.inf, 0.0
        for place in (lower, upper):
            # place = x + v s + a/2 s^2, the first s > 0 at which it is passed outwards
            gap, rate, bend = (x - place, v, accel) if place == lower else (place - x, -v, -accel)
            s = first_fall(gap, rate, bend)
            if s < first:
                first, wall = s, place
        if not t + first < until:
            break
        t += first
        v = -e * (v + accel * first)
        x = wall
        knots.append((t, x, v))
        strikes.append(t)
        if first < 1e-13 * until:
            knots.append((t, x, 0.0))
            break
    table = np.array(knots)
    rest = len(strikes) > 1 and strikes[-1] - strikes[-2] < 1e-13 * until

    def truth(times: np.ndarray) -> np.ndarray:
        k = np.searchsorted(table[:, 0], times, side="right") - 1
        s = times - table[k, 0]
        a = np.where((k == len(table) - 1) & rest, 0.0, accel)
        return table[k, 1] + table[k, 2] * s + 0.5 * a * s * s

    return truth, np.array(strikes)


def first_fall(gap: float, rate: float, bend: float) -> float:
    """First s > 0 with gap + rate s + bend s^2/2 = 0 and falling; a closed gap that rises counts as open."""
    if gap <= 0.0 and rate <= 0.0 and (rate < 0.0 or bend < 0.0):
        return 0.0
    if bend == 0.0:
        return gap / -rate if rate < 0.0 else np.inf
    root = rate * rate - 2.0 * bend * gap
    if root < 0.0:
        return np.inf
    if bend < 0.0:
        return (rate + np.sqrt(root)) / -bend
    return 2.0 * gap / (-rate + np.sqrt(root)) if rate < 0.0 else np.inf


disturbance = [0.0]  # relative, of the initial state of ``flow``


@contextmanager
def disturbed(amount: float) -> Iterator[None]:
    """Scenes that are drawn meanwhile have a slightly different truth: how far it goes is their conditioning."""
    disturbance[0] = amount
    try:
        yield
    finally:
        disturbance[0] = 0.0


def flow(
    rhs: Callable[[float, np.ndarray], Any],
    y: Any,
    gaps: list[Callable[[float, np.ndarray], float]],
    jump: Callable[[int, float, np.ndarray], np.ndarray],
    until: float,
) -> Any:
    """Integrate y' = rhs from event to event; gap k that falls to zero calls jump(k, t, y).

    Returns truth(t), the instants of the events, and the end: earlier than ``until`` where events accumulate, or where
    a gap closes so slowly that an error of a place would be amplified (by the inverse of the speed, beside others).
    """

    def watch(k: int) -> Any:
        def event(t: float, y: np.ndarray) -> float:
            return gaps[k](t, y)

        event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
        return event

    longest = 0.5 * CROWDED * until  # no step may hold a whole flight
    events = [watch(k) for k in range(len(gaps))]
    t, y, pieces, strikes = 0.0, np.asarray(y, float) * (1.0 + disturbance[0]), [], []
    fastest = [0.0] * len(gaps)
    while t < until:
        got = solve_ivp(
            rhs, (t, until), y, "DOP853", dense_output=True, events=events, rtol=1e-13, atol=1e-15, max_step=longest
        )
        through = [gap(s, state) for gap in gaps for s, state in zip(got.t[1:-1], got.y.T[1:-1], strict=True)]
        if min(through, default=0.0) < -1e-12 * max(through, default=0.0):  # a flight too short to be seen as one
            until = t
            break
        pieces.append((t, got.sol))
        t, y = float(got.t[-1]), got.y[:, -1]
        if got.status != 1:
            break
        k = next(i for i in range(len(gaps)) if len(got.t_events[i]))
        speeds = np.diff([gaps[k](s, state) for s, state in zip(got.t, got.y.T, strict=True)]) / np.diff(got.t)
        fastest[k] = max(fastest[k], float(np.abs(speeds).max()))
        if abs(speeds[-1]) < STEEP * fastest[k]:
            until = t
            break
        strikes.append(t)
        y = np.asarray(jump(k, t, y), float)
        if len(strikes) > 1 and t - strikes[-2] < CROWDED * until:
            until = strikes[-2]
    starts = np.array([p[0] for p in pieces])

    def truth(times: np.ndarray) -> np.ndarray:
        k = np.searchsorted(starts, times, side="right") - 1
        return np.array([pieces[i][1](s) for i, s in zip(k, np.ravel(times), strict=True)])

    instants = np.array(strikes)
    return truth, instants[instants < until], until
