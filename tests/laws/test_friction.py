"""Smooth friction: Brown-McPhee and the smoothed form of Coulomb."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from jointplay.laws.brown_mcphee import BrownMcPhee
from jointplay.laws.coulomb import CREEP, Coulomb

STEP = 1e-30
Z = np.zeros(1, dtype=complex)
LAW = BrownMcPhee(mu_s=0.4, mu_d=0.3, v_t=1.5e-3, viscous=0.7, load=10.0)


def coefficient(law: BrownMcPhee, s: complex) -> np.ndarray:
    return np.array(BrownMcPhee.coefficient(np.array(law.numbers(), dtype=complex), complex(s), 10.0, 0.0, Z))


def speeds() -> np.ndarray:
    random = np.random.default_rng(5)
    return np.concatenate([[0.0, 1e-12, 1e-8], 1.5e-3 * 10.0 ** random.uniform(-6.0, 6.0, 60)])


def test_formula() -> None:
    s, v = 2.3e-3, 1.5e-3
    expected = 0.3 * np.tanh(4 * s / v) + 0.1 * (s / v) / ((s / (2 * v)) ** 2 + 0.75) ** 2
    assert np.isclose(coefficient(LAW, s)[0].real, expected, rtol=1e-15)


def test_derivative_and_ratio() -> None:
    for s in speeds():
        mu, slope, ratio = coefficient(LAW, s).real
        # where tanh has reached 1 its slope is what rounding leaves of it
        assert np.isclose(coefficient(LAW, complex(s, STEP))[0].imag / STEP, slope, rtol=1e-11, atol=1e-12)
        assert np.isclose(ratio * s, mu, rtol=1e-14, atol=0.0)
        assert mu >= 0.0 and ratio > 0.0


def test_at_rest() -> None:
    mu, slope, ratio = coefficient(LAW, 0.0).real
    assert mu == 0.0
    assert np.isclose(slope, (4 * 0.3 + 16 * 0.1 / 9) / 1.5e-3, rtol=1e-14) and np.isclose(ratio, slope, rtol=1e-14)
    # the slope of paper E's stick-slip case, N = 10 N (docs/theory/laws/brown_mcphee.md)
    assert np.isclose(10.0 * slope, 9185.0, rtol=1e-4)


def test_ratio_is_smooth_where_its_formula_changes() -> None:
    s = 1e-4 * 1.5e-3 / 4.0
    below, above = coefficient(LAW, s * (1 - 1e-12))[2], coefficient(LAW, s * (1 + 1e-12))[2]
    assert np.isclose(below, above, rtol=1e-14)


def test_odd() -> None:
    for s in speeds():
        mu, slope, ratio = coefficient(LAW, s).real
        assert np.array_equal(coefficient(LAW, -s).real, [-mu, slope, ratio])


def test_peak() -> None:
    best = minimize_scalar(lambda y: -10.0 * coefficient(LAW, y * 1.5e-3)[0].real, bounds=(0.5, 2.0), method="bounded")
    assert np.isclose(-best.fun, 3.99807, atol=5e-6)
    assert np.isclose(best.x, 1.010, atol=5e-4)


def test_tends_to_the_dynamic_coefficient() -> None:
    assert np.isclose(coefficient(LAW, 1e3).real[0], 0.3, rtol=1e-12)


def test_on_a_coordinate() -> None:
    p = np.array(LAW.numbers(), dtype=complex)
    for s in speeds():
        for rate in (s, -s):
            lam, by_g, by_rate, V, loss = np.array(BrownMcPhee.force(p, 0.3 + 0j, complex(rate), 0.0, Z)).real
            turned = np.array(BrownMcPhee.force(p, 0.3 + 0j, complex(rate, STEP), 0.0, Z)).imag / STEP
            assert np.isclose(turned[0], by_rate, rtol=1e-11)
            assert by_g == 0.0 and V == 0.0 and loss >= 0.0
            assert np.isclose(lam, -10.0 * coefficient(LAW, rate)[0].real - 0.7 * rate, rtol=1e-14)
            assert np.isclose(loss, -lam * rate, rtol=1e-15)


def test_real_and_complex_kernels_agree() -> None:
    for s in speeds():
        ours = BrownMcPhee.coefficient(np.array(LAW.numbers()), s, 10.0, 0.0, np.zeros(1))
        assert np.allclose(ours, coefficient(LAW, s).real, rtol=1e-14)


def test_coulomb_smoothed() -> None:
    law = Coulomb(0.2, creep=2e-3).smooth()
    assert law == BrownMcPhee(0.2, 0.2, 2e-3) and law.creep == 2e-3
    for s in (0.0, 1e-4, 1e-3, 5e-3):
        assert np.isclose(coefficient(law, s)[0].real, 0.2 * np.tanh(4 * s / 2e-3), rtol=1e-14)
    assert Coulomb(0.2).smooth().creep == CREEP == 1e-3


def test_creep_under_a_load_that_dry_friction_holds() -> None:
    law, share = Coulomb(0.2, creep=2e-3).smooth(), 0.6
    speed = 2e-3 / 4.0 * np.arctanh(share)
    assert np.isclose(coefficient(law, speed)[0].real, share * 0.2, rtol=1e-14)


def test_smooth_is_itself() -> None:
    law = BrownMcPhee(0.4, 0.3, 1e-3)
    assert law.smooth() is law and law.creep == 1e-3


def test_refused() -> None:
    with pytest.raises(ValueError, match="'mu_s' must not be less than 'mu_d', but 0.2 is less than 0.3"):
        BrownMcPhee(0.2, 0.3, 1e-3)
    with pytest.raises(ValueError, match="'viscous' acts on a free coordinate"):
        BrownMcPhee(0.4, 0.3, 1e-3, viscous=1.0).smooth()
