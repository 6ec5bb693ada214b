"""Meshes of links: for pictures, and for inertia on request."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from robot_texts import inertial, joint, link, robot, written
from stl_files import TETRAHEDRON, binary

import jointplay as jp


def with_mesh(name: str, inside: str = "", scale: str = "") -> str:
    mesh = f'<visual><origin xyz="1 2 3"/><geometry><mesh filename="{name}"{scale}/></geometry></visual>'
    return robot(link("base", ""), link("arm", inside + mesh), joint("j", "base", "arm"))


def test_a_mesh_that_is_there_is_drawn(tmp_path: Path) -> None:
    folder = tmp_path / "robots" / "r"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "a.stl").write_bytes(binary(TETRAHEDRON))
    for name in ("meshes/a.stl", "package://r/meshes/a.stl", f"file://{folder}/meshes/a.stl"):
        text = with_mesh(name, inertial(), ' scale="0.001 0.001 0.001"')
        system, report = jp.read(written(folder, text))
        (shape,) = system.bodies[0].shapes
        assert shape.unit == 0.001 and Path(shape.path or "").samefile(folder / "meshes" / "a.stl")
        assert np.allclose(shape.position, np.array([1, 2, 3]) - [0, 0, -0.2])
        assert next(row for row in report.rows if row.element == "visual").status == "converted"
    page = system.view(tmp_path / "v.html")
    assert page.stat().st_size > 10_000


def test_a_mesh_that_is_not_there_stops_nothing(tmp_path: Path) -> None:
    for name in ("package://nowhere/a.stl", "a.dae", "b.stl"):
        system, report = jp.read(written(tmp_path, with_mesh(name, inertial())))
        row = next(row for row in report.rows if row.element == "mesh")
        assert row.status == "ignored" and f"'{name}' was not found" in row.note
        assert not system.bodies[0].shapes


def test_other_meshes_are_recorded(tmp_path: Path) -> None:
    (tmp_path / "a.dae").write_text("x")
    (tmp_path / "a.stl").write_bytes(binary(TETRAHEDRON))
    for name, scale, words in (("a.dae", "", "pictures take STL"), ("a.stl", ' scale="1 1 2"', "differs between axes")):
        _, report = jp.read(written(tmp_path, with_mesh(name, inertial(), scale)))
        assert words in next(row for row in report.rows if row.element == "mesh").note


def test_inertia_from_meshes(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_bytes(binary(TETRAHEDRON))
    file = written(tmp_path, with_mesh("a.stl"))
    with pytest.raises(jp.InputError, match="massless"):
        jp.read(file)
    system, report = jp.read(file, inertia_from="mesh", mesh_unit="10 mm", density="2700 kg/m^3")
    from jointplay.meshes.solid import solid

    whole = solid(TETRAHEDRON * 0.01)
    body = system.bodies[0]
    assert np.isclose(body.mass, 2700 * whole.volume, rtol=1e-6)  # STL has single precision
    assert np.allclose(body.inertia, 2700 * whole.inertia, rtol=1e-5, atol=1e-12)
    assert any(row.element == "link" and "from its meshes" in row.note for row in report.rows)
    (tmp_path / "a.stl").write_bytes(binary(TETRAHEDRON[1:]))
    with pytest.raises(jp.InputError, match=r"r.urdf:3: mesh of link 'arm': the mesh '.*a.stl' is not closed"):
        jp.read(file, inertia_from="mesh", mesh_unit="1 mm", density=1000)
    (tmp_path / "a.stl").unlink()
    with pytest.raises(jp.InputError, match="without it the link has no inertia"):
        jp.read(file, inertia_from="mesh", mesh_unit="1 mm", density=1000)


def test_primitive_shapes_and_colours(tmp_path: Path) -> None:
    shapes = (
        '<box size="1 2 3"/>',
        '<cylinder radius="1" length="2"/>',
        '<sphere radius="1"/>',
        '<capsule radius="1" length="2"/>',
    )
    visuals = "".join(f'<visual><geometry>{one}</geometry><material name="red"/></visual>' for one in shapes)
    text = robot(
        '<material name="red"><color rgba="1 0 0.5 1"/></material>',
        link("base", ""), link("arm", inertial() + visuals), joint("j", "base", "arm"),
    )  # fmt: skip
    system, report = jp.read(written(tmp_path, text))
    assert [shape.kind for shape in system.bodies[0].shapes] == ["box", "cylinder", "sphere", "capsule"]
    assert {shape.colour for shape in system.bodies[0].shapes} == {"#ff0080"}
    assert report.counts["refused"] == 0
