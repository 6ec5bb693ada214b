"""Commands whose streams are closed, full, or cut off by their reader; each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MODEL = """jointplay: 1
planar: true
bodies: {b: {mass: 1, inertia: 1, position: [0.5, 0]}}
joints: {A: {type: revolute, between: [ground, b], point: [0, 0]}}
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell of POSIX")


def shell(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    """A line of a shell in which ``jp`` is the command; the exit code is that of its first part."""
    line = f'jp() {{ "{sys.executable}" -m jointplay "$@"; }}\n{words}'
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@posix
@pytest.mark.parametrize(
    "words",
    [
        "jp run m.yaml --until 1ms -o a.nc 2>&-",
        "jp run m.yaml --until 1ms -o a.nc >&-",
        "jp run m.yaml --until 1ms -o a.nc --json <&- >&- 2>&-",
    ],
)
def test_closed_streams(tmp_path: Path, words: str) -> None:
    """The work is done all the same, and the result is nobody's stream."""
    (tmp_path / "m.yaml").write_text(MODEL)
    done = shell(tmp_path, words)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.nc").stat().st_size > 1000
    assert "defect" not in done.stdout + done.stderr


@posix
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("jp examples list | head -n 1; exit ${PIPESTATUS[0]}", 0),
        ("jp schema | head -c 5; exit ${PIPESTATUS[0]}", 0),
        ("jp check none.yaml 2>&1 | true; exit ${PIPESTATUS[0]}", 2),
        ("jp check none.yaml 2>/dev/full; exit $?", 2),
        ("jp check none.yaml --json >&-; exit $?", 2),
    ],
)
def test_a_reader_who_has_seen_enough(tmp_path: Path, words: str, code: int) -> None:
    """Not a word about it, and the exit code of the work."""
    done = shell(tmp_path, words)
    assert done.returncode == code, done.stderr
    assert not any(word in done.stderr for word in ("Broken", "Exception", "Traceback", "defect"))


@posix
@pytest.mark.parametrize("words", ["schema", "--help"])
def test_an_answer_that_is_lost_is_an_error(tmp_path: Path, words: str) -> None:
    """A full disk under stdout."""
    done = shell(tmp_path, f"jp {words} > /dev/full")
    assert done.returncode == 2
    assert done.stderr.strip() == "No space left on device"


@posix
def test_a_stream_of_few_letters(tmp_path: Path) -> None:
    """What it cannot encode is written as an escape."""
    (tmp_path / "m.yaml").write_text(MODEL + "name: größe 杆\n", encoding="utf-8")
    done = shell(tmp_path, "PYTHONIOENCODING=ascii jp check m.yaml")
    assert done.returncode == 0
    assert r"gr\xf6\xdfe \u6746" in done.stdout
