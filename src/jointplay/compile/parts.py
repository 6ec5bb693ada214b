"""Parts of a system that nothing but the ground connects: each is simulated on its own.

So what happens in one of them cannot change another, not even by a step size. Results come in the layout of the whole.
"""

from __future__ import annotations

import numpy as np

from ..arrays import State
from ..model.elements import GROUND
from ..model.state import states_of
from ..model.system import System
from .build import compile_system
from .pack import Compiled
from .senses import joined_by_senses


def independent_parts(system: System) -> list[list[str]]:
    """Names of the bodies (and states) that joints, springs and expressions connect, group by group.

    They stand in the order of the system. Where conditions are watched all are one: they are looked at in one place,
    and may end the run for all.
    """
    things = [body.name for body in system.bodies] + [state.name for state in system.states]
    if system.watches:
        return [things]
    of_laws: dict[str, list[str]] = {one.name: [] for joint in system.joints for one in states_of(joint)}
    neighbours: dict[str, list[str]] = {name: [] for name in things} | of_laws
    pairs = [(joint.first.body, joint.second.body) for joint in system.joints]
    pairs += [(spring.first.body, spring.second.body) for spring in system.springs]
    pairs += joined_by_senses(system)
    for a, b in pairs:
        if GROUND not in (a, b):
            neighbours[a].append(b)
            neighbours[b].append(a)
    part: dict[str, int] = {}  # of each body that has been reached
    count = 0
    for name in neighbours:
        if name in part:
            continue
        reached = [name]
        while reached:
            body = reached.pop()
            if body not in part:
                part[body] = count
                reached += neighbours[body]
        count += 1
    groups: list[list[str]] = [[] for _ in range(count)]
    for name in neighbours:
        groups[part[name]].append(name)
    return _with_bodies(groups, {body.name for body in system.bodies})


def _with_bodies(groups: list[list[str]], bodies: set[str]) -> list[list[str]]:
    """The same, with states that nothing ties to a body in the first group."""
    moving = [names for names in groups if not bodies.isdisjoint(names)] or [[]]
    for names in groups:
        if bodies.isdisjoint(names):
            moving[0].extend(names)
    return moving


def compile_parts(whole: Compiled, horizon: float) -> list[Compiled]:
    """The independent parts of a compiled system; the system itself if it is one."""
    groups = independent_parts(whole.system)
    if len(groups) == 1:
        return [whole]
    groups[0].append(GROUND)  # its points are recorded once
    return [compile_system(whole.system.part(set(names)), horizon) for names in groups]


def join_states(states: list[State]) -> State:
    """One State of several: part after part."""
    if len(states) == 1:
        return states[0]
    return State(*(np.concatenate(same) for same in zip(*states, strict=True)))


def split_state(whole: State, like: list[State]) -> list[State]:
    """Views of the parts of a State, sized as those it was joined of."""
    found, at = [], [0] * len(whole)
    for part in like:
        ends = [first + len(array) for first, array in zip(at, part, strict=True)]
        found.append(State(*(a[i:j] for a, i, j in zip(whole, at, ends, strict=True))))
        at = ends
    return found
