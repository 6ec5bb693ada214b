"""Compiling beside an earlier system: the same arrays, sooner; another layout where the structure is another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.compile.build import compile_system
from jointplay.compile.pack import Compiled
from jointplay.model.reuse import following
from jointplay.sensitivity.source import source_of

NAMES = ["pendulum", "four_bar", "slider_crank", "slider_crank_clearance", "slider_crank_friction", "worn_four_bar"]


def assert_same(one: Compiled, other: Compiled) -> None:
    """Bit by bit, but for the pivot that counts as vanishing, which is a choice."""
    for name, a, b in zip(one.model._fields, one.model, other.model, strict=True):
        if name == "info":
            a, b = a.copy(), b.copy()
            a["vanishing"] = b["vanishing"] = 0.0
        assert repr(a.tolist()) == repr(b.tolist()), name
    for a, b in zip(one.state, other.state, strict=True):
        assert repr(a.tolist()) == repr(b.tolist())
    for field in ("row_names", "taps", "joints", "contacts", "recorded", "pads", "recorded_pads", "notes", "rank"):
        assert getattr(one, field) == getattr(other, field)
    assert np.array_equal(one.gaps, other.gaps)


@pytest.mark.parametrize("name", NAMES)
def test_gallery(name: str) -> None:
    """Mass and place of each body, and all parameters, one at a time."""
    path = entries()[name]
    base = jp.load_model(path)
    wanted = [*base.parameters, *(f"bodies.{body.name}.mass" for body in base.bodies)]
    source = source_of(path, wanted)
    nominal = compile_system(source.system())
    for parameter in source.parameters:
        changed = {parameter.name: 1.00001 * parameter.value}
        with following(nominal.system.readings):
            system = source.system(changed)
        assert_same(compile_system(system, like=nominal), compile_system(source.system(changed)))
    assert_same(nominal, compile_system(source.system()))  # and nothing was written into it


def block(mu: float = 0.2, planar: bool = False, drives: int = 0, spare: bool = False, strips: int = 4) -> jp.System:
    s = jp.System("block", planar=planar)
    a = s.body("a", mass=1.0, inertia=0.1)
    play = jp.Clearance(
        1e-3,
        contact=jp.Hertz(stiffness=1e6),
        friction=jp.Coulomb(mu, creep=1e-3) if mu else None,
        strips=None if planar else strips,
    )
    s.revolute(
        "P",
        s.ground,
        a,
        point=(0, 0, 0),
        axis=(0, 0, 1),
        radius=0.01,
        radial=play,
        **({} if planar else {"length": 0.02}),
    )
    if spare:
        s.body("b", mass=1.0, inertia=0.1, position=(1, 0, 0))
    for k in range(drives):
        s.force(f"F{k}", a, force=("sin(t)", 0, 0))
    return s


@pytest.mark.parametrize(
    "changed", [{"mu": 0.0}, {"planar": True}, {"drives": 1}, {"spare": True}, {"strips": 5}, {"mu": 0.3}]
)
def test_another_structure(changed: dict[str, Any]) -> None:
    nominal = compile_system(block())
    with following(nominal.system.readings):
        system = block(**changed)
    other = compile_system(system, like=nominal)
    assert_same(other, compile_system(block(**changed)))
    assert (other.layout is nominal.layout) == (changed == {"mu": 0.3})


def rod(length: float | None = None) -> jp.System:
    s = jp.System("rod")
    a = s.body("a", mass=1.0, inertia=0.1, position=(0, 0, -1))
    s.distance("L", s.ground, a, point_a=(0, 0, 0), point_b=(0, 0, -1), length=length)
    return s


def slider(mu: float) -> jp.System:
    s = jp.System("slider")
    a = s.body("a", mass=1.0, inertia=0.1)
    s.prismatic("D", s.ground, a, point=(0, 0, 0), axis=(1, 0, 0), displacement=jp.Coulomb(mu, load=10.0))
    s.prismatic(
        "E",
        s.ground,
        s.body("b", mass=1.0, inertia=0.1),
        point=(0, 0, 0),
        axis=(1, 0, 0),
        displacement=jp.Stop(lower=-1.0, contact=jp.Rigid(restitution=0.5)),
    )
    return s


@pytest.mark.parametrize(
    ("first", "then"),
    [(lambda: rod(1.0), lambda: rod(1.01)), (rod, lambda: rod(1.01)), (lambda: slider(0.2), lambda: slider(0.3))],
)
def test_values_and_brakes(first: Callable[[], jp.System], then: Callable[[], jp.System]) -> None:
    assert_same(compile_system(then(), like=compile_system(first())), compile_system(then()))
