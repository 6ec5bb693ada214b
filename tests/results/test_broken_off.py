"""A write that Ctrl-C or a full disk breaks off anywhere: the file holds what counted before, or all of it."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.codes import Code, Outcome
from jointplay.results import file
from jointplay.results.file import FileSink

FIRST = 4  # states that are written before


@pytest.fixture(scope="module")
def whole() -> jp.Solution:
    return jp.simulate(jp.load_model(GALLERY / "bouncing_ball.yaml"), 3.0, jp.Moreau(step=1e-3), 0.25)


class Break:
    """Raises an error at line number ``at`` of what is traced in the files of results."""

    def __init__(self, at: int, error: BaseException) -> None:
        self.left, self.error = at, error

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if "results" not in Path(frame.f_code.co_filename).parts:
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise self.error
        return self


def channels_of(solution: jp.Solution) -> np.ndarray:
    """Saved states as lines of channels."""
    out = np.empty((len(solution.time), solution.layout.channels))
    for variable in solution.layout.variables:
        block = np.asarray(solution._data[variable.name]).reshape(len(out), -1)
        out[:, np.array(variable.columns).ravel()] = block
    return out


def broken(whole: jp.Solution, path: Path, at: int, error: BaseException) -> tuple[jp.Solution, bool]:
    """What is read after a write that was broken off, and whether it was."""
    channels = channels_of(whole)
    events = whole._events
    sink = FileSink(path, whole.layout, whole.time, whole.meta, whole.state)
    sink.note(events[:1])
    sink.write(channels[:FIRST], whole.state)
    before, cut_off = sys.gettrace(), False
    sys.settrace(Break(at, error))
    try:
        sink.note(events[1:])
        sink.write(channels[FIRST:], whole.state)
    except (KeyboardInterrupt, OSError):
        cut_off = True
    finally:
        sys.settrace(before)
    code = Code.INTERRUPTED if isinstance(error, KeyboardInterrupt) else Code.OUTPUT_FAILED
    return sink.finish(Outcome.of(code, 0.3, reason="it is full"), whole.stats, whole.meta, whole.state), cut_off


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "full")], ids=["ctrl-c", "full disk"])
def test_a_write_broken_off_anywhere(
    whole: jp.Solution, tmp_path: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "MOST_EVENTS", 10)  # a small file is made and copied faster
    assert len(whole._events) >= 2
    at, counts = 1, set()
    while True:
        solution, cut_off = broken(whole, tmp_path / f"{at}.nc", at, error)
        count = len(solution.time)
        counts.add(count)
        assert count in (FIRST, len(whole.time))
        assert len(solution._events) in (1, len(whole._events))
        for name in whole.names:  # every number is read and agrees with its checksum
            assert np.array_equal(solution[name], whole[name][:count], equal_nan=True), (at, name)
        assert np.array_equal(solution._events, whole._events[: len(solution._events)])
        if not cut_off:
            break
        at += 7
    assert at > 100 and counts == {FIRST, len(whole.time)}
