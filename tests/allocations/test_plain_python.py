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


@pytest.mark.slow
def test_plain_python_gives_the_same_digits() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(HERE)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    for line, method in zip(done.stdout.splitlines(), (jp.Explicit(), jp.Verlet(step=1e-3)), strict=True):
        position, force = (np.array(part) for part in json.loads(line))
        compiled = jp.simulate(slider_crank(), 0.01, method, save=0.005)
        assert np.max(np.abs(position - compiled["slider.position"])) < 1e-13
        assert np.max(np.abs(force - compiled["B.force"])) < 1e-9
