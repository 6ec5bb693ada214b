"""Problems that only compiling finds: told with file and line where the model came from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import jointplay as jp
from jointplay.errors import InputError

MODEL = """jointplay: 1
planar: true
bodies:
  b: {mass: 1, inertia: 1, position: [0.5, 0]}
joints:
  A: {type: revolute, between: [ground, b], point: [0, 0],
      angle: {drive: 6*t}}
  B:
    type: revolute
    between: [ground, b]
    point: [0, 0]
    angle: {drive: 7*t}
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("", "", 12, "joints.B.angle: the joints and drives contradict each other"),
        ("7*t", "0.1 + 6*t", 12, "joints.B.angle: the joints contradict each other"),
        ("7*t", "1 + 6*t", 12, "joints.B.angle: the drive starts 1 (m or rad) away"),
        ("angle: {drive: 7*t}", "angle: [{drive: 6*t}, {drive: 6*t}]", 12, "joints.B.angle: has more than one drive"),
        ("    angle: {drive: 7*t}", "    radial: {clearance: -1}", 12, "joints.B.radial.clearance: must be at least 0"),
    ],
)
def test_the_line_is_named(old: str, new: str, line: int, words: str, tmp_path: Path) -> None:
    """In a check as in a run."""
    file = tmp_path / "m.yaml"
    file.write_text(MODEL.replace(old, new) if old else MODEL)
    with pytest.raises(InputError) as caught:
        jp.simulate(jp.load_model(file), 1.0)
    assert str(caught.value).startswith(f"{file}:{line}: {words}")


def test_a_value_from_outside_the_file(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(MODEL.replace("7*t", "6*t"))
    problems = jp.load_model(file, overrides={"joints.B.angle": "{drive: 1 + 6*t}"}).check().problems
    assert problems[0].startswith("override: joints.B.angle: the drive starts")


def test_a_model_of_python_has_no_lines() -> None:
    s = jp.System(planar=True)
    body = s.body("b", mass=1, inertia=1, position=[0.5, 0])
    for name, law in (("A", "6*t"), ("B", "7*t")):
        s.revolute(name, s.ground, body, point=[0, 0], angle=jp.Drive(law))
    assert s.check().problems[0].startswith("joints.B.angle: the joints and drives contradict each other")
