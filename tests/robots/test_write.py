"""Robot files from Systems: round trips, and what the formats cannot say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from robot_texts import arm, joint, link, written

import jointplay as jp
from jointplay.model.geometry import rotation_matrix
from jointplay.robots.report import RobotFileError

DYNAMICS = '<limit lower="-1" upper="1.5" effort="1" velocity="1"/><dynamics damping="0.3" friction="0.2"/>'


def everything() -> jp.System:
    """All kinds of joints that a tree can have, walked both ways, with laws, shapes and markers."""
    s = jp.System("all", gravity=(0, 0.3, -9.7))
    tensor = ((2e-2, 1e-3, 2e-3), (1e-3, 2.5e-2, 3e-3), (2e-3, 3e-3, 2.2e-2))
    turned = {"axis": (1, 2, 3), "angle": 0.7}
    a, b, c, d, e, f = (
        s.body(name, mass=1.0 + k, inertia=tensor, position=(0.1 * k, 0.2, -0.3 * k), orientation=turned)
        for k, name in enumerate("abcdef")
    )
    s.revolute("A", s.ground, a, point=(0, 0, 1), axis=(0, 1, 0), angle=[jp.Stop(-1.0, 1.5), jp.Spring(damping=0.1)])
    s.prismatic("B", b, a, point=(0.2, 0, 0), axis=(1, 1, 0), displacement=jp.Stop(-0.1, 0.2))  # walked backwards
    s.cylindrical("C", b, c, point=(0.3, 0, 0), axis=(0, 0, 1), angle=jp.Spring(damping=0.2))
    s.universal("D", d, c, point=(0.4, 0, 0), axis_a=(1, 0, 0), axis_b=(0, 1, 0), angle_a=jp.ConstantFriction(0.3))
    s.fixed("E", d, e, point=(0.5, 0, 0))
    s.planar_joint("F", e, f, point=(0.6, 0, 0), axis=(0, 1, 0))
    s.body("free", mass=1.0, inertia=0.1, position=(3, 2, 1), shape={"type": "box", "size": (0.1, 0.2, 0.3)})
    s.marker("tip", f, position=(0.1, 0.2, 0.3), orientation=turned)
    return s


def accelerations(system: jp.System) -> dict[str, np.ndarray]:
    """Of all bodies at the start, without dry laws."""
    from mujoco_side import without_set_laws

    plain = without_set_laws(system)
    sol = jp.simulate(plain, until=1e-6, save=1e-6, method=jp.Explicit(rtol=1e-6, atol=1e-6))
    return {body.name: sol[f"{body.name}.acceleration"][0] for body in plain.bodies}


@pytest.mark.parametrize("ending", ["urdf", "xml"])
def test_round_trip(ending: str, tmp_path: Path) -> None:
    if ending == "xml":
        pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install 'jointplay[mujoco]'")
    s = everything()
    file = tmp_path / f"all.{ending}"
    report = jp.write(s, file)
    assert report.counts["refused"] == 0
    lines = file.read_text(encoding="utf-8").splitlines()
    assert all(row.name in lines[row.line - 1] for row in report.rows if row.line and row.element in ("body", "joint"))
    again, _ = jp.read(file, keep="E" if ending == "urdf" else "e joint", gravity=s.gravity)
    for body in s.bodies:
        back = next(one for one in again.bodies if one.name == body.name)
        assert np.isclose(back.mass, body.mass, rtol=1e-15)
        assert np.allclose(back.position, body.position, atol=1e-14)
        assert np.allclose(rotation_matrix(back.orientation), rotation_matrix(body.orientation), atol=1e-14)
        assert np.allclose(back.inertia, body.inertia, atol=1e-13)  # MuJoCo keeps principal axes
    assert sorted(one.kind.key for one in again.joints) == sorted(one.kind.key for one in s.joints)
    (marker,) = [one for one in again.markers if one.name == "tip"]
    assert np.allclose(again.place(marker), s.place(s.markers[0]), atol=1e-14)
    ours, theirs = accelerations(s), accelerations(again)
    for name in ours:
        assert np.allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-9), name
    laws = {one.name: {key: given for key, given in one.free.items() if given} for one in again.joints}
    (stop,) = [law for law in laws["A"]["angle"] if law.key == "stop"]
    assert (stop.lower, stop.upper) == (-1.0, 1.5)
    (stop,) = laws["B"]["displacement"]
    assert np.allclose((stop.lower, stop.upper), (-0.1, 0.2))


def test_a_file_that_was_read_is_written_the_same(tmp_path: Path) -> None:
    text = arm(link("tool"), joint("mount", "lower", "tool", "fixed"), elbow=DYNAMICS)
    system, _ = jp.read(written(tmp_path, text))
    jp.write(system, tmp_path / "one.urdf")
    again, _ = jp.read(tmp_path / "one.urdf")
    jp.write(again, tmp_path / "two.urdf")
    third, _ = jp.read(tmp_path / "two.urdf")
    ours, theirs = accelerations(system), accelerations(third)
    assert all(np.allclose(ours[name], theirs[name], rtol=1e-12, atol=1e-12) for name in ours)
    assert [law.key for law in third.joints[1].free["angle"]] == ["stop", "spring", "constant_friction"]


def test_what_a_format_cannot_say(tmp_path: Path) -> None:
    s = jp.System("much")
    a = s.body("a", mass=1.0, inertia=0.1, position=(0.5, 0, 0), velocity=(0, 0, 0), angular_velocity=(0, 1, 0))
    b = s.body("b", mass=1.0, inertia=0.1, position=(1.5, 0, 0))
    s.revolute(
        "A", s.ground, a, point=(0, 0, 0), axis=(0, 1, 0), angle=[jp.Drive("2*t"), jp.Stop(-1, 1, jp.Rigid(0.5))]
    )
    s.revolute(
        "B", a, b, point=(1, 0, 0), axis=(0, 1, 0), radial=jp.Clearance("0.1 mm"), angle=jp.Spring(stiffness=2.0)
    )
    s.spherical("C", s.ground, b, point=(2, 0, 0))
    s.spring("k", s.ground, b, point_a=(2, 0, 1), point_b=(2, 0, 0), stiffness=10.0)
    s.force("push", b, force=(1, 0, 0))
    file = tmp_path / "much.urdf"
    with pytest.raises(RobotFileError) as caught:
        jp.write(s, file)
    assert not file.exists()
    wanted = {"drive", "stop", "clearance", "stiffness", "spherical", "spring", "load"}
    assert {p.message.split("allow=")[1].split('"')[1] for p in caught.value.problems} == wanted
    report = jp.write(s, file, allow=wanted)
    status = {(row.element, row.name): row.status for row in report.rows}
    assert status["velocity", "a"] == status["clearance", "B"] == status["force", "push"] == "ignored"
    assert status["stop", "A"] == "approximated"
    loops = jp.write(s, tmp_path / "much.xml", allow=wanted - {"stiffness", "spherical"})
    assert next(row for row in loops.rows if row.name == "C").status == "approximated"
    for ending in ("yaml", "txt"):
        with pytest.raises(jp.InputError, match="must end in one of"):
            jp.write(s, tmp_path / f"m.{ending}")


def test_a_long_chain(tmp_path: Path) -> None:
    """Bodies of MJCF stand inside each other, deeper than Python likes to call itself."""
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install 'jointplay[mujoco]'")
    s, before = jp.System("chain"), None
    for k in range(300):
        link = s.body(f"b{k}", mass=0.1, inertia=1e-3, position=(0.1 * k + 0.05, 0, 0))
        s.revolute(f"j{k}", before or s.ground, link, point=(0.1 * k, 0, 0), axis=(0, 1, 0))
        before = link
    for name in ("chain.xml", "chain.urdf"):
        jp.write(s, tmp_path / name)
        again, report = jp.read(tmp_path / name)
        assert len(again.joints) == 300
        assert np.allclose(again.bodies[-1].position, s.bodies[-1].position, atol=1e-11)


def test_a_loop_in_mjcf_is_a_loop_again(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install 'jointplay[mujoco]'")
    s = jp.System("four bar")
    turned = {"axis": (1, 2, 3), "angle": 0.7}
    a = s.body("a", mass=1.0, inertia=0.1, position=(0, 0, 0.5), orientation=turned)
    b = s.body("b", mass=1.0, inertia=0.1, position=(0.5, 0, 1), orientation=turned)
    c = s.body("c", mass=1.0, inertia=0.1, position=(1, 0, 0.5))
    d = s.body("d", mass=1.0, inertia=0.1, position=(2, 0, 0.5))
    s.revolute("A", s.ground, a, point=(0, 0, 0), axis=(0, 1, 0))
    s.revolute("B", a, b, point=(0, 0, 1), axis=(0, 1, 0))
    s.revolute("C", s.ground, c, point=(1, 0, 0), axis=(0, 1, 0))
    s.spherical("D", b, c, point=(1, 0, 1))
    s.revolute("E", c, d, point=(1, 0, 0.3), axis=(0, 0, 1))
    s.fixed("F", d, b, point=(2, 0, 1))
    jp.write(s, tmp_path / "bar.xml")
    again, _ = jp.read(tmp_path / "bar.xml")
    kinds = {one.name: one.kind.key for one in again.joints}
    assert kinds == {"A": "revolute", "B": "revolute", "C": "revolute", "D": "spherical", "E": "revolute", "F": "fixed"}
    markers = {one.name: again.place(one.second) for one in again.joints}
    assert np.allclose(markers["D"], [1, 0, 1], atol=1e-14)
    ours, theirs = accelerations(s), accelerations(again)
    assert all(np.allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-9) for name in ours)
