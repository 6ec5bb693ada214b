"""Shapes of bodies: reading, keeping, refusing; and shapes made where none are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stl_files import TETRAHEDRON, binary

import jointplay as jp
from jointplay.errors import InputError
from jointplay.model.schema import json_schema
from jointplay.model.yamltree import read_text
from jointplay.viewer.scene import scene_of

HEAD = "jointplay: 1\nbodies:\n  part:\n    mass: 1 kg\n    inertia: 1e-3\n    shape:\n"
GOOD = """\
      - {type: box, size: [10 cm, 20 mm, w], position: [0, 0, 1 mm], colour: "#4477aa"}
      - {type: cylinder, radius: w, length: 2*w, orientation: {axis: [1, 0, 0], angle: 90 deg}}
      - {type: sphere, radius: 5 mm}
      - {type: capsule, radius: 5 mm, length: 3 cm}
"""


def with_shapes(lines: str) -> str:
    return HEAD.replace("bodies:", "parameters: {w: 30 mm}\nbodies:") + lines


def load(text: str, folder: Path) -> jp.System:
    file = folder / "model.yaml"
    file.write_text(text)
    return jp.load_model(file)


def test_shapes_in_units(tmp_path: Path) -> None:
    box, cylinder, sphere, capsule = load(with_shapes(GOOD), tmp_path).bodies[0].shapes
    assert box.size == pytest.approx([0.1, 0.02, 0.03])
    assert box.position == pytest.approx([0, 0, 0.001])
    assert box.colour == "#4477aa"
    assert (cylinder.radius, cylinder.length) == pytest.approx((0.03, 0.06))
    assert cylinder.orientation == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 0, 0])
    assert sphere.radius == pytest.approx(0.005)
    assert (capsule.kind, capsule.length) == ("capsule", pytest.approx(0.03))


def test_shapes_survive_a_file_and_fit_the_schema(tmp_path: Path) -> None:
    system = load(with_shapes(GOOD), tmp_path)
    again = jp.System.from_tree(read_text(system.to_yaml())[0])
    assert again.to_tree() == system.to_tree()
    assert len(again.bodies[0].shapes) == 4
    pytest.importorskip("jsonschema").validate(system.to_tree(), json_schema())


def test_one_shape_needs_no_list() -> None:
    s = jp.System()
    s.body("a", mass=1, inertia=1e-3, shape={"type": "sphere", "radius": "5 mm"})
    assert s.bodies[0].shapes[0].radius == pytest.approx(0.005)


def test_shapes_change_no_number(slider_crank: jp.Solution) -> None:
    tree = read_text(slider_crank.meta["model"])[0]
    tree["bodies"]["rod"]["shape"] = {"type": "box", "size": [0.3, 0.02, 0.02]}
    again = jp.simulate(jp.System.from_tree(tree), "5 ms", "moreau", "0.1 ms")
    del tree["bodies"]["rod"]["shape"]
    plain = jp.simulate(jp.System.from_tree(tree), "5 ms", "moreau", "0.1 ms")
    assert np.array_equal(again["slider.position"], plain["slider.position"])


@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        ("{type: boxx, size: [1, 1, 1]}", 8, "there is no shape 'boxx'; did you mean 'box'?"),
        ("{size: [1, 1, 1]}", 8, "'type' is missing"),
        ("{type: box, size: [1, 1]}", 8, "needs 3 numbers, has 2"),
        ("{type: box, size: [1, -1, 1]}", 8, "must be greater than 0 m, is -1"),
        ("{type: sphere}", 8, "'radius' is missing"),
        ("{type: sphere, radius: 3 kg}", 8, "radius"),
        ("{type: sphere, radius: 1, color: '#ffffff'}", 8, "did you mean 'colour'?"),
        ("{type: sphere, radius: 1, colour: red}", 8, "needs six digits"),
        ("{type: mesh, file: part.step}", 8, "is no STL file"),
        ("{type: mesh, file: nowhere.stl}", 8, "there is no file"),
        ("7", 8, "needs a mapping such as"),
    ],
)
def test_refused_with_a_line(line: str, number: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"model\.yaml") as caught:
        load(with_shapes("").rstrip() + f"\n      - {line}\n", tmp_path)
    text = str(caught.value)
    assert f"model.yaml:{number}: bodies.part.shape" in text
    assert words in text


def test_a_mesh_is_found_beside_the_model_and_kept_in_the_result(tmp_path: Path, monkeypatch: Any) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "part.stl").write_bytes(binary(TETRAHEDRON))
    system = load(with_shapes("      {type: mesh, file: part.stl, unit: 1 mm}\n"), folder)
    scene, pack = scene_of(system)
    shape = scene["bodies"][1]["shapes"][0]
    assert pack.index[f"{shape['block']}.vertices"]["high"] == pytest.approx([1e-3, 2e-3, 3e-3])
    solution = jp.simulate(system, "1 ms", "explicit")
    solution.save(tmp_path / "run.nc")
    (folder / "part.stl").unlink()
    monkeypatch.chdir(tmp_path)
    scene, pack = scene_of(jp.load(tmp_path / "run.nc"))
    assert pack.index[f"{shape['block']}.vertices"]["high"] == pytest.approx([1e-3, 2e-3, 3e-3])
    assert scene["notes"] == []


# --- shapes made


def made(name: str) -> dict[str, Any]:
    """Bodies of a gallery model, by name."""
    from jointplay.cli.examples import GALLERY

    scene, _ = scene_of(jp.load_model(GALLERY / f"{name}.yaml"))
    return {body["name"]: body["shapes"] for body in scene["bodies"]}


def test_links_end_in_their_joints() -> None:
    crank = made("slider_crank_clearance")["crank"][0]
    assert crank["type"] == "link"
    assert sorted([crank["a"][0], crank["b"][0]]) == pytest.approx([-0.0765, 0.0765])


def test_a_slider_has_the_size_of_its_guide() -> None:
    slider = made("slider_crank_clearance")["slider"][0]
    assert slider["type"] == "box"
    assert sorted(slider["size"])[1:] == pytest.approx([0.05, 0.1])


def test_a_door_is_the_box_of_its_inertia() -> None:
    door = made("worn_door")["door"][0]
    assert door["type"] == "box"
    assert sorted(door["size"])[1:] == pytest.approx([0.9, 2.0])


def test_balls_are_balls() -> None:
    assert {shape["type"] for name, shapes in made("newtons_cradle").items() for shape in shapes} == {"disc"}
    assert made("newtons_cradle")["b1"][0]["radius"] == pytest.approx(np.sqrt(2.5 * 1.3e-6 / 0.033))


def test_every_model_of_the_gallery_can_be_drawn() -> None:
    from jointplay.cli.examples import GALLERY

    for file in sorted(GALLERY.glob("*.yaml")):
        scene, _ = scene_of(jp.load_model(file))
        drawn = {body["name"]: len(body["shapes"]) for body in scene["bodies"][1:]}
        sleeves = {joint["kind"] for joint in scene["joints"]} & {"cylindrical"}
        assert all(drawn.values()) or sleeves, file.name
        assert 0.0 < scene["unit"] < scene["span"], file.name
