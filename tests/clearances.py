"""Builders of mechanisms with play that several tests share: the cases of papers A, B and D, and textbook pieces."""

from __future__ import annotations

from typing import Any

import numpy as np
from mechanisms import rotation, turn

import jointplay as jp

GRAVITY = 9.81  # m/s2
UPPER, LOWER = slice(0, 2), slice(2, 4)  # corners of a planar slider: left and right, at each wall


def slider_in_guide(
    *, arm: float, gap: float = 1e-5, width: float = 0.0, restitution: float = 0.0, outer: bool = False
) -> jp.System:
    """Paper D: a planar slider of 20 mm under its weight, pulled along x by 50 N that acts ``arm`` below its centre.

    Cases 1 to 3 have arms of 0, 2 and 30 mm (data: docs/theory/sources.md). ``outer``: the moving body is the guide
    around a fixed, longer slide; its end faces still bound the engagement. The paper's slider is a line.
    """
    s = jp.System("slider in guide", planar=True, gravity=(0, -GRAVITY, 0))
    body = s.body("slider", mass=3.2, inertia=2e-3)
    given: dict[str, Any] = {"inner": "first", "ends": "second"} if outer else {}
    given |= {"width": width} if width > 0.0 else {}
    play = jp.Clearance(gap, contact=jp.Rigid(restitution=restitution))
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), length=0.02, radial=play, **given)
    s.force("pull", body, force=(50, 0), point=(0, -arm))
    return s


def slider_crank(
    *, mu: float = 0.01, restitution: float = 0.4, gap: float = 1e-3, spin: float = 0.0, **given: Any
) -> jp.System:
    """Paper B, Table 1: a slider with play ``gap`` on each side of its guide, turning with ``spin`` at first."""
    l1, l2, w1, w2 = 0.153, 0.306, 150.0, -75.0
    s = jp.System("slider-crank with clearance", planar=True, gravity=(0, -GRAVITY, 0))
    crank = s.body(
        "crank", mass=0.038, inertia=7.4e-5, position=(l1 / 2, 0), velocity=(0, w1 * l1 / 2), angular_velocity=w1
    )
    rod = s.body(
        "rod",
        mass=0.038,
        inertia=5.9e-4,
        position=(l1 + l2 / 2, 0),
        velocity=(0, w1 * l1 + w2 * l2 / 2),
        angular_velocity=w2,
    )
    slider = s.body(
        "slider",
        mass=0.076,
        inertia=2.7e-6,
        position=(l1 + l2, 0),
        velocity=(0, w1 * l1 + w2 * l2),
        angular_velocity=spin,
    )
    s.revolute("A", s.ground, crank, point=(0, 0))
    s.revolute("B", crank, rod, point=(l1, 0))
    s.revolute("C", rod, slider, point=(l1 + l2, 0))
    friction = jp.Coulomb(mu) if mu > 0.0 else None
    play = jp.Clearance(gap, contact=jp.Rigid(restitution=restitution), friction=friction)
    s.prismatic("D", s.ground, slider, point=(l1 + l2, 0), axis=(1, 0), length=0.1, width=0.05, radial=play, **given)
    return s


def cylindrical_slider(*, gap: float = 1e-4, inertia: float = 3e-3, mu: float = 0.0, arm: float = 0.03) -> jp.System:
    """Paper A, Table 1: a sleeve of 20 mm on a fixed rod along z, pulled by 50 N that acts ``arm`` below its centre.

    The inertia is not printed; forces at rest do not depend on it.
    """
    s = jp.System("cylindrical joint with clearance", gravity=(0, -GRAVITY, 0))
    body = s.body("slider", mass=3.2, inertia=(inertia,) * 3)
    play = jp.Clearance(gap, friction=jp.Coulomb(mu) if mu > 0.0 else None)
    s.cylindrical("C", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), length=0.02, radius=0.005, radial=play)
    s.force("pull", body, force=(0, 0, 50), point=(0, -arm, 0))
    return s


def prismatic_slider(*, inertia: float = 1e-2, outer: bool = False, pull: float = 40.0) -> jp.System:
    """Paper A, Table 2: a triangular prism (edge 17.32 mm) in a triangular hole (17.67 mm), with a pull along z.

    The printed edges are interchanged; a third of the difference of the heights is the gap on each side. ``outer``: the
    moving body carries the hole and the prism is fixed (caption of fig. 7), the hole being the shorter.
    """
    s = jp.System("prismatic joint with clearance", gravity=(0, -GRAVITY, 0))
    body = s.body("slider", mass=3.2, inertia=(inertia,) * 3)
    edge, hole = 17.32e-3, 17.67e-3
    section = [edge / np.sqrt(3) * np.array([np.cos(a), np.sin(a), 0.0]) for a in np.radians((90, 210, 330))]
    given: dict[str, Any] = {"inner": "first", "ends": "second"} if outer else {}
    s.prismatic(
        "P",
        s.ground,
        body,
        point=(0, 0, 0),
        axis=(0, 0, 1),
        length=0.02,
        section=section,
        radial=jp.Clearance((hole - edge) * np.sqrt(3) / 6),
        **given,
    )
    s.force("pull", body, force=(0, 0, pull), point=(0, -0.03, 0))
    return s


def paper_a_pendulum(
    *, clear: bool = True, axial: bool = True, restitution: float = 0.0, scale: float = 1.0
) -> jp.System:
    """Paper A, Tables 3 and 4 (metres): a pendulum of 2 kg on a pin of radius 5 m along z, released horizontally.

    Its centre of mass lies 30.9 m from the pin (and, with ``axial`` play, 11.97 m along it). The inertia is not
    printed: 800 kg m2 about the centre of mass is what the period of the ideal pendulum, 15.678794 s, demands.
    ``scale`` = 1e-3 is the reading in millimetres.
    """
    s = jp.System("pendulum with clearance", gravity=(0, -GRAVITY, 0))
    body = s.body(
        "pendulum",
        mass=2.0,
        inertia=(800.0 * scale**2,) * 3,
        position=(30.9 * scale, 0, 11.97 * scale if clear and axial else 0.0),
    )
    given: dict[str, Any] = {}
    if clear:
        total = {"axial": 0.1 * scale} if axial else {}
        play = jp.Clearance(0.1 * scale, contact=jp.Rigid(restitution=restitution), **total)
        given = {"length": 20.0 * scale, "radius": 5.0 * scale, "radial": play}
    s.revolute("R", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), **given)
    return s


def ball(
    *, restitution: float, height: float = 1.0, gravity: float = GRAVITY, ceiling: float | None = None
) -> jp.System:
    """A ball of 1 kg that falls on a floor, ``height`` below it, with a ceiling above if one is given."""
    s = jp.System("bouncing ball", planar=True, gravity=(0, -gravity, 0))
    body = s.body("ball", mass=1.0, inertia=1.0, position=(0, height))
    stop = jp.Stop(lower=-height, upper=ceiling, contact=jp.Rigid(restitution=restitution))
    s.prismatic("J", s.ground, body, point=(0, height), axis=(0, 1), displacement=stop)
    return s


def dry_oscillator() -> jp.System:
    """A mass of 1 kg on a spring of 1 N/m and a brake of 1 N, from x = 12 m with 6 m/s; drawn at its start."""
    s = jp.System("dry friction oscillator", planar=True, gravity=(0, 0, 0))
    body = s.body("mass", mass=1.0, inertia=1.0, position=(12, 0), velocity=(6, 0))
    laws = [jp.Spring(stiffness=1.0, free=-12.0), jp.Coulomb(1.0, load=1.0)]
    s.prismatic("J", s.ground, body, point=(12, 0), axis=(1, 0), displacement=laws)
    return s


def block_on_plane(
    *, mu: float, gravity: Any, velocity: Any = (0, 0, 0), gap: float = 1e-6, push: Any = None
) -> jp.System:
    """A block of 2 kg that can slide on the plane z = -gap and cannot tilt; a lid hangs as high above it."""
    s = jp.System("block on a plane", gravity=gravity)
    body = s.body("block", mass=2.0, inertia=(0.01,) * 3, velocity=velocity)
    play = jp.Clearance(gap, friction=jp.Coulomb(mu))
    s.joint("planar", "J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), axial=play)
    if push is not None:
        s.force("push", body, force=push)
    return s


def cradle(count: int, *, gap: float, restitution: float = 1.0) -> jp.System:
    """Balls in a row along x, ``gap`` apart, the first flying at 1 m/s: each is guided by the one before."""
    s = jp.System("Newton's cradle", planar=True, gravity=(0, 0, 0))
    before = s.ground
    for k in range(count):
        speed = (1.0 if k == 0 else 0.0, 0.0)
        one = s.body(f"ball{k}", mass=0.5, inertia=1e-3, position=(0.1 * k, 0), velocity=speed, angular_velocity=0.0)
        stop = [jp.Stop(lower=-gap, contact=jp.Rigid(restitution=restitution))] if k else []
        s.prismatic(f"J{k}", before, one, point=(0.1 * k, 0), axis=(1, 0), displacement=stop)
        before = one
    return s


def standing_block(
    *, half_base: float, half_height: float, tilt: float, mu: float, restitution: float = 0.0, **given: Any
) -> jp.System:
    """A uniform block of 1 kg on the floor y = 0, turned by ``tilt`` about its lower right corner (left, if positive).

    The floor is the lower wall of a guide along x far wider than the block, which has the same depth as height.
    ``given`` goes to the body (velocities). Contacts of the guide: four on the floor, two at each end.
    """
    room = 10.0 * (half_base + half_height)
    s = jp.System("rocking block", gravity=(0, -GRAVITY, 0))
    corner = np.array([half_base if tilt <= 0.0 else -half_base, 0.0, 0.0])
    arm = np.array([0.0, half_height, 0.0]) - corner
    orientation = turn((0, 0, 1), tilt)
    inertia = ((half_height**2 + half_height**2) / 3.0,) + ((half_base**2 + half_height**2) / 3.0,) * 2
    position = corner + rotation(orientation) @ arm
    body = s.body("block", mass=1.0, inertia=inertia, position=position, orientation=orientation, **given)
    along = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]  # columns y, z, x: the joint axis is the third
    middle = s.marker("middle", s.ground, position=(0, half_height + room, 0), orientation=along)
    centre = s.marker("centre", body, orientation=along)
    play = jp.Clearance(room, contact=jp.Rigid(restitution=restitution), friction=jp.Coulomb(mu) if mu else None)
    a = half_height
    section = [(0, a, a), (0, -a, a), (0, -a, -a), (0, a, -a)]
    s.prismatic("floor", middle, centre, length=2 * half_base, section=section, radial=play)
    return s
