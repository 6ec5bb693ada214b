"""Adjoint gradients through impacts: against closed formulas, and against direct derivatives of the same run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gradients_of_runs import compare

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.sensitivity import through_contacts

G = 9.81
SQUARE = {"function": np.square}


def ball(height: float = 1.0, e: float = 0.8, mass: float = 1.0, gap: float = 0.1) -> jp.System:
    """A ball in a guide, dropped on a stop."""
    s = jp.System("ball", gravity=(0, 0, -G))
    b = s.body("ball", mass=mass, inertia=(1, 1, 1), position=(0, 0, height))
    stop = jp.Stop(lower=-height + gap, contact=jp.Rigid(restitution=e))
    s.prismatic("P", s.ground, b, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
    return s


def velocity(t: float, height: Any, e: Any, gap: Any) -> Any:
    """Of that ball, from free flights between impacts; analytic in its parameters."""
    speed, left = np.sqrt(2 * G * (height - gap)), t - np.sqrt(2 * (height - gap) / G)
    if left.real < 0:
        return -G * t
    while True:
        speed = e * speed
        if (left - 2 * speed / G).real < 0:
            return speed - G * left
        left -= 2 * speed / G


SCHEMES = [jp.Moreau(step=1e-3), jp.Moreau(rtol=1e-7, atol=1e-9)]


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_a_bouncing_ball_by_formula(scheme: Any) -> None:
    given = {"height": 1.0, "e": 0.8, "gap": 0.1}
    final, until = jp.Final("ball.velocity[2]"), 1.6
    result = jp.sensitivities(
        ball, {**given, "mass": 1.0}, [final], method="adjoint", until=until, scheme=scheme, save=0.017
    )
    last = float(result.time[-1])
    assert result.values[final] == pytest.approx(velocity(last, **given), rel=1e-10)
    for name in given:
        truth = velocity(last, **{**given, name: given[name] + 1e-30j}).imag / 1e-30
        assert result[final][name] == pytest.approx(truth, rel=1e-8), name
    assert abs(result[final]["mass"]) < 1e-10
    assert result.stats["impacts"] >= 2
    assert not result.invalid


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_a_bouncing_ball_against_direct(scheme: Any) -> None:
    of = [jp.Final("ball.velocity[2]"), jp.Integral("ball.velocity[2]", **SQUARE), jp.Integral("energy.kinetic")]
    wrt = {"height": 1.0, "e": 0.8, "mass": 1.0, "gap": 0.1}
    assert compare(ball, wrt, of, until=1.0, scheme=scheme, save=0.017) < 1e-8


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    of, wrt = [jp.Integral("ball.velocity[2]", **SQUARE)], {"height": 1.0, "e": 0.8, "mass": 1.0, "gap": 0.1}
    run: dict[str, Any] = {"method": "adjoint", "until": 0.7, "scheme": jp.Moreau(step=1e-3), "save": 0.017}
    one = jp.sensitivities(ball, wrt, of, **run)
    assert one.stats["checkpoints"] == 3
    monkeypatch.setattr(through_contacts, "CHUNK", 7)
    monkeypatch.setattr(through_contacts, "MOST", 8)
    many = jp.sensitivities(ball, wrt, of, **run)
    assert 4 <= many.stats["checkpoints"] <= 8
    for name in ("height", "e", "gap"):
        assert many[of[0]][name] == pytest.approx(one[of[0]][name], rel=1e-12)
    assert many.stats["steps"] == one.stats["steps"]


@pytest.mark.parametrize(
    ("scheme", "within"), [(jp.Moreau(step=2e-5), 1e-8), (jp.Moreau(rtol=1e-6), 1e-5)], ids=["step", "rtol"]
)
def test_the_slider_crank_of_paper_b(scheme: Any, within: float) -> None:
    """The way back takes steps again: the step size that the error chose only to the accuracy of the contact solver."""
    of = [
        jp.Final("crank.angular_velocity[2]"),
        jp.Integral("slider.velocity[0]", **SQUARE),
        jp.Final("A.force[0]"),
    ]
    wrt = ["gap", "restitution", "mu", "bodies.slider.mass", "crank", "rod"]
    run: dict[str, Any] = {"until": 0.006, "scheme": scheme, "save": 1.3e-4}
    assert compare(entries()["slider_crank_clearance"], wrt, of, 0.1 * within, **run) < within


def test_a_pendulum_with_play() -> None:
    of = [jp.Final("pendulum.velocity[1]"), jp.Integral("pendulum.angular_velocity[2]", **SQUARE)]
    wrt = ["gap", "axial", "out", "aside", "bodies.pendulum.mass"]
    run: dict[str, Any] = {"until": 1.0, "scheme": jp.Moreau(step=2e-3), "save": 0.037}
    assert compare(entries()["clearance_pendulum"], wrt, of, **run) < 1e-8


def test_forces_of_contacts_that_press() -> None:
    of = [jp.Final("S.force[0]"), jp.Final("block.velocity[0]"), jp.Integral("S.displacement")]
    run: dict[str, Any] = {"until": 0.1, "scheme": jp.Moreau(step=1e-3), "save": 7e-3}
    assert compare(entries()["incline"], ["slope", "mu", "bodies.block.mass"], of, **run) < 1e-8


def driven(speed: float = 3.0, arm: float = 0.3, e: float = 0.5, gap: float = 0.05) -> jp.System:
    """A pendulum on a driven arm, that strikes a stop: the instant of an impact moves the drive as well."""
    s = jp.System("driven", gravity=(0, -G, 0))
    a = s.body("arm", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(arm / 2, 0, 0))
    b = s.body("bob", mass=0.5, inertia=(0.02, 0.02, 0.02), position=(arm + 0.2, 0, 0))
    s.revolute("A", s.ground, a, point=(0, 0, 0), axis=(0, 0, 1), angle=jp.Drive(f"{speed}*t + 0.2*sin(5*t)"))
    stop = jp.Stop(lower=-gap, upper=0.2, contact=jp.Rigid(restitution=e))
    s.revolute("B", a, b, point=(arm, 0, 0), axis=(0, 0, 1), angle=stop)
    return s


def test_a_driven_arm() -> None:
    of = [jp.Final("bob.angular_velocity[2]"), jp.Integral("bob.velocity[1]", **SQUARE)]
    wrt = {"speed": 3.0, "arm": 0.3, "e": 0.5, "gap": 0.05}
    run: dict[str, Any] = {"until": 0.4, "scheme": jp.Moreau(step=1e-3), "save": 0.013}
    assert compare(driven, wrt, of, **run) < 1e-8
