"""The same kernels run as plain Python (NUMBA_DISABLE_JIT=1): slow, with tracebacks, and to the same digits."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mechanisms import slider_crank

import jointplay as jp

HERE = Path(__file__).parent.parent

SCRIPT = """
import json
import jointplay as jp
from mechanisms import slider_crank
for method in (jp.Explicit(), jp.Verlet(step=1e-3)):
    sol = jp.simulate(slider_crank(), 0.01, method, save=0.005)
    print(json.dumps([sol["slider.position"].tolist(), sol["B.force"].tolist()]))
"""

GRADIENTS = """
import json
from test_plain_python import gradients
print(json.dumps(gradients()))
"""


def dropped(height: float = 0.02, lift: float = 0.01) -> jp.System:
    """A ball let go above a stop on which it stays."""
    s = jp.System("ball", gravity=(0, 0, -9.81))
    body = s.body("ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, height))
    stop = jp.Stop(lower=lift - height, contact=jp.Rigid(restitution=0.0))
    s.prismatic("P", s.ground, body, point=(0, 0, height), axis=(0, 0, 1), displacement=stop)
    return s


def swinging(length: float = 0.3) -> jp.System:
    """A pendulum."""
    s = jp.System("pendulum", gravity=(0, 0, -9.81))
    bob = s.body("bob", mass=1.0, inertia=(0.01, 0.02, 0.03), position=(length, 0, 0))
    s.revolute("A", s.ground, bob, point=(0, 0, 0), axis=(0, 1, 0))
    return s


def gradients() -> list[float]:
    """By all exact methods: few steps each."""
    of, found = jp.Integral("ball.position[2]", function=np.square), []
    moreau, optimal = jp.Moreau(step=5e-3), jp.OptimalStep(h_min=5e-3, h_max=5e-3)
    for scheme, method in ((moreau, "direct"), (moreau, "adjoint"), (optimal, "direct"), (optimal, "adjoint")):
        result = jp.sensitivities(dropped, ["height", "lift"], of, method, until=0.06, scheme=scheme, save=0.01)
        found += [float(result[of][name]) for name in ("height", "lift")]
    final = jp.Final("bob.velocity[2]")
    for method in ("direct", "adjoint", "complex-step"):
        result = jp.sensitivities(
            swinging, ["length"], final, method, until=0.02, scheme=jp.Index1(step=5e-3), save=0.01
        )
        found.append(float(result[final]["length"]))
    return found


def plainly(script: str, *folders: Path) -> str:
    """What a script prints without compilation."""
    path = os.pathsep.join(map(str, folders))
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_plain_python_gives_the_same_digits() -> None:
    for line, method in zip(plainly(SCRIPT, HERE).splitlines(), (jp.Explicit(), jp.Verlet(step=1e-3)), strict=True):
        position, force = (np.array(part) for part in json.loads(line))
        compiled = jp.simulate(slider_crank(), 0.01, method, save=0.005)
        assert np.max(np.abs(position - compiled["slider.position"])) < 1e-13
        assert np.max(np.abs(force - compiled["B.force"])) < 1e-9


@pytest.mark.slow
def test_so_do_derivatives() -> None:
    plain = json.loads(plainly(GRADIENTS, HERE, Path(__file__).parent))
    assert plain == pytest.approx(gradients(), rel=1e-9)
