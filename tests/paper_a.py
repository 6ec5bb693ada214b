"""The cases of paper A as we read them (docs/theory/sources.md): two sliders on fixed guides, a pendulum on a pin."""

from __future__ import annotations

import numpy as np

import jointplay as jp

GRAVITY = (0, -9.81, 0)
SIDE, HOLE = 17.32e-3, 17.67e-3  # m, edges of the triangular slider and of its hole
PLAY = (HOLE - SIDE) * np.sqrt(3) / 6  # m, on each side of the centred triangle


def cylindrical_slider(*, inertia: float = 3e-3) -> jp.System:
    """Table 1: a sleeve of 3.2 kg and 20 mm on a shaft along z, pulled by 50 N along z 30 mm below its axis."""
    s = jp.System("cylindrical slider", gravity=GRAVITY)
    body = s.body("slider", mass=3.2, inertia=(inertia,) * 3)
    radial = jp.Clearance("0.1 mm")
    s.cylindrical("C", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), length=0.02, radius=0.005, radial=radial)
    s.force("F", body, force=(0, 0, 50), point=(0, -0.03, 0), axes="global")
    return s


def prismatic_slider(*, inertia: float = 1e-2) -> jp.System:
    """Table 2: a triangular slider, apex up, in a hole of its shape, pulled by 40 N."""
    s = jp.System("prismatic slider", gravity=GRAVITY)
    body = s.body("slider", mass=3.2, inertia=(inertia,) * 3)
    out = SIDE / np.sqrt(3)
    section = [(out * np.cos(a), out * np.sin(a), 0) for a in np.radians((90, 210, 330))]
    radial = jp.Clearance(PLAY)
    s.prismatic("P", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), length=0.02, section=section, radial=radial)
    s.force("F", body, force=(0, 0, 40), point=(0, -0.03, 0), axes="global")
    return s


def pendulum(*, offset: float = 11.97, play: bool = True, axial: bool = True) -> jp.System:
    """Tables 3 and 4 in metres: 2 kg on a pin along z, released with its centre of mass 30.9 m beside the pin.

    ``offset`` is the place of the centre of mass along the pin (Table 3; zero in Table 4). The inertia is not given:
    m l^2 about every axis, l = 20 m. With ``play`` the hole has 0.1 m of radial play, with ``axial`` 0.1 m along z.
    """
    s = jp.System("pendulum", gravity=GRAVITY)
    body = s.body("pendulum", mass=2.0, inertia=(800.0,) * 3, position=(30.9, 0, offset))
    laws = {}
    if play:
        laws["radial"] = jp.Clearance(0.1, axial=0.1 if axial else None)
    s.revolute("R", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), length=20.0, radius=5.0, **laws)
    return s


CASES = {
    "cylindrical slider": (cylindrical_slider, 1e-3),
    "prismatic slider": (prismatic_slider, 1e-3),
    "pendulum of table 3": (pendulum, 1e-2),
    "pendulum of table 4": (lambda: pendulum(offset=0.0, axial=False), 1e-2),
}
