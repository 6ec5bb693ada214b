"""Names of parameters and their values: functions, files, systems; what is wrong is said, all of it at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.sensitivity.model_paths import numbers, path_of, replaced
from jointplay.sensitivity.source import source_of

CRANK = entries()["slider_crank_clearance"]


def ball(mass: Any = "2 kg", *, height: float = 1.0) -> jp.System:
    assert isinstance(mass, float) or mass == "2 kg"
    s = jp.System("ball")
    s.body("ball", mass=mass, inertia=0.1, position=(0, 0, height))
    return s


def messages(*given: Any) -> dict[str, str]:
    """Problems by field."""
    with pytest.raises(jp.InputError) as caught:
        source_of(*given)
    return {problem.field: problem.message for problem in caught.value.problems}


def test_a_function_gets_plain_numbers() -> None:
    source = source_of(ball, ["mass", "height"])
    assert [(one.name, one.value, one.unit) for one in source.parameters] == [("mass", 2.0, "kg"), ("height", 1.0, "")]
    assert source.system({"mass": 3.0}).bodies[0].mass == 3.0
    given = source_of(ball, {"mass": "500 g"})
    assert given.system().bodies[0].mass == 0.5
    assert source_of(lambda **given: ball(given["mass"]), {"mass": 4.0}).system().bodies[0].mass == 4.0


def test_numbers_of_a_file() -> None:
    names = {
        "gap": (1e-3, "m"),
        "mu": (0.01, ""),
        "bodies.slider.mass": (0.076, "kg"),
        "bodies.rod.inertia": (5.9e-4, "kg m^2"),
        "bodies.rod.position[0]": (0.306, "m"),  # an expression, taken as the number that it is
        "joints.D.length": (0.1, "m"),
        "gravity[1]": (-9.81, "m/s^2"),  # a default
        "parameters.rod": (0.306, "m"),
        "joints.D.radial.contact.rigid.restitution": (0.4, ""),
    }
    source = source_of(CRANK, list(names))
    for one in source.parameters:
        assert (pytest.approx(one.value, rel=1e-15), one.unit) == names[one.name]
    nominal = source.system()
    assert nominal.bodies[2].mass == 0.076
    changed = source.system({"gap": 2e-3, "gravity[1]": -1.0, "bodies.slider.mass": 1.0})
    assert changed.joints[3].closed["radial"].gap == 2e-3  # type: ignore[attr-defined]
    assert changed.gravity == pytest.approx([0, -1.0, 0])
    assert changed.bodies[2].mass == 1.0
    assert not changed.warnings


def test_values_of_the_caller_replace_those_of_the_file() -> None:
    source = source_of(str(CRANK), {"gap": "0.2 mm", "crank": 0.1})
    assert [(one.value, one.unit) for one in source.parameters] == [(2e-4, "m"), (0.1, "m")]
    assert source.system().values["gap"].si == 2e-4


def test_a_system_is_its_own_tree() -> None:
    s = jp.System("pendulum", planar=True)
    bar = s.body("bar", mass=2.0, inertia=0.1, position=(0.5, 0))
    s.revolute("P", s.ground, bar, point=(0, 0), radial=jp.Clearance("1 mm", contact=jp.Rigid(restitution=0.4)))
    source = source_of(s, ["bodies.bar.mass", "joints.P.radial.clearance.gap"])
    assert [one.value for one in source.parameters] == [2.0, 1e-3]
    assert source.system({"joints.P.radial.clearance.gap": 2e-3}).joints[0].closed["radial"].gap == 2e-3  # type: ignore[attr-defined]


def test_problems_of_names() -> None:
    wrong = ["gapp", "bodies.slider", "joints.D.type", "planar", "joints.D.between[0]", "bodies.rod.velocty[1]"]
    said = messages(CRANK, wrong)
    assert "did you mean gap" in said["wrt: gapp"]
    assert "is a mapping, not a number; numbers in it: bodies.slider.mass" in said["wrt: bodies.slider"]
    assert said["wrt: joints.D.type"] == "is the text 'prismatic', not a number"
    assert "no part of the mechanism" in said["wrt: planar"]
    assert said["wrt: joints.D.between[0]"] == "is the text 'ground', not a number"
    assert "bodies.rod.velocity[1]" in said["wrt: bodies.rod.velocty[1]"]


def test_problems_of_values(tmp_path: Path) -> None:
    model = tmp_path / "driven.yaml"
    model.write_text(
        "jointplay: 1\nparameters: {w: 3 rad/s}\nbodies: {a: {mass: 1, inertia: 1}}\n"
        "joints: {A: {type: revolute, between: [ground, a], point: [0, 0, 0], axis: [0, 0, 1], angle: {drive: w*t}}}\n"
    )
    said = messages(model, {"joints.A.angle.drive": None, "w": "fast", "parameters.w": None})
    assert "is a function of time, 'w*t'" in said["wrt: joints.A.angle.drive"]
    assert "fast" in said["wrt: w"]
    assert messages(model, ["w", "parameters.w"]) == {"wrt: parameters.w": "is the same number as 'w'"}


def test_problems_of_functions() -> None:
    def build(mass: float, length: float = 1.0) -> jp.System:
        raise AssertionError

    assert messages(build, ["lenght"]) == {
        "wrt: lenght": "build takes no argument 'lenght'; did you mean 'length'?",
        "wrt: mass": "build needs this argument: give it a default, or a value in wrt",
    }
    assert "has no default in build" in messages(build, ["mass"])["wrt: mass"]
    assert "finite" in messages(build, {"mass": float("nan")})["wrt: mass"]
    assert "names no parameter" in messages(build, [])["wrt"]
    assert "needs a function" in messages(3, ["a"])["build"]
    with pytest.raises(jp.InputError, match="must return a System"):
        source_of(lambda a=1.0: None, "a").system()  # type: ignore[arg-type, return-value]


def test_trees_share_what_does_not_change() -> None:
    tree = {"a": {"b": [1.0, 2.0]}, "c": {"d": 3.0}}
    other = replaced(tree, ("a", "b", 1), 5.0)
    assert other == {"a": {"b": [1.0, 5.0]}, "c": {"d": 3.0}}
    assert tree["a"]["b"] == [1.0, 2.0]
    assert other["c"] is tree["c"]
    assert path_of("a.b[1]", tree) == ("a", "b", 1)
    assert list(numbers(tree, {})) == [("a", "b", 0), ("a", "b", 1), ("c", "d")]


def test_every_number_of_the_gallery_can_be_read() -> None:
    """All leaves that are listed can be asked for, and put back without changing the model."""
    from jointplay.model.files import read_file
    from jointplay.model.names import dotted

    for file in (entries()["slider_crank"], CRANK, entries()["worn_door"]):
        base = jp.load_model(file)
        names = [dotted(path) for path in numbers(read_file(file).data, base.values)]
        assert len(names) > 10
        for name in names:
            same = source_of(file, [name]).system()
            for one, other in zip(base.bodies, same.bodies, strict=True):
                assert one.mass == other.mass
                assert np.array_equal(one.position, other.position)
