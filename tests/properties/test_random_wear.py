"""Wearing guides on random mechanisms: a slider in a guide that wears, in a plane and in space, one seed at a time.

Whatever the motion, worn heights never fall, the ledger closes, both error-controlled methods find the same wear, and

    k_w/mu loss <= volume,      nearly equal

where the loss is that of friction: the smoothed coefficient is mu but for slow sliding, and below it there.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import jointplay as jp

SEEDS = range(12)
UNTIL, KW, AREA = 0.04, 1e-13, 1e-4


def draw(seed: int) -> tuple[jp.System, float]:
    """A slider that is thrown, turned and pressed; often with a pendulum on it."""
    r = np.random.default_rng(seed)
    planar = seed % 2 == 0
    flat = (lambda *x: np.array(x[:2])) if planar else (lambda *x: np.array(x))
    s = jp.System(f"guide {seed}", planar=planar, gravity=flat(*r.uniform(-10, 10, 3)))
    mass, mu = r.uniform(0.5, 2.0), float(r.uniform(0.05, 0.4))
    velocity = flat(r.uniform(1.0, 2.0), *r.uniform(-0.1, 0.1, 2))
    slider = s.body("slider", mass=mass, inertia=r.uniform(2e-3, 4e-3), velocity=velocity)
    inside: Any = jp.Hertz(stiffness=float(10.0 ** r.uniform(7, 9)), exponent=float(r.choice([1.0, 1.5])))
    law = jp.Archard(inside, coefficient=KW, area=AREA, worn=float(r.choice([0.0, 2e-5])))
    play = jp.Clearance(float(10.0 ** r.uniform(-4.5, -3.5)), contact=law, friction=jp.Coulomb(mu, creep=1e-3))
    sizes: dict[str, Any] = {"length": r.uniform(0.05, 0.2), "radial": play}
    if planar:
        sizes["width"] = r.uniform(0.02, 0.1)
    else:
        y, z = r.uniform(0.02, 0.05, 2)
        sizes["section"] = [(0, -y, -z), (0, y, -z), (0, y, z), (0, -y, z)]
    s.prismatic("D", s.ground, slider, point=flat(0, 0, 0), axis=flat(1, 0, 0), **sizes)
    s.force("F", slider, force=flat(0.0, *r.uniform(-50, 50, 2)), point=flat(*r.uniform(-0.02, 0.02, 3)))
    if seed % 3:
        rod = s.body("rod", mass=0.3, inertia=1e-3, position=flat(0.1, 0.05, 0), velocity=velocity)
        hinge: dict[str, Any] = {} if planar else {"axis": (0, 0, 1)}
        s.revolute("P", slider, rod, point=flat(0, 0, 0), **hinge)
    return s, mu


@cache
def motion(seed: int, implicit: bool = False) -> tuple[jp.Solution, float]:
    system, mu = draw(seed)
    method = jp.Implicit(rtol=1e-9, atol=1e-12) if implicit else jp.Explicit(rtol=1e-10, atol=1e-13)
    return jp.simulate(system, until=UNTIL, method=method, save=UNTIL / 40), mu


@pytest.mark.parametrize("seed", SEEDS)
def test_volume_and_ledger(seed: int) -> None:
    sol, mu = motion(seed)
    assert sol.outcome.ok, sol.outcome.message
    worn = sol["D.wear"] - sol["D.wear"][0]
    assert (np.diff(worn, axis=0) >= 0.0).all()
    volume, loss = AREA * worn[-1].sum(), sol["energy.dissipated"][-1]
    assert volume > 0.0
    scale = sol["energy.kinetic"].max() + np.abs(sol["energy.input"]).max()
    assert np.abs(sol["energy.error"]).max() < 1e-6 * scale
    # what is worn off takes along a part k_w N/(mu A) of the loss, far below 1e-4 here
    assert KW * loss / mu * (1.0 - 1e-4) <= volume <= KW * loss / mu * 1.02


@pytest.mark.parametrize("seed", [0, 1, 4, 5])
def test_two_methods_find_the_same_wear(seed: int) -> None:
    one, other = motion(seed)[0], motion(seed, True)[0]
    half = slice(21)  # after some twenty impacts motions part at any tolerance: seed 5 by 8 % in the end
    worn = [AREA * (sol["D.wear"] - sol["D.wear"][0]).sum(axis=1)[half] for sol in (one, other)]
    assert worn[1] == pytest.approx(worn[0], rel=1e-3, abs=1e-3 * worn[0][-1])
