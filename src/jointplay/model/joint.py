"""Reading joints: a kind, two bodies or markers, geometry as drawn, and a law per direction.

All that differs between kinds is in their facts (joints/base.py): the names of geometry arguments, of closed groups
and of free coordinates. Geometry is given in global axes at the initial configuration and kept in body axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..codes import Regime
from ..joints.base import Frames, JointKind
from ..joints.coupling import Settled
from ..joints.registry import KINDS
from ..laws.base import Law
from ..laws.bushing import Bushing
from ..laws.clearance import STRIPS, Clearance
from ..laws.compliant import Sizes
from ..laws.ideal import Ideal
from ..laws.on_joint import OnJoint
from ..laws.stop import Stop
from ..relations.base import Use
from .coupling import Hubs, coupling_fields, markers_of, read_sizes, settled
from .elements import Friction, Joint, Marker, acts_around
from .entry import Entry, Field, kind_of
from .lawtree import LAWS, read_law
from .names import suggest
from .state import name_states

CLEARANCE: dict[str, Field] = {
    "length": Field("quantity", "m", "axial engagement"),
    "radius": Field("quantity", "m", "radius of the pin or ball"),
    "width": Field("quantity", "m", "full width of a planar slider"),
    "section": Field("points", "m", "vertices of the inner polygon, global axes, about the joint point"),
    "inner": Field(
        "end", "", "body that lies inside: by default, pins and balls belong to the first, sliders to the second"
    ),
    "ends": Field("end", "", "which body is the shorter one, whose end faces touch: the second by default"),
}
FRICTION = {"friction": Field("closed_law", "", "friction under the reaction of the joint itself")}
ENDS = ("first", "second")
SIZES = {
    "length": "the distance between the two ends that carry the reaction",
    "width": "the arm of the torque about the axis",
    "radius": "the effective radius of friction around the axis",
    "path": "the mean distance of the contact of teeth from the pitch point",
}
MOST_STRIPS = 1000

Z = (0.0, 0.0, 1.0)


def joint_fields(kind: JointKind) -> dict[str, Field]:
    """The keys of a joint of this kind."""
    out = {
        "type": Field("name", "", "kind of joint", required=True),
        "between": Field("pair", "", "two bodies, or two markers", required=True),
    }
    for key, unit in kind.arguments.items():
        about = "global axes, as drawn"
        out[key] = Field("vector", unit, about) if unit else Field("direction", "", about)
    out |= {key: Field("closed_law", "", f"law on the closed direction '{key}'") for key in kind.closed}
    out |= {key: Field("free_laws", "", f"law or laws on the free coordinate '{key}'") for key in kind.free}
    if "length" in kind.closed:
        out["length"] = Field("length_or_law", "m", "distance to keep, if not as drawn; or the law on it")
    if kind.coupling:
        return out | coupling_fields(kind.coupling) | FRICTION
    if kind.coupled:
        out["bushing"] = Field("closed_law", "", "bushing with 6 x 6 matrices on all directions at once")
    return out | FRICTION | {k: f for k, f in CLEARANCE.items() if k not in out}


def read_joint(name: str, entry: Entry) -> Joint | None:
    """A joint, or None after a problem."""
    kind = _kind(entry)
    if kind is None:
        return None
    known = joint_fields(kind)
    if "bushing" in entry.raw and not kind.coupled:
        laws = ", ".join(kind.closed)
        entry.fail(("bushing",), f"a {kind.key} joint takes no bushing on all directions at once; directions: {laws}")
        known |= {"bushing": Field("closed_law")}
    entry.keys(known)
    ends = _between(entry)
    markers, coupled, hubs = _placed(kind, ends, entry) if ends else (None, None, ())
    lever = _lever(kind, coupled)
    closed = {group: _closed(group, uses, entry, lever) for group, uses in kind.closed.items()}
    free = {coordinate: _free(coordinate, use, entry) for coordinate, use in kind.free.items()}
    name_states(free, entry)
    value = {}
    if "length" in kind.closed and not _is_law(entry.raw.get("length", "ideal")):
        value["length"] = entry.number("length", "m", above=0.0)
    geometry = {} if kind.coupling else _sizes({key for key in CLEARANCE if key not in kind.closed}, entry)
    if lever is not None and "offset" in entry.raw:
        value = {"offset": entry.way(entry.raw["offset"], ("offset",), lever)}
    if coupled is not None:
        geometry = coupled.geometry
    held = {group: law for group, law in closed.items() if law is not None}
    bushing = _coupled(kind, entry) if "bushing" in entry.raw and kind.coupled else None
    if bushing is not None:
        held = dict.fromkeys(held, bushing)
    for group, law in list(held.items()):
        if isinstance(law, Clearance):
            held = _open_up(kind, group, law, held, geometry, entry)
        elif isinstance(law, Bushing) and acts_around(kind, group, law):
            _bent(law, group, entry)
    sizes = geometry | coupled.angles if coupled else geometry
    friction = _friction(kind, held, sizes, entry) if "friction" in entry.raw else None
    if entry.failed or markers is None:
        return None
    if "section" in geometry:
        geometry["section"] = _in_joint_axes(geometry["section"], markers[0], entry)
        if entry.failed:
            return None
    weights = coupled.weights if coupled else {}
    return Joint(name, kind, *markers, held, free, value, geometry, bushing, friction, weights, hubs)


def _placed(
    kind: JointKind, ends: tuple[str, str], entry: Entry
) -> tuple[tuple[Marker, Marker] | None, Settled | None, tuple[str, ...]]:
    """Frames on both bodies; of a coupling also its coefficients, and the joints that gave its hubs."""
    marked = [end in entry.scene.markers for end in ends]
    if kind.coupling is None or marked[0] != marked[1]:
        return joint_markers(kind, ends, entry), None, ()
    given = read_sizes(kind.coupling, entry)
    hubs = Hubs(kind, ends, entry)
    args = hubs.arguments()
    if args is None or entry.failed:
        return None, None, ()
    frames = _frames(kind, args, entry)
    found = settled(kind, frames, given, entry) if frames else None
    if found is None or entry.failed:
        return None, None, ()
    return markers_of(found[0], hubs.bodies, entry.scene.poses), found[1], tuple(dict.fromkeys(hubs.used))


def _friction(kind: JointKind, held: dict[str, Law], geometry: dict[str, Any], entry: Entry) -> Friction | None:
    """Friction under the reaction of the joint itself: its law and the sizes that make the normal force."""
    if isinstance(entry.raw["friction"], list):
        entry.fail(("friction",), "takes one law, such as {coulomb: 0.1}, not a list")
        return None
    law = read_law(entry.raw["friction"], ("friction",), "m", entry, role="friction")
    if law is None:
        return None
    if kind.rubs is None:
        able = ", ".join(key for key, one in KINDS.items() if one.rubs is not None)
        entry.fail(("friction",), f"a {kind.key} joint has no friction of its own; joints that have: {able}")
        return None
    if not isinstance(law, OnJoint):
        able = ", ".join(key for key, one in LAWS.items() if issubclass(one, OnJoint))
        entry.fail(("friction",), f"the law '{law.key}' is no friction that follows a reaction; those that are: {able}")
        return None
    if getattr(law, "load", None) is not None:
        entry.fail(("friction",), "the reaction presses: leave 'load' out, or put the law on a free coordinate")
    play = next((one for one in held.values() if isinstance(one, Clearance)), None)
    if play is not None and not kind.coupling:
        entry.fail(("friction",), "a joint with clearance rubs at its contacts: give friction inside the clearance")
    elif play is not None and play.regime is Regime.SET:
        entry.fail(
            ("friction",),
            "rigid flanks with clearance cannot rub: give the clearance a compliant 'contact', such as "
            "{kelvin_voigt: {stiffness: 1e8 N/m, damping: 1e4 N*s/m}}, or make the coupling ideal",
        )
    sizes: dict[str, float] = {}
    for size in kind.rubs.needs:
        given = getattr(law, size, None)
        given = geometry.get(size) if given is None else given
        if given is None and entry.scene.planar and size in kind.rubs.spatial:
            given = 1.0  # the arm of torques that a planar model has not
        if given is None:
            entry.fail(("friction",), f"'{size}' is missing: {SIZES[size]}; give it in the law or in the joint")
        else:
            sizes[size] = float(given)
    for size in SIZES:
        if size not in kind.rubs.needs and getattr(law, size, None) is not None:
            entry.fail(
                ("friction",), f"'{size}' has no meaning in a {kind.key} joint; sizes: {', '.join(kind.rubs.needs)}"
            )
    if law.regime is Regime.SET and getattr(law, "creep", None) is None and len(kind.rubs.slides) > 1:
        entry.fail(
            ("friction",), f"a {kind.key} joint slides in two directions at once: give 'creep' to smooth the law"
        )
    try:
        sticks = law.regime is Regime.SET and getattr(law, "creep", None) is None
        rubbing = law if sticks else law.rubbing()
    except ValueError as error:
        entry.fail(("friction",), str(error))
        return None
    return Friction(rubbing, sizes, None if law.smoothing is None else float(law.smoothing))


def _kind(entry: Entry) -> JointKind | None:
    given = entry.raw.get("type")
    if isinstance(given, str) and given in KINDS:
        return KINDS[given]
    if "type" not in entry.raw:
        entry.fail((), f"'type' is missing{suggest('', KINDS)}")
    else:
        what = f"there is no joint '{given}'{suggest(given, KINDS)}" if isinstance(given, str) else None
        entry.fail(("type",), what or f"needs the name of a joint kind, not {kind_of(given)}")
    return None


def _between(entry: Entry) -> tuple[str, str] | None:
    """The names of the two bodies or markers."""
    if "between" not in entry.raw:
        return None
    raw = entry.raw["between"]
    if not isinstance(raw, list) or len(raw) != 2:
        entry.fail(("between",), "needs two bodies, or two markers")
        return None
    first, second = (entry.body(one, ("between", k), markers=True) for k, one in enumerate(raw))
    if first is None or second is None:
        return None
    carriers = [entry.scene.markers[one].body if one in entry.scene.markers else one for one in (first, second)]
    if carriers[0] == carriers[1]:
        entry.fail(("between",), f"joins '{carriers[0]}' with itself")
        return None
    return first, second


def joint_markers(kind: JointKind, ends: tuple[str, str], entry: Entry) -> tuple[Marker, Marker] | None:
    """The joint frames on both bodies: given markers, or frames from points and axes as drawn."""
    marked = [end in entry.scene.markers for end in ends]
    if all(marked):
        for key in [key for key in kind.arguments if key in entry.raw]:
            entry.fail((key,), "is fixed by the two markers; leave it out, or name two bodies")
        first, second = (entry.scene.markers[end] for end in ends)
        return _apart(
            kind, Marker(first.body, first.point, first.axes), Marker(second.body, second.point, second.axes), entry
        )
    if any(marked):
        entry.fail(("between",), "names a body and a marker; give two bodies and the geometry, or two markers")
        return None
    args = _arguments(kind, entry)
    if args is None:
        return None
    frames = _frames(kind, args, entry)
    if frames is None:
        return None
    poses = [entry.scene.poses[end] for end in ends]
    return _apart(
        kind,
        Marker(ends[0], poses[0].point_in(frames.first_point), poses[0].axes_in(frames.first_axes)),
        Marker(ends[1], poses[1].point_in(frames.second_point), poses[1].axes_in(frames.second_axes)),
        entry,
    )


def _frames(kind: JointKind, args: dict[str, Any], entry: Entry) -> Frames | None:
    """Frames as drawn; None after a problem."""
    with np.errstate(invalid="ignore", divide="ignore"):
        frames = kind.frame(args)
    if np.isfinite(frames.first_axes).all() and np.isfinite(frames.second_axes).all():
        return frames
    if kind.coupling and "point_b" in kind.arguments:
        entry.fail((), "the hubs lie on one axis: there is no line of centres across it")
    else:
        directions = [key for key, unit in kind.arguments.items() if not unit]
        entry.fail((), f"{' and '.join(directions)} must not be parallel")
    return None


def _apart(kind: JointKind, first: Marker, second: Marker, entry: Entry) -> tuple[Marker, Marker]:
    """A joint that keeps a length has no direction to act in where its points coincide."""
    if "length" in kind.closed:
        ends = [entry.scene.poses[marker.body].point_out(marker.point) for marker in (first, second)]
        if not (ends[0] - ends[1]).any():
            entry.fail((), "the two points coincide; the line between them has no direction")
    return first, second


def _arguments(kind: JointKind, entry: Entry) -> dict[str, Any] | None:
    """Geometry of the joint as drawn; None after a problem."""
    args: dict[str, Any] = {}
    for key, unit in kind.arguments.items():
        usual = None if unit else _usual_axis(kind, key, entry.scene.planar)
        if key not in entry.raw and usual is None:
            entry.fail((), f"'{key}' is missing ({'a point' if unit else 'a direction'} in global axes, as drawn)")
        args[key] = entry.vector(key, unit) if unit else entry.direction(key, usual)
    return args if all(np.isfinite(arg).all() for arg in args.values()) and not entry.failed else None


def _usual_axis(kind: JointKind, key: str, planar: bool) -> tuple[float, float, float] | None:
    """The axis where none is given: z if nothing can move, and z for the hinges of a planar model."""
    if key != "axis":
        return None
    rigid = {"axial", "twist"} <= set(kind.closed)
    hinge = "angle" in kind.free or "length" in kind.closed
    return Z if rigid or (planar and hinge) else None


def _is_law(raw: Any) -> bool:
    return isinstance(raw, (Law, Mapping)) or (isinstance(raw, str) and raw in LAWS)


def _lever(kind: JointKind, coupled: Settled | None) -> float | None:
    """M per rad of the wheel whose turns may be given as lengths; None if the kind has none, 1 if it is not known."""
    if kind.coupling is None:
        return None
    return 1.0 if coupled is None else coupled.lever


def _closed(group: str, uses: tuple[Use, ...], entry: Entry, lever: float | None = None) -> Law | None:
    raw = entry.raw.get(group)
    if group not in entry.raw or (group == "length" and not _is_law(raw)):
        return Ideal()
    if isinstance(raw, list):
        entry.fail((group,), "takes one law, not a list")
        return None
    law = read_law(raw, (group,), uses[0].relation.unit, entry, lever=lever)
    if isinstance(law, Bushing) and law.is_matrix:
        entry.fail((group,), "a matrix couples all directions: give it as 'bushing' of a fixed joint")
    if law is not None and not law.closes:
        entry.fail(
            (group,), f"the law '{law.key}' cannot hold a closed direction; those that can: {_allowed('closes')}"
        )
    return law


def _free(coordinate: str, use: Use, entry: Entry) -> tuple[Law, ...]:
    if coordinate not in entry.raw:
        return ()
    raw = entry.raw[coordinate]
    many = list(enumerate(raw)) if isinstance(raw, list) else None
    out = []
    for path, one in [((coordinate, k), one) for k, one in many] if many is not None else [((coordinate,), raw)]:
        law = read_law(one, path, use.relation.unit, entry)
        if isinstance(law, Bushing) and law.is_matrix:
            entry.fail(path, "a matrix couples all directions: give it as 'bushing' of a fixed joint")
        elif law is not None and not law.drives:
            entry.fail(
                path, f"the law '{law.key}' cannot act on a free coordinate; those that can: {_allowed('drives')}"
            )
        elif law is not None:
            if law.role == "friction" and getattr(law, "load", None) is None:
                entry.fail(path, f"the law '{law.key}' needs 'load' on a free coordinate: the force that presses")
            out.append(_sized(law, Sizes(), path, entry))
    if sum(law.key == "drive" for law in out) > 1:
        entry.fail((coordinate,), "has more than one drive")
    return tuple(out)


def _coupled(kind: JointKind, entry: Entry) -> Bushing | None:
    """A bushing on all closed directions at once."""
    for group in [group for group in kind.closed if group in entry.raw]:
        entry.fail((group,), "has a law of its own beside 'bushing', which acts on all directions")
    law = read_law(entry.raw["bushing"], ("bushing",), "m", entry, Bushing)
    if law is None:
        return None
    if not isinstance(law, Bushing) or not law.is_matrix:
        entry.fail(("bushing",), "needs a bushing with 6 x 6 matrices; one direction alone takes its law by name")
        return None
    try:
        law.matrices(len(kind.coupled))
    except ValueError as error:
        entry.fail(("bushing",), str(error))
        return None
    return law


def _sized(law: Law, sizes: Sizes, path: tuple[str | int, ...], entry: Entry) -> Law:
    """The law with the stiffness of its compliant contact as a number."""
    if not isinstance(law, Clearance | Stop) or law.regime is Regime.SET:
        return law
    try:
        law.soft()
    except ValueError as error:
        entry.fail((*_place(law, path, entry), "friction"), str(error))
    try:
        return replace(law, contact=law.contact.resolved(sizes))  # type: ignore[attr-defined]
    except ValueError as error:
        entry.fail((*_place(law, path, entry), "contact"), str(error))
        return law


def _place(law: Law, path: tuple[str | int, ...], entry: Entry) -> tuple[str | int, ...]:
    """Where the fields of a law stand: below its key, if it is written as {key: {fields}}."""
    raw: Any = entry.raw
    for key in path:
        raw = raw[key]
    inside = isinstance(raw, Mapping) and isinstance(raw.get(law.key), Mapping)
    return (*path, law.key) if inside else path


def _fitted(law: Clearance, group: str, round_bearing: bool, sizes: dict[str, Any], entry: Entry) -> Clearance:
    """A clearance that fits its joint: sizes that make sense, and the contact law of one strip."""
    if group == "radial" and "radius" in sizes and not law.gap < sizes["radius"]:
        entry.fail((group,), f"the gap of {law.gap:.4g} m is not smaller than the radius of {sizes['radius']:.4g} m")
    if law.regime is Regime.SET:
        if law.gap == 0.0:
            without = "without play the direction is ideal, and only a compliant contact may have none"
            short = isinstance(given := entry.raw.get(group), Mapping) and not isinstance(given["clearance"], Mapping)
            entry.fail(
                (group, "clearance" if short else "gap"), f"must be greater than 0 m between rigid parts; {without}"
            )
        return law
    if law.strips is not None and not round_bearing:
        entry.fail(
            (group, "strips"), "only a journal (revolute, cylindrical) in space with a 'length' is cut into strips"
        )
    if law.strips is not None and law.strips > MOST_STRIPS:
        entry.fail((group, "strips"), f"must not be more than {MOST_STRIPS}, is {law.strips:g}")
        return law
    strips = int(law.strips or STRIPS) if round_bearing else 1
    known = Sizes(law.gap, sizes.get("radius"), sizes.get("length"), strips)  # type: ignore[arg-type]
    return replace(_sized(law, known, (group,), entry), strips=float(strips))  # type: ignore[return-value,type-var]


def _beside(law: Clearance, sizes: dict[str, Any], entry: Entry) -> Clearance:
    """The axial clearance that a radial one brings along: the same contact law, with the stiffness of the bearing."""
    half = Clearance(law.axial / 2.0, None, law.contact, law.friction)  # type: ignore[operator]
    if law.regime is Regime.SET:
        return half
    whole = Sizes(law.gap, sizes.get("radius"), sizes.get("length"))  # type: ignore[arg-type]
    return replace(half, contact=_sized(law, whole, ("radial",), entry).contact, strips=1.0)  # type: ignore[attr-defined]


def _bent(law: Bushing, group: str, entry: Entry) -> None:
    """A force curve around a pin or ball acts along the radial displacement, which is never negative."""
    if law.curve is not None and min(x for x, _ in law.curve) < 0.0:
        entry.fail((group, "curve"), "acts along the radial displacement here: give it for x >= 0, from [0, 0]")
        return
    try:
        replace(law, damping=0.0, preload=0.0).resolved(Sizes())
    except ValueError as error:
        entry.fail((group,), str(error))


def _allowed(what: str) -> str:
    return ", ".join(law.key for law in LAWS.values() if getattr(law, what))


def _open_up(
    kind: JointKind, group: str, law: Clearance, held: dict[str, Law], sizes: dict[str, Any], entry: Entry
) -> dict[str, Law]:
    """The closed groups once ``group`` has clearance: its contacts may hold others, and ``axial`` opens the axis."""
    planar = entry.scene.planar
    if group not in kind.clear:
        able = ", ".join(kind.clear) or "none"
        entry.fail((group,), f"cannot have clearance in a {kind.key} joint; directions that can: {able}")
        return held
    play = kind.clear[group]
    if play.walls and law.friction is not None:
        entry.fail(
            (group, "friction"), f"has no place in the clearance of a {kind.key} joint; see 'friction' of the joint"
        )
    for size in play.needs_planar if planar else play.needs:
        if size not in entry.raw:
            entry.fail((), f"'{size}' is missing: the clearance of '{group}' needs it ({CLEARANCE[size].about})")
    if law.friction is not None and play.round and "radius" not in sizes:
        entry.fail((), f"'radius' is missing: friction in the clearance of '{group}' acts at it")
    if planar and group == "axial":
        entry.fail((group,), "a planar model cannot move along the axis")
    if law.axial is not None:
        if "axial" not in kind.clear or group == "axial":
            entry.fail(
                (group, "axial"),
                f"has no meaning here: only a radial clearance beside a closed axis has it ({kind.key})",
            )
        elif planar:
            entry.fail((group, "axial"), "a planar model cannot move along the axis")
        elif "axial" in entry.raw:
            entry.fail((group, "axial"), "the direction 'axial' has a law of its own")
        else:
            held = held | {"axial": _beside(law, sizes, entry)}
    _states_fit(kind, group, law, entry)
    if play.round and law.contact.anywhere:
        entry.fail(
            (group, "contact"),
            f"'{law.contact.key}' acts at any gap, and in the centre of a round joint its force has no direction; "
            "it may stand at stops, flat guides and flanges",
        )
    whole = not play.round or "length" in sizes
    bearing = play.round and bool(play.covers) and "length" in sizes and not planar
    if not entry.failed:
        held = held | {group: _fitted(law, group, bearing, sizes, entry)}
    covered = {one for one in play.covers if whole and one not in entry.raw}
    return {one: each for one, each in held.items() if one not in covered}


def _states_fit(kind: JointKind, group: str, law: Clearance, entry: Entry) -> None:
    """Note where the inner states of a contact law have no meaning in this clearance."""
    play, contact = kind.clear[group], law.contact
    if getattr(contact, "recess", "") and (not play.spots or law.axial is not None):
        entry.fail(
            (group, "contact"),
            f"'{contact.key}' wears or gives way at the place where it touches, and in this clearance of a {kind.key} "
            "joint that place moves over the surface; it may stand in the guide of a prismatic joint",
        )
    elif contact.slides and play.walls:
        entry.fail((group, "contact"), f"'{contact.key}' needs a sliding speed, which a coupling does not have")


def _in_joint_axes(section: np.ndarray, marker: Marker, entry: Entry) -> np.ndarray:
    """Vertices of a section (global axes, as drawn) in the joint axes h, t, counter-clockwise; must be convex."""
    axes = entry.scene.poses[marker.body].axes_out(marker.axes)
    along = section @ axes[2]
    if np.ptp(along) > 1e-9 * np.ptp(section):
        entry.fail(("section",), "must lie in a plane across the joint axis")
    corners = section @ axes[:2].T
    sides = np.roll(corners, -1, axis=0) - corners
    after = np.roll(sides, -1, axis=0)
    turn = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    if not (np.all(turn > 0.0) or np.all(turn < 0.0)):
        entry.fail(("section",), "must be a convex polygon, its vertices in order, none of them on a straight side")
    return corners if turn[0] > 0.0 else corners[::-1].copy()


def _sizes(keys: set[str], entry: Entry) -> dict[str, Any]:
    """Sizes that a clearance needs."""
    out: dict[str, Any] = {}
    for key in CLEARANCE:
        if key not in entry.raw or key not in keys:
            continue
        raw = entry.raw[key]
        if CLEARANCE[key].shape == "quantity":
            out[key] = entry.scalar(raw, (key,), "m", above=0.0)
        elif CLEARANCE[key].shape == "end":
            if raw not in ENDS:
                entry.fail((key,), f"must be 'first' or 'second' (a body of 'between'), not {kind_of(raw)}")
            out[key] = raw
        elif not isinstance(raw, list) or len(raw) < 3:
            entry.fail((key,), "needs a list of at least 3 points")
        else:
            out[key] = np.array([entry.as_vector(point, (key, k), "m") for k, point in enumerate(raw)])
    return out
