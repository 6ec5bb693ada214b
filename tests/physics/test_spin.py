"""Free rotation: the asymmetric top against elliptic functions, the heavy symmetric top in steady precession.

Torque-free top with I1 < I2 < I3 and L^2 > 2 E I2 (Landau and Lifshitz, Mechanics, section 37):

    w1 = a1 cn(x),  w2 = a2 sn(x),  w3 = a3 dn(x),      x = p t + K  for a start at w1 = 0
    p^2 = (I3 - I2)(L^2 - 2 E I1) / (I1 I2 I3),    k^2 = (I2 - I1)(2 E I3 - L^2) / ((I3 - I2)(L^2 - 2 E I1))

so that the body, spinning near its intermediate axis, has turned over after 2 K / p.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from mechanisms import apply, rotation, turn
from scipy.special import ellipj, ellipk

import jointplay as jp

J = np.array([1.0, 2.0, 3.0])
START = np.array([0.0, 2.0, 0.01])


class Top(NamedTuple):
    """The elliptic-function solution."""

    p: float
    m: float
    amplitude: np.ndarray

    @property
    def flip(self) -> float:
        return 2 * ellipk(self.m) / self.p

    def rates(self, t: np.ndarray) -> np.ndarray:
        sn, cn, dn, _ = ellipj(self.p * t + ellipk(self.m), self.m)
        return self.amplitude * np.stack([cn, sn, dn], axis=-1)


def exact() -> Top:
    E2, L2 = float(J @ START**2), float(np.sum((J * START) ** 2))
    over, under = E2 * J[2] - L2, L2 - E2 * J[0]
    amplitude = np.sqrt([over / (J[0] * (J[2] - J[0])), over / (J[1] * (J[2] - J[1])), under / (J[2] * (J[2] - J[0]))])
    p = np.sqrt((J[2] - J[1]) * under / J.prod())
    return Top(p, (J[1] - J[0]) * over / ((J[2] - J[1]) * under), amplitude)


def free_top() -> jp.System:
    s = jp.System("free top", gravity=(0, 0, 0))
    s.body("top", mass=1.0, inertia=J, orientation=turn((1, -2, 0.5), 0.8), angular_velocity=START)
    return s


def momentum(sol: jp.Solution) -> np.ndarray:
    return apply(rotation(sol["top.orientation"]), J * sol["top.angular_velocity"])


def test_flip_time() -> None:
    top = exact()
    assert top.flip > 5.0  # long beside a turn: it rests near the unstable axis
    times = np.linspace(0, 3 * top.flip, 301)
    sol = jp.simulate(free_top(), until=times[-1], method=jp.Explicit(rtol=1e-12, atol=1e-13), save=times)
    found = sol["top.angular_velocity"]
    assert np.max(np.abs(found - top.rates(times))) <= 1e-7
    assert found[100] == pytest.approx((0.0, -2.0, 0.01), abs=1e-7)
    # the instant of the first half flip, from the saved rates: w2 = 0 at K / p
    n = int(np.argmax(found[:, 1] < 0.0))
    a, b = found[n - 1, 1], found[n, 1]
    da, db = (sol["top.angular_acceleration"][k, 1] * (times[1] - times[0]) for k in (n - 1, n))
    hermite = np.polynomial.Polynomial([a, da, 3 * (b - a) - 2 * da - db, 2 * (a - b) + da + db])
    root = next(x.real for x in hermite.roots() if abs(x.imag) < 1e-12 and 0 <= x.real <= 1)
    assert times[n - 1] + root * (times[1] - times[0]) == pytest.approx(top.flip / 2, abs=1e-5)


@pytest.mark.slow
def test_a_hundred_thousand_steps() -> None:
    sol = jp.simulate(free_top(), until=1000.0, method=jp.Explicit(step=0.01), save=1.0)
    assert sol.outcome.ok, sol.outcome.message
    assert sol.stats["steps"] >= 99_999
    assert np.max(np.abs(np.linalg.norm(sol["top.orientation"], axis=1) - 1.0)) <= 1e-12
    L = momentum(sol)
    assert np.max(np.abs(L - L[0])) <= 1e-9 * np.linalg.norm(L[0])
    assert np.max(np.abs(sol["energy.kinetic"] / sol["energy.kinetic"][0] - 1.0)) <= 1e-10


def test_energy_and_momentum_to_tolerance() -> None:
    for rtol in (1e-6, 1e-9):
        sol = jp.simulate(free_top(), until=100.0, method=jp.Explicit(rtol=rtol, atol=rtol), save=0.5)
        L = momentum(sol)
        assert np.max(np.abs(np.linalg.norm(sol["top.orientation"], axis=1) - 1.0)) <= 1e-12
        assert np.max(np.abs(L - L[0])) <= 100 * rtol * np.linalg.norm(L[0])
        assert np.max(np.abs(sol["energy.kinetic"] / sol["energy.kinetic"][0] - 1.0)) <= 100 * rtol


def test_verlet_keeps_the_norm() -> None:
    sol = jp.simulate(free_top(), until=20.0, method=jp.Verlet(step=1e-3), save=0.5)
    assert np.max(np.abs(np.linalg.norm(sol["top.orientation"], axis=1) - 1.0)) <= 1e-12
    assert np.max(np.abs(sol["energy.kinetic"] / sol["energy.kinetic"][0] - 1.0)) <= 1e-5


def test_heavy_top_precesses_steadily() -> None:
    """A cos(th) f^2 - C n f + m g l = 0: precession f at the constant tilt th for the spin n about the own axis."""
    m, arm, g, a, c, tilt, n = 2.0, 0.3, 9.81, 0.05, 0.02, 0.6, 120.0
    A = a + m * arm * arm
    f = (c * n - np.sqrt((c * n) ** 2 - 4 * A * np.cos(tilt) * m * g * arm)) / (2 * A * np.cos(tilt))
    assert 0.5 * f < m * g * arm / (c * n) < f  # near the figure of a fast top, not equal to it
    axis = np.array([0, -np.sin(tilt), np.cos(tilt)])
    rate = np.array([0, f * np.sin(tilt), n])  # body axes: f sin th across, n along
    R = rotation(turn((1, 0, 0), tilt))
    s = jp.System("heavy top", gravity=(0, 0, -g))
    top = s.body(
        "top",
        mass=m,
        inertia=(a, a, c),
        position=arm * axis,
        orientation=R,
        angular_velocity=rate,
        velocity=np.cross(R @ rate, arm * axis),
    )
    s.spherical("tip", s.ground, top, point=(0, 0, 0))
    times = np.linspace(0, 3, 61)
    sol = jp.simulate(s, until=3.0, method=jp.Explicit(rtol=1e-11, atol=1e-12), save=times)
    wanted = arm * np.stack(
        [np.sin(tilt) * np.sin(f * times), -np.sin(tilt) * np.cos(f * times), np.cos(tilt) + 0 * times], axis=1
    )
    assert np.max(np.abs(sol["top.position"] - wanted)) <= 1e-8
    assert np.max(np.abs(sol["top.angular_velocity"][:, 2] - n)) <= 1e-7
