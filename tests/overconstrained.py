"""Mechanisms that move although a count of constraints says they cannot, and structures that only seem to move.

Loops are given by the common normals of their axes (Denavit and Hartenberg): link k has the length a_k and the twist
alpha_k between its two axes; no offsets along axes. Angles that close the loop are found by least squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import least_squares

import jointplay as jp


def _turn(axis: int, angle: float) -> np.ndarray:
    T, c, s = np.eye(4), np.cos(angle), np.sin(angle)
    one, other = [k for k in range(3) if k != axis]
    T[one, one] = T[other, other] = c
    T[one, other], T[other, one] = (-s, s) if axis != 1 else (s, -s)
    return T


def _links(lengths: Any, twists: Any, angles: np.ndarray) -> list[np.ndarray]:
    """Frames of the joints, z along the axis; the last one should be the first."""
    frames = [np.eye(4)]
    for a, alpha, theta in zip(lengths, twists, angles, strict=True):
        shift = np.eye(4)
        shift[0, 3] = a
        frames.append(frames[-1] @ _turn(2, theta) @ shift @ _turn(0, alpha))
    return frames


def loop(name: str, lengths: Any, twists: Any, guess: Any, *, held: bool = True) -> jp.System:
    """A loop of revolute joints, closed near the angles ``guess``, of which the first stays if it is ``held``."""
    guess = np.asarray(guess, dtype=float)

    def gap(angles: np.ndarray) -> np.ndarray:
        open_by = _links(lengths, twists, angles)[-1] - np.eye(4)
        return np.append(open_by[:3].ravel(), (angles[0] - guess[0]) if held else 0.0)

    angles = least_squares(gap, guess, xtol=1e-15, ftol=1e-15, gtol=1e-15).x
    assert np.abs(gap(angles)).max() < 1e-12, f"{name} does not close: {np.abs(gap(angles)).max()}"
    frames = _links(lengths, twists, angles)
    axes = [frame[:3, 2] for frame in frames]
    return ring(name, [frame[:3, 3] for frame in frames[:-1]], axes[:-1])


def ring(name: str, points: Any, axes: Any, *, thin: float = 1e-2, mass: float = 1.0) -> jp.System:
    """Bars from point to point with a revolute joint at each, the first bar fixed; ``thin``: moment about the bar."""
    s = jp.System(name, gravity=(0, 0, 0))
    points = [*points, points[0]]
    bodies: list[Any] = [s.ground]
    for k in range(1, len(axes)):
        along = points[k + 1] - points[k]
        size, d = along @ along, along / np.linalg.norm(along)
        inertia = mass * size * ((np.eye(3) - np.outer(d, d)) / 12.0 + thin * np.outer(d, d))
        bodies.append(s.body(f"link{k}", mass=mass, inertia=inertia, position=0.5 * (points[k] + points[k + 1])))
    for k, axis in enumerate(axes):
        s.revolute(f"R{k}", bodies[k - 1], bodies[k], point=points[k], axis=axis)
    return s


def bennett(held: float = 1.0) -> jp.System:
    """Four revolutes: a/sin(alpha) = b/sin(beta)."""
    a, alpha, b = 0.3, np.radians(40.0), 0.4
    beta = np.arcsin(b * np.sin(alpha) / a)
    # opposite angles are equal and opposite: tan(t1/2) tan(t2/2) = sin((beta + alpha)/2)/sin((beta - alpha)/2)
    other = 2.0 * np.arctan2(np.sin(0.5 * (beta + alpha)), np.sin(0.5 * (beta - alpha)) * np.tan(0.5 * held))
    return loop("Bennett", [a, b, a, b], [alpha, beta, alpha, beta], [held, other, -held, -other])


def goldberg(held: float = 0.9) -> jp.System:
    """Five revolutes: two loops of Bennett with a common link, which is left out, and two links in line made one."""
    a, alpha, b, c = 0.3, np.radians(40.0), 0.4, 0.25
    ratio = np.sin(alpha) / a
    beta, gamma = np.arcsin(b * ratio), np.arcsin(c * ratio)
    for seed in range(200):
        guess = np.random.default_rng(seed).uniform(-np.pi, np.pi, 5)
        guess[0] = held
        try:
            return loop("Goldberg", [a + c, b, c, a, b], [alpha + gamma, beta, gamma, alpha, beta], guess)
        except AssertionError:
            continue
    raise AssertionError("no loop of Goldberg closes")


def bricard(angle: float = 1.2, sides: Any = (0.3,) * 6, *, held: bool = True) -> jp.System:
    """Six revolutes at right angles; a1^2 + a3^2 + a5^2 = a2^2 + a4^2 + a6^2, or the loop does not move."""
    twists = [0.5 * np.pi, 1.5 * np.pi] * 3
    for seed in range(200):
        guess = np.random.default_rng(seed).uniform(-np.pi, np.pi, 6)
        guess[0] = angle
        try:
            return loop("Bricard", sides, twists, guess, held=held)
        except AssertionError:
            continue
    raise AssertionError("no loop of Bricard closes")


def cube(*, turned: Any = None, size: float = 1.0, **bars: float) -> jp.System:
    """Bricard's loop along edges of a cube; ``turned`` is a rotation matrix."""
    A = np.eye(3) if turned is None else turned
    edges = size * np.vstack([np.eye(3), -np.eye(3)]) @ A.T
    points = np.cumsum(np.vstack([np.zeros(3), edges[:-1]]), axis=0)
    return ring("cube", points, np.cross(np.roll(edges, 1, axis=0), edges), **bars)


def sarrus(height: float = 0.3) -> jp.System:
    """Six revolutes, three parallel to x and three to y, hold a plate that goes up and down."""
    s = jp.System("Sarrus", gravity=(0, 0, 0))
    plate = s.body("plate", mass=1.0, inertia=(0.02, 0.02, 0.03), position=(0, 0, height))
    for name, side, axis in (("x", (0.0, 1.0, 0.0), (1, 0, 0)), ("y", (1.0, 0.0, 0.0), (0, 1, 0))):
        out = np.array(side)
        feet, knee, head = 0.2 * out, 0.35 * out + (0, 0, 0.5 * height), 0.2 * out + (0, 0, height)
        low = s.body(f"low{name}", mass=0.5, inertia=(0.01, 0.01, 0.01), position=0.5 * (feet + knee))
        high = s.body(f"high{name}", mass=0.5, inertia=(0.01, 0.01, 0.01), position=0.5 * (head + knee))
        s.revolute(f"A{name}", s.ground, low, point=feet, axis=axis)
        s.revolute(f"B{name}", low, high, point=knee, axis=axis)
        s.revolute(f"C{name}", high, plate, point=head, axis=axis)
    return s


def four_bar(points: Any, *, planar: bool = False) -> jp.System:
    """Three links between four parallel axes, through ``points`` of a plane."""
    s = jp.System("four-bar", planar=planar, gravity=(0, 0) if planar else (0, 0, 0))
    at = [np.array(p, dtype=float) if planar else np.array([*p, 0.0]) for p in points]
    bodies: list[Any] = [s.ground]
    for k in range(3):
        inertia: Any = 0.01 if planar else (0.01, 0.02, 0.03)
        bodies.append(s.body(f"b{k}", mass=1.0, inertia=inertia, position=0.5 * (at[k] + at[k + 1])))
    bodies.append(s.ground)
    for k, name in enumerate("ABCD"):
        s.revolute(name, bodies[k], bodies[k + 1], point=at[k], **({} if planar else {"axis": (0, 0, 1)}))
    return s


def two_bars_in_line(*, planar: bool = True, on: str = "ground") -> jp.System:
    """Two bars in line between fixed pins: they give way at first order only. ``on`` "crank": on a body that turns."""
    s = jp.System("in line", planar=planar, gravity=(0, 0) if planar else (0, 0, 0))
    z = () if planar else (0,)
    axis = {} if planar else {"axis": (0, 0, 1)}
    inertia: Any = 0.01 if planar else (0.01, 0.01, 0.01)
    base: Any = s.ground
    if on == "crank":
        base = s.body("crank", mass=2.0, inertia=inertia, position=(0.5, 0, *z))
        s.revolute("O", s.ground, base, point=(0, 0, *z), **axis)
    left = s.body("left", mass=1.0, inertia=inertia, position=(0.25, 0, *z))
    right = s.body("right", mass=1.0, inertia=inertia, position=(0.75, 0, *z))
    s.revolute("A", base, left, point=(0, 0, *z), **axis)
    s.revolute("B", left, right, point=(0.5, 0, *z), **axis)
    s.revolute("C", right, base, point=(1, 0, *z), **axis)
    return s


def three_rods(feet: Any, heads: Any) -> jp.System:
    """A plate in the plane on three rods."""
    s = jp.System("rods", planar=True, gravity=(0, 0))
    plate = s.body("plate", mass=1.0, inertia=0.05, position=np.mean(heads, axis=0))
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        s.distance(f"L{k}", s.ground, plate, point_a=foot, point_b=head)
    return s
