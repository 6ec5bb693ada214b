"""Siconos examples (INRIA, Apache-2.0): bouncing ball, dry friction oscillator, slider-crank with play in its guide.

Some values are typed in (Siconos tutorials, commit b6c9bfd); the tables themselves are read where they are present.
"""

from __future__ import annotations

import numpy as np
import pytest
from clearances import ball, dry_oscillator, slider_crank
from refs import columns, reference

import jointplay as jp

STEPPED = jp.Moreau(step=0.005, impacts="stepped")
TOUCHES = [("upper", 0.0027), ("lower", 0.0258), ("upper", 0.0398), ("lower", 0.0622)]
TOUCHES += [("upper", 0.0721), ("lower", 0.0924), ("upper", 0.1087)]  # an accurate run, from the folder's notes


def test_moreau_jean_to_its_last_digit() -> None:
    """The same scheme with the same step: the digits given, 5e-13 in q and 5e-12 in v."""
    table = columns(reference("siconos_examples") / "bouncing_ball_moreau_jean.csv")
    sol = jp.simulate(ball(restitution=0.9), until=10.0, method=STEPPED, save=0.005)
    assert sol.outcome.ok, sol.outcome.message
    n = len(table["t"])
    assert np.max(np.abs(sol["ball.position"][:n, 1] - table["q"])) <= 1e-12
    assert np.max(np.abs(sol["ball.velocity"][:n, 1] - table["v"])) <= 5e-12


def test_first_steps_of_moreau_jean() -> None:
    """Typed in: q = 0.999877375, v = -0.04905 after one step."""
    sol = jp.simulate(ball(restitution=0.9), until=0.01, method=STEPPED, save=0.005)
    assert sol["ball.position"][1, 1] == pytest.approx(0.999877375, abs=1e-14)
    assert sol["ball.velocity"][1, 1] == pytest.approx(-0.04905, abs=1e-14)


@pytest.mark.parametrize(
    ("method", "off"), [(jp.Moreau(step=0.005), 1e-11), (jp.Moreau(), 1e-10)], ids=["fixed", "controlled"]
)
def test_event_driven_ball(method: jp.Moreau, off: float) -> None:
    """44 impacts; their digits are good to 5e-12."""
    table = columns(reference("siconos_examples") / "bouncing_ball_event_driven_impacts.csv")
    sol = jp.simulate(ball(restitution=0.9), until=10.0, method=method, save=0.1)
    impacts = sol.impacts[: len(table["t"])]
    assert np.max(np.abs(impacts.time - table["t"])) <= off
    assert np.max(np.abs(impacts.speed_before - table["v_minus"])) <= off
    assert np.max(np.abs(impacts.speed_after - table["v_plus"])) <= off


def test_dry_friction_oscillator() -> None:
    """Their run is 0.025 m off the exact solution while it moves and 1.3e-4 m at rest; ours lies within that."""
    table = columns(reference("siconos_examples") / "friction_oscillator.csv")
    sol = jp.simulate(dry_oscillator(), until=float(table["t"][-1]), method=jp.Moreau(step=0.01), save=table["t"])
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["mass.position"][:, 0] - table["x"])) <= 0.05
    assert abs(sol["mass.position"][-1, 0] - table["x"][-1]) <= 1e-3
    assert np.max(np.abs(sol["mass.velocity"][sol.time > 22.5])) <= 1e-15


def touches(time: np.ndarray, upper: np.ndarray, lower: np.ndarray) -> list[tuple[str, float]]:
    """Guide and time of the first impulse on each guide in turn."""
    found: list[tuple[str, float]] = []
    for t, up, down in zip(time, upper, lower, strict=True):
        for face, on in (("upper", up), ("lower", down)):
            if on and (not found or found[-1][0] != face):
                found.append((face, float(t)))
    return found


def test_slider_crank_touches_the_guides_in_order() -> None:
    """Times within 3 % of theirs (their run gains energy), the first within a millisecond; no turn of the slider."""
    table = columns(reference("siconos_examples") / "slider_crank_clearance_direct_projection.csv")
    theirs = touches(table["t"], table["P1"] + table["P2"] > 0.0, table["P3"] + table["P4"] > 0.0)[:7]
    sol = jp.simulate(slider_crank(), until=0.12, method=jp.Moreau(step=1e-5), save=2e-4)
    assert sol.outcome.ok, sol.outcome.message
    face = np.array([int(name[-2]) for name in sol.impacts.contact])
    ours = touches(sol.impacts.time, face < 2, face >= 2)[:7]
    assert [one for one, _ in ours] == [one for one, _ in theirs]
    assert abs(ours[0][1] - theirs[0][1]) <= 1e-3
    assert np.allclose([t for _, t in ours[1:]], [t for _, t in theirs[1:]], rtol=0.03)
    early = sol.time <= 0.04
    turns = sol["A.angle"][early] / (2 * np.pi)
    assert np.max(np.abs(turns - table["crank_rev"][: len(turns)])) <= 0.015
    assert np.max(np.abs(sol["slider.orientation"][:, 3])) <= 1e-9


def test_slider_crank_against_the_accurate_run() -> None:
    """Typed in; the sixth touch of that run (0.0924 s) lies 1.4 % before that of ours and of our own reference."""
    sol = jp.simulate(slider_crank(), until=0.12, method=jp.Moreau(step=1e-5), save=1e-3)
    face = np.array([int(name[-2]) for name in sol.impacts.contact])
    ours = touches(sol.impacts.time, face < 2, face >= 2)[:7]
    assert [one for one, _ in ours] == [one for one, _ in TOUCHES]
    assert np.allclose([t for _, t in ours], [t for _, t in TOUCHES], rtol=0.015)
