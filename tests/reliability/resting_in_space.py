"""Scenes in space with a contact that rests: friction turns with the motion, stops it, gives way and turns it back.

A ball in a socket and a block between two plates, which do not turn, are pulled about by loads. Between events their
motion is an ordinary differential equation (flight, slide, stick); SciPy runs it from event to event (DOP853, rtol
1e-12). Sliding ends where the speed has fallen to SLOW of its scale; the rest of the way is a parabola. Where a contact
gives way friction follows the slightest motion, a stiff equation: scenes end there, but for those along a line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from reliability.closed_forms import G
from reliability.resting import FLIGHT, HEAVY, SLIDE, STICK, Resting
from scipy.integrate import solve_ivp

import jointplay as jp

SLOW = 1e-6
APART = 1e-4  # of a run: what is left of a contact that lets go, before its gap is looked at again

Load = Callable[[float], np.ndarray]


@dataclass(frozen=True)
class Wall:
    """The inside of a sphere of radius c (``bend`` = 1/c), or the plane z = -c (``bend`` = 0)."""

    c: float
    bend: float

    def normal(self, r: np.ndarray) -> np.ndarray:
        """Unit vector into the wall."""
        return r / np.linalg.norm(r) if self.bend else np.array([0.0, 0.0, -1.0])

    def gap(self, r: np.ndarray) -> float:
        """Distance to the wall."""
        return float(self.c - (np.linalg.norm(r) if self.bend else -r[2]))

    def on(self, r: np.ndarray) -> np.ndarray:
        """The nearest point of the wall."""
        return self.c * self.normal(r) if self.bend else np.array([r[0], r[1], -self.c])


@dataclass(frozen=True)
class Particle:
    """What is pulled about: mass, friction, load and wall."""

    m: float
    mu: float
    load: Load
    wall: Wall
    line: np.ndarray | None = None  # along which it moves, if it does

    def parts(self, t: float, y: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Normal force, pull along the wall, normal."""
        n, force = self.wall.normal(y[:3]), self.load(t)
        along = force - (force @ n) * n
        return float(self.m * self.wall.bend * (y[3:] @ y[3:]) + force @ n), along, n

    def spare(self, t: float, y: np.ndarray) -> float:
        """What friction could still add."""
        normal, along, _ = self.parts(t, y)
        return float(self.mu * normal - np.linalg.norm(along))

    def rates(self, mode: int, way: np.ndarray | None, t: float, y: np.ndarray) -> np.ndarray:
        """Of place and velocity; along a line it slides the way ``way``."""
        if mode == FLIGHT:
            return np.concatenate([y[3:], self.load(t) / self.m])
        if mode == STICK:
            return np.zeros(6)
        normal, _, n = self.parts(t, y)
        drag = self.mu * normal * (y[3:] / np.linalg.norm(y[3:]) if way is None else way)
        return np.concatenate([y[3:], (self.load(t) - normal * n - drag) / self.m])


def waves(draw: np.random.Generator, least: float, most: float, beat: float) -> tuple[Load, tuple[str, ...]]:
    """A force with three components a sin(w t + p), a between least and most; as a function, and as text."""
    a, w, p = draw.uniform(least, most, 3), draw.uniform(0.1, 1.5, 3) / beat, draw.uniform(0, 6.28, 3)
    text = tuple(f"{x!r}*sin({y!r}*t+{z!r})" for x, y, z in zip(a.tolist(), w.tolist(), p.tolist(), strict=True))
    return lambda t: a * np.sin(w * t + p), text


@cache
def ball_in_a_socket(seed: int) -> Resting:
    """A ball falls into its socket and is pulled about: it slides in curves, stops, gives way and lets go."""
    draw = np.random.default_rng(seed)
    c, m, mu = float(10 ** draw.uniform(-4, -2.3)), float(10 ** draw.uniform(-1, 1)), float(draw.uniform(0.1, 0.6))
    beat, speed = np.sqrt(c / G), np.sqrt(G * c)
    force, text = waves(draw, 0.2 * m * G, 0.8 * m * G, beat)
    v = draw.uniform(-0.6, 0.6, 3) * speed
    s = jp.System("ball", gravity=(0, 0, -G))
    body = s.body("body", mass=m, inertia=(HEAVY * m * c * c,) * 3, velocity=tuple(v.tolist()))
    play = jp.Clearance(c, contact=jp.Rigid(restitution=0.0), friction=jp.Coulomb(mu))
    s.spherical("A", s.ground, body, point=(0, 0, 0), radius=2 * c, radial=play)
    s.force("F", body, force=text)
    ball = Particle(m, mu, lambda t: force(t) + [0.0, 0.0, -m * G], Wall(c, 1.0 / c))
    return follow(s, ball, np.concatenate([np.zeros(3), v]), SLOW * speed, float(draw.uniform(5, 14)) * beat)


@cache
def block_on_a_plate(seed: int, *, straight: bool) -> Resting:
    """A block drops onto a plate and is pulled about on it; ``straight``: along one line, on which it turns back."""
    draw = np.random.default_rng(seed)
    c, m, mu = float(10 ** draw.uniform(-4, -2.3)), float(10 ** draw.uniform(-1, 1)), float(draw.uniform(0.1, 0.6))
    beat, speed = np.sqrt(c / G), np.sqrt(G * c)
    line = None
    if straight:
        angle, a, b = draw.uniform(0, 6.28), draw.uniform(0.5, 2.0) * mu * m * G, draw.uniform(0, 0.9) * m * G
        w, p, w2 = draw.uniform(0.3, 1.5) / beat, draw.uniform(0, 6.28), draw.uniform(0.1, 1.0) / beat
        line = np.array([np.cos(angle), np.sin(angle), 0.0])
        text = tuple(f"{x!r}*sin({float(w)!r}*t+{float(p)!r})" for x in (a * line[:2]).tolist())
        text = (*text, f"{float(b)!r}*sin({float(w2)!r}*t)")
        v = draw.uniform(-0.6, 0.6) * speed * line

        def load(t: float) -> np.ndarray:
            return a * np.sin(w * t + p) * line + [0.0, 0.0, b * np.sin(w2 * t) - m * G]
    else:
        force, text = waves(draw, 0.3 * mu * m * G, 1.5 * mu * m * G, beat)
        v = np.append(draw.uniform(-0.6, 0.6, 2) * speed, 0.0)

        def load(t: float) -> np.ndarray:
            return force(t) + [0.0, 0.0, -m * G]

    s = jp.System("block", gravity=(0, 0, -G))
    body = s.body("body", mass=m, inertia=(HEAVY * m * c * c,) * 3, velocity=tuple(v.tolist()))
    play = jp.Clearance(c, contact=jp.Rigid(restitution=0.0), friction=jp.Coulomb(mu))
    s.joint("planar", "J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), axial=play)
    s.force("F", body, force=text)
    block = Particle(m, mu, load, Wall(c, 0.0), line)
    return follow(s, block, np.concatenate([np.zeros(3), v]), SLOW * speed, float(draw.uniform(5, 14)) * beat)


def land(one: Particle, y: np.ndarray) -> np.ndarray:
    """After an impact without rebound: friction takes what it can."""
    n = one.wall.normal(y[:3])
    into = float(y[3:] @ n)
    slide = y[3:] - into * n
    speed = float(np.linalg.norm(slide))
    return np.concatenate([one.wall.on(y[:3]), slide * max(0.0, 1.0 - one.mu * into / max(speed, 1e-300))])


def follow(s: jp.System, one: Particle, y: np.ndarray, slow: float, end: float) -> Resting:
    """Run a particle from event to event."""
    t, mode, way = 0.0, FLIGHT, None
    events: list[tuple[str, float]] = []
    pieces: list[tuple[float, Any]] = []
    watched: dict[int, list[Any]] = {
        FLIGHT: [lambda t, y: one.wall.gap(y[:3])],
        SLIDE: [
            lambda t, y: one.parts(t, y)[0],
            lambda t, y: (np.linalg.norm(y[3:]) if way is None else y[3:] @ way) - slow,
        ],
        STICK: [lambda t, y: one.parts(t, y)[0], one.spare],
    }

    def watch(what: Any) -> Any:
        def seen(t: float, y: np.ndarray) -> float:
            return float(what(t, y))

        seen.terminal, seen.direction = True, -1.0  # type: ignore[attr-defined]
        return seen

    watched = {key: [watch(what) for what in several] for key, several in watched.items()}

    def run(until: float, seen: list[Any] | None) -> Any:
        got = solve_ivp(
            lambda t, y: one.rates(mode, way, t, y),
            (t, until),
            y,
            "DOP853",
            dense_output=True,
            events=seen,
            rtol=1e-12,
            atol=1e-18,
            max_step=end / 500,
        )
        pieces.append((t, got.sol))
        return got

    def off(y: np.ndarray) -> np.ndarray:
        """At rest, about to move the way that it is pulled."""
        along = one.parts(t, y)[1]
        return np.concatenate([y[:3], 1e-7 * slow * along / np.linalg.norm(along)])

    while t < end:
        if one.line is not None:
            way = one.line * np.sign(y[3:] @ one.line)
        got = run(end, watched[mode])
        t, y = float(got.t[-1]), got.y[:, -1]
        if got.status != 1:
            break
        which = next(k for k in range(len(watched[mode])) if len(got.t_events[k]))
        if mode == FLIGHT:
            events.append(("impact", t))
            y = land(one, y)
            normal, along, _ = one.parts(t, y)
            if normal > 0.0:
                moves = np.linalg.norm(y[3:]) > slow
                mode = SLIDE if moves or np.linalg.norm(along) > one.mu * normal else STICK
                y = y if moves else off(y) if mode == SLIDE else np.concatenate([y[:3], np.zeros(3)])
        elif which == 0:
            events.append(("release", t))
            mode = FLIGHT
            got = run(t + APART * end, None)
            t, y = float(got.t[-1]), got.y[:, -1]
            if one.wall.gap(y[:3]) <= 0.0:
                end = t - APART * end
                break
        elif mode == SLIDE:
            normal, along, _ = one.parts(t, y)
            ahead = y[3:] / np.linalg.norm(y[3:])
            slows = (one.mu * normal - along @ ahead) / one.m
            rest = float(np.linalg.norm(y[3:])) / slows
            sticks = np.linalg.norm(along) < one.mu * normal
            if not sticks and one.line is None:
                end = t  # too sharp a turn to be followed so
                break
            y = np.concatenate([one.wall.on(y[:3] + 0.5 * rest * y[3:]), np.zeros(3)])
            t += rest
            events.append(("stop" if sticks else "back", t))
            mode, y = (STICK, y) if sticks else (SLIDE, off(y))
        else:
            if one.line is None:
                end = t
                break
            events.append(("slip", t))
            mode, y = SLIDE, off(y)
    starts = np.array([first for first, _ in pieces])

    def truth(times: np.ndarray) -> np.ndarray:
        k = np.searchsorted(starts, times, side="right") - 1
        return np.array([pieces[i][1](x)[:3] for i, x in zip(k, times, strict=True)])

    return Resting(s, events, end * (1 - 1e-6), truth, "body.position")
