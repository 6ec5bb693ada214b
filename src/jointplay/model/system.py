"""System: the description of a mechanism, by Python calls or from a file.

Each thing is kept twice: as it was given (``to_tree``: units, expressions and all) and as a frozen element with numbers
in SI, which is what the compiler reads. The two front ends share every check: a call and an entry of a file go through
the same reader (body.py, joint.py, force.py), which notes all problems before one InputError lists them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import replace
from os import PathLike
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from ..errors import InputError, Problem
from ..quantities.expression import Value
from ..quantities.signal import Free, Signal
from ..writing import write_whole
from .body import pose_of, read_body, read_marker
from .coupling import hinge_of
from .elements import GROUND, Body, Joint, LineSpring, Load, Marker, StateVariable, Switch, Watch
from .entry import Entry, Path, Scene, kind_of
from .force import read_force, read_spring, read_torque
from .geometry import Pose
from .handles import BodyHandle, Handle, JointMethod, MarkerHandle, name_of, with_joint_methods
from .inputs import Input, read_inputs
from .joint import read_joint
from .names import dotted, name_problem, title_problem
from .parameters import resolve
from .plain import NotData, keep, tree
from .reuse import Reading, Readings, earlier
from .sensed import sense_body, sense_joint
from .state import read_state, sense_state, sense_states_of
from .switch import read_switch
from .yamlwriter import yaml_text

if TYPE_CHECKING:
    from ..viewer import Shown

Report = Callable[[Path, str], None]


class Section(NamedTuple):
    """A section of a model: the word for one entry, and who reads it."""

    word: str
    read: Callable[[str, Entry], Any]


SECTIONS: dict[str, Section] = {
    "bodies": Section("body", read_body),
    "markers": Section("marker", read_marker),
    "joints": Section("joint", read_joint),
    "states": Section("state", read_state),
    "springs": Section("spring", read_spring),
    "forces": Section("force", read_force),
    "torques": Section("torque", read_torque),
    "switches": Section("switch", read_switch),
}


@with_joint_methods
class System:
    """A mechanism: bodies, markers, joints, springs and loads.

    Every quantity is a number in SI or a text with a unit ("0.1 mm", "45 deg") or an expression over ``parameters``.
    A planar model moves in the x-y plane.
    """

    if TYPE_CHECKING:  # made from the facts of joints.registry.KINDS by with_joint_methods
        fixed: JointMethod
        revolute: JointMethod
        prismatic: JointMethod
        cylindrical: JointMethod
        spherical: JointMethod
        universal: JointMethod
        planar_joint: JointMethod
        distance: JointMethod
        revolute_spherical: JointMethod
        gear: JointMethod
        bevel_gear: JointMethod
        rack: JointMethod
        screw: JointMethod
        belt: JointMethod

    def __init__(
        self,
        name: str = "",
        *,
        gravity: Any = None,
        planar: bool = False,
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
    ) -> None:
        """Start an empty system; gravity [m/s2] is (0, 0, -9.81), in planar models (0, -9.81, 0), unless given.

        ``inputs`` are numbers that expressions use and a run may change: ``{"motor": {"unit": "N*m", "value": 0}}``.
        """
        problems: list[Problem] = []
        head = {"name": name, "planar": planar, "gravity": gravity, "parameters": parameters, "inputs": inputs}
        given = {key: value for key, value in head.items() if value is not None}
        self._start(given, lambda path, message: problems.append(Problem(f"system: {dotted(path)}", message)))
        if problems:
            raise InputError(problems)

    def _start(self, head: Mapping[str, Any], report: Report) -> None:
        """Read what stands above the sections."""
        head = keep(head)
        self._raw: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
        self._made: dict[str, list[Any]] = {section: [] for section in SECTIONS}
        self._names: dict[str, str] = {}
        self._watches: tuple[Watch, ...] = ()
        self._warnings: list[str] = []
        self._run: dict[str, Any] | None = None
        self._run_raw: Any = None
        self._study_raw: Any = None
        self._place: Callable[[Path], tuple[str, int]] | None = None  # file and line of a path, if it came from a file
        for key, kinds, what in (
            ("name", str, "text"),
            ("planar", bool, "true or false"),
            ("parameters", dict, "a mapping"),
            ("inputs", dict, "a mapping"),
        ):
            if not isinstance(head.get(key, kinds()), kinds):
                report((key,), f"must be {what}, not {kind_of(head[key])}")
                head = {k: v for k, v in head.items() if k != key}
        message = title_problem(head.get("name", ""))
        if message:
            report(("name",), message)
        self._head = head
        self._scene = Scene(planar=head.get("planar", False))
        self._readings = Readings(self._scene)
        parameters = head.get("parameters", {})
        self._scene.values, wrong = resolve(parameters)
        self._scene.broken = set(parameters) - set(self._scene.values)
        for name, message in wrong:
            report(("parameters", name), message)
        self._inputs, wrong_inputs = read_inputs(head.get("inputs", {}), self._scene.values)
        self._scene.inputs = {one.name: one.dimension for one in self._inputs.values()}
        for path, message in wrong_inputs:
            report(("inputs", *path), message)
        entry = Entry(head, self._scene)
        self._gravity = entry.vector("gravity", "m/s^2", (0.0, -9.81, 0.0) if self._scene.planar else (0.0, 0.0, -9.81))
        for path, message in entry.problems:
            report(path, message)

    # --- reading ------------------------------------------------------------------------------------------------

    def _add(self, section: str, name: Any, given: Mapping[str, Any], report: Report) -> None:
        """Read an entry and keep it, or report what is wrong with it and keep nothing."""
        word, read = SECTIONS[section]
        raw = keep(given)
        before = earlier()
        known = before.find(section, name, raw, self._scene) if before else None
        if known is not None and name not in self._names:
            self._names[name] = word
            self._sense(section, name, raw)
            self._keep(section, name, known)
            return
        message = name_problem(name, self._names)
        self._sense(section, name, raw)
        entry = Entry(raw, self._scene)
        if message:
            entry.fail((), message)
        element = read(name, entry)
        for path, text in entry.problems:
            report(path, text)
        warnings = [f"{word} '{name}': {dotted(path)}: {text}" for path, text in entry.warnings]
        if isinstance(name, str) and not message:
            self._names[name] = word
        if entry.failed or element is None:
            self._warnings += warnings
            self._scene.unread.add(str(name))
            return
        self._keep(section, name, Reading(raw, element, warnings))

    def _sense(self, section: str, name: Any, raw: Mapping[str, Any]) -> None:
        """Let expressions name what an entry stands for, its own too."""
        if section == "joints":
            sense_joint(name, raw, self._scene)
        elif section == "states":
            sense_state(name, raw, self._scene)

    def _keep(self, section: str, name: str, reading: Reading) -> None:
        """Keep an entry that was read, as given and as the element that it became."""
        element = reading.element
        self._readings.known[section, name] = reading
        self._raw[section][name] = reading.raw
        self._made[section].append(element)
        self._warnings += reading.warnings
        if isinstance(element, Body):
            before = earlier()
            self._scene.poses[name] = before.pose(element) if before else pose_of(element)
            sense_body(name, self._scene)
        elif isinstance(element, Marker):
            self._scene.markers[name] = element
        elif isinstance(element, Joint):
            sense_states_of(element, self._scene)
            if hinge := hinge_of(element, self._scene):
                self._scene.hinges[name] = hinge

    def _call(self, section: str, word: str, name: str, given: Mapping[str, Any]) -> None:
        """``_add`` for a Python call: arguments that are None were not given, problems are raised."""
        problems: list[Problem] = []
        was_there = not isinstance(name, str) or name in self._names
        was_unread = str(name) in self._scene.unread

        def report(path: Path, message: str) -> None:
            problems.append(Problem(f"{word} '{name}'" + (f": {dotted(path)}" if path else ""), message))

        self._add(section, name, {key: value for key, value in given.items() if value is not None}, report)
        if problems:
            # A failed call leaves no trace: the same name may be tried again.
            if not was_there:
                self._names.pop(name, None)
            if not was_unread:
                self._scene.unread.discard(str(name))
            raise InputError(problems)
        assert name in self._raw[section]  # an entry that fails has noted why

    def _name(self, thing: Any) -> Any:
        return name_of(thing, self)

    # --- the user's calls ------------------------------------------------------------------------------------------

    @property
    def ground(self) -> BodyHandle:
        """The ground: the body that does not move."""
        return BodyHandle(GROUND, self)

    def body(
        self,
        name: str,
        *,
        mass: Any,
        inertia: Any,
        position: Any = None,
        orientation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
        shape: Any = None,
    ) -> BodyHandle:
        """Add a rigid body.

        Args:
            name: unique over the whole system.
            mass: kg, greater than zero.
            inertia: kg m2 about the centre of mass in body axes: 3 principal moments, a 3x3 tensor, or one number
                (all three moments equal; in planar models the moment about z).
            position: m, centre of mass in global axes.
            orientation: 4 Euler parameters (scalar first), a 3x3 rotation matrix (body to global), or
                ``{"axis": ..., "angle": ...}``; in planar models also one angle about z.
            velocity: m/s, of the centre of mass in global axes.
            angular_velocity: rad/s in body axes; in planar models also one number about z.
            shape: what it looks like, ``{"type": "box", "size": (0.1, 0.02, 0.02)}`` or a list of such shapes in body
                axes: box, cylinder, sphere, capsule, mesh; for pictures only, and drawn from the joints unless given.
        """
        given = {
            "mass": mass,
            "inertia": inertia,
            "position": position,
            "orientation": orientation,
            "velocity": velocity,
            "angular_velocity": angular_velocity,
            "shape": shape,
        }
        self._call("bodies", "body", name, given)
        return BodyHandle(name, self)

    def marker(self, name: str, body: Any, *, position: Any = None, orientation: Any = None) -> MarkerHandle:
        """Add a frame fixed on a body: position [m] and orientation in body axes; joints use its z axis."""
        given = {"body": self._name(body), "position": position, "orientation": orientation}
        self._call("markers", "marker", name, given)
        return MarkerHandle(name, self)

    def joint(self, kind: str, name: str, a: Any, b: Any, **given: Any) -> Handle:
        """Add a joint of any kind; ``s.revolute(...)`` is ``s.joint("revolute", ...)``."""
        if isinstance(given.get("hubs"), (list, tuple)):
            given["hubs"] = [self._name(hub) for hub in given["hubs"]]
        raw = {"type": kind, "between": [self._name(a), self._name(b)]} | given
        self._call("joints", str(kind), name, raw)
        return Handle(name, self)

    def spring(
        self,
        name: str,
        a: Any,
        b: Any,
        *,
        point_a: Any = None,
        point_b: Any = None,
        stiffness: Any = None,
        damping: Any = None,
        free_length: Any = None,
        preload: Any = None,
    ) -> Handle:
        """Add a spring-damper along the line between two points (global axes, as drawn) or two markers.

        Args:
            name: unique over the whole system.
            a: first body or marker.
            b: second body or marker.
            point_a: m, point on the first body; not with a marker.
            point_b: m, point on the second body; not with a marker.
            stiffness: N/m, zero unless given.
            damping: N s/m, zero unless given.
            free_length: m; the distance as drawn unless given.
            preload: N at the free length, positive pushes the ends apart; zero unless given.
        """
        given = {
            "between": [self._name(a), self._name(b)],
            "point_a": point_a,
            "point_b": point_b,
            "stiffness": stiffness,
            "damping": damping,
            "free_length": free_length,
            "preload": preload,
        }
        self._call("springs", "spring", name, given)
        return Handle(name, self)

    def force(self, name: str, body: Any, *, force: Any, point: Any = None, axes: str | None = None) -> Handle:
        """Add a force [N]: components that are numbers, expressions in t, tables or callables, or one callable.

        ``point`` is in global axes as drawn (the centre of mass unless given) and moves with the body; ``axes`` says
        whether the components are along "global" axes or turn with the "body".
        """
        self._call("forces", "force", name, {"body": self._name(body), "force": force, "point": point, "axes": axes})
        return Handle(name, self)

    def torque(self, name: str, body: Any, *, torque: Any, axes: str | None = None) -> Handle:
        """Add a torque [N m], given like a force; in planar models one component about z is enough."""
        self._call("torques", "torque", name, {"body": self._name(body), "torque": torque, "axes": axes})
        return Handle(name, self)

    def state(self, name: str, unit: str = "", *, rate: Any, start: Any = None) -> Handle:
        """Add a state: a number with a rate of its own, which expressions may name like what is sensed.

        Args:
            name: unique over the whole system.
            unit: of the state, such as "rad*s" or "A"; a plain number unless given.
            rate: in that unit per second: a number, an expression of t, the motion, inputs and states, or a table.
            start: its value at the start, 0 unless given.
        """
        self._call("states", "state", name, {"unit": unit, "rate": rate, "start": start})
        return Handle(name, self)

    def switch(self, name: str, *, when: str, set: Mapping[str, Any], once: bool | None = None) -> Handle:
        """Add a switch: inputs get other values where a condition becomes true, and the run goes on.

        Args:
            name: unique over the whole system; ``sol.events`` has the instants under it.
            when: the condition, such as "A.angle > 30 deg".
            set: inputs and the values that they get, ``{"motor": 0.0}`` (SI, or texts with a unit).
            once: True to act the first time only; every time unless given.
        """
        given = dict(set) if isinstance(set, Mapping) else set
        self._call("switches", "switch", name, {"when": when, "set": given, "once": once})
        return Handle(name, self)

    def check(self) -> Any:
        """Report degrees of freedom, redundancy by name, initial residuals and mass properties; printable."""
        from ..compile.check import check_system

        return check_system(self)

    @overload
    def view(self, path: None = None) -> Shown: ...
    @overload
    def view(self, path: str | PathLike[str]) -> FilePath: ...

    def view(self, path: str | PathLike[str] | None = None) -> FilePath | Shown:
        """Show the mechanism as drawn: in a notebook, or in the browser; with a path, write it to one HTML file."""
        from ..viewer import show, view

        return show(self) if path is None else view(self, path)

    def place(self, marker: Marker) -> np.ndarray:
        """The point of a marker in global axes, as drawn."""
        return marker.point if marker.body == GROUND else self.poses[marker.body].point_out(marker.point)

    # --- what the compiler reads ----------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the system, on one line."""
        return " ".join(str(self._head.get("name", "")).split())

    @property
    def planar(self) -> bool:
        """True if all motion is in the x-y plane."""
        return self._scene.planar

    @property
    def gravity(self) -> np.ndarray:
        """Acceleration of gravity, (3,) m/s2, global axes."""
        return self._gravity.copy()

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies but the ground, in order."""
        return tuple(self._made["bodies"])

    @property
    def poses(self) -> Mapping[str, Pose]:
        """Where the frames of all bodies and of the ground stand as drawn, by name."""
        return self._scene.poses

    @property
    def markers(self) -> tuple[Marker, ...]:
        """All named markers, in order."""
        return tuple(self._made["markers"])

    @property
    def joints(self) -> tuple[Joint, ...]:
        """All joints, in order."""
        return tuple(self._made["joints"])

    def part(self, names: Collection[str]) -> System:
        """The bodies of these names alone, with all that acts on them; with "ground" also points of the ground."""
        own, moving = copy(self), set(names) - {GROUND}

        def kept(element: Any) -> bool:
            if isinstance(element, StateVariable):
                return element.name in names
            if hasattr(element, "body"):
                return element.body in names
            return element.first.body in moving or element.second.body in moving

        bodies = [body for body in self.bodies if body.name in names]
        others = {key: [one for one in made if kept(one)] for key, made in self._made.items() if key != "bodies"}
        own._made = others | {"bodies": bodies}
        return own

    @property
    def springs(self) -> tuple[LineSpring, ...]:
        """All springs along lines, in order."""
        return tuple(self._made["springs"])

    @property
    def loads(self) -> tuple[Load, ...]:
        """All forces, then all torques."""
        return (*self._made["forces"], *self._made["torques"])

    @property
    def states(self) -> tuple[StateVariable, ...]:
        """All states that are not those of laws, in order."""
        return tuple(self._made["states"])

    @property
    def switches(self) -> tuple[Switch, ...]:
        """All switches, in order."""
        return tuple(self._made["switches"])

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as given."""
        return dict(self._head.get("parameters", {}))

    @property
    def values(self) -> Mapping[str, Value]:
        """Parameters in SI, each with its dimension."""
        return dict(self._scene.values)

    @property
    def free_names(self) -> Free:
        """What expressions may name beside t and the parameters: all that can be sensed, and inputs."""
        return Free(self._scene.sensed, self._scene.inputs)

    @property
    def watches(self) -> tuple[Watch, ...]:
        """Conditions that a run of this system looks for (``watching``)."""
        return self._watches

    def watching(self, conditions: Mapping[str, str], ends: str | None = None) -> System:
        """The same system, with conditions by name to be looked for; the run ends where the one called ``ends`` holds.

        A condition compares what expressions may sense: "slider.position[0] > 0.3". Raises InputError.
        """
        problems, found = list[Problem](), list[Watch]()
        for name, text in conditions.items():
            try:
                signal = Signal.condition(text, self._scene.values, self.free_names)
                found.append(Watch(name, signal, name == ends, text.strip()))
            except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
                problems.append(Problem("until" if name == ends else f"record: {name}", str(error)))
        if problems:
            raise InputError(problems)
        found += [Watch(one.name, one.signal, True, one.text, one) for one in self.switches]
        own = copy(self)
        own._watches = tuple(found)
        return own

    @property
    def inputs(self) -> Mapping[str, Input]:
        """Numbers that a run may change, by name."""
        return dict(self._inputs)

    @property
    def warnings(self) -> tuple[str, ...]:
        """How doubtful input was understood, one sentence each."""
        return tuple(self._warnings)

    def given(self, section: str) -> Mapping[str, Mapping[str, Any]]:
        """Entries of a section ("joints") as they were given, by name."""
        return dict(self._raw[section])

    def placed(self, problem: Problem) -> Problem:
        """A problem that was found after reading, with the file and line of what it names, if there are any."""
        if self._place is None or problem.file or not problem.field:
            return problem
        file, line = self._place(tuple(problem.field.partition("[")[0].split(".")))
        return replace(problem, file=file, line=line)

    @property
    def readings(self) -> Readings:
        """What was read, for systems that are built like this one (model/reuse.py)."""
        return self._readings

    @property
    def run(self) -> dict[str, Any] | None:
        """Settings of the ``run`` section: until and save in s, method as given; None if there is no such section.

        Of a run until a condition ``until`` is the latest end, ``ends`` the condition; ``record`` has those to note.
        """
        return None if self._run is None else dict(self._run)

    @property
    def study(self) -> Any:
        """The ``study`` section as given; None if there is no such section."""
        return self._study_raw

    # --- data ----------------------------------------------------------------------------------------------------

    def to_tree(self) -> dict[str, Any]:
        """All that was given, as plain data; raises InputError if a Python function stands where a file has none."""
        problems: list[Problem] = []
        out: dict[str, Any] = {"jointplay": 1} | tree({k: v for k, v in self._head.items() if v not in ("", {}, False)})
        for section, entries in self._raw.items():
            if entries:
                out[section] = {}
            for name, raw in entries.items():
                try:
                    out[section][name] = tree(raw)
                except NotData as error:
                    problems.append(Problem(f"{SECTIONS[section].word} '{name}'", str(error)))
        if problems:
            raise InputError(problems)
        if self._run_raw is not None:
            out["run"] = tree(self._run_raw)
        if self._study_raw is not None:
            out["study"] = self._study_raw
        return out

    def to_yaml(self) -> str:
        """The model file of this system; loading it compiles to the same numbers, bit by bit."""
        return yaml_text(self.to_tree())

    def sketch(self) -> str:
        """The model file without what no file can hold (Python functions of time): enough to draw the mechanism."""
        twin = copy(self)
        twin._raw = {section: _holdable(section, entries) for section, entries in self._raw.items()}
        return twin.to_yaml()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model file: JSON if the name ends in .json, else YAML."""
        file = FilePath(path)
        as_json = file.suffix.lower() == ".json"
        text = json.dumps(self.to_tree(), indent=2, ensure_ascii=False) + "\n" if as_json else self.to_yaml()
        write_whole(file, text, "path")

    @staticmethod
    def from_tree(data: Mapping[str, Any], allow: Collection[str] = ()) -> System:
        """The system that ``data`` describes (what ``to_tree`` returns, or a file read by other means)."""
        from .files import Document, build

        return build(Document(keep(data), allow=frozenset(allow)))

    @property
    def allowed(self) -> frozenset[str]:
        """Modules whose laws it may name."""
        return self._scene.allow

    @property
    def absent(self) -> dict[str, str]:
        """Laws of other modules that a file names and that were not allowed, with their modules."""
        return dict(self._scene.absent)

    def __copy__(self) -> System:
        """One that shares all with this one."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> System:
        """Made anew from what it was given."""
        return System.from_tree(self.to_tree(), allow=self.allowed)

    def __reduce__(self) -> tuple[Any, ...]:
        """As what it was given, for other processes."""
        return System.from_tree, (self.to_tree(), sorted(self.allowed))

    def _repr_html_(self) -> str:
        from ..notebook import system_html

        return system_html(self)

    def __repr__(self) -> str:
        """Name and what there is of each."""
        counts = [f"{len(made)} {section}" for section, made in self._made.items() if made]
        return f"System({self.name!r}: {', '.join(counts) or 'empty'})"


def _holdable(section: str, entries: Mapping[str, Any]) -> dict[str, Any]:
    """Entries without the fields that are Python functions; loads that are nothing else are left out."""
    out = {}
    for name, raw in entries.items():
        kept = {key: value for key, value in raw.items() if _is_data(value)}
        if len(kept) == len(raw) or section not in ("forces", "torques"):
            out[name] = kept
    return out


def _is_data(value: Any) -> bool:
    try:
        tree(value)
    except NotData:
        return False
    return True
