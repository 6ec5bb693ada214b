"""LLVM code that is kept with the sources is what the sources say, is used while they say so, and only then."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jointplay.compiler import lowered
from jointplay.compiler.entries import EntryPoint
from jointplay.compiler.module import callers_first
from jointplay.compiler.store import Store
from jointplay.native.kernel import PLAIN
from jointplay.native.library import library
from jointplay.native.processor import levels
from jointplay.native.sources import LIBRARIES
from jointplay.warmup import pool

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")

# Lowers a kernel that Python calls in a task, and all below it; which one, the day decides.
AGAIN = """
import json, random
from dataclasses import asdict
from jointplay.compiler.entries import entry_point
from jointplay.warmup.record import calls_in
from jointplay.warmup.tasks import tasks_for
calls = list(calls_in(tasks_for(True)["contact problems"]).values())
print(json.dumps(asdict(entry_point(*random.choice(calls)))))
"""
# What pip installs to build a wheel from a checkout is llvmlite alone.
NO_NUMBA = """
import importlib.metadata as metadata, sys
found = metadata.version
def version(name):
    if name == "numba":
        raise metadata.PackageNotFoundError(name)
    return found(name)
metadata.version, sys.modules["numba"] = version, None
from jointplay.compiler import lowered
from jointplay.native.sources import LIBRARIES
from jointplay.warmup import pool
kept = [name for name in LIBRARIES if lowered.lowered(name)]
assert [name for name in LIBRARIES if pool.is_lowered(name)] == kept
for name in kept[:1]:
    assert lowered.code_of(name, lowered.lowered(name)).get_function
"""
OWN = re.compile(r"_ZN[\w$]*?B\d+v\d+")  # name of a function of Numba's; types follow, numbered as they came


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What is kept of the engine, as a copy that a test may spoil."""
    monkeypatch.delenv(lowered.FROM_SOURCES, raising=False)
    facts = lowered.lowered("engine")
    if facts is None:
        pytest.skip("the LLVM code in lowered/ is not that of the present sources: make lowered")
    for name in ("engine.json", "engine.bc.xz"):
        shutil.copy(lowered.FOLDER / name, tmp_path / name)
    monkeypatch.setattr(lowered, "FOLDER", tmp_path)
    return facts


def own_name(name: str) -> str:
    """The part of a name that does not depend on what else a process has lowered."""
    found = OWN.search(name)
    if found:  # functions of Numba's own are numbered as they came
        return re.sub(r"B\d+v\d{1,9}$", "", found.group())
    return re.sub(r"\.\d+$", "", name)


def text_of(function: Any) -> str:
    """A function without the numbers and names that depend on what else is in its module."""
    text = re.sub(r"#\d+|!\S+", "", str(function).partition("{")[2])
    return re.sub(r'@(?:"([^"]*)"|([\w.$]+))', lambda found: own_name(found[1] or found[2]), text)


def test_it_is_what_the_sources_say(kept: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if kept["by"] != lowered.made_by():
        pytest.skip("names of functions are those of another Python or Numba")
    monkeypatch.setenv("JOINTPLAY_CACHE_DIR", str(tmp_path / "cache"))
    done = subprocess.run([sys.executable, "-c", AGAIN], capture_output=True, text=True, check=True)
    entry = EntryPoint(**json.loads(done.stdout))
    fresh, module = Store(tmp_path / "cache" / "kernels" / "pieces"), lowered.code_of("engine", kept)
    functions = {own_name(one.name): one for one in module.functions if not one.is_declaration}
    keys = callers_first(fresh, [entry.piece])
    for key in keys:
        _, name, _, code = fresh.read(key)  # type: ignore[misc]
        again = lowered.llvm.parse_bitcode(code).get_function(name)
        assert text_of(again) == text_of(functions[own_name(name)]), f"{entry.kernel}: {fresh.kernel(key)}"
    assert keys


def test_a_library_is_made_of_it_without_numba(kept: dict[str, Any], tmp_path: Path) -> None:
    plan = pool.Plan(["engine"], ("x86-64", "x86-64-v3"), tmp_path)
    orders = list(iter(plan.next, None))
    assert [(one["link"], one["level"]) for one in orders] == [("engine", "x86-64"), ("engine", "x86-64-v3")]
    assert not any("entries" in one or "task" in one for one in orders)
    wanted = "import sys; import jointplay.compiler.lowered; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", wanted]).returncode == 0


RUN = """
import sys
import jointplay as jp
from jointplay.cli.examples import GALLERY
solution = jp.simulate(jp.load_model(GALLERY / "pendulum.yaml"), 0.01)
sys.exit(int(not solution.outcome.ok or "numba" in sys.modules))
"""


def test_a_kernel_makes_the_library_that_it_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest one; the cache is empty."""
    name = min(LIBRARIES, key=pool.size_of_lowered)
    facts = lowered.lowered(name)
    if facts is None:
        pytest.skip("the LLVM code in lowered/ is not that of the present sources: make lowered")
    monkeypatch.setattr(lowered, "made_here", lambda: tmp_path)
    kernel, signatures = next(iter(facts["entries"].items()))
    signature, entry = next(iter(signatures.items()))
    called: Any = SimpleNamespace(name=kernel, content_key=lambda: entry["key"])
    assert lowered.entry_from_lowered(called, "another signature") is None
    assert not list(tmp_path.rglob("*.so"))
    assert lowered.entry_from_lowered(called, signature) is not None
    library.cache_clear()
    assert [one.stem for one in tmp_path.rglob("*.so")] == [f"{name}-{levels()[0]}"]


@pytest.mark.study
@pytest.mark.usefixtures("kept")
def test_a_run_in_a_fresh_checkout_makes_its_library(tmp_path: Path) -> None:
    """JOINTPLAY_CPU names a level that no library is made for; the cache is empty."""
    environment = os.environ | {"JOINTPLAY_CPU": "x86-64-v2", "JOINTPLAY_CACHE_DIR": str(tmp_path / "cache")}
    assert subprocess.run([sys.executable, "-c", RUN], env=environment).returncode == 0
    assert [one.name for one in tmp_path.glob("cache/kernels/libraries/*.so")] == ["engine-x86-64-v2.so"]


def test_other_sources_are_lowered(kept: dict[str, Any], tmp_path: Path) -> None:
    assert pool.is_lowered("engine")
    first = next(iter(kept["sources"]))
    other = kept | {"sources": kept["sources"] | {first: ["0" * 16, "0" * 16]}}
    (tmp_path / "engine.json").write_text(json.dumps(other))
    assert not pool.is_lowered("engine")
    assert all("task" in one for one in iter(pool.Plan(["engine"], ("x86-64",), tmp_path).next, None))


@pytest.mark.parametrize("change", [{"llvm": [999, 0, 0]}, {"format": 0}], ids=["newer LLVM", "another format"])
def test_code_that_cannot_be_read_is_left(kept: dict[str, Any], tmp_path: Path, change: dict[str, Any]) -> None:
    (tmp_path / "engine.json").write_text(json.dumps(kept | change))
    assert lowered.lowered("engine") is None


def test_damage_is_told(kept: dict[str, Any], tmp_path: Path) -> None:
    data = bytearray((tmp_path / "engine.bc.xz").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "engine.bc.xz").write_bytes(data)
    with pytest.raises(lowered.LoweredError, match="is damaged.*JOINTPLAY_FROM_SOURCES"):
        lowered.make_from_lowered("engine", "x86-64", tmp_path / "engine-x86-64.json")


def test_it_can_be_switched_off(kept: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(lowered.FROM_SOURCES, "1")
    assert lowered.lowered("engine") is None


def test_only_what_is_missing_is_lowered(kept: dict[str, Any], tmp_path: Path) -> None:
    names = list(LIBRARIES)
    orders = list(iter(pool.Plan(names, ("x86-64",), tmp_path).next, None))
    assert orders[0] == {"link": "engine", "level": "x86-64", "place": str(tmp_path / "engine-x86-64.json")}
    tasks = {one["task"] for one in orders[1:]}
    assert "moreau" not in tasks and "direct moreau" in tasks  # entries of the engine are known


def test_code_that_is_kept_is_used_where_there_is_no_numba() -> None:
    told = subprocess.run([sys.executable, "-c", NO_NUMBA], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
