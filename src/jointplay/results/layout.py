"""Names, units and places of everything that is recorded.

``assemble/observe.py`` writes one flat line of channels per saved state; a Layout cuts it into variables such as
``position (time, body, xyz)`` and gives every element its public name, ``crank.position``. The same layout describes
arrays in memory and in a result file. No two quantities share a name: a law on a free coordinate whose force would be
called like a quantity of its joint's contacts, or like that of an earlier law, ends in ``_2``, ``_3``, ...
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from ..arrays import (
    BODY_CHANNELS,
    CONTACT_CHANNELS,
    ENERGY_CHANNELS,
    JOINT_CHANNELS,
    MARKER_CHANNELS,
    PAD_CHANNELS,
    ROW_CHANNELS,
    RUB_CHANNELS,
    SOLVER_CHANNELS,
    STATE_CHANNELS,
)
from ..errors import InputError, Problem

FORCE_OF = {"m": "N", "rad": "N m"}
SUFFIX_OF = {"m": "force", "rad": "torque"}


@dataclass(frozen=True)
class Variable:
    """One quantity of several elements (bodies, joints, ...)."""

    name: str  # in the file: "position"
    dimension: str  # "body", "joint", "coordinate", ...; "" for a single series
    labels: tuple[str, ...]  # element names
    publics: tuple[str, ...]  # public names, one per element
    units: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]  # channels of each element
    summary: str
    grouped: bool = False  # elements that share a public name are the columns of one quantity

    @property
    def width(self) -> int:
        """Components of an element: 1 to 4."""
        return len(self.columns[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one saved state: elements and components, where there are several."""
        return ((len(self.labels),) if self.dimension else ()) + ((self.width,) if self.width > 1 else ())

    @staticmethod
    def from_json(data: dict[str, Any]) -> Variable:
        """Back from plain data; ValueError if it cannot be."""
        texts = [tuple(str(text) for text in data[key]) for key in ("labels", "publics", "units")]
        columns = tuple(tuple(int(c) for c in element) for element in data["columns"])
        name, dimension, summary = (str(data[key]) for key in ("name", "dimension", "summary"))
        counts = {len(columns), *map(len, texts)}
        widths = {len(element) for element in columns}
        if len(counts) != 1 or len(widths) != 1 or not widths <= {1, 2, 3, 4} or not (dimension or counts == {1}):
            raise ValueError(f"its layout of {name} does not fit together")
        labels, publics, units = texts
        return Variable(name, dimension, labels, publics, units, columns, summary, bool(data.get("grouped", False)))


@dataclass(frozen=True)
class Layout:
    """All variables of a run."""

    variables: tuple[Variable, ...]
    channels: int
    contacts: tuple[str, ...] = ()  # walls and brakes in the order of the list of impacts

    def __post_init__(self) -> None:
        """Refuse a name that stands for two quantities: one of them could never be read."""
        quantities = [name for one in self.variables for name in (set(one.publics) if one.grouped else one.publics)]
        twice = [name for name, count in Counter(quantities).items() if count > 1]
        if twice:
            raise ValueError(f"two quantities of one name: {', '.join(twice)}")

    def find(self, public: str) -> tuple[Variable, int | list[int]]:
        """Variable and element (elements of a grouped one) of a public name; KeyError if there is none."""
        if not hasattr(self, "_index"):
            index: dict[str, tuple[Variable, Any]] = {}
            for variable in self.variables:
                for k, name in enumerate(variable.publics):
                    if variable.grouped:
                        index.setdefault(name, (variable, []))[1].append(k)
                    else:
                        index[name] = (variable, k)
            object.__setattr__(self, "_index", index)
        return self._index[public]  # type: ignore[attr-defined]

    @property
    def names(self) -> list[str]:
        """All public names."""
        return list(dict.fromkeys(public for variable in self.variables for public in variable.publics))

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Layout:
        """Back from plain data; ValueError if it cannot be."""
        variables = tuple(Variable.from_json(one) for one in data["variables"])
        if len({variable.name for variable in variables}) < len(variables):
            raise ValueError("its layout has a variable twice")
        channels = int(data["channels"])
        if not all(0 <= c < channels for one in variables for element in one.columns for c in element):
            raise ValueError("its layout has columns that there are not")
        return Layout(variables, channels, tuple(str(name) for name in data.get("contacts", ())))


BODY = (
    ("position", 3, "m", "centre of mass, global axes"),
    ("orientation", 4, "1", "Euler parameters, scalar first"),
    ("velocity", 3, "m/s", "centre of mass, global axes"),
    ("angular_velocity", 3, "rad/s", "body axes"),
    ("acceleration", 3, "m/s2", "centre of mass, global axes"),
    ("angular_acceleration", 3, "rad/s2", "body axes"),
)
JOINT = (
    ("force", 3, "N", "reaction on the second body, global axes"),
    ("torque", 3, "N m", "reaction on the second body at its joint point, global axes"),
    ("force_local", 3, "N", "the same in joint axes of the first body"),
    ("torque_local", 3, "N m", "the same in joint axes of the first body"),
    ("residual", 1, "m or rad", "largest violation of the closed directions"),
)
CONTACT = (
    ("gap", 1, "m", "gap of each possible contact; negative where compliant parts press into each other"),
    ("gap_rate", 1, "m/s", "rate of the gap"),
    ("normal_force", 1, "N", "contact force along the normal"),
    ("friction_force", 2, "N", "contact force along the two tangents of the contact"),
    ("normal_impulse", 1, "N s", "impulse along the normal since the start, impacts included"),
    (
        "offset",
        3,
        "m",
        "place of the contact's point on one member, in axes of the other",
    ),
)
COMPLIANT = (("onset_speed", 1, "m/s", "speed at which the present contact began; zero while it is open"),)
RUB = (
    ("friction_normal", 1, "N", "effective normal force of friction that follows the reaction"),
    ("sliding_velocity", 2, "m/s", "of that friction, along the axis and around it"),
    ("friction_state", 3, "m, m, 1", "inner states of its law: bristles (2) and dwell"),
)
MARKER = (
    ("marker_position", 3, "m", "global axes"),
    ("marker_velocity", 3, "m/s", "global axes"),
    ("marker_acceleration", 3, "m/s2", "global axes"),
)
ENERGY = (
    ("kinetic", "kinetic energy"),
    ("gravity", "potential energy of weight, zero at the origin"),
    ("elastic", "energy stored in springs, bushings and compliant contacts"),
    ("input", "work done by loads and drives since the start"),
    ("dissipated", "energy lost since the start"),
    ("error", "kinetic + gravity + elastic - start - input + dissipated: zero for an exact solution"),
)
SOLVER = (
    ("step", "s", "size of the step that the instant lies in"),
    ("steps", "1", "accepted steps of this run so far"),
    ("rejections", "1", "attempts of this run so far that were rejected"),
)


def _block(
    table: tuple[tuple[str, int, str, str], ...], dimension: str, labels: list[str], start: int, stride: int
) -> list[Variable]:
    found, offset = [], 0
    for name, width, unit, summary in table:
        columns = tuple(tuple(start + stride * k + offset + c for c in range(width)) for k in range(len(labels)))
        public = tuple(f"{label}.{name.removeprefix('marker_')}" for label in labels)
        found.append(Variable(name, dimension, tuple(labels), public, (unit,) * len(labels), columns, summary))
        offset += width
    return found if labels else []


def _row_variables(taps: list[Any], springs: set[str], start: int, others: set[str]) -> list[Variable]:
    """Coordinates with their rates, and the forces of laws on them; ``others`` are names that contacts have taken."""
    coordinates: list[tuple[str, str, int]] = []
    efforts: list[tuple[str, str, int]] = []
    taken = Counter(others)
    for k, tap in enumerate(taps):
        first = start + ROW_CHANNELS * k
        public = f"{tap.owner}.{tap.part}"
        if not tap.effort or tap.owner in springs:
            coordinates.append((public, tap.unit, first))
        if tap.effort:
            prefix = "" if tap.owner in springs else f"{tap.effort}_"
            name = f"{tap.owner}.{prefix}{SUFFIX_OF[tap.unit]}"
            taken[name] += 1
            efforts.append((f"{name}_{taken[name]}" if taken[name] > 1 else name, FORCE_OF[tap.unit], first + 2))
    found = []
    if coordinates:
        names, units, columns = zip(*coordinates, strict=True)
        rates = tuple(f"{name}_rate" for name in names)
        per_second = tuple(f"{unit}/s" for unit in units)
        first_column = tuple((c,) for c in columns)
        second_column = tuple((c + 1,) for c in columns)
        summary = "free coordinates of joints (zero as drawn, turns counted) and lengths of springs"
        found.append(Variable("coordinate_value", "coordinate", names, names, units, first_column, summary))
        found.append(Variable("coordinate_rate", "coordinate", names, rates, per_second, second_column, "their rates"))
    if efforts:
        names, units, columns = zip(*efforts, strict=True)
        summary = "force or torque of laws on free coordinates; positive drives the coordinate up"
        found.append(Variable("effort", "law", names, names, units, tuple((c,) for c in columns), summary))
    return found


def _contact_variables(compiled: Any, start: int) -> list[Variable]:
    """Quantities of the contacts of clearances: one name per joint, one column per contact, rigid or compliant."""
    pads = start + CONTACT_CHANNELS * len(compiled.recorded)
    rigid = [(o, compiled.contacts[k], start + CONTACT_CHANNELS * k) for k, o in enumerate(compiled.recorded)]
    soft = [(o, compiled.pads[k], pads + PAD_CHANNELS * k) for k, o in enumerate(compiled.recorded_pads)]
    found, offset = [], 0
    for name, width, unit, summary in CONTACT + COMPLIANT:
        places = rigid + soft if offset < CONTACT_CHANNELS else soft
        columns = tuple(tuple(place + offset + c for c in range(width)) for _, _, place in places)
        publics = tuple(f"{owner}.{name}" for owner, _, _ in places)
        labels = tuple(label for _, label, _ in places)
        dimension = "contact" if offset < CONTACT_CHANNELS else "compliant_contact"
        if places:
            found.append(Variable(name, dimension, labels, publics, (unit,) * len(places), columns, summary, True))
        offset += width
    return found


def _state_variables(states: list[Any], start: int, others: list[Variable]) -> list[Variable]:
    """Inner states that have a name; InputError for one that ``others`` have."""
    if not states:
        return []
    taken = {public: one.summary for one in others for public in one.publics}
    twice = [one.name for one in states if one.name in taken]
    if twice:
        raise InputError([Problem(name, f"is a result already ({taken[name]}); rename the state") for name in twice])
    names, units = tuple(one.name for one in states), tuple(one.unit or "1" for one in states)
    columns = tuple((start + STATE_CHANNELS * k,) for k in range(len(states)))
    summary = "states of expressions and laws, by their rates"
    return [Variable("state_value", "state_name", names, names, units, columns, summary)]


def _wall_variables(walls: list[Any], start: int, others: list[Variable]) -> list[Variable]:
    """Inner states of compliant walls: one name for all of a joint, one column per wall."""
    if not walls:
        return []
    taken = {public: one.summary for one in others for public in one.publics}
    twice = dict.fromkeys(one.state.name for one in walls if one.state.name in taken)
    if twice:
        raise InputError([Problem(name, f"is a result already ({taken[name]}); rename the state") for name in twice])
    publics, units = tuple(one.state.name for one in walls), tuple(one.state.unit or "1" for one in walls)
    labels = tuple(f"{one.wall}.{one.state.name.rpartition('.')[2]}" for one in walls)
    columns = tuple((start + STATE_CHANNELS * k,) for k in range(len(walls)))
    summary = "inner states of compliant contacts, such as a worn height"
    return [Variable("contact_state", "contact_state_name", labels, publics, units, columns, summary, True)]


def layout_of(compiled: Any) -> Layout:
    """Layout of a compiled system."""
    system = compiled.system
    bodies, joints = [b.name for b in system.bodies], list(compiled.joints)
    markers = [m.name for m in system.markers]
    place = 0
    variables = _block(BODY, "body", bodies, place, BODY_CHANNELS)
    place += BODY_CHANNELS * len(bodies)
    variables += _block(JOINT, "joint", joints, place, JOINT_CHANNELS)
    place += JOINT_CHANNELS * len(joints)
    contacts = _contact_variables(compiled, place + ROW_CHANNELS * len(compiled.taps))
    others = {public for variable in contacts for public in variable.publics}
    variables += _row_variables(compiled.taps, {s.name for s in system.springs}, place, others)
    place += ROW_CHANNELS * len(compiled.taps)
    variables += contacts
    place += CONTACT_CHANNELS * len(compiled.recorded) + PAD_CHANNELS * len(compiled.recorded_pads)
    rubbing = [compiled.joints[int(k)] for k in compiled.model.rub["joint"][: int(compiled.model.info[0]["rubs"])]]
    variables += _block(RUB, "rubbing", rubbing, place, RUB_CHANNELS)
    place += RUB_CHANNELS * len(rubbing)
    variables += _state_variables(compiled.states, place, variables)
    place += STATE_CHANNELS * len(compiled.states)
    variables += _wall_variables(compiled.wall_states, place, variables)
    place += STATE_CHANNELS * len(compiled.wall_states)
    variables += _block(MARKER, "marker", markers, place, MARKER_CHANNELS)
    place += MARKER_CHANNELS * len(markers)
    for k, (name, summary) in enumerate(ENERGY):
        public = (f"energy.{name}",)
        variables.append(Variable(f"energy_{name}", "", ("",), public, ("J",), ((place + k,),), summary))
    place += ENERGY_CHANNELS
    for k, (name, unit, summary) in enumerate(SOLVER):
        variables.append(Variable(f"solver_{name}", "", ("",), (f"solver.{name}",), (unit,), ((place + k,),), summary))
    return Layout(tuple(variables), place + SOLVER_CHANNELS, tuple(compiled.contacts))
