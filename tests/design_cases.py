"""Small motions with closed-form answers, for searches and fits."""

from __future__ import annotations

import numpy as np

import jointplay as jp

G = 9.81  # m/s^2
DIFFERENCES = "finite-difference"  # these tests are about searches, not about derivatives
FINE = jp.Explicit(rtol=1e-10, atol=1e-12)
COARSE = jp.Verlet(step=2e-3)  # gives up at once where a mechanism locks
BALL = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}


def throw(vx: float, vz: float) -> jp.System:
    """A ball thrown from the origin: x = vx t, z = vz t - G t^2 / 2."""
    s = jp.System("throw", gravity=(0, 0, -G))
    s.body("ball", position=(0, 0, 0), velocity=(vx, 0, vz), **BALL)
    return s


def oscillator(k: float, c: float, m: float = 1.0, speed: float = 1.0, push: float = 0.0) -> jp.System:
    """m x'' + c x' + k x = push, x(0) = 0, x'(0) = speed; x is P.displacement."""
    s = jp.System("oscillator")
    body = s.body("body", mass=m, inertia=(1.0, 1.0, 1.0), position=(0, 0, 0), velocity=(speed, 0, 0))
    spring = jp.Spring(stiffness=k, damping=c)
    s.prismatic("P", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), displacement=spring)
    s.force("push", body, force=(push, 0, 0), point=(0, 0, 0))
    return s


def swing(t: np.ndarray, k: complex, c: complex) -> np.ndarray:
    """The displacement of ``oscillator`` in closed form, for k > c^2/4; complex numbers give its derivatives."""
    omega = np.sqrt(k - 0.25 * c * c)
    return np.exp(-0.5 * c * t) * np.sin(omega * t) / omega


def toggle(speed: float) -> jp.System:
    """A driven slider pulls a ball down by a bar of 1 m: y = sqrt(1 - (0.2 + speed t)^2). It locks where x = 1."""
    s = jp.System("toggle")
    slider = s.body("slider", position=(0.2, 0, 0), **BALL)
    top = (0, float(np.sqrt(0.96)), 0)
    ball = s.body("ball", position=top, **BALL)
    s.prismatic("X", s.ground, slider, point=(0.2, 0, 0), axis=(1, 0, 0), displacement=jp.Drive(f"{speed!r}*t"))
    s.prismatic("Y", s.ground, ball, point=top, axis=(0, 1, 0))
    s.distance("bar", slider, ball, point_a=(0.2, 0, 0), point_b=top)
    return s
