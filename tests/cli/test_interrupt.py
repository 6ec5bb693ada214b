"""Ctrl-C that lands where Python ignores exceptions is not lost."""

from __future__ import annotations

import os
import signal

import pytest

from jointplay.cli.interrupt import heeding


class Closes:
    """Something whose destructor meets Ctrl-C."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass


def test_an_interrupt_in_a_destructor_is_raised_later(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[int] = []
    with heeding() as heed:
        tell = heed(told.append)
        tell(1)
        thing = Closes()
        del thing
        with pytest.raises(KeyboardInterrupt):
            tell(2)
    assert told == [1]
    assert capsys.readouterr().err == ""


def test_the_usual_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), heeding():
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
    assert signal.getsignal(signal.SIGINT) is before
