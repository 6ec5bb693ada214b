"""The model of a run: bodies, joints with a law per direction, springs, loads, degrees of freedom."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from ..model.elements import Joint, Load, Marker
from ..model.files import Document, build
from ..model.system import System
from ..model.yamltree import read_text
from ..results.solution import Solution
from .laws import law_words, signal_words
from .markup import Markup, folded, join, note, pairs, section, table, tag
from .numbers import Column, components, number, pretty, quantity, vector


def system_of(solution: Solution) -> System | None:
    """The system that a result was computed from; None if its text could not be kept."""
    try:
        data, lines = read_text(str(solution.meta.get("model", "")))
        return build(Document(data, "", lines))
    except (InputError, ValueError):
        return None


def model_section(solution: Solution, system: System | None) -> Markup:
    """What was simulated."""
    if system is None:
        bodies, joints = (_labels(solution, kind) for kind in ("body", "joint"))
        facts = [("bodies", ", ".join(bodies) or "none"), ("joints", ", ".join(joints) or "none")]
        why = str(solution.meta.get("model", "")).removeprefix("# ").strip()
        return section("model", "Model", pairs(facts), note(f"The model text is missing: {why}."))
    return section(
        "model",
        "Model",
        pairs(_mobility(system)),
        bodies_table(system),
        joints_table(system),
        _springs(system),
        _loads(system),
        _parameters(system),
    )


def _labels(solution: Solution, dimension: str) -> list[str]:
    found = [variable for variable in solution.layout.variables if variable.dimension == dimension]
    return list(found[0].labels) if found else []


def _mobility(system: System) -> list[tuple[str, Any]]:
    """Degrees of freedom and redundancy, as ``check`` finds them."""
    report = system.check()
    rows = f"{3 if system.planar else 6} × {report.bodies} − {report.closed_rows}"
    repeated = f" + {len(report.redundant)} redundant" if report.redundant else ""
    facts: list[tuple[str, Any]] = [("motion", "in the x-y plane" if system.planar else "in space")]
    if report.mobility is not None:
        facts.append(("degrees of freedom", f"{report.mobility} = {rows} closed{repeated}"))
    if report.redundant:
        facts.append(("redundant", f"{', '.join(report.redundant)}: reactions there are those of least norm"))
    if report.sharing:
        joints = ", ".join(report.sharing)
        facts.append(("friction of redundant joints", f"{joints}: depends on how they share the load, which is open"))
    if report.singular:
        facts.append(("singular as drawn", ", ".join(report.singular)))
    if report.contacts:
        facts.append(("possible contacts", str(len(report.contacts))))
    facts.append(("gravity", vector(system.gravity, "m/s^2")))
    return facts


def bodies_table(system: System) -> Markup:
    """Mass, inertia and place of every body."""
    masses = Column("mass", (body.mass for body in system.bodies), "kg")
    places = Column("centre of mass as drawn", np.ravel([body.position for body in system.bodies]), "m")
    rows = []
    for body in system.bodies:
        if system.planar:
            inertia = quantity(float(body.inertia[2, 2]), "kg*m^2", 5)
        elif np.count_nonzero(body.inertia - np.diag(np.diagonal(body.inertia))):
            inertia = join([vector(np.linalg.eigvalsh(body.inertia), "kg*m^2"), " principal"], "")
        else:
            inertia = vector(np.diagonal(body.inertia), "kg*m^2")
        place = components(_plane(system, body.position), places)
        rows.append((tag("b", body.name), masses.show(body.mass, 5), inertia, place))
    where = "about z" if system.planar else "body axes"
    head = ("body", masses.head, f"inertia, {where}", places.head)
    return table(head, rows, caption="Bodies")


def joints_table(system: System) -> Markup:
    """Kind, bodies, laws and place of every joint."""
    points = [_plane(system, system.place(joint.second)) for joint in system.joints]
    places = Column("point as drawn", np.ravel(points), "m")
    rows = [
        (
            tag("b", joint.name),
            joint.kind.key.replace("_", "-"),
            f"{joint.first.body} – {joint.second.body}",
            _laws(joint, system.planar),
            components(point, places),
        )
        for joint, point in zip(system.joints, points, strict=True)
    ]
    head = ("joint", "kind", "between", "laws on its directions", places.head)
    return table(head, rows, words=4, caption="Joints")


def _laws(joint: Joint, planar: bool) -> Markup:
    """One line per direction that is not ideal, and one for the rest (in a planar model some of them are not there)."""
    entries, ideal = [], []
    for group, law in joint.closed.items():
        if law.key == "ideal":
            ideal.append(group)
        else:
            entries.append((group, law_words(law, joint.kind.closed[group][0].relation.unit)))
    for coordinate, laws in joint.free.items():
        entries += [(coordinate, law_words(law, joint.kind.free[coordinate].relation.unit)) for law in laws]
    if joint.bushing is not None:
        entries.append(("all directions", law_words(joint.bushing, "m")))
    elif ideal:
        rest = ("otherwise" if entries else "all closed") if planar else ", ".join(ideal)
        entries.append((rest, Markup("ideal")))
    if joint.friction is not None:
        arms = [f"{name} {quantity(size, 'm')}" for name, size in joint.friction.sizes.items()]
        entries.append(("friction", Markup(", ".join([law_words(joint.friction.law, "m"), *arms]))))
    sizes = [f"{name} {quantity(float(size), 'm')}" for name, size in joint.geometry.items() if np.ndim(size) == 0]
    sizes += [f"{name} of {len(size)} corners" for name, size in joint.geometry.items() if np.ndim(size) == 2]
    entries += [("size", Markup(", ".join(sizes)))] if sizes else []
    return join(tag("div", join([tag("i", f"{where}: "), words], ""), class_="law") for where, words in entries)


def _springs(system: System) -> Markup:
    rows = [
        (tag("b", one.name), f"{one.first.body} – {one.second.body}", law_words(one.law, "m")) for one in system.springs
    ]
    return table(("spring", "between", "law"), rows, words=3, caption="Springs along lines")


def _loads(system: System) -> Markup:
    rows = []
    for load in system.loads:
        unit = "N*m" if load.is_torque else "N"
        parts = join((signal_words(one, unit) for one in load.components), ", ")
        axes = "body axes" if load.in_body_axes else "global axes"
        at = "" if load.is_torque else vector(_plane(system, _load_point(system, load)), "m")
        rows.append((tag("b", load.name), load.body, Markup(f"({parts}), {axes}"), at))
    return table(("load", "on", "components x, y, z", "point as drawn"), rows, words=3, caption="Forces and torques")


def _parameters(system: System) -> Markup:
    rows = [
        (
            tag("b", name),
            tag("code", system.parameters[name]),
            Markup(f"{number(value.si, 7)} {pretty(str(value.dimension)) if value.dimension else ''}"),
        )
        for name, value in ((name, system.values[name]) for name in system.parameters)
    ]
    return (
        folded("Parameters", table(("parameter", "as given", "in SI"), rows, words=2, caption="Parameters"))
        if rows
        else Markup("")
    )


def _load_point(system: System, load: Load) -> np.ndarray:
    return system.place(Marker(load.body, load.point, np.eye(3)))


def _plane(system: System, point: np.ndarray) -> np.ndarray:
    return point[:2] if system.planar else point
