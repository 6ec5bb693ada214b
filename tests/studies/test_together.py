"""Inputs that act together: heat that widens fits, correlations of any curves, scores far out; closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

import jointplay as jp
from jointplay.errors import InputError
from jointplay.studies.vary import Vary

RATE = 0.5 * 12e-3 * (23.0e-6 - 11.5e-6)  # m of gap per K: half of the diameter times the difference of expansions
WARM = {
    "gap": jp.Fit("12 H7/g6", hole="aluminium", pin="steel", warmer="rise"),
    "rise": jp.Uniform("0 K", "80 K"),
}


def gap_of(gap, rise=0.0):
    return gap


def test_corners_and_grids_are_heated():
    fit = WARM["gap"]
    study = jp.study(gap_of, WARM, plan=jp.Corners())
    low, high = (0.5 * one for one in fit.limits)
    assert np.allclose(sorted(study["gap"][1:]), sorted([low, high, low + 80 * RATE, high + 80 * RATE]), rtol=1e-12)
    grid = jp.study(gap_of, WARM, plan=jp.Grid(2))
    assert np.allclose(sorted(grid["gap"]), sorted(study["gap"][1:]), rtol=1e-12)


def test_first_order_gives_heat_to_what_heats():
    line = jp.first_order(gap_of, WARM, checks=0)
    own, heat = WARM["gap"].sigma ** 2, (RATE * 80) ** 2 / 12
    assert line.sigma["value"] == pytest.approx(np.sqrt(own + heat), rel=1e-9)
    assert line.contributions["value"]["rise"] == pytest.approx(heat / (own + heat), rel=1e-9)
    tornado = {name: b - a for name, a, b in line.tornado("value")}
    assert tornado["rise"] == pytest.approx(80 * RATE, rel=1e-9)


def test_contributions_of_rows_give_heat_to_what_heats():
    study = jp.study(gap_of, WARM, plan=jp.Sobol(4096, seed=2))
    own, heat = WARM["gap"].sigma ** 2, (RATE * 80) ** 2 / 12
    assert study.contributions()["rise"] == pytest.approx(heat / (own + heat), rel=2e-3)
    assert study.ratios()["rise"].value == pytest.approx(heat / (own + heat), abs=0.03)


def test_worst_case_is_heated():
    found = jp.worst_case(gap_of, WARM)
    low, high = (0.5 * one for one in WARM["gap"].limits)
    assert found.values == pytest.approx((low, high + 80 * RATE), rel=1e-9)
    assert found.greatest.point["gap"] == pytest.approx(high + 80 * RATE, rel=1e-9)


@pytest.mark.parametrize("rho", [-0.8, 0.3, 0.6])
def test_covariance_of_correlated_uniform_numbers(rho):
    # of scores with correlation rho uniform numbers have 6/pi asin(rho/2) (Pearson 1907)
    vary = Vary({"a": jp.Uniform(0, 1), "b": jp.Uniform(0, 2)}, {("a", "b"): rho})
    expected = 6 / np.pi * np.arcsin(rho / 2) * 2 / 12
    assert vary.covariance[0, 1] == pytest.approx(expected, rel=1e-6)
    line = jp.first_order(lambda a, b: a + b, vary, checks=0)
    assert line.sigma["value"] ** 2 == pytest.approx(1 / 12 + 4 / 12 + 2 * expected, rel=1e-6)


def test_covariance_of_correlated_lognormal_numbers():
    a, b = jp.LogNormal(2.0, 0.5), jp.LogNormal(5.0, 3.0)
    vary = Vary({"a": a, "b": b}, {("a", "b"): 0.7})
    expected = a.mean * b.mean * np.expm1(0.7 * a._s * b._s)
    assert vary.covariance[0, 1] == pytest.approx(expected, rel=1e-9)


def test_a_limit_nine_sigmas_away():
    found = jp.reliability(
        lambda R, S: R - S, {"R": jp.Normal(20, 1), "S": jp.Normal(4, 1.5)}, jp.AtLeast("value", 0.0), samples=0
    )
    beta = 16 / np.sqrt(3.25)
    assert found.beta == pytest.approx(beta, rel=1e-9)
    assert found.form == pytest.approx(norm.cdf(-beta), rel=1e-8)


def test_a_border_that_keeps_its_distance_is_told():
    vary = {name: jp.Normal(0.01, 1) for name in "xyz"}
    found = jp.reliability(lambda x, y, z: np.sqrt(x * x + y * y + z * z), vary, jp.AtMost("value", 4.0), samples=4096)
    assert found.sampled.low <= 1.13398e-3 <= found.sampled.high  # of chi squared with three degrees of freedom
    assert any("too few here" in note for note in found.notes)


def test_a_shifted_and_inspected_process():
    one = jp.Normal(10, tolerance=0.3, cp=0.8, cpk=0.6, inspected=True)
    sigma = 0.3 / 2.4
    middle = 10 + 3 * sigma * 0.2
    exact = truncnorm((9.7 - middle) / sigma, (10.3 - middle) / sigma, middle, sigma)
    assert (one.mean, one.sigma) == pytest.approx((exact.mean(), exact.std()), rel=1e-12)
    study = jp.study(lambda x: 2 * x, {"x": one}, limits=[jp.Between("value", 19, 20.5)], plan=jp.Sobol(4096))
    assert study.cpk() == pytest.approx((20.5 - 2 * exact.mean()) / (6 * exact.std()), rel=2e-3)
    found = study.yield_()
    assert found.low <= exact.cdf(10.25) <= found.high


def test_shares_of_independent_inputs_are_not_negative():
    study = jp.study(lambda a, b: a + 1e-6 * b, {"a": jp.Normal(0, 1), "b": jp.Normal(0, 1)}, plan=jp.Random(64))
    assert min(study.contributions().values()) >= 0.0


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ({"a,b": 0.1}, "needs two different inputs"),
        ({("a", "a"): 0.1}, "needs two different inputs"),
        ({("a", "b"): 0.1, ("b", "a"): 0.5}, "given twice"),
    ],
)
def test_bad_correlations(pairs, words):
    with pytest.raises(InputError, match=words):
        Vary({"a": jp.Uniform(0, 1), "b": jp.Uniform(0, 1)}, pairs)


def test_points_of_another_quantity_are_refused():
    with pytest.raises(InputError, match="is a force, and varies as a length"):
        jp.study(lambda a: a, {"a": jp.Uniform("1 mm", "2 mm")}, plan=jp.Points({"a": ["1 N"]}))


def test_a_quantile_takes_its_share_second():
    assert jp.Quantile("x", 0.9).level == 0.9
    with pytest.raises(InputError, match="0 to 1"):
        jp.Quantile("x", 1.5)
