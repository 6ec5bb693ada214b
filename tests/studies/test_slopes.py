"""Derivatives of members that are filled are those that ``sensitivities`` gives of a model that is compiled."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.gallery import entries
from jointplay.studies.engine import ModelEngine
from jointplay.studies.slopes import SlopeLane
from jointplay.studies.vary import Vary

NARROW = {
    "gap": jp.Uniform("0.9 mm", "1.1 mm"),
    "mu": jp.Uniform(0.005, 0.02),
    "crank": "153 mm +- 0.1 mm",
    "bodies.slider.mass": "76 g +- 0.5 g",
}
WIDE = {"crank": jp.Uniform("130 mm", "180 mm"), "rod": jp.Uniform("260 mm", "360 mm"), "gap": "1 mm +- 0.1 mm"}


def engine(vary, of, model="slider_crank_clearance", **options):
    settings = {"until": 0.003, "method": jp.Moreau(step=1e-5), "save": "0.1 ms"} | options
    return ModelEngine(entries()[model] if isinstance(model, str) else model, Vary(vary), of, **settings)


@pytest.mark.parametrize("vary", [NARROW, WIDE])
@pytest.mark.parametrize("way", ["direct", "adjoint"])
def test_filled_members_have_the_derivatives_of_compiled_ones(vary, way):
    of = [jp.Final("crank.angular_velocity[2]"), jp.Final("energy.dissipated")]
    made = engine(vary, of)
    room = SlopeLane(made)
    assert made.filling is not None and made.filling.assembled is (vary is NARROW)
    for x in jp.Random(3, seed=5).points(made.vary, 0, 3):
        p = made.variants.base.numbers(x)
        mine, own = (ask(made.variants.base, p, of, way) for ask in (room._filled, room._by_sensitivities))
        assert mine is not None and mine[2] == own[2]
        assert np.allclose(mine[0], own[0], rtol=1e-9)
        assert np.allclose(mine[1], own[1], rtol=1e-6, atol=1e-7 * np.abs(own[1]).max(axis=1, keepdims=True))


def test_at_the_rim_of_the_box_too():
    of = [jp.Final("crank.angular_velocity[2]")]
    made = engine(NARROW, of)
    room, filling = SlopeLane(made), made.filling
    assert filling is not None
    for p in (filling.low, filling.high):
        mine, own = (ask(made.variants.base, p, of, "direct") for ask in (room._filled, room._by_sensitivities))
        assert mine is not None
        assert np.allclose(mine[1], own[1], rtol=1e-6, atol=1e-7 * np.abs(own[1]).max())


def test_a_mass_on_a_spring_has_the_slopes_of_its_formula():
    """x(T) = (v/w) sin wT, w^2 = k/m; the error of the steps is of second order, and so is that of its slopes."""

    def build(k=100.0, m=0.5, v=1.0):
        s = jp.System("spring", gravity=(0, 0, 0))
        body = s.body("b", mass=m, inertia=1e-3, velocity=(v, 0, 0))
        s.prismatic("P", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), displacement=jp.Spring(stiffness=k))
        return s

    T, h = 0.3, 5e-5
    vary = {
        "k": jp.Uniform("80 N/m", "120 N/m"),
        "m": jp.Uniform("0.4 kg", "0.6 kg"),
        "v": jp.Uniform("0.5 m/s", "2 m/s"),
    }
    made = engine(vary, [jp.Final("b.position[0]")], build, until=T, method=jp.Index1(step=h), save=T)
    assert made.filling is not None and made.filling.affine
    x = np.array([93.0, 0.44, 1.7])
    values, slopes = made.gradient(x, [0])
    k, m, v = x
    w = np.sqrt(k / m)
    by_w = -v / w**2 * np.sin(w * T) + v * T / w * np.cos(w * T)
    wanted = np.array([by_w / (2 * np.sqrt(k * m)), -by_w * w / (2 * m), np.sin(w * T) / w])
    assert np.allclose(values, v / w * np.sin(w * T), rtol=1e-5)
    assert np.allclose(slopes[0], wanted, rtol=1e-5)


def test_rows_with_gradients_do_not_depend_on_what_ran_before():
    made = engine(NARROW, [jp.Final("crank.angular_velocity[2]")], gradients=True)
    points = jp.Random(4, seed=2).points(made.vary, 0, 4)
    first = [made.lane().row(x) for x in points]
    lane = made.lane()
    for x, row in zip(points[::-1], first[::-1], strict=True):
        again = lane.row(x)
        assert np.array_equal(again.gradient, row.gradient) and np.array_equal(again.values, row.values)
