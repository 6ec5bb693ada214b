"""Distributions: values, probabilities and densities belong together; bad ones are told."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.studies.vary import Vary

INPUTS = [
    jp.Uniform("1 mm", "3 mm"),
    jp.Normal("3 mm", sigma="0.1 mm"),
    jp.Normal("3 mm", tolerance="0.1 mm", cp=1.33, cpk=1.0),
    jp.Normal(3.0, tolerance=0.1, cp=0.8, inspected=True),
    jp.LogNormal(120, 12),
    jp.Triangular(1, 1.2, 3),
    jp.Triangular(1, 1, 3),
    jp.Measured([1.0, 2.0, 2.5, 7.0]),
    jp.Fit("12 H7/g6"),
    jp.Fit("12 H7/g6", cp=0.7, inspected=True),
]


@pytest.mark.parametrize("one", INPUTS, ids=lambda one: f"{type(one).__name__}")
def test_values_probabilities_densities(one):
    u = (np.arange(40000) + 0.5) / 40000
    x = one.at(u)
    assert np.all(np.diff(x) >= 0.0)
    assert np.max(np.abs(one.probability(x) - u)) < 1e-9
    assert x.mean() == pytest.approx(one.mean, rel=1e-4)
    assert x.std() == pytest.approx(one.sigma, rel=3e-3)
    middle = one.at(np.array([0.37, 0.371]))
    assert 0.001 / np.diff(middle)[0] == pytest.approx(float(one.density(middle.mean(keepdims=True))[0]), rel=2e-3)
    half = one.halved()
    assert half.sigma == pytest.approx(0.5 * one.sigma, rel=1e-2)
    assert half.dimension == one.dimension


def test_tolerance_as_text():
    one = Vary({"rod": "153 mm +- 0.05 mm"}).inputs["rod"]
    assert (one.mean, one.sigma) == (pytest.approx(0.153), pytest.approx(0.05e-3 / 3))
    assert np.allclose(one.limits, (0.15295, 0.15305))


def test_gaussian_copula():
    vary = Vary({"a": jp.Uniform(0, 1), "b": jp.Normal(0, 1), "c": jp.LogNormal(1, 0.5)}, {("a", "b"): 0.7})
    x = vary.values(jp.Random(200_000, 3).unit(3, 0, 200_000))
    # Spearman's rank correlation of a Gaussian copula is 6/pi asin(rho/2)
    from scipy.stats import spearmanr

    assert spearmanr(x[:, 0], x[:, 1])[0] == pytest.approx(6 / np.pi * np.arcsin(0.35), abs=0.006)
    assert abs(spearmanr(x[:, 0], x[:, 2])[0]) < 0.01


def test_slopes_of_values_over_scores():
    fit = jp.Fit("12 H7/g6", hole=23e-6, pin=11e-6, warmer="dT")
    given = {"a": jp.Uniform(0, 1), "b": jp.LogNormal(1, 0.5), "pin": fit, "dT": jp.Uniform(0, 60)}
    vary = Vary(given, {("a", "b"): -0.5})
    z, h = np.array([0.3, -1.0, 0.7, 0.2]), 1e-5
    wanted = [(vary.of_scores((z + h * e)[None]) - vary.of_scores((z - h * e)[None]))[0] / (2 * h) for e in np.eye(4)]
    assert np.allclose(vary.slopes(z), np.column_stack(wanted), rtol=1e-6, atol=1e-12)


def test_heat_widens_fits():
    fit = jp.Fit("12 H7/g6", hole="aluminium", pin="steel", warmer="dT")
    vary = Vary({"pin": fit, "dT": jp.Uniform(0, 60)})
    x = vary.values(np.array([[0.5, 0.0], [0.5, 1.0]]))
    assert 2e6 * (x[1, 0] - x[0, 0]) == pytest.approx(8.28)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: jp.Uniform(2, 1), "below"),
        (lambda: jp.Uniform("1 mm", "2 kg"), "mass"),
        (lambda: jp.Normal(1), "sigma or a tolerance"),
        (lambda: jp.Normal(1, 0), "greater than zero"),
        (lambda: jp.Normal(1, 1, cp=1, cpk=2), "cp"),
        (lambda: jp.Triangular(1, 3, 2), "rise"),
        (lambda: jp.Measured([1.0]), "two values"),
        (lambda: jp.Measured("nowhere.csv"), "cannot be read"),
        (lambda: jp.LogNormal(-1, 1), "above zero"),
        (lambda: Vary({}), "nothing"),
        (lambda: Vary({"a": 3.0}), "needs a tolerance"),
        (lambda: Vary({"a": "3 quux"}), "neither a tolerance"),
        (lambda: Vary({"a": jp.Normal(0, 1), "b": jp.Normal(0, 1)}, {("a", "x"): 0.1}), "does not vary"),
        (lambda: Vary({"a": jp.Normal(0, 1), "b": jp.Normal(0, 1)}, {("a", "b"): 1.0}), "between -1 and 1"),
        (
            lambda: Vary(
                {name: jp.Normal(0, 1) for name in "abc"}, {("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): -0.9}
            ),
            "positive definite",
        ),
    ],
)
def test_bad_inputs_are_one_sentence(make, words):
    with pytest.raises(jp.InputError, match=words) as caught:
        make()
    assert len(caught.value.problems) == 1
