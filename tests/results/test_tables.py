"""Tables in files: the same numbers in every format, and sentences where a format cannot take them."""

from __future__ import annotations

import builtins
import gc
import sys
from pathlib import Path

import numpy as np
import pandas
import pytest
from outputs import full_disk

import jointplay as jp
from jointplay.errors import InputError
from jointplay.results import tables

READ = {".csv": pandas.read_csv, ".xlsx": pandas.read_excel, ".parquet": pandas.read_parquet}
HEADS = ["sample", "x [m]", "where, and why"]
BALL = {
    "jointplay": 1,
    "bodies": {"m": {"mass": 1, "inertia": 1, "position": [0, 0, 1], "velocity": [1, 0, 0]}},
}
COLUMNS = [np.arange(3), np.array([1 / 3, np.nan, -2e-300]), np.array(["", "B, row 2", 'a "b"'], dtype=object)]


@pytest.mark.parametrize("ending", READ)
def test_numbers_and_words_come_back(tmp_path, ending):
    found = READ[ending](tables.write_table(tmp_path / f"t{ending}", HEADS, COLUMNS))
    assert list(found.columns) == HEADS
    assert np.array_equal(found["x [m]"], COLUMNS[1], equal_nan=True)
    assert found["where, and why"].fillna("").tolist() == COLUMNS[2].tolist()


@pytest.mark.parametrize("ending", READ)
def test_a_run_has_one_row_per_saved_instant(tmp_path, ending):
    sol = jp.simulate(jp.System.from_tree(BALL), "0.1 s", save="10 ms")
    found = READ[ending](sol.export(tmp_path / f"run{ending}", ["m.position", "energy.kinetic"]))
    table = sol.to_pandas(["m.position", "energy.kinetic"])
    assert list(found.columns) == ["time [s]", *table.columns]
    exact = 1e-15 if ending == ".xlsx" else 0.0  # sheets keep 16 digits
    assert np.allclose(found["m.position[2] [m]"], sol["m.position[2]"], rtol=exact, atol=0.0)
    assert len(found) == len(sol.time) == 11


@pytest.mark.parametrize("ending", READ)
def test_a_study_has_one_row_per_sample(tmp_path, ending):
    study = jp.study(
        lambda x: {"a": x, "b": x if x > 0 else np.nan}, {"x": jp.Uniform("-1 mm", "3 mm")}, plan=jp.Random(50)
    )
    found = READ[ending](study.export(tmp_path / f"rows{ending}"))
    assert len(found) == 50
    exact = 1e-15 if ending == ".xlsx" else 0.0  # sheets keep 16 digits
    assert np.allclose(found["x [m]"], study["x"], rtol=exact, atol=0.0)
    assert np.allclose(found["b"], study["b"], rtol=exact, atol=0.0, equal_nan=True)
    assert (found["outcome"] != 0).sum() == len(study.failed)


@pytest.mark.parametrize(("ending", "package"), [(".xlsx", "openpyxl"), (".parquet", "pyarrow")])
def test_a_missing_package_is_told_in_a_sentence(tmp_path, monkeypatch, ending, package):
    for name in [one for one in sys.modules if one.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def refusing(name, *args, **kwargs):
        if name.split(".")[0] == package:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refusing)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"needs the package {package}: pip install 'jointplay\["):
        tables.write_table(tmp_path / f"t{ending}", HEADS, COLUMNS)
    assert list(tmp_path.iterdir()) == []


def test_what_a_sheet_cannot_hold(tmp_path):
    with pytest.raises(InputError, match="1048575 rows"):
        tables.write_table(tmp_path / "t.xlsx", ["x"], [np.zeros(1_048_576)])
    assert list(tmp_path.iterdir()) == []


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"known are \.csv, \.txt, \.xlsx, \.parquet"):
        tables.write_table(tmp_path / "t.ods", HEADS, COLUMNS)


def test_the_command(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from jointplay.cli.app import app

    monkeypatch.chdir(tmp_path)
    sol = jp.simulate(jp.System.from_tree(BALL), "0.1 s", save="10 ms", output="run.nc")
    run = CliRunner().invoke(app, ["export", "run.nc", "m.position"])
    assert run.exit_code == 0
    assert len(Path("run.csv").read_text().splitlines()) == 1 + len(sol.time)
    study = "study: {vary: {speed: 2 m/s +- 0.1 m/s}, of: [{final: 'm.position[0]'}], plan: {random: 8}}"
    model = "jointplay: 1\nparameters: {speed: 2}\nbodies: {m: {mass: 1, inertia: 1, velocity: [speed, 0, 0]}}\n"
    Path("m.yaml").write_text(model + "run: {until: 1 s, method: verlet}\n" + study)
    assert CliRunner().invoke(app, ["study", "run", "m.yaml", "-o", "s.nc"]).exit_code == 0
    assert CliRunner().invoke(app, ["export", "s.nc", "-o", "s.parquet"]).exit_code == 0
    assert len(pandas.read_parquet("s.parquet")) == 8
    wrong = CliRunner().invoke(app, ["export", "s.nc", "sped"])
    assert wrong.exit_code == 2


def test_a_full_disk_is_told_once(tmp_path, monkeypatch):
    """Archives that could not be closed complain again when they are forgotten, with a traceback."""
    heard = []
    monkeypatch.setattr(sys, "unraisablehook", heard.append)
    with full_disk(2000), pytest.raises(InputError, match=r"cannot write .*t\.xlsx: File too large"):
        tables.write_table(tmp_path / "t.xlsx", HEADS, COLUMNS)
    gc.collect()
    assert heard == []
    assert list(tmp_path.iterdir()) == []
