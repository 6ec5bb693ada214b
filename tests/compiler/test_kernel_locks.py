"""Processes that fill one store of pieces at the same time.

Each test starts two programs that wait for each other and then do the same thing at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import jointplay
from jointplay.compiler.kernel_locks import Claims, claims_in, lockable

HOME = str(Path(jointplay.__file__).parents[1])

# Compiles a kernel and its callee, and tells what the compiler had to do: both for one number, or each for its own.
PROGRAM = """
import json, sys, time
from pathlib import Path
home, folder, me, number = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
sys.path[:0] = home, str(folder)
from jointplay.native.kernel import listeners
import numba
import kernels
seen = []
listeners.append(lambda kernel, is_done: seen.append(kernel.__name__) if is_done else None)
(folder / f"{me}.here").touch()
while len(list(folder.glob("*.here"))) < 2:
    time.sleep(0.01)
assert kernels.caller(float(number) if "." in number else int(number)) == 3
print(json.dumps(seen))
"""

KERNELS = """
from jointplay.numerics.jit import jit

@jit
def callee(x):
    return x + 1

@jit
def caller(x):
    return callee(x) + callee(x - 1)
"""


def at_once(folder: Path, numbers: dict[str, str]) -> list[list[str]]:
    """What processes compile that run at the same time, each with a number."""
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, HOME, str(folder), me, number],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "JOINTPLAY_CACHE_DIR": str(folder)},
        )
        for me, number in numbers.items()
    ]
    said = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0] * len(both)
    return [json.loads(one) for one in said]


@pytest.mark.slow
def test_two_signatures_stored_at_once_are_both_kept(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    numbers = {"one": "1.0", "two": "1"}
    at_once(tmp_path, numbers)
    for me, number in numbers.items():  # a third process compiles nothing
        assert at_once(tmp_path, {me: number}) == [[]]


@pytest.mark.slow
def test_a_kernel_is_compiled_by_one_process_only(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    said = at_once(tmp_path, {"one": "1.0", "two": "1.0"})
    pieces, machine_code = ["callee", "caller"], ["caller"]
    assert sorted(said[0] + said[1]) == sorted(pieces + machine_code)


def test_a_claim_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    program = (
        f"import sys; sys.path.insert(0, {HOME!r})\n"
        "from pathlib import Path; from jointplay.compiler.kernel_locks import Claims\n"
        f"held = Claims(Path({str(path)!r})).on('it'); held.__enter__(); print('held', flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with Claims(path) as claims:
        with claims.on("something else"):
            pass
        process.kill()
        with claims.on("it"):
            assert process.wait() != 0


def test_a_place_that_cannot_be_locked_is_reported(tmp_path: Path) -> None:
    assert lockable(tmp_path / "claims")
    assert not lockable(tmp_path / "no such folder" / "claims")
    assert claims_in(tmp_path) is not None
