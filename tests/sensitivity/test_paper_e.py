"""Verulkar et al. 2022, section 7.2: derivatives of the slider-crank with friction by seven parameters (start A).

The truth is a program of one coordinate without multipliers (paper_e_reference.py), differenced; the check on the same
discretisation is a run on complex numbers, which knows no tangent equation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from paper_e_reference import PARAMETERS, STARTS, SliderCrank, pose, slider_crank
from paper_e_reference import sensitivities as reference

import jointplay as jp
from jointplay.cli.examples import entries

MODEL = entries()["slider_crank_friction"]
STEP = 1e-4  # s: the slider passes from rest to v_t within a millisecond
NAMES = list(PARAMETERS)
VELOCITY = "slider.velocity[0]"
BRISTLES = (
    "{gonthier_friction: {mu_s: mu_s, mu_d: mu_d, sigma_0: 1e5, sigma_1: 316.227766, sigma_2: 0, tau_dw: 2, v_s: v_t, "
    "length: length, width: width}}"
)
# largest scaled derivatives of the slider's velocity over 1.5 s, m/s, by the reference
LARGEST = {"length": 2.75e-3, "width": 3.9e-3, "mu_s": 0.79, "mu_d": 0.605}


def derivatives(method: str, until: float, of: Any = VELOCITY, model: Any = MODEL, **given: Any) -> jp.Sensitivities:
    """All seven parameters, unless told otherwise."""
    settings = {"wrt": NAMES, "scheme": jp.Index1(step=STEP), "save": 1e-2} | given
    result = jp.sensitivities(model, of=of, method=method, until=until, **settings)
    assert not result.invalid
    return result


def apart(one: jp.Sensitivities, other: jp.Sensitivities) -> dict[tuple[str, str], float]:
    """Largest difference over time relative to the largest derivative, for each quantity and parameter."""
    return {
        (of, name): float(np.max(np.abs(one[of][name] - other[of][name])) / np.max(np.abs(other[of][name])))
        for of in one.names
        for name in one.parameters
    }


def compare_with_reference(until: float) -> None:
    """Within 1 % of the reference at all saved instants that lie 20 ms away from stops of the slider."""
    found = derivatives("direct", until)
    truth = reference(found.time)
    stops = slider_crank("A", times=found.time).reversals
    away = np.min(np.abs(found.time[:, None] - stops), axis=1) > 0.02
    assert 0.7 < np.mean(away) < 1.0
    for name in NAMES:
        expected = truth.derivative["velocity"][name]
        off = np.abs(found[VELOCITY][name] - expected) / np.max(np.abs(expected))
        assert np.max(off[away]) < 0.01, name
        # in fact the discretisation leaves less, also at the stops: most for v_t, passed in the first millisecond
        assert np.median(off) < (2e-3 if name == "v_t" else 1e-4), name
        assert np.max(off) < 0.01, name
    assert np.max(np.abs(found.values[VELOCITY] - truth.values["velocity"])) < 1e-4


@pytest.mark.slow
def test_direct_is_complex_step() -> None:
    """Over two stops of the slider, with forces of joints, places, turns and energies."""
    of = [VELOCITY, "B.force", "D.torque", "D.friction_normal", "D.friction_force", "crank.orientation", "A.angle"]
    of += ["slider.acceleration[0]", "energy.kinetic", "energy.potential"]
    worst = apart(derivatives("direct", 0.35, of), derivatives("complex-step", 0.35, of))
    assert max(worst.values()) < 1e-8, max(worst, key=lambda pair: worst[pair])


def test_reference() -> None:
    compare_with_reference(0.4)


@pytest.mark.slow
def test_direct_is_complex_step_over_the_whole_time() -> None:
    worst = apart(derivatives("direct", 1.5), derivatives("complex-step", 1.5))
    assert max(worst.values()) < 1e-8


@pytest.mark.slow
def test_reference_over_the_whole_time() -> None:
    compare_with_reference(1.5)


@pytest.mark.slow
def test_largest_scaled_derivatives() -> None:
    """The width matters as much as the length, and static friction more than kinetic."""
    found = derivatives("direct", 1.5, save=1e-3)
    truth = reference(found.time)
    for name in NAMES:
        top, expected = (np.max(np.abs(x)) for x in (found[VELOCITY][name], truth.derivative["velocity"][name]))
        assert top == pytest.approx(expected, rel=5e-3), name
    scaled = {name: float(np.max(np.abs(found.scaled(VELOCITY, name)))) for name in NAMES}
    for name, size in LARGEST.items():
        assert scaled[name] == pytest.approx(size, rel=0.01), name
    assert scaled["mu_s"] > scaled["mu_d"]


OBJECTIVES = [
    jp.Integral(VELOCITY, function=np.square),
    jp.Final("B.force[1]"),
    jp.Final("crank.position[2]") + 3 * jp.Integral("slider.position[0]"),
    jp.Peak("D.friction_normal"),
]


def test_adjoint_is_direct() -> None:
    """Gradients of objectives, over a span that is no whole number of checkpoints."""
    back, along = (derivatives(method, 0.3117, OBJECTIVES) for method in ("adjoint", "direct"))
    for objective in OBJECTIVES:
        assert back.values[objective] == pytest.approx(along.values[objective], rel=1e-12)
        for name in NAMES:
            assert back[objective][name] == pytest.approx(along[objective][name], rel=1e-8), (str(objective), name)
    assert back.stats["checkpoints"] > 10


@pytest.mark.slow
def test_adjoint_is_direct_over_the_whole_time() -> None:
    objectives = OBJECTIVES[:1]
    back, along = (derivatives(method, 1.5, objectives) for method in ("adjoint", "direct"))
    for name in NAMES:
        assert back[objectives[0]][name] == pytest.approx(along[objectives[0]][name], rel=1e-8), name


def travel_time(angles: np.ndarray, data: SliderCrank) -> np.ndarray:
    r"""Time at which the crank of start B has reached each of ``angles``, without friction: energy is kept, so

    .. math:: t = \int_0^\theta \sqrt{M / 2(E - V)} \, d\theta

    by Gauss's rule, also for complex data.
    """
    nodes, weights = np.polynomial.legendre.leggauss(60)
    theta = 0.5 * angles[:, None] * (nodes + 1.0)
    start, spin = pose(np.zeros(1), data), STARTS["B"][1]
    energy = 0.5 * start.mass * spin**2 + start.potential
    at = pose(theta, data)
    return 0.5 * angles * (np.sqrt(at.mass / (2.0 * (energy - at.potential))) @ weights)


def test_without_friction_energy_gives_the_derivatives() -> None:
    """The angle by crank and rod: where t = T(theta, rho), d theta/d rho = -theta' dT/d rho."""
    tree = jp.load_model(MODEL, overrides={"parameters.theta": 0.0, "parameters.speed": "6 rad/s"}).to_tree()
    del tree["joints"]["D"]["friction"]
    given = {"model": jp.System.from_tree(tree), "wrt": ["crank", "rod"]}
    found = derivatives("direct", 0.6, ["A.angle", "A.angle_rate"], **given)
    # the motion itself, and then its derivatives
    angle, rate = found.values["A.angle"], found.values["A.angle_rate"]
    assert np.max(np.abs(travel_time(angle, SliderCrank()) - found.time)) < 1e-6
    assert angle[-1] > 2.0 * np.pi
    for name, value in (("crank", 0.08), ("rod", 0.3)):
        time = travel_time(angle + 0j, SliderCrank(**{name: value + 1e-30j}))
        truth = -rate * time.imag / 1e-30
        assert np.max(np.abs(found["A.angle"][name] - truth)) < 1e-4 * np.max(np.abs(truth)), name


@pytest.mark.slow
def test_friction_with_inner_states() -> None:
    """Gonthier's law: deflection of bristles and dwell are part of the state and of its tangents."""
    model = jp.load_model(MODEL, overrides={"joints.D.friction": BRISTLES})
    of = [VELOCITY, "D.friction_force", "B.force"]
    given: dict[str, Any] = {"model": model, "wrt": [*NAMES, "joints.D.friction.gonthier_friction.sigma_0"]}
    along = derivatives("direct", 0.2, of, **given)
    imaginary = derivatives("complex-step", 0.2, of, **given)
    # the slider is fast but for an instant: static friction and bristles hardly count (1e-9 N for a coefficient that is
    # one larger, of 7 N), and what a few roundings of the force change shows beside them
    for name in ("mu_s", given["wrt"][-1]):
        for one in of:
            size, rounding = np.max(np.abs(imaginary[one][name])), 1e-15 * np.max(np.abs(along.values[one]))
            assert np.max(np.abs(along[one][name] - imaginary[one][name])) < 1e-8 * size + 10 * rounding, (one, name)
    worst = apart(along, imaginary)
    assert max(off for (_, name), off in worst.items() if name not in ("mu_s", given["wrt"][-1])) < 1e-8
    back = derivatives("adjoint", 0.2, jp.Integral(VELOCITY, function=np.square), **given)
    same = derivatives("direct", 0.2, jp.Integral(VELOCITY, function=np.square), **given)
    for name in NAMES:
        assert back[back.names[0]][name] == pytest.approx(same[same.names[0]][name], rel=1e-8), name


def test_check_prints_the_agreement(capsys: pytest.CaptureFixture[str]) -> None:
    result = derivatives("direct", 0.1, wrt=["mu_d", "rod"], check=True)
    assert result.check is not None
    assert result.check.ok
    assert {pair.other for pair in result.check.pairs} == {"differences", "complex-step"}
    assert "direct against other methods" in capsys.readouterr().out
