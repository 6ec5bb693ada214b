"""Friction of joints between free bodies: action and reaction, and where the energy goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from friction_cases import EXPLICIT, run
from mechanisms import apply, rotation

import jointplay as jp


def floating(kind: str, law: Any) -> jp.System:
    """Two bodies that turn about each other in free space, held together by one joint that rubs."""
    s = jp.System("floating", gravity=(0, 0, 0))
    a = s.body("a", mass=2.0, inertia=(0.3, 0.4, 0.5), angular_velocity=(1.0, 2.0, -3.0))
    b = s.body("b", mass=1.0, inertia=(0.2, 0.3, 0.25), position=(0.6, 0.1, 0.2))
    getattr(s, kind)("J", a, b, point=(0.3, 0.0, 0.1), axis=(0.6, 0.0, 0.8), friction=law)
    s.spring("K", a, b, point_a=(0, 0.2, 0), point_b=(0.6, 0.3, 0.2), stiffness=30.0, free_length=0.3)
    return s


@pytest.mark.parametrize("law", ["brown_mcphee", "gonthier"])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical"])
def test_friction_acts_on_both_bodies_and_the_ledger_closes(kind: str, law: str) -> None:
    sizes = {"length": 0.1} | ({"width": 0.05} if kind == "prismatic" else {"radius": 0.04})
    friction: Any = jp.BrownMcPhee(0.3, 0.2, 1e-2, **sizes)
    if law == "gonthier":
        friction = jp.GonthierFriction(0.3, 0.2, 1e4, 1e2, 0.1, 0.5, 1e-2, **sizes)
    sol = run(floating(kind, friction), 1.0, EXPLICIT, 1e-3)
    momentum, spin = np.zeros((2, len(sol.time), 3))
    for name, inertia, mass in (("a", (0.3, 0.4, 0.5), 2.0), ("b", (0.2, 0.3, 0.25), 1.0)):
        turned = apply(rotation(sol[f"{name}.orientation"]), sol[f"{name}.angular_velocity"] * inertia)
        momentum += mass * sol[f"{name}.velocity"]
        spin += turned + mass * np.cross(sol[f"{name}.position"], sol[f"{name}.velocity"])
    assert np.max(np.abs(momentum - momentum[0])) <= 1e-9  # nothing acts from outside
    assert np.max(np.abs(spin - spin[0])) <= 1e-9
    assert np.max(np.abs(sol["energy.error"])) <= 1e-8
    # what is lost is -phi . v
    power = -np.sum(slides(sol, kind) * sol["J.sliding_velocity"], axis=1)
    assert sol["energy.dissipated"][-1] == pytest.approx(np.sum(0.5 * (power[1:] + power[:-1])) * 1e-3, rel=1e-3)
    assert sol["energy.dissipated"][-1] > 0.02


def slides(sol: jp.Solution, kind: str) -> np.ndarray:
    """Friction at the surface, along the axis and around it, or its one component first."""
    out = np.zeros((len(sol.time), 2))
    for k, name in enumerate({"revolute": ("torque",), "prismatic": ("force",)}.get(kind, ("force", "torque"))):
        out[:, k] = sol[f"J.friction_{name}"] / (0.04 if name == "torque" else 1.0)
    return out
