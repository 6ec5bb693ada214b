"""Adjoint gradients through the steps of OptimalStep: against direct derivatives of the same run, and a formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from clearances import GRAVITY as G
from clearances import block_on_plane, cylindrical_slider
from gradients_of_runs import compare
from optimal_step_cases import CHAIN, FALL, SWING, ball, chain, crank, driven, fixed, hung, pendulum

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.sensitivity import through_contacts

SQUARE = {"function": np.square}


def test_a_ball_comes_to_rest() -> None:
    """It lies on the stop in the end, wherever it came from."""
    final = jp.Final("ball.position[2]")
    of = [final, jp.Integral("ball.velocity[2]", **SQUARE)]
    run: dict[str, Any] = {"until": 0.15, "scheme": fixed(5e-3), "save": 7e-3}
    assert compare(ball, FALL, of[1:], **run) < 1e-10
    found = jp.sensitivities(ball, {"height": 0.05, "lift": 0.01}, of, method="adjoint", **run)
    assert found[final]["lift"] == pytest.approx(1.0, abs=1e-12)
    assert found[final]["height"] == pytest.approx(0.0, abs=1e-12)
    assert found.stats["impacts"] == 1
    assert not found.invalid


def test_steps_of_any_size() -> None:
    scheme = jp.OptimalStep(h_min=1e-3, h_max=5e-3)
    of = [jp.Integral("ball.position[2]", **SQUARE)]
    assert compare(ball, FALL, of, until=0.15, scheme=scheme, save=0.01) < 1e-10


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    of, wrt = jp.Integral("ball.velocity[2]", **SQUARE), FALL
    run: dict[str, Any] = {"method": "adjoint", "until": 0.15, "scheme": fixed(1e-3), "save": 7e-3}
    one = jp.sensitivities(ball, wrt, of, **run)
    monkeypatch.setattr(through_contacts, "CHUNK", 7)
    monkeypatch.setattr(through_contacts, "MOST", 8)
    many = jp.sensitivities(ball, wrt, of, **run)
    assert one.stats["checkpoints"] == 1 < many.stats["checkpoints"] <= 8
    for name in wrt:
        assert many[of][name] == pytest.approx(one[of][name], rel=1e-12)


def test_joints_without_contacts() -> None:
    """Instants inside of steps as well: what is saved there is closed."""
    of = [jp.Final("b.velocity[1]"), jp.Integral("b.position[1]", **SQUARE), jp.Final("A.force[0]")]
    assert compare(chain, CHAIN, of, until=0.1, scheme=fixed(4e-3), save=6e-3) < 1e-8


def test_redundant_joints() -> None:
    of = [jp.Final("rocker.velocity[0]"), jp.Integral("A.drive_torque", **SQUARE)]
    run: dict[str, Any] = {"until": 0.03, "scheme": fixed(2e-3), "save": 3e-3}
    assert compare(entries()["driven_four_bar_3d"], ["crank", "rho"], of, **run) < 1e-8


def test_velocities_that_a_drive_changes_at_once() -> None:
    of = [jp.Final("b.velocity[0]"), jp.Integral("b.position[2]", **SQUARE)]
    run: dict[str, Any] = {"until": 0.02, "scheme": fixed(1e-3), "save": 1.5e-3}
    assert compare(driven, {"rate": 2.0, "length": 0.3}, of, **run) < 1e-8


def test_a_pendulum_meets_its_stop() -> None:
    of = [jp.Integral("bob.position[2]", **SQUARE), jp.Integral("bob.velocity[2]"), jp.Final("A.angle")]
    run: dict[str, Any] = {"until": 0.15, "scheme": fixed(5e-3), "save": 5e-3}
    assert compare(pendulum, SWING, of, **run) < 1e-8


def test_a_block_slides_and_turns() -> None:
    """In space the direction of friction turns with the motion."""

    def block(mu: float, push: float, speed: float) -> jp.System:
        return block_on_plane(mu=mu, gravity=(0, 0, -G), velocity=(speed, 0, 0), push=(0, push, 0))

    of = [jp.Final("block.velocity[1]"), jp.Integral("block.velocity[0]", **SQUARE), jp.Integral("J.normal_force[0]")]
    values = {"mu": 0.2, "push": 3.0, "speed": 1.0}
    assert compare(block, values, of[:2], until=0.15, scheme=fixed(5e-3), save=0.01) < 1e-8


def test_a_sleeve_on_a_rod() -> None:
    """Both ends strike, one after the other, with friction."""
    of = [jp.Final("slider.velocity[2]"), jp.Integral("slider.velocity[2]", **SQUARE)]
    values = {"gap": 1e-4, "mu": 0.1, "arm": 0.03}
    assert compare(cylindrical_slider, values, of, until=0.01, scheme=fixed(2e-4), save=3e-4) < 1e-8


@pytest.mark.parametrize("mu", [0.0, 0.01])
def test_a_slider_crank_with_play(mu: float) -> None:
    """Paper B without rebounds."""

    values = {"gap": 1e-3, "crank": 0.153} | ({"mu": mu} if mu > 0.0 else {})
    of = [jp.Final("crank.angular_velocity[2]"), jp.Integral("slider.velocity[0]", **SQUARE), jp.Final("A.force[0]")]
    assert compare(crank, values, of, until=6e-3, scheme=fixed(1e-4), save=2.3e-4) < 1e-8


def test_forces_of_a_pressed_journal() -> None:
    of = [jp.Final("bob.angular_velocity[2]"), jp.Integral("A.force[1]"), jp.Final("A.normal_force[0]")]
    assert compare(hung, {"gap": 1e-3, "mu": 0.2}, of, until=0.05, scheme=fixed(1e-3), save=2.5e-3) < 1e-8


def test_faults_are_told() -> None:
    """Steps that are too long, as the direct method tells them."""
    found = jp.sensitivities(
        hung, ["gap"], jp.Final("bob.position[1]"), "adjoint", until=0.14, scheme=fixed(5e-3), save=5e-3
    )
    assert found.invalid[0][0] == pytest.approx(0.115)
    assert "too long" in found.invalid[0][1]
