"""What tests of joint friction share: methods, a run that must succeed, dry friction in smooth form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp

G = 9.81
ROUND = np.pi**3 / 24.0  # of a parabolic pressure around a pin
TINY = 1e-9  # N: smoothing that leaves closed forms exact
STILL = 1e-13  # m/s or rad/s: rounding
EXPLICIT, IMPLICIT = jp.Explicit(rtol=1e-10, atol=1e-12), jp.Implicit(rtol=1e-9, atol=1e-11)
FIXED, STICKS = jp.Index1(step=1e-3), jp.Moreau(step=1e-3)
SMOOTH = pytest.mark.parametrize("method", [EXPLICIT, IMPLICIT, FIXED], ids=["explicit", "implicit", "index1"])


def run(system: jp.System, until: float, method: Any, save: Any = 1e-2) -> jp.Solution:
    """A run that comes to its end."""
    sol = jp.simulate(system, until=until, method=method, save=save)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def dry(mu: float, v_t: float = 1e-6, **sizes: float) -> jp.BrownMcPhee:
    """A smooth law that is dry friction at all speeds that are not tiny."""
    return jp.BrownMcPhee(mu, mu, v_t, smoothing=TINY, **sizes)
