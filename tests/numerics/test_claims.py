"""Processes that fill one cache at the same time.

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
from jointplay.numerics.claims import Claims, claims_in, lockable

HOME = str(Path(jointplay.__file__).parents[1])

MEET = """
import json, sys, time
from pathlib import Path
home, folder, me = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
sys.path[:0] = home, str(folder)
from numba.core import event
from numba.core.caching import IndexDataCacheFile

def meet():
    (folder / f"{me}.here").touch()
    while len(list(folder.glob("*.here"))) < 2:
        time.sleep(0.01)

seen = []
class Listener(event.Listener):
    def on_start(self, one): pass
    def on_end(self, one): seen.append(one.data["dispatcher"].py_func.__name__)
write = IndexDataCacheFile._save_index
def slowly(index, overloads):  # the pause stands for the time that writing takes
    time.sleep(0.5)
    write(index, overloads)
IndexDataCacheFile._save_index = slowly
"""

# Adds a signature of its own to an index, as Numba does by itself.
SAVE = """
meet()
IndexDataCacheFile(str(folder), "kernel", "stamp").save(me, f"code for {me}")
"""

# Compiles a kernel and its callee, and tells what the compiler had to do: both for one number, or each for its own.
SAME, OWN = (
    f"""
import kernels
meet()
with event.install_listener("numba:compile", Listener()):
    assert kernels.caller({number}) == 3
print(json.dumps(seen))
"""
    for number in ("1.0", "1.0 if me == 'one' else 1")
)

KERNELS = """
from jointplay.numerics.jit import jit

@jit
def callee(x):
    return x + 1

@jit
def caller(x):
    return callee(x) + callee(x - 1)
"""


def at_once(program: str, folder: Path, names: tuple[str, ...] = ("one", "two")) -> list[str]:
    """What processes print that run at the same time."""
    both = [
        subprocess.Popen(
            [sys.executable, "-c", MEET + program, HOME, str(folder), me],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "JOINTPLAY_CACHE_DIR": str(folder)},
        )
        for me in names
    ]
    said = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0] * len(both)
    return said


@pytest.mark.slow
def test_two_signatures_stored_at_once_are_both_kept(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    at_once(OWN, tmp_path)
    for me in ("one", "two"):  # a third process compiles nothing
        assert [json.loads(line) for line in at_once(OWN, tmp_path, (me,))] == [[]]


def test_without_claims_one_would_be_lost(tmp_path: Path) -> None:
    """What the claims are for; if this fails Numba has learnt to do without them."""
    from numba.core.caching import IndexDataCacheFile

    at_once(SAVE, tmp_path)
    index = IndexDataCacheFile(str(tmp_path), "kernel", "stamp")
    assert [index.load(me) for me in ("one", "two")] != ["code for one", "code for two"]


@pytest.mark.slow
def test_a_kernel_is_compiled_by_one_process_only(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    said = at_once(SAME, tmp_path)
    pieces, program = ["callee", "caller"], ["caller"]
    assert sorted(json.loads(said[0]) + json.loads(said[1])) == sorted(pieces + program)


def test_a_claim_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    program = (
        f"import sys; sys.path.insert(0, {HOME!r})\n"
        "from pathlib import Path; from jointplay.numerics.claims import Claims\n"
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


def test_a_place_that_cannot_be_locked_is_told(tmp_path: Path) -> None:
    assert lockable(tmp_path / "claims")
    assert not lockable(tmp_path / "no such folder" / "claims")
    assert claims_in(tmp_path) is not None
    assert claims_in(tmp_path / "no such folder") is None
