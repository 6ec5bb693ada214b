"""The cases of paper E as we read them (docs/theory/sources.md): Rabinowicz's block and the spatial slider-crank.

Numbers and geometry are those of paper_e_reference.py, from which only data are taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mechanisms import axes_to, turn
from paper_e_reference import STARTS, Block, SliderCrank

import jointplay as jp

BRISTLES: dict[str, float] = {"sigma_0": 1e5, "sigma_1": 1e5**0.5, "sigma_2": 0.0, "tau_dw": 2.0, "v_s": 1.5e-3}
BLOCK, CRANK = Block(), SliderCrank()


def law(name: str, mu: tuple[float, float], **sizes: float) -> Any:
    """A law of the paper by its name in the references, with (mu_d, mu_s) = ``mu``; None for "frictionless"."""
    if name == "frictionless":
        return None
    if name == "gonthier":
        return jp.GonthierFriction(mu[1], mu[0], **BRISTLES, **sizes)
    if name == "coulomb":
        return jp.Coulomb(mu[0], static=mu[1], **sizes)
    return jp.BrownMcPhee(mu[1], mu[0], 1.5e-3, **sizes)


def block(name: str, data: Block = BLOCK, **sizes: float) -> jp.System:
    """Table 1: a block in a guide along x, and a spring to a carriage that is drawn on steadily.

    The pull acts in line with the centre, so the guide carries the weight alone. N adds ``smoothing`` to each of the
    five forces that are zero; it is made small enough here to leave N = m g.
    """
    s = jp.System("Rabinowicz", gravity=(0, 0, -data.g))
    body = s.body("block", mass=data.m, inertia=(1, 1, 1))
    cart = s.body("cart", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    sizes = {"length": 1.0, "width": 1.0, "smoothing": 1e-9} | sizes
    friction = law(name, (data.mu_d, data.mu_s), **sizes)
    s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), friction=friction)
    s.prismatic("P", s.ground, cart, point=(1, 0, 0), axis=(1, 0, 0), displacement=jp.Drive(f"{data.v}*t"))
    s.spring("K", body, cart, point_a=(0, 0, 0), point_b=(1, 0, 0), stiffness=data.k, free_length=1.0)
    return s


def slider_crank(
    case: str = "A",
    *,
    mu: tuple[float, float] = (0.4, 0.5),
    name: str = "brown_mcphee",
    friction: Any = None,
    angle: float | None = None,
    speed: float | None = None,
) -> jp.System:
    """Fig. 5 and Table 2, start "A" or "B", or at ``angle`` with ``speed``; ``friction`` in place of the paper's law.

    The universal joint has its arm z on the slider and the horizontal arm, normal to the rod, on the rod.
    """
    p = CRANK
    theta, spin = STARTS[case][0] if angle is None else angle, STARTS[case][1] if speed is None else speed
    along = np.array([0.0, -np.sin(theta), np.cos(theta)])
    pivot = np.array([0.0, *p.pivot])
    pin = pivot + p.crank * along
    end = np.array([np.sqrt(p.rod**2 - pin @ pin), 0.0, 0.0])
    s = jp.System("slider-crank with friction", gravity=(0, 0, -p.gravity))
    crank = s.body(
        "crank",
        mass=p.m_crank,
        inertia=(p.i_crank, p.i_crank, 0.1 * p.i_crank),
        position=pivot + 0.5 * p.crank * along,
        orientation=turn((1, 0, 0), theta),
        velocity=spin * np.cross((1, 0, 0), 0.5 * p.crank * along),
        angular_velocity=(spin, 0, 0),
    )
    axes = axes_to(end - pin)
    rod = s.body(
        "rod",
        mass=p.m_rod,
        inertia=(p.i_along, p.i_across, p.i_across),
        position=0.5 * (pin + end),
        orientation=axes,
    )
    slider = s.body("slider", mass=p.m_slider, inertia=(1.5e-3,) * 3, position=end)
    s.revolute("A", s.ground, crank, point=pivot, axis=(1, 0, 0))
    s.spherical("B", crank, rod, point=pin)
    s.universal("C", slider, rod, point=end, axis_a=(0, 0, 1), axis_b=axes[:, 1])
    rubs = law(name, mu, length=p.length, width=p.width, smoothing=p.smoothing) if friction is None else friction
    s.prismatic("D", s.ground, slider, point=end, axis=(1, 0, 0), **({} if rubs is None else {"friction": rubs}))
    return s
