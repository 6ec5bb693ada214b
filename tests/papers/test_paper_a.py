"""Paper A (Chaturvedi, Sandu, Sandu 2024): cylindrical, prismatic and revolute joints with clearance in space.

What is printed is incomplete; data and corrections are those of docs/theory/sources.md. Settled values follow from
statics and geometry alone. Motion of the pendulum: metres, released horizontally at rest, pin and hole centred.
"""

from __future__ import annotations

import numpy as np
import pytest
from clearances import GRAVITY, cylindrical_slider, paper_a_pendulum, prismatic_slider
from mechanisms import rotation
from scipy.special import ellipk

import jointplay as jp

METHODS = {"1e-3": jp.Moreau(step=1e-3), "1e-4": jp.Moreau(step=1e-4), "controlled": jp.Moreau()}
EACH = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
PERIOD = 15.678794  # s
GAP = (17.67e-3 - 17.32e-3) * np.sqrt(3) / 6  # m, of the prismatic joint on each side


def run(system: jp.System, until: float, method: jp.Moreau, save: float) -> jp.Solution:
    sol = jp.simulate(system, until=until, method=method, save=save)
    assert sol.outcome.ok, sol.outcome.message
    return sol


# -- cylindrical joint, Table 1 --------------------------------------------------------------------------------------


@EACH
def test_cylindrical_slider_settles_tilted(method: jp.Moreau) -> None:
    """The left end on the rod from above, the right one from below: at (0, -+c), with 90.696 and 59.304 N."""
    sol = run(cylindrical_slider(), 0.3, method, 1e-2)
    ends = sol["slider.position"][-1] + rotation(sol["slider.orientation"][-1]) @ [0, 0, 0.01] * np.array(
        [[-1.0], [1.0]]
    )
    assert np.max(np.abs(ends[:, :2] - [(0.0, -1e-4), (0.0, 1e-4)])) <= 1e-10
    assert np.max(np.abs(np.sort(sol["C.normal_force"][-1]) - (59.304, 90.696))) <= 1e-6
    assert np.max(np.abs(sol["C.gap"][-1])) <= 1e-10


@EACH
def test_cylindrical_slider_moves_freely_along_its_axis(method: jp.Moreau) -> None:
    """z'' = F / m = 15.625, no contact force along z, and nothing leaves the plane of symmetry."""
    sol = run(cylindrical_slider(), 0.3, method, 1e-2)
    assert np.max(np.abs(sol["slider.acceleration"][:, 2] - 15.625)) <= 1e-9
    assert np.max(np.abs(sol["C.force"][:, 2])) <= 1e-9
    assert np.max(np.abs(sol["slider.position"][:, 0])) <= 1e-12
    assert np.max(np.abs(sol["slider.orientation"][:, 2:])) <= 1e-12


def test_friction_slows_the_cylindrical_slider() -> None:
    """Settled, mu (N1 + N2) acts along the rod at the rod's surface, which also lightens one end: z'' < 15.625."""
    sol = run(cylindrical_slider(mu=0.1), 0.3, METHODS["1e-4"], 1e-2)
    normal = np.sum(sol["C.normal_force"][-1])
    assert sol["slider.acceleration"][-1, 2] == pytest.approx((50.0 - 0.1 * normal) / 3.2, rel=1e-6)
    assert np.max(np.abs(sol["slider.position"][:, 0])) <= 1e-10


# -- prismatic joint, Table 2 ----------------------------------------------------------------------------------------


def heights(sol: jp.Solution) -> np.ndarray:
    """Heights of the centres of the two end faces at the end of the run."""
    A = rotation(sol["slider.orientation"][-1])
    return np.asarray(sol["slider.position"][-1, 1] + A[1, 2] * np.array([-0.01, 0.01]))


@EACH
def test_prismatic_slider_stands_on_four_contacts(method: jp.Moreau) -> None:
    """Two base vertices of the low end on the base, two of the raised end on the slanted planes; the apex is free."""
    sol = run(prismatic_slider(), 0.3, method, 1e-2)
    force = sol["P.normal_force"][-1]
    assert np.sum(force > 1e-6) == 4
    assert np.max(np.abs(np.sort(force)[-4:] - (37.9075, 37.9075, 44.4230, 44.4230))) <= 1e-4
    assert sol["slider.acceleration"][-1, 2] == pytest.approx(12.5, abs=1e-9)
    assert np.max(np.abs(sol["P.force"][:, 2])) <= 1e-7
    gaps = np.sort(sol["P.gap"][-1])
    assert np.max(np.abs(gaps[:4])) <= 1e-10
    # the tilt, 3 c over the length, lifts the base's edges and sinks the apex: 3 r_i (1 - cos) under its planes' top
    c, inscribed = GAP, 17.32e-3 / np.sqrt(12)
    sunk = inscribed * (1.0 - np.cos(3.0 * c / 0.02))
    assert heights(sol)[0] == pytest.approx(-c - sunk, abs=1e-9)
    assert 2.0 * gaps[4] == pytest.approx(3.0 * sunk, rel=1e-3)
    assert 2.0 * gaps[4] == pytest.approx(1.72e-6, abs=1e-8)


@pytest.mark.parametrize(("outer", "settled"), [(False, -1.0), (True, -2.0)], ids=["prism", "hole"])
def test_without_a_pull_it_lies_flat(outer: bool, settled: float) -> None:
    """A prism rests on its base, -c; a hole hangs by its slanted walls on the apex of a fixed prism, -2 c."""
    sol = run(prismatic_slider(outer=outer, pull=0.0), 0.3, METHODS["1e-4"], 1e-2)
    assert np.max(np.abs(heights(sol) - settled * GAP)) <= 1e-10
    assert np.allclose(sol["P.force"][-1], (0.0, 3.2 * GRAVITY, 0.0), atol=1e-6)


def test_a_moving_hole_around_a_fixed_prism_settles_lower() -> None:
    """Mirrored: the hole hangs by its slanted walls at -0.2021 mm, where the prism stood at -0.1010 mm.

    Up to the effect of the tilt, a micrometre. The raised end stops with its base at +c.
    """
    sol = run(prismatic_slider(outer=True), 0.3, METHODS["1e-4"], 1e-2)
    assert np.max(np.abs(heights(sol) - (-2.0 * GAP, GAP))) <= 1.5e-6
    assert np.sum(sol["P.normal_force"][-1] > 1e-6) == 4
    assert np.allclose(sol["P.force"][-1], (0.0, 3.2 * GRAVITY, 0.0), atol=1e-6)
    assert sol["slider.acceleration"][-1, 2] == pytest.approx(12.5, abs=1e-6)


# -- revolute joint, Tables 3 and 4 ----------------------------------------------------------------------------------


def test_inertia_that_the_printed_period_implies() -> None:
    """T = 4 K(1/2) sqrt((J + m l2) / (m g l)) for a release from the horizontal."""
    J, m, cm = 800.0, 2.0, 30.9
    assert 4.0 * ellipk(0.5) * np.sqrt((J + m * cm**2) / (m * GRAVITY * cm)) == pytest.approx(PERIOD, abs=1e-6)


def test_period_of_the_ideal_pendulum() -> None:
    """Released at angle 0 it is back there, at rest, after a period."""
    sol = jp.simulate(paper_a_pendulum(clear=False), until=1.1 * PERIOD, method=jp.Explicit(rtol=1e-11), save=1e-2)
    rate = sol["R.angle_rate"]
    turning = np.flatnonzero((rate[:-1] > 0.0) & (rate[1:] <= 0.0))[-1]
    x = rate[turning] / (rate[turning] - rate[turning + 1])
    assert sol.time[turning] + x * 1e-2 == pytest.approx(PERIOD, abs=1e-6)


@pytest.mark.parametrize("axial", [False, True], ids=["Table 4", "Table 3"])
@EACH
def test_first_contact_after_the_free_fall_through_the_gap(method: jp.Moreau, axial: bool) -> None:
    """sqrt(2 c / g) = 0.14278 s: the whole pendulum falls without turning."""
    sol = run(paper_a_pendulum(axial=axial), 0.5, method, 1e-2)
    assert sol.impacts.time[0] == pytest.approx(np.sqrt(0.2 / GRAVITY), abs=1e-9)
    assert sol.impacts.speed_before[0] == pytest.approx(-np.sqrt(0.2 * GRAVITY), rel=1e-9)


@EACH
def test_energy_never_grows(method: jp.Moreau) -> None:
    sol = run(paper_a_pendulum(axial=False), 10.0, method, 1e-2)
    scale = 2.0 * GRAVITY * 30.9
    assert np.max(np.diff(sol["energy.total"])) <= 5e-6 * scale
    assert np.max(np.abs(sol["energy.error"])) <= 1e-5 * scale
    assert np.min(sol["R.gap"]) >= -1e-9


def test_clearance_makes_the_pendulum_lag() -> None:
    """It falls before it swings and loses energy in the first impacts: later at the lowest point than the ideal one."""
    lowest = []
    for clear in (False, True):
        sol = run(paper_a_pendulum(clear=clear, axial=False), 5.0, METHODS["1e-3"], 1e-2)
        x = sol["pendulum.position"][:, 0]
        n = int(np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))[0])
        lowest.append(sol.time[n] + 1e-2 * x[n] / (x[n] - x[n + 1]))
    assert lowest[0] == pytest.approx(PERIOD / 4, abs=1e-4)
    assert 0.0 < lowest[1] - lowest[0] < 0.2


@EACH
def test_axial_play_bounds_the_drift_along_the_pin(method: jp.Moreau) -> None:
    """The centre of mass off the middle of the pin tilts the pendulum; it never leaves the total play c_a = 0.1 m."""
    sol = run(paper_a_pendulum(), 5.0, method, 1e-2)
    offset = sol["R.offset"]
    along = sol["pendulum.position"][:, 2] - 11.97
    assert np.all(np.isfinite(offset))
    gaps = sol["R.gap"]
    assert np.min(gaps) >= -1e-9
    assert gaps.shape[1] == 4  # two end circles, two flanges
    assert np.max(np.abs(gaps[:, 2] + gaps[:, 3] - 0.1)) <= 0.01  # the faces turn with the pendulum's tilt
    assert np.max(np.abs(along)) <= 1.0


def test_finer_steps_agree_better() -> None:
    """As in figs 30 to 37, but with impacts located: halving the step brings the position closer to a fine one."""
    place = {}
    for step in (4e-3, 2e-3, 1e-3, 1.25e-4):
        sol = run(paper_a_pendulum(axial=False), 1.0, jp.Moreau(step=step), 0.5)
        place[step] = sol["pendulum.position"][-1]
    off = [np.linalg.norm(place[step] - place[1.25e-4]) for step in (4e-3, 2e-3, 1e-3)]
    assert off[0] > off[1] > off[2] or off[0] <= 1e-6


def test_millimetres_are_the_same_motion_in_other_units() -> None:
    """Lengths / 1000 and J / 1e6 shorten all times by sqrt(1000)."""
    k = np.sqrt(1000.0)
    far = run(paper_a_pendulum(axial=False), 1.0, jp.Moreau(step=1e-3), 0.1)
    near = run(paper_a_pendulum(axial=False, scale=1e-3), 1.0 / k, jp.Moreau(step=1e-3 / k), 0.1 / k)
    assert np.allclose(far["pendulum.position"], 1e3 * near["pendulum.position"], atol=1e-5)


@pytest.mark.slow
def test_a_million_steps_without_drift() -> None:
    """Penetration and joint residual at most 1e-9 of the size, energy never growing, over 1e6 steps."""
    sol = run(paper_a_pendulum(axial=False, restitution=0.5), 1000.0, jp.Moreau(step=1e-3), 1.0)
    assert sol.stats["steps"] >= 1_000_000
    near = 1e-9 * 30.9  # m: held contacts stray by CLOSING = 2.5e-10 of the size between corrections (methods/base.py)
    assert np.min(sol["R.gap"]) >= -near
    assert sol.stats["worst_penetration"] <= near
    assert np.max(sol["R.residual"]) <= near
    scale = 2.0 * GRAVITY * 30.9
    assert np.max(np.diff(sol["energy.total"])) <= 1e-4 * scale
    assert sol["energy.total"][-1] <= sol["energy.total"][0]
