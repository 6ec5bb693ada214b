"""Published solutions of the IFToMM benchmark library: accuracy over long times, singular positions, a closed loop."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import four_bar_windows, gonzalez_slider_crank, simple_pendulum
from refs import columns, reference

import jointplay as jp

FOLDER = "iftomm_library"


def test_pendulum_over_2000_seconds() -> None:
    table = columns(reference(FOLDER) / "A01_simple_pendulum.csv")
    sol = jp.simulate(
        simple_pendulum(), until=table["t"][-1], method=jp.Explicit(rtol=1e-12, atol=1e-13), save=table["t"]
    )
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["mass.position[0]"] - table["x"])) <= 5e-6
    assert np.max(np.abs(sol["mass.position[1]"] - table["y"])) <= 5e-6
    # 850 swings: what is lost of the energy of 9.81 J is far below the tolerance of the positions
    assert np.max(np.abs(sol["energy.error"])) <= 1e-7


@pytest.mark.slow
def test_forty_windows_pass_their_singular_positions() -> None:
    table = columns(reference(FOLDER) / "A02_n_four_bar.csv")
    sol = jp.simulate(
        four_bar_windows(40), until=table["t"][-1], method=jp.Explicit(rtol=1e-10, atol=1e-11), save=table["t"]
    )
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["tip.position[0]"] - table["B0x"])) <= 1e-5
    assert np.max(np.abs(sol["tip.position[1]"] - table["B0y"])) <= 1e-5


def test_windows_follow_the_equation_in_one_variable() -> None:
    """(41/3 + 40) th'' = 9.81 (41/2 + 40) sin th stays true for two windows: (3/3 + 2) th'' = 9.81 (3/2 + 2) sin th."""
    from scipy.integrate import solve_ivp

    times = np.linspace(0, 6, 61)
    sol = jp.simulate(four_bar_windows(2), until=6.0, method=jp.Explicit(rtol=1e-11, atol=1e-12), save=times)
    one = solve_ivp(
        lambda t, y: (y[1], 9.81 * 3.5 / 3.0 * np.sin(y[0])), (0, 6), (0, 1), "DOP853", times, rtol=1e-12, atol=1e-13
    )
    assert sol.outcome.ok, sol.outcome.message
    assert one.y[0, -1] > 2 * np.pi  # several passes through the positions with all bars in line
    # rounding grows in singular positions: tolerances that differ in their third digit give 1e-9 to 3e-7
    assert np.max(np.abs(sol["tip.position[0]"] - np.sin(one.y[0]))) <= 1e-6
    assert np.max(np.abs(sol["tip.position[1]"] - np.cos(one.y[0]))) <= 1e-6


def test_spatial_slider_crank() -> None:
    table = columns(reference(FOLDER) / "spatial_slider_crank_gonzalez.csv")
    sol = jp.simulate(gonzalez_slider_crank(), until=table["t"][-1], save=table["t"])
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["slider.position[0]"] - table["slider_x"])) <= 2e-4
