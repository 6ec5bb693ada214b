"""Processes that fill one cache at the same time.

Each test starts two programs that wait for each other and then do the same thing at once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import jointplay
from jointplay.warmup.claims import Claims, lockable

HOME = str(Path(jointplay.__file__).parents[1])

MEET = """
import json, sys, time
from contextlib import nullcontext
from pathlib import Path
home, folder, me, claimed = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4] == "claimed"
sys.path.insert(0, home)
from jointplay.warmup.claims import Claims, sharing

def meet():
    (folder / f"{me}.here").touch()
    while len(list(folder.glob("*.here"))) < 2:
        time.sleep(0.01)
"""

# Adds its own signature to the index of a kernel. The pause stands for the time that writing takes.
SAVE = """
from numba.core.caching import IndexDataCacheFile
write = IndexDataCacheFile._save_index
def slowly(index, overloads):
    time.sleep(0.5)
    write(index, overloads)
IndexDataCacheFile._save_index = slowly
with sharing(folder / "claims") if claimed else nullcontext():
    meet()
    IndexDataCacheFile(str(folder), "kernel", "stamp").save(me, f"code for {me}")
"""

# Compiles the same kernel and its callee, and tells how often the compiler was at work.
COMPILE = """
sys.path.insert(0, str(folder))
from numba.core import event
import kernels
seen = []
class Listener(event.Listener):
    def on_start(self, one): pass
    def on_end(self, one): seen.append(one.data["dispatcher"].py_func.__name__)
with sharing(folder / "claims") if claimed else nullcontext():
    meet()
    with event.install_listener("numba:compile", Listener()):
        assert kernels.caller(1.0) == 3.0
print(json.dumps(seen))
"""

KERNELS = """
import numba

@numba.njit(cache=True)
def callee(x):
    return x + 1.0

@numba.njit(cache=True)
def caller(x):
    return callee(x) + callee(x - 1.0)
"""


def at_once(program: str, folder: Path, claimed: bool) -> list[str]:
    """What two processes print."""
    word = "claimed" if claimed else "free"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", MEET + program, HOME, str(folder), me, word], stdout=subprocess.PIPE, text=True
        )
        for me in ("one", "two")
    ]
    said = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    return said


def kept(folder: Path) -> dict[str, str]:
    """What a third process would load for each signature."""
    from numba.core.caching import IndexDataCacheFile

    index = IndexDataCacheFile(str(folder), "kernel", "stamp")
    return {me: index.load(me) for me in ("one", "two")}


def test_two_signatures_stored_at_once_are_both_kept(tmp_path: Path) -> None:
    at_once(SAVE, tmp_path, claimed=True)
    assert kept(tmp_path) == {"one": "code for one", "two": "code for two"}


def test_without_claims_one_would_be_lost(tmp_path: Path) -> None:
    """What the claims are for; if this fails Numba has learnt to do without them."""
    at_once(SAVE, tmp_path, claimed=False)
    assert kept(tmp_path) != {"one": "code for one", "two": "code for two"}


def test_a_kernel_is_compiled_by_one_process_only(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    said = at_once(COMPILE, tmp_path, claimed=True)
    assert sorted(json.loads(said[0]) + json.loads(said[1])) == ["callee", "caller"]


def test_a_claim_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    program = (
        f"import sys; sys.path.insert(0, {HOME!r})\n"
        "from pathlib import Path; from jointplay.warmup.claims import Claims\n"
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


@pytest.mark.parametrize("name", ["compile", "save"])
def test_numba_is_left_as_it_was(name: str, tmp_path: Path) -> None:
    from numba.core.caching import IndexDataCacheFile
    from numba.core.dispatcher import Dispatcher

    from jointplay.warmup.claims import sharing

    owner = {"compile": Dispatcher, "save": IndexDataCacheFile}[name]
    before = getattr(owner, name)
    with pytest.raises(ZeroDivisionError), sharing(tmp_path / "claims"):
        assert getattr(owner, name) is not before
        raise ZeroDivisionError
    assert getattr(owner, name) is before
