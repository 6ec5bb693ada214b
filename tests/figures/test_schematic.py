"""Sketches of mechanisms: everything is there, where it was drawn; joints that are not perfect are red."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.figures import schematic
from jointplay.figures.style import RED
from jointplay.figures.wheels import lines_of


def test_planar_mechanism() -> None:
    system = jp.load_model(GALLERY / "slider_crank_clearance.yaml")
    (ax,) = schematic(system).axes
    said = {text.get_text(): text for text in ax.texts}
    assert set(said) == {"crank", "rod", "slider", "A", "B", "C, D"}  # C and D lie upon each other
    assert said["C, D"].get_color() == RED and said["A"].get_color() != RED
    assert said["rod"].xy == pytest.approx(system.bodies[1].position[:2])
    places = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "s"]
    assert places == [pytest.approx([0.459, 0.0])]
    assert ax.get_aspect() == 1.0


def test_springs_and_space() -> None:
    (ax,) = schematic(jp.load_model(GALLERY / "rabinowicz.yaml")).axes
    coils = [line for line in ax.lines if len(line.get_xdata()) == 15]
    assert len(coils) == 1
    feet = [line for line in ax.lines if line.get_marker() == 6]
    assert len(feet) == 2
    upright = schematic(jp.load_model(GALLERY / "slider_crank.yaml")).axes[0]
    ends = {text.get_text(): np.array(text.xy) for text in upright.texts}
    assert ends["B"][0] == pytest.approx(ends["A"][0]) and ends["B"][1] > ends["A"][1]  # z is up


def test_nothing_to_draw() -> None:
    with pytest.raises(jp.InputError, match="no bodies"):
        schematic(jp.System("empty"))


def circles(system: jp.System) -> dict[tuple[float, ...], float]:
    """Radius of each circle that is drawn, by its middle."""
    (ax,) = schematic(system).axes
    found = {}
    for line in ax.lines:
        points = line.get_xydata()
        if len(points) == 73:
            middle = points[:-1].mean(axis=0)
            reach = np.linalg.norm(points - middle, axis=1)
            assert np.ptp(reach) < 1e-12
            found[tuple(np.round(middle, 9).tolist())] = float(reach.mean())
    return found


def test_gears_are_pitch_circles_that_touch() -> None:
    rng = np.random.default_rng(2)
    for _ in range(5):
        teeth, distance, turn = rng.integers(10, 60, 2).tolist(), rng.uniform(0.05, 0.4), rng.uniform(0.0, 6.0)
        other = (distance * np.cos(turn), distance * np.sin(turn))
        s = jp.System("pair", planar=True)
        one, two = s.body("one", mass=1, inertia=0.01), s.body("two", mass=1, inertia=0.01, position=other)
        s.revolute("A", s.ground, one, point=(0, 0))
        s.revolute("B", s.ground, two, point=other)
        s.gear("G", one, two, teeth=teeth)
        found = circles(s)
        assert sorted(found.values()) == pytest.approx(sorted(distance * z / sum(teeth) for z in teeth))
        name = next(text for text in schematic(s).axes[0].texts if text.get_text() == "G")
        assert np.linalg.norm(name.xy) == pytest.approx(distance * teeth[0] / sum(teeth))


def test_a_planet_touches_its_ring_and_a_rack_its_pinion() -> None:
    s = jp.System("planetary", planar=True)
    carrier = s.body("carrier", mass=1, inertia=0.02, position=(0.075, 0))
    planet = s.body("planet", mass=0.5, inertia=0.002, position=(0.15, 0))
    s.revolute("C", s.ground, carrier, point=(0, 0))
    s.revolute("P", carrier, planet, point=(0.15, 0))
    s.gear("R", planet, s.ground, teeth=(10, 40), internal=True, hubs=("P", "C"))
    assert circles(s) == {(0.15, 0.0): pytest.approx(0.05), (0.0, 0.0): pytest.approx(0.2)}
    t = jp.System("rack", planar=True)
    rack, pinion = t.body("rack", mass=4, inertia=0.1), t.body("pinion", mass=1, inertia=0.02)
    t.prismatic("P", t.ground, rack, point=(0, 0), axis=(1, 0))
    t.revolute("A", t.ground, pinion, point=(0, 0))
    t.rack("R", rack, pinion, radius="50 mm")
    (line,) = [one.get_xydata() for one in schematic(t).axes[0].lines if np.allclose(one.get_ydata(), -0.05)]
    assert np.ptp(line[:, 0]) == pytest.approx(0.15)  # a positive turn moves it along +x: it lies below


def test_strands_of_belts_are_tangents() -> None:
    for crossed in (False, True):
        s = jp.System("belt", planar=True)
        one, two = s.body("one", mass=1, inertia=0.01), s.body("two", mass=1, inertia=0.01, position=(0.3, 0.1))
        s.revolute("A", s.ground, one, point=(0, 0))
        s.revolute("B", s.ground, two, point=(0.3, 0.1))
        s.belt("N", one, two, radii=("40 mm", "80 mm"), crossed=crossed)
        lines = [one.get_xydata() for one in schematic(s).axes[0].lines if len(one.get_xdata()) == 2]
        tangent = 0
        for a, b in lines:
            way = (b - a) / np.linalg.norm(b - a)
            off = [np.array([-way[1], way[0]]) @ (np.array(hub) - a) for hub in ((0, 0), (0.3, 0.1))]
            if np.allclose(np.abs(off), [0.04, 0.08]):
                tangent += 1
                assert (off[0] * off[1] < 0) == crossed
        assert tangent == 2


def test_bevel_gears_and_screws_in_space() -> None:
    s = jp.System("bevel")
    one, two = (
        s.body("one", mass=1, inertia=0.01, position=(0, 0, 0.2)),
        s.body("two", mass=1, inertia=0.01, position=(0.1, 0, 0)),
    )
    s.revolute("A", s.ground, one, point=(0, 0, 0.2), axis=(0, 0, 1))
    s.revolute("B", s.ground, two, point=(0.1, 0, 0), axis=(1, 0, 0))
    s.bevel_gear("G", one, two, teeth=(15, 30), module="4 mm")
    lines = [line for joint in s.joints if joint.name == "G" for line in lines_of(joint, s.poses)]
    rims = [points for _, points in lines if len(points) == 73]
    apart = np.linalg.norm(rims[0][:, None] - rims[1][None], axis=2)
    assert apart.min() < 1e-9  # at the pitch point
    assert [np.ptp(rims[0][:, 2]), np.ptp(rims[1][:, 0])] == pytest.approx([0.0, 0.0], abs=1e-12)  # across their axes
    schematic(s)
    t = jp.System("jack")
    spindle, nut = t.body("spindle", mass=3, inertia=0.01), t.body("nut", mass=20, inertia=0.1, position=(0, 0, 0.2))
    t.revolute("S", t.ground, spindle, point=(0, 0, 0), axis=(0, 0, 1))
    t.prismatic("P", t.ground, nut, point=(0, 0, 0.2), axis=(0, 0, 1))
    t.screw("N", spindle, nut, lead="16 mm", radius="10 mm")
    assert max(len(line.get_xdata()) for line in schematic(t).axes[0].lines) == 5 * 73
