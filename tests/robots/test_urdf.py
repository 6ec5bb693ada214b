"""What a URDF becomes: bodies, joints, laws, markers, names; against values by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from robot_texts import arm, inertial, joint, link, robot, written

import jointplay as jp
from jointplay.laws.constant_friction import ConstantFriction
from jointplay.model.geometry import rotation_matrix
from jointplay.robots.origins import from_rpy, to_rpy

LIMIT = '<limit lower="-1" upper="1.5" effort="1" velocity="1"/>'


def test_bodies_and_joints_stand_where_the_file_says(tmp_path: Path) -> None:
    system, report = jp.read(written(tmp_path, arm()))
    R = from_rpy(np.array([0.1, 0.2, 0.3]))
    upper, lower = system.bodies
    at = np.array([0.0, 0.0, -0.4])  # of the shoulder; the base stands in the origin
    assert np.allclose(upper.position, at + R @ [0, 0, -0.2], atol=1e-15)
    assert np.allclose(rotation_matrix(upper.orientation), R, atol=1e-15)
    elbow = at + R @ [0, 0, -0.4]
    assert np.allclose(lower.position, elbow + R @ R @ [0, 0, -0.2], atol=1e-15)
    shoulder = system.given("joints")["shoulder"]
    assert np.allclose(shoulder["point"], at) and np.allclose(shoulder["axis"], R @ [0, 1, 0])
    assert report.counts["refused"] == 0 and len(report.rows) == arm().count("<") - arm().count("</")
    assert np.array_equal(system.gravity, [0, 0, -9.81])
    assert "fixed on the ground" in report.remarks[0]


def test_rpy_both_ways() -> None:
    for angles in ([0.3, -1.2, 2.9], [0.0, np.pi / 2, 0.4], [0.7, -np.pi / 2, 0.0]):
        R = from_rpy(np.array(angles))
        assert np.allclose(from_rpy(to_rpy(R)), R, atol=1e-15)


def test_limits_damping_and_friction_are_laws(tmp_path: Path) -> None:
    text = arm(elbow=LIMIT + '<dynamics damping="0.3" friction="0.2"/>')
    system, report = jp.read(written(tmp_path, text), start={"elbow": "0.5 rad"})
    stop, damper, friction = system.joints[1].free["angle"]
    assert isinstance(stop, jp.Stop) and (stop.lower, stop.upper) == (-1.5, 1.0)  # from the start
    assert isinstance(damper, jp.Spring) and (damper.stiffness, damper.damping) == (0.0, 0.3)
    assert isinstance(friction, ConstantFriction) and friction.level == 0.2
    status = {row.element: row.status for row in report.rows if row.name == "elbow"}
    assert status["limit"] == status["dynamics"] == "converted"


def test_the_start_is_in_the_middle_of_limits_without_zero(tmp_path: Path) -> None:
    limit = '<limit lower="1" upper="2" effort="0" velocity="0"/>'
    system, report = jp.read(written(tmp_path, arm(elbow=limit)))
    (stop,) = system.joints[1].free["angle"]
    assert (stop.lower, stop.upper) == (-0.5, 0.5)
    assert "the start is 1.5 rad" in next(
        row.note for row in report.rows if row.name == "elbow" and row.element == "limit"
    )


def test_limits_that_are_none(tmp_path: Path) -> None:
    for lower, upper, keys in (("-1e308", "1e308", []), ("-inf", "inf", []), ("-1", "1e60", ["stop"])):
        limit = f'<limit lower="{lower}" upper="{upper}" effort="inf" velocity="1"/>'
        system, _ = jp.read(written(tmp_path, arm(elbow=limit)))
        assert [law.key for law in system.joints[1].free["angle"]] == keys


def test_all_types_of_joints(tmp_path: Path) -> None:
    kinds = ("revolute", "continuous", "prismatic", "planar", "floating")
    parts = [link(kind) for kind in kinds] + [joint(f"j {kind}", "base", kind, kind) for kind in kinds]
    system, report = jp.read(written(tmp_path, robot(link("base", ""), *parts)))
    assert {one.name: one.kind.key for one in system.joints} == {
        "j revolute": "revolute",
        "j continuous": "revolute",
        "j prismatic": "prismatic",
        "j planar": "planar",
    }
    assert not system.joints[1].free["angle"]
    assert report.counts["refused"] == 0
    start = {"j planar": [0.1, "20 mm", "30 deg"], "j floating": ["1 m", 0, 0]}
    moved, _ = jp.read(tmp_path / "r.urdf", start=start)
    assert not np.allclose(moved.bodies[3].position, system.bodies[3].position)
    assert np.allclose(np.linalg.norm(moved.bodies[4].position - system.bodies[4].position), 1.0)


def test_fixed_links_are_one_body_with_markers(tmp_path: Path) -> None:
    more = (link("tool", inertial(m=0.5)), joint("mount", "lower", "tool", "fixed"), link("tip", ""))
    text = arm(*more, joint("end", "tool", "tip", "fixed"))
    system, report = jp.read(written(tmp_path, text))
    assert [body.name for body in system.bodies] == ["upper", "lower"]
    assert [marker.name for marker in system.markers] == ["tool", "tip"]
    kept, _ = jp.read(tmp_path / "r.urdf", keep="mount")
    one, two = kept.bodies[1], kept.bodies[2]
    whole = system.bodies[1]
    assert whole.mass == 1.5
    assert np.allclose(whole.position, (one.mass * one.position + two.mass * two.position) / 1.5, atol=1e-15)
    # the tensor about the common centre of mass, in global axes, by a sum over point masses that stand for each body
    assert np.allclose(_tensor([whole], whole.position), _tensor([one, two], whole.position), atol=1e-14)
    assert kept.joints[2].kind.key == "fixed"
    assert next(row for row in report.rows if row.element == "link" and row.name == "tip").status == "converted"


def _tensor(bodies: list, about: np.ndarray) -> np.ndarray:
    total = np.zeros((3, 3))
    for body in bodies:
        A = rotation_matrix(body.orientation)
        values, axes = np.linalg.eigh(0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia)
        for second, axis in zip(values, axes.T, strict=True):  # six points with the second moments of the body
            for sign in (-1.0, 1.0):
                x = body.position + A @ axis * sign * np.sqrt(3.0 * second / body.mass) - about
                total += body.mass / 6.0 * (x @ x * np.eye(3) - np.outer(x, x))
    return total


def test_a_floating_base(tmp_path: Path) -> None:
    text = robot(link("base"), link("leg"), joint("hip", "base", "leg"))
    system, _ = jp.read(written(tmp_path, text), base="floating", start={"base": [0, 0, 1]}, rates={"hip": "1 rad/s"})
    base, leg = system.bodies
    assert np.allclose(base.position, [0, 0, 0.8]) and len(system.joints) == 1
    assert not base.velocity.any() and np.allclose(np.linalg.norm(leg.angular_velocity), 1.0)


def test_massless_links_between_joints_make_one_joint(tmp_path: Path) -> None:
    cross = joint("a", "base", "cross", "continuous", axis="1 0 0")
    text = robot(
        link("base", ""), link("cross", ""), link("end"), cross,
        '<joint name="b" type="continuous"><parent link="cross"/><child link="end"/><axis xyz="0 1 0"/></joint>',
    )  # fmt: skip
    system, report = jp.read(written(tmp_path, text), start={"a": 0.3, "b": 0.2}, rates={"a": 1.0, "b": 2.0})
    (one,) = system.joints
    assert one.kind.key == "universal"
    sol = jp.simulate(system, until=1e-3, save=1e-4, method=jp.Explicit(rtol=1e-10, atol=1e-12))
    for name, rate in (("angle_a", 1.0), ("angle_b", 2.0)):
        assert np.isclose((sol[f"b.{name}"][1] - sol[f"b.{name}"][0]) / 1e-4, rate, rtol=1e-2)
    assert "'angle_a' of the universal joint 'b'" in next(r.note for r in report.rows if r.name == "a")
    bad = text.replace('xyz="0 1 0"', 'xyz="1 1 0"')
    with pytest.raises(jp.InputError, match="no joint has these motions one after the other: hinge, hinge"):
        jp.read(written(tmp_path, bad))


def test_massless_ends_are_left_out_if_allowed(tmp_path: Path) -> None:
    text = arm(link("finger", ""), joint("f", "lower", "finger"))
    with pytest.raises(jp.InputError, match="massless"):
        jp.read(written(tmp_path, text))
    system, report = jp.read(tmp_path / "r.urdf", allow="finger")
    assert len(system.bodies) == len(system.joints) == 2
    assert next(row for row in report.rows if row.name == "f").status == "ignored"


def test_names_become_names_of_a_system(tmp_path: Path) -> None:
    text = robot(link("world", ""), link("energy"), link("a.b/c"), joint("energy", "world", "energy"),
                 joint("a.b/c", "energy", "a.b/c"))  # fmt: skip
    system, report = jp.read(written(tmp_path, text), play={"a.b/c": jp.Bushing(1e6, 1e3)})
    assert [body.name for body in system.bodies] == ["energy body", "a_b_c"]
    assert [one.name for one in system.joints] == ["energy joint", "a_b_c joint"]
    assert jp.System.from_tree(system.to_tree()).joints[1].closed["radial"].key == "bushing"
    assert any("called 'a_b_c'" in row.note for row in report.rows)


def test_impossible_inertia_is_mended_if_allowed(tmp_path: Path) -> None:
    file = written(tmp_path, arm(lower=inertial(x=0.04, y=0.02, z=0.01)))
    system, report = jp.read(file, allow="inertia")
    J = np.diag(system.bodies[1].inertia)
    assert np.allclose(J, [0.04, 0.025, 0.015], rtol=1e-5)  # second moments (-0.005, 0.015, 0.025) -> (0, ., .)
    assert J[0] <= (J[1] + J[2]) * (1.0 + 1e-15)
    assert any(row.status == "approximated" and "nearest possible" in row.note for row in report.rows)


def test_what_is_allowed_is_in_the_report(tmp_path: Path) -> None:
    drive = '<transmission name="t"><joint name="elbow"/><mechanicalReduction>50</mechanicalReduction></transmission>'
    plain = '<transmission name="u"><mechanicalReduction>1</mechanicalReduction></transmission>'
    solid = f'{inertial()}<collision><geometry><box size="1 1 1"/></geometry></collision>'
    gazebo = '<gazebo reference="upper"><mu1>1</mu1><material>Grey</material></gazebo>'
    text = arm(drive, plain, gazebo, lower=solid)
    file = written(tmp_path, text)
    with pytest.raises(jp.InputError) as caught:
        jp.read(file)
    assert [p.message.split("allow=")[1].split('"')[1] for p in caught.value.problems] == [
        "collision", "transmission", "gazebo",
    ]  # fmt: skip
    for allow in (["collision", "transmission", "gazebo"], ["contact", "t"], "all"):
        system, report = jp.read(file, allow=allow)
        assert report.counts["refused"] == 0 and len(report) == len(list(report))
        assert [row.element for row in report.lost] == ["collision", "transmission", "mu1"]
        assert next(row for row in report.rows if row.element == "box").note == "part of the geometry"
    assert next(row for row in report.rows if row.name == "u").status == "ignored"


def test_the_model_file_is_the_same_system(tmp_path: Path) -> None:
    system, _ = jp.read(written(tmp_path, arm(elbow=LIMIT + '<dynamics damping="0.3" friction="0.2"/>')))
    file = tmp_path / "m.yaml"
    system.save(file)
    again = jp.load_model(file)
    assert again.to_tree() == system.to_tree()
