"""The way from variations to results, with an engine made of differences in the space of compiled numbers.

Derivatives by that engine go through Variation only, those by finite differences through whole models: that they agree
says that nothing is missing in a Variation.
"""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries

pytestmark = pytest.mark.usefixtures("engine")

FINE = jp.Explicit(rtol=1e-11, atol=1e-13)


def agree(given: Any, wrt: Any, of: Any, scheme: Any, until: float, within: float) -> None:
    """Compare with finite differences of whole models."""
    kind = {"until": until, "scheme": scheme, "save": until / 50}
    exact, truth = (jp.sensitivities(given, wrt, of, method, **kind) for method in ("direct", "differences"))
    for name in exact.names:
        for parameter in exact.parameters:
            a, b = np.asarray(exact[name][parameter]), np.asarray(truth[name][parameter])
            scale = max(float(np.max(np.abs(b))), 1e-4)
            assert np.max(np.abs(a - b)) < within * scale, (name, parameter)
        assert np.asarray(exact.values[name]) == pytest.approx(np.asarray(truth.values[name]), rel=1e-9, abs=1e-9)


def test_spatial_slider_crank() -> None:
    names = ["crank", "rod", "speed", "bodies.slider.mass", "bodies.rod.inertia[0]", "gravity[2]", "gravity[1]"]
    of = ["slider.velocity[0]", "B.force", "A.angle", "|D.torque|", "energy.potential"]
    agree(entries()["slider_crank"], names, of, FINE, 0.3, 2e-5)


def test_springs_and_dampers() -> None:
    names = ["mass", "stiffness", "damping", "out", "springs.S.free_length"]
    of = ["D.displacement", "S.force", jp.Peak("energy.kinetic"), jp.Integral("S.length", function=np.square)]
    agree(entries()["spring_mass"], names, of, FINE, 1.0, 1e-6)


def test_drives() -> None:
    agree(
        entries()["driven_four_bar_3d"],
        ["crank", "base", "rho"],
        ["rocker.position", "A.drive_torque"],
        FINE,
        0.2,
        1e-4,
    )


def test_bounces() -> None:
    of = ["ball.position[2]", jp.Final("ball.velocity[2]")]
    agree(entries()["bouncing_ball"], ["height", "restitution"], of, jp.Moreau(step=1e-3), 1.5, 1e-5)


def test_slider_with_play() -> None:
    names = ["gap", "restitution", "mu", "joints.D.length", "bodies.slider.mass"]
    agree(entries()["slider_crank_clearance"], names, ["crank.angular_velocity[2]"], jp.Moreau(step=1e-5), 8e-3, 2e-3)


def test_adjoint_gives_what_direct_gives() -> None:
    objective = jp.Final("D.displacement") - 3 * jp.Integral("block.velocity", function=lambda v: (v**2).sum(axis=-1))
    peak = jp.Peak("|S.force|")
    given: dict[str, Any] = {"until": 1.0, "scheme": FINE, "save": 0.01}
    names = ["mass", "damping"]
    one = jp.sensitivities(entries()["spring_mass"], names, [objective, peak], "direct", **given)
    other = jp.sensitivities(entries()["spring_mass"], names, [objective, peak], "adjoint", **given)
    for of in (objective, peak):
        for name in names:
            assert other[of][name] == pytest.approx(one[of][name], rel=1e-12)
    assert other.values[objective] == one.values[objective]
    assert other.stats["steps"] == 7
    with pytest.raises(jp.InputError, match="'adjoint' takes objectives"):
        jp.sensitivities(entries()["spring_mass"], names, "D.displacement", "adjoint", **given)


def test_check_prints_the_agreement(capsys: pytest.CaptureFixture[str]) -> None:
    result = jp.sensitivities(
        entries()["pendulum"], ["length", "mass"], "P.angle", until=1.0, save=0.01, scheme=FINE, check=True
    )
    assert result.check is not None
    assert result.check.ok
    assert result.check.worst < 1e-6
    said = capsys.readouterr().out
    assert "direct against other methods" in said
    assert "not compared with complex-step" in said
    assert "agrees with differences" in str(result)


def test_a_wrong_engine_is_found_out(engine: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    right = engine.direct

    def wrong(*given: Any) -> Any:
        answer = right(*given)
        return SimpleNamespace(**(vars(answer) | {"derivatives": answer.derivatives * 1.001}))

    engine.direct = wrong  # type: ignore[attr-defined]
    result = jp.sensitivities(entries()["pendulum"], "length", "P.angle", until=1.0, save=0.1, scheme=FINE, check=True)
    assert result.check is not None
    assert not result.check.ok
    assert result.check.worst == pytest.approx(1e-3, rel=1e-3)
    assert any(note.startswith("check: P.angle by length: direct and differences differ") for note in result.notes)
    assert "DOES NOT AGREE" in str(result)
    assert "1.0e-03" in capsys.readouterr().out


def test_limits_of_an_engine_are_handed_on(engine: ModuleType) -> None:
    right = engine.direct

    def limited(*given: Any) -> Any:
        answer = right(*given)
        return SimpleNamespace(**(vars(answer) | {"invalid": [(0.5, "two impacts at once")]}))

    engine.direct = limited  # type: ignore[attr-defined]
    result = jp.sensitivities(entries()["pendulum"], "length", "P.angle", until=1.0, save=0.1, scheme=FINE)
    assert result.invalid == [(0.5, "two impacts at once")]
    assert result.valid == [(0.0, 0.5)]


def test_the_solution_is_made_when_asked_for() -> None:
    result = jp.sensitivities(entries()["pendulum"], "length", "P.angle", until=1.0, save=0.1, scheme=FINE)
    assert result.solution["P.angle"] == pytest.approx(result.values["P.angle"])
    assert result.solution is result.solution
