"""Records of relations: where their markers lie, which rows they have; and which rows no planar motion can change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .. import arrays
from ..assemble.interactions import evaluate_relations
from ..assemble.kinematics import place_bodies
from ..codes import Regime
from ..errors import InputError, Problem
from ..model.system import System
from ..numerics.jit import readable
from ..relations.registry import number_of
from ..relations.together import KINDS
from .interactions import Interaction
from .packed_layout import Layout, Place, body_numbers, memory_slots
from .records import of_type

IN_PLANE = 1e-12  # component of a unit vector across the plane that is rounding
VANISHING = 1e-24  # w M^-1 w of a row that cannot change, relative to the largest one


class Drawn(NamedTuple):
    """Relations and what they are evaluated with."""

    relation: np.ndarray
    memory: np.ndarray
    kin: np.ndarray
    row: np.ndarray


def _lies_in_plane(one: Interaction, rows: list[int], spare: int, height: Mapping[str, float]) -> bool:
    """True if points and axes of an interaction of a planar model lie in one plane, and no row leaves it."""
    if len(rows) == 3 and rows[2] != spare:
        return False
    level = height.get(one.first.body, 0.0) == height.get(one.second.body, 0.0)
    points = abs(one.first.point[2]) + abs(one.second.point[2]) == 0.0
    axes = {"h": one.first.axes[0], "t": one.first.axes[1], "first": one.first.axes[one.use.first_axis]}
    axes["second"] = one.second.axes[one.use.second_axis]
    return level and points and all(abs(axes[name][2]) <= IN_PLANE for name in one.use.relation.planar_axes)


def relation_records(
    system: System, chosen: Sequence[Interaction], numbers: list[list[int]], memory: np.ndarray, spare: int
) -> np.ndarray:
    """One record for each of some interactions, whose components have these ``numbers``; ``spare`` is no row."""
    record: np.ndarray = np.zeros(len(chosen), dtype=of_type(arrays.relation_dtype))
    if not chosen:
        return record
    index = body_numbers(system)
    flat = [False] * len(chosen)
    if system.planar:
        height = {body.name: float(body.position[2]) for body in system.bodies}
        flat = [_lies_in_plane(one, rows, spare, height) for one, rows in zip(chosen, numbers, strict=True)]
    # field by field: a record at a time takes ten times as long
    record["kind"] = [number_of(one.use.relation, plane) for one, plane in zip(chosen, flat, strict=True)]
    record["i"] = [index[one.first.body] for one in chosen]
    record["j"] = [index[one.second.body] for one in chosen]
    record["count"] = [len(rows) for rows in numbers]
    record["row"] = [(rows + [0, 0])[:3] for rows in numbers]
    record["ki"] = [one.use.first_axis for one in chosen]
    record["kj"] = [one.use.second_axis for one in chosen]
    record["memory"] = memory
    record["turns"] = [one.use.relation.turns for one in chosen]
    angles = [one.use.relation.unit == "rad" and one.use.relation.turns > 0 for one in chosen]
    record["period"] = np.where(angles, 2.0 * np.pi, 0.0)
    record["sign"] = [-1.0 if one.use.swapped else 1.0 for one in chosen]
    record["si"] = [one.first.point for one in chosen]
    record["sj"] = [one.second.point for one in chosen]
    record["Ei"] = [one.first.axes for one in chosen]
    record["Ej"] = [one.second.axes for one in chosen]
    record["g0"] = [[0.0 if one.value is None else one.value] for one in chosen]
    record["shape"] = [one.shape for one in chosen]
    return record


def pack_relations(
    system: System,
    interactions: list[Interaction],
    layout: Layout,
    earlier: tuple[list[Interaction], np.ndarray] | None = None,
) -> np.ndarray:
    """Relation records; those of interactions that an ``earlier`` system of the same layout has too are its own."""
    if earlier is None:
        relation = relation_records(system, interactions, layout.numbers, layout.memory, layout.rows)
        if not system.planar:
            relation["together"] = _together(interactions)
        return relation
    had, records = earlier
    relation = records.copy()
    new = [k for k, (a, b) in enumerate(zip(interactions, had, strict=True)) if a is not b]
    if new:
        chosen, numbers = [interactions[k] for k in new], [layout.numbers[k] for k in new]
        relation[new] = relation_records(system, chosen, numbers, layout.memory[new], layout.rows)
        relation["together"] = records["together"]
    return relation


def _together(interactions: list[Interaction]) -> list[int]:
    """For each closed relation how many from it on are evaluated in one go; 0 if it goes alone, or is one of them."""
    found = [0] * len(interactions)
    first = 0
    for k, one in enumerate(interactions):
        head = interactions[first]
        if one.use.relation not in KINDS or one.regime is not Regime.BILATERAL:
            first = k + 1
        elif one.owner == head.owner and one.first is head.first and one.second is head.second:
            found[first] = k + 1 - first
        else:
            first = k
    return [count if count > 1 else 0 for count in found]


def still_components(system: System, found: Sequence[Interaction], body: np.ndarray, y: np.ndarray) -> frozenset[Place]:
    """Closed components that no motion of a planar model can change, of interactions sorted by regime.

    Positions are tried at random; InputError where a drive would have to move what cannot move.
    """
    closed = [one for one in found if one.regime is Regime.BILATERAL]
    counts = [one.use.relation.count for one in closed]
    rows, firsts = sum(counts), np.cumsum([0, *counts])
    numbers = [list(range(first, first + count)) for first, count in zip(firsts.tolist(), counts, strict=False)]
    memory, slots = memory_slots(closed)
    drawn = readable(
        Drawn(
            relation=relation_records(system, closed, numbers, memory, rows),
            memory=np.zeros(slots),
            kin=np.zeros(len(body), dtype=of_type(arrays.motion_dtype)),
            row=np.zeros(rows, dtype=of_type(arrays.row_dtype)),
        )
    )
    drawn.kin[0]["A"] = np.eye(3)
    random, mobile = np.random.default_rng(7), np.zeros(rows)
    ends = [np.repeat(drawn.relation[end].astype(np.int64), counts) for end in ("i", "j")]
    bodies = len(body) - 1
    for _ in range(3):
        tried = y.copy()
        pose = tried[: 7 * bodies].reshape(bodies, 7)
        for b in range(bodies):
            pose[b, :2] += random.standard_normal(2)
            half = random.uniform(-1.5, 1.5)
            pose[b, 3:] = (np.cos(half), 0.0, 0.0, np.sin(half))
        place_bodies(len(body), tried, drawn.kin)
        evaluate_relations(drawn.relation, drawn.memory, drawn.kin, drawn.row)
        lightness = np.zeros(rows)
        for end, w in zip(ends, np.split(np.asarray(drawn.row["w"]), 2, axis=1), strict=True):
            lightness += np.sum(body["minv"][end] * w[:, :3] ** 2, axis=1)
            lightness += np.einsum("ra,rab,rb->r", w[:, 3:], body["Jinv"][end], w[:, 3:])
        mobile = np.maximum(mobile, lightness)
    still = mobile <= VANISHING * np.max(mobile, initial=0.0)
    dropped = frozenset((k, c) for k, own in enumerate(numbers) for c, r in enumerate(own) if still[r])
    idle = sorted({closed[k].name for k, _ in dropped if not closed[k].closed})
    if idle:
        message = "a planar model cannot move this coordinate, so it cannot be driven"
        raise InputError([Problem(f"joints.{name}", message) for name in idle])
    return dropped


def stands_alike(a: Interaction, b: Interaction) -> bool:
    """True if two interactions of planar models differ at most by places in the plane and turns about its normal.

    What motion in the plane can change of a relation depends on how its axes and points lie to the plane.
    """
    if a is b:
        return True
    pairs = ((a.first, b.first), (a.second, b.second))
    level = all([one.point[2] == other.point[2] for one, other in pairs])
    turned = all([np.abs(one.axes[2] - other.axes[2]).max() <= IN_PLANE for one, other in pairs])
    sizes = [one == 0.0 for one in a.shape] == [one == 0.0 for one in b.shape]
    return a.use == b.use and level and turned and sizes
