"""Gonthier friction: its kernel against the equations of paper E written with vectors, and its limits."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.codes import Regime

STEP = 1e-30
TABLE_1 = {"mu_s": 0.4, "mu_d": 0.3, "sigma_0": 1e5, "sigma_1": 1e5**0.5, "sigma_2": 0.0, "tau_dw": 2.0, "v_s": 1.5e-3}
LAW = jp.GonthierFriction(**TABLE_1)
VISCOUS = jp.GonthierFriction(**TABLE_1 | {"sigma_2": 0.8})


def rub(law: jp.GonthierFriction, v: np.ndarray, N: float, z: np.ndarray, w: float) -> np.ndarray:
    return np.array(law.rub(np.array(law.numbers()), *map(float, v), N, 0.0, *map(float, z), w))


def equations(law: jp.GonthierFriction, v: np.ndarray, N: float, z: np.ndarray, w: float) -> np.ndarray:
    """Eq. 5 to 7 with |v| wherever it stands there; not defined at rest."""
    speed = np.linalg.norm(v)
    s = np.exp(-((speed / law.v_s) ** 2))
    x = min(speed / law.v_e, 1.0)
    f_C = law.mu_d * N * (1.5 * x - 0.5 * x**3) * v / speed
    dz = s * v + (1.0 - s) * (f_C / law.sigma_1 - law.sigma_0 / law.sigma_1 * z)
    dw = (s - w) / law.tau_dw if s >= w else (s - w) * law.sigma_0 / law.sigma_1
    f = law.sigma_0 * z + law.sigma_1 * dz
    limit = N * (law.mu_d + (law.mu_s - law.mu_d) * w)
    return np.array([*(-f * min(1.0, limit / np.linalg.norm(f)) - law.sigma_2 * v), *dz, dw])


def states(count: int) -> list[tuple[np.ndarray, float, np.ndarray, float]]:
    """Velocities from far below v_e to far above v_s, deflections on both sides of the limit."""
    random = np.random.default_rng(8)
    speeds = 1.5e-3 * 10.0 ** random.uniform(-6.0, 3.0, count)
    v = speeds[:, None] * (turned := random.normal(size=(count, 2))) / np.linalg.norm(turned, axis=1)[:, None]
    z = 3e-5 * random.normal(size=(count, 2))
    return list(zip(v, random.uniform(0.1, 20.0, count), z, random.uniform(0.0, 1.0, count), strict=True))


def test_equations() -> None:
    cut = 0
    for one in states(300):
        ours = rub(VISCOUS, *one)
        assert np.allclose(ours, expected := equations(VISCOUS, *one), rtol=1e-9, atol=1e-12), expected
        limit = one[1] * (0.3 + 0.1 * one[3])
        cut += bool(np.isclose(np.linalg.norm(ours[:2] + 0.8 * one[0]), limit, rtol=1e-9))
    assert 50 < cut < 250  # both sides of the limit are tested


def test_one_direction_is_the_other_one_turned() -> None:
    for v, N, z, w in states(50):
        c, s = np.cos(0.7), np.sin(0.7)
        turn = np.array([[c, -s], [s, c]])
        plain, turned = rub(VISCOUS, v, N, z, w), rub(VISCOUS, turn @ v, N, turn @ z, w)
        assert np.allclose(turn @ plain[:2], turned[:2], rtol=1e-9, atol=1e-12)
        assert np.allclose(turn @ plain[2:4], turned[2:4], rtol=1e-9, atol=1e-12)
        assert np.isclose(plain[4], turned[4], rtol=1e-9)


def test_holds_a_load_at_rest_without_creep() -> None:
    load, N = 2.9, 10.0
    F, _, dz, _, dw = rub(LAW, np.zeros(2), N, np.array([load / 1e5, 0.0]), 0.25)
    assert F == -load and dz == 0.0  # nothing moves
    assert np.isclose(dw, (1.0 - 0.25) / 2.0, rtol=1e-15)  # and the hold grows stronger


def test_slope_at_rest_is_that_of_the_bristles() -> None:
    p = np.array(VISCOUS.numbers(), dtype=complex)
    slopes = np.array(VISCOUS.rub(p, complex(0.0, STEP), 0j, 10.0 + 0j, 0.0, 0j, 0j, 0.5 + 0j)).imag / STEP
    assert np.allclose(slopes, [-(1e5**0.5) - 0.8, 0.0, 1.0, 0.0, 0.0], rtol=1e-15)


def test_sliding_is_dry_friction_whatever_the_bristles_do() -> None:
    for v in (np.array([0.3, 0.0]), np.array([-0.12, 0.16])):
        for z in (np.zeros(2), np.array([4e-5, -1e-5])):
            F = rub(VISCOUS, v, 10.0, z, 0.0)[:2]
            assert np.allclose(F, -3.0 * v / np.linalg.norm(v) - 0.8 * v, rtol=1e-13)


@pytest.mark.parametrize("speed", [1e-5, 1e-3, 1.5e-3, 2e-3])
def test_steady_sliding(speed: float) -> None:
    # bristles and dwell at rest in their own equations (docs/theory/laws/gonthier_friction.md)
    N, v = 10.0, np.array([speed, 0.0])
    s = np.exp(-((speed / 1.5e-3) ** 2))
    held = LAW.sigma_1 * speed * s / (1.0 - s)
    F, _, dz, _, dw = rub(LAW, v, N, (3.0 + held) / LAW.sigma_0 * v / speed, s)
    assert abs(dz) < 1e-9 * speed and dw == 0.0
    assert np.isclose(F, -3.0 - min(1.0 * s, held), rtol=1e-9)


@pytest.mark.parametrize("w", [0.0, 0.5, 1.0])
def test_breaks_loose_at_the_limit_that_the_dwell_allows(w: float) -> None:
    F = rub(LAW, np.zeros(2), 10.0, np.array([1e-3, 0.0]), w)[0]
    assert np.isclose(F, -10.0 * (0.3 + 0.1 * w), rtol=1e-15)


def test_without_normal_force_only_the_viscous_part_acts() -> None:
    for v, _, z, w in states(40):
        assert np.array_equal(rub(VISCOUS, v, 0.0, z, w)[:2], -0.8 * v)
    assert np.array_equal(rub(LAW, np.zeros(2), 0.0, np.zeros(2), 0.0), [0.0, 0.0, 0.0, 0.0, 0.5])


def test_dwell_is_lost_fast_and_gained_slowly() -> None:
    fast = np.array([0.1, 0.0])
    assert np.isclose(rub(LAW, fast, 10.0, np.zeros(2), 1.0)[4], -1.0 / (1e5**0.5 / 1e5), rtol=1e-12)
    assert np.isclose(rub(LAW, 0.0 * fast, 10.0, np.zeros(2), 0.0)[4], 0.5, rtol=1e-15)


def test_direction_has_no_corner_at_v_e() -> None:
    # v_e as large as v_s: else 1 - s hides what happens there
    law = jp.GonthierFriction(**TABLE_1, v_e=1.5e-3)
    p = np.array(law.numbers(), dtype=complex)

    def slope(v: float) -> float:
        return law.rub(p, complex(v, STEP), 0j, 10.0 + 0j, 0.0, 0j, 0j, 1.0 + 0j)[2].imag / STEP

    assert np.isclose(slope(1.5e-3 * (1 - 1e-9)), slope(1.5e-3 * (1 + 1e-9)), rtol=1e-6)


def test_numbers() -> None:
    assert np.isclose(LAW.numbers()[-1], 3.16e-3, atol=5e-6)  # tau_br as inferred for paper E: sigma_1/sigma_0
    assert jp.GonthierFriction(**TABLE_1, tau_br=0.02).numbers() == (*TABLE_1.values(), 1.5e-7, 0.02)
    assert (LAW.regime, LAW.role, LAW.inner) == (Regime.FORCE, "friction", 3)


def test_refused() -> None:
    with pytest.raises(ValueError, match="'mu_s' must not be less than 'mu_d', but 0.1 is less than 0.3"):
        jp.GonthierFriction(**TABLE_1 | {"mu_s": 0.1})
    for contact in (jp.Rigid(), jp.Hertz(1e9)):
        with pytest.raises(ValueError, match="'gonthier_friction' acts on ideal joints, not in a contact"):
            jp.Clearance(1e-4, contact=contact, friction=LAW)


def test_refused_on_a_free_coordinate() -> None:
    s = jp.System("block")
    block = s.body("block", mass=1.0, inertia=0.1)
    with pytest.raises(jp.InputError, match="'gonthier_friction' cannot act on a free coordinate"):
        s.prismatic("D", s.ground, block, point=(0, 0, 0), axis=(1, 0, 0), displacement=LAW)
