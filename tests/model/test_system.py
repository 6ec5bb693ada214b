"""System by Python calls: what comes out in SI, and what is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mechanisms import SIZES

from jointplay.errors import InputError
from jointplay.joints.registry import KINDS
from jointplay.laws.drive import Drive
from jointplay.laws.ideal import Ideal
from jointplay.laws.spring import Spring
from jointplay.model.geometry import rotation_matrix
from jointplay.model.system import System
from jointplay.quantities.signal import Table

BALL: dict[str, Any] = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}


def problems(call: Callable[[], Any]) -> list[str]:
    """All problems that a call raises, as text."""
    with pytest.raises(InputError) as caught:
        call()
    return [str(problem) for problem in caught.value.problems]


def test_body_in_si() -> None:
    """Units and expressions become numbers."""
    s = System("x", parameters={"L": "80 mm"})
    handle = s.body(
        "crank",
        mass="120 g",
        inertia=["1e-4 kg*m^2", "1 kg*cm^2", 1e-5],
        position=(0, "L/2", "10 cm"),
        orientation={"axis": (0, 0, 3), "angle": "90 deg"},
        velocity=np.array([1, 2, 3]),
    )
    (body,) = s.bodies
    assert handle.name == body.name == "crank"
    assert body.mass == pytest.approx(0.12)
    np.testing.assert_allclose(body.inertia, np.diag([1e-4, 1e-4, 1e-5]))
    np.testing.assert_allclose(body.position, [0, 0.04, 0.1])
    np.testing.assert_allclose(body.orientation, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    assert body.velocity_given
    assert body.velocity.dtype == np.float64


def test_velocity_left_open() -> None:
    """A body without any velocity leaves it to the joints."""
    s = System()
    s.body("a", **BALL)
    s.body("b", **BALL, angular_velocity=(0, 0, 0))
    assert [(body.velocity_given, body.spin_given) for body in s.bodies] == [(False, False), (False, True)]


@pytest.mark.parametrize(
    "orientation",
    [
        (np.sqrt(0.5), 0, 0, np.sqrt(0.5)),
        (0.7071, 0, 0, 0.7071),
        [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
        np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
        {"axis": (0, 0, 1), "angle": "90 deg"},
    ],
)
def test_forms_of_orientation(orientation: Any) -> None:
    """All forms of a quarter turn about z."""
    s = System()
    s.body("a", **BALL, orientation=orientation)
    p = s.bodies[0].orientation
    assert np.linalg.norm(p) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(rotation_matrix(p) @ [1, 0, 0], [0, 1, 0], atol=1e-12)


def test_planar_body() -> None:
    """Two components, one angle, one rate, one moment."""
    s = System(planar=True)
    s.body("a", mass=1, inertia=0.5, position=(1, 2), orientation="90 deg", velocity=(3, 4, 0), angular_velocity=6)
    (body,) = s.bodies
    np.testing.assert_allclose(body.position, [1, 2, 0])
    np.testing.assert_allclose(body.orientation, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    np.testing.assert_allclose(body.angular_velocity, [0, 0, 6])
    assert body.inertia[2, 2] == 0.5
    np.testing.assert_allclose(s.gravity, [0, -9.81, 0])


def test_gravity() -> None:
    """Default, and given."""
    np.testing.assert_allclose(System().gravity, [0, 0, -9.81])
    np.testing.assert_allclose(System(gravity=("1 m/s^2", 0, 0)).gravity, [1, 0, 0])


def test_all_problems_of_a_call_in_one_go() -> None:
    """Each names the body and the argument; nothing is added, and the name stays free."""
    s = System()
    found = problems(lambda: s.body("crank", mass=-1, inertia=(1, 1, 3), position=(0, 0), velocity=(0, 0, np.nan)))
    assert [text.split(": ")[1].rstrip(":") for text in found] == ["mass", "inertia", "position", "velocity[2]"]
    assert all(text.startswith("body 'crank': ") for text in found)
    assert s.bodies == ()
    s.body("crank", **BALL)
    assert len(s.bodies) == 1


@pytest.mark.parametrize("inertia", [(1, 1, 2), (1, 1, 2.000001), np.diag([3.0, 4.0, 5.0]), 2.0])
def test_moments_that_nature_allows(inertia: Any) -> None:
    """A flat body reaches the bound J3 = J1 + J2; rounding may pass it by 1e-6."""
    s = System()
    s.body("a", mass=1, inertia=inertia)
    expected = np.diag(np.broadcast_to(inertia, 3)) if np.ndim(inertia) < 2 else inertia
    assert np.array_equal(s.bodies[0].inertia, expected)


@pytest.mark.parametrize("inertia", [(1, 1, 2.0001), (0, 1, 1), (-1, 1, 1), [[1, 2, 0], [2, 1, 0], [0, 0, 1]], 0])
def test_moments_that_nature_does_not_allow(inertia: Any) -> None:
    """Triangle inequality and positive definiteness."""
    assert "inertia" in problems(lambda: System().body("a", mass=1, inertia=inertia))[0]


@pytest.mark.parametrize("name", ["ground", "energy", "time", "", " a", "a ", "a.b", "a/b", "a[0]", "a\n", 3, None])
def test_names_that_cannot_be(name: Any) -> None:
    """Reserved, empty, or with characters that results use."""
    assert problems(lambda: System().body(name, **BALL))


def test_names_are_unique_over_the_whole_system() -> None:
    """A joint cannot be called like a body."""
    s = System()
    a = s.body("a", **BALL)
    assert problems(lambda: s.body("a", **BALL)) == [
        "body 'a': the name 'a' is taken by a body; names are unique over the whole system"
    ]
    assert "taken by a body" in problems(lambda: s.spherical("a", s.ground, a, point=(0, 0, 0)))[0]


def test_joint_markers_are_body_fixed() -> None:
    """The same global frame, seen from both bodies."""
    s = System()
    a = s.body("a", **BALL, position=(1, 2, 3), orientation={"axis": (1, 2, 3), "angle": 0.7})
    s.revolute("J", s.ground, a, point=(0.5, 0, "10 mm"), axis=(0, 2, 0))
    (joint,) = s.joints
    A = rotation_matrix(s.bodies[0].orientation)
    np.testing.assert_allclose(joint.first.point, [0.5, 0, 0.01])
    np.testing.assert_allclose(s.bodies[0].position + A @ joint.second.point, [0.5, 0, 0.01], atol=1e-15)
    np.testing.assert_allclose(joint.first.axes[2], [0, 1, 0])
    np.testing.assert_allclose(joint.second.axes @ A.T, joint.first.axes, atol=1e-15)
    np.testing.assert_allclose(np.cross(joint.first.axes[0], joint.first.axes[1]), joint.first.axes[2])
    assert joint.closed == {"radial": Ideal(), "axial": Ideal(), "tilt": Ideal()}
    assert joint.free == {"angle": ()}


GEOMETRY: dict[str, Any] = {
    "point": (0, 0, 0),
    "axis": (0, 0, 1),
    "axis_a": (1, 0, 0),
    "axis_b": (0, 1, 0),
    "point_a": (0, 0, 0),
    "point_b": (0, 0, 1),
    "along": (0, 1, 0),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_has_its_method(kind: Any) -> None:
    """The method exists, shows its arguments, and adds a joint with all laws in place."""
    name = "planar_joint" if kind.key == "planar" else kind.key
    signature = inspect.signature(getattr(System, name))
    assert {*kind.arguments, *kind.closed, *kind.free} < set(signature.parameters)
    assert kind.summary in getattr(System, name).__doc__
    s = System()
    a = s.body("a", **BALL)
    given = {key: GEOMETRY[key] for key in kind.arguments} | SIZES.get(kind.key, {})
    if kind.coupling:
        given |= {
            key: {"point_a": (1, 0, 0), "point_b": (0, 1, 0)}[key] for key in kind.arguments if key[:-1] == "point_"
        }
    getattr(s, name)("J", s.ground, a, **given)
    assert s.joints[0].kind is kind
    assert set(s.joints[0].closed) == set(kind.closed)
    assert set(s.joints[0].free) == set(kind.free)


def test_laws_on_a_joint() -> None:
    """One law on a group, one or several on a coordinate, all in SI."""
    s = System()
    a = s.body("a", **BALL)
    soft = Spring(stiffness="15 N/mm")
    s.cylindrical(
        "J", "ground", a, point=(0, 0, 0), axis=(0, 0, 1), radial=soft, angle=Drive("6*t"), displacement=[soft, soft]
    )
    joint = s.joints[0]
    assert joint.closed["radial"] == Spring(15000.0)
    assert joint.closed["tilt"] == Ideal()
    assert joint.free["displacement"] == (Spring(15000.0), Spring(15000.0))
    assert joint.free["angle"][0].value.value(2.0) == 12.0  # type: ignore[attr-defined]


def test_laws_that_do_not_suit() -> None:
    """A drive cannot close, an ideal law cannot drive; the message lists what can."""
    s = System()
    a = s.body("a", **BALL)
    place: dict[str, Any] = {"point": (0, 0, 0), "axis": (0, 0, 1)}
    found = problems(lambda: s.revolute("J", s.ground, a, **place, radial=Drive("t"), angle=Ideal(), axial=[Ideal()]))
    assert len(found) == 3
    assert "revolute 'J': radial: the law 'drive' cannot hold a closed direction" in found[0]
    assert "takes one law" in found[1]
    assert "cannot act on a free coordinate; those that can: " in found[2]


def test_wrong_argument_of_a_joint() -> None:
    """An unknown argument gets a suggestion, a missing one its meaning."""
    s = System()
    a = s.body("a", **BALL)
    found = problems(lambda: s.revolute("J", s.ground, a, point=(0, 0, 0), axs=(0, 0, 1)))  # type: ignore[call-arg]
    assert found == [
        "revolute 'J': axs: unknown key 'axs'; did you mean 'axis'?",
        "revolute 'J': 'axis' is missing (a direction in global axes, as drawn)",
    ]


def test_joint_on_two_markers() -> None:
    """Markers need not coincide; their z axis is the joint axis."""
    s = System()
    a = s.body("a", **BALL, position=(1, 0, 0))
    m = s.marker("m", s.ground, position=(0, 0, "1 cm"))
    n = a.marker("n", position=(-1, 0, 0), orientation={"axis": (1, 0, 0), "angle": "90 deg"})
    s.revolute("J", m, n)
    joint = s.joints[0]
    assert (joint.first.body, joint.second.body) == ("ground", "a")
    np.testing.assert_allclose(joint.first.point, [0, 0, 0.01])
    np.testing.assert_allclose(joint.second.axes[2], [0, -1, 0], atol=1e-15)
    assert [marker.name for marker in s.markers] == ["m", "n"]


def test_planar_hinge_axis_is_z() -> None:
    """In planar models a hinge needs no axis, a slider does."""
    s = System(planar=True)
    a = s.body("a", mass=1, inertia=1)
    b = s.body("b", mass=1, inertia=1)
    s.revolute("J", s.ground, a, point=(1, 2))
    np.testing.assert_allclose(s.joints[0].first.axes[2], [0, 0, 1])
    assert "'axis' is missing" in problems(lambda: s.prismatic("P", s.ground, b, point=(0, 0)))[0]
    assert (
        "in the x-y plane or along z"
        in problems(lambda: s.prismatic("P", s.ground, b, point=(0, 0), axis=(1, 0, 1)))[0]
    )
    s.prismatic("P", s.ground, b, point=(0, 0), axis=(1, 0))


def test_weld_needs_no_axis() -> None:
    """Nothing moves, so the axis only names directions."""
    s = System()
    s.fixed("W", s.ground, s.body("a", **BALL), point=(0, 0, 0))
    np.testing.assert_allclose(s.joints[0].first.axes, np.eye(3))


def test_length_of_a_distance_joint() -> None:
    """A number is the distance to keep, a law acts on it; elsewhere length is clearance geometry."""
    s = System()
    a, b, c = (s.body(name, **BALL) for name in "abc")
    ends: dict[str, Any] = {"point_a": (0, 0, 0), "point_b": (0, 0, 1)}
    s.distance("D", s.ground, a, **ends, length="90 cm")
    s.distance("E", s.ground, b, **ends, length=Spring(stiffness=5))
    s.revolute("J", s.ground, c, point=(0, 0, 0), axis=(0, 0, 1), length="2 cm", radius="5 mm")
    assert s.joints[0].value == {"length": pytest.approx(0.9)}
    assert s.joints[0].closed["length"] == Ideal()
    assert s.joints[1].value == {}
    assert s.joints[1].closed["length"] == Spring(5.0)
    assert s.joints[2].geometry == {"length": pytest.approx(0.02), "radius": pytest.approx(0.005)}


def test_section_of_a_guide() -> None:
    """Vertices in SI, in the joint axes h, t across the axis, counter-clockwise."""
    s = System()
    section: Any = [("1 cm", 0, 0), (0, "1 cm", 0), (0, 0, 0)]
    for name, given in (("P", section), ("Q", section[::-1])):
        s.prismatic(name, s.ground, s.body(f"of {name}", **BALL), point=(0, 0, 0), axis=(0, 0, 1), section=given)
    for joint in s.joints:
        np.testing.assert_allclose(joint.geometry["section"], 0.01 * np.array([[1, 0], [0, 1], [0, 0]]))


def test_spring_as_drawn() -> None:
    """The free length is the distance as drawn unless given."""
    s = System()
    a = s.body("a", **BALL, position=(0, 0, 1))
    s.spring("k", s.ground, a, point_a=(0, 0, 0), point_b=(0, 3, 4), stiffness="2 N/mm", preload=7)
    s.spring("l", s.ground, a, point_a=(0, 0, 0), point_b=(0, 3, 4), free_length="10 mm", damping=1)
    assert s.springs[0].law == Spring(2000.0, 0.0, 5.0, 7.0)
    assert s.springs[1].law == Spring(0.0, 1.0, 0.01, 0.0)
    np.testing.assert_allclose(s.springs[0].second.point, [0, 3, 3])


def test_forces() -> None:
    """Components of every form; the point is global as drawn and kept in body axes."""
    s = System(parameters={"F": "2 kN"})
    a = s.body("a", **BALL, position=(1, 0, 0), orientation={"axis": (0, 0, 1), "angle": "90 deg"})
    table = Table([0.0, 1.0], [0.0, 10.0], "linear")
    s.force("f", a, force=("F", lambda t: 3 * t, table), point=(1, 0, 2))
    s.force("g", "a", force=lambda t: (t, 2 * t, 3.0), axes="body")
    s.torque("h", a, torque=("1 N*m", 0, "t^2"))
    f, g, h = s.loads
    assert [one.value(0.5) for one in f.components] == pytest.approx([2000.0, 1.5, 5.0])
    np.testing.assert_allclose(f.point, [0, 0, 2], atol=1e-15)
    assert [one.value(0.5) for one in g.components] == pytest.approx([0.5, 1.0, 3.0])
    assert (g.in_body_axes, g.is_torque, h.is_torque) == (True, False, True)
    np.testing.assert_allclose(g.point, 0.0)
    assert [one.value(3.0) for one in h.components] == pytest.approx([1.0, 0.0, 9.0])


def test_planar_loads() -> None:
    """Two components of a force, one of a torque; what leaves the plane is refused."""
    s = System(planar=True)
    a = s.body("a", mass=1, inertia=1)
    s.force("f", a, force=(1, "2*t"))
    s.force("g", a, force=lambda t: (t, 2 * t))
    s.force("h", a, force=(1, 2, 0))
    s.torque("m", a, torque="3*t")
    s.torque("n", a, torque=lambda t: 3 * t)
    assert [[one.value(2.0) for one in load.components] for load in s.loads] == [
        [1, 4, 0],
        [2, 4, 0],
        [1, 2, 0],
        [0, 0, 6],
        [0, 0, 6],
    ]
    assert "must be 0 in a planar model" in problems(lambda: s.force("z", a, force=(0, 0, "t")))[0]
    assert "must be 0 in a planar model" in problems(lambda: s.force("z", a, force=lambda t: (0, 0, t)))[0]
    assert "must be 0 in a planar model" in problems(lambda: s.torque("z", a, torque=(1, 0, 0)))[0]


def test_a_function_that_fails_is_told() -> None:
    """The user's own exception, in the message."""
    s = System()
    a = s.body("a", **BALL)
    assert "ZeroDivisionError" in problems(lambda: s.force("f", a, force=lambda t: (1 / t, 0, 0)))[0]


def test_bodies_of_another_system() -> None:
    """Handles do not wander."""
    other = System()
    b = other.body("b", **BALL)
    s = System()
    s.body("b", **BALL)
    assert problems(lambda: s.spherical("J", s.ground, b, point=(0, 0, 0))) == ["'b': belongs to another system"]


def test_later_changes_of_the_callers_array_do_not_matter() -> None:
    """What was given is copied."""
    s = System()
    position = np.array([1.0, 2.0, 3.0])
    s.body("a", **BALL, position=position)
    position[:] = 0.0
    np.testing.assert_allclose(s.bodies[0].position, [1, 2, 3])
    assert s.to_tree()["bodies"]["a"]["position"] == [1.0, 2.0, 3.0]


def test_bad_head() -> None:
    """Problems of the constructor come in one go as well."""
    found = problems(lambda: System(3, gravity=(0, 0), parameters={"a": "b"}))  # type: ignore[arg-type]
    assert [text.split(":")[1].strip() for text in found] == ["name", "parameters.a", "gravity"]
