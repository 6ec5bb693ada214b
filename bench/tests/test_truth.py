"""The references: against printed data, against another form of the same equations, and against conservation."""

from __future__ import annotations

import numpy as np
import pytest

from ..peers.frames import quaternion, rod_rotation, tree_speeds
from ..problems import CHAIN, SLIDER_CRANK
from ..truth import chain_accelerations, chain_ends, crank_pose, slider_crank


def test_start_of_the_slider_crank_is_the_printed_one() -> None:
    """Table 2 of the paper, with the rod's missing digits."""
    pose = crank_pose(0.0)
    speed = SLIDER_CRANK.crank_speed
    assert pose.slider == pytest.approx(0.2, abs=1e-15)
    assert speed * pose.slider_rate == pytest.approx(0.24, abs=1e-15)
    np.testing.assert_allclose(speed * pose.rod_velocity, (0.12, -0.24, 0.0), atol=1e-15)
    np.testing.assert_allclose(quaternion(rod_rotation()), (0.888451, -0.209735, 0.397327, -0.093796), atol=1e-6)
    np.testing.assert_allclose(speed * rod_rotation().T @ pose.rod_spin, (-1.6, -1.073313, 1.431084), atol=1e-6)


def test_rates_of_the_slider_crank_are_derivatives() -> None:
    """Central differences of the pose around a turn."""
    h = 1e-5
    for theta in np.linspace(0.0, 6.0, 13):
        before, here, after = (crank_pose(theta + shift) for shift in (-h, 0.0, h))
        assert here.slider_rate == pytest.approx((after.slider - before.slider) / (2 * h), abs=1e-9)
        np.testing.assert_allclose(
            np.cross(here.rod_spin, here.rod_axis), (after.rod_axis - before.rod_axis) / (2 * h), atol=1e-9
        )


def test_slider_crank_ends_where_it_should() -> None:
    """Crank and slider at 5 s, known to eight digits."""
    angle, slider = slider_crank(np.array([0.0, 2.5, 5.0]))
    assert angle[-1] == pytest.approx(54.72505107, abs=1e-8)
    assert slider[-1] == pytest.approx(0.22025265, abs=1e-8)


def test_tree_speeds_close_the_loop() -> None:
    """The pin on the crank and the end of the rod start with one velocity."""
    crank, slide, on_slider, on_rod = tree_speeds()
    rotation = rod_rotation()
    spin = on_slider * np.array([0.0, 0.0, 1.0]) + on_rod * rotation @ np.array(SLIDER_CRANK.rod_arm)
    end = np.array([slide, 0.0, 0.0]) + np.cross(spin, -SLIDER_CRANK.rod * rotation[:, 0])
    pin = np.cross([crank, 0.0, 0.0], np.array(SLIDER_CRANK.pin) - np.array(SLIDER_CRANK.pivot))
    np.testing.assert_allclose(end, pin, atol=1e-14)


@pytest.mark.parametrize("links", [1, 2, 7])
def test_chain_matches_its_dense_lagrange_equations(links: int) -> None:
    """M(phi) phi'' = ... in absolute angles, where entry i, j counts the bars that both angles move."""
    rng = np.random.default_rng(4)
    angle, speed = rng.normal(size=(2, links))
    number = np.arange(1, links + 1)
    scale = CHAIN.mass * CHAIN.length**2
    inertia = scale * (links - np.maximum.outer(number, number) + 0.5)
    np.fill_diagonal(inertia, CHAIN.inertia[1] + scale * (links - number + 0.25))
    weight = CHAIN.mass * CHAIN.gravity * CHAIN.length * (links - number + 0.5)
    difference = np.subtract.outer(angle, angle)
    load = weight * np.cos(angle) - (inertia * np.sin(difference)) @ speed**2
    expected = np.linalg.solve(inertia * np.cos(difference), load)
    np.testing.assert_allclose(chain_accelerations(angle, speed), expected, rtol=1e-10)


def test_single_link_is_a_pendulum() -> None:
    """Speed from energy: J_O phi'^2 / 2 = m g (l / 2) sin phi, integrated by quadrature to the same time."""
    end = chain_ends(1, 0.1)[0]
    angle = np.arctan2(-end[1], end[0])
    about_pivot = CHAIN.inertia[1] + CHAIN.mass * CHAIN.length**2 / 4
    # phi = s^2 removes the singularity of dt = dphi / phi' at rest.
    s, weight = np.polynomial.legendre.leggauss(30)
    s, weight = 0.5 * np.sqrt(angle) * (s + 1), 0.5 * np.sqrt(angle) * weight
    rate = np.sqrt(CHAIN.mass * CHAIN.gravity * CHAIN.length * np.sin(s**2) / about_pivot)
    assert float(weight @ (2 * s / rate)) == pytest.approx(0.1, rel=1e-8)
