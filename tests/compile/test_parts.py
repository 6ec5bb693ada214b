"""Parts of a system that nothing connects: found, run on their own, merged."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.compile.build import compile_system
from jointplay.compile.parts import compile_parts, independent_parts, join_states, split_state


def pair(system: jp.System, name: str, x: float) -> None:
    """A pendulum with a body on a spring behind it."""
    a = system.body(f"{name}a", mass=1.0, inertia=0.1, position=(x + 0.5, 0))
    b = system.body(f"{name}b", mass=0.5, inertia=0.1, position=(x + 1.5, 0))
    system.revolute(f"{name}J", system.ground, a, point=(x, 0))
    system.spring(f"{name}S", a, b, point_a=(x + 1, 0), point_b=(x + 1.5, 0), stiffness=50.0)


def two() -> jp.System:
    s = jp.System("two", planar=True)
    pair(s, "p", 0.0)
    pair(s, "q", 5.0)
    s.ground.marker("here", position=(1, 2))
    return s


def test_groups() -> None:
    assert independent_parts(two()) == [["pa", "pb"], ["qa", "qb"]]


def test_a_joint_connects() -> None:
    s = jp.System("chain", planar=True)
    a = s.body("a", mass=1.0, inertia=0.1, position=(0.5, 0))
    b = s.body("b", mass=1.0, inertia=0.1, position=(1.5, 0))
    s.revolute("A", s.ground, a, point=(0, 0))
    s.revolute("B", a, b, point=(1, 0))
    compiled = compile_system(s)
    assert compile_parts(compiled, 1.0) == [compiled]


def test_states_are_joined_and_split_as_views() -> None:
    states = [part.state for part in compile_parts(compile_system(two()), 1.0)]
    whole = join_states(states)
    back = split_state(whole, states)
    for old, new in zip(states, back, strict=True):
        for a, b in zip(old, new, strict=True):
            assert np.array_equal(a, b)
            assert b.base is not None
    back[1].y[0] = 7.0
    assert whole.y[len(states[0].y)] == 7.0


@pytest.mark.parametrize("method", [jp.Explicit(), jp.Verlet(step=1e-3)], ids=["explicit", "verlet"])
def test_every_quantity_finds_its_place(method: jp.Explicit) -> None:
    """Each series of the pair is that of the single, to the bit; energies add up."""
    one = jp.System("one", planar=True)
    pair(one, "q", 5.0)
    whole = jp.simulate(two(), until=0.5, method=method, save=0.05)
    alone = jp.simulate(one, until=0.5, method=method, save=0.05)
    assert whole.stats["parts"] == 2
    for name in alone.names:
        if not name.startswith(("energy.", "solver.")):
            assert np.array_equal(whole[name], alone[name]), name
    other = jp.System("other", planar=True)
    pair(other, "p", 0.0)
    beside = jp.simulate(other, until=0.5, method=method, save=0.05)
    kinetic = alone["energy.kinetic"] + beside["energy.kinetic"]
    assert np.allclose(whole["energy.kinetic"], kinetic, rtol=1e-14)
    assert np.all(whole["here.position"] == (1, 2, 0))


def test_a_run_goes_on() -> None:
    first = jp.simulate(two(), until=0.2, save=0.1)
    rest = jp.simulate(two(), until=0.5, save=0.1, start=first)
    whole = jp.simulate(two(), until=0.5, save=0.1)
    assert np.array_equal(rest["pb.position"][-1], whole["pb.position"][-1])
    assert np.array_equal(rest.state.y, whole.state.y)
