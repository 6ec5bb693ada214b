"""Facts of the page against the solution and the model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from stl_files import TETRAHEDRON, binary
from typer.testing import CliRunner

import jointplay as jp
from jointplay.cli.app import app
from jointplay.cli.examples import GALLERY
from jointplay.errors import InputError
from jointplay.viewer import page
from jointplay.viewer.geometry import rotations, steady
from jointplay.viewer.scene import scene_of

ASSETS = Path(jp.__file__).parent / "viewer" / "assets"


def test_one_page_and_nothing_from_elsewhere(slider_crank: jp.Solution) -> None:
    text = page(slider_crank)
    assert 0.6e6 < len(text.encode()) < 2.0e6
    around = text.replace((ASSETS / "player.js").read_text(), "")
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!data:)", around)
    assert "default-src 'none'" in around
    assert text.count("</script>") == 3


def test_a_name_cannot_break_the_page() -> None:
    s = jp.System('</script><b>"bad" & é')
    s.body("<script>", mass=1, inertia=1e-3)
    text = page(s)
    assert text.count("</script>") == 3
    scene = json.loads(re.search(r'id="scene">(.*?)</script>', text, re.S)[1])  # type: ignore[index]
    assert scene["name"] == '</script><b>"bad" & é'
    assert "<b>" not in text.partition("<script>")[0]


def test_play_is_what_the_solution_says(slider_crank: jp.Solution) -> None:
    """The rows of the guide from poses: an offset across, whose gaps at a flat face are those of the solver."""
    scene, pack = scene_of(slider_crank)
    j = next(k for k, joint in enumerate(scene["joints"]) if joint["name"] == "D")
    joint, facts = scene["joints"][j], pack.index[f"play.{j}"]
    rows = joint["rows"]
    across = [
        k for k, row in enumerate(rows) if row["type"] == "sep" and abs(facts["high"][k] - facts["low"][k]) > 1e-4
    ]
    assert len(across) == 1
    gaps = slider_crank["D.gap"]
    reach = 1e-3 - np.array([gaps.min(axis=1)]).ravel()
    assert max(abs(facts["low"][across[0]]), abs(facts["high"][across[0]])) == pytest.approx(reach.max(), abs=2e-6)
    assert joint["play"]["gap"] == pytest.approx(1e-3)
    assert all(rows[k]["play"] for k in across)
    assert len(joint["contacts"]) == gaps.shape[1] == 4


def test_ideal_directions_are_not_magnified(ball_joint: jp.Solution) -> None:
    scene, _ = scene_of(ball_joint)
    plays = {joint["name"]: [row["play"] for row in joint["rows"]] for joint in scene["joints"]}
    assert plays["B"] == [True, True, True]
    assert not any(plays["A"] + plays["C"] + plays["D"])


def test_curves_that_were_asked_for_come_first(slider_crank: jp.Solution) -> None:
    scene, _ = scene_of(slider_crank, ["crank.angular_velocity[2]", "D.gap"])
    assert [one["name"] for one in scene["curves"][:2]] == ["crank.angular_velocity[2]", "D.gap"]
    assert scene["curves"][0]["unit"] == "rad/s"
    with pytest.raises(InputError, match=r"no quantity named 'D\.gab'.*D\.gap"):
        scene_of(slider_crank, ["D.gab"])


def test_curves_chosen_for_you(slider_crank: jp.Solution) -> None:
    scene, _ = scene_of(slider_crank)
    assert [one["name"] for one in scene["curves"][:3]] == ["|D.force|", "D.gap", "energy.dissipated"]


def test_long_runs_are_thinned() -> None:
    solution = jp.simulate(jp.load_model(GALLERY / "pendulum.yaml"), "2 s", "verlet", save="0.1 ms")
    assert len(solution.time) == 20_001
    scene, pack = scene_of(solution)
    assert pack.index["time"]["frames"] <= 5000
    assert scene["saved"] == 20_001
    assert "curve.0.high" in pack.index
    assert len(page(solution)) < 2.0e6


def test_signs_of_euler_parameters_agree() -> None:
    angle = np.linspace(0.0, 9.0, 40)
    p = np.column_stack([np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)])
    mixed = p * np.where(np.arange(40) % 3 == 0, -1.0, 1.0)[:, np.newaxis]
    out = steady(mixed[:, np.newaxis])[:, 0]
    assert (np.sum(out[1:] * out[:-1], axis=1) > 0.9).all()
    assert np.allclose(rotations(out), rotations(p))


def test_a_result_file_is_enough(slider_crank: jp.Solution, tmp_path: Path) -> None:
    slider_crank.save(tmp_path / "run.nc")
    file = jp.load(tmp_path / "run.nc").view(tmp_path / "run.html")
    assert file.stat().st_size > 600_000


def test_models_with_python_functions_are_drawn(tmp_path: Path) -> None:
    s = jp.System(gravity=(0, 0, 0))
    block = s.body("block", mass=1, inertia=1e-3)
    s.prismatic("G", s.ground, block, point=(0, 0, 0), axis=(1, 0, 0))
    s.force("push", block, force=[lambda t: float(np.interp(t, [0, 1], [0, 1])), 0, 0])
    solution = jp.simulate(s, "0.1 s", "explicit")
    assert solution.meta["model"].startswith("#")
    solution.save(tmp_path / "run.nc")
    scene, _ = scene_of(jp.load(tmp_path / "run.nc"))
    assert [body["name"] for body in scene["bodies"]] == ["ground", "block"]
    assert [joint["name"] for joint in scene["joints"]] == ["G"]


# --- command line -----------------------------------------------------------------------------------------------------


def call(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["view", *words])
    return result.exit_code, result.output


def test_command_for_results_and_models(
    slider_crank: jp.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    slider_crank.save("run.nc")
    code, text = call("run.nc", "--curves", "A.angle", "--title", "Mine")
    assert code == 0 and "run.html" in text
    assert "<title>Mine</title>" in Path("run.html").read_text()
    result = CliRunner().invoke(app, ["view", str(GALLERY / "worn_door.yaml"), "-o", "door.html", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"ok": True, "page": "door.html", "bytes": Path("door.html").stat().st_size}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.nc"], "there is no such file"),
        (["nowhere.yaml"], "there is no such file"),
        (["run.nc", "--curves", "D.gab"], "did you mean D.gap"),
        (["run.nc", "-o", "run.pdf"], "must end in .html"),
        (["run.nc", "-o", "no/such/folder.html"], "cannot write"),
        ([str(GALLERY / "pendulum.yaml"), "--curves", "P.force"], "a model as drawn has no curves"),
    ],
)
def test_bad_input_is_a_sentence(
    words: list[str], said: str, slider_crank: jp.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    slider_crank.save("run.nc")
    code, text = call(*words)
    assert code == 2
    assert said in text
    assert "Traceback" not in text


def test_a_damaged_mesh_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(binary(TETRAHEDRON)[:-3])
    (tmp_path / "m.yaml").write_text(
        "jointplay: 1\nbodies: {a: {mass: 1, inertia: 1, shape: {type: mesh, file: part.stl}}}\n"
    )
    code, text = call(str(tmp_path / "m.yaml"), "-o", str(tmp_path / "m.html"))
    assert code == 2
    assert "is not an STL file, or is damaged" in text


def test_one_curve_needs_no_list(slider_crank: jp.Solution) -> None:
    scene, _ = scene_of(slider_crank, "rod.angular_velocity[2]")
    assert scene["curves"][0]["name"] == "rod.angular_velocity[2]"


def test_nothing_to_show() -> None:
    with pytest.raises(jp.InputError, match="no bodies"):
        jp.System("empty").view("empty.html")
    with pytest.raises(jp.InputError, match="needs a System"):
        jp.figures.schematic("worn.nc")  # type: ignore[arg-type]


def test_forces_of_rigid_contacts_say_what_they_are_not(slider_crank: jp.Solution) -> None:
    (note,) = scene_of(slider_crank)[0]["notes"]
    assert note.startswith("Forces of rigid contacts, and of joints that carry them, are those between impacts.")
    smooth = jp.simulate(jp.load_model(GALLERY / "four_bar.yaml"), 0.01)
    assert scene_of(smooth)[0]["notes"] == []
