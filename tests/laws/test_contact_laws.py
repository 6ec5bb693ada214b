"""Compliant contact laws: partials, balance of power, no pull, what restitution comes out, where K comes from.

N rate = dV/dx rate + loss,      N >= 0,      loss >= 0,      N = 0 at x <= 0
"""

from __future__ import annotations

import re
from math import acos, exp, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from jointplay.laws.compliant import Compliant, Sizes
from jointplay.laws.flores import Flores
from jointplay.laws.gonthier import Gonthier
from jointplay.laws.hertz import Hertz
from jointplay.laws.hunt_crossley import HuntCrossley
from jointplay.laws.hysteresis import Hysteresis, damping_for, restitution_obtained
from jointplay.laws.kelvin_voigt import KelvinVoigt
from jointplay.laws.lankarani_nikravesh import LankaraniNikravesh
from jointplay.laws.materials import MATERIALS, composite_modulus, read_material, stiffness_of
from jointplay.laws.pereira import BEND, Pereira, exponent

STEP = 1e-30
NOWHERE = Sizes()
REQUIRED = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
DAMPED: tuple[type[Hysteresis], ...] = (HuntCrossley, LankaraniNikravesh, Flores, Gonthier)

LAWS: list[Compliant] = [
    Hertz(stiffness=3.0),
    Hertz(stiffness=2.0, exponent=1.0),
    HuntCrossley(stiffness=3.0, restitution=0.6),
    HuntCrossley(stiffness=3.0, restitution=0.3, form="exact", exponent=2.2),
    LankaraniNikravesh(stiffness=3.0, restitution=0.75),
    Flores(stiffness=3.0, restitution=0.2),
    Gonthier(stiffness=3.0, restitution=0.4),
    Pereira({"E": 1.3, "nu": 0.2}, restitution=0.7, length=0.4, radii=(0.010, 0.0102)),
    Pereira({"E": 1.3, "nu": 0.2}, form="external", restitution=0.7, length=0.4, radii=(0.010, 0.02)),
    KelvinVoigt(stiffness=2.0),
    KelvinVoigt(stiffness=2.0, damping=0.7),
    KelvinVoigt(stiffness=2.0, damping=0.7, limit=1.0),
    KelvinVoigt(stiffness=2.0, damping=0.7, limit=0.3),
    KelvinVoigt(stiffness=2.0, unloading=0.25, v_0=0.8),
    KelvinVoigt(stiffness=2.0, unloading=0.0, v_0=0.8),
]


def name(law: Any) -> str:
    return str(getattr(law, "key", law))


def at(law: Compliant, x: float, rate: float, onset: float, dx: float = 0.0, drate: float = 0.0) -> np.ndarray:
    """N, its partials, energy and loss at x + i eps dx, rate + i eps drate."""
    p = np.array(law.numbers(), dtype=complex)
    return np.array(law.normal(p, complex(x, STEP * dx), complex(rate, STEP * drate), onset, 0.0))


def states(seed: int, count: int = 200) -> list[tuple[float, float, float]]:
    """Random depth, rate and onset speed; rates fall inside and outside of what a free impact has."""
    random = np.random.default_rng(seed)
    return [tuple(s) for s in random.uniform((0.01, -3.0, 0.0), (2.0, 3.0, 2.0), (count, 3))]


def rebound(law: Compliant, speed: float = 1.0, mass: float = 1.0) -> float:
    """Speed after a free impact of ``mass`` over the speed before, by integration."""
    p = np.array(law.numbers())

    def motion(t: float, y: np.ndarray) -> tuple[float, float]:
        return y[1], -law.normal(p, y[0], y[1], speed, t)[0] / mass

    def parted(t: float, y: np.ndarray) -> float:
        return float(y[0])

    parted.terminal, parted.direction = True, -1.0  # type: ignore[attr-defined]
    run = solve_ivp(motion, (0.0, 1e4), (0.0, speed), "DOP853", events=parted, rtol=1e-10, atol=1e-13)
    assert run.status == 1, "the bodies did not part"
    return float(-run.y_events[0][0][1] / speed)


# ---- the contract of all


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_partials(law: Compliant) -> None:
    for x, rate, onset in states(1):
        _, by_x, by_rate, _, _ = at(law, x, rate, onset).real
        assert by_x == pytest.approx(at(law, x, rate, onset, dx=1.0)[0].imag / STEP, rel=1e-12, abs=1e-12)
        assert by_rate == pytest.approx(at(law, x, rate, onset, drate=1.0)[0].imag / STEP, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_balance_of_power(law: Compliant) -> None:
    for x, rate, onset in states(2):
        force, _, _, stored, loss = at(law, x, rate, onset).real
        slope = at(law, x, rate, onset, dx=1.0)[3].imag / STEP
        assert force * rate == pytest.approx(slope * rate + loss, rel=1e-12, abs=1e-12)
        assert stored >= 0.0


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_never_pulls_and_never_gives_energy(law: Compliant) -> None:
    for x, rate, onset in states(3, 500):
        force, _, _, _, loss = at(law, x, rate, onset).real
        assert force >= 0.0
        assert loss >= -1e-15


@pytest.mark.parametrize("law", LAWS, ids=name)
@pytest.mark.parametrize("x", [0.0, -1e-9, -1.0])
def test_nothing_before_touch(law: Compliant, x: float) -> None:
    assert not at(law, x, 1.5, 1.0).any()
    assert not at(law, x, -1.5, 1.0).any()


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_real_and_complex_agree(law: Compliant) -> None:
    p = np.array(law.numbers())
    for x, rate, onset in states(4, 20):
        assert np.allclose(law.normal(p, x, rate, onset, 0.0), at(law, x, rate, onset).real, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_strips_share_the_force(law: Compliant) -> None:
    whole, strip = law.resolved(NOWHERE), law.resolved(Sizes(strips=5))
    for x, rate, onset in states(5, 20):
        assert np.allclose(5.0 * at(strip, x, rate, onset), at(whole, x, rate, onset), rtol=1e-13)


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_says_what_it_is(law: Compliant) -> None:
    assert law.summary().startswith(type(law).key)


# ---- hysteresis damping


def test_damping_ratio_saturates_beyond_the_onset_speed() -> None:
    law = LankaraniNikravesh(stiffness=3.0, restitution=0.0)
    assert at(law, 1.0, 7.0, 0.5)[0].real == pytest.approx(3.0 * 1.75)
    assert at(law, 1.0, -7.0, 0.5)[0].real == pytest.approx(3.0 * 0.25)


def test_slow_onset_has_bounded_damping() -> None:
    law = LankaraniNikravesh(stiffness=3.0, restitution=0.0, v_floor=0.1)
    assert at(law, 1.0, 0.05, 0.0)[0].real == pytest.approx(3.0 * (1.0 + 0.75 * 0.5))


def test_large_damping_is_cut_at_zero_force() -> None:
    assert at(Flores(stiffness=3.0, restitution=0.2), 1.0, -1.0, 1.0)[:3].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("kind", DAMPED)
@pytest.mark.parametrize("required", REQUIRED)
def test_restitution_obtained_by_integration(kind: type[Hysteresis], required: float) -> None:
    law = kind(stiffness=3.0, restitution=required)
    a, e = law.damping_factor(), rebound(law)
    assert e == pytest.approx(law.obtained(), abs=1e-7)
    assert 1.0 - a * e == pytest.approx((1.0 + a) * exp(-a * (1.0 + e)), abs=1e-5)  # no log of a small difference


@pytest.mark.parametrize("required", REQUIRED)
def test_exact_hunt_crossley_gives_the_required_restitution(required: float) -> None:
    law = HuntCrossley(stiffness=3.0, restitution=required, form="exact")
    assert rebound(law) == pytest.approx(required, abs=1e-6)
    assert law.obtained() == pytest.approx(required, rel=1e-14)


def test_restitution_depends_on_nothing_else() -> None:
    first = HuntCrossley(stiffness=3.0, restitution=0.5)
    other = HuntCrossley(stiffness=4e7, restitution=0.5, exponent=2.5)
    assert rebound(other, speed=0.2, mass=11.0) == pytest.approx(rebound(first), abs=1e-7)


def test_published_value_of_hunt_crossley() -> None:
    """Exudyn measures 0.663 for its Hunt-Crossley contact where 0.5 is required."""
    assert HuntCrossley(stiffness=1.0, restitution=0.5).obtained() == pytest.approx(0.663, abs=5e-4)


@pytest.mark.parametrize("e", [1e-12, 1e-3, 0.01, 0.999, 1.0 - 1e-6, 1.0 - 1e-12])
def test_exact_relation_at_the_ends_of_its_range(e: float) -> None:
    a = damping_for(e)
    assert 0.0 < a <= 1.0 / e
    assert restitution_obtained(a) == pytest.approx(e, rel=1e-14)
    if e > 0.99:
        assert a == pytest.approx(1.5 * (1.0 - e), rel=2.0 * (1.0 - e))


def test_elastic_ends() -> None:
    assert damping_for(1.0) == 0.0 and restitution_obtained(0.0) == 1.0
    assert Hertz(stiffness=1.0).obtained() == 1.0
    assert rebound(Hertz(stiffness=3.0)) == pytest.approx(1.0, abs=1e-8)
    for kind in DAMPED:
        assert kind(stiffness=1.0, restitution=1.0).damping_factor() == 0.0


def test_original_laws_do_not_reach_low_restitution() -> None:
    assert HuntCrossley(stiffness=1.0, restitution=0.0).obtained() == pytest.approx(0.48774, abs=1e-5)
    assert LankaraniNikravesh(stiffness=1.0, restitution=0.0).obtained() == pytest.approx(0.66296, abs=1e-5)


def test_floor_makes_slow_impacts_more_elastic() -> None:
    law = HuntCrossley(stiffness=3.0, restitution=0.5, form="exact", v_floor=0.1)
    assert rebound(law, speed=0.1) == pytest.approx(0.5, abs=1e-6)
    assert 0.9 < rebound(law, speed=0.01) < 1.0


# ---- Kelvin-Voigt


@pytest.mark.parametrize("zeta", [0.05, 0.3, 0.7, 0.95])
def test_plain_kelvin_voigt_against_its_closed_form(zeta: float) -> None:
    mass, stiffness = 2.5, 40.0
    law = KelvinVoigt(stiffness=stiffness, damping=2.0 * zeta * sqrt(stiffness * mass))
    expected = exp(-2.0 * zeta * acos(zeta) / sqrt(1.0 - zeta**2))
    assert rebound(law, speed=0.3, mass=mass) == pytest.approx(expected, abs=1e-7)


def test_limited_damper_starts_from_zero() -> None:
    law = KelvinVoigt(stiffness=2.0, damping=0.7, limit=1.0)
    assert at(law, 1e-6, 1.0, 1.0)[0].real == pytest.approx(4e-6)
    assert at(law, 1e-6, -1.0, 1.0)[0].real == 0.0
    assert at(KelvinVoigt(stiffness=2.0, damping=0.7), 1e-6, 1.0, 1.0)[0].real == pytest.approx(0.7, rel=1e-5)


def test_modified_form_by_hand() -> None:
    """Eq. 54 with K = 1e5, c_e = 0.01, v_0 = 0.1 m/s at 1 mm."""
    law = KelvinVoigt(stiffness=1e5, unloading=0.01, v_0=0.1)
    for rate, expected in ((-0.3, 1.0), (0.0, 1.0), (0.05, 50.5), (0.1, 100.0), (2.0, 100.0)):
        assert at(law, 1e-3, rate, 1.0)[0].real == pytest.approx(expected)


@pytest.mark.parametrize("c_e", [0.01, 0.25, 0.81])
def test_modified_form_returns_the_share_c_e_of_the_energy(c_e: float) -> None:
    errors = [abs(rebound(KelvinVoigt(stiffness=9.0, unloading=c_e, v_0=v_0)) - sqrt(c_e)) for v_0 in (0.1, 0.01)]
    assert errors[0] < 0.02
    assert errors[1] < 0.02 * errors[0]  # it falls with (v_0/v)^2
    assert rebound(KelvinVoigt(stiffness=9.0, unloading=c_e, v_0=1e4)) > 0.999


# ---- materials


def test_steel_ball_on_a_steel_plane() -> None:
    """R = 10 mm, E = 207 GPa, nu = 0.3: E* = 113.736 GPa, K = 1.51648e10 N/m^1.5, 479.55 N at 10 um."""
    law = Hertz(material="steel", radii=0.010).resolved(NOWHERE)
    assert law.stiffness == pytest.approx(1.516483e10, rel=1e-6)
    assert at(law, 10e-6, 0.0, 1.0)[0].real == pytest.approx(479.554, rel=1e-5)


def test_composite_modulus() -> None:
    steel, brass = read_material(["steel", "brass"])
    assert composite_modulus((steel, steel)) == pytest.approx(steel.E / (2.0 * (1.0 - steel.nu**2)))
    assert composite_modulus((steel, brass)) == pytest.approx(1.0 / (0.91 / 207e9 + 0.8775 / 110e9))


def test_ball_in_socket_as_in_paper_c() -> None:
    """Eq. 43: 4/3 E* sqrt(R_i R_j / dR); the same surfaces as radii, the hollow negative."""
    inner, gap = 0.02, 1e-4
    expected = 4.0 / 3.0 * 207e9 / (2.0 * 0.91) * sqrt(inner * (inner + gap) / gap)
    assert stiffness_of("steel", None, Sizes(gap=gap, radius=inner)) == pytest.approx(expected)
    assert stiffness_of("steel", (inner, -(inner + gap)), NOWHERE) == pytest.approx(expected)
    law = LankaraniNikravesh(material="steel", restitution=0.75).resolved(Sizes(gap=gap, radius=inner, strips=4))
    assert law.stiffness == pytest.approx(expected / 4.0)


def test_two_balls() -> None:
    assert stiffness_of("glass", (0.02, 0.02), NOWHERE) == pytest.approx(stiffness_of("glass", (0.01,), NOWHERE))


def test_all_materials_are_plausible() -> None:
    for E, nu in MATERIALS.values():
        assert 1e8 < E < 1e12 and 0.2 <= nu < 0.5


@pytest.mark.parametrize(
    "raw",
    ["steel", {"E": 207e9, "nu": 0.3}, ["steel", {"E": 207e9, "nu": 0.3}], (207e9, 0.3), ((207e9, 0.3), (207e9, 0.3))],
)
def test_ways_to_say_a_material(raw: Any) -> None:
    pair = read_material(raw)
    assert pair == ((207e9, 0.3), (207e9, 0.3))
    assert read_material(pair) == pair


def test_spelling_of_names() -> None:
    assert read_material("Stainless steel")[0] == MATERIALS["stainless_steel"]


def test_units_go_through_the_converter() -> None:
    requested = []

    def number(value: Any, unit: str) -> float:
        requested.append((value, unit))
        return 2e11 if unit == "Pa" else 0.3

    assert read_material({"E": "200 GPa", "nu": 0.3}, number)[0] == (2e11, 0.3)
    assert requested == [("200 GPa", "Pa"), (0.3, "")]


# ---- Pereira


def test_pereira_by_hand() -> None:
    """Steel, L = 10 mm, dR = 0.5 mm, depth 0.01 mm: 0.579 * 10 * 113736.3 / 0.5 * 0.01^1.162572 = 6229.6 N."""
    law = Pereira("steel", length=0.010, radii=(0.0095, 0.0100))
    assert at(law, 1e-5, 0.0, 1.0)[0].real == pytest.approx(6229.6426, rel=1e-6)


def test_pereira_by_hand_in_a_close_bearing() -> None:
    """The first branch of eq. 48: dR = 0.1 mm, Y = 1.51 (ln 100)^-0.151."""
    law = Pereira("steel", length=0.010, radii=(0.0100, 0.0101))
    assert at(law, 1e-5, 0.0, 1.0)[0].real == pytest.approx(8234.6646, rel=1e-6)


def test_pereira_by_hand_outside() -> None:
    """Two rollers of 10 mm: dR = 20 mm, (0.39 * 20 + 0.85) * 10 * 113736.3 / 20 * 0.01^1.094."""
    law = Pereira("steel", form="external", length=0.010, radii=(0.010, 0.010))
    assert at(law, 1e-5, 0.0, 1.0)[0].real == pytest.approx(3190.6934, rel=1e-6)


def test_pereira_exponent_is_continuous() -> None:
    assert exponent(BEND, "internal") == pytest.approx(exponent(BEND * (1.0 + 1e-12), "internal"), abs=1e-7)


def test_pereira_takes_its_sizes_from_the_joint() -> None:
    joint = Sizes(gap=5e-4, radius=0.0095, length=0.010, strips=10)
    whole = Pereira("steel", length=0.010, radii=(0.0095, 0.0100))
    strip = Pereira("steel").resolved(joint)
    assert 10.0 * strip.numbers()[0] == pytest.approx(whole.numbers()[0], rel=1e-9)
    assert whole.resolved(joint).numbers()[0] == pytest.approx(strip.numbers()[0], rel=1e-9)


@pytest.mark.parametrize("gap", [1e-4, 5e-4])
@pytest.mark.parametrize("load", [100.0, 1000.0, 10000.0])
def test_pereira_fits_elastic_theory(gap: float, load: float) -> None:
    """A pin in a bearing of 10 mm against K. L. Johnson's long cylinders, which the formula was fitted to."""
    radius, length, modulus = 0.0095, 0.010, 207e9 / (2.0 * 0.91)
    K, n, _, _ = Pereira("steel", length=length, radii=(radius, radius + gap)).numbers()
    johnson = load / length / (pi * modulus) * (log(4.0 * pi * modulus * gap * length / load) - 1.0)
    assert (load / K) ** (1.0 / n) == pytest.approx(johnson, rel=0.1)


# ---- bad input

STEEL_PIN: dict[str, Any] = {"material": "steel", "length": 0.01}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Hertz(), "needs 'stiffness', or 'material'"),
        (lambda: Hertz(stiffness=1.0, material="steel"), "not both"),
        (lambda: Hertz(stiffness=1.0, radii=(0.1,)), "'radii' together with 'material'"),
        (lambda: Hertz(material="steel", exponent=2.0), "exponent 1.5"),
        (lambda: Flores(stiffness=1.0, restitution=0.0), "greater than 0"),
        (lambda: Gonthier(stiffness=1.0, restitution=0), "greater than 0"),
        (lambda: HuntCrossley(stiffness=1.0, restitution=0.0, form="exact"), "greater than 0"),
        (lambda: HuntCrossley(stiffness=1.0, form="best"), "'original' or 'exact'"),
        (lambda: LankaraniNikravesh(stiffness=1.0, restitution=1.2), "cannot give energy"),
        (lambda: LankaraniNikravesh(stiffness=1.0, restitution=-0.2), "not be negative"),
        (lambda: KelvinVoigt(), "needs 'stiffness'"),
        (lambda: KelvinVoigt(stiffness=1.0, damping=1.0, unloading=0.5), "not both"),
        (lambda: KelvinVoigt(stiffness=1.0, unloading=1.5), "between 0 and 1"),
        (lambda: KelvinVoigt(stiffness=1.0, unloading=0.5, limit=1.0), "'limit' together with 'damping'"),
        (lambda: Pereira(), "needs 'material'"),
        (lambda: Pereira("steel", form="inside"), "'internal' or 'external'"),
        (lambda: Pereira("steel", radii=(0.1,)), "needs two numbers"),
        (lambda: Pereira("steel", restitution=2.0), "cannot give energy"),
        (lambda: Pereira("steel", radii=(0.0095, 0.01)).resolved(NOWHERE), "needs 'length'"),
        (lambda: Pereira(**STEEL_PIN).resolved(NOWHERE), "needs 'radii'"),
        (lambda: Pereira(**STEEL_PIN, form="external").resolved(Sizes(gap=1e-4, radius=0.01)), "two rollers"),
        (lambda: Pereira(**STEEL_PIN, radii=(0.01, 0.01)).resolved(NOWHERE), "must be the larger one"),
        (lambda: Pereira(**STEEL_PIN, radii=(-0.01, 0.01)).resolved(NOWHERE), "greater than 0"),
        (lambda: Pereira(**STEEL_PIN).resolved(Sizes(gap=0.0, radius=0.01)), "0.005 to 10 mm"),
        (lambda: Pereira(**STEEL_PIN, radii=(0.01, 0.021)).resolved(NOWHERE), "0.005 to 10 mm, here it is 11 mm"),
        (lambda: Pereira(**STEEL_PIN, radii=(0.01, 0.0102)).resolved(Sizes(gap=1e-4)), "leave 0.2 mm of play"),
        (lambda: Hertz(material="steel").resolved(NOWHERE), "needs 'radii'"),
        (lambda: Hertz(material="steel").resolved(Sizes(gap=0.0, radius=0.01)), "give 'stiffness'"),
        (lambda: Hertz(material="steel").resolved(Sizes(gap=0.1, radius=-0.01)), "radius must be greater than 0"),
        (lambda: Hertz(material="steel", radii=(0.1, -0.1)).resolved(NOWHERE), "equal and opposite"),
        (lambda: Hertz(material="steel", radii=(0.1, -0.05)).resolved(NOWHERE), "do not touch at a point"),
        (lambda: Hertz(material="steel", radii=(-0.1,)).resolved(NOWHERE), "do not touch at a point"),
        (lambda: Hertz(material="steel", radii=(0.0, 0.1)).resolved(NOWHERE), "must not be 0"),
        (lambda: Hertz(material="steel", radii=()).resolved(NOWHERE), "one radius"),
        (lambda: read_material("aluminum"), "did you mean 'aluminium'"),
        (lambda: read_material("oak"), "there are steel, "),
        (lambda: read_material({"E": 2e11}), "needs 'nu'"),
        (lambda: read_material({"E": 2e11, "nu": 0.3, "rho": 7800}), "not 'rho'"),
        (lambda: read_material({"E": -1.0, "nu": 0.3}), "E must be greater than 0"),
        (lambda: read_material({"E": 2e11, "nu": 0.6}), "between 0 and 0.5"),
        (lambda: read_material({"E": "2e11 Pa", "nu": 0.3}), "needs a number in Pa"),
        (lambda: read_material(["steel", "brass", "glass"]), "a list of two"),
        (lambda: read_material(7.0), "the name of a material"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_bad_input_has_a_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        make()
