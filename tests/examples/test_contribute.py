"""Pages about contributing: what they tell to write works as it stands.

A method with derivatives: its complete code is a module that works, and its trial passes; as plain Python, and compiled
(two minutes) in `make test-all`. A contact law with a state:
two files of a scratch copy of the package are touched, and one for its name; the trial passes there, and tests find the
law.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "contribute" / "method-with-derivatives.md"
FENCE = re.compile(r"^```python(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def script(page: Path) -> str:
    """All that a page shows, in its order: a module, then its trial."""
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    assert [bool(title) for title, _ in found] == [True, False]
    return "".join(text for _, text in found)


def trial(tmp_path: Path, **environment: str) -> None:
    (tmp_path / "trial.py").write_text(script(PAGE), encoding="utf-8")
    run = {"check": True, "env": {**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment}}
    subprocess.run([sys.executable, "trial.py"], cwd=tmp_path, **run)  # type: ignore[call-overload]


@pytest.mark.slow
def test_a_method_with_derivatives(tmp_path: Path) -> None:
    trial(tmp_path, NUMBA_DISABLE_JIT="1")


@pytest.mark.study
def test_a_method_with_derivatives_compiled(tmp_path: Path) -> None:
    trial(tmp_path)


ANY = re.compile(r"^```(python|diff)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def patched(text: str, diff: str) -> str:
    """A text with the lines that a diff adds, each behind the line of the text that the diff shows before it."""
    lines, at = text.splitlines(keepends=True), -1
    for line in diff.splitlines(keepends=True):
        if line.startswith("@@"):
            at = -1
        elif line.startswith("+"):
            at += 1
            lines.insert(at, line[1:])
        else:
            found = [k for k, one in enumerate(lines) if one == line[1:]]
            assert len(found) == 1, f"{line!r} stands {len(found)} times in the file"
            at = found[0]
    return "".join(lines)


@pytest.mark.slow
def test_a_contact_law_with_a_state(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "contribute" / "law.md").read_text(encoding="utf-8")
    section = page[page.index("### A contact law with a state") :]
    section = section[: section.index("\n### ", 5)]
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.a"))
    touched, trials = set(), []
    for kind, title, text in ANY.findall(section):
        if not title:
            trials.append(text)
            continue
        file = tmp_path / title
        touched.add(title)
        file.write_text(text if kind == "python" else patched(file.read_text(encoding="utf-8"), text), encoding="utf-8")
    laws = "src/jointplay/laws"
    assert touched == {f"{laws}/wearing_pad.py", f"{laws}/registry.py", "src/jointplay/__init__.py"}
    # as plain Python: the registry is in every kernel, and compiling all of them takes minutes
    run = {"cwd": tmp_path, "check": True, "env": {**os.environ, "PYTHONPATH": "src", "NUMBA_DISABLE_JIT": "1"}}
    for text in trials:
        subprocess.run([sys.executable, "-c", text], **run)  # type: ignore[call-overload]
    tests = ROOT / "tests" / "gradients" / "test_contact_states.py"
    command = [sys.executable, "-m", "pytest", "-v", "-k", "wearing_pad", "-p", "no:cacheprovider", str(tests)]
    told = subprocess.run([*command, f"--rootdir={tmp_path}"], capture_output=True, text=True, **run)  # type: ignore[call-overload]
    assert "13 passed" in told.stdout
