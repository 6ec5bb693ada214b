"""Pictures of couplings: pitch circles touch, rings surround, racks lie on their side, threads run in their nuts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.viewer.couplings import RIM, thread
from jointplay.viewer.scene import scene_of


def shapes(result: Any) -> dict[str, list[dict[str, Any]]]:
    return {body["name"]: body["shapes"] for body in scene_of(result)[0]["bodies"]}


def test_a_ring_on_the_ground() -> None:
    s = jp.System("planetary", planar=True, gravity=(0, 0))
    carrier = s.body("carrier", mass=1, inertia=0.02, position=(0.075, 0))
    planet = s.body("planet", mass=0.5, inertia=0.002, position=(0.15, 0))
    s.revolute("C", s.ground, carrier, point=(0, 0))
    s.revolute("P", carrier, planet, point=(0.15, 0))
    s.gear("R", planet, s.ground, teeth=(10, 40), internal=True, hubs=("P", "C"))
    drawn = shapes(s)
    (ring,) = drawn["ground"]
    assert ring["type"] == "prism" and ring["colour"] == "ground" and ring["at"] == pytest.approx([0, 0, 0])
    reach = np.linalg.norm(ring["section"], axis=1)
    assert (reach.min(), reach.max()) == (pytest.approx(0.2), pytest.approx(0.2 * (1 + RIM)))
    disc = drawn["planet"][0]
    assert disc["type"] == "disc" and 0.15 + disc["radius"] == pytest.approx(reach.min())


@pytest.mark.parametrize("along", [(1, 0), (-1, 0)])
def test_a_rack_lies_where_its_pinion_pushes_it(along: tuple[float, float]) -> None:
    """A positive turn moves it along: below the hub for +x, above for -x; it is as long as the way along it."""
    s = jp.System("rack", planar=True, gravity=(0, 0))
    rack, pinion = s.body("rack", mass=4, inertia=0.1), s.body("pinion", mass=1, inertia=0.02)
    s.prismatic("P", s.ground, rack, point=(0, 0), axis=along)
    s.revolute("A", s.ground, pinion, point=(0, 0), angle=jp.Drive("4*t"))
    s.rack("R", rack, pinion, radius="50 mm", along=along)
    sol = jp.simulate(s, until=1.0, save=0.1)
    assert sol["rack.position"][-1, 0] == pytest.approx(0.2 * along[0])
    bar = shapes(sol)["rack"][-1]
    assert bar["type"] == "box"
    assert bar["size"][0] == pytest.approx(0.2 + 2.4 * 0.05, rel=1e-6)
    edge = abs(bar["at"][1]) - 0.5 * bar["size"][1]
    assert (np.sign(bar["at"][1]), edge) == (-along[0], pytest.approx(0.05))
    # in the middle of what the pinion saw of it: from its own middle to 0.2 m behind
    assert bar["at"][0] == pytest.approx(-0.1 * along[0], rel=1e-6)


def test_a_screw_and_its_nut() -> None:
    s = jp.System("jack", gravity=(0, 0, -9.81))
    spindle = s.body("spindle", mass=3, inertia=(0.01, 0.01, 0.002))
    nut = s.body("nut", mass=20, inertia=0.1, position=(0, 0, 0.2))
    s.revolute("S", s.ground, spindle, point=(0, 0, 0), axis=(0, 0, 1), angle=jp.Drive("-20*t"))
    s.prismatic("P", s.ground, nut, point=(0, 0, 0.2), axis=(0, 0, 1))
    s.screw("N", spindle, nut, lead="16 mm", radius="10 mm")
    sol = jp.simulate(s, until=1.0, save=0.1)
    scene, pack = scene_of(sol)
    drawn = {body["name"]: body["shapes"] for body in scene["bodies"]}
    shaft, ridge = drawn["spindle"]
    lifted = 20 * 0.016 / (2 * np.pi)
    # from the hinge to four radii above the highest place of the nut
    assert shaft["length"] == pytest.approx(0.2 + lifted + 0.04, rel=1e-6)
    assert shaft["at"][2] == pytest.approx(0.5 * shaft["length"], rel=1e-6)
    assert f"{ridge['block']}.vertices" in pack.index and f"{ridge['block']}.faces" in pack.index
    (prism,) = drawn["nut"]
    assert prism["type"] == "prism" and prism["at"] == pytest.approx([0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("lead", [0.008, -0.008, 0.05, 1e-5])
def test_a_thread_is_a_helix_of_its_lead(lead: float) -> None:
    """The crest rises by the lead in a turn; faces look outwards; a very fine thread is drawn coarser."""
    vertices, faces = thread(0.01, lead, 0.0, 0.1)
    reach = np.linalg.norm(vertices[:, :2], axis=1)
    starts = max(1, round(abs(lead) / 0.012))
    crest = vertices[reach > 0.0111][: np.count_nonzero(reach > 0.0111) // starts]
    turn = np.unwrap(np.arctan2(crest[:, 1], crest[:, 0]))
    rise = 2 * np.pi * np.ptp(crest[:, 2]) / (turn[-1] - turn[0])
    assert rise == pytest.approx(lead if abs(lead) > 1e-3 else 0.1 / 150, rel=1e-9)
    assert faces.max() == len(vertices) - 1 and len(faces) < 40_000
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    outward = np.sum(np.cross(b - a, c - a)[:, :2] * (a + b + c)[:, :2], axis=1)
    assert np.all(outward > 0.0)


def test_bevel_gears_touch() -> None:
    """Both pitch circles, drawn at their centres, pass through the pitch point."""
    s = jp.System("bevel", gravity=(0, 0, 0))
    one = s.body("one", mass=1, inertia=1e-3, position=(-0.1, 0, 0))
    two = s.body("two", mass=1, inertia=1e-3, position=(0, 0, 0.1))
    s.revolute("A", s.ground, one, point=(-0.1, 0, 0), axis=(1, 0, 0))
    s.revolute("B", s.ground, two, point=(0, 0, 0.1), axis=(0, 0, 1))
    s.bevel_gear("G", one, two, teeth=(20, 40), module="4 mm")
    drawn = shapes(s)
    places = {name: np.array(drawn[name][0]["at"]) + s.poses[name].r for name in ("one", "two")}
    # apex at the origin, radii 40 and 80 mm: the pitch point is (-80, 0, 40) mm
    assert places["one"] == pytest.approx([-0.08, 0, 0], abs=1e-12)
    assert places["two"] == pytest.approx([0, 0, 0.04], abs=1e-12)
    assert [drawn[name][0]["radius"] for name in ("one", "two")] == pytest.approx([0.04, 0.08])
