"""Misspelt words are answered with the nearest one, wherever they stand; exit code 2, no traceback."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from jointplay.cli.app import app
from jointplay.cli.examples import GALLERY

MODEL = str(GALLERY / "slider_crank_clearance.yaml")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("plt", "run.nc"), "plot"),
        (("run", MODEL, "--method", "moreu"), "moreau"),
        (("run", MODEL, "--set", "bodies.sldier.mass=4"), "slider"),
        (("run", MODEL, "--set", "parametrs.gap=1 mm"), "parameters"),
        (("run", MODEL, "--stp", "1 ms"), "--step"),
        (("sensitivity", MODEL, "--of", "D.force", "--wrt", "gapp"), "gap"),
        (("sensitivity", MODEL, "--of", "D.force", "--derivative", "dirct"), "direct"),
        (("examples", "show", "slider_crank_clearence"), "slider_crank_clearance"),
        (("examples", "lst"), "list"),
    ],
)
def test_nearest(words: tuple[str, ...], meant: str) -> None:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 2
    said = done.stderr.lower()
    assert "did you mean" in said or "possible options" in said
    assert meant in said
    assert "traceback" not in said
