"""``jointplay plot``: kinds, options, and sentences with the nearest name for what does not exist."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import jointplay as jp
from jointplay.cli.app import app
from jointplay.figures.kinds import KINDS


def call(*words: str) -> Result:
    """Run a command line."""
    return CliRunner().invoke(app, ["plot", *words])


@pytest.fixture(autouse=True)
def _results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crank: jp.Solution, swing: jp.Solution) -> None:
    monkeypatch.chdir(tmp_path)
    crank.save("crank.nc")
    swing.save("swing.nc")


def picture(*words: str) -> Any:
    """The facts of a drawn picture."""
    done = call(*words, "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert Path(facts["picture"]).stat().st_size > 3_000
    return facts


CALLS = {
    "lines": ("crank.nc", "|B.force|", "--against", "A.angle", "--from", "20 ms", "--to", "60 ms"),
    "orbit": ("crank.nc", "--joint", "D"),
    "modes": ("crank.nc",),  # the only joint with clearance
    "gaps": ("crank.nc", "--joint", "D", "--width", "page"),
    "phase": ("swing.nc", "T.displacement"),
    "poincare": ("swing.nc", "b.position[0]", "--when", "b.velocity[0]", "--level", "0.1 m/s"),
    "spectrum": ("swing.nc", "b.acceleration[0]", "--density", "--window", "flattop", "--most", "20 Hz"),
    "energy": ("swing.nc", "--title", ""),
    "steps": ("crank.nc",),
    "convergence": ("swing.nc", "crank.nc", "energy.total"),
}


def test_every_kind_is_tried() -> None:
    assert set(CALLS) == set(KINDS)
    assert all(kind in call("--help").stdout for kind in KINDS)


@pytest.mark.parametrize("kind", [kind for kind in CALLS if kind != "convergence"])
def test_kinds(kind: str) -> None:
    facts = picture("--kind", kind, *CALLS[kind], "--dpi", "60")
    assert facts["picture"] == (
        f"{CALLS[kind][0][:-3]}.png" if kind == "lines" else f"{CALLS[kind][0][:-3]}_{kind}.png"
    )


def test_convergence_and_runs_over_each_other(verlet_runs: list[jp.Solution]) -> None:
    files = [str(run.save(f"h{k}.nc")) for k, run in enumerate(verlet_runs)]
    picture("--kind", "convergence", *files, "b.position[0]", "--norm", "end", "-o", "order.svg")
    picture(*files, "b.position[0]", *[word for name in "abcd" for word in ("--label", name)], "-o", "all.pdf")
    assert "4 runs and 1 labels" in call(*files, "b.position[0]", "--label", "a").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("crank.nc", "--kind", "orbits"), "--kind: there is no figure of kind 'orbits'; did you mean 'orbit'?"),
        (("crank.nc", "--kind", "orbit", "--joint", "d"), "--joint: 'd' has no clearance; did you mean 'D'?"),
        (("swing.nc", "--kind", "gaps"), "--joint: no joint of this run has clearance"),
        (("crank.nc", "B.forc"), "no quantity named 'B.forc'; did you mean B.force"),
        (("crank.nc", "B.force", "--against", "A.angel"), "did you mean A.angle"),
        (("crank.nc", "B.force", "--from", "3 kg"), "--from: "),
        (("crank.nc", "B.force", "--width", "broad"), "--width: "),
        (("crank.nc", "B.force", "--joint", "D"), "--joint: means nothing to a figure of kind 'lines'"),
        (("crank.nc", "--kind", "phase"), "needs one or two quantities"),
        (("crank.nc", "--kind", "energy", "B.force"), "takes no quantity, but B.force was given"),
        (("crank.nc", "swing.nc", "--kind", "energy"), "shows one run, not 2"),
        (("crank.nc", "--kind", "energy", "--every", "1 s"), "--every: means nothing to a figure of kind 'energy'"),
        (("crank.nc", "B.force", "-o", "a.gif"), "cannot draw a '.gif' file"),
        (("swing.nc", "T.displacement", "--kind", "spectrum", "--window", "hamming"), "--window: there is no window"),
    ],
)
def test_what_is_wrong_is_said(words: tuple[str, ...], said: str) -> None:
    done = call(*words)
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_several_problems_at_once() -> None:
    done = call("crank.nc", "B.forc", "C.forse")
    assert len(done.stderr.splitlines()) == 2
    done = call("crank.nc", "swing.nc", "B.force", "--kind", "energy", "--every", "1 s")
    assert len(done.stderr.splitlines()) == 3
