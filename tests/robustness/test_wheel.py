"""A wheel as it is built from a checkout: it runs where there is no compiler and no Numba."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from jointplay.native.processor import levels
from jointplay.native.sources import LIBRARIES

ROOT = Path(__file__).resolve().parents[2]
UNREACHED = ("No matching distribution", "Could not find a version", "ConnectionError", "Temporary failure")
LARGEST = 8_000_000  # bytes
WITHOUT_COMPILERS = '''
import sys


class Refuse:
    """No compiler is installed."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Refuse())
'''


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by pip with what the build asks for, in a copy of the sources."""
    if levels()[-1] != "x86-64":
        pytest.skip("looks for libraries of x86-64")
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "checkout"
    parts = ("src", "buildhook", "lowered", "pyproject.toml", "setup.py", "README.md", "LICENSE")
    copy.mkdir()
    for one in parts:
        if (ROOT / one).is_dir():
            shutil.copytree(ROOT / one, copy / one, ignore=shutil.ignore_patterns("lib", "__pycache__"))
        else:
            shutil.copy(ROOT / one, copy / one)
    (copy / "src/jointplay/native/lib").mkdir()
    (copy / "src/jointplay/native/lib/engine-another.json").write_text("{}")  # for another kind of machine
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(folder), str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": ""})
    if done.returncode != 0 and any(words in done.stdout + done.stderr for words in UNREACHED):
        pytest.skip("what builds a wheel cannot be installed here")
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.mark.study
@pytest.mark.timeout(1500)
def test_it_holds_the_libraries_of_its_machine(wheel: Path) -> None:
    names = {Path(one).name for one in ZipFile(wheel).namelist() if "/native/lib/" in one}
    stems = [f"{name}-{level}" for name in LIBRARIES for level in ("x86-64", "x86-64-v3")]
    assert names == {stem + ending for stem in stems for ending in (".so", ".json")}
    assert wheel.stat().st_size < LARGEST


@pytest.mark.study
@pytest.mark.timeout(1500)
def test_it_runs_without_a_compiler(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    ZipFile(wheel).extractall(site)
    (site / "sitecustomize.py").write_text(WITHOUT_COMPILERS)
    environment = os.environ | {"PYTHONPATH": str(site), "JOINTPLAY_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "jointplay", "examples", "run", "slider_crank_clearance", "--output", "run.nc"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run.nc").is_file()
    assert not list((tmp_path / "cache").rglob("*.so"))
    asked = "import jointplay, sys; print(jointplay.__file__); import numba"
    where = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, env=environment)
    assert str(site) in where.stdout and "No module named 'numba'" in where.stderr
