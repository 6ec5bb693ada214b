"""Scenes with contacts that rest: pressed by changing loads they slide, stick and let go at instants that are known.

A pin that does not turn lies in a ring. Between events its motion is an ordinary differential equation (flight, slide,
stick); SciPy runs it from event to event (DOP853, rtol 1e-12).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from reliability.closed_forms import G, size_of
from scipy.integrate import solve_ivp

import jointplay as jp

FLIGHT, SLIDE, STICK = range(3)
CROWDED = 1e-2  # of a run: rebounds closer than that end a scene
HEAVY = 1e13  # of mass times play squared: inertia of a pin that does not turn


@dataclass
class Resting:
    """A System, what happens to its contact, and the height of the pin at given times."""

    system: jp.System
    events: list[tuple[str, float]]
    until: float
    truth: Callable[[np.ndarray], np.ndarray]
    quantity: str = "pin.position[1]"

    @property
    def impacts(self) -> np.ndarray:
        """Instants of the impacts before the end."""
        return np.array([t for what, t in self.events if what == "impact" and t < self.until])

    def count(self, what: str) -> int:
        """How often something happens."""
        return sum(one == what for one, _ in self.events)

    def error(self, sol: jp.Solution) -> float:
        """Largest error of the height, relative to the size of the mechanism."""
        return float(np.abs(sol[self.quantity] - self.truth(sol.time)).max()) / size_of(self.system)


@cache
def pin_in_a_ring(seed: int, e: float, rough: bool) -> Resting:
    """A pin falls into its ring and is pulled about by two loads; with restitution e, smooth or rough."""
    draw = np.random.default_rng(seed)
    c, m = float(10 ** draw.uniform(-4, -2.3)), float(10 ** draw.uniform(-1, 1))
    beat = np.sqrt(c / G)
    mu = float(draw.uniform(0.05, 0.5)) if rough else 0.0
    w, w2 = (float(x) for x in draw.uniform(0.1, 1.5, size=2) / beat)
    phase, a, b = (
        float(draw.uniform(0, 6.28)),
        float(draw.uniform(0.1, 1) * m * G),
        float(draw.uniform(0.3, 1.6) * m * G),
    )
    v = float(draw.uniform(-1, 1) * np.sqrt(G * c))
    s = jp.System("pin", planar=True, gravity=(0, -G))
    body = s.body("pin", mass=m, inertia=HEAVY * m * c * c, velocity=(v, 0))
    play = jp.Clearance(c, contact=jp.Rigid(restitution=e), friction=jp.Coulomb(mu) if rough else None)
    s.revolute("A", s.ground, body, point=(0, 0), radius=2 * c, radial=play)
    s.force("F", body, force=(f"{a!r}*sin({w!r}*t+{phase!r})", f"{b!r}*sin({w2!r}*t)"))

    def load(t: float) -> np.ndarray:
        return np.array([a * np.sin(w * t + phase), -m * G + b * np.sin(w2 * t)])

    return follow(s, load, np.array([0.0, 0.0, v, 0.0]), m, c, mu, e, float(draw.uniform(5, 14)) * beat)


def axes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normal, outwards, and tangent at the place of the pin."""
    n = y[:2] / np.hypot(y[0], y[1])
    return n, np.array([-n[1], n[0]])


def follow(
    s: jp.System,
    load: Callable[[float], np.ndarray],
    y: np.ndarray,
    m: float,
    c: float,
    mu: float,
    e: float,
    end: float,
) -> Resting:
    """Run the pin from event to event."""
    t, mode, way = 0.0, FLIGHT, 0.0
    events: list[tuple[str, float]] = []
    pieces: list[tuple[float, Any]] = []

    def normal(t: float, y: np.ndarray) -> float:
        n, along = axes(y)
        return float(m * (y[2:] @ along) ** 2 / c + load(t) @ n)

    def rhs(t: float, y: np.ndarray) -> tuple[float, ...]:
        if mode == FLIGHT:
            return (*y[2:], *(load(t) / m))
        if mode == STICK:
            return (0.0, 0.0, 0.0, 0.0)
        n, along = axes(y)
        force = normal(t, y)
        return (*y[2:], *((load(t) - force * n - mu * force * way * along) / m))

    def spare(t: float, y: np.ndarray) -> float:
        n, along = axes(y)
        return float(mu * (load(t) @ n) - abs(load(t) @ along))

    watched: dict[int, list[Any]] = {
        FLIGHT: [lambda t, y: c - np.hypot(y[0], y[1])],
        SLIDE: [normal, lambda t, y: way * (y[2:] @ axes(y)[1])],
        STICK: [lambda t, y: load(t) @ axes(y)[0], spare],
    }

    def after_stop(t: float, y: np.ndarray) -> tuple[int, float]:
        """What a pin without speed does."""
        return (STICK, 0.0) if mu > 0.0 and spare(t, y) >= 0.0 else (SLIDE, float(np.sign(load(t) @ axes(y)[1])))

    for one in [gap for gaps in watched.values() for gap in gaps if not hasattr(gap, "terminal")]:
        one.terminal, one.direction = True, -1.0
    while t < end:
        seen = watched[mode] if mu > 0.0 or mode != SLIDE else [normal]
        got = solve_ivp(
            rhs, (t, end), y, "DOP853", dense_output=True, events=seen, rtol=1e-12, atol=1e-18, max_step=end / 500
        )
        pieces.append((t, got.sol))
        t, y = float(got.t[-1]), got.y[:, -1]
        if got.status != 1:
            break
        which = next(k for k in range(len(seen)) if len(got.t_events[k]))
        n, along = axes(y)
        if mode == FLIGHT:
            if events and events[-1][0] == "impact" and t - events[-1][1] < CROWDED * end:
                end = 0.5 * (events[-2][1] + events[-1][1]) if len(events) > 1 else events[-1][1]
                break
            events.append(("impact", t))
            speed, slide = float(y[2:] @ n), float(y[2:] @ along)
            slide = float(np.sign(slide)) * max(0.0, abs(slide) - mu * (1 + e) * speed)
            y = np.array([*(c * n), *(slide * along - e * speed * n)])
            if e == 0.0 and normal(t, y) > 0.0:
                mode, way = (SLIDE, float(np.sign(slide))) if abs(slide) > 1e-12 else after_stop(t, y)
        elif which == 0:
            events.append(("release", t))
            mode = FLIGHT
            little = 1e-4 * end  # clear of the wall
            got = solve_ivp(rhs, (t, t + little), y, "DOP853", dense_output=True, rtol=1e-12, atol=1e-18)
            pieces.append((t, got.sol))
            t, y = t + little, got.y[:, -1]
            if np.hypot(y[0], y[1]) >= c:
                end = t - little
                break
        elif mode == SLIDE:
            events.append(("stop", t))
            mode, way = after_stop(t, y)
            y = np.array([*(c * n), *(1e-13 * way * along)])
        else:
            events.append(("slip", t))
            mode, way = SLIDE, float(np.sign(load(t) @ along))
            y = np.array([*y[:2], *(1e-13 * way * along)])
    starts = np.array([first for first, _ in pieces])

    def truth(times: np.ndarray) -> np.ndarray:
        k = np.searchsorted(starts, times, side="right") - 1
        return np.array([pieces[i][1](x)[1] for i, x in zip(k, times, strict=True)])

    return Resting(s, events, end * (1 - 1e-6), truth)
