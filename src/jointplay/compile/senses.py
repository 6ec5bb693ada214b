"""What the expressions of a system sense: from names ("A.angle", "slider.position[0]") to rows and bodies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import COORDINATE, INDEX, POSITION, RATE, SPIN, VELOCITY, sense_dtype
from ..codes import Regime
from ..errors import InputError, Problem
from ..laws.force_law import ForceLaw
from ..model.elements import GROUND
from ..model.names import suggest
from ..model.sensed import RATE as RATE_OF
from ..model.system import System
from ..numerics.signals import INPUT, SENSE
from ..quantities.program import Pushes
from ..quantities.signal import Signal
from .interactions import Interaction
from .layout import Layout

OF_BODY = {"position": POSITION, "velocity": VELOCITY, "angular_velocity": SPIN}
COMPONENT = re.compile(r"(?P<owner>.*)\.(?P<quantity>position|velocity|angular_velocity)\[(?P<m>[0-2])\]\Z")


@dataclass(frozen=True)
class Senses:
    """Records of all that is sensed, instructions of the names of each signal, and values of the inputs."""

    records: np.ndarray
    pushes: Sequence[Pushes]
    inputs: list[float]
    names: list[str]


def own_names(interaction: Interaction | None) -> dict[str, str]:
    """What x and v of a law on a coordinate stand for."""
    if interaction is None:
        return {}
    return {"x": interaction.name, "v": f"{interaction.name}{RATE_OF}"}


def find_senses(
    system: System, interactions: Sequence[Interaction], layout: Layout, signals: Sequence[Signal]
) -> Senses:
    """All that the signals sense: loads and drives, laws on coordinates, conditions, in this order."""
    inputs = system.inputs
    at_input = {name: (INPUT, float(k)) for k, name in enumerate(inputs)}
    watches: list[Interaction | None] = [None] * len(system.watches)
    owners: list[Interaction | None] = [None] * (len(signals) - len(watches) - len(layout.controlled))
    owners += [*(interactions[k] for k in layout.controlled), *watches]
    full = [
        {name: own_names(owner).get(name, name) for name in signal.names}
        for signal, owner in zip(signals, owners, strict=True)
    ]
    wanted = sorted({name for names in full for name in names.values() if name not in inputs})
    known = _places(interactions, layout) if wanted else {}
    for name in wanted:
        if name not in known:
            raise InputError(Problem(name, f"nothing of that name can be sensed{suggest(name, known)}"))
    wanted.sort(key=lambda name: (known[name][1], known[name][0]))  # those of one row stand together
    at = at_input | {name: (SENSE, float(k)) for k, name in enumerate(wanted)}
    pushes = [{name: at[meant] for name, meant in names.items()} for names in full]
    records = np.array([known[name] for name in wanted], dtype=sense_dtype)
    return Senses(records, pushes, [one.value for one in inputs.values()], wanted)


def _places(interactions: Sequence[Interaction], layout: Layout) -> dict[str, tuple[int, int, int]]:
    """Record of each name that can be sensed."""
    known: dict[str, tuple[int, int, int]] = {}
    for given, rows in zip(interactions, layout.numbers, strict=True):
        if given.regime is Regime.MEASURE and rows[0] < layout.rows:
            known[given.name] = (COORDINATE, rows[0], 0)
            known[f"{given.name}{RATE_OF}"] = (RATE, rows[0], 0)
    for body, number in layout.index.items():
        if body != GROUND:
            for quantity, kind in OF_BODY.items():
                known |= {f"{body}.{quantity}[{m}]": (kind, int(INDEX(number)), m) for m in range(3)}
    return known


def unsmooth_forces(system: System) -> list[str]:
    """A sentence for each force that is not smooth at instants that only the motion tells."""
    forces = [(load.name, component) for load in system.loads for component in load.components]
    for joint in system.joints:
        for coordinate, laws in joint.free.items():
            forces += [(f"{joint.name}.{coordinate}", law.value) for law in laws if isinstance(law, ForceLaw)]
    return [
        f"{name}: {part} is not smooth where it changes over; no step ends there on purpose, and derivatives are those "
        "of the branch taken"
        for name, force in forces
        for part in force.bends
    ]


def joined_by_senses(system: System) -> list[tuple[str, str]]:
    """Pairs of bodies that an expression joins, which senses one of them and pushes the other."""
    joints = {joint.name: {joint.first.body, joint.second.body} for joint in system.joints}
    pushed: list[tuple[set[str], frozenset[str]]] = [
        ({load.body}, component.names) for load in system.loads for component in load.components
    ]
    for joint in system.joints:
        for laws in joint.free.values():
            pushed += [(joints[joint.name], law.value.names) for law in laws if isinstance(law, ForceLaw)]
    pairs = []
    for bodies, names in pushed:
        for name in names:
            place = COMPONENT.match(name)
            sensed = {place["owner"]} if place else joints.get(name.rpartition(".")[0], set())
            pairs += [(a, b) for a in sorted(bodies) for b in sorted(sensed) if a != b]
    return pairs
