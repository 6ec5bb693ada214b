"""From joints and springs to interactions: one relation, one law, two markers.

This is the only place where a joint is taken apart. Order: per joint, closed groups as its kind lists them, then laws
on free coordinates, then the free coordinates themselves as measures.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..codes import Regime
from ..laws.base import Law
from ..model.elements import Joint, Marker
from ..model.system import System
from ..relations.base import Use
from ..relations.distance import DISTANCE


@dataclass(frozen=True)
class Interaction:
    """A relation between two markers under a law (None: only recorded)."""

    owner: str  # name of the joint or spring
    part: str  # closed group or free coordinate
    use: Use
    first: Marker
    second: Marker
    law: Law | None
    closed: bool = False  # belongs to the reaction of its joint
    as_drawn: bool = False  # its value in the drawn configuration counts as zero
    value: float | None = None  # closed value that replaces the drawn one

    @property
    def regime(self) -> Regime:
        """Of its law."""
        return Regime.MEASURE if self.law is None else self.law.regime

    @property
    def name(self) -> str:
        """Such as ``A.radial``."""
        return f"{self.owner}.{self.part}"


def _oriented(joint: Joint, use: Use) -> tuple[Marker, Marker]:
    return (joint.second, joint.first) if use.swapped else (joint.first, joint.second)


def of_joint(joint: Joint) -> list[Interaction]:
    """Closed groups, laws on free coordinates, measures."""
    found: list[Interaction] = []
    for group, uses in joint.kind.closed.items():
        value = joint.value.get(group)
        drawn = joint.kind.spans and value is None
        for use in uses:
            markers = _oriented(joint, use)
            found.append(Interaction(joint.name, group, use, *markers, joint.closed[group], True, drawn, value))
    for coordinate, use in joint.kind.free.items():
        markers = _oriented(joint, use)
        for law in (*joint.free.get(coordinate, ()), None):
            found.append(Interaction(joint.name, coordinate, use, *markers, law, as_drawn=True))
    return found


def interactions_of(system: System) -> list[Interaction]:
    """All interactions of a system, sorted by regime: BILATERAL, FORCE, MEASURE."""
    found = [interaction for joint in system.joints for interaction in of_joint(joint)]
    found += [
        Interaction(spring.name, "length", Use(DISTANCE), spring.first, spring.second, spring.law)
        for spring in system.springs
    ]
    rank = {Regime.BILATERAL: 0, Regime.FORCE: 1, Regime.SET: 2, Regime.MEASURE: 3}
    return sorted(found, key=lambda interaction: rank[interaction.regime])  # stable: joints stay together
