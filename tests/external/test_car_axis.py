"""Car axis of the Test Set for IVP Solvers: a moving base, a rigid axis, fast springs; 16 reference digits.

The base point (xb, yb) runs on a circle of radius L about the origin, so the constraint xb xl + yb yl = 0 says that
the left mass slides on the normal of a bar that turns about the origin by the angle asin(yb / L). That bar is a
driven body here, and a prismatic joint carries the left mass along its y axis. The two turn with the drive, so
their moments of inertia load the drive only. With k = M eps^2 / 2 as mass all forces are those of the test set.
"""

from __future__ import annotations

import json

import numpy as np
from benchmarks import car_axis
from refs import reference

import jointplay as jp

FOLDER = "ivp_test_set"


def test_end_values() -> None:
    book = json.loads((reference(FOLDER) / "car_axis.json").read_text())
    end, p = book["reference_t_end"], book["parameters"]
    sol = jp.simulate(car_axis(**p), until=3.0, method=jp.Explicit(rtol=1e-12, atol=1e-13), save=[3.0])
    assert sol.outcome.ok, sol.outcome.message
    last = {name: sol[name][-1] for name in sol.names}
    position = np.concatenate([last["left.position"][:2], last["right.position"][:2]])
    velocity = np.concatenate([last["left.velocity"][:2], last["right.velocity"][:2]])
    assert np.allclose(position, end["position"], rtol=1e-8, atol=0)
    assert np.allclose(velocity, end["velocity"], rtol=1e-8, atol=1e-9)
    # constraint forces G^T lambda: (xb, yb) lambda_1 on the left mass, 2 (right - left) lambda_2 on the right one
    yb = p["r"] * np.sin(p["omega"] * 3.0)
    base = np.array([np.sqrt(p["L"] ** 2 - yb**2), yb])
    first = last["normal.force"][:2] @ base / (base @ base)
    arm = (last["right.position"] - last["left.position"])[:2]
    second = last["axis.force"][:2] @ arm / (2 * arm @ arm)
    assert np.allclose([first, second], end["multipliers"], rtol=1e-8, atol=1e-11)
