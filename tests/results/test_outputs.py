"""Results of others are never written over: of another run, of one that was killed, of other programs."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from pathlib import Path

import numpy as np
import pytest
from outputs import OBSTACLES, put, scene

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.results import file as module


def run(path: Path, until: float = 0.05, **options: object) -> jp.Solution:
    system = jp.load_model(GALLERY / "pendulum.yaml")
    return jp.simulate(system, until, jp.Explicit(), 1e-3, output=path, **options)


class While:
    """A progress function that does something once, in the midst of a run."""

    def __init__(self, action: object) -> None:
        self.action, self.done = action, False

    def __call__(self, *_: float) -> None:
        if not self.done:
            self.done = True
            self.action()


def refused(path: Path) -> str:
    with pytest.raises(jp.InputError) as caught:
        run(path)
    return str(caught.value)


def test_two_threads_with_one_output(tmp_path: Path) -> None:
    path, said = tmp_path / "run.nc", []

    def other() -> None:
        said.append(refused(path))
        with pytest.raises(jp.InputError, match="another run is writing it"):
            jp.load(path.with_name("run.nc.part")).save(path)
        said.append("and so is save")

    def second() -> None:
        jp.load(path.with_name("run.nc.part"))  # opening and closing it does not take the mark away
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    first = run(path, progress=While(second))
    assert len(said) == 2
    assert "another run is writing it" in said[0]
    assert first.outcome.ok
    assert len(jp.load(path).time) == 51
    assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]


def test_many_threads_at_once(tmp_path: Path) -> None:
    """However they meet, whoever is not refused has a whole result, and one of them is left."""
    path = tmp_path / "run.nc"
    ready, ended = threading.Barrier(4), []

    def one() -> None:
        ready.wait()
        try:
            ended.append(run(path).outcome.ok)
        except jp.InputError as error:
            ended.append(str(error))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert any(end is True for end in ended), ended
    assert len(jp.load(path).time) == 51


@pytest.mark.parametrize("kind", ["text", "nothing", *OBSTACLES])
def test_a_foreign_part_is_kept(kind: str, tmp_path: Path) -> None:
    part = tmp_path / "run.nc.part"
    if kind in ("text", "nothing"):
        part.write_text("precious" if kind == "text" else "")
    else:
        put(kind, part)
    before = scene(tmp_path)
    assert "run.nc.part is in the way" in refused(tmp_path / "run.nc")
    assert scene(tmp_path) == before


def test_what_a_killed_run_left_is_kept_and_goes_on(tmp_path: Path) -> None:
    path, part = tmp_path / "run.nc", tmp_path / "run.nc.part"
    run(path, progress=While(lambda: shutil.copy(part, tmp_path / "killed")))  # as it was in the midst of the run
    path.unlink()
    os.rename(tmp_path / "killed", part)
    before = scene(tmp_path)
    message = refused(path)
    assert "run.nc.part holds what an earlier run had saved" in message
    assert "start=" in message
    assert scene(tmp_path) == before
    rest = run(tmp_path / "rest.nc", 0.1, start=jp.load(part).state)
    assert rest.outcome.ok


@pytest.mark.parametrize("kind", ["text", "other HDF5", "model.yaml"])
def test_a_file_that_is_no_result_is_kept(kind: str, tmp_path: Path, solution: jp.Solution) -> None:
    import h5py

    path = tmp_path / "run.nc"
    if kind == "text":
        path.write_text("precious")
    elif kind == "other HDF5":
        with h5py.File(path, "w") as file:
            file["measured"] = np.arange(3.0)
    else:
        shutil.copy(GALLERY / "pendulum.yaml", path)
    before = scene(tmp_path)
    assert "it would be lost" in refused(path)
    with pytest.raises(jp.InputError, match="it would be lost"):
        solution.save(path)
    assert scene(tmp_path) == before


def test_a_result_or_an_empty_file_is_replaced(tmp_path: Path, solution: jp.Solution) -> None:
    path = solution.save(tmp_path / "run.nc")
    assert len(run(path).time) == 51
    path.write_bytes(b"")
    assert len(run(path).time) == 51


@pytest.mark.parametrize("kind", ["another result", "pipe", "link to a file"])
def test_something_takes_the_name_while_the_run_goes_on(kind: str, tmp_path: Path, solution: jp.Solution) -> None:
    path = tmp_path / "run.nc"
    source = solution.save(tmp_path / "other.nc")
    swap = (lambda: os.rename(source, path)) if kind == "another result" else (lambda: put(kind, path))
    ended = run(path, progress=While(swap))
    assert ended.outcome.code.name == "OUTPUT_FAILED"
    assert ended.path == tmp_path / "run.nc.part"
    assert len(jp.load(ended.path).time) == len(ended.time) == 51
    if kind == "another result":
        assert np.array_equal(jp.load(path)["B.force"], solution["B.force"])
    elif kind == "pipe":
        assert stat.S_ISFIFO(path.stat().st_mode)
    else:
        assert (tmp_path / "beside").read_text() == "precious"


def test_interrupted_while_the_file_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("jointplay.results.store._create", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "run.nc")
    assert list(tmp_path.iterdir()) == []


# --- size -------------------------------------------------------------------------------------------------------------


def bouncing(path: Path, **options: object) -> jp.Solution:
    system = jp.load_model(GALLERY / "bouncing_ball.yaml")
    return jp.simulate(system, 4.0, jp.Moreau(step=1e-3), 0.01, output=path, **options)


def test_a_file_is_as_large_as_what_it_holds(tmp_path: Path) -> None:
    solution = bouncing(tmp_path / "run.nc")
    assert 0 < len(solution.impacts) < 1000
    numbers = 8 * len(solution.time) * solution.layout.channels + solution.impacts.nbytes
    assert (tmp_path / "run.nc").stat().st_size < numbers + 150_000
    assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]


def test_impacts_that_find_no_room_while_running_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bouncing(tmp_path / "whole.nc").impacts
    assert len(whole) > 2
    monkeypatch.setattr(module, "MOST_EVENTS", 2)
    assert np.array_equal(bouncing(tmp_path / "run.nc").impacts, whole)


def test_without_room_for_the_shorter_copy_the_long_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise jp.InputError("no room")

    whole = bouncing(tmp_path / "whole.nc")
    monkeypatch.setattr(module, "_write", refuse)
    long = bouncing(tmp_path / "run.nc")
    assert long.outcome.ok
    assert np.array_equal(long.impacts, whole.impacts)
    assert (tmp_path / "run.nc").stat().st_size > 10 * (tmp_path / "whole.nc").stat().st_size


def test_a_file_that_is_being_written_can_be_read(tmp_path: Path) -> None:
    seen: list[jp.Solution] = []
    part = tmp_path / "run.nc.part"
    whole = bouncing(tmp_path / "run.nc", progress=lambda *_: seen.append(jp.load(part)))
    assert seen[-1].outcome.code.name == "INTERRUPTED"
    count = len(seen[-1].time)
    assert np.array_equal(seen[-1].time, whole.time[:count])
