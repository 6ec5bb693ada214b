"""From a System to flat arrays: Model (constants), State (start) and the labels that give results their names."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import arrays
from ..arrays import INDEX, NONE, Model, State, Work
from ..codes import Regime
from ..laws.clearance import Clearance
from ..model.elements import StateVariable
from ..model.lawtree import law_unit
from ..model.system import System
from ..numerics.jit import readable
from ..quantities.signal import Signal, pack_signals
from .book import LawBook
from .coordinates import pack_relations, stands_alike, still_components
from .extent import scale_of, size_of
from .interactions import Interaction, Parts, interactions_of
from .packed_layout import Layout, Place, Tap, body_numbers, lay_out
from .records import of_type
from .senses import Meant, find_senses, own_names
from .touching import WallState, pack_contacts, pack_pads

RUB_ITERATIONS = 50  # of friction that follows reactions


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
    layout: Layout
    parts: Parts
    bare: np.ndarray  # relations before drawn values are known
    book: LawBook
    contacts: list[str] = field(default_factory=list)  # walls and brakes, "D.radial[0]", "A.angle[upper]"
    recorded: list[str] = field(default_factory=list)  # joint of each contact of a clearance
    pads: list[str] = field(default_factory=list)  # compliant walls, named like contacts
    recorded_pads: list[str] = field(default_factory=list)  # joint of each pad of a clearance
    states: list[StateVariable] = field(default_factory=list)  # inner states that have a name,
    wall_states: list[WallState] = field(default_factory=list)  # and behind them those of compliant walls
    gaps: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of all contacts, then pads, at the start
    notes: list[str] = field(default_factory=list)  # what the assembly changed
    rank: Rank = field(default_factory=lambda: Rank(0, [], []))
    twin: Compiled | None = None  # closed rows of ideal joints, where velocities follow from them
    scratch: list[Work] = field(default_factory=list)  # none or one that nobody uses (compile/work.py)

    @property
    def dropped(self) -> frozenset[Place]:
        """Rows that no motion of a planar model can change, and which it does without."""
        return self.layout.dropped


def pack_bodies(system: System, scalar: type = float) -> np.ndarray:
    """Inertia of all bodies; the ground first, with no inverse mass."""
    body: np.ndarray = np.zeros(len(system.bodies) + 1, dtype=of_type(arrays.body_dtype, scalar))
    moving = body[1:]
    moving["mass"] = [given.mass for given in system.bodies]
    moving["J"] = [given.inertia for given in system.bodies]
    if system.planar:  # only x, y and the turn about z can move
        moving["minv"][:, :2] = 1.0 / moving["mass"][:, None]
        moving["Jinv"][:, 2, 2] = 1.0 / moving["J"][:, 2, 2]
    else:
        moving["minv"] = 1.0 / moving["mass"][:, None]
        moving["Jinv"] = np.linalg.inv(moving["J"])
    return body


def given_motion(system: System) -> np.ndarray:
    """Positions of all bodies, then their velocities, as the user gave them."""
    bodies = len(system.bodies)
    y = np.zeros(13 * bodies)
    pose, motion = y[: 7 * bodies].reshape(bodies, 7), y[7 * bodies :].reshape(bodies, 6)
    pose[:, :3] = [given.position for given in system.bodies]
    pose[:, 3:] = [given.orientation for given in system.bodies]
    motion[:, :3] = [given.velocity for given in system.bodies]
    motion[:, 3:] = [given.angular_velocity for given in system.bodies]
    return y


def pack_state(given: np.ndarray, beyond: int, slots: int) -> State:
    """The state as ``given``, before assembly; ``beyond`` counts inner states and integrals."""
    y = np.concatenate([given, np.zeros(beyond)])
    return State(np.zeros(1, dtype=arrays.clock_dtype), y, np.zeros_like(y), np.zeros(slots))


def pack_bundles(system: System, interactions: list[Interaction], numbers: list[list[int]], bin_row: int) -> np.ndarray:
    """Bushings with full matrices: their rows in the order of the matrix, signs taken into it."""
    bundle = np.zeros(sum(joint.bushing is not None for joint in system.joints), dtype=of_type(arrays.bundle_dtype))
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
    rub = np.zeros(len(found), dtype=of_type(arrays.rub_dtype))
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
        record["states"], record["smoothing"] = friction.law.inner, friction.smoothing or 0.0  # compile/smoothing.py
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
    load = np.zeros(len(system.loads), dtype=of_type(arrays.load_dtype))
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


def count_rows(info: np.ndarray, layout: Layout) -> None:
    """Counts that the layout knows."""
    counts, relations = layout.counts, layout.relations
    info["bilateral"] = counts[Regime.BILATERAL]
    info["force"] = counts[Regime.BILATERAL] + counts[Regime.FORCE]
    info["set"] = counts[Regime.BILATERAL] + counts[Regime.FORCE] + counts[Regime.SET]
    info["measure"] = layout.rows
    info["bilateral_relations"] = relations[Regime.BILATERAL]
    info["force_relations"] = relations[Regime.BILATERAL] + relations[Regime.FORCE]
    info["relations"] = len(layout.order)
    info["set_relations"] = len(layout.order) - relations[Regime.MEASURE]
    info["dim"], info["turns"], info["block"] = layout.dim, layout.slots, layout.block
    place = layout.graph.place[:-1]
    info["plain"] = layout.planar and len(place) > 0 and bool(np.all(place["plain"])) and not np.any(place["hub"])


def _pack_info(system: System, interactions: list[Interaction], layout: Layout) -> np.ndarray:
    """Counts that the layout knows, and what holds for the system as a whole."""
    info = np.zeros(1, dtype=of_type(arrays.info_dtype))
    count_rows(info, layout)
    info["bodies"] = len(system.bodies) + 1
    info["planar"] = system.planar
    info["length"] = size_of(system, interactions)
    plays = [law.gap for joint in system.joints for law in joint.closed.values() if isinstance(law, Clearance)]
    info["clearance"] = min((float(gap) for gap in plays if gap > 0.0), default=1e300)  # type: ignore[operator]
    info["gravity"] = system.gravity
    info["rub_iterations"] = RUB_ITERATIONS
    return info


def row_facts(layout: Layout, interactions: list[Interaction], size: float) -> np.ndarray:
    """Facts of all rows, with their scales in a mechanism of this size (m)."""
    fact = layout.fact.copy()
    fact["scale"][: layout.rows] = [scale_of(interactions[k], size) for k in fact["relation"][: layout.rows]]
    return fact


def find_layout(
    system: System, found: list[Interaction], signals: int, like: Layout | None, body: np.ndarray, y: np.ndarray
) -> Layout:
    """The layout of a system with these interactions: that of an earlier one ``like`` this, where it will do.

    A planar model does without the rows that cannot change.
    """
    dropped: frozenset[Place] = frozenset()
    if system.planar:
        if like and like.fits(system, found, like.dropped, signals) and all(map(stands_alike, found, like.found)):
            return like
        dropped = still_components(system, found, body, y)
    fits = like is not None and like.fits(system, found, dropped, signals)
    return like if like and fits else lay_out(system, found, dropped, signals)


def pack(system: System, horizon: float = 1.0, like: Compiled | None = None) -> Compiled:
    """All arrays of a system as given; assembly and redundancy analysis follow (compile/build.py).

    What an earlier system ``like`` this one has in common with it is taken from there: the same numbers, sooner.
    """
    signals: list[Signal] = []
    parts = interactions_of(system, (like.system, like.parts) if like else None)
    found = [one for each in parts.values() for one in each]
    load = pack_loads(system, body_numbers(system), signals)
    body, given = pack_bodies(system), given_motion(system)
    layout = find_layout(system, found, len(signals), like.layout if like else None, body, given)
    fits = like is not None and layout is like.layout
    interactions = [found[k] for k in layout.order]
    numbers, rows = layout.numbers, layout.rows
    signals += [interactions[k].law.value for k in layout.driven]  # type: ignore[union-attr]
    meant: list[Meant] = [(one, {}) for one in signals]
    meant += [(interactions[k].law.value, own_names(interactions[k])) for k in layout.controlled]  # type: ignore[union-attr]
    watch = np.array([(len(meant) + k, one.stops) for k, one in enumerate(system.watches)], dtype=arrays.watch_dtype)
    meant += [(one.signal, {}) for one in system.watches]
    states: list[tuple[StateVariable, dict[str, str]]] = [(one, {}) for one in system.states]
    states += _states_of_laws(interactions, layout)
    bare = pack_relations(system, interactions, layout, (like.interactions, like.bare) if like and fits else None)
    book = LawBook(like.book if like else None)
    own_states: list[tuple[StateVariable, int]] = []  # of laws that users have written, and their places
    for k in layout.acting:
        own_states += _own_states(interactions[k], book.inner)
        book.add(interactions[k].law)  # type: ignore[arg-type]

    info = _pack_info(system, interactions, layout)
    size = float(info[0]["length"])
    contact, contact_names, sources = pack_contacts(interactions, layout, size)
    info["contacts"] = len(contact)
    info["recorded"] = sum(interactions[k].closed for k in sources)
    pad, pad_names, pad_sources, wall_states = pack_pads(interactions, layout, book)
    info["pads"] = layout.slots + arrays.SLOTS * len(contact)
    info["recorded_pads"] = sum(interactions[k].closed for k in pad_sources)
    integrals = len(pad) + 2  # impulses of pads, input, loss
    info["integrals"] = integrals

    marker = np.zeros(len(system.markers), dtype=of_type(arrays.marker_dtype))
    for record, given_marker in zip(marker, system.markers, strict=True):
        record["body"], record["s"] = layout.index[given_marker.body], given_marker.point

    rub = pack_rubs(system, interactions, numbers, rows, book)
    info["rubs"] = int(np.sum(rub["law"] != NONE))
    for record, source in zip(contact, sources, strict=True):
        own = [n for n, c in enumerate(rub) if system.joints[c["joint"]].name == interactions[source].owner]
        record["rub"] = own[0] if interactions[source].rubs else NONE
    facts = [(book.inner + k, len(meant) + k) for k in range(len(states))] + [(at, NONE) for _, at in own_states]
    facts += [(one.place, NONE) for one in wall_states]
    state_fact = np.array(facts, dtype=arrays.state_dtype)
    meant += [(one.rate, own) for one, own in states if one.rate is not None]
    places = {one.name: book.inner + k for k, (one, _) in enumerate(states)} | {one.name: k for one, k in own_states}
    sensed = find_senses(system, interactions, layout, meant, places)
    inner = book.inner + len(states)
    info["inner"] = inner
    signal, code, number, breaks = pack_signals([one for one, _ in meant], horizon, sensed.pushes, sensed.inputs)
    place, link, pair, column, hub = (array.copy() for array in layout.graph)
    targets = np.flatnonzero(layout.fact["target"] != NONE).astype(INDEX)
    model = Model(
        info=info,
        body=body,
        relation=bare.copy(),
        row=row_facts(layout, interactions, size),
        law=np.array(book.records, dtype=of_type(arrays.law_dtype)),
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
        hub=hub,
        joint=pack_joints(system, interactions, layout, sources, like if fits else None),
        marker=marker,
        driven=targets[targets < layout.counts[Regime.BILATERAL]],
        tap=np.array([tap.row for tap in layout.taps], dtype=INDEX),
        sense=sensed.records,
        control=targets[targets >= layout.counts[Regime.BILATERAL]],
        watch=watch,
        state=state_fact,
    )
    state = pack_state(given, inner + integrals, int(info["pads"][0]) + arrays.PAD_SLOTS * len(pad))
    state.y[len(state.y) - integrals - len(states) : len(state.y) - integrals] = [one.start for one, _ in states]
    for started, at in own_states:
        state.y[13 * len(system.bodies) + at] = started.start
    for wall in wall_states:
        state.y[13 * len(system.bodies) + wall.place] = wall.state.start
    return Compiled(
        system,
        readable(model),
        readable(state),
        interactions,
        list(layout.row_names),
        list(layout.taps),
        [j.name for j in system.joints],
        layout,
        parts,
        bare,
        book,
        contact_names,
        [interactions[k].owner for k in sources if interactions[k].closed],
        pad_names,
        [interactions[k].owner for k in pad_sources if interactions[k].closed],
        states=[*(one for one, _ in states), *(one for one, _ in own_states)],
        wall_states=wall_states,
    )


def _own_states(given: Interaction, place: int) -> list[tuple[StateVariable, int]]:
    """States of a law that a user has written, from ``place`` on."""
    found = getattr(given.law, "own_states", {})
    unit = given.use.relation.unit
    return [
        (StateVariable(f"{given.owner}.{name}", law_unit(one.unit, unit), None, one.start), place + k)
        for k, (name, one) in enumerate(found.items())
    ]


def _states_of_laws(interactions: list[Interaction], layout: Layout) -> list[tuple[StateVariable, dict[str, str]]]:
    """States that force laws bring along, and what the names in their rates stand for."""
    found = []
    for k in layout.controlled:
        own = own_names(interactions[k])
        for name, facts in interactions[k].law.states.items():  # type: ignore[union-attr]
            found.append((StateVariable(own[name], facts.unit, facts.rate, facts.start), own))
    return found


def pack_joints(
    system: System, interactions: list[Interaction], layout: Layout, sources: list[int], like: Compiled | None
) -> np.ndarray:
    """Where each joint's reaction acts, and where its rows lie."""
    if like is not None and like.model.contact["relation"].tolist() == sources:
        joint = like.model.joint.copy()
    else:
        joint = _joint_rows(system, interactions, layout, sources)
    if system.joints:
        joint["sj"] = [one.second.point for one in system.joints]
        joint["Ei"] = [one.first.axes for one in system.joints]
    return joint


def _joint_rows(system: System, interactions: list[Interaction], layout: Layout, sources: list[int]) -> np.ndarray:
    """Joint records with the places of their rows and contacts; ``sources`` are the interactions of all contacts."""
    closed: dict[tuple[str, str], list[int]] = {}
    heads = {Regime.BILATERAL: "", Regime.FORCE: "soft_", Regime.SET: "set_"}
    for given, rows in zip(interactions, layout.numbers, strict=True):
        if given.closed:
            kept = [r for r in rows if r != layout.rows]
            closed.setdefault((given.owner, heads[given.regime]), []).extend(kept)
    for n, k in enumerate(sources):
        if interactions[k].closed:
            closed.setdefault((interactions[k].owner, "contact_"), []).append(n)
    joint: np.ndarray = np.zeros(len(system.joints), dtype=of_type(arrays.joint_dtype))
    if not system.joints:
        return joint
    joint["i"] = [layout.index[one.first.body] for one in system.joints]
    joint["j"] = [layout.index[one.second.body] for one in system.joints]
    for head in (*heads.values(), "contact_"):
        own = [closed.get((one.name, head), []) for one in system.joints]
        joint[f"{head}first"] = [rows[0] if rows else 0 for rows in own]
        joint[f"{head}count"] = [len(rows) for rows in own]
    return joint
