"""Derivatives of models other than those that libraries are made with compile nothing."""

from __future__ import annotations

import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.warmup import is_warm, watching


@pytest.mark.slow
def test_derivatives_are_in_the_libraries() -> None:
    if not (is_warm() and is_warm("derivatives")):
        pytest.skip("the libraries are not those of the present sources")
    told: list[str] = []
    with watching(lambda done, total, name: told.append(name)):
        for kind in ("direct", "complex-step", "adjoint"):
            of = jp.Final("P.angle") if kind == "adjoint" else ["P.angle", "|P.force|"]
            wrt = ["length", "mass"]
            scheme = jp.Index1(step=1e-3)
            jp.sensitivities(GALLERY / "pendulum.yaml", wrt, of, kind, until=0.01, scheme=scheme, save=5e-3)
        moreau = jp.Moreau(step=1e-3)
        ball = GALLERY / "bouncing_ball.yaml"
        jp.sensitivities(ball, ["restitution"], "ball.position", until=0.5, scheme=moreau, save=0.1)
    assert told == []
