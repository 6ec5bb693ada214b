"""Mechanisms on which derivatives through the steps of OptimalStep are tried."""

from __future__ import annotations

from typing import Any

from clearances import GRAVITY as G

import jointplay as jp
from jointplay.cli.examples import entries


def fixed(step: float) -> jp.OptimalStep:
    """Steps of one size."""
    return jp.OptimalStep(h_min=step, h_max=step)


def tree_of(name: str) -> Any:
    """A model of the gallery, to be changed."""
    return jp.load_model(entries()[name]).to_tree()


def ball(height: float = 0.05, lift: float = 0.01, g: float = G) -> jp.System:
    """Let go ``height - lift`` above a stop on which it stays."""
    s = jp.System("ball", gravity=(0, 0, -g))
    body = s.body("ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, height))
    stop = jp.Stop(lower=lift - height, contact=jp.Rigid(restitution=0.0))
    s.prismatic("P", s.ground, body, point=(0, 0, height), axis=(0, 0, 1), displacement=stop)
    return s


def chain(length: float, mass: float, stiffness: float, rate: float, push: float) -> jp.System:
    """Driven, with a spring and a load."""
    s = jp.System("chain", gravity=(0, 0, -G), parameters={"rate": rate, "push": push})
    a = s.body("a", mass=mass, inertia=(0.01, 0.02, 0.03), position=(length / 2, 0, 0))
    b = s.body("b", mass=2 * mass, inertia=(0.02, 0.03, 0.01), position=(1.5 * length, 0, 0))
    s.revolute("A", s.ground, a, point=(0, 0, 0), axis=(0, 1, 0), angle=jp.Drive("rate*t + 0.2*sin(9*t)"))
    s.revolute("B", a, b, point=(length, 0, 0), axis=(0, 0.6, 0.8), angle=jp.Spring(stiffness))
    s.force("push", b, force=(0, "push*sin(20*t)", 0))
    return s


def driven(rate: float, length: float) -> jp.System:
    """The speed of its drive jumps."""
    s = jp.System("jump", gravity=(0, 0, -G), parameters={"rate": rate})
    a = s.body("a", mass=1.0, inertia=(0.01, 0.02, 0.03), position=(length / 2, 0, 0))
    b = s.body("b", mass=1.0, inertia=(0.01, 0.02, 0.03), position=(1.5 * length, 0, 0))
    s.revolute("A", s.ground, a, point=(0, 0, 0), axis=(0, 1, 0), angle=jp.Drive("rate*(t + 2*abs(t - 0.01))"))
    s.revolute("B", a, b, point=(length, 0, 0), axis=(0, 1, 0))
    return s


def pendulum(length: float, stop: float, spin: float) -> jp.System:
    """It meets its stop: joints and contact are closed together."""
    s = jp.System("pendulum", gravity=(0, 0, -G))
    body = s.body("bob", mass=1.0, inertia=(0.01, 0.02, 0.03), position=(length, 0, 0), angular_velocity=(0, spin, 0))
    wall = jp.Stop(upper=stop, contact=jp.Rigid(restitution=0.0))
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 1, 0), angle=wall)
    return s


def hung(gap: float = 1e-3, mu: float = 0.2) -> jp.System:
    """A hole on a pin, pressed by the weight."""
    s = jp.System("hung", planar=True, gravity=(0, -G))
    body = s.body("bob", mass=2.0, inertia=5e-3, position=(0.1, -gap))
    play, hole = jp.Clearance(gap, friction=jp.Coulomb(mu)), s.marker("hole", body, position=(-0.1, 0))
    s.revolute("A", s.marker("pin", s.ground), hole, radius=0.01, radial=play)
    return s


def crank(gap: float, crank: float, mu: float = 0.0) -> jp.System:
    """Paper B without rebounds, with friction or without."""
    tree = tree_of("slider_crank_clearance")
    tree["parameters"] |= {"gap": f"{gap} m", "crank": f"{crank} m", "restitution": 0.0, "mu": mu}
    if mu == 0.0:
        del tree["joints"]["D"]["radial"]["friction"]
    return jp.System.from_tree(tree)


FALL = {"height": 0.05, "lift": 0.01, "g": G}
CHAIN = {"length": 0.3, "mass": 1.0, "stiffness": 5.0, "rate": 2.0, "push": 4.0}
SWING = {"length": 0.5, "stop": 0.3, "spin": 3.0}
