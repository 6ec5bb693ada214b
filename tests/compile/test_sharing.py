"""Friction in redundant joints: which joints it concerns, how far it can vary, and that check and runs say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.compile.build import compile_system
from jointplay.compile.sharing import Sharing, shared_friction

G, ROUND = 9.81, np.pi**3 / 24.0
MU, RADIUS, LENGTH = 0.2, 0.01, 0.05


def sharing(system: jp.System) -> Sharing:
    found = shared_friction(compile_system(system))
    assert found is not None
    return found


def hinge(mu: float = MU) -> jp.BrownMcPhee:
    return jp.BrownMcPhee(mu_s=mu, mu_d=mu, v_t=1e-4, length=LENGTH, radius=RADIUS)


def door(places: Any = (-0.5, 0.5), law: Any = None, spin: float = 2.0, **release: Any) -> jp.System:
    s = jp.System("door", gravity=(0, 0, -G))
    leaf = s.body("leaf", mass=20.0, inertia=(2, 1.5, 3), position=(0.4, 0, 0), angular_velocity=(0, 0, spin))
    for k, z in enumerate(places):
        s.revolute(f"h{k}", s.ground, leaf, point=(0, 0, z), axis=(0, 0, 1), friction=law or hinge(), **release)
    return s


def test_a_door_on_two_hinges() -> None:
    """At rest one hinge may carry all, the other nothing; least friction: each carries half the moment as a force."""
    found = sharing(door(spin=0.0))
    weight = 20.0 * G
    alone = ROUND * 2.0 * weight * 0.4 / LENGTH + weight  # a couple on the length of one hinge, and the thrust
    for least, taken, most in found.normal.values():
        assert least == 0.0 and least < taken < most and most >= 0.999 * alone
    pair = ROUND * 2.0 * weight * 0.4 / 1.0 + weight  # a couple on the distance of the hinges
    together = sum(taken for _, taken, _ in found.normal.values())
    assert found.whole[0] * together == pytest.approx(pair, rel=1e-9)
    assert found.matters


def test_check_and_run_say_so() -> None:
    report = door().check()
    text = str(report)
    assert report.ok and set(report.sharing) == {"h0", "h1"} == set(report.to_json()["sharing"])
    assert "the motion is unique" not in text and "warning: the motion is not unique: friction of h0, h1" in text
    sol = jp.simulate(door(), until=1e-3, save=[1e-3])
    assert any("the motion is not unique" in note and "h0" in note for note in sol.meta["notes"])


def test_doors_released_in_different_ways_stay_within_the_range() -> None:
    """Ways to make the hinges determinate, each a model of its own: what it loses lies in the range, at both ends."""
    found = sharing(door())
    free = jp.Spring(stiffness=1e-6)
    ways: list[list[dict[str, Any]]] = [
        [{"tilt": free}, {"tilt": free, "axial": free}],
        [{"tilt": free, "axial": free}, {"tilt": free}],
        [{}, {"tilt": free, "radial": free, "axial": free}],
        [{"tilt": free, "radial": free, "axial": free}, {}],
        [{"radial": free}, {"tilt": free, "axial": free}],
    ]
    lost = []
    for way in ways:
        s = jp.System("door", gravity=(0, 0, -G))
        leaf = s.body("leaf", mass=20.0, inertia=(2, 1.5, 3), position=(0.4, 0, 0), angular_velocity=(0, 0, 2.0))
        for k, (z, release) in enumerate(zip((-0.5, 0.5), way, strict=True)):
            s.revolute(f"h{k}", s.ground, leaf, point=(0, 0, z), axis=(0, 0, 1), friction=hinge(), **release)
        lost.append(2.0 - jp.simulate(s, until=1e-2, save=[1e-2])["h0.angle_rate"][-1])
    taken = 2.0 - jp.simulate(door(), until=1e-2, save=[1e-2])["h0.angle_rate"][-1]
    ratios = np.array(lost) / taken
    assert ratios.min() == pytest.approx(found.whole[0], rel=1e-2)
    assert (ratios < found.whole[1] * 1.01).all() and ratios.max() > 0.95 * found.whole[1]


def test_many_hinges_are_drawn_by_lot() -> None:
    """Six hinges can be released in 142,506 ways."""
    found = sharing(door(np.linspace(-0.5, 0.5, 6)))
    assert len(found.normal) == 6 and found.whole[0] < 0.5 and found.whole[1] > 1.5
    assert sharing(door(np.linspace(-0.5, 0.5, 6))) == found  # the same lots every time


def test_a_sum_that_does_not_depend_on_sharing() -> None:
    """Hinges without tilt share the thrust alone, and rub as much together however they do."""
    s = door(tilt=jp.Spring(stiffness=1.0))
    found = sharing(s)
    assert not found.matters and found.whole == pytest.approx((1.0, 1.0), abs=1e-9)
    text = str(s.check())
    assert "the motion is not unique" not in text and "at the start their sum does not" in text


def test_different_coefficients_do() -> None:
    s = jp.System("door", gravity=(0, 0, -G))
    leaf = s.body("leaf", mass=20.0, inertia=(2, 1.5, 3), position=(0.4, 0, 0), angular_velocity=(0, 0, 2.0))
    for name, z, mu in (("low", -0.5, 0.1), ("high", 0.5, 0.3)):
        s.revolute(
            name, s.ground, leaf, point=(0, 0, z), axis=(0, 0, 1), friction=hinge(mu), tilt=jp.Spring(stiffness=1.0)
        )
    assert sharing(s).matters


@pytest.mark.parametrize("planar", [True, False], ids=["plane", "space"])
def test_a_slider_in_two_guides(planar: bool) -> None:
    """Also with true stick, and at rest: the weight beside one guide is carried by couples, on either guide or both."""
    s = jp.System("guides", planar=planar, gravity=(0, -G) if planar else (0, -G, 0))
    b = s.body("b", mass=3.0, inertia=0.1 if planar else (0.1,) * 3, position=(0.2, 0) if planar else (0.2, 0, 0))
    for name, x in (("left", 0.0), ("right", 0.4)):
        at = (x, 0) if planar else (x, 0, 0)
        sizes = {"length": 0.02} | ({} if planar else {"width": 0.02})
        s.prismatic(name, s.ground, b, point=at, axis=(1, 0, 0), friction=jp.Coulomb(0.3, **sizes))
    found = sharing(s)
    assert set(found.normal) == {"left", "right"}
    # least: the weight rests on both guides without a moment
    assert found.whole[0] * sum(taken for _, taken, _ in found.normal.values()) == pytest.approx(3.0 * G, rel=1e-9)
    assert found.whole[1] * sum(taken for _, taken, _ in found.normal.values()) > 20.0 * 3.0 * G


def four_bar(planar: bool) -> jp.System:
    """Four bearings with friction; in space they share what acts across the plane."""
    s = jp.System("four-bar", planar=planar, gravity=(0, -G) if planar else (0, -G, 0))
    points = np.array([(0, 0, 0), (0, 0.1, 0), (0.3, 0.2, 0), (0.3, 0, 0)], dtype=float)
    bodies: list[Any] = [s.ground]
    for k in range(3):
        middle = 0.5 * (points[k] + points[k + 1])
        place = middle[:2] if planar else middle + (0, 0, 0.02)
        bodies.append(s.body(f"b{k}", mass=1.0, inertia=0.01 if planar else (0.01,) * 3, position=place))
    bodies.append(s.ground)
    for k, name in enumerate("ABCD"):
        ends = bodies[k], bodies[k + 1]
        law = jp.BrownMcPhee(0.2, 0.2, 1e-3, radius=0.01, **({} if planar else {"length": 0.05}))
        at: Any = points[k][:2] if planar else points[k]
        s.revolute(name, *ends, point=at, **({} if planar else {"axis": (0, 0, 1)}), friction=law)
    return s


def test_a_four_bar_in_space_and_in_its_plane() -> None:
    assert set(sharing(four_bar(planar=False)).normal) == set("ABCD")
    plane = compile_system(four_bar(planar=True))
    assert plane.rank.redundant == [] and shared_friction(plane) is None


def test_redundancy_elsewhere_does_not_concern_friction() -> None:
    s = jp.load_model(entries()["driven_four_bar_3d"])
    block = s.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(5, 0, 0))
    law = jp.Coulomb(0.3, length=0.1, width=0.1)
    s.prismatic("guide", s.ground, block, point=(5, 0, 0), axis=(1, 0, 0), friction=law)
    compiled = compile_system(s)
    assert compiled.rank.redundant and shared_friction(compiled) is None
    assert "the motion is unique" in str(s.check())
