"""Random mechanisms for the campaign: trees and loops, in a plane and in space, with laws of contact and friction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import jointplay as jp

Draw = np.random.Generator
COMPLIANT: tuple[Callable[[float], Any], ...] = (
    lambda k: jp.HuntCrossley(stiffness=k, exponent=1.5, restitution=0.7),
    lambda k: jp.LankaraniNikravesh(stiffness=k, exponent=1.5, restitution=0.6),
    lambda k: jp.Flores(stiffness=k, exponent=1.5, restitution=0.5),
    lambda k: jp.Hertz(stiffness=k, exponent=1.5),
    lambda k: jp.Gonthier(stiffness=k, exponent=1.5, restitution=0.8),
)


def magnitude(draw: Draw, low: float, high: float) -> float:
    """A number between two powers of ten."""
    return float(10.0 ** draw.uniform(low, high))


def contact(draw: Draw, rigid: bool) -> Any:
    """Of one family within a mechanism."""
    if rigid:
        return jp.Rigid(restitution=float(draw.choice([0.0, 0.3, 0.8, 0.95, 1.0])))
    return COMPLIANT[draw.integers(len(COMPLIANT))](magnitude(draw, 5, 8))


def friction(draw: Draw, rigid: bool) -> Any:
    """None, or one of the laws that go with the contact."""
    mu = draw.uniform(0.02, 0.5)
    if draw.uniform() < 0.4:
        return None
    return jp.Coulomb(mu) if rigid else jp.BrownMcPhee(mu_s=1.2 * mu, mu_d=mu, v_t=1e-2)


def coordinate(draw: Draw, reach: float, rigid: bool) -> list[Any]:
    """Laws on a free coordinate: stops, springs, brakes."""
    laws: list[Any] = []
    if draw.uniform() < 0.6:
        bounds = {"lower": -reach * draw.uniform(0.01, 1.0), "upper": reach * draw.uniform(0.01, 1.0)}
        laws.append(jp.Stop(**bounds, contact=contact(draw, rigid)))
    if draw.uniform() < 0.4:
        laws.append(jp.Spring(stiffness=magnitude(draw, 0, 3), damping=draw.uniform(0, 1)))
    if rigid and draw.uniform() < 0.3:
        laws.append(jp.ConstantFriction(draw.uniform(0.01, 1.0)))
    return laws


def tree(draw: Draw) -> jp.System:
    """One to four bodies, each on one before it or on the ground."""
    planar, rigid = bool(draw.uniform() < 0.5), bool(draw.uniform() < 0.7)
    dim = 2 if planar else 3
    s = jp.System("tree", planar=planar, gravity=draw.normal(size=dim) * 5)
    bodies: list[Any] = [s.ground]
    places = [np.zeros(dim)]
    for k in range(int(draw.integers(1, 5))):
        parent = int(draw.integers(0, len(bodies)))
        place = places[parent] + draw.normal(size=dim) * 0.2
        mass = magnitude(draw, -2, 1)
        inertia = 0.01 * mass
        bodies.append(s.body(f"b{k}", mass=mass, inertia=inertia if planar else (inertia,) * 3, position=place))
        places.append(place)
        kinds = ["revolute", "prismatic"] if planar else ["revolute", "prismatic", "spherical", "cylindrical"]
        join(draw, s, str(draw.choice(kinds)), f"J{k}", bodies[parent], bodies[-1], (places[parent] + place) / 2, rigid)
    return s


def join(draw: Draw, s: jp.System, kind: str, name: str, a: Any, b: Any, point: Any, rigid: bool) -> None:
    """A joint, half of the time with play."""
    given: dict[str, Any] = {"point": point}
    if kind == "prismatic" or (kind != "spherical" and not s.planar):
        given["axis"] = draw.normal(size=len(point))
    if draw.uniform() < 0.5 and not (kind == "prismatic" and not s.planar):
        given["radial"] = jp.Clearance(
            magnitude(draw, -5, -2.5), contact=contact(draw, rigid), friction=friction(draw, rigid)
        )
        given |= {"length": 0.05, "width": 0.02} if kind == "prismatic" else {"radius": 0.01}
    if kind in ("revolute", "cylindrical"):
        given["angle"] = coordinate(draw, 1.0, rigid)
    if kind in ("prismatic", "cylindrical"):
        given["displacement"] = coordinate(draw, 0.2, rigid)
    s.joint(kind, name, a, b, **{key: value for key, value in given.items() if not isinstance(value, list) or value})


def four_bar(draw: Draw) -> jp.System:
    """A driven four-bar with play at one to three pins, and friction in them."""
    a, b, c, d = 0.1, 0.3, 0.25, 0.35
    angle, w = draw.uniform(0, 2 * np.pi), draw.uniform(5, 60)

    def turned(x: np.ndarray) -> np.ndarray:
        return np.array([-x[1], x[0]])

    p, end = a * np.array([np.cos(angle), np.sin(angle)]), np.array([d, 0.0])
    r = end - p
    far = float(np.hypot(*r))
    rod = np.arctan2(r[1], r[0]) + np.arccos((b * b + far * far - c * c) / (2 * b * far))
    q = p + b * np.array([np.cos(rod), np.sin(rod)])
    v = w * turned(p)
    w_b, w_c = np.linalg.solve(np.column_stack([turned(q - p), -turned(q - end)]), -v)
    s = jp.System("four-bar", planar=True, gravity=(0, -9.81))
    crank = s.body("crank", mass=0.3, inertia=0.3 * a * a / 12, position=p / 2, velocity=v / 2, angular_velocity=w)
    coupler = s.body(
        "coupler",
        mass=0.5,
        inertia=0.5 * b * b / 12,
        position=(p + q) / 2,
        velocity=v + w_b * turned((q - p) / 2),
        angular_velocity=w_b,
    )
    rocker = s.body(
        "rocker",
        mass=0.4,
        inertia=0.4 * c * c / 12,
        position=(q + end) / 2,
        velocity=w_c * turned((q - end) / 2),
        angular_velocity=w_c,
    )
    e, mu = float(draw.choice([0.0, 0.5, 0.9])), float(draw.choice([0.0, 0.1, 0.2, 0.3]))
    loose = draw.uniform(size=3) < 0.7
    loose[draw.integers(3)] = True

    def play(k: int) -> dict[str, Any]:
        if not loose[k]:
            return {}
        rubs = jp.Coulomb(mu) if mu else None
        gap = magnitude(draw, -5, -3.3)
        return {"radius": 0.008, "radial": jp.Clearance(gap, contact=jp.Rigid(restitution=e), friction=rubs)}

    s.revolute("A", s.ground, crank, point=(0, 0), angle=jp.Drive(f"{w!r}*t"))
    s.revolute("B", crank, coupler, point=p, **play(0))
    s.revolute("C", coupler, rocker, point=q, **play(1))
    s.revolute("D", s.ground, rocker, point=end, **play(2))
    return s


def slider_crank(draw: Draw) -> jp.System:
    """Crank, rod and a slider with play in its guide, free or driven."""
    a, b, w = 0.1, draw.uniform(0.25, 0.4), draw.uniform(5, 100)
    s = jp.System("slider-crank", planar=True, gravity=(0, -9.81))
    crank = s.body("crank", mass=0.2, inertia=2e-4, position=(a / 2, 0), velocity=(0, w * a / 2), angular_velocity=w)
    spin = -w * a / b
    rod = s.body("rod", mass=0.2, inertia=2e-3, position=(a + b / 2, 0), velocity=(0, w * a / 2), angular_velocity=spin)
    slider = s.body("slider", mass=magnitude(draw, -1, 0.5), inertia=1e-4, position=(a + b, 0))
    drive = {"angle": jp.Drive(f"{w!r}*t")} if draw.uniform() < 0.5 else {}
    s.revolute("A", s.ground, crank, point=(0, 0), **drive)
    s.revolute("B", crank, rod, point=(a, 0))
    s.revolute("C", rod, slider, point=(a + b, 0))
    rubs = jp.Coulomb(draw.uniform(0.01, 0.3)) if draw.uniform() < 0.6 else None
    hits = jp.Rigid(restitution=float(draw.choice([0.0, 0.4, 0.8])))
    play = jp.Clearance(magnitude(draw, -5, -3), contact=hits, friction=rubs)
    s.prismatic("D", s.ground, slider, point=(a + b, 0), axis=(1, 0), length=0.1, width=0.05, radial=play)
    return s


FAMILIES: tuple[Callable[[Draw], jp.System], ...] = (tree, tree, four_bar, slider_crank)


def mechanism(seed: int) -> jp.System:
    """The mechanism of a seed."""
    draw = np.random.default_rng(seed)
    return FAMILIES[seed % len(FAMILIES)](draw)
