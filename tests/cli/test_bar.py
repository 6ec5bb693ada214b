"""Progress: how it is said, and when."""

from __future__ import annotations

import io

import pytest

from jointplay import progress as module
from jointplay.progress import Lines, Pace, bar, span


def test_words() -> None:
    assert span(12.3) == "12 s"
    assert span(75.0) == "1 min 15 s"
    assert span(119.9) == "1 min 59 s"
    assert span(7300.0) == "2 h 1 min"
    assert span(30.0 * 3600.0) == "30 h 0 min"
    assert span(72.0 * 3600.0) == "3 days"
    assert span(1e9) == "31.7 years"


def test_a_steady_run() -> None:
    """The time left is told once it can be known."""
    pace = Pace()
    said = [pace(0.05 * k, 5.0, 0.1 * k) for k in range(60)]
    assert said[0] == "0 of 5 s"
    assert said[10] == "0.5 of 5 s, 0.5 s/s"
    assert said[-1] == "2.95 of 5 s, 0.5 s/s, 4 s left"
    assert not any("left" in one for one in said[:20])
    assert "left" not in pace(5.0, 5.0, 10.0)


@pytest.mark.parametrize("start", [1e-12, 1e-6, 1e-3])
def test_first_steps_say_nothing(start: float) -> None:
    """A method that begins with tiny steps, after minutes of compiling, promises no years."""
    pace, time, wall = Pace(), 0.0, 180.0
    told = []
    for k in range(400):
        time, wall = time + min(start * 2.0**k, 0.01), wall + 0.25
        told.append(pace(time, 10.0, wall))
    left = [one.split(", ")[-1] for one in told if one.endswith(" left")]
    assert left
    assert not any(word in one for one in left for word in ("h ", "days", "years"))


@pytest.mark.parametrize("time", [0.0, 1e-320, 5e-324])
def test_a_run_that_does_not_move(time: float) -> None:
    """Neither an endless time left nor an error."""
    pace = Pace()
    for k in range(500):
        assert "left" not in pace(time * k, 1e-3, 0.25 * k)


def test_a_continued_run_counts_from_its_start() -> None:
    pace = Pace()
    said = [pace(100.0 + 0.1 * k, 200.0, 0.1 * k) for k in range(100)]
    assert said[-1] == "109.9 of 200 s, 1 s/s, 1 min 30 s left"


def test_few_points_are_kept() -> None:
    """Of a run of a day, with four looks a second."""
    pace = Pace()
    for k in range(4 * 86_400):
        pace._mark(0.25 * k, 0.0)
    assert len(pace._marks) < 1000


class Refusing(io.StringIO):
    """A stream that nobody reads, or whose disk is full."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        raise self.error


@pytest.mark.parametrize(
    "stream", [None, Refusing(BrokenPipeError()), Refusing(OSError(28, "full")), Refusing(ValueError())]
)
def test_no_stream_stops_a_run(
    stream: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "FIRST", 0.0)
    monkeypatch.setattr("sys.stderr", stream)
    with bar(1.0) as tell:
        tell.compiling(1, 2, "one")
        tell(0.5, 1.0, 1.0)
    assert capsys.readouterr().out == ""


def test_lines_come_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    monkeypatch.setattr(module.clock, "monotonic", lambda: now)
    tell = Lines()
    for k in range(300):
        now = 0.1 * k
        tell(now, 30.0, now)
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_compiling_is_said_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with bar(1.0) as tell:
        tell.compiling(1, 3, "one")
        tell.compiling(2, 3, "two")
        tell.compiling(3, 3, "")
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("compiling kernels (the first time only")
    assert said[-1] == "compiling: 3 of 3 kernels"


def test_what_follows_the_last_kernel_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(module.clock, "monotonic", lambda: now)
    tell = Lines()
    for k in range(50):
        now = float(k)
        tell.compiling(3, 3, f"optimising, {k} s")
    said = capsys.readouterr().err.splitlines()
    assert said[1:] == [f"compiling: 3 of 3 kernels; optimising, {k} s" for k in (2, 12, 22, 32, 42)]


def test_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with bar(5.0) as tell:
        tell.compiling(1, 2, "one")
        tell(2.5, 5.0, 1.0)
        tell(5.0, 5.0, 2.0)
    assert "5 of 5 s" in capsys.readouterr().err
