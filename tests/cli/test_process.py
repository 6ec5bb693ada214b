"""The command as a process of its own: start-up, module form, what is imported for ``--help``."""

from __future__ import annotations

import subprocess
import sys


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """The command line in a new process."""
    return subprocess.run(
        [sys.executable, "-m", "jointplay", *words], capture_output=True, text=True, timeout=120, check=False
    )


def test_help_and_version() -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in ("check", "run", "plot", "examples", "schema", "warmup", "doctor"):
        assert f"\n  {command} " in done.stdout
    assert run("--version").stdout.startswith("jointplay ")


def test_help_imports_nothing_heavy() -> None:
    """What makes --help slow is what it imports; a timing would decide nothing on a busy machine."""
    code = (
        "import sys\nfrom jointplay.cli.app import app\n"
        "heavy = {'numpy', 'numba', 'scipy', 'pint', 'h5py', 'matplotlib', 'xarray', 'ruamel'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_unknown_command_and_option() -> None:
    for words in (["rnu", "x"], ["run"], ["run", "x.yaml", "--untill", "3"]):
        done = run(*words)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_debug_is_welcome_anywhere() -> None:
    assert run("check", "none.yaml", "--debug").returncode == 2
