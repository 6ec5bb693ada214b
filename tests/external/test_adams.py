"""One body on a joint, spring or actuator: 15 histories of MSC ADAMS, quantity by quantity, reactions included.

The data give angular rates in global axes and the reaction on the ground about a fixed ground point O; ours are in
body axes and on the body at its joint point P. With the force F and torque T on the body, the ground feels -F and,
about O, -(T + (P - O) x F).
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from benchmarks import body_on_a_joint
from mechanisms import apply, rotation
from refs import columns, reference, vector

import jointplay as jp

FOLDER = "adams_joint_cases"
CASES = (
    "Revolute_Case01",
    "Spherical_Case01",
    "Universal_Case01",
    "Universal_Case02",
    "Prismatic_Case01",
    "Prismatic_Case03",
    "Cylindrical_Case01",
    "Cylindrical_Case02",
    "Distance_Case01",
    "Distance_Case03",
    "RevSpherical_Case01",
    "RotSpring_Case01",
    "TranSpring_Case01",
    "TranSpring_Case02",
    "LinActuator_Case01",
)
MOTION = {
    "position": "x y z",
    "velocity": "vx vy vz",
    "acceleration": "ax ay az",
    "euler_parameters": "e0 e1 e2 e3",
    "angular_velocity": "wx wy wz",
    "angular_acceleration": "alx aly alz",
}
REACTION = ("force", "torque")
SECOND = ("second_force", "second_torque")  # the other side of a link, or the actuator
TWO_SIDED = ("RevSpherical_Case01", "LinActuator_Case01")


def observed(case: dict[str, Any], sol: jp.Solution) -> dict[str, np.ndarray]:
    """Our result in the conventions of the data."""
    A = rotation(sol["b.orientation"])
    zero = np.zeros_like(sol["b.position"])
    found = {
        "position": sol["b.position"],
        "velocity": sol["b.velocity"],
        "acceleration": sol["b.acceleration"],
        "euler_parameters": sol["b.orientation"],
        "angular_velocity": apply(A, sol["b.angular_velocity"]),
        "angular_acceleration": apply(A, sol["b.angular_acceleration"]),
    }
    given = case["body"]
    origin = np.array(case.get("joint_point", case.get("ground_point")), float)
    drawn = np.array(case.get("body_point_at_t0", origin), float)
    arm = rotation(given["quat0"]).T @ (drawn - given["com0"])
    P = sol["b.position"] + A @ arm
    axis = rotation(case.get("joint_frame_quat", (1, 0, 0, 0)))[:, 2]
    if "k.force" in sol:
        length = np.linalg.norm(P - origin, axis=1, keepdims=True)
        along = np.divide(P - origin, length, out=zero.copy(), where=length > 0)
        force, torque = sol["k.force"][:, None] * along, zero
    else:
        force, torque = sol["J.force"], sol["J.torque"]
    if "J.spring_torque" in sol:
        torque = torque + sol["J.spring_torque"][:, None] * axis
    found["force"] = -force
    found["torque"] = -(torque + np.cross(P - origin, force))
    found["second_force"], found["second_torque"] = force, torque
    if "J.drive_force" in sol:
        found["second_force"], found["second_torque"] = sol["J.drive_force"][:, None] * axis, zero
    return found


def expected(table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The data by quantity."""
    found = {quantity: vector(table, names) for quantity, names in MOTION.items()}
    marks = {"": REACTION, "_body1": REACTION, "_prismatic": REACTION, "_body2": SECOND, "_actuator": SECOND}
    for mark, names in marks.items():
        if f"Fx{mark}" in table:
            for letter, name in zip("FT", names, strict=True):
                found[name] = vector(table, " ".join(f"{letter}{c}{mark}" for c in "xyz"))
    return found


@cache
def differences(name: str) -> tuple[dict[str, float], dict[str, float]]:
    """Largest difference of each quantity over 5 s, and the tolerance of each."""
    folder = reference(FOLDER)
    book = json.loads((folder / "cases.json").read_text())
    case = book["cases"][name]
    table = columns(folder / "data" / f"{name}.csv")
    sol = jp.simulate(
        body_on_a_joint(case, book["gravity"]), until=5.0, method=jp.Explicit(rtol=1e-9, atol=1e-11), save=table["t"]
    )
    assert sol.outcome.ok, sol.outcome.message
    assert len(sol.time) == len(table["t"])
    ours, data = observed(case, sol), expected(table)
    sign = np.sign(np.sum(ours["euler_parameters"] * data["euler_parameters"], axis=1, keepdims=True))
    ours["euler_parameters"] = sign * ours["euler_parameters"]
    return {quantity: float(np.max(np.abs(ours[quantity] - data[quantity]))) for quantity in data}, case["tolerance"]


@pytest.mark.parametrize("quantity", (*MOTION, *REACTION))
@pytest.mark.parametrize("name", CASES)
def test_history(name: str, quantity: str) -> None:
    found, tolerance = differences(name)
    assert found[quantity] <= tolerance[quantity]


@pytest.mark.parametrize("quantity", SECOND)
@pytest.mark.parametrize("name", TWO_SIDED)
def test_other_side(name: str, quantity: str) -> None:
    found, tolerance = differences(name)
    assert found[quantity] <= tolerance[quantity]


def test_all_cases_of_the_folder_are_here() -> None:
    book = json.loads((reference(FOLDER) / "cases.json").read_text())
    assert set(book["cases"]) == set(CASES)
