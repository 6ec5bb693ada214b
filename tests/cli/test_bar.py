"""Progress: how it is said, and when."""

from __future__ import annotations

import pytest

from jointplay import progress as module
from jointplay.progress import Lines, bar, pace, span


def test_words() -> None:
    assert span(12.3) == "12 s"
    assert span(75.0) == "1 min 15 s"
    assert span(7300.0) == "2 h 1 min"
    assert pace(1.0, 5.0, 2.0) == "1 of 5 s, 0.5 s/s, 8 s left"
    assert pace(0.0, 5.0, 0.0) == "0 of 5 s, 0 s/s"


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
        tell.compiling(3, 3, "three")
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("compiling kernels (the first time only")
    assert said[-1] == "compiling: 3 of 3 kernels"


def test_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with bar(5.0) as tell:
        tell.compiling(1, 2, "one")
        tell(2.5, 5.0, 1.0)
        tell(5.0, 5.0, 2.0)
    assert "5 of 5 s, 2.5 s/s" in capsys.readouterr().err
