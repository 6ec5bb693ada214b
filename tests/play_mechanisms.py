"""Mechanisms with clearance that several tests share."""

from __future__ import annotations

import jointplay as jp

TURNS = 0.1375545  # s: two turns of the crank of paper B
CORNERS = tuple(f"D.radial[{k}]" for k in range(4))


def crank_with_play(*, spin: float = 0.0) -> jp.System:
    """Paper B, Table 1, with the clearance on each side of the slider; ``spin`` is that of the slider at the start."""
    s = jp.System("slider-crank with clearance", planar=True, gravity=(0, -9.81, 0))
    a, b, w_a, w_b = 0.153, 0.306, 150.0, -75.0
    crank = s.body(
        "crank", mass=0.038, inertia=7.4e-5, position=(a / 2, 0), velocity=(0, w_a * a / 2), angular_velocity=w_a
    )
    rod = s.body(
        "rod",
        mass=0.038,
        inertia=5.9e-4,
        position=(a + b / 2, 0),
        velocity=(0, w_a * a + w_b * b / 2),
        angular_velocity=w_b,
    )
    slider = s.body("slider", mass=0.076, inertia=2.7e-6, position=(a + b, 0), angular_velocity=spin)
    s.revolute("A", s.ground, crank, point=(0, 0))
    s.revolute("B", crank, rod, point=(a, 0))
    s.revolute("C", rod, slider, point=(a + b, 0))
    play = jp.Clearance(1e-3, contact=jp.Rigid(restitution=0.4), friction=jp.Coulomb(0.01))
    s.prismatic("D", s.ground, slider, point=(a + b, 0), axis=(1, 0, 0), length=0.1, width=0.05, radial=play)
    return s


def block(*, force: float = 0.0) -> jp.System:
    """A block of 2 kg that falls onto the lower wall of its guide, with a force up at its end face."""
    s = jp.System("block", planar=True, gravity=(0, -9.81, 0))
    body = s.body("block", mass=2.0, inertia=1e-2)
    if force:
        s.force("lift", body, force=(0, force), point=(0.05, 0))
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0, 0), length=0.1, width=0.05, radial=jp.Clearance("1 mm"))
    return s


def pendulum_with_play() -> jp.System:
    """A pendulum on a pin with radial and axial play, in space."""
    s = jp.System("pendulum with play", gravity=(0, 0, -9.81))
    body = s.body("bob", mass=2.0, inertia=(1e-2, 1e-2, 1e-2), position=(0.3, 0, 0))
    s.revolute(
        "R",
        s.ground,
        body,
        point=(0, 0, 0),
        axis=(0, 1, 0),
        length=0.04,
        radius=0.01,
        radial=jp.Clearance("1 mm", contact=jp.Rigid(restitution=0.5)),
        axial=jp.Clearance("0.5 mm"),
    )
    return s


def ball_in_socket() -> jp.System:
    """A ball thrown about in a socket."""
    s = jp.System("ball", gravity=(0, 0, -9.81))
    body = s.body("ball", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), velocity=(0.05, 0.03, 0.0))
    s.spherical("S", s.ground, body, point=(0, 0, 0), radius=0.01, radial=jp.Clearance("2 mm", contact=jp.Rigid(0.6)))
    return s
