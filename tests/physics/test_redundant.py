"""Mechanisms with more constraints than they need: they run, keep their energy, and the redundancy is named."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import bar

import jointplay as jp
from jointplay.compile.build import compile_system, rank_of

CORNERS = np.array([(0, 0, 0), (0.3, 0.9, 0), (3.1, 2.6, 0), (4, 0, 0)], float)  # a crank, a coupler and a rocker
SPIN = 4.0


def four_bar(*, planar: bool) -> jp.System:
    """A crank-rocker in the x-y plane, gravity along -y; only the crank's speed is given."""
    s = jp.System("four-bar", planar=planar, gravity=(0, -9.81, 0))
    p = CORNERS
    centre = p[1] / 2
    crank = bar(s, "crank", p[0], p[1], velocity=np.cross((0, 0, SPIN), centre), angular_velocity=(0, 0, SPIN))
    coupler = bar(s, "coupler", p[1], p[2], mass=2.0)
    rocker = bar(s, "rocker", p[2], p[3], mass=1.5)
    for name, a, b, point in zip(
        "ABCD", (s.ground, crank, coupler, rocker), (crank, coupler, rocker, s.ground), p, strict=True
    ):
        s.revolute(name, a, b, point=point, axis=(0, 0, 1))
    return s


def bricard() -> jp.System:
    """The rectangular Bricard mechanism: a closed chain of six bars of 1 m along edges of a cube, one of them fixed.

    Every hinge stands at right angles to the two bars that it joins. Counting says that nothing can move (30 - 30);
    in truth one degree of freedom is left.
    """
    s = jp.System("Bricard", gravity=(0, -9.81, 0))
    corner = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    edge = np.roll(corner, -1, axis=0) - corner
    bodies = [bar(s, f"bar{k}", corner[k], corner[k + 1], thick=1e-3) for k in range(5)]
    chain = [s.ground, *bodies, s.ground]
    for k in range(6):
        s.revolute(f"J{k}", chain[k], chain[k + 1], point=corner[k], axis=np.cross(edge[k - 1], edge[k]))
    return s


def test_four_bar_drawn_in_space() -> None:
    compiled = compile_system(four_bar(planar=False))
    rank = rank_of(compiled)
    assert rank.mobility == 1
    assert len(compiled.rank.redundant) == 3
    # the last joint repeats what the first three say: it cannot leave the plane, nor tilt out of it
    assert {name.split("[")[0] for name in compiled.rank.redundant} == {"D.axial", "D.tilt"}
    assert any("redundant constraints (3)" in note and "D.axial" in note for note in compiled.rank.note())


def test_four_bar_runs_and_keeps_its_energy() -> None:
    sol = jp.simulate(four_bar(planar=False), until=10.0, method=jp.Explicit(rtol=1e-10, atol=1e-11), save=0.01)
    assert sol.outcome.ok, sol.outcome.message
    assert sol["A.angle"][-1] > 6 * np.pi  # several turns of the crank
    scale = np.max(sol["energy.kinetic"])
    assert np.max(np.abs(sol["energy.error"])) <= 1e-7 * scale
    assert np.max(np.abs(sol["energy.total"] - sol["energy.total"][0])) <= 1e-7 * scale
    assert max(np.max(sol[f"{joint}.residual"]) for joint in "ABCD") <= 1e-10
    assert sol.meta["multipliers"].startswith("least norm")


def test_planar_model_is_the_spatial_one() -> None:
    times = np.linspace(0, 3, 61)
    flat, full = (
        jp.simulate(four_bar(planar=planar), until=3.0, method=jp.Explicit(rtol=1e-11, atol=1e-12), save=times)
        for planar in (True, False)
    )
    assert compile_system(four_bar(planar=True)).rank.redundant == []
    for name in [f"{body}.{what}" for body in ("crank", "coupler", "rocker") for what in ("position", "velocity")]:
        assert np.max(np.abs(flat[name] - full[name])) <= 1e-8 * np.max(np.abs(full[name])), name
    for name in ("coupler.acceleration", "rocker.angular_acceleration", "A.force", "B.force", "C.force", "D.force"):
        assert np.max(np.abs(flat[name] - full[name])) <= 1e-7 * np.max(np.abs(full[name])), name
    # nothing pushes out of the plane: the reactions of least norm have no part there
    assert np.max(np.abs(full["B.force[2]"])) <= 1e-9
    assert np.max(np.abs(full["B.torque"])) <= 1e-9


def test_bricard_has_one_degree_of_freedom() -> None:
    compiled = compile_system(bricard())
    rank = rank_of(compiled)
    assert rank.mobility == 1
    assert len(compiled.rank.redundant) == 1
    assert compiled.rank.redundant[0].startswith("J5.")
    assert any("redundant constraints (1)" in note for note in compiled.rank.note())


@pytest.mark.parametrize("rtol", (1e-10, 1e-12))
def test_bricard_runs_and_keeps_its_energy(rtol: float) -> None:
    sol = jp.simulate(bricard(), until=10.0, method=jp.Explicit(rtol=rtol, atol=0.1 * rtol), save=0.01)
    assert sol.outcome.ok, sol.outcome.message
    scale = np.max(sol["energy.kinetic"])
    assert scale > 1.0  # it does fall
    assert np.max(np.abs(sol["energy.error"])) <= 1e-7 * scale
    assert max(np.max(sol[f"J{k}.residual"]) for k in range(6)) <= 1e-10
