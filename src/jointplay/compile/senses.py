"""What the expressions of a system sense: from names ("A.angle", "slider.position[0]") to rows and bodies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import COORDINATE, INDEX, POSITION, RATE, SPIN, STATE, VELOCITY, sense_dtype
from ..codes import Regime
from ..errors import InputError, Problem
from ..laws.expressed import Expressed
from ..model.elements import GROUND
from ..model.names import suggest
from ..model.sensed import RATE as RATE_OF
from ..model.system import System
from ..numerics.signals import INPUT, SENSE
from ..quantities.program import Pushes
from ..quantities.signal import Signal
from .interactions import Interaction
from .packed_layout import Layout

Meant = tuple[Signal, Mapping[str, str]]  # a signal, and what names of its own stand for

OF_BODY = {"position": POSITION, "velocity": VELOCITY, "angular_velocity": SPIN}
COMPONENT = re.compile(r"(?P<owner>.*)\.(?P<quantity>position|velocity|angular_velocity)\[(?P<m>[0-2])\]\Z")


@dataclass(frozen=True)
class Senses:
    """Records of all that is sensed, instructions of the names of each signal, and values of the inputs."""

    records: np.ndarray
    pushes: Sequence[Pushes]
    inputs: list[float]
    names: list[str]


def own_names(interaction: Interaction) -> dict[str, str]:
    """What x, v and its own states stand for in the expressions of a law on a coordinate."""
    own = {"x": interaction.name, "v": f"{interaction.name}{RATE_OF}"}
    states = interaction.law.names_of_states(interaction.owner) if isinstance(interaction.law, Expressed) else {}
    return own | states


def find_senses(
    system: System,
    interactions: Sequence[Interaction],
    layout: Layout,
    signals: Sequence[Meant],
    states: Mapping[str, int],
) -> Senses:
    """All that the signals sense, each with what its own names stand for; ``states`` are places of inner states."""
    inputs = system.inputs
    at_input = {name: (INPUT, float(k)) for k, name in enumerate(inputs)}
    full = [{name: own.get(name, name) for name in signal.names} for signal, own in signals]
    wanted = sorted({name for names in full for name in names.values() if name not in inputs})
    known = _places(interactions, layout, states) if wanted else {}
    for name in wanted:
        if name not in known:
            raise InputError(Problem(name, f"nothing of that name can be sensed{suggest(name, known)}"))
    wanted.sort(key=lambda name: (known[name][0] == STATE, known[name][1], known[name][0]))  # a row's stand together
    at = at_input | {name: (SENSE, float(k)) for k, name in enumerate(wanted)}
    pushes = [{name: at[meant] for name, meant in names.items()} for names in full]
    records = np.array([known[name] for name in wanted], dtype=sense_dtype)
    return Senses(records, pushes, [one.value for one in inputs.values()], wanted)


def _places(
    interactions: Sequence[Interaction], layout: Layout, states: Mapping[str, int]
) -> dict[str, tuple[int, int, int]]:
    """Record of each name that can be sensed."""
    known = {name: (STATE, place, 0) for name, place in states.items()}
    for given, rows in zip(interactions, layout.numbers, strict=True):
        if given.regime is Regime.MEASURE and rows[0] < layout.rows:
            known[given.name] = (COORDINATE, rows[0], 0)
            known[f"{given.name}{RATE_OF}"] = (RATE, rows[0], 0)
    for body, number in layout.index.items():
        if body != GROUND:
            for quantity, kind in OF_BODY.items():
                known |= {f"{body}.{quantity}[{m}]": (kind, int(INDEX(number)), m) for m in range(3)}
    return known


def _expressions(system: System) -> Iterator[tuple[str, set[str], Signal, Mapping[str, str]]]:
    """All that may sense: its name, the bodies (or the state) that it moves, its signal, and what its names stand for.

    Names of a law on a coordinate stand for those of the model.
    """
    for load in system.loads:
        for component in load.components:
            yield load.name, {load.body}, component, {}
    for one in system.states:
        if one.rate is not None:
            yield one.name, {one.name}, one.rate, {}
    for joint in system.joints:
        bodies = {joint.first.body, joint.second.body}
        for coordinate, laws in joint.free.items():
            for law in laws:
                if isinstance(law, Expressed):
                    name = f"{joint.name}.{coordinate}"
                    own = law.names_of_states(joint.name)
                    yield name, bodies, law.value, own
                    for state, facts in law.states.items():
                        yield f"{name}: {state}", bodies | {own[state]}, facts.rate, own


def unsmooth_forces(system: System) -> list[str]:
    """A sentence for each force or rate that is not smooth at instants that depend on the motion."""
    return [
        f"{name}: {part} is not smooth where it changes over; no step ends there on purpose, and derivatives are those "
        "of the branch taken"
        for name, _, signal, _ in _expressions(system)
        for part in signal.bends
    ]


def joined_by_senses(system: System) -> list[tuple[str, str]]:
    """Pairs of bodies and states that an expression joins, which senses one of them and moves the other."""
    joints = {joint.name: {joint.first.body, joint.second.body} for joint in system.joints}
    states = {one.name for one in system.states}
    pairs = []
    for _, moved, signal, own in _expressions(system):
        pairs += [(a, b) for a in sorted(moved) for b in sorted(moved) if a < b and GROUND not in (a, b)]
        for name in (own.get(name, name) for name in signal.names):
            place = COMPONENT.match(name)
            sensed = (
                {place["owner"]} if place else {name} if name in states else joints.get(name.rpartition(".")[0], set())
            )
            pairs += [(a, b) for a in sorted(moved) for b in sorted(sensed) if a != b]
    return pairs
