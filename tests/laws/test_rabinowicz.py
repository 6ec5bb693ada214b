"""Rabinowicz' block (paper E, table 1): a block on a table, pulled by a spring whose end moves steadily.

    m x'' = k (V t - x) + F(x', m g, z),      all states zero at t = 0

The laws alone, integrated by SciPy. While the block rests for a time T, the force it can hold grows to

    N [mu_d + (mu_s - mu_d)(1 - exp(-T/tau_dw))]

and when it slips under mu_d N from the spring force S, its speed reaches V + sqrt(V^2 + (S - mu_d N)^2/(m k)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import jointplay as jp
from jointplay.laws.on_joint import OnJoint

m, g, k, V = 1.0, 10.0, 2.0, 0.15
N = m * g
UNTIL = 40.0
GO = 1e-4  # m/s, above which the block counts as moving
BRISTLES = jp.GonthierFriction(0.4, 0.3, sigma_0=1e5, sigma_1=1e5**0.5, sigma_2=0.0, tau_dw=2.0, v_s=1.5e-3)
SMOOTH = jp.BrownMcPhee(mu_s=0.4, mu_d=0.3, v_t=1.5e-3)


@dataclass
class Motion:
    """Speeds at the peaks of the velocity, and when and under which spring force the block begins and ends to move."""

    peaks: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    pulls: np.ndarray


def pulled(law: OnJoint) -> Motion:
    p = np.array(law.numbers())

    def rates(t: float, y: np.ndarray) -> list[float]:
        x, v, z, w = y
        F, _, dz, _, dw = law.rub(p, v, 0.0, N, t, z, 0.0, w)  # type: ignore[misc]
        return [v, (k * (V * t - x) + F) / m, dz, dw]

    def top(t: float, y: np.ndarray) -> float:
        return rates(t, y)[1]

    def go(t: float, y: np.ndarray) -> float:
        return y[1] - GO

    def halt(t: float, y: np.ndarray) -> float:
        return y[1] - GO

    top.direction, go.direction, halt.direction = -1.0, 1.0, -1.0  # type: ignore[attr-defined]
    run = solve_ivp(
        *(rates, (0.0, UNTIL), np.zeros(4), "LSODA"),
        rtol=1e-8,
        atol=[1e-10, 1e-10, 1e-12, 1e-9],
        max_step=0.02,
        events=(top, go, halt),
    )
    assert run.success
    peaks, begins, _ = (one.reshape(-1, 4) for one in run.y_events)
    moving = peaks[:, 1] > 0.1
    return Motion(peaks[moving, 1], *run.t_events[1:], k * (V * run.t_events[1] - begins[:, 0]))


@pytest.fixture(scope="module")
def bristles() -> Motion:
    return pulled(BRISTLES)


def test_stick_and_slip(bristles: Motion) -> None:
    assert len(bristles.peaks) == len(bristles.begins) == len(bristles.ends) == 3
    slipping = bristles.ends - bristles.begins
    resting = bristles.begins[1:] - bristles.ends[:-1]
    assert (slipping > 2.4).all() and (slipping < 2.7).all()  # a little more than half a period, pi sqrt(m/k) = 2.22 s
    assert (resting > 6.0).all()


def test_peaks_decrease(bristles: Motion) -> None:
    first, second, third = bristles.peaks
    # the first hold lasts longest; then the times of rest tend to a limit, and so do the peaks
    assert 0.01 < first - second < 0.04 and 0.0005 < second - third < 0.005


def test_first_slip_begins_where_the_hold_ends(bristles: Motion) -> None:
    instant = brentq(lambda t: k * V * t - N * (0.4 - 0.1 * np.exp(-t / 2.0)), 5.0, 20.0)
    assert 0.0 < bristles.begins[0] - instant < 0.05  # it then takes 26 ms to reach 0.1 mm/s


def test_hold_grows_with_the_time_of_rest(bristles: Motion) -> None:
    rested = bristles.begins - np.array([0.0, *bristles.ends[:-1]])
    holds = N * (0.4 - 0.1 * np.exp(-rested / 2.0))
    # what the spring gains while the block gathers speed, and no more
    assert (bristles.pulls > holds).all() and (bristles.pulls < holds + 0.01).all()


def test_speed_of_slip(bristles: Motion) -> None:
    least = V + np.sqrt(V**2 + (bristles.pulls - 0.3 * N) ** 2 / (m * k))
    assert (bristles.peaks > least).all() and (bristles.peaks < 1.01 * least).all()


def test_without_memory_all_peaks_are_the_same() -> None:
    peaks = pulled(SMOOTH).peaks
    assert len(peaks) == 3
    assert np.allclose(peaks, peaks[0], rtol=1e-5)
    limit = V + np.sqrt(V**2 + 1.0 / (m * k))  # slips at mu_s N = 4 N
    assert limit < peaks[0] < 1.02 * limit
