"""Layout: what stands where in a packed system, all of it that no number changes.

Which row each component of each interaction has, what rows are called, which law and which function of time belongs to
each, the order of elimination. A system that differs from an earlier one only in numbers has the same layout, and
sensitivities and studies pack such systems by the hundred: ``fits`` is true if an earlier layout will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import INDEX, NONE
from ..codes import Regime
from ..model.elements import GROUND
from ..model.system import System
from ..relations.alignment import ALIGNMENT
from .graph import Graph, block_size, constraint_graph
from .interactions import Interaction

Place = tuple[int, int]  # an interaction and one of its components

RANK = {Regime.BILATERAL: 0, Regime.FORCE: 1, Regime.SET: 2, Regime.MEASURE: 3}


@dataclass(frozen=True)
class Tap:
    """A recorded row: what its coordinate, rate and force are called."""

    row: int
    owner: str
    part: str
    unit: str  # of the coordinate
    effort: str  # "" for a measure


@dataclass(frozen=True)
class Layout:
    """What stands where; ``found`` are the interactions that it was made for, joint by joint."""

    found: list[Interaction]
    dropped: frozenset[Place]  # as requested: components that no motion can change
    signals: int  # functions of time of loads, which come before those of drives
    planar: bool
    index: dict[str, int]  # number of each body
    order: list[int]  # place in ``found`` of each interaction that is packed
    dim: int  # components of every contact
    numbers: list[list[int]]  # row of each component of each interaction
    counts: dict[Regime, int]  # rows of each regime
    relations: Counter[Regime]  # interactions of each regime
    memory: np.ndarray  # first slot of each relation that counts turns
    fact: np.ndarray  # Model.row
    row_names: list[str]  # closed rows, "A.radial[0]"
    taps: list[Tap]
    acting: list[int]  # interaction of each law of force, in their order
    driven: list[int]  # interaction of each drive
    controlled: list[int]  # interaction of each row whose force is a signal
    touching: list[int]  # interactions that make contacts
    pressing: list[int]  # interactions that make pads
    drawn: np.ndarray  # (interactions, 3) components that count from the drawn configuration

    @property
    def rows(self) -> int:
        """Rows of all regimes; the bin for dropped ones stands behind them."""
        return len(self.fact) - 1

    @property
    def slots(self) -> int:
        """Angles that count turns."""
        return memory_slots([self.found[k] for k in self.order])[1]

    @cached_property
    def block(self) -> int:
        """Rows in a block of the closed rows."""
        closed = self.fact[: self.counts[Regime.BILATERAL]]
        return 2 if self.planar else block_size(closed["i"], closed["j"])

    @cached_property
    def graph(self) -> Graph:
        """Places, links, pairs and columns of the closed rows."""
        closed = self.fact[: self.counts[Regime.BILATERAL]]
        graph = constraint_graph(closed["i"], closed["j"], len(self.fact), self.block)
        turns = [self.found[self.order[k]].use.relation is ALIGNMENT for k in closed["relation"]]
        for place in graph.place[:-1]:
            place["light"] = all(turns[r] for r in place["row"][3 : place["count"]])
        return graph

    def fits(self, system: System, found: Sequence[Interaction], dropped: frozenset[Place], signals: int) -> bool:
        """True if a system with these interactions has this layout."""
        if (self.dropped, self.signals, self.planar, len(self.found)) != (dropped, signals, system.planar, len(found)):
            return False
        changed = [(one, other) for one, other in zip(found, self.found, strict=True) if one is not other]
        return (
            all(_shape(one) == _shape(other) for one, other in changed)
            and list(self.index) == [GROUND, *(body.name for body in system.bodies)]
            and self.dim == contact_dimension([found[self.order[k]] for k in self.touching], system.planar)
        )


def body_numbers(system: System) -> dict[str, int]:
    """Number of each body; the ground is 0."""
    return {GROUND: 0} | {body.name: k + 1 for k, body in enumerate(system.bodies)}


def memory_slots(interactions: Sequence[Interaction]) -> tuple[np.ndarray, int]:
    """First slot of each relation that counts turns (NONE for the others), and how many slots there are."""
    memory = np.full(len(interactions), NONE)
    turns = np.array([one.use.relation.turns for one in interactions], dtype=int)
    memory[turns > 0] = (np.cumsum(turns) - turns)[turns > 0]
    return memory, int(np.sum(turns))


def _shape(one: Interaction) -> tuple[Any, ...]:
    """All of an interaction but its numbers."""
    soft = one.law.soft() if one.law else None
    pads = (soft.slides, bool(soft.friction), type(soft.contact)) if soft is not None else ()
    law = (type(one.law), getattr(one.law, "is_matrix", False), pads)
    flags = (one.regime, one.closed, one.as_drawn, one.rubs)
    states = tuple(getattr(one.law, "states", ()))
    return one.owner, one.part, one.use, one.first.body, one.second.body, flags, law, states


def contact_dimension(interactions: Sequence[Interaction], planar: bool) -> int:
    """Components of every contact: 1 without friction, else 2 in a plane and 3 in space."""
    laws = [one.law.unilateral() for one in interactions if one.law and one.regime is Regime.SET]
    return (2 if planar else 3) if any(law.mu > 0.0 for law in laws) else 1


def _sorted(found: Sequence[Interaction]) -> list[int]:
    """By regime: BILATERAL, FORCE, SET, MEASURE; contacts before stops; joints stay together."""

    def key(k: int) -> tuple[int, bool]:
        regime = found[k].regime
        return RANK[regime], regime in (Regime.FORCE, Regime.SET) and not found[k].closed

    return sorted(range(len(found)), key=key)


def _without_idle(
    order: list[int], found: Sequence[Interaction], dropped: frozenset[Place]
) -> tuple[list[int], frozenset[Place]]:
    """Leave out interactions all of whose components are dropped, and renumber the rest."""
    if not dropped:
        return order, dropped
    counts = [found[k].use.relation.count for k in order]
    kept = [n for n, count in enumerate(counts) if not all((n, c) in dropped for c in range(count))]
    place = {n: new for new, n in enumerate(kept)}
    return [order[n] for n in kept], frozenset((place[n], c) for n, c in dropped if n in place)


def _flat(interactions: Sequence[Interaction], dim: int, planar: bool) -> frozenset[Place]:
    """Tangents of contacts and of compliant walls along which nothing matters."""
    flat = {(k, c) for k, one in enumerate(interactions) if one.regime is Regime.SET for c in range(dim, 3)}
    for k, one in enumerate(interactions):
        soft = one.law.soft() if one.law else None
        if soft is not None and one.use.relation.count == 3:
            kept = 1 if not soft.slides else 2 if planar else 3
            flat |= {(k, c) for c in range(kept, 3)}
    return frozenset(flat)


def _number_rows(
    interactions: Sequence[Interaction], dropped: frozenset[Place]
) -> tuple[list[list[int]], dict[Regime, int]]:
    """Row of each component of each interaction, and how many rows each regime has; dropped ones share the bin."""
    counts = dict.fromkeys(Regime, 0)
    numbers: list[list[int]] = []
    row = 0
    for k, given in enumerate(interactions):
        before, rows = row, []
        for c in range(given.use.relation.count):
            kept = (k, c) not in dropped
            rows.append(row if kept else -1)
            row += kept
        numbers.append(rows)
        counts[given.regime] += row - before
    return [[row if r < 0 else r for r in rows] for rows in numbers], counts


def lay_out(system: System, found: list[Interaction], dropped: frozenset[Place], signals: int) -> Layout:
    """The layout of a system with interactions ``found``, ``dropped`` components of them (as sorted) left out."""
    order, gone = _without_idle(_sorted(found), found, dropped)
    interactions = [found[k] for k in order]
    index = body_numbers(system)
    dim = contact_dimension(interactions, system.planar)
    numbers, counts = _number_rows(interactions, gone | _flat(interactions, dim, system.planar))
    rows = sum(counts.values())

    facts: list[tuple[Any, ...]] = []  # of all rows that are kept, in their order
    row_names: list[str] = []
    taps: list[Tap] = []
    acting: list[int] = []
    driven: list[int] = []
    controlled: list[int] = []
    closed = [one.name for one, own in zip(interactions, numbers, strict=True) for r in own if r < rows]
    closed_rows, seen = Counter(closed[: counts[Regime.BILATERAL]]), Counter[str]()
    for k, given in enumerate(interactions):
        bodies = index[given.first.body], index[given.second.body]
        target = law = NONE
        if given.regime is Regime.BILATERAL and not given.closed:
            target = INDEX(signals + len(driven))
            driven.append(k)
        senses = given.law is not None and given.law.expressed
        coupled = senses or given.rubs or getattr(given.law, "is_matrix", False)
        acts = given.regime is Regime.FORCE and given.law is not None and given.law.soft() is None and not coupled
        if senses:  # drives come before: rows are sorted by regime
            target = INDEX(signals + len(driven) + len(controlled))
            controlled.append(k)
        for r in numbers[k]:
            if r == rows:
                continue  # dropped: the motion cannot change it
            if acts:
                law = INDEX(len(acting))
                acting.append(k)
            facts.append((*bodies, law, target, k, 1.0))
            if given.regime is Regime.BILATERAL:
                row_names.append(f"{given.name}[{seen[given.name]}]" if closed_rows[given.name] > 1 else given.name)
                seen[given.name] += 1
            if not given.closed:
                effort = "" if given.law is None else given.law.effort
                taps.append(Tap(r, given.owner, given.part, given.use.relation.unit, effort))
    pairs = list(zip(interactions, numbers, strict=True))
    fact = np.zeros(rows + 1, dtype=arrays.row_fact_dtype)
    fact["law"] = fact["target"] = NONE
    fact[:rows] = facts
    return Layout(
        found=found,
        dropped=dropped,
        signals=signals,
        planar=system.planar,
        index=index,
        order=order,
        dim=dim,
        numbers=numbers,
        counts=counts,
        relations=Counter(one.regime for one in interactions),
        memory=memory_slots(interactions)[0],
        fact=fact,
        row_names=row_names,
        taps=taps,
        acting=acting,
        driven=driven,
        controlled=controlled,
        touching=[k for k, one in enumerate(interactions) if one.regime is Regime.SET],
        pressing=[k for k, one in enumerate(interactions) if one.law and one.law.soft() is not None],
        drawn=np.array([[c < (len(own) if one.as_drawn else 0) for c in range(3)] for one, own in pairs], dtype=bool),
    )
