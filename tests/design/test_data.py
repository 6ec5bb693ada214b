from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray

import jointplay as jp
from jointplay.design.data import channels_of
from jointplay.design.misfit import sigma_of


def test_csv_with_units_and_gaps(tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    file.write_text("time [ms],A.angle [deg],body.velocity[0],\n0,90,1\n\n10,,2\n20,45,\n", encoding="utf-8")
    angle, speed = channels_of(str(file))
    assert angle.name == "A.angle" and speed.name == "body.velocity[0]"
    assert angle.times == pytest.approx([0.0, 0.01, 0.02])
    assert angle.values[[0, 2]] == pytest.approx([np.pi / 2, np.pi / 4])
    assert angle.there.tolist() == [True, False, True]
    assert speed.values[:2] == pytest.approx([1.0, 2.0]) and np.isnan(speed.values[2])


def test_csv_of_a_solution_comes_back(tmp_path: Path) -> None:
    s = jp.System("fall", gravity=(0, 0, -9.81))
    s.body("ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    sol = jp.simulate(s, 1.0, save=0.1)
    file = sol.to_csv(tmp_path / "fall.csv", ["ball.position"])
    found = {one.name: one for one in channels_of(file)}
    assert list(found) == [f"ball.position[{k}]" for k in range(3)]
    assert found["ball.position[2]"].values == pytest.approx(sol["ball.position[2]"], rel=1e-15)
    assert found["ball.position[2]"].times == pytest.approx(sol.time, rel=1e-15)


def test_dataset() -> None:
    values = np.array([[1.0, 2.0], [3.0, np.nan]])
    data = xarray.Dataset(
        {"B.force": (("time", "axis"), values, {"units": "kN"})}, {"time": ("time", [0.0, 5.0], {"units": "ms"})}
    )
    (force,) = channels_of(data)
    assert force.times == pytest.approx([0.0, 0.005])
    assert force.values[0] == pytest.approx([1000.0, 2000.0])
    assert force.there.sum() == 3
    with pytest.raises(jp.InputError, match="no coordinate 'time'"):
        channels_of(xarray.Dataset({"x": ("t", [1.0])}))
    with pytest.raises(jp.InputError, match="along 'time' first"):
        channels_of(xarray.Dataset({"x": ("axis", [1.0])}, {"time": ("time", [0.0])}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("t,x\n1,2\n", "no column 'time'"),
        ("time,x\n\n1,fast\n", "run.csv:3: data: 'fast' is not a number"),
        ("time,x [apples]\n1,2\n", r"data\['x'\]"),
        ("time,x\n1,\n", "no measurements"),
        ("time,,x\n1,2,3\n", "column 2 has numbers but no name"),
        ("time,x,x\n1,2,3\n", "two columns 'x'"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "run.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(jp.InputError, match=message):
        channels_of(file)


def test_no_such_file_and_no_such_thing(tmp_path: Path) -> None:
    with pytest.raises(jp.InputError, match="cannot read"):
        channels_of(tmp_path / "none.csv")
    for nothing in (None, {}, 3.0):
        with pytest.raises(jp.InputError, match="needs a dict"):
            channels_of(nothing)


def test_sigma() -> None:
    channels = channels_of({"a": ([0.0, 1.0], [1.0, 2.0]), "b": ([0.0], [1.0])})
    assert sigma_of(None, channels) is None
    found = sigma_of({"a": [0.1, 0.2], "b": "2 mm"}, channels)
    assert found is not None
    assert found[0] == pytest.approx([0.1, 0.2]) and found[1] == pytest.approx([2e-3])
    with pytest.raises(jp.InputError) as caught:
        sigma_of({"a": [0.1, 0.2, 0.3], "c": 1.0}, channels)
    assert sorted(one.field for one in caught.value.problems) == ["sigma", "sigma['a']", "sigma['b']"]
