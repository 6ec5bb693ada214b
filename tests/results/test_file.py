"""Result files: what goes in comes out; what is not a result is refused in a sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import h5netcdf
import h5py
import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY


def test_memory_and_file_hold_the_same_bits(solution: jp.Solution) -> None:
    system = jp.load_model(GALLERY / "slider_crank.yaml")
    other = jp.simulate(system, 0.5, jp.Explicit(rtol=1e-8), 5e-3)
    assert np.array_equal(other.time, solution.time)
    assert other.names == solution.names
    for name in solution.names:
        assert np.array_equal(other[name], solution[name]), name
        assert other.units[name] == solution.units[name]


def test_saved_again_it_is_the_same(solution: jp.Solution, tmp_path: Path) -> None:
    again = jp.load(solution.save(tmp_path / "again.nc"))
    assert again.outcome == solution.outcome
    assert again.stats == solution.stats
    assert again.meta == solution.meta
    assert all(np.array_equal(again[name], solution[name]) for name in solution.names)
    for one, two in zip(again.state, solution.state, strict=True):
        assert one.tobytes() == two.tobytes()
    assert [file.name for file in tmp_path.iterdir()] == ["again.nc"]


def test_saved_over_itself_it_is_the_same(result_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    shutil.copy(result_file, path)
    solution = jp.load(path)
    solution["A.angle"]
    solution.save(path)
    assert np.array_equal(solution["B.force"], jp.load(result_file)["B.force"])


def test_a_state_from_a_file_goes_on_like_one_from_memory(tmp_path: Path) -> None:
    system = jp.load_model(GALLERY / "slider_crank.yaml")
    method = jp.Explicit(rtol=1e-8)
    kept = jp.simulate(system, 0.3, method, 0.1)
    jp.simulate(system, 0.3, method, 0.1, output=tmp_path / "half.nc")
    one = jp.simulate(system, 0.6, method, 0.1, start=kept.state)
    two = jp.simulate(system, 0.6, method, 0.1, start=jp.load(tmp_path / "half.nc").state)
    assert len(two.time) == 3
    assert all(np.array_equal(one[name], two[name]) for name in one.names)


def test_file_says_where_it_came_from(solution: jp.Solution) -> None:
    assert solution.meta["name"] == "spatial slider-crank"
    assert solution.meta["method"].startswith("Explicit(")
    assert "joints:" in solution.meta["model"]
    assert solution.meta["versions"]["jointplay"] == jp.__version__


def test_model_text_of_a_result_runs_again(solution: jp.Solution, tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(solution.meta["model"])
    again = jp.simulate(jp.load_model(tmp_path / "model.yaml"), 0.5, jp.Explicit(rtol=1e-8), 5e-3)
    assert np.array_equal(again["B.force"], solution["B.force"])


def test_a_run_that_stops_early_is_cut_to_what_was_saved(tmp_path: Path) -> None:
    system = jp.load_model(GALLERY / "slider_crank.yaml")
    path = tmp_path / "short.nc"
    stopped = jp.simulate(system, 50.0, save=5e-3, output=path, max_steps=200)
    assert not stopped.outcome.ok
    assert "allowed number of steps" in stopped.outcome.message
    found = jp.load(path)
    assert found.outcome == stopped.outcome
    assert 100 < len(found.time) < 10_000
    with h5netcdf.File(path) as file:
        assert file.dimensions["time"].size == len(found.time)
    assert [file.name for file in tmp_path.iterdir()] == ["short.nc"]


def damage(path: Path, kind: str) -> None:
    """Spoil a result file in one of several ways."""
    if kind == "text":
        path.write_text("not a result")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "cut off":
        path.write_bytes(path.read_bytes()[:20_000])
    elif kind == "zeros":
        path.write_bytes(bytes(50_000))
    elif kind == "other netcdf":
        path.unlink()
        with h5netcdf.File(path, "w") as file:
            file.dimensions["x"] = 3
            file.create_variable("x", ("x",), data=np.arange(3))
    else:
        with h5py.File(path, "r+") as file:
            if kind == "newer":
                file.attrs["jointplay_format"] = 99
            elif kind == "variable gone":
                del file["position"]
            elif kind == "layout gone":
                del file["layout"]
            elif kind == "layout broken":
                file["layout"][:20] = np.frombuffer(b"x" * 20, dtype=np.uint8)
            elif kind == "progress":
                file["progress"][:] = (10**9, 0)
            elif kind == "code":
                file["verdict"][:12] = np.frombuffer(b'{"code": 77 ', dtype=np.uint8)


KINDS = (
    "text", "empty", "cut off", "zeros", "other netcdf", "newer", "variable gone", "layout gone", "layout broken",
    "progress", "code",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused_in_a_sentence(kind: str, result_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.nc"
    shutil.copy(result_file, path)
    damage(path, kind)
    with pytest.raises(jp.InputError) as caught:
        jp.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(jp.InputError, match="no such file"):
        jp.load(tmp_path / "none.nc")
    with pytest.raises(jp.InputError, match="directory"):
        jp.load(tmp_path)


def test_a_part_that_was_left_is_mentioned(result_file: Path, tmp_path: Path) -> None:
    shutil.copy(result_file, tmp_path / "run.nc.part")
    with pytest.raises(jp.InputError, match=r"run\.nc\.part"):
        jp.load(tmp_path / "run.nc")


def test_unknown_names_get_near_ones(solution: jp.Solution) -> None:
    with pytest.raises(KeyError, match=r"slider\.position"):
        solution["slider.positon"]
    with pytest.raises(KeyError, match="3 component"):
        solution["slider.position[3]"]


def test_a_run_that_stops_before_its_first_state_leaves_a_file(tmp_path: Path) -> None:
    system = jp.load_model(GALLERY / "slider_crank.yaml")
    path = tmp_path / "none.nc"
    stopped = jp.simulate(system, 5.0, jp.Explicit(), [5.0], max_steps=1, output=path)
    assert not stopped.outcome.ok
    again = jp.load(path)
    assert len(again.time) == 0
    assert again.outcome == stopped.outcome
    assert again["crank.position"].shape == (0, 3)
