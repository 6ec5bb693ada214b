"""Everything that the page knows, as one tree of plain data and one pack of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..model.elements import GROUND, Joint, Load
from ..model.system import System
from ..results.impulsive import is_impulsive
from ..results.solution import Solution
from .bodies import shapes_of
from .couplings import Stage, parts_of
from .curves import add_curves, curve_names
from .geometry import rotations
from .given import given_shapes
from .joints import frame, joint_facts, play_values
from .motion import Motion, motion_of
from .pack import Pack
from .sizes import Sizes, sizes_of
from .source import folders_of, system_of

MOST_IMPACTS = 4000
BETWEEN = (
    "Forces of rigid contacts, and of joints that carry them, are those between impacts. An impact is an impulse, "
    "which no force at an instant shows; marks below the curves are impacts."
)


def scene_of(result: Solution | System, curves: list[str] | str | None = None) -> tuple[dict[str, Any], Pack]:
    """The tree and the numbers of a page."""
    system = system_of(result)
    if not system.bodies:
        raise InputError(Problem("system", "there is nothing to show: it has no bodies"))
    motion = motion_of(result, system)
    sizes, pack, notes = sizes_of(system, motion), Pack(), list[str]()
    pack.add_exact("time", motion.time, "f64")
    pack.add("position", motion.r)
    pack.add("orientation", motion.p)
    joints = [joint_facts(joint, system, motion, sizes) for joint in system.joints]
    for k, joint in enumerate(system.joints):
        values = play_values(joint, joints[k], motion)
        if values is not None:
            pack.add(f"play.{k}", values)
    scene: dict[str, Any] = {
        "name": system.name or "mechanism",
        "planar": system.planar,
        "gravity": system.gravity.tolist(),
        "span": sizes.span,
        "unit": sizes.unit,
        "still": not isinstance(result, Solution) or len(motion.time) < 2,
        "drawn": not isinstance(result, Solution),
        "bodies": _bodies(result, system, motion, sizes, pack, notes),
        "joints": joints,
        "springs": [
            {"name": one.name, "first": frame(one.first, motion), "second": frame(one.second, motion)}
            for one in system.springs
        ],
        "loads": [
            _load(one, result, system, motion, pack, k)
            for k, one in enumerate(system.loads)
            if not one.is_torque and (isinstance(result, Solution) or not _senses(one))
        ],
        "curves": [],
        "impacts": [],
        "notes": notes,
    }
    if isinstance(result, Solution):
        scene |= _of_run(result, system, motion, pack, curves, notes)
    scene["blocks"] = pack.index
    return scene, pack


def _bodies(
    result: Solution | System, system: System, motion: Motion, sizes: Sizes, pack: Pack, notes: list[str]
) -> list[dict[str, Any]]:
    kept = result.meta.get("meshes", {}) if isinstance(result, Solution) else {}
    layers = _layers(system) if system.planar else {}
    parts = parts_of(Stage(system, motion, sizes, pack))
    fixed = [shape for part in parts if part.body == GROUND for shape in part.shapes]
    out: list[dict[str, Any]] = [{"name": GROUND, "shapes": fixed, "layer": -1}]
    for body in system.bodies:
        shapes = given_shapes(body, pack, kept, folders_of(result), notes) or shapes_of(body, system, sizes, parts)
        out.append({"name": body.name, "shapes": shapes, "layer": layers.get(body.name, 0)})
    return out


def _layers(system: System) -> dict[str, int]:
    """Planar parts lie in layers, so that neighbours pass before each other: each takes the lowest that is free."""
    layers: dict[str, int] = {}
    for body in system.bodies:
        joined = [{joint.first.body, joint.second.body} for joint in system.joints if _shares_a_point(joint)]
        taken = {layers[other] for pair in joined if body.name in pair for other in pair if other in layers}
        layers[body.name] = min(set(range(len(taken) + 1)) - taken)
    return layers


def _shares_a_point(joint: Joint) -> bool:
    return joint.kind.key not in ("distance", "planar") and joint.kind.coupling is None


def _held(name: str, result: Solution | System, system: System, times: np.ndarray) -> np.ndarray:
    """An input over time: as it was set, or its value in the model."""
    given = result.meta.get("inputs", []) if isinstance(result, Solution) else []
    found = np.full(len(times), system.inputs[name].value)
    for since, which, value in given:
        if which == name:
            found[times >= since] = value
    return found


def _senses(load: Load) -> bool:
    """True if a load depends on more than t: as drawn, it is not known."""
    return any(part.names for part in load.components)


def _load(load: Load, result: Solution | System, system: System, motion: Motion, pack: Pack, k: int) -> dict[str, Any]:
    """A force of the model over time, global axes; what it senses is what was recorded."""
    body = motion.number(load.body)
    names = sorted(set().union(*(part.names for part in load.components)))
    seen = {
        name: _held(name, result, system, motion.time) if name in system.inputs else result[name][motion.kept]  # type: ignore[index]
        for name in names
    }
    force = np.array(
        [
            [part.value(t, {n: seen[n][frame] for n in part.names}) for part in load.components]
            for frame, t in enumerate(motion.time)
        ]
    )
    if load.in_body_axes:
        force = np.einsum("nij,nj->ni", rotations(motion.p[:, body]), force)
    pack.add(f"load.{k}", force)
    return {"name": load.name, "body": body, "point": load.point.tolist(), "block": f"load.{k}"}


def _of_run(
    solution: Solution,
    system: System,
    motion: Motion,
    pack: Pack,
    curves: list[str] | str | None,
    notes: list[str],
) -> dict[str, Any]:
    """Forces, contacts, impacts and curves of a run."""
    kept, names = motion.kept, set(solution.names)
    for k, joint in enumerate(system.joints):
        if f"{joint.name}.force" in names:
            pack.add(f"force.{k}", solution[f"{joint.name}.force"][kept])
        if f"{joint.name}.normal_force" in names:
            pack.add(f"normal.{k}", solution[f"{joint.name}.normal_force"][kept])
            pack.add(f"gap.{k}", solution[f"{joint.name}.gap"][kept])
    impacts: np.ndarray = solution.impacts
    if len(impacts) > MOST_IMPACTS:  # the hardest ones
        impacts = impacts[np.sort(np.argsort(-impacts["impulse"])[:MOST_IMPACTS])]
    order = {joint.name: k for k, joint in enumerate(system.joints)}
    struck = [
        [float(one["time"]), order[str(one["joint"])], str(one["contact"]), float(one["impulse"])]
        for one in impacts
        if str(one["joint"]) in order
    ]
    listed = curve_names(solution, curves)
    if any(is_impulsive(solution.layout, name) for name in listed):
        notes.append(BETWEEN)
    return {
        "impacts": struck,
        "curves": add_curves(solution, listed, kept, pack),
        "outcome": solution.outcome.message,
        "ok": solution.outcome.ok,
        "saved": len(solution.time),
    }
