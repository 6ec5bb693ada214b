"""What is answered where a package that only some uses need is not installed."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mechanisms import swing

import jointplay as jp
from jointplay.cli.doctor import EXTRAS
from jointplay.notebook.slider import explore

ROBOT = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"


def read(folder: Path) -> object:
    (folder / "robot.xml").write_text(ROBOT)
    return jp.read(folder / "robot.xml")


USES: dict[str, tuple[str, Callable[[jp.Solution, Path], object]]] = {
    "xarray": ("xarray", lambda sol, _: sol.to_xarray()),
    "pandas": ("pandas", lambda sol, _: sol.to_pandas()),
    "openpyxl": ("excel", lambda sol, folder: sol.export(folder / "a.xlsx")),
    "pyarrow": ("parquet", lambda sol, folder: sol.export(folder / "a.parquet")),
    "ipywidgets": ("notebook", lambda sol, _: explore(sol)),
    "mujoco": ("mujoco", lambda _, folder: read(folder)),
    "gymnasium": ("gym", lambda *_: jp.environment(swing(), observe=(), act={}, reward="1", span=1.0, at_most=2.0)),
}


@pytest.fixture(scope="module")
def solution() -> jp.Solution:
    return jp.simulate(swing(), until=0.01, save=0.01)


@pytest.mark.parametrize("package", USES)
def test_a_package_that_is_missing(
    package: str, solution: jp.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    extra, use = USES[package]
    told = rf"needs the package {package}: pip install 'jointplay\[{re.escape(extra)}\]'"
    with pytest.raises(jp.InputError, match=told):
        use(solution, tmp_path)


def test_every_extra_that_is_named_is_one() -> None:
    root = Path(__file__).parents[1]
    project = (root / "pyproject.toml").read_text()
    texts = [path.read_text() for path in (root / "src/jointplay").rglob("*.py")]
    named = {extra for extra, _ in EXTRAS.values()}
    named |= {extra for text in texts for extra in re.findall(r"jointplay\[(\w+)\]", text)}
    named |= {extra for text in texts for extra in re.findall(r'needed\("[\w.]+", "[^"]+", "(\w+)"', text)}
    assert named >= {extra for extra, _ in USES.values()}
    assert not {extra for extra in named if not re.search(rf"^{extra} = \[", project, re.M)}
