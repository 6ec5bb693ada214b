"""Whether a library was made from the sources as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from jointplay.native import sources
from jointplay.native.sources import are_unchanged, hashes, kernel_files


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in sources.LIBRARIES["derivatives"]:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.py").write_text('"""Text."""\n\n\ndef f(x):\n    """More."""\n    return x + 1\n')
    for name in ("arrays.py", "codes.py"):
        (tmp_path / name).write_text("A = 1\n")
    monkeypatch.setattr(sources, "PACKAGE", tmp_path)
    return tmp_path


def test_the_engine_does_not_know_the_derivatives(package: Path) -> None:
    assert set(kernel_files("engine")) < set(kernel_files("derivatives"))
    known = hashes("engine"), hashes("derivatives")
    (package / "tangent" / "one.py").write_text("B = 2\n")
    assert are_unchanged("engine", known[0])
    assert not are_unchanged("derivatives", known[1])


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("Text", "Another text", True),
        ("More", "Less", True),
        ("return x + 1", "return x + 1  # of one", True),
        ("\n\n\n", "\n\n", True),
        ("x + 1", "x + 2", False),
    ],
)
def test_comments_and_docstrings_do_not_count(package: Path, old: str, new: str, same: bool) -> None:
    known = hashes("engine")
    file = package / "methods" / "one.py"
    file.write_text(file.read_text().replace(old, new))
    assert are_unchanged("engine", known) is same


def test_files_that_come_or_go_count(package: Path) -> None:
    known = hashes("engine")
    (package / "laws" / "two.py").write_text("")
    assert not are_unchanged("engine", known)
    (package / "laws" / "two.py").unlink()
    assert are_unchanged("engine", known)
    (package / "laws" / "one.py").unlink()
    assert not are_unchanged("engine", known)
