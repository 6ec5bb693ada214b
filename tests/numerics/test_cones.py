"""The cone, its projection and the residual that all contact solvers share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointplay.numerics.cones import contact_scratch, natural_map, prepare, project, residual

NUMBER = st.floats(-10.0, 10.0)
FRICTION = st.one_of(st.just(0.0), st.floats(1e-3, 3.0))


@given(dim=st.sampled_from((2, 3)), mu=FRICTION, x=NUMBER, y=NUMBER, z=NUMBER)
@settings(deadline=None)  # the first call compiles
def test_projection_satisfies_its_optimality_conditions(dim, mu, x, y, z):
    z = z if dim == 3 else 0.0
    point = np.array([x, y, z])
    p = np.array(project(dim, mu, x, y, z))
    gap = p - point
    size = 1.0 + np.abs(point).max() ** 2
    assert np.hypot(p[1], p[2]) <= mu * p[0] + 1e-12 * size  # on the cone
    assert gap[0] - mu * np.hypot(gap[1], gap[2]) >= -1e-12 * size  # what was added lies in the dual cone
    assert abs(gap @ p) <= 1e-12 * size
    assert np.allclose(project(dim, mu, *p), p, atol=1e-12 * size)


def test_projection_without_friction():
    assert project(1, 0.0, -2.0, 0.0, 0.0) == (0.0, 0.0, 0.0)
    assert project(1, 0.0, 2.0, 0.0, 0.0) == (2.0, 0.0, 0.0)
    assert project(3, 0.0, 2.0, 5.0, -5.0) == (2.0, 0.0, 0.0)
    assert project(3, 0.0, -2.0, 0.0, 0.0) == (0.0, 0.0, 0.0)
    assert project(2, 0.0, -2.0, 1.0, 0.0) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("r", "u"),
    [
        ((0.0, 0.0, 0.0), (1.0, 3.0, -4.0)),  # open
        ((2.0, 0.5, -0.5), (0.0, 0.0, 0.0)),  # stick
        ((2.0, -0.6, -0.8), (0.0, 3.0, 4.0)),  # slip, mu = 0.5
    ],
)
def test_residual_vanishes_in_each_state(r, u):
    mu = np.array([0.5])
    assert natural_map(3, 1, mu, np.array(r), np.array(u), np.ones(1)) < 1e-15
    moved = np.array(u) - np.array([0.1, 0.0, 0.0])
    assert (natural_map(3, 1, mu, np.array(r), moved, np.ones(1)) > 0.01) == (r != (0.0, 0.0, 0.0))


def test_scaled_residual_does_not_depend_on_units():
    rng = np.random.default_rng(4)
    H = rng.standard_normal((9, 12))
    W, q, mu, r = H @ H.T, rng.standard_normal(9), np.array([0.0, 0.3, 0.9]), rng.standard_normal(9)
    scratch = contact_scratch(3, 3)

    def relative(W, q, r):
        size = prepare(3, 3, W, q, r, scratch)
        return residual(3, 3, W, q, mu, r, scratch) / size

    expected = relative(W, q, r)
    assert expected > 0.1
    for a in (1e-6, 1e6):
        for b in (1e-6, 1e6):
            assert relative(b * W, a * q, a / b * r) == pytest.approx(expected, rel=1e-10)
