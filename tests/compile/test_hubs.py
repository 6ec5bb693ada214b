"""Bodies with many joints: their velocities are unknowns of the factorised matrix, and nothing but the work changes."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.compile import graph
from jointplay.compile.graph import CROWDED, constraint_graph
from jointplay.methods.base import Method


def star(random: np.random.Generator, arms: int, held: str = "revolute", kind: str = "") -> jp.System:
    """A body on the ground, and arms of one or two bodies on it, like spokes, with joints of random kinds."""
    s = jp.System("star", gravity=(0.3, -0.2, -9.81))
    hub = s.body("hub", mass=2.0, inertia=(0.1, 0.12, 0.2), angular_velocity=(0, 0, 1) if held == "revolute" else None)
    if held == "revolute":
        s.revolute("H", s.ground, hub, point=(0, 0, 0), axis=(0, 0, 1))
    elif held == "spherical":
        s.spherical("H", s.ground, hub, point=(0, 0, 0))
    elif held == "twice":  # five rows too many
        s.revolute("H", s.ground, hub, point=(0, 0, 0), axis=(0, 0, 1))
        s.revolute("G", s.ground, hub, point=(0, 0, 1), axis=(0, 0, 1))
    for n in range(arms):
        angle = 2 * np.pi * n / arms
        along, across = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
        before = hub
        for k in range(int(random.integers(1, 3))):
            centre, turn = (0.6 + 0.3 * k) * along, np.cross((0, 0, 1), (0.6 + 0.3 * k) * along)
            velocity = tuple(turn) if held == "revolute" else (0, 0, 0)
            body = s.body(
                f"b{n}{k}", mass=random.uniform(0.1, 1), inertia=random.uniform(1e-3, 2e-3),
                position=tuple(centre), velocity=velocity, angular_velocity=(0, 0, 1) if held == "revolute" else None,
            )  # fmt: skip
            point = tuple((0.5 + 0.3 * k) * along)
            one = kind or str(random.choice(["spherical", "revolute", "universal"]))
            if one == "spherical":
                s.spherical(f"J{n}{k}", before, body, point=point)
            elif one == "universal":
                s.universal(f"J{n}{k}", before, body, point=point, axis_a=tuple(across), axis_b=(0, 0, 1))
            else:
                s.revolute(f"J{n}{k}", before, body, point=point, axis=tuple(across))
            before = body
    return s


def motion(system: jp.System, method: Method, crowded: int, monkeypatch: pytest.MonkeyPatch) -> jp.Solution:
    monkeypatch.setattr(constraint_graph, "__defaults__", (crowded,))
    sol = jp.simulate(system, until=0.05, method=method, save=0.01)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def hubs(system: jp.System) -> int:
    from jointplay.compile.build import compile_system

    return len({int(one["body"]) for one in compile_system(system).model.hub})


@pytest.mark.parametrize("method", [jp.Verlet(step=1e-3), jp.Explicit(rtol=1e-9), jp.Moreau(step=1e-3)], ids=repr)
@pytest.mark.parametrize("held", ["revolute", "spherical", "free", "twice"])
@pytest.mark.parametrize("seed", range(2))
def test_same_motion_and_reactions(method: object, held: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    system = star(np.random.default_rng(seed), 4, held)
    with_hub, without = (motion(system, method, crowded, monkeypatch) for crowded in (9, 10_000))
    for name in without.names:
        if name.endswith((".position", ".velocity", ".force", ".torque", "energy.error")):
            if held == "twice" and name.startswith(("H.", "G.")):
                continue  # shared by two joints in whatever way
            scale = 1.0 + np.max(np.abs(without[name]))
            assert np.max(np.abs(with_hub[name] - without[name])) < 1e-9 * scale, name


def test_small_models_have_no_hubs() -> None:
    assert hubs(star(np.random.default_rng(0), 4)) == 0


def test_a_star_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    system = star(np.random.default_rng(0), 1 + CROWDED // 3, kind="spherical")
    assert hubs(system) == 1


def test_loops_have_none() -> None:
    """Spokes that the ground holds too: rows would depend on each other if the hub stood still."""
    rows = (
        [(0, 1)] * 5
        + [(1, n) for n in range(2, 30) for _ in range(3)]
        + [(0, n) for n in range(2, 30) for _ in range(5)]
    )
    first, second = np.array(rows).T
    assert len(constraint_graph(first, second, len(first), 3).hub) == 0


def test_the_factor_grows_with_the_number_of_joints() -> None:
    """Blocks of L: two beside the hub for each ball joint, whatever their number."""
    sizes = []
    for n in (50, 100, 200):
        rows = [(0, 1)] * 5 + [(1, k) for k in range(2, n + 2) for _ in range(3)]
        first, second = np.array(rows).T
        sizes.append(len(constraint_graph(first, second, len(first), 3).link))
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
    assert sizes[2] < 3 * 200


def test_singular_positions_on_a_hub_are_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows between hub and ground that depend on each other vanish beside what elimination adds to them."""
    monkeypatch.setattr(constraint_graph, "__defaults__", (9,))
    report = star(np.random.default_rng(3), 4, "twice").check()
    assert report.mobility == motions_of(star(np.random.default_rng(3), 4, "revolute"))


def motions_of(system: jp.System) -> int:
    return int(system.check().mobility)


def test_the_threshold_is_that_of_the_module() -> None:
    assert constraint_graph.__defaults__ == (graph.CROWDED,)
