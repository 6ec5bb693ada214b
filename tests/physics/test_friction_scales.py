"""Friction of ideal joints is the same in micrograms and in tonnes: its smoothing follows the load of the joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from friction_cases import EXPLICIT, FIXED, IMPLICIT, ROUND, STICKS, G, run

import jointplay as jp
from jointplay.compile.build import compile_system

MASSES = [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6]
ANGLE = np.arctan(0.5)


def slope(kind: str, law: Any, mass: float, *, planar: bool = False, gravity: float = G) -> jp.System:
    """A block on a guide with tan = 0.5, downhill along +x."""
    g = gravity * np.array([np.sin(ANGLE), -np.cos(ANGLE), 0.0])
    s = jp.System("slope", planar=planar, gravity=g[:2] if planar else g)
    b = s.body("b", mass=mass, inertia=1e-4 * mass if planar else (1e-4 * mass,) * 3)
    getattr(s, kind)("D", s.ground, b, point=(0, 0) if planar else (0, 0, 0), axis=(1, 0, 0), friction=law)
    return s


def wheel(law: Any, mass: float, planar: bool) -> jp.System:
    """A wheel that turns at 10 rad/s in a bearing that carries its weight."""
    s = jp.System("wheel", planar=planar, gravity=(0, -G) if planar else (0, -G, 0))
    inertia = 1e-2 * mass
    spin: Any = 10.0 if planar else (0, 0, 10.0)
    b = s.body("b", mass=mass, inertia=inertia if planar else (inertia,) * 3, angular_velocity=spin)
    s.revolute(
        "A", s.ground, b, point=(0, 0) if planar else (0, 0, 0), **({} if planar else {"axis": (0, 0, 1)}), friction=law
    )
    return s


@pytest.mark.parametrize("mass", MASSES)
@pytest.mark.parametrize("planar", [True, False], ids=["plane", "space"])
def test_a_block_slides_whatever_its_mass(mass: float, planar: bool) -> None:
    """With true stick: g (sin a - mu cos a), and not at all where mu exceeds the slope."""
    for mu in (0.3, 0.49, 0.51):
        law = jp.Coulomb(mu, length=0.01, **({} if planar else {"width": 0.02}))
        sol = run(slope("prismatic", law, mass, planar=planar), 0.5, STICKS, [0.5])
        exact = 0.5 * max(0.0, G * (np.sin(ANGLE) - mu * np.cos(ANGLE)))
        assert sol["D.displacement_rate"][-1] == pytest.approx(exact, rel=1e-4, abs=1e-12)


@pytest.mark.parametrize("mass", [1e-9, 1e-3, 1e6])
@pytest.mark.parametrize("method", [EXPLICIT, IMPLICIT, FIXED], ids=["explicit", "implicit", "index1"])
@pytest.mark.parametrize("kind", ["prismatic", "cylindrical"])
def test_smooth_laws_slide_whatever_the_mass(kind: str, method: Any, mass: float) -> None:
    round_ = kind == "cylindrical"
    mu = 0.3 / (ROUND if round_ else 1.0)
    sizes = {"length": 0.01} | ({"radius": 0.005} if round_ else {"width": 0.02})
    sol = run(slope(kind, jp.BrownMcPhee(mu, mu, 1e-3, **sizes), mass), 0.5, method, [0.1, 0.5])
    gained = np.diff(sol["D.displacement_rate"])[0]  # past the start, where the law creeps
    assert gained == pytest.approx(0.4 * G * (np.sin(ANGLE) - 0.3 * np.cos(ANGLE)), rel=1e-5)


@pytest.mark.parametrize("mass", MASSES)
@pytest.mark.parametrize("planar", [True, False], ids=["plane", "space"])
def test_a_bearing_stops_a_wheel_whatever_its_mass(mass: float, planar: bool) -> None:
    law = jp.Coulomb(0.2, radius=0.005, **({} if planar else {"length": 0.02}))
    sol = run(wheel(law, mass, planar), 2.0, STICKS, [1.0, 2.0])
    slows = 0.2 * ROUND * G * 0.005 / 1e-2
    assert sol["A.angle_rate"] == pytest.approx(10.0 - slows * sol.time, rel=1e-5)


def crank(scale: float, law: str) -> jp.System:
    """A slider-crank in the plane, pulled by a spring, with friction in its guide and in its first bearing."""
    s = jp.System("crank", planar=True, gravity=(0, -G))
    a = s.body("a", mass=0.2 * scale, inertia=1e-4 * scale, position=(0, 0.05), angular_velocity=3.0)
    b = s.body(
        "b", mass=0.4 * scale, inertia=2e-3 * scale, position=(0.12, 0.05), orientation=float(np.arctan2(-0.1, 0.24))
    )
    c = s.body("c", mass=0.3 * scale, inertia=1e-4 * scale, position=(0.24, 0))
    sizes = {"coulomb": lambda **k: jp.Coulomb(0.2, **k), "smooth": lambda **k: jp.BrownMcPhee(0.3, 0.2, 1e-2, **k)}[
        law
    ]
    s.revolute("A", s.ground, a, point=(0, 0), friction=sizes(radius=0.01))
    s.revolute("B", a, b, point=(0, 0.1))
    s.revolute("C", b, c, point=(0.24, 0))
    s.prismatic("D", s.ground, c, point=(0.24, 0), axis=(1, 0), friction=sizes(length=0.05))
    s.spring(
        "k", s.ground, c, point_a=(0.6, 0), point_b=(0.24, 0), stiffness=20.0 * scale, damping=0.0, free_length=0.2
    )
    return s


@pytest.mark.parametrize(
    ("law", "method"), [("coulomb", jp.Moreau(step=2e-4)), ("smooth", EXPLICIT)], ids=["stick", "smooth"]
)
def test_scaled_copies_of_a_mechanism_move_alike(law: str, method: Any) -> None:
    """All masses, moments of inertia and stiffnesses times one number: the same motion, forces times that number."""
    one = run(crank(1.0, law), 0.3, method, 0.05)
    for scale in (1e-9, 1e-3, 7.0, 1e6):
        other = run(crank(scale, law), 0.3, method, 0.05)
        for name in ("A.angle", "D.displacement", "D.displacement_rate"):
            assert other[name] == pytest.approx(one[name], rel=1e-5, abs=1e-6), (scale, name)
        assert other["D.force"] == pytest.approx(scale * one["D.force"], rel=1e-3, abs=1e-3 * scale)


def chosen(system: jp.System, until: float = 1.0) -> float:
    return float(compile_system(system, until).model.rub["smoothing"][0])


def test_what_is_given_stays_and_what_is_chosen_is_told() -> None:
    given = slope("prismatic", jp.Coulomb(0.3, length=0.1, width=0.1, smoothing="2 mN"), 1e-6)
    assert chosen(given) == 2e-3 and not any("smoothing" in note for note in compile_system(given).notes)
    told = compile_system(slope("prismatic", jp.Coulomb(0.3, length=0.1, width=0.1), 1e-6)).notes
    assert any("smoothing" in note and "D 1e-12 N" in note for note in told)


@pytest.mark.parametrize("push", ["5*sin(3*t)", "100*max(0, t - 0.2)", "1e-3*t"])
def test_a_load_that_comes_later(push: str) -> None:
    """Without weight nothing presses at the start; what the loads of later instants press with counts."""
    s = slope("prismatic", jp.Coulomb(0.3, length=0.1, width=0.1), 2.0, gravity=0.0)
    s.force("push", "b", force=(0, push, 0))
    least = chosen(s)
    assert 0.0 < least <= 1e-4 and least == chosen(s, until=100.0)  # whatever the horizon: runs can be continued


@pytest.mark.parametrize("speed", [0.0, 1e-6, 1.0, 1e3])
def test_nothing_acts(speed: float) -> None:
    """A free slider runs on: over 100 times the length of its guide friction takes nothing that could be seen."""
    s = jp.System("free", gravity=(0, 0, 0))
    b = s.body("b", mass=3e-7, inertia=(1e-9,) * 3, velocity=(speed, 0, 0))
    s.prismatic("D", s.ground, b, point=(0, 0, 0), axis=(1, 0, 0), friction=jp.Coulomb(0.3, length=0.1, width=0.1))
    end = 10.0 / speed if speed else 1.0
    sol = run(s, end, jp.Moreau(step=end / 100), [end])
    assert sol["D.displacement_rate"][-1] == pytest.approx(speed, rel=1e-3, abs=0.0)


def test_a_light_part_on_a_heavy_one() -> None:
    """The load is that of the joint, not of the model: 1 mg slides on a block of a tonne as on the ground."""
    s = jp.System("two", planar=True, gravity=G * np.array([np.sin(ANGLE), -np.cos(ANGLE)]))
    heavy = s.body("heavy", mass=1e3, inertia=1.0)
    light = s.body("light", mass=1e-6, inertia=1e-12)
    s.fixed("F", s.ground, heavy, point=(0, 0))
    s.prismatic("D", heavy, light, point=(0, 0), axis=(1, 0), friction=jp.Coulomb(0.3, length=0.01))
    sol = run(s, 0.5, STICKS, [0.5])
    assert sol["D.displacement_rate"][-1] == pytest.approx(0.5 * G * (np.sin(ANGLE) - 0.3 * np.cos(ANGLE)), rel=1e-5)
