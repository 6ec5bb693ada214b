"""Textbook contacts: bouncing balls, friction on inclines and oscillators, cradle, rocking block, rod."""

from __future__ import annotations

import numpy as np
import pytest
from clearances import GRAVITY, ball, block_on_plane, cradle, dry_oscillator, standing_block

import jointplay as jp

FINE, CONTROLLED = jp.Moreau(step=1e-3), jp.Moreau()
EITHER = pytest.mark.parametrize("method", [FINE, CONTROLLED], ids=["fixed", "controlled"])
ZENO = 8.578949178728887  # s, sqrt(2/g) (1 + e) / (1 - e)


def run(system: jp.System, until: float, method: jp.Moreau, save: float = 1e-2) -> jp.Solution:
    sol = jp.simulate(system, until=until, method=method, save=save)
    assert sol.outcome.ok, sol.outcome.message
    return sol


# -- bouncing --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "late"),
    [(jp.Moreau(step=5e-3), 5e-4), (FINE, 1e-4), (CONTROLLED, 3e-4), (jp.Moreau(rtol=1e-9, atol=1e-12), 1e-5)],
    ids=["5e-3", "1e-3", "1e-6", "1e-9"],
)
def test_infinitely_many_bounces_end_at_the_right_time(method: jp.Moreau, late: float) -> None:
    r"""Flights last e^k 2 sqrt(2/g); what is left of them is given up when it is shorter than the method can tell."""
    sol = run(ball(restitution=0.9), 10.0, method)
    k = np.arange(44)
    first = np.sqrt(2.0 / GRAVITY)
    exact = first + 2.0 * first * 0.9 * (1.0 - 0.9**k) / 0.1
    impacts = sol.impacts
    assert np.max(np.abs(impacts.time[:44] - exact)) <= 1e-11
    assert np.allclose(impacts.speed_after, -0.9 * impacts.speed_before, rtol=1e-12, atol=1e-15)
    assert ZENO - late <= impacts.time[-1] <= ZENO
    rest = sol.time > ZENO + 0.01
    assert np.max(np.abs(sol["ball.position"][rest, 1])) <= 1e-12
    assert np.max(np.abs(sol["ball.velocity"][rest])) <= 1e-12
    assert np.allclose(sol["J.stop_force"][rest], GRAVITY, rtol=1e-12)
    assert np.sum(impacts.energy_loss) == pytest.approx(GRAVITY, rel=1e-4)


@EITHER
def test_no_restitution_is_one_impact(method: jp.Moreau) -> None:
    sol = run(ball(restitution=0.0), 1.0, method)
    assert len(sol.impacts) == 1
    assert sol.impacts[0].energy_loss == pytest.approx(GRAVITY, rel=1e-12)
    assert abs(sol["ball.position"][-1, 1]) <= 1e-13


@EITHER
def test_full_restitution_keeps_the_energy_over_many_bounces(method: jp.Moreau) -> None:
    """Free fall is exact for the midpoint rule, so nothing at all is lost in 100 bounces."""
    until = 200.0 * np.sqrt(2.0 / GRAVITY)
    sol = run(ball(restitution=1.0), until, method)
    assert len(sol.impacts) == 100
    assert np.max(np.abs(sol["energy.total"] - GRAVITY)) <= 1e-11 * GRAVITY
    assert np.max(sol["ball.position"][:, 1]) <= 1.0 + 1e-12


@EITHER
def test_between_two_walls(method: jp.Moreau) -> None:
    """Without weight, e = 1: to and fro for ever; the period is exact."""
    s = jp.System("two walls", planar=True, gravity=(0, 0, 0))
    body = s.body("puck", mass=0.5, inertia=1.0, velocity=(2, 0))
    stop = jp.Stop(lower=-0.3, upper=0.4, contact=jp.Rigid(restitution=1.0))
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(1, 0), displacement=stop)
    sol = run(s, 7.0, method)
    times = sol.impacts.time
    assert np.allclose(times, 0.2 + 0.35 * np.arange(len(times)), atol=1e-12)
    assert len(times) == 20
    assert np.allclose(np.abs(sol["puck.velocity"][:, 0]), 2.0, rtol=1e-14)


@EITHER
def test_a_slow_wall_counts_every_blow(method: jp.Moreau) -> None:
    """No rebound threshold: the n-th bounce between walls with e = 0.5 has speed 2 0.5^n, however slow."""
    s = jp.System("two walls", planar=True, gravity=(0, 0, 0))
    body = s.body("puck", mass=0.5, inertia=1.0, velocity=(2, 0))
    stop = jp.Stop(lower=-0.1, upper=0.1, contact=jp.Rigid(restitution=0.5))
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(1, 0), displacement=stop)
    sol = run(s, 200.0, method, save=1.0)
    assert len(sol.impacts) == 10
    assert np.allclose(sol.impacts.speed_after, 2.0 * 0.5 ** np.arange(1, 11), rtol=1e-12)


# -- dry friction ----------------------------------------------------------------------------------------------------


@EITHER
@pytest.mark.parametrize(("mu", "angle"), [(0.3, 16.6), (0.3, 16.8), (0.5, 45.0), (0.8, 38.0), (0.0, 5.0)])
def test_block_on_an_incline(mu: float, angle: float, method: jp.Moreau) -> None:
    """It sticks below atan(mu) (16.699 degrees for 0.3) without any creep and slides above with g (sin - mu cos)."""
    a = np.radians(angle)
    sol = run(block_on_plane(mu=mu, gravity=GRAVITY * np.array([np.sin(a), 0.0, -np.cos(a)])), 1.0, method)
    slides = max(0.0, GRAVITY * (np.sin(a) - mu * np.cos(a)))
    late = sol.time > 0.01
    assert np.max(np.abs(sol["block.acceleration"][late] - (slides, 0.0, 0.0))) <= 1e-12
    gain = np.diff(sol["block.velocity"][late, 0]) - slides * np.diff(sol.time[late])
    assert np.max(np.abs(gain)) <= 1e-12
    if slides == 0.0:
        assert np.max(np.abs(sol["block.velocity"][late])) <= 1e-14
    normal = sol["J.normal_force"][late]
    assert np.allclose(np.sum(normal, axis=1), 2.0 * GRAVITY * np.cos(a), rtol=1e-12)


@pytest.mark.slow
def test_a_block_that_sticks_does_not_creep_in_a_million_steps() -> None:
    a = np.radians(16.6)
    gravity = GRAVITY * np.array([np.sin(a), 0.0, -np.cos(a)])
    sol = run(block_on_plane(mu=0.3, gravity=gravity), 100.0, jp.Moreau(step=1e-4), save=0.1)
    assert sol.stats["steps"] >= 1_000_000
    late = sol.time > 0.01
    assert np.max(np.abs(sol["block.velocity"][late])) <= 1e-12
    assert np.ptp(sol["block.position"][late], axis=0).max() <= 1e-12


@EITHER
@pytest.mark.parametrize("angle", [0.0, 30.0, 45.0, 77.0])
def test_friction_in_space_has_no_preferred_direction(angle: float, method: jp.Moreau) -> None:
    """The cone, not a pyramid: slid in any direction a block is braked by mu g along its velocity and then stays."""
    a, mu, v = np.radians(angle), 0.4, 1.0
    along = np.array([np.cos(a), np.sin(a), 0.0])
    sol = run(block_on_plane(mu=mu, gravity=(0, 0, -GRAVITY), velocity=v * along), 0.5, method)
    # the impact at the floor, sqrt(2 g gap) fast, takes mu times that speed at once
    speed = sol["block.velocity"] @ along
    fall = np.sqrt(2e-6 / GRAVITY)
    exact = np.maximum(0.0, v - mu * GRAVITY * sol.time)
    late = (sol.time > 0.0) & (np.abs(sol.time - v / mu / GRAVITY) > 0.01)
    assert np.max(np.abs(speed[late] - exact[late])) <= 1e-9
    assert fall < sol.time[1]
    assert np.max(np.abs(np.cross(sol["block.velocity"], along))) <= 1e-10
    slides = sol.time[1:] < v / mu / GRAVITY - 0.01
    push = sol["block.acceleration"][1:][slides]
    assert np.max(np.abs(push + mu * GRAVITY * along)) <= 1e-9
    assert np.max(np.abs(sol["block.velocity"][-1])) <= 1e-12


@EITHER
def test_a_push_within_the_cone_moves_nothing(method: jp.Moreau) -> None:
    push = 0.999 * 0.4 * 2.0 * GRAVITY * np.array([np.cos(1.0), np.sin(1.0), 0.0])
    sol = run(block_on_plane(mu=0.4, gravity=(0, 0, -GRAVITY), push=push, gap=1e-9), 0.5, method)
    late = sol.time > 0.01
    assert np.max(np.abs(sol["block.velocity"][late])) <= 1e-13


@pytest.mark.parametrize(
    ("method", "off"), [(jp.Moreau(step=1e-2), 2e-4), (FINE, 2e-6), (CONTROLLED, 2e-4)], ids=["1e-2", "1e-3", "rtol"]
)
def test_dry_friction_oscillator_stops_for_good(method: jp.Moreau, off: float) -> None:
    """x'' + x = -sgn(x'): half swings about +-1 until |x| < 1, at t = 22.4235564 s and x = 0.6821789 m."""
    sol = run(dry_oscillator(), 30.0, method, save=0.05)
    x, v = sol["mass.position"][:, 0], sol["mass.velocity"][:, 0]
    assert abs(x[-1] - 0.6821789) <= off + 1e-7
    stopped = sol.time > 22.45
    assert np.max(np.abs(v[stopped])) <= 1e-15
    assert abs(v[np.searchsorted(sol.time, 22.35)]) > 1e-3
    assert sol["J.friction_force"][-1] == pytest.approx(x[-1], abs=1e-9)
    # the start: about -1, with radius |(13, 6)|
    early = sol.time < 0.4
    exact = -1.0 + 13.0 * np.cos(sol.time[early]) + 6.0 * np.sin(sol.time[early])
    assert np.max(np.abs(x[early] - exact)) <= 1e-3


# -- several contacts at once ----------------------------------------------------------------------------------------


@EITHER
@pytest.mark.parametrize("count", [2, 3, 5])
def test_newtons_cradle_with_small_gaps(count: int, method: jp.Moreau) -> None:
    """One ball in, one ball out: the impacts follow each other."""
    sol = run(cradle(count, gap=1e-4), 0.1, method)
    speeds = [sol[f"ball{k}.velocity"][-1, 0] for k in range(count)]
    assert np.allclose(speeds, [0.0] * (count - 1) + [1.0], atol=1e-14)
    assert np.allclose(sol.impacts.time, 1e-4 * np.arange(1, count), atol=1e-15)


@EITHER
def test_newtons_cradle_without_gaps(method: jp.Moreau) -> None:
    """At one instant Newton's law holds for each pair: the first flies back with v/3, the others on with 2v/3."""
    sol = run(cradle(3, gap=1e-14), 0.1, method)
    speeds = [sol[f"ball{k}.velocity"][-1, 0] for k in range(3)]
    assert np.allclose(speeds, np.array([-1.0, 2.0, 2.0]) / 3.0, atol=1e-12)
    assert np.max(np.abs(sol["energy.kinetic"] - 0.25)) <= 1e-12


@EITHER
def test_plastic_cradle_moves_as_one(method: jp.Moreau) -> None:
    sol = run(cradle(4, gap=1e-4, restitution=0.0), 0.1, method)
    assert np.allclose([sol[f"ball{k}.velocity"][-1, 0] for k in range(4)], 0.25, atol=1e-14)


@pytest.mark.parametrize("method", [FINE, jp.Moreau(step=1e-4), CONTROLLED], ids=["1e-3", "1e-4", "controlled"])
def test_rocking_block_loses_what_housner_says(method: jp.Moreau) -> None:
    r"""Landing on its other edge without rebound, w+ / w- = 1 - (3/2) sin^2(alpha), tan(alpha) = base / height."""
    b, h = 0.1, 0.3
    sol = run(standing_block(half_base=b, half_height=h, tilt=-0.1, mu=1.0), 1.0, method, save=1e-3)
    housner = 1.0 - 1.5 * b * b / (b * b + h * h)
    times = np.unique(np.round(sol.impacts.time, 9))
    assert np.allclose(times, [0.191064, 0.490932, 0.733833, 0.933967], atol=1e-5)
    spin = sol["block.angular_velocity"][:, 2]
    for t in times:
        before, after = (sol.time < t) & (sol.time > t - 0.01), (sol.time > t) & (sol.time < t + 0.01)
        # extrapolated to the impact; the rate of the spin is smooth on either side
        w = [np.polyval(np.polyfit(sol.time[side] - t, spin[side], 2), 0.0) for side in (before, after)]
        assert w[1] / w[0] == pytest.approx(housner, abs=2e-4)
    assert np.max(np.abs(sol["block.position"][:, 2])) <= 1e-12
    assert np.min(sol["floor.gap"]) >= -1e-9
    assert np.all(np.diff(sol["energy.total"]) <= 1e-5)


@EITHER
def test_a_block_put_down_flat_stays(method: jp.Moreau) -> None:
    sol = run(standing_block(half_base=0.1, half_height=0.3, tilt=0.0, mu=0.5), 0.5, method)
    assert len(sol.impacts) == 0
    assert np.max(np.abs(sol["block.velocity"])) <= 1e-12
    assert np.allclose(np.sum(sol["floor.normal_force"], axis=1), GRAVITY, rtol=1e-9)


@EITHER
@pytest.mark.parametrize("mu", [0.5, 1.2, 2.5])
def test_painleves_rod_ends_with_an_outcome(mu: float, method: jp.Moreau) -> None:
    """A rod dragged over a rough floor at a steep angle: from mu = 4/3 on forces may not exist or not be unique.

    Whatever comes out, it is a result or a sentence, and every number in it is finite.
    """
    rod = standing_block(half_base=0.5, half_height=1e-3, tilt=np.radians(60), mu=mu, velocity=(3, 0, 0))
    sol = jp.simulate(rod, until=0.3, method=method, save=1e-3)
    assert sol.outcome.ok or "contact" in sol.outcome.message or "impacts" in sol.outcome.message
    for name in ("block.position", "block.velocity", "floor.normal_force", "energy.total"):
        assert np.all(np.isfinite(sol[name]))
    if mu < 4.0 / 3.0:
        assert sol.outcome.ok, sol.outcome.message
