"""Steps that end at walls and where contacts change over are found in a few tries, and are as exact as others.

Truth: a pendulum with a stop run from impact to impact by SciPy; blocks whose loads are known functions of time.
"""

from __future__ import annotations

import numpy as np
import pytest
from reliability.scenes import KINDS
from scipy.integrate import solve_ivp

import jointplay as jp

# a pair of half steps and its whole step, the impact, and one more whole step that looks for the instant
LANDING = 4 + 1 + 1
PLAY, LENGTH = 1e-5, 0.1  # m, of a block in its guide


def block_in_a_guide(
    m: float, inertia: float, velocity: float, friction: float = 0.0, gravity: float = 0.0
) -> jp.System:
    """A block in the middle of its guide, which falls on two corners and stays there."""
    s = jp.System("block", planar=True, gravity=(0, -gravity))
    body = s.body("block", mass=m, inertia=inertia, velocity=(velocity, 0))
    law = jp.Coulomb(friction) if friction > 0.0 else None
    radial = jp.Clearance(PLAY, contact=jp.Rigid(restitution=0.0), friction=law)
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), length=LENGTH, radial=radial)
    return s


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("e", [0.6, 0.8])
def test_instants_of_a_series_of_rebounds(rtol: float, e: float) -> None:
    """A pendulum hangs against its stop: many short flights, of which each costs one step."""
    g, length, at, m = 9.81, 0.4, 0.5, 2.0
    moment, k = m * length**2, 9.81 / (2 * 0.4)  # moment about the pivot 2 m l^2
    s = jp.System("pendulum", planar=True, gravity=(0, -g))
    start = at + 0.5
    place = (length * np.sin(start), -length * np.cos(start))
    body = s.body("bob", mass=m, inertia=moment, position=place, orientation=start)
    s.revolute("A", s.ground, body, point=(0, 0), angle=jp.Stop(lower=at - start, contact=jp.Rigid(restitution=e)))

    def wall(t: float, y: np.ndarray) -> float:
        return float(y[0] - at)

    wall.terminal, wall.direction = True, -1.0  # type: ignore[attr-defined]
    t, y, strikes, pieces = 0.0, np.array([start, 0.0]), [], []
    for _ in range(9):
        run = solve_ivp(
            lambda t, y: (y[1], -k * np.sin(y[0])),
            (t, t + 5.0),
            y,
            method="DOP853",
            rtol=1e-12,
            atol=1e-14,
            events=wall,
            dense_output=True,
        )
        t, y = float(run.t[-1]), np.array([at, -e * run.y[1, -1]])
        strikes.append(t)
        pieces.append(run.sol)
    until = strikes[-1] + 0.01 * (strikes[-1] - strikes[-2])
    times = np.linspace(0.0, strikes[-1], 301)
    sol = jp.simulate(s, until, jp.Moreau(rtol=rtol), save=times)
    found = np.asarray(sol.impacts["time"])
    assert len(found) == len(strikes)
    assert np.abs(found - strikes).max() <= rtol * strikes[-1]
    # states inside the steps, whose ends and middles were moved
    truth = np.array([pieces[int(np.searchsorted(strikes, t))](t)[0] for t in times])
    assert np.abs(sol["A.angle"] - (truth - start)).max() <= rtol
    # all steps cost four; flights that are short beside the motion need no other tries
    stats = sol.stats
    ordinary = stats["steps"] - len(strikes)
    assert stats["factorisations"] <= 6 * ordinary + LANDING * len(strikes) + 6 * stats["rejections"] + 2 * len(times)


@pytest.mark.parametrize("name", ["pendulum_with_stop", "slider_crank_with_stop", "two_masses"])
def test_impacts_cost_little_more_than_steps(name: str) -> None:
    """Tries on the way to an instant took three to four times the work of a step."""
    scene = KINDS[name](np.random.default_rng(1))
    sol = scene.run(jp.Moreau(rtol=1e-6), count=2)
    impacts = len(np.unique(sol.impacts["time"]))
    assert impacts > 0
    tries = sol.stats["steps"] + sol.stats["rejections"]
    assert sol.stats["factorisations"] <= 5 * tries + 3 * impacts + 10


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("slender", [1.0, 30.0])
def test_two_corners_let_go_together(rtol: float, slender: float) -> None:
    """The load of a long block falls along a straight line, and lifts it at a known instant.

    One corner alone would turn the block; two share its load. Lift-off at T, then y = F T^2 x^3 / (6 m), x = t/T - 1.
    """
    m, load, T = 0.5, 20.0, 0.01
    s = block_in_a_guide(m, m * LENGTH**2 / (12 * slender), velocity=0.3)
    s.force("F", "block", force=("0", f"{-load!r}*(1-t/{T!r})"))
    until = 1.08 * T
    sol = jp.simulate(s, until, jp.Moreau(rtol=rtol), save=np.linspace(0.2 * T, until, 57))
    x = np.maximum(sol.time / T - 1.0, 0.0)
    truth = load * T**2 * x**3 / (6 * m) - PLAY
    assert truth[-1] > -0.99 * PLAY
    assert truth[-1] < PLAY  # it does not reach the other side
    assert np.abs(sol["block.position[1]"] - truth).max() <= 1e-3 * rtol * LENGTH
    assert len(np.unique(sol.impacts["time"])) == 1
    assert not sol.outcome.warnings
    assert sol.stats["rejections"] <= 12


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
def test_friction_that_turns_back_at_once(rtol: float) -> None:
    """A block under a vibrating force: few steps are lost at its turns, and the steps after them are of full order."""
    m, g, mu, force, w, u = 1.0, 9.81, 0.2, 9.0, 40.0, 0.05
    s = block_in_a_guide(m, 1e-3, u, friction=mu, gravity=g)
    s.force("F", "block", force=(f"{force!r}*cos({w!r}*t)", "0"))
    lands = np.sqrt(2 * PLAY / g)  # with an impulse of friction mu m g lands
    way, until = 1.0, 0.5

    def rates(t: float, y: np.ndarray) -> tuple[float, float]:
        return y[1], force / m * np.cos(w * t) - mu * g * way

    def stops(t: float, y: np.ndarray) -> float:
        return float(way * y[1])

    stops.terminal, stops.direction = True, -1.0  # type: ignore[attr-defined]
    gained = force / (m * w)
    t, y = lands, np.array([u * lands + gained / w * (1 - np.cos(w * lands)), u + gained * np.sin(w * lands)])
    y[1] -= mu * g * lands
    turns, pieces = [], []
    while t < until:
        given = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14, "events": stops, "dense_output": True}
        run = solve_ivp(rates, (t, until), y, **given)
        t, y = float(run.t[-1]), np.array([run.y[0, -1], 0.0])
        pieces.append(run.sol)
        turns.append(t)
        way = float(np.sign(np.cos(w * t)))
        assert t == until or abs(force * np.cos(w * t)) > mu * m * g  # it does not stick
    assert len(turns) > 3
    times = np.linspace(2 * lands, until, 101)
    truth = np.array([pieces[int(np.searchsorted(turns, t))](t)[0] for t in times])
    sol = jp.simulate(s, until, jp.Moreau(rtol=rtol), save=times)
    assert np.abs(sol["block.position[0]"] - truth).max() <= rtol * LENGTH
    assert not sol.outcome.warnings
    assert sol.stats["rejections"] <= 5 * len(turns)
