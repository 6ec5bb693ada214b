"""A wheel as it is built from a checkout: it runs where there is no compiler and no Numba."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
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


PARTS = ("src", "buildhook", "lowered", "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE")
PACK = "import sys; sys.path.insert(0, 'buildhook'); import backend; backend.build_sdist(sys.argv[1])"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources packed, in a copy of the checkout."""
    pytest.importorskip("setuptools", "77", reason="packs the sources: pip install 'setuptools>=77'")
    folder = tmp_path_factory.mktemp("archive")
    copy = folder / "checkout"
    copy.mkdir()
    for one in PARTS:
        if (ROOT / one).is_dir():
            ignored = shutil.ignore_patterns("lib", "__pycache__", "*.egg-info")
            shutil.copytree(ROOT / one, copy / one, ignore=ignored)
        else:
            shutil.copy(ROOT / one, copy / one)
    (copy / "src/jointplay/native/lib").mkdir()
    (copy / "src/jointplay/native/lib/engine-another.json").write_text("{}")  # for another kind of machine
    done = subprocess.run([sys.executable, "-c", PACK, str(folder)], cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.tar.gz")
    return made


def test_an_archive_holds_what_builds_a_wheel(archive: Path) -> None:
    with tarfile.open(archive) as files:
        held = {one.partition("/")[2] for one in files.getnames()}
    for part in PARTS:
        assert {str(file.relative_to(ROOT)) for file in _files(ROOT / part)} <= held
    assert not [name for name in held if name.startswith("tests") or "/native/lib/" in name]


LEFT = """
import os, sys
os.environ["JOINTPLAY_WHEEL_LEVELS"] = "x86-64"
sys.path.insert(0, "buildhook")
from backend import build_meta
print(build_meta.build_wheel("."))
"""


def test_nothing_stays_of_an_earlier_wheel(archive: Path, tmp_path: Path) -> None:
    with tarfile.open(archive) as files:
        files.extractall(tmp_path, filter="data")
    (checkout,) = tmp_path.iterdir()
    left = checkout / "build" / "lib" / "jointplay" / "native" / "lib"
    left.mkdir(parents=True)
    (left / "engine-another.so").touch()
    command = [sys.executable, "-c", LEFT]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = checkout.glob("*.whl")
    names = ZipFile(made).namelist()
    assert any(one.endswith("jointplay/extras.py") for one in names)
    assert not [one for one in names if one.endswith(".so")]


def _files(part: Path) -> Iterator[Path]:
    """Those that are no products of a build."""
    products = ("__pycache__", "lib", "jointplay.egg-info")
    every = part.rglob("*") if part.is_dir() else [part]
    return (one for one in every if one.is_file() and not set(products) & set(one.parts))


@pytest.fixture(scope="module")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by pip of the archive, with what the build asks for and nothing else."""
    if levels()[-1] != "x86-64":
        pytest.skip("looks for libraries of x86-64")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(folder), str(archive)]
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
