"""Model files: reading, overrides, writing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jointplay.errors import InputError
from jointplay.laws.drive import Drive
from jointplay.laws.spring import Spring
from jointplay.model.files import MOST_PROBLEMS, load_model
from jointplay.model.system import System
from jointplay.quantities.signal import Table

MODEL = (Path(__file__).parent / "everything.yaml").read_text(encoding="utf-8")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model file with something of everything."""
    file = tmp_path / "model.yaml"
    file.write_text(MODEL, encoding="utf-8")
    return file


def numbers(system: System) -> list[Any]:
    """All numbers of a system, for comparison bit by bit."""
    out: list[Any] = [system.name, system.planar, system.gravity.tobytes()]
    for b in system.bodies:
        arrays = (b.inertia, b.position, b.orientation, b.velocity, b.angular_velocity)
        out.append((b.name, b.mass, b.velocity_given, *[array.tobytes() for array in arrays]))
    for m in system.markers:
        out.append((m.name, m.body, m.point.tobytes(), m.axes.tobytes()))
    for j in system.joints:
        frames = [array.tobytes() for m in (j.first, j.second) for array in (m.point, m.axes)]
        out.append((j.name, j.kind.key, j.first.body, j.second.body, frames, j.closed, j.free, j.value))
        out.append({key: np.asarray(value).tobytes() for key, value in j.geometry.items()})
    for k in system.springs:
        out.append((k.name, k.first.point.tobytes(), k.second.point.tobytes(), k.law))
    for f in system.loads:
        out.append((f.name, f.body, f.point.tobytes(), f.components, f.is_torque, f.in_body_axes))
    return [*out, system.run]


def problem(path: Path, **overrides: Any) -> str:
    """The message of a file that is refused."""
    with pytest.raises(InputError) as caught:
        load_model(path, **overrides)
    return str(caught.value)


def test_model_is_read(model: Path) -> None:
    """Numbers in SI, laws, run settings."""
    s = load_model(model)
    np.testing.assert_allclose(s.bodies[0].position, [0, 0.1, 0.16])
    assert s.bodies[0].spin_given and not s.bodies[1].velocity_given
    assert s.joints[0].free["angle"] == (Spring(2.0),)
    assert s.joints[1].free["displacement"][0].numbers() == pytest.approx((3.0, 1e-4, 0.0, 0.0))
    assert s.springs[0].law.numbers() == pytest.approx((15000.0, 0.0, np.hypot(0.1, 0.2), 0.0))
    assert s.run == {"until": 5.0, "method": {"explicit": {"rtol": 1e-8}}, "save": 0.001}
    assert s.loads[1].in_body_axes
    assert s.values["half"].si == pytest.approx(0.04)
    assert s.parameters["gap"] == "0.1 mm"


def test_json_is_the_same_tree(model: Path, tmp_path: Path) -> None:
    """YAML and JSON (indented by tabs) give the same numbers."""
    s = load_model(model)
    file = tmp_path / "model.json"
    file.write_text(json.dumps(s.to_tree(), indent="\t"), encoding="utf-8")
    assert numbers(load_model(file)) == numbers(s)


def test_what_is_saved_compiles_to_the_same_numbers(model: Path, tmp_path: Path) -> None:
    """Through to_yaml, save as YAML and as JSON, and from_tree, bit by bit; and writing again changes nothing."""
    s = load_model(model)
    for name in ("copy.yaml", "copy.json"):
        s.save(tmp_path / name)
        copy = load_model(tmp_path / name)
        assert numbers(copy) == numbers(s)
        assert copy.to_yaml() == s.to_yaml()
    assert numbers(System.from_tree(s.to_tree())) == numbers(s)


def test_python_model_is_saved(tmp_path: Path) -> None:
    """Arrays, laws, tables and traceable functions become data; units and expressions stay as given."""
    s = System("p", planar=True, parameters={"w": 6}, gravity=(0, 0))
    a = s.body("a", mass=1 / 3, inertia=np.float64(0.1), position=np.array([0.1, 0.2]) / 3, orientation="30 deg")
    s.revolute("J", s.ground, a, point=(1 / 7, 0), angle=[Drive("w*t"), Spring(stiffness="2 N*m/rad")])
    s.force("f", a, force=lambda t: (np.sin(3 * t), t**2 / 7))
    s.force("g", a, force=(1, Table([0.0, 0.1, 0.3], [0.0, 1 / 3, 2.0])))
    s.torque("m", a, torque=lambda t: 0.1 * t)
    s.save(tmp_path / "p.yaml")
    copy = load_model(tmp_path / "p.yaml")
    assert numbers(copy) == numbers(s)
    assert copy.to_tree()["bodies"]["a"]["orientation"] == "30 deg"
    assert copy.to_tree()["joints"]["J"]["angle"] == [
        {"drive": {"value": "w*t"}},
        {"spring": {"stiffness": "2 N*m/rad"}},
    ]


def test_functions_that_cannot_be_written(tmp_path: Path) -> None:
    """A function that branches stays in Python; the message names where it stands."""
    s = System()
    a = s.body("a", mass=1, inertia=(1, 1, 1))
    s.force("f", a, force=(lambda t: 1.0 if t > 1 else 0.0, 0, 0))
    with pytest.raises(InputError, match="force 'f': .*cannot be written to a file"):
        s.to_tree()


def test_overrides(model: Path) -> None:
    """Values by dotted path, texts read as YAML, elements of lists, new keys inside an entry and in run."""
    given = {
        "parameters.L": "0.1m",
        "bodies.slider.mass": "4",
        "bodies.crank.position[1]": 0.5,
        "bodies.crank.position.0": "1 mm",
        "bodies.slider.velocity": "[1, 0, 0]",
        "joints.A.angle.spring.stiffness": "3 N*m/rad",
        "run.until": "2",
        "gravity": "[0, 0, 0]",
        "planar": False,
    }
    s = load_model(model, overrides=given)
    np.testing.assert_allclose(s.bodies[0].position, [0.001, 0.5, 0.17])
    assert s.bodies[1].mass == 4.0
    assert s.bodies[1].velocity_given
    assert s.joints[0].free["angle"] == (Spring(3.0),)
    assert s.run is not None and s.run["until"] == 2.0
    assert not s.gravity.any()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            "bodies.slidr.mass",
            "4",
            "override: bodies.slidr.mass: there is no 'slidr' in bodies; did you mean 'slider'?",
        ),
        ("parameters.gpa", "4", "there is no 'gpa' in parameters; did you mean 'gap'?"),
        ("bodys.slider.mass", "4", "there is no 'bodys' in a model; did you mean 'bodies'?"),
        ("bodies.slider.mas", "4", "override: bodies.slider.mas: unknown key 'mas'; did you mean 'mass'?"),
        ("bodies.slider.mass", "4 m", "override: bodies.slider.mass: expected a mass (kg), got 4 m (length)"),
        ("bodies.crank.position.7", "4", "bodies.crank.position has no element '7', only 0 to 2"),
        ("bodies.slider.mass.x", "4", "bodies.slider.mass is '2 kg' and has no 'x'"),
        ("bodies.new", "{mass: 1}", "there is no 'new' in bodies"),
        ("bodies..mass", "1", "is not a path such as 'bodies.slider.mass'"),
        ("run.util", "1", "unknown key 'util'; did you mean 'until'?"),
    ],
)
def test_bad_overrides(model: Path, path: str, value: str, message: str) -> None:
    """A path that leads nowhere, or a value that does not fit."""
    assert message in problem(model, overrides={path: value})


@pytest.mark.slow
def test_files_that_are_no_models(tmp_path: Path) -> None:
    """One sentence each."""
    file = tmp_path / "x.yaml"
    assert "x.yaml: there is no such file" in problem(file)
    assert "is a directory" in problem(tmp_path)
    for content, message in (
        (b"", "is empty"),
        (b"# nothing but a comment\n", "is empty"),
        (b"\xff\xfe\x00", "is not a text in UTF-8"),
        (b"a: 1\x00", "is a binary file"),
        (b"a: \x07", "is not valid YAML"),
        (b"#" * 5_000_001, "is larger than 5 MB"),
        (b"a: [" + b"1," * 100_001 + b"1]", "has more than 100000 values"),
        (b"3", "a model file is a mapping"),
    ):
        file.write_bytes(content)
        text = problem(file)
        assert message in text
        assert "\n" not in text


def test_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    file = tmp_path / "x.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + MODEL.encode())
    assert load_model(file).name == "slider-crank"


def test_empty_sections_are_no_problem(tmp_path: Path) -> None:
    """A section whose entries are all commented out."""
    file = tmp_path / "x.yaml"
    file.write_text("jointplay: 1\nbodies:\njoints: {}\n", encoding="utf-8")
    assert load_model(file).bodies == ()


def test_from_tree_names_the_path() -> None:
    """Without a file, problems have a path and no line."""
    with pytest.raises(InputError) as caught:
        System.from_tree({"jointplay": 1, "bodies": {"a": {"mass": 1}}})
    assert str(caught.value).startswith("bodies.a: 'inertia' is missing")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2024-05-01", '"2024-05-01" looks like a date'),
        ("2024-05-01T10:00:00Z", "unexpected"),
        ("true", "not true"),
        ("off", "unknown name 'off'"),
        ("!!binary aGVsbG8=", "the tag !!binary is not allowed"),
        ("!!timestamp 2024-05-01", "the tag !!timestamp is not allowed"),
        ("!!set {a, b}", "the tag !!set is not allowed"),
        ("!!omap [a: 1]", "the tag !!omap is not allowed"),
        ("!!python/object:os.system ls", "is not allowed"),
        ("0x" + "f" * 300, "a finite number"),
        ("0o" + "7" * 500, "a finite number"),
        ("1" * 400, "a finite number"),
        (".nan", "a finite number"),
        ("1:30", "unexpected ':'"),
        ("1_000", "unknown unit '_000'"),
        ("[1]", "not a list"),
        ("{kg: 1}", "not a mapping"),
        ("", "has no value"),
    ],
)
def test_what_is_no_number(tmp_path: Path, text: str, message: str) -> None:
    """File, line and field of each."""
    file = tmp_path / "m.yaml"
    file.write_text(f"jointplay: 1\nbodies:\n  b:\n    inertia: 1\n    mass: {text}\n", encoding="utf-8")
    told = problem(file)
    assert message in told
    assert told.startswith(f"{file}:5: bodies.b.mass: ")


COMMAS = """jointplay: 1
parameters: {length: 0.2 m}
bodies:
  ball:
    mass: 1,5 kg
    inertia: 1.250,5
    position: [0,3 m, 0, 0]
    velocity: [-1,5, 0, 0]
run: {until: 0,5 s}
"""


def test_decimal_commas_are_told_as_such(tmp_path: Path) -> None:
    """File, line, field and what to write; YAML has parted lists and mappings before they are read."""
    file = tmp_path / "commas.yaml"
    file.write_text(COMMAS, encoding="utf-8")
    told = problem(file)
    assert f"{file}:5: bodies.ball.mass: unexpected ','" in told and "a decimal has a point, 1.5," in told
    assert f"{file}:6: bodies.ball.inertia: " in told and "a decimal has a point, 1250.5," in told
    for line, key in ((7, "position"), (8, "velocity")):
        assert f"{file}:{line}: bodies.ball.{key}: needs 3 numbers, has 4; a decimal has a point: a comma parts" in told
    assert f"{file}:9: run.5 s: unknown key '5 s'; a decimal has a point, such as 0.5 s" in told


def test_problems_are_told_up_to_a_limit(tmp_path: Path) -> None:
    """In the order of their lines, and that there are more."""
    file = tmp_path / "m.yaml"
    file.write_text("jointplay: 1\nbodies:\n" + "".join(f"  b{k}: {{mass: x}}\n" for k in range(1000)))
    with pytest.raises(InputError) as caught:
        load_model(file)
    problems = caught.value.problems
    assert len(problems) == MOST_PROBLEMS + 1
    assert problems[0].line == 3
    assert problems[-1].message == "has more problems than these"
