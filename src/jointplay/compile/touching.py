"""Records of what can touch: rigid contacts, and compliant walls (pads); their names and where they come from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import NONE
from ..errors import InputError, Problem
from ..laws.compliant import Compliant
from ..model.elements import GROUND, StateVariable
from ..model.lawtree import law_unit
from .book import LawBook
from .extent import scale_of
from .interactions import Interaction
from .packed_layout import Layout
from .records import of_type


def _levers(given: Interaction) -> tuple[float, float]:
    """Distances from the centres of both bodies within which the points of a contact of a clearance stay.

    Known where the two points lie side by side (journals and sockets) or where the first body is the ground; else huge.
    """
    near, far = (float(np.linalg.norm(marker.point)) for marker in (given.first, given.second))
    size = sum(abs(x) for x in given.shape[:2])
    of_contact = given.use.relation.count == 3  # the walls of a coupling have no such points
    if of_contact and given.closed and (given.shape[0] > 0.0 or given.first.body == GROUND):
        return (0.0 if given.first.body == GROUND else near + size, far + size)
    return (1e300, 1e300)


def _wall_name(given: Interaction, sign: float, seen: Counter[str]) -> str:
    """``D.radial[0]`` for a contact of a clearance, ``A.angle[upper]`` for a stop."""
    end = str(seen[given.name]) if given.closed else "lower" if sign > 0.0 else "upper"
    seen[given.name] += 1
    return f"{given.name}[{end}]"


def _refuse_mixed(interactions: list[Interaction], layout: Layout) -> None:
    """InputError where contacts of one model follow different laws of impact: none defines what they do together."""
    kinds: dict[int, str] = {}
    for k in layout.touching:
        given = interactions[k]
        law = given.law.unilateral() if given.law is not None else None
        if law is not None and law.walls:
            kinds.setdefault(law.impact, given.name)
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        message = f"{first} and {second} follow different laws of impact: give impact='poisson' to all contacts or none"
        raise InputError(Problem("impact", message))


def pack_contacts(
    interactions: list[Interaction], layout: Layout, size: float
) -> tuple[np.ndarray, list[str], list[int]]:
    """Contacts, their names, and the interaction of each; ``size`` of the mechanism (m)."""
    found, names, sources = [], [], []
    numbers, index, bin_row = layout.numbers, layout.index, layout.rows
    seen: Counter[str] = Counter()
    for k in layout.touching:
        given = interactions[k]
        assert given.law is not None
        law = given.law.unilateral()
        bodies = index[given.first.body], index[given.second.body]
        rest = law.restitution, law.tangential, law.mu, law.static or law.mu, law.load
        row = (numbers[k] + [bin_row, bin_row])[:3]
        steady = given.use.relation.steady and given.first.body == GROUND
        last = (_levers(given), steady, scale_of(given, size))
        if law.walls:
            found += [(*bodies, k, row, 0, law.bounded, law.impact, NONE, *wall, *rest, *last) for wall in law.walls]
        else:  # a brake: the row is the direction of friction
            found.append((*bodies, k, [bin_row, row[0], bin_row], 1, False, 0, NONE, 1.0, 0.0, *rest, *last))
        for sign, _ in law.walls or ((1.0, 0.0),):
            names.append(_wall_name(given, sign, seen) if law.walls else given.name)
            sources.append(k)
    _refuse_mixed(interactions, layout)
    return np.array([tuple(one) for one in found], dtype=of_type(arrays.contact_dtype)), names, sources


@dataclass(frozen=True)
class WallState:
    """An inner state of a compliant wall."""

    state: StateVariable  # by the name that all walls of a joint or coordinate share, "D.wear"
    wall: str  # "D.radial[0]"
    place: int  # among the inner states


def pack_pads(
    interactions: list[Interaction], layout: Layout, book: LawBook
) -> tuple[np.ndarray, list[str], list[int], list[WallState]]:
    """Compliant walls, their names, the interaction of each, and their inner states."""
    found: list[tuple[Any, ...]] = []
    names: list[str] = []
    sources: list[int] = []
    states: list[WallState] = []
    numbers, index, bin_row = layout.numbers, layout.index, layout.rows
    seen: Counter[str] = Counter()
    for k in layout.pressing:
        given = interactions[k]
        soft = given.law.soft()  # type: ignore[union-attr]
        assert soft is not None
        row = (numbers[k] + [bin_row, bin_row])[:3]
        law = book.add(soft.contact, "contact")
        friction = book.add(soft.friction, "friction") if soft.friction else NONE
        tangents = sum(r != bin_row for r in row[1:])
        contact: Compliant = soft.contact  # type: ignore[assignment]
        for sign, limit in soft.walls:
            bodies = index[given.first.body], index[given.second.body]
            inner = book.reserve(contact.inner)
            recess = inner + list(contact.own_states).index(contact.recess) if contact.recess else NONE
            own = (inner, contact.inner, recess)
            found.append((*bodies, k, row, tangents, law, friction, contact.anywhere, *own, sign, limit))
            names.append(_wall_name(given, sign, seen))
            sources.append(k)
            states += _states_of(given, contact, names[-1], inner)
    return np.array(found, dtype=of_type(arrays.pad_dtype)), names, sources, states


def _states_of(given: Interaction, contact: Compliant, wall: str, first: int) -> list[WallState]:
    """Inner states of one wall: JOINT.STATE in a clearance, JOINT.COORDINATE.STATE at stops."""
    head = given.owner if given.closed else given.name
    return [
        WallState(
            StateVariable(f"{head}.{name}", law_unit(one.unit, given.use.relation.unit), None, start), wall, place
        )
        for place, ((name, one), start) in enumerate(
            zip(contact.own_states.items(), contact.starts(), strict=True), first
        )
    ]
