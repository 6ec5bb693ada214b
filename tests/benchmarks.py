"""Published benchmark problems as Systems: what tests/external compares with data from elsewhere.

Sources, conventions and traps of the data are in the README of each folder of ../shared/refs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mechanisms import bar, rotation

import jointplay as jp


def body_on_a_joint(case: dict[str, Any], gravity: Any) -> jp.System:
    """The system that a case describes: a body "b" and a joint "J" or a spring "k"."""
    s = jp.System(gravity=gravity)
    given = case["body"]
    body = s.body(
        "b",
        mass=given["mass"],
        inertia=given["inertia_diag_body"],
        position=given["com0"],
        orientation=given["quat0"],
        velocity=given["vel0"],
        angular_velocity=given["omega0"],
    )
    kind = case["joint"].split()[0].rstrip(",:;")
    point = case.get("joint_point", case.get("ground_point"))
    frame = rotation(case.get("joint_frame_quat", (1, 0, 0, 0)))
    spring = case.get("spring", {})
    if kind == "none":
        s.spring(
            "k",
            s.ground,
            body,
            point_a=point,
            point_b=case["body_point_at_t0"],
            stiffness=spring["k"],
            damping=spring["c"],
            free_length=spring["rest_length"],
        )
    elif kind == "distance":
        s.distance("J", s.ground, body, point_a=point, point_b=case["body_point_at_t0"])
    elif kind == "massless":
        s.revolute_spherical(
            "J", s.ground, body, point_a=point, point_b=case["body_point_at_t0"], axis=case["revolute_axis"]
        )
    elif kind == "spherical":
        s.spherical("J", s.ground, body, point=point)
    elif kind == "universal":
        s.universal("J", s.ground, body, point=point, axis_a=frame[:, 0], axis_b=frame[:, 1])
    elif kind == "revolute" and spring:
        law = jp.Spring(stiffness=spring["k"], damping=spring["c"])
        s.revolute("J", s.ground, body, point=point, axis=frame[:, 2], angle=law)
    elif "speed" in case:
        drive = jp.Drive(f"{case['speed']}*t")
        s.prismatic("J", s.ground, body, point=point, axis=frame[:, 2], displacement=drive)
    else:
        s.joint(kind, "J", s.ground, body, point=point, axis=frame[:, 2])
    return s


def simple_pendulum() -> jp.System:
    """A01: a point mass of 1 kg on a massless bar of 1 m, released from the horizontal."""
    s = jp.System("A01", planar=True, gravity=(0, -9.81, 0))
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(-1, 0, 0))
    s.distance("rod", s.ground, mass, point_a=(0, 0, 0), point_b=(-1, 0, 0))
    return s


def four_bar_windows(count: int) -> jp.System:
    """A02: ``count`` four-bar windows side by side, every bar 1 m and 1 kg; upper joints move at 1 m/s along x."""
    s = jp.System("A02", planar=True, gravity=(0, -9.81, 0))
    uprights = [
        bar(s, f"u{k}", (k, 0, 0), (k, 1, 0), velocity=(0.5, 0, 0), angular_velocity=(0, 0, -1))
        for k in range(count + 1)
    ]
    couplers = [bar(s, f"c{k}", (k, 1, 0), (k + 1, 1, 0), velocity=(1, 0, 0)) for k in range(count)]
    for k, upright in enumerate(uprights):
        s.revolute(f"A{k}", s.ground, upright, point=(k, 0, 0))
    for k, coupler in enumerate(couplers):
        s.revolute(f"B{k}", uprights[k], coupler, point=(k, 1, 0))
        s.revolute(f"C{k}", coupler, uprights[k + 1], point=(k + 1, 1, 0))
    uprights[0].marker("tip", position=(0.5, 0, 0))
    return s


def gonzalez_slider_crank() -> jp.System:
    """The slider-crank of Gonzalez: a cross along x (on the slider) and n (on the rod, perpendicular to it)."""
    A, B, C = np.array([0, 0.1, 0.12]), np.array([0, 0.1, 0.2]), np.array([0.2, 0, 0])
    e = (C - B) / 0.3
    n = np.cross(e, (1, 0, 0))
    n /= np.linalg.norm(n)
    R = np.column_stack([e, n, np.cross(e, n)])
    s = jp.System("spatial slider-crank", gravity=(0, 0, -9.81))
    crank = s.body(
        "crank",
        mass=0.12,
        inertia=(1e-4,) * 3,
        position=(A + B) / 2,
        velocity=(0, -0.24, 0),
        angular_velocity=(6, 0, 0),
    )
    rod = s.body(
        "rod",
        mass=0.5,
        inertia=(4e-4, 4e-3, 4e-3),
        position=(B + C) / 2,
        orientation=R,
        velocity=(0.12, -0.24, 0),
        angular_velocity=R.T @ (1.92, -0.96, 0.48),
    )
    slider = s.body("slider", mass=2.0, inertia=(1e-4,) * 3, position=C, velocity=(0.24, 0, 0))
    s.revolute("A", s.ground, crank, point=A, axis=(1, 0, 0))
    s.spherical("B", crank, rod, point=B)
    s.universal("C", slider, rod, point=C, axis_a=(1, 0, 0), axis_b=n)
    s.prismatic("D", s.ground, slider, point=C, axis=(1, 0, 0))
    return s


def car_axis(M: float, eps: float, L: float, L0: float, r: float, omega: float, g: float) -> jp.System:
    """The system with the parameters of the test set."""
    k = M * eps * eps / 2.0
    s = jp.System("car axis", planar=True, gravity=(0, -g, 0))
    base = s.body("base", mass=k, inertia=k, position=(0, 0, 0), angular_velocity=(0, 0, r * omega / L))
    left = s.body("left", mass=k, inertia=k, position=(0, 0.5, 0), velocity=(-0.5, 0, 0), angular_velocity=(0, 0, 1))
    right = s.body("right", mass=k, inertia=k, position=(1, 0.5, 0), velocity=(-0.5, 0, 0))
    angle = jp.Drive(lambda t: np.arcsin(r / L * np.sin(omega * t)))
    s.revolute("pivot", s.ground, base, point=(0, 0, 0), angle=angle)
    s.prismatic("normal", base, left, point=(0, 0.5, 0), axis=(0, 1, 0))
    s.distance("axis", left, right, point_a=(0, 0.5, 0), point_b=(1, 0.5, 0))
    s.spring("sl", s.ground, left, point_a=(0, 0, 0), point_b=(0, 0.5, 0), stiffness=1.0, free_length=L0)
    s.spring("sr", base, right, point_a=(L, 0, 0), point_b=(1, 0.5, 0), stiffness=1.0, free_length=L0)
    return s


def torque_driven_slider_crank() -> jp.System:
    """Crank 0.1 m, rod 0.3 m, 0.2 kg each; slider 0.4 kg; 0.1 N m on the crank; everything in line at the start."""
    s = jp.System("slider-crank", planar=True, gravity=(0, 0, 0))
    crank = bar(s, "crank", (0, 0, 0), (0.1, 0, 0), mass=0.2)
    rod = bar(s, "rod", (0.1, 0, 0), (0.4, 0, 0), mass=0.2)
    slider = s.body("slider", mass=0.4, inertia=1e-3, position=(0.4, 0, 0))
    s.revolute("A", s.ground, crank, point=(0, 0, 0))
    s.revolute("B", crank, rod, point=(0.1, 0, 0))
    s.revolute("C", rod, slider, point=(0.4, 0, 0))
    s.prismatic("D", s.ground, slider, point=(0.4, 0, 0), axis=(1, 0, 0))
    s.torque("motor", crank, torque=0.1)
    return s


def double_pendulum() -> jp.System:
    """Two boxes 0.5 x 0.06 x 0.06 m of 7700 kg/m3, horizontal at rest; a damper in the first hinge."""
    s = jp.System("double pendulum", planar=True, gravity=(0, -9.80665, 0))
    mass = 7700 * 0.5 * 0.06 * 0.06
    moment = mass * (0.5**2 + 0.06**2) / 12
    first = s.body("first", mass=mass, inertia=moment, position=(0.25, 0, 0))
    second = s.body("second", mass=mass, inertia=moment, position=(0.75, 0, 0))
    s.revolute("A", s.ground, first, point=(0, 0, 0), angle=jp.Spring(damping=0.1))
    s.revolute("B", first, second, point=(0.5, 0, 0))
    return s


def spring_pendulum() -> jp.System:
    """A body of 1 kg and 1 kg m2 slides on a massless arm that turns about the origin.

    The arm and the body turn together, so the moment of 1 kg m2 is shared between them: an arm without mass is not
    needed.
    """
    s = jp.System("spring pendulum", planar=True, gravity=(0, -9.80665, 0))
    arm = s.body("arm", mass=1.0, inertia=0.5, position=(0, 0, 0))
    body = s.body("body", mass=1.0, inertia=0.5, position=(0.5, 0, 0))
    s.revolute("A", s.ground, arm, point=(0, 0, 0))
    s.prismatic("B", arm, body, point=(0.5, 0, 0), axis=(1, 0, 0))
    s.spring("k", s.ground, body, point_a=(0, 0, 0), point_b=(0.5, 0, 0), stiffness=20.0, damping=1.0, free_length=0.2)
    return s
