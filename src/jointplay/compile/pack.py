"""From a System to flat arrays: Model (constants), State (start) and the labels that give results their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import INDEX, NONE, Model, State
from ..codes import Regime
from ..laws.base import Law
from ..laws.registry import kind_and_numbers
from ..model.elements import GROUND
from ..model.geometry import rotation_matrix
from ..model.system import System
from ..numerics.jit import readable
from ..quantities.signal import Signal, pack_signals
from ..relations.registry import REGISTRY
from .graph import constraint_graph
from .interactions import Interaction, interactions_of

RUB_ITERATIONS = 50  # of friction that follows reactions
Place = tuple[int, int]  # an interaction and one of its components


@dataclass(frozen=True)
class Tap:
    """A recorded row: what its coordinate, rate and force are called."""

    row: int
    owner: str
    part: str
    unit: str  # of the coordinate
    effort: str  # "" for a measure


@dataclass(frozen=True)
class Rank:
    """Mobility of the closed rows."""

    mobility: int
    redundant: list[str]  # rows that repeat others everywhere
    singular: list[str]  # rows that repeat others only in this position

    def note(self) -> list[str]:
        """One sentence if there is redundancy."""
        if not self.redundant:
            return []
        names = ", ".join(self.redundant)
        return [f"redundant constraints ({len(self.redundant)}): {names}; reactions are those of least norm"]


@dataclass
class Compiled:
    """A compiled system."""

    system: System
    model: Model
    state: State
    interactions: list[Interaction]
    row_names: list[str]  # closed rows, "A.radial[0]"
    taps: list[Tap]
    joints: list[str]
    contacts: list[str] = field(default_factory=list)  # walls and brakes, "D.radial[0]", "A.angle[upper]"
    recorded: list[str] = field(default_factory=list)  # joint of each contact of a clearance
    pads: list[str] = field(default_factory=list)  # compliant walls, named like contacts
    recorded_pads: list[str] = field(default_factory=list)  # joint of each pad of a clearance
    gaps: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of all contacts, then pads, at the start
    notes: list[str] = field(default_factory=list)  # what the assembly changed
    rank: Rank = field(default_factory=lambda: Rank(0, [], []))


def pack_bodies(system: System, scalar: type = float) -> np.ndarray:
    """Inertia of all bodies; the ground first, with no inverse mass."""
    body = np.zeros(len(system.bodies) + 1, dtype=arrays.body_dtype(scalar))
    for record, given in zip(body[1:], system.bodies, strict=True):
        record["mass"] = given.mass
        record["J"] = given.inertia
        if system.planar:  # only x, y and the turn about z can move
            record["minv"] = (1.0 / given.mass, 1.0 / given.mass, 0.0)
            record["Jinv"][2, 2] = 1.0 / given.inertia[2, 2]
        else:
            record["minv"] = 1.0 / given.mass
            record["Jinv"] = np.linalg.inv(given.inertia)
    return body


def number_rows(
    interactions: list[Interaction], dropped: frozenset[Place]
) -> tuple[list[list[int]], dict[Regime, int]]:
    """Row of each component of each interaction, and how many rows each regime has; dropped ones share the bin."""
    counts = dict.fromkeys(Regime, 0)
    numbers: list[list[int]] = []
    row = 0
    for k, given in enumerate(interactions):
        numbers.append([])
        for c in range(given.use.relation.count):
            kept = (k, c) not in dropped
            numbers[-1].append(row if kept else -1)
            counts[given.regime] += kept
            row += kept
    return [[row if r < 0 else r for r in rows] for rows in numbers], counts


def pack_relations(
    interactions: list[Interaction], numbers: list[list[int]], index: dict[str, int]
) -> tuple[np.ndarray, int]:
    """Relation records and the number of memory slots."""
    relation = np.zeros(len(interactions), dtype=arrays.relation_dtype(float))
    slots = 0
    for record, given, rows in zip(relation, interactions, numbers, strict=True):
        kind = given.use.relation
        record["kind"] = REGISTRY.index(kind)
        record["i"], record["j"] = index[given.first.body], index[given.second.body]
        record["count"] = len(rows)
        record["row"][: len(rows)] = rows
        record["ki"], record["kj"] = given.use.first_axis, given.use.second_axis
        record["memory"] = NONE
        if kind.turns:
            record["memory"] = slots
            slots += 1
        record["sign"] = -1.0 if given.use.swapped else 1.0
        record["si"], record["sj"] = given.first.point, given.second.point
        record["Ei"], record["Ej"] = given.first.axes, given.second.axes
        record["g0"] = 0.0 if given.value is None else given.value
        record["shape"] = given.shape
    return relation, slots


def pack_state(system: System, beyond: int, slots: int) -> State:
    """The state as given, before assembly; ``beyond`` counts inner states and integrals."""
    bodies = len(system.bodies)
    y = np.zeros(13 * bodies + beyond)
    for b, given in enumerate(system.bodies):
        y[7 * b : 7 * b + 3] = given.position
        y[7 * b + 3 : 7 * b + 7] = given.orientation
        y[7 * bodies + 6 * b : 7 * bodies + 6 * b + 3] = given.velocity
        y[7 * bodies + 6 * b + 3 : 7 * bodies + 6 * b + 6] = given.angular_velocity
    return State(np.zeros(1, dtype=arrays.clock_dtype), y, np.zeros_like(y), np.zeros(slots))


def contact_dimension(interactions: list[Interaction], planar: bool) -> int:
    """Components of every contact: 1 without friction, else 2 in a plane and 3 in space."""
    laws = [one.law.unilateral() for one in interactions if one.regime is Regime.SET and one.law]
    return (2 if planar else 3) if any(law.mu > 0.0 for law in laws) else 1


def _levers(given: Interaction) -> tuple[float, float]:
    """Distances from the centres of both bodies within which the points of a contact of a clearance stay.

    Known where the two points lie side by side (journals and sockets) or where the first body is the ground; else huge.
    """
    near, far = (float(np.linalg.norm(marker.point)) for marker in (given.first, given.second))
    size = sum(abs(x) for x in given.shape[:2])
    if given.closed and (given.shape[0] > 0.0 or given.first.body == GROUND):
        return (0.0 if given.first.body == GROUND else near + size, far + size)
    return (1e300, 1e300)


def _wall_name(given: Interaction, sign: float, seen: Counter[str]) -> str:
    """``D.radial[0]`` for a contact of a clearance, ``A.angle[upper]`` for a stop."""
    end = str(seen[given.name]) if given.closed else "lower" if sign > 0.0 else "upper"
    seen[given.name] += 1
    return f"{given.name}[{end}]"


def pack_contacts(
    interactions: list[Interaction], numbers: list[list[int]], index: dict[str, int], bin_row: int
) -> tuple[np.ndarray, list[str], list[int]]:
    """Contacts, their names, and the interaction of each."""
    found, names, sources = [], [], []
    seen: Counter[str] = Counter()
    for k, given in enumerate(interactions):
        if given.regime is not Regime.SET:
            continue
        assert given.law is not None
        law = given.law.unilateral()
        bodies = index[given.first.body], index[given.second.body]
        rest = law.restitution, law.tangential, law.mu, law.static or law.mu, law.load
        row = (numbers[k] + [bin_row, bin_row])[:3]
        lever = _levers(given)
        if law.walls:
            found += [(*bodies, k, row, 0, NONE, *wall, *rest, lever) for wall in law.walls]
        else:  # a brake: the row is the direction of friction
            found.append((*bodies, k, [bin_row, row[0], bin_row], 1, NONE, 1.0, 0.0, *rest, lever))
        for sign, _ in law.walls or ((1.0, 0.0),):
            names.append(_wall_name(given, sign, seen) if law.walls else given.name)
            sources.append(k)
    return np.array([tuple(one) for one in found], dtype=arrays.contact_dtype(float)), names, sources


class LawBook:
    """Laws of a model while it is packed: records, and their numbers one after the other."""

    def __init__(self) -> None:
        """Begin with none."""
        self.records: list[tuple[int, int, int, int]] = []
        self.numbers: list[float] = []
        self.inner = 0

    def add(self, law: Law, family: str = "force") -> np.uint32:
        """Enter a law; its number."""
        kind, numbers = kind_and_numbers(law, family)
        self.records.append((kind, self.inner, len(self.numbers), len(numbers)))
        self.numbers += numbers
        self.inner += law.inner
        return INDEX(len(self.records) - 1)


def pack_pads(
    interactions: list[Interaction], numbers: list[list[int]], index: dict[str, int], bin_row: int, book: LawBook
) -> tuple[np.ndarray, list[str], list[int]]:
    """Compliant walls, their names, and the interaction of each."""
    found: list[tuple[Any, ...]] = []
    names: list[str] = []
    sources: list[int] = []
    seen: Counter[str] = Counter()
    for k, given in enumerate(interactions):
        soft = given.law.soft() if given.law else None
        if soft is None:
            continue
        row = (numbers[k] + [bin_row, bin_row])[:3]
        law = book.add(soft.contact, "contact")
        friction = book.add(soft.friction, "friction") if soft.friction else NONE
        tangents = sum(r != bin_row for r in row[1:])
        for sign, limit in soft.walls:
            bodies = index[given.first.body], index[given.second.body]
            found.append((*bodies, k, row, tangents, law, friction, sign, limit))
            names.append(_wall_name(given, sign, seen))
            sources.append(k)
    return np.array(found, dtype=arrays.pad_dtype(float)), names, sources


def pack_bundles(system: System, interactions: list[Interaction], numbers: list[list[int]], bin_row: int) -> np.ndarray:
    """Bushings with full matrices: their rows in the order of the matrix, signs taken into it."""
    bundle = np.zeros(sum(joint.bushing is not None for joint in system.joints), dtype=arrays.bundle_dtype(float))
    for record, joint in zip(bundle, (j for j in system.joints if j.bushing is not None), strict=True):
        assert joint.bushing is not None
        rows: dict[str, list[int]] = {}
        for given, own in zip(interactions, numbers, strict=True):
            if given.owner == joint.name and given.closed:
                rows.setdefault(given.part, []).extend(own)
        order = joint.kind.coupled
        K, C, preload = joint.bushing.matrices(len(order))
        signs = np.array([sign for _, _, sign in order])
        record["row"] = [rows[group][m] for group, m, _ in order]
        record["stiffness"], record["damping"] = signs[:, None] * K * signs, signs[:, None] * C * signs
        record["preload"] = signs * preload
        gone = record["row"] == bin_row  # directions that a planar model does not have
        record["stiffness"][gone, :] = record["stiffness"][:, gone] = 0.0
        record["damping"][gone, :] = record["damping"][:, gone] = record["preload"][gone] = 0.0
    return bundle


def pack_rubs(
    system: System, interactions: list[Interaction], numbers: list[list[int]], bin_row: int, book: LawBook
) -> np.ndarray:
    """Friction of joints under their own reactions: first where a law of force describes it, then where it sticks."""
    found = [(k, j) for k, j in enumerate(system.joints) if j.friction]
    found.sort(key=lambda one: one[1].friction.law.regime is Regime.SET)  # type: ignore[union-attr]
    rub = np.zeros(len(found), dtype=arrays.rub_dtype(float))
    for record, (k, joint) in zip(rub, found, strict=True):
        assert joint.friction is not None and joint.kind.rubs is not None
        friction, facts = joint.friction, joint.kind.rubs
        rows = {
            i.part: own[0] for i, own in zip(interactions, numbers, strict=True) if i.rubs and i.owner == joint.name
        }
        slides = [part for part in facts.slides if rows.get(part, bin_row) != bin_row]
        sticks = friction.law.regime is Regime.SET
        record["joint"], record["count"] = k, len(slides)
        record["law"] = NONE if sticks else book.add(friction.law, "rub")
        record["states"], record["smoothing"] = friction.law.inner, friction.smoothing
        record["row"] = ([rows[part] for part in slides] + [bin_row, bin_row])[:2]
        levers = [friction.sizes["radius"] if part in facts.turns else 1.0 for part in slides]
        record["lever"] = (levers + [0.0, 0.0])[:2]
        terms = facts.normal(friction.sizes)
        record["terms"] = len(terms)
        for n, (factor, forms) in enumerate(terms):
            record["factor"][n] = factor
            record["form"][n, : len(forms)] = forms
    return rub


def pack_loads(system: System, index: dict[str, int], signals: list[Signal]) -> np.ndarray:
    """Loads; components that vary in time go to the list of signals."""
    load = np.zeros(len(system.loads), dtype=arrays.load_dtype(float))
    for record, given in zip(load, system.loads, strict=True):
        record["body"] = index[given.body]
        record["is_torque"], record["in_body_axes"] = given.is_torque, given.in_body_axes
        record["point"] = given.point
        for k, component in enumerate(given.components):
            record["signal"][k] = NONE
            if component.is_constant:
                record["value"][k] = component.constant
            else:
                record["signal"][k] = len(signals)
                signals.append(component)
    return load


def size_of(system: System) -> float:
    """Length scale of a mechanism: how far its joints, bodies and points lie from each other."""
    points = [body.position for body in system.bodies]
    poses = {body.name: (body.position, rotation_matrix(body.orientation)) for body in system.bodies}
    poses[GROUND] = (np.zeros(3), np.eye(3))
    markers = [m for joint in system.joints for m in (joint.first, joint.second)]
    markers += [m for spring in system.springs for m in (spring.first, spring.second)]
    for marker in markers:
        r, A = poses[marker.body]
        points.append(r + A @ marker.point)
    spread = np.ptp(np.array(points), axis=0) if points else np.zeros(3)
    return float(np.linalg.norm(spread)) or 1.0


def pack(system: System, horizon: float = 1.0, dropped: frozenset[Place] = frozenset()) -> Compiled:
    """All arrays of a system as given; assembly and redundancy analysis follow (compile/build.py)."""
    index = {GROUND: 0} | {body.name: k + 1 for k, body in enumerate(system.bodies)}
    interactions, dropped = _without_idle(interactions_of(system), dropped)
    dim = contact_dimension(interactions, system.planar)
    flat = {(k, c) for k, one in enumerate(interactions) if one.regime is Regime.SET for c in range(dim, 3)}
    for k, one in enumerate(interactions):  # tangents of compliant walls that do not rub
        soft = one.law.soft() if one.law else None
        if soft is not None and one.use.relation.count == 3:
            kept = 1 if soft.friction is None else 2 if system.planar else 3
            flat |= {(k, c) for c in range(kept, 3)}
    numbers, counts = number_rows(interactions, dropped | flat)
    relation, slots = pack_relations(interactions, numbers, index)
    rows = sum(counts.values())

    signals: list[Signal] = []
    load = pack_loads(system, index, signals)
    fact = np.zeros(rows + 1, dtype=arrays.row_fact_dtype)
    fact["law"] = fact["target"] = NONE
    book = LawBook()
    row_names, taps = [], []
    closed_rows = Counter(
        i.name
        for i, rows_of in zip(interactions, numbers, strict=True)
        for r in rows_of
        if r < rows and i.regime is Regime.BILATERAL
    )
    seen: Counter[str] = Counter()
    for k, given in enumerate(interactions):
        bodies = index[given.first.body], index[given.second.body]
        target = law_number = NONE
        if given.regime is Regime.BILATERAL and not given.closed:
            target = INDEX(len(signals))
            signals.append(given.law.value)  # type: ignore[union-attr]
        for r in numbers[k]:
            if r == rows:
                continue  # dropped: the motion cannot change it
            if given.regime is Regime.FORCE and given.law is not None and given.law.soft() is None:
                coupled = given.rubs or getattr(given.law, "is_matrix", False)
                law_number = NONE if coupled else book.add(given.law)
            fact[r] = (*bodies, law_number, target, k)
            if given.regime is Regime.BILATERAL:
                row_names.append(f"{given.name}[{seen[given.name]}]" if closed_rows[given.name] > 1 else given.name)
                seen[given.name] += 1
            if not given.closed:
                effort = "" if given.law is None else given.law.effort
                taps.append(Tap(r, given.owner, given.part, given.use.relation.unit, effort))

    info = np.zeros(1, dtype=arrays.info_dtype(float))
    info["bodies"] = len(system.bodies) + 1
    info["bilateral"] = counts[Regime.BILATERAL]
    info["force"] = counts[Regime.BILATERAL] + counts[Regime.FORCE]
    info["set"] = counts[Regime.BILATERAL] + counts[Regime.FORCE] + counts[Regime.SET]
    info["measure"] = rows
    info["bilateral_relations"] = sum(i.regime is Regime.BILATERAL for i in interactions)
    info["force_relations"] = sum(i.regime in (Regime.BILATERAL, Regime.FORCE) for i in interactions)
    info["set_relations"] = sum(i.regime is not Regime.MEASURE for i in interactions)
    info["relations"] = len(interactions)
    contact, contact_names, sources = pack_contacts(interactions, numbers, index, rows)
    info["contacts"], info["dim"], info["turns"] = len(contact), dim, slots
    info["recorded"] = sum(interactions[k].closed for k in sources)
    pad, pad_names, pad_sources = pack_pads(interactions, numbers, index, rows, book)
    info["pads"] = slots + arrays.SLOTS * len(contact)
    info["recorded_pads"] = sum(interactions[k].closed for k in pad_sources)
    integrals = len(pad) + 2  # impulses of pads, input, loss
    info["integrals"] = integrals
    info["planar"] = system.planar
    info["length"] = size_of(system)
    info["gravity"] = system.gravity

    marker = np.zeros(len(system.markers), dtype=arrays.marker_dtype(float))
    for record, given_marker in zip(marker, system.markers, strict=True):
        record["body"], record["s"] = index[given_marker.body], given_marker.point

    rub = pack_rubs(system, interactions, numbers, rows, book)
    info["rubs"] = int(np.sum(rub["law"] != NONE))
    for record, source in zip(contact, sources, strict=True):
        own = [n for n, c in enumerate(rub) if system.joints[c["joint"]].name == interactions[source].owner]
        record["rub"] = own[0] if interactions[source].rubs else NONE
    info["inner"], info["rub_iterations"] = book.inner, RUB_ITERATIONS
    signal, code, number, breaks = pack_signals(signals, horizon)
    bilateral = counts[Regime.BILATERAL]
    place, link, pair, column = constraint_graph(fact["i"][:bilateral], fact["j"][:bilateral])
    model = Model(
        info=info,
        body=pack_bodies(system),
        relation=relation,
        row=fact,
        law=np.array(book.records, dtype=arrays.law_dtype(float)),
        constant=np.array(book.numbers),
        contact=contact,
        pad=pad,
        bundle=pack_bundles(system, interactions, numbers, rows),
        rub=rub,
        load=load,
        signal=signal,
        code=code,
        number=number,
        breaks=breaks,
        pair=pair,
        column=column,
        place=place,
        link=link,
        joint=pack_joints(system, interactions, numbers, rows, index, sources),
        marker=marker,
        driven=np.flatnonzero(fact["target"] != NONE).astype(INDEX),
        tap=np.array([tap.row for tap in taps], dtype=INDEX),
    )
    state = pack_state(system, book.inner + integrals, int(info["pads"][0]) + arrays.PAD_SLOTS * len(pad))
    return Compiled(
        system,
        readable(model),
        readable(state),
        interactions,
        row_names,
        taps,
        [j.name for j in system.joints],
        contact_names,
        [interactions[k].owner for k in sources if interactions[k].closed],
        pad_names,
        [interactions[k].owner for k in pad_sources if interactions[k].closed],
    )


def _without_idle(
    interactions: list[Interaction], dropped: frozenset[Place]
) -> tuple[list[Interaction], frozenset[Place]]:
    """Leave out interactions all of whose components are dropped, and renumber the rest."""
    kept = [
        k for k, one in enumerate(interactions) if not all((k, c) in dropped for c in range(one.use.relation.count))
    ]
    place = {k: n for n, k in enumerate(kept)}
    return [interactions[k] for k in kept], frozenset((place[k], c) for k, c in dropped if k in place)


def pack_joints(
    system: System,
    interactions: list[Interaction],
    numbers: list[list[int]],
    bin_row: int,
    index: dict[str, int],
    sources: list[int],
) -> np.ndarray:
    """Where the rows of each joint's reaction lie."""
    closed: dict[tuple[str, Regime], list[int]] = {}
    for given, rows in zip(interactions, numbers, strict=True):
        if given.closed:
            closed.setdefault((given.owner, given.regime), []).extend(r for r in rows if r != bin_row)
    joint = np.zeros(len(system.joints), dtype=arrays.joint_dtype(float))
    for record, element in zip(joint, system.joints, strict=True):
        record["i"], record["j"] = index[element.first.body], index[element.second.body]
        record["sj"], record["Ei"] = element.second.point, element.first.axes
        for regime, head in ((Regime.BILATERAL, ""), (Regime.FORCE, "soft_"), (Regime.SET, "set_")):
            rows = closed.get((element.name, regime), [])
            record[f"{head}first"], record[f"{head}count"] = (rows[0] if rows else 0), len(rows)
        own = [n for n, k in enumerate(sources) if interactions[k].closed and interactions[k].owner == element.name]
        record["contact_first"], record["contact_count"] = (own[0] if own else 0), len(own)
    return joint
