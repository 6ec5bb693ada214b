"""Friction laws on an ideal joint: sizes of the joint, Coulomb at rest and smoothed, constant friction."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.codes import Regime
from jointplay.laws.base import Unilateral
from jointplay.laws.on_joint import OnJoint
from jointplay.laws.registry import REGISTRY, RUB_LAWS
from jointplay.model.lawtree import parts

SIZES = {"length": 0.05, "width": 0.02, "radius": 0.01, "smoothing": 1e-4}
BROWN = jp.BrownMcPhee(mu_s=0.4, mu_d=0.3, v_t=1.5e-3, viscous=0.7)


def rub(v0: float, v1: float, N: float) -> np.ndarray:
    return np.array(BROWN.rub(np.array(BROWN.numbers()), v0, v1, N, 0.0, 0.0, 0.0, 0.0))


def test_brown_mcphee_in_one_direction_is_that_under_a_load() -> None:
    loaded = np.array(jp.BrownMcPhee(0.4, 0.3, 1.5e-3, 0.7, load=12.0).numbers())
    for v in (0.0, 1e-9, -3e-4, 2e-3, -5.0):
        lam = BROWN.force(loaded, 0.0, v, 0.0, loaded)[0]
        assert np.allclose(rub(v, 0.0, 12.0), [lam, 0.0, 0.0, 0.0, 0.0], rtol=1e-14)
        assert np.allclose(rub(0.0, v, 12.0), [0.0, lam, 0.0, 0.0, 0.0], rtol=1e-14)


def test_brown_mcphee_opposes_the_velocity() -> None:
    for speed in (1e-8, 1e-3, 2e-3, 1.0):
        whole = rub(speed, 0.0, 12.0)[0]
        assert np.allclose(rub(0.6 * speed, -0.8 * speed, 12.0)[:2], [0.6 * whole, -0.8 * whole], rtol=1e-14)


def test_brown_mcphee_without_velocity_or_normal_force() -> None:
    assert not rub(0.0, 0.0, 12.0).any()
    assert np.allclose(rub(0.3, -0.4, 0.0)[:2], [-0.21, 0.28], rtol=1e-15)  # the viscous part


def test_sizes_are_given_by_name_and_are_no_numbers_of_the_kernel() -> None:
    for law in (jp.Coulomb(0.3, **SIZES), jp.BrownMcPhee(0.4, 0.3, 1e-3, **SIZES)):
        assert {name: getattr(law, name) for name in SIZES} == SIZES
        assert law.sizes_given() == ("length", "width", "radius")
    assert jp.BrownMcPhee(0.4, 0.3, 1e-3, **SIZES).numbers() == (0.4, 0.3, 1e-3, 0.0, 0.0)
    assert jp.Coulomb(0.3).sizes_given() == () and jp.Coulomb(0.3).smoothing is None
    with pytest.raises(TypeError):
        jp.Coulomb(0.3, None, None, None, 0.05)  # type: ignore[misc]


def test_sizes_do_not_displace_the_first_field_in_model_files() -> None:
    first = {law.key: parts(law)[0].name for law in REGISTRY if issubclass(law, OnJoint)}
    assert first == {"coulomb": "mu", "brown_mcphee": "mu_s", "gonthier_friction": "mu_s"}


def test_which_laws_rub() -> None:
    assert {law.key for law in RUB_LAWS} == {"brown_mcphee", "gonthier_friction"}


def test_coulomb_at_rest_and_in_motion() -> None:
    assert jp.Coulomb(0.3, static=0.4).unilateral() == Unilateral(mu=0.3, static=0.4)
    assert jp.Coulomb(0.3).unilateral().static == 0.0
    with pytest.raises(ValueError, match="'static' must not be less than 'mu', but 0.2 is less than 0.3"):
        jp.Coulomb(0.3, static=0.2)


def test_coulomb_smoothed_on_a_joint() -> None:
    law = jp.Coulomb(0.3, creep=2e-3, static=0.4, **SIZES).rubbing()
    assert law == jp.BrownMcPhee(0.4, 0.3, 2e-3, **SIZES)
    assert BROWN.rubbing() is BROWN  # with its viscous part
    with pytest.raises(ValueError, match="'coulomb' sticks, which a smooth method cannot do: give 'creep'"):
        jp.Coulomb(0.3).rubbing()


def test_refused_in_a_contact() -> None:
    with pytest.raises(
        ValueError, match="'length', 'radius' of the friction law describes how an ideal joint is pressed"
    ):
        jp.Clearance(1e-4, friction=jp.Coulomb(0.1, length=0.1, radius=0.2))
    with pytest.raises(ValueError, match="'static' of the friction law has no place in a rigid contact"):
        jp.Clearance(1e-4, friction=jp.Coulomb(0.1, static=0.2))
    soft = jp.Clearance(1e-4, contact=jp.Hertz(1e9), friction=jp.Coulomb(0.1, static=0.2)).soft()
    assert soft is not None and soft.friction == jp.BrownMcPhee(0.2, 0.1, 1e-3)


def test_constant_friction() -> None:
    law = jp.ConstantFriction(5.0)
    assert law.regime is Regime.SET and law.unilateral() == Unilateral(mu=1.0, load=5.0)
    assert law.unilateral().mu * law.unilateral().load == jp.Coulomb(0.25, load=20.0).unilateral().mu * 20.0


def test_constant_friction_is_read_with_the_unit_of_its_coordinate() -> None:
    s = jp.System("wheel")
    wheel = s.body("wheel", mass=1.0, inertia=0.1)
    s.revolute("A", s.ground, wheel, point=(0, 0, 0), axis=(0, 0, 1), angle=jp.ConstantFriction("20 N cm"))
    other = s.body("block", mass=1.0, inertia=0.1)
    with pytest.raises(jp.InputError, match="N"):
        s.prismatic("D", s.ground, other, point=(0, 0, 0), axis=(0, 0, 1), displacement=jp.ConstantFriction("2 N m"))
    with pytest.raises(jp.InputError, match="cannot serve as friction"):
        radial = {"clearance": 1e-4, "friction": {"constant_friction": 2.0}}
        s.revolute("B", s.ground, other, point=(0, 0, 0), axis=(0, 0, 1), radial=radial, radius=0.01)
