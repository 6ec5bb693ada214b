"""Tables of ISO 286 against the formulas of the standard, and fits against published limits."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.studies.iso286 import BELOW, ENDS, GRADES, tolerance, zone

MEANS = [
    np.sqrt(a * b) for a, b in zip((1, *ENDS[:-1]), ENDS, strict=True)
]  # geometric mean of a step; 1 to 3 mm first
FACTORS = {5: 7, 6: 10, 7: 16, 8: 25, 9: 40, 10: 64, 11: 100}
POWERS = {"d": (16.0, 0.44), "e": (11.0, 0.41), "f": (5.5, 0.41), "g": (2.5, 0.34)}


@pytest.mark.parametrize("grade", GRADES)
def test_grades_follow_the_formula_to_rounding(grade):
    """i = 0.45 D^(1/3) + 0.001 D; tables are rounded to a micrometre or more, which tells in the first step."""
    unit = np.array([0.45 * D ** (1 / 3) + 0.001 * D for D in MEANS])
    off = np.array(GRADES[grade]) / (FACTORS[grade] * unit) - 1.0
    assert abs(off[0]) < 0.2 and np.max(np.abs(off[1:])) < 0.1
    assert np.all(np.diff(GRADES[grade]) > 0)


@pytest.mark.parametrize("letter", POWERS)
def test_deviations_follow_the_formula_to_rounding(letter):
    factor, power = POWERS[letter]
    guess = factor * np.array(MEANS) ** power
    off = np.abs(np.array(BELOW[letter]) - guess)
    assert np.all((off < 1.1) | (off < 0.1 * guess))  # the first step is rounded most


@pytest.mark.parametrize(
    "text, low, high, sigma",  # diametral, micrometres
    [
        ("12 H7/g6", 6, 35, 3.516),
        ("25 H7/g6", 7, 41, 4.116),
        ("50 H7/g6", 9, 50, 4.947),
        ("30 H7/p6", -35, -1, 4.116),
        ("20 H8/f7", 20, 74, 6.519),
        ("10 H7/h6", 0, 24, 2.915),
        ("40 H7/k6", -18, 23, 4.947),
        ("8 K7/h6", -10, 14, 2.915),
        ("280 M6/h5", -41, 14, None),
    ],
)
def test_fits(text, low, high, sigma):
    fit = jp.Fit(text)
    assert np.allclose(np.array(fit.limits) * 1e6, (low, high))
    if sigma:
        assert 2e6 * fit.sigma == pytest.approx(sigma, abs=6e-4)
    assert fit.nominal == pytest.approx(0.25e-6 * (low + high))  # radial: halved once


def test_sizes_belong_to_the_step_that_they_end():
    assert tolerance(18, 7) == pytest.approx(18e-6)
    assert tolerance(18.001, 7) == pytest.approx(21e-6)
    assert zone(3, "K", 7) == pytest.approx((-10e-6, 0.0))  # no delta up to 3 mm


@pytest.mark.parametrize("text", ["12 H7/z6", "600 H7/g6", "12 g6/H7", "H7/g6", "12 H4/g6", "0 H7/g6", "12 K9/h6", 12])
def test_unknown_fits_are_one_sentence(text):
    with pytest.raises(jp.InputError) as caught:
        jp.Fit(text)
    assert len(caught.value.problems) == 1


def test_warm_parts():
    warm = jp.Fit("12 H7/g6", hole="aluminium", pin="steel", warmer="60 K")
    assert 2e6 * (warm.mean - jp.Fit("12 H7/g6").mean) == pytest.approx(8.3, abs=0.05)
    with pytest.raises(jp.InputError, match="unobtainium"):
        jp.Fit("12 H7/g6", hole="unobtainium", pin="steel", warmer="60 K")
    with pytest.raises(jp.InputError, match="temperature"):
        jp.Fit("12 H7/g6", hole="aluminium", pin="steel", warmer="60 mm")


def test_shift_and_inspection():
    off = jp.Fit("12 H7/g6", cp=1.33, cpk=1.0)
    sigma = np.array([18.0, 11.0]) / (6 * 1.33)
    assert 2e6 * off.mean == pytest.approx(20.5 + 3 * 0.33 * sigma.sum())
    inspected = jp.Fit("12 H7/g6", cp=0.5, inspected=True)
    x = inspected.at(np.linspace(0.0, 1.0, 20001))
    assert x.min() == pytest.approx(3e-6) and x.max() == pytest.approx(17.5e-6)
    assert x.std() == pytest.approx(inspected.sigma, rel=2e-3)
