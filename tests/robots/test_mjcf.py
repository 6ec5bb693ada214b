"""MJCF through MuJoCo's reader: elements, lines, and accelerations beside MuJoCo's own."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from mujoco_side import Mujoco, without_set_laws
from robot_texts import written
from stl_files import TETRAHEDRON, binary

import jointplay as jp
from jointplay.meshes.solid import solid
from jointplay.model.geometry import rotation_matrix

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install 'jointplay[mujoco]'")

PLAIN = """<mujoco model="arm">
  <compiler angle="degree"/>
  <option gravity="0 0.5 -9.7"/>
  <default><joint damping="0.2"/></default>
  <asset>MESH</asset>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <inertial pos="0 0.1 0" mass="1" fullinertia=".02 .02 .02 .001 .002 .003"/>
      <joint name="shoulder" axis="0 1 0.2" range="-90 90" limited="true" ref="5"/>
      GEOM
      <body name="fore" pos=".3 0 0" euler="0 20 0">
        <joint name="elbow" axis="0 1 0" stiffness="3" springref="10" frictionloss=".1" pos="0 0 0.01"/>
        <joint name="twist" axis="1 0 0" pos="0 0 0.01"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" density="800" rgba="1 0 0 1"/>
        <site name="tip" pos=".3 0 0"/>
        <frame pos="0 0.1 0"><body name="tool" pos=".3 0 0"><geom size=".03"/>
          <body name="slider" pos="0 0.1 0">
            <joint name="slide" type="slide" axis="0 1 1"/><joint name="spin" axis="0 1 1"/>
            <geom size=".03 .02 .01" type="box"/>
          </body></body></frame>
      </body>
    </body>
    <body name="hip" pos="3 0 1"><joint name="x" axis="1 0 0" damping="0"/><joint name="z" axis="0 0 1" damping="0"/>
      <joint name="y" axis="0 1 0.1" damping="0"/><geom size=".1 .2" type="capsule" pos="0 .1 -.4"/></body>
    <body name="ball" pos="1 0 1"><freejoint name="fly"/><geom size=".1"/></body>
    <body name="pend" pos="2 0 1"><joint name="b" type="ball" damping="0"/><geom size=".1" pos="0 0.2 -.5"/></body>
  </worldbody>
  <sensor><jointpos joint="elbow"/></sensor>
</mujoco>
"""
MESH = '<mesh name="m" file="none.stl"/>'
ARM = PLAIN.replace("MESH", MESH).replace("GEOM", '<geom type="mesh" mesh="m" contype="0" conaffinity="0"/>')
START = {"shoulder": "20 deg", "elbow": 0.3, "twist": -0.4, "slide": 0.05, "spin": 0.6, "x": 0.3, "z": -0.5, "y": 0.4}
RATES = {"shoulder": 0.7, "elbow": -1.1, "twist": 0.5, "slide": 0.3, "spin": 2.0, "x": 1.0, "z": -2.0, "y": 0.7}


def test_every_element_with_its_line(tmp_path: Path) -> None:
    system, report = jp.read(written(tmp_path, ARM, "a.xml"), allow="contact")
    assert len(report.rows) == ARM.count("<") - ARM.count("</")
    lines = ARM.splitlines()
    assert all(f"<{row.element}" in lines[row.line - 1] for row in report.rows)
    assert {joint.name: joint.kind.key for joint in system.joints} == {
        "shoulder": "revolute",
        "twist": "universal",
        "spin": "cylindrical",
        "y": "spherical",
        "b": "spherical",
    }
    assert [marker.name for marker in system.markers] == ["tool", "tip"]
    shoulder = next(row for row in report.rows if row.name == "shoulder")
    assert shoulder.status == "approximated" and "MuJoCo's give way" in shoulder.note
    assert "was not found" in next(row for row in report.rows if row.element == "mesh").note
    assert np.array_equal(system.gravity, [0, 0.5, -9.7])
    (stop,) = [law for law in system.joints[0].free["angle"] if law.key == "stop"]
    assert np.isclose(stop.upper, np.radians(85.0))  # 90 from the start at ref = 5


def test_contact_is_asked_for_where_parts_may_touch(tmp_path: Path) -> None:
    with pytest.raises(jp.InputError, match=r'geom of body .*contact between parts.*allow=\["contact"\]'):
        jp.read(written(tmp_path, ARM, "a.xml"))
    alone = '<mujoco><worldbody><body><joint/><geom size="1" pos="0 1 0"/></body></worldbody></mujoco>'
    system, report = jp.read(written(tmp_path, alone, "b.xml"))  # nothing there to touch
    assert report.counts["refused"] == 0 and len(system.joints) == 1
    chain = (
        "<mujoco><worldbody><body name='a'><joint/><geom size='.1'/><body name='b' pos='1 0 0'><joint/>"
        "<geom size='.1'/><body name='c' pos='1 0 0'><joint/><geom size='.1'/></body></body></body>"
        "</worldbody>%s</mujoco>"
    )
    with pytest.raises(jp.InputError, match="contact between parts"):  # a and c; neighbours never touch
        jp.read(written(tmp_path, chain % "", "c.xml"))
    jp.read(written(tmp_path, chain % "<contact><exclude body1='c' body2='a'/></contact>", "c.xml"))


def test_accelerations_and_reactions_are_those_of_mujoco(tmp_path: Path) -> None:
    system, _ = jp.read(written(tmp_path, ARM, "a.xml"), allow="contact", start=START, rates=RATES)
    model = mujoco.MjModel.from_xml_string(PLAIN.replace("MESH", "").replace("GEOM", ""))
    side = Mujoco(model, {name: np.radians(20.0) if name == "shoulder" else q for name, q in START.items()}, RATES)
    side.agree(without_set_laws(system), 1e-9)


def test_warnings_of_mujoco_are_remarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    twice = "<mujoco><worldbody><body><joint/><joint/><geom size='1'/></body></worldbody></mujoco>"  # about one axis
    with pytest.raises(jp.InputError, match="no joint has these motions") as caught:
        jp.read(written(tmp_path, twice, "a.xml"))
    assert any("MuJoCo warns" in text for text in caught.value.report.remarks)  # type: ignore[attr-defined]
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_meshes_are_drawn_as_their_files_have_them(tmp_path: Path) -> None:
    """MuJoCo turns meshes into principal axes; what is drawn has to stand where the file says."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "t.stl").write_bytes(binary(TETRAHEDRON))
    text = """<mujoco><compiler meshdir="sub" angle="radian"/>
    <asset><mesh name="t" file="t.stl" scale=".1 .1 .1"/></asset><worldbody>
    <body pos="0 0 1"><joint/><geom type="mesh" mesh="t" pos="1 2 3" euler=".1 .2 .3"/></body></worldbody></mujoco>"""
    system, report = jp.read(written(tmp_path, text, "m.xml"))
    body = system.bodies[0]
    (shape,) = body.shapes
    at = body.position + rotation_matrix(body.orientation) @ shape.position
    assert np.allclose(at, [1, 2, 4], atol=1e-12) and shape.unit == 0.1
    whole = solid(TETRAHEDRON * 0.1)  # MuJoCo's own sums over triangles, beside ours
    assert np.isclose(body.mass, 1000 * whole.volume, rtol=1e-6)
    moments = np.linalg.eigvalsh(body.inertia), np.linalg.eigvalsh(1000 * whole.inertia)
    assert np.allclose(*moments, rtol=1e-6)
    assert next(row for row in report.rows if row.element == "geom").status == "converted"
    with pytest.raises(jp.InputError, match="takes inertia from the geoms of MJCF by itself"):
        jp.read(tmp_path / "m.xml", inertia_from="mesh", mesh_unit="1 mm", density=1000)


def test_a_loop(tmp_path: Path) -> None:
    bar = """<mujoco><option><flag contact="disable"/></option><worldbody>
    <body name="a"><joint name="A" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size=".02"/>
      <body name="b" pos="0 0 1"><joint name="B" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body>
    </body>
    <body name="c" pos="1 0 0"><joint name="C" axis="0 1 0"/><geom size=".1" pos="0 0 .5"/></body>
    </worldbody><equality>
    <connect name="D" body1="b" body2="c" anchor="1 0 0"/>
    <joint joint1="A" joint2="C"/></equality></mujoco>"""
    file = written(tmp_path, bar, "bar.xml")
    with pytest.raises(jp.InputError, match="an equality of kind 'joint'"):
        jp.read(file)
    system, report = jp.read(file, allow="equality", play={"D": jp.Clearance("1 mm")})
    assert system.joints[-1].kind.key == "spherical" and system.joints[-1].closed["radial"].key == "clearance"
    assert next(row for row in report.rows if row.element == "connect").status == "approximated"
    with pytest.raises(jp.InputError, match="the loop is not closed at the start"):
        jp.read(file, allow="equality", start={"A": 0.1})


CASES: dict[str, tuple[str, int, str]] = {
    "include": ('<mujoco>\n<include file="b.xml"/></mujoco>', 2, "brings in another file, 'b.xml', which is not read"),
    "model": ('<mujoco><asset>\n<model name="x" file="c.xml"/></asset></mujoco>', 2, "another file, 'c.xml'"),
    "schema": ("<mujoco><worldbody>\n<body foo='1'/></worldbody></mujoco>", 2, "MuJoCo says: Schema violation"),
    "massless": ("<mujoco><worldbody>\n<body name='q'><joint/></body></worldbody></mujoco>", 2, "mass and inertia"),
    "names": ("<mujoco><worldbody><body name='a'/>\n<body name='a'/></worldbody></mujoco>", 0, "MuJoCo says"),
    "armature": (
        "<mujoco><worldbody><body>\n<joint armature='1'/><geom size='1'/></body></worldbody></mujoco>",
        2,
        'allow=["armature"]',
    ),
    "actuator": (
        "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>\n<actuator><motor joint='j'/>"
        "</actuator></mujoco>",
        2,
        'allow=["actuator"]',
    ),
    "tendon": (
        "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>\n<tendon><fixed>"
        "<joint joint='j' coef='1'/></fixed></tendon></mujoco>",
        2,
        'allow=["tendon"]',
    ),
    "fluid": (
        "<mujoco>\n<option density='1.2'/><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>",
        2,
        "a fluid around the robot",
    ),
    "gravcomp": (
        "<mujoco><worldbody>\n<body gravcomp='1'><joint/><geom size='1'/></body></worldbody></mujoco>",
        2,
        "compensation of gravity",
    ),
    "mesh that is the mass": (
        "<mujoco><asset><mesh name='m' file='no.stl'/></asset><worldbody><body><joint/>\n<geom type='mesh' mesh='m'/>"
        "</body></worldbody></mujoco>",
        2,
        "the mesh 'm' was not found, and the body has its mass from it",
    ),
    "a limit of a ball": (
        "<mujoco><worldbody><body>\n<joint type='ball' range='0 1' limited='true'/><geom size='1'/></body></worldbody>"
        "</mujoco>",
        2,
        "a limit of a ball",
    ),
    "a ball with a damper": (
        "<mujoco><worldbody><body>\n<joint type='ball' damping='1'/><geom size='1'/></body></worldbody></mujoco>",
        2,
        "forces on this ball",
    ),
    "dampers on a ball of hinges": (
        "<mujoco><worldbody><body>\n<joint axis='1 0 0' damping='1'/><joint axis='0 1 0'/><joint axis='0 0 1'/>"
        "<geom size='1'/></body></worldbody></mujoco>",
        2,
        "forces on this hinge",
    ),
    "huge numbers": (
        "<mujoco><worldbody><body><joint/><geom size='1' pos='1e90 0 0'/></body></worldbody></mujoco>",
        1,
        "has numbers that are too large for a machine",
    ),
    "three hinges about one axis": (
        "<mujoco><worldbody>\n<body><joint/><joint/><joint/><geom size='1'/></body></worldbody></mujoco>",
        2,
        "no joint has these motions",
    ),
    "three hinges apart": (
        "<mujoco><worldbody>\n<body><joint axis='1 0 0'/><joint axis='0 1 0' pos='0 0 1'/><joint axis='0 0 1'/>"
        "<geom size='1'/></body></worldbody></mujoco>",
        2,
        "no joint has these motions one after the other: hinge, hinge, hinge",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_sentence_with_its_line(case: str, tmp_path: Path) -> None:
    text, line, words = CASES[case]
    with pytest.raises(jp.InputError) as caught:
        jp.read(written(tmp_path, text, "a.xml"))
    told = [problem for problem in caught.value.problems if words in problem.message]
    assert told, str(caught.value)
    assert not line or told[0].line == line
    assert len(caught.value.report.rows) == text.count("<") - text.count("</")  # type: ignore[attr-defined]


def test_without_mujoco(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(jp.InputError, match=r"pip install 'jointplay\[mujoco\]'"):
        jp.read(written(tmp_path, ARM, "a.xml"))
