"""Robust choices: measures over fixed scenarios, their gradients, and an optimum that is known."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.studies.robust import measure_of
from jointplay.studies.vary import Vary


@pytest.mark.parametrize("text", ["mean", "mean+3sigma", "mean + 2 sigma", "quantile", "quantile 0.8"])
def test_gradients_of_measures(text):
    stream = np.random.default_rng(1)
    values, slopes = stream.standard_normal(9), stream.standard_normal((9, 2))
    measure = measure_of(text)
    value, gradient = measure(values, slopes)
    h = 1e-6
    for k in range(2):
        ahead, behind = (measure(values + s * h * slopes[:, k], slopes)[0] for s in (1, -1))
        assert gradient[k] == pytest.approx((ahead - behind) / (2 * h), rel=1e-5, abs=1e-8)
    low = measure(values, slopes, -1.0)[0]
    assert low <= value


def test_measures_are_what_they_say():
    x = np.array([1.0, 2.0, 3.0, 6.0])
    assert measure_of("mean+3sigma")(x, np.zeros((4, 1)))[0] == pytest.approx(x.mean() + 3 * x.std(ddof=1))
    assert measure_of("quantile 0.9")(x, np.zeros((4, 1)))[0] == pytest.approx(np.quantile(x, 0.9))
    for bad in ("median", 3, "mean+sigmas", ""):
        with pytest.raises(jp.InputError, match="measure"):
            measure_of(bad)


def thrown(speed=1.0, mass=1.0, gravity=9.81):
    """A mass thrown upwards, whose kinetic energy after 0.1 s is m (v - g t)^2/2."""
    s = jp.System("thrown", gravity=(0, 0, -gravity))
    s.body("m", mass=mass, inertia=(1, 1, 1), velocity=(0, 0, speed))
    return s


def test_a_robust_optimum_moves_away_from_the_nominal_one():
    """E[m (v - g t)^2]/2 over m and g is least where v = t E[g]; mean + 3 sigma has its optimum where a scan has it."""
    vary = {"mass": jp.Uniform(0.8, 1.2), "gravity": jp.Triangular(9.0, 9.5, 12.0)}
    options = {"until": 0.1, "save": [0.1], "scheme": jp.Index1(step=1e-3), "over": vary, "scenarios": 12}
    found = jp.optimise(thrown, jp.Final("energy.kinetic"), wrt={"speed": 0.5}, measure="mean", **options)
    assert found.ok
    points = jp.LatinHypercube(12).points(Vary(vary), 0, 12)
    m, g = points.T
    assert found.parameters["speed"] == pytest.approx(0.1 * np.sum(m * g) / np.sum(m), rel=1e-5)
    robust = jp.optimise(thrown, jp.Final("energy.kinetic"), wrt={"speed": 0.5}, measure="mean+3sigma", **options)
    scan = np.linspace(0.9, 1.3, 40001)
    psi = 0.5 * m[:, None] * (scan - 0.1 * g[:, None]) ** 2
    best = scan[np.argmin(psi.mean(axis=0) + 3 * psi.std(axis=0, ddof=1))]
    assert robust.parameters["speed"] == pytest.approx(best, abs=2e-4)
    assert robust.parameters["speed"] > found.parameters["speed"] + 0.01


def test_limits_are_kept_by_the_measure():
    """An input that is searched varies about its value: v - 3 sigma must stay above a limit."""
    vary = {"speed": jp.Normal(0.0, sigma=0.05)}
    found = jp.optimise(
        thrown,
        jp.Final("energy.kinetic"),
        wrt={"speed": 3.0},
        constraints=[jp.AtLeast(jp.Final("m.velocity[2]"), 1.0)],
        until=0.1,
        save=[0.1],
        scheme=jp.Index1(step=1e-3),
        over=vary,
        scenarios=16,
    )
    d = jp.LatinHypercube(16).points(Vary(vary), 0, 16)[:, 0]
    assert found.parameters["speed"] == pytest.approx(1.0 + 0.981 - d.mean() + 3 * d.std(ddof=1), rel=1e-5)
