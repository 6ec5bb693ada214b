"""Libraries of kernels: results of all kinds, damage that is noticed, and life without a compiler."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from bits import digest

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.native.kernel import PLAIN
from jointplay.native.library import KernelError, Library, library
from jointplay.native.processor import FLAGS, levels
from jointplay.numerics.jit import jit

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")


@jit
def kinds(n, x, z, flag, index):
    """One of each."""
    return n + 1, x * 2.0, z * z, not flag, index, (x, (n, x)), (n > 3, x)


@jit
def nothing(a):
    """Writes."""
    a[0] = 7.0


@jit
def element(a, i, j):
    """A number of an array in any order."""
    return a[i, j]


@jit
def with_default(x, y=3.0):
    """Two numbers."""
    return x - y


def test_numbers_and_tuples_come_back_as_they_are() -> None:
    found = kinds(3, 0.5, 1.0 + 2.0j, True, np.uint32(9))
    assert found == (4, 1.0, -3.0 + 4.0j, False, 9, (0.5, (3, 0.5)), (False, 0.5))
    assert [type(one) for one in found[:5]] == [int, float, complex, bool, int]


def test_a_kernel_that_returns_nothing() -> None:
    a = np.zeros(2)
    assert nothing(a) is None
    assert a.tolist() == [7.0, 0.0]


def test_arrays_in_any_order() -> None:
    a = np.arange(24.0).reshape(4, 6)
    for view in (a, a.T, a[::2, ::3], a[::-1]):
        assert element(view, 1, 1) == view[1, 1]


def test_keywords_and_defaults() -> None:
    assert with_default(5.0) == 2.0
    assert with_default(5.0, 1.0) == with_default(y=1.0, x=5.0) == 4.0
    with pytest.raises(TypeError):
        with_default()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The manifest of a copy of the engine."""
    held = library("engine")
    if held is None:
        pytest.skip("there is no library yet")
    for file in (held.manifest, held.path):
        shutil.copy(file, tmp_path / file.name)
    return tmp_path / held.manifest.name


def any_entry(found: Library) -> tuple[str, str, str]:
    kernel, entries = next(iter(found.facts["entries"].items()))
    signature, facts = next(iter(entries.items()))
    return kernel, signature, facts["key"]


def test_a_damaged_library_is_not_run(copy: Path) -> None:
    code = copy.with_suffix(".so")
    data = bytearray(code.read_bytes())
    data[len(data) // 2] ^= 1
    code.write_bytes(data)
    found = Library(copy)
    kernel, signature, key = any_entry(found)
    with pytest.raises(KernelError, match="is damaged"):
        found.entry(kernel, signature, lambda: key)


def test_a_library_of_another_version_is_not_run(copy: Path) -> None:
    copy.write_text(json.dumps(json.loads(copy.read_text()) | {"format": 0}))
    with pytest.raises(KernelError, match="another version"):
        Library(copy)


def test_after_an_edit_kernels_that_it_does_not_touch_stay(copy: Path) -> None:
    facts = json.loads(copy.read_text())
    facts["sources"]["methods/moreau.py"] = ["edited", "edited"]
    copy.write_text(json.dumps(facts))
    found = Library(copy)
    assert not found.is_current
    kernel, signature, key = any_entry(found)
    assert found.entry(kernel, signature, lambda: key) is not None
    assert found.entry(kernel, signature, lambda: "another key") is None


def test_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    from jointplay.native import processor

    monkeypatch.delenv("JOINTPLAY_CPU", raising=False)
    monkeypatch.setattr(processor.platform, "machine", lambda: "x86_64")
    for flags, expected in ((FLAGS, ("x86-64-v3", "x86-64")), (FLAGS - {"fma"}, ("x86-64",))):
        levels.cache_clear()
        monkeypatch.setattr(processor, "_flags", lambda flags=flags: set(flags))
        assert levels() == expected
    levels.cache_clear()
    monkeypatch.setenv("JOINTPLAY_CPU", "x86-64-v2")
    assert levels() == ("x86-64-v2",)
    levels.cache_clear()


# A run in a process that has no compiler, and what it has imported.
BARE = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            raise ModuleNotFoundError(f"No module named {name!r}")
sys.meta_path.insert(0, Absent())
sys.path.insert(0, sys.argv[1])
import jointplay as jp
from bits import digest
from jointplay.cli.examples import GALLERY
for name in ("slider_crank_clearance", "pendulum"):
    print(digest(jp.simulate(jp.load_model(GALLERY / f"{name}.yaml"), 0.02)))
print(jp.sensitivities(GALLERY / "pendulum.yaml", ["length"], "P.angle", until=0.01,
                       scheme=jp.Index1(step=1e-3), save=0.01)["P.angle"]["length"][-1].hex())
print({"numba", "llvmlite"} & set(sys.modules))
from jointplay.numerics.vec import copy
import numpy as np
try:
    copy(np.zeros(2, dtype=np.complex64), np.zeros(2, dtype=np.complex64))
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.slow
def test_runs_need_no_compiler(tmp_path: Path) -> None:
    """Same bits as here; and a sentence where a kernel is not in the libraries."""
    if library("engine") is None or library("derivatives") is None:
        pytest.skip("there are no libraries yet")
    environment = os.environ | {
        "PYTHONPATH": str(Path(jp.__file__).parents[1]),
        "JOINTPLAY_CACHE_DIR": str(tmp_path),
    }
    command = [sys.executable, "-c", BARE, str(Path(__file__).parents[1])]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for name, said in zip(("slider_crank_clearance", "pendulum"), lines, strict=False):
        assert digest(jp.simulate(jp.load_model(GALLERY / f"{name}.yaml"), 0.02)) == said
    here = jp.sensitivities(
        GALLERY / "pendulum.yaml", ["length"], "P.angle", until=0.01, scheme=jp.Index1(step=1e-3), save=0.01
    )
    assert here["P.angle"]["length"][-1].hex() == lines[2]
    assert lines[3] == "set()"
    assert lines[4].startswith("KernelError no library holds numerics.vec.copy for such arguments")
    assert "pip install 'jointplay[build]'" in lines[4]


@jit
def add_up(a, total):
    """Sum of an array into another one."""
    total[0] = 0.0
    for n in range(len(a)):
        total[0] += a[n]


def test_a_call_that_is_repeated_sees_what_the_arrays_hold_now() -> None:
    a, total = np.ones(3), np.zeros(1)
    for number in (1.0, 2.0, 5.0):
        a[:] = number
        add_up(a, total)
        assert total[0] == 3.0 * number
    add_up(np.ones(5), total)
    assert total[0] == 5.0
    add_up(a, total)
    assert total[0] == 15.0


# Names a folder that everybody can write, with files in it that would act if they were loaded.
SHARED = """
import sys
import numpy as np
from jointplay.native import library
from jointplay.numerics.jit import jit
print(library.made_here())
import jointplay as jp
from jointplay.cli.examples import GALLERY
jp.load_model(GALLERY / "pendulum.yaml").check()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders of users are private there")
def test_a_folder_that_others_can_write_is_refused_and_reported(tmp_path: Path) -> None:
    shared, planted = tmp_path / "shared", tmp_path / "shared" / "kernels" / "libraries"
    planted.mkdir(parents=True)
    for level in ("x86-64", "x86-64-v3"):
        (planted / f"engine-{level}.json").write_text("{}")
        (planted / f"engine-{level}.so").write_bytes(b"not for you")
    shared.chmod(0o777)
    environment = os.environ | {
        "PYTHONPATH": str(Path(jp.__file__).parents[1]),
        "JOINTPLAY_CACHE_DIR": str(shared),
        "XDG_CACHE_HOME": str(tmp_path / "own"),
    }
    done = subprocess.run([sys.executable, "-c", SHARED], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "is writable by others: compiled kernels there are not used" in done.stderr
    assert done.stdout.strip() == str(tmp_path / "own" / "jointplay" / "kernels" / "libraries")
