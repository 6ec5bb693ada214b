"""Published solutions of the IFToMM benchmark library: long-time accuracy, singular positions, a closed spatial loop."""

from __future__ import annotations

import jointplay as jp
import numpy as np
import pytest
from mechanisms import bar
from refs import columns, reference

FOLDER = "iftomm_library"


def pendulum() -> jp.System:
    """A01: a point mass of 1 kg on a massless bar of 1 m, released from the horizontal."""
    s = jp.System("A01", planar=True, gravity=(0, -9.81, 0))
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(-1, 0, 0))
    s.distance("rod", s.ground, mass, point_a=(0, 0, 0), point_b=(-1, 0, 0))
    return s


def windows(count: int) -> jp.System:
    """A02: ``count`` four-bar windows side by side, every bar 1 m and 1 kg; upper joints move at 1 m/s along x."""
    s = jp.System("A02", planar=True, gravity=(0, -9.81, 0))
    uprights = [
        bar(s, f"u{k}", (k, 0, 0), (k, 1, 0), velocity=(0.5, 0, 0), angular_velocity=(0, 0, -1)) for k in range(count + 1)
    ]
    couplers = [bar(s, f"c{k}", (k, 1, 0), (k + 1, 1, 0), velocity=(1, 0, 0)) for k in range(count)]
    for k, upright in enumerate(uprights):
        s.revolute(f"A{k}", s.ground, upright, point=(k, 0, 0))
    for k, coupler in enumerate(couplers):
        s.revolute(f"B{k}", uprights[k], coupler, point=(k, 1, 0))
        s.revolute(f"C{k}", coupler, uprights[k + 1], point=(k + 1, 1, 0))
    uprights[0].marker("B0", position=(0.5, 0, 0))
    return s


def spatial_slider_crank() -> jp.System:
    """The slider-crank of Gonzalez: a cross along x (on the slider) and n (on the rod, perpendicular to it)."""
    A, B, C = np.array([0, 0.1, 0.12]), np.array([0, 0.1, 0.2]), np.array([0.2, 0, 0])
    e = (C - B) / 0.3
    n = np.cross(e, (1, 0, 0))
    n /= np.linalg.norm(n)
    R = np.column_stack([e, n, np.cross(e, n)])
    s = jp.System("spatial slider-crank", gravity=(0, 0, -9.81))
    crank = s.body(
        "crank", mass=0.12, inertia=(1e-4,) * 3, position=(A + B) / 2, velocity=(0, -0.24, 0), angular_velocity=(6, 0, 0)
    )
    rod = s.body(
        "rod",
        mass=0.5,
        inertia=(4e-4, 4e-3, 4e-3),
        position=(B + C) / 2,
        orientation=R,
        velocity=(0.12, -0.24, 0),
        angular_velocity=R.T @ (1.92, -0.96, 0.48),
    )
    slider = s.body("slider", mass=2.0, inertia=(1e-4,) * 3, position=C, velocity=(0.24, 0, 0))
    s.revolute("A", s.ground, crank, point=A, axis=(1, 0, 0))
    s.spherical("B", crank, rod, point=B)
    s.universal("C", slider, rod, point=C, axis_a=(1, 0, 0), axis_b=n)
    s.prismatic("D", s.ground, slider, point=C, axis=(1, 0, 0))
    return s


def test_pendulum_over_2000_seconds() -> None:
    table = columns(reference(FOLDER) / "A01_simple_pendulum.csv")
    sol = jp.simulate(pendulum(), until=table["t"][-1], method=jp.Explicit(rtol=1e-12, atol=1e-13), save=table["t"])
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["mass.position[0]"] - table["x"])) <= 5e-6
    assert np.max(np.abs(sol["mass.position[1]"] - table["y"])) <= 5e-6
    # 850 swings: what is lost of the energy of 9.81 J is far below the tolerance of the positions
    assert np.max(np.abs(sol["energy.error"])) <= 1e-8


@pytest.mark.slow
def test_forty_windows_pass_their_singular_positions() -> None:
    table = columns(reference(FOLDER) / "A02_n_four_bar.csv")
    sol = jp.simulate(windows(40), until=table["t"][-1], method=jp.Explicit(rtol=1e-10, atol=1e-11), save=table["t"])
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["B0.position[0]"] - table["B0x"])) <= 1e-5
    assert np.max(np.abs(sol["B0.position[1]"] - table["B0y"])) <= 1e-5


def test_windows_follow_the_equation_in_one_variable() -> None:
    """(41/3 + 40) th'' = 9.81 (41/2 + 40) sin th stays true for two windows: (3/3 + 2) th'' = 9.81 (3/2 + 2) sin th."""
    from scipy.integrate import solve_ivp

    times = np.linspace(0, 6, 61)
    sol = jp.simulate(windows(2), until=6.0, method=jp.Explicit(rtol=1e-11, atol=1e-12), save=times)
    one = solve_ivp(
        lambda t, y: (y[1], 9.81 * 3.5 / 3.0 * np.sin(y[0])), (0, 6), (0, 1), "DOP853", times, rtol=1e-12, atol=1e-13
    )
    assert sol.outcome.ok, sol.outcome.message
    assert one.y[0, -1] > 2 * np.pi  # several passes through the positions with all bars in line
    assert np.max(np.abs(sol["B0.position[0]"] - np.sin(one.y[0]))) <= 1e-7
    assert np.max(np.abs(sol["B0.position[1]"] - np.cos(one.y[0]))) <= 1e-7


def test_spatial_slider_crank() -> None:
    table = columns(reference(FOLDER) / "spatial_slider_crank_gonzalez.csv")
    sol = jp.simulate(spatial_slider_crank(), until=table["t"][-1], save=table["t"])
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["slider.position[0]"] - table["slider_x"])) <= 2e-4
