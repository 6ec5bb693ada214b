"""xarray and CSV hold the same numbers as the solution."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY

xarray = pytest.importorskip("xarray")


def test_dataset_has_labels_and_units(solution: jp.Solution) -> None:
    data = solution.to_xarray()
    assert np.array_equal(data.position.sel(body="slider", xyz="x"), solution["slider.position[0]"])
    assert np.array_equal(data.force.sel(joint="B", xyz="z"), solution["B.force[2]"])
    assert np.array_equal(data.coordinate_value.sel(coordinate="A.angle"), solution["A.angle"])
    assert np.array_equal(data.energy_kinetic, solution["energy.kinetic"])
    assert data.force.attrs["units"] == "N"
    assert data.time.attrs["units"] == "s"


def test_xarray_opens_the_file_itself(solution: jp.Solution, result_file: Path) -> None:
    with xarray.open_dataset(result_file, engine="h5netcdf") as opened:
        for name, array in solution.to_xarray().data_vars.items():
            assert opened[name].dims == array.dims
            assert np.array_equal(opened[name], array)
        assert list(opened.body.values) == ["crank", "rod", "slider"]
        assert list(opened.xyz.values) == ["x", "y", "z"]


def test_dataset_round_trip(solution: jp.Solution, tmp_path: Path) -> None:
    data = solution.to_xarray()
    data.to_netcdf(tmp_path / "copy.nc", engine="h5netcdf")
    with xarray.open_dataset(tmp_path / "copy.nc", engine="h5netcdf") as opened:
        assert opened.identical(data) or all(np.array_equal(opened[n], data[n]) for n in data.data_vars)


def test_csv_reads_back_the_same_bits(solution: jp.Solution, tmp_path: Path) -> None:
    path = solution.to_csv(tmp_path / "run.csv")
    with path.open() as stream:
        head, *rows = csv.reader(stream)
    assert head[0] == "time [s]"
    assert "slider.position[0] [m]" in head
    assert "energy.kinetic [J]" in head
    table = np.array(rows, dtype=float)
    assert table.shape == (len(solution.time), len(head))
    assert np.array_equal(table[:, head.index("B.force[2] [N]")], solution["B.force[2]"])
    assert np.array_equal(table[:, 0], solution.time)


def test_csv_of_some_names(solution: jp.Solution, tmp_path: Path) -> None:
    path = solution.to_csv(tmp_path / "some.csv", ["A.angle", "slider.position[0]"])
    assert path.read_text().splitlines()[0] == "time [s],A.angle [rad],slider.position[0] [m]"
    with pytest.raises(KeyError, match=r"A\.angle"):
        solution.to_csv(tmp_path / "none.csv", ["A.angel"])


def test_pandas_has_one_row_per_instant_and_the_columns_of_the_csv(solution: jp.Solution, tmp_path: Path) -> None:
    table = solution.to_pandas()
    head = solution.to_csv(tmp_path / "run.csv").read_text().splitlines()[0].split(",")
    assert table.shape == (len(solution.time), len(head) - 1)
    assert [table.index.name, *table.columns] == head
    assert np.array_equal(table.index, solution.time)
    assert np.array_equal(table["B.force[2] [N]"], solution["B.force[2]"])
    assert solution.to_dataframe(["A.angle"]).columns.tolist() == ["A.angle [rad]"]
    assert solution.to_pandas([]).shape == (len(solution.time), 0)


def test_a_table_is_not_written_under_the_name_of_something_else(solution: jp.Solution, tmp_path: Path) -> None:
    for name in ("run.nc", "run.html", "RUN.PNG"):
        with pytest.raises(jp.InputError, match=r"to_csv writes \.csv"):
            solution.to_csv(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_forces_of_rigid_contacts_carry_a_comment(solution: jp.Solution) -> None:
    rigid = jp.simulate(jp.load_model(GALLERY / "clearance_pendulum.yaml"), 0.01).to_xarray()
    for name in ("force", "torque", "normal_force", "acceleration"):
        assert rigid[name].attrs["comment"].startswith("impacts of rigid contacts are impulses, not forces")
    assert "comment" not in rigid.gap.attrs
    assert "comment" not in rigid.normal_impulse.attrs
    assert "comment" not in solution.to_xarray().force.attrs
