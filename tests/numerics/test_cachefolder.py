"""Compiled kernels are run only from folders that nobody else can write."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from jointplay.cachefolder import VARIABLE, kernel_folder, objection

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders of users are private there")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package on disk, and a home beside it."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    (tmp_path / "package").mkdir()
    return tmp_path / "package"


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have it belong to somebody else, as far as this user can see."""
    if os.getuid() == 0:
        os.chown(path, 4242, -1, follow_symlinks=False)
    else:
        mine = os.getuid()
        monkeypatch.setattr("os.getuid", lambda: mine + 1)


def test_usual_places(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the package; where that cannot be, in the user's cache; what is chosen comes first."""
    assert kernel_folder("abc", package) == package / "__pycache__" / "kernels" / "abc"
    (tmp_path / "file").touch()
    assert kernel_folder("abc", tmp_path / "file") == tmp_path / "home" / "jointplay" / "kernels" / "abc"
    monkeypatch.setenv(VARIABLE, str(tmp_path / "chosen"))
    assert kernel_folder("abc", package) == tmp_path / "chosen" / "kernels" / "abc"


def test_folders_are_private_whatever_the_umask(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is made on the way."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "a" / "b"))
    before = os.umask(0)
    try:
        folder = kernel_folder("abc", package)
    finally:
        os.umask(before)
    for place in (folder, *folder.parents):
        if place == tmp_path:
            break
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o775, 0o1777])
@pytest.mark.parametrize("where", ["", "kernels", "kernels/abc", "kernels/abc/laws_1"])
def test_a_folder_that_others_can_write(
    where: str,
    mode: int,
    package: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Is told, and another one is taken; places that lead there may be shared if things in them are safe."""
    monkeypatch.setattr("jointplay.cachefolder._is_own", lambda group: False)
    chosen = tmp_path / "chosen"
    (chosen / "kernels/abc/laws_1").mkdir(parents=True)
    (chosen / where).chmod(mode)
    monkeypatch.setenv(VARIABLE, str(chosen))
    found, said = kernel_folder("abc", package), capsys.readouterr().err
    if mode == 0o1777 and where in ("", "kernels"):
        assert found == chosen / "kernels/abc"
        assert said == ""
    else:
        assert found == tmp_path / "home" / "jointplay" / "kernels" / "abc"
        assert said.startswith(f"warning: {chosen / where} is writable by others: compiled kernels there are not used")


@pytest.mark.parametrize("name", ["index.nbi", "laws_1/index.nbi"])
def test_a_file_that_others_can_write(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though its folder is closed by now."""
    monkeypatch.setattr("jointplay.cachefolder._is_own", lambda group: False)
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.touch(mode=0o600)
    assert objection(tmp_path) == ""
    file.chmod(0o666)
    assert objection(tmp_path) == f"{file} is writable by others"


def test_a_file_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of one's own, or the folder itself."""
    file = tmp_path / "laws_1" / "index.nbi"
    file.parent.mkdir()
    file.touch(mode=0o600)
    give_away(file, monkeypatch)
    assert "belongs to another owner" in objection(tmp_path)
    give_away(tmp_path, monkeypatch)
    assert objection(tmp_path) == f"{tmp_path} belongs to another owner"


def test_a_link_in_the_folder(tmp_path: Path) -> None:
    """Kernels are files, not links to them."""
    (tmp_path / "index.nbi").symlink_to(tmp_path / "elsewhere")
    assert objection(tmp_path) == f"{tmp_path / 'index.nbi'} leads to another place"


def test_the_owner_of_the_package_is_trusted(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose code is run anyway: a checkout of one user that another one runs."""
    folder = kernel_folder("abc", package)
    if os.getuid() == 0:
        for place in (package / "__pycache__", folder.parent, folder):
            give_away(place, monkeypatch)
    assert objection(folder, package / "__pycache__") == ""


def test_own_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that only the user's own group can write is the user's own."""
    tmp_path.chmod(0o770)
    monkeypatch.setattr("jointplay.cachefolder._is_own", lambda group: True)
    assert objection(tmp_path) == ""
    tmp_path.chmod(0o777)
    assert "writable by others" in objection(tmp_path)


def test_last_resort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder for this process."""
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = kernel_folder("abc", tmp_path / "file")
    assert folder.parent == tmp_path
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
