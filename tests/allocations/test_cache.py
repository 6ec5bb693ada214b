"""A second process loads compiled kernels from disk and compiles nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mechanisms import slider_crank

import jointplay as jp
from jointplay.warmup import warm

# Runs both methods, then counts, over all kernels of the package that Python called, loads from disk and compilations.
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import jointplay as jp
from jointplay.numerics.pieces import Kernel
from mechanisms import slider_crank
for method in (jp.Explicit(), jp.Verlet(step=1e-3)):
    assert jp.simulate(slider_crank(), until=0.01, method=method, save=[0.01]).outcome.ok
found = {}
for name, module in list(sys.modules.items()):
    if name.startswith("jointplay"):
        for key, kernel in vars(module).items():
            if isinstance(kernel, Kernel) and kernel.place == (name, key):
                stats = kernel.stats
                counts = sum(stats.cache_hits.values()), sum(stats.cache_misses.values())
                if any(counts):
                    found[f"{name}.{key}"] = counts
print(json.dumps(found))
"""


@pytest.mark.slow
def test_a_second_process_compiles_nothing() -> None:
    for method in (jp.Explicit(), jp.Verlet(step=1e-3)):  # compiled and stored now, if they were not before
        jp.simulate(slider_crank(), until=0.01, method=method, save=[0.01])
    home, tests = Path(jp.__file__).parents[1], Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tests)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert {"jointplay.methods.explicit.run", "jointplay.methods.verlet.run"} <= set(found)
    assert {name for name, (hits, misses) in found.items() if hits == 0 or misses > 0} == set()


# Derivatives of models other than those of the warm-up; what is compiled is told by Numba itself.
DERIVATIVES = """
import json, sys
import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.warmup import watching
told = []
with watching(lambda done, total, name: told.append(name)):
    for kind in ("direct", "complex-step", "adjoint"):
        of = jp.Final("P.angle") if kind == "adjoint" else ["P.angle", "|P.force|"]
        wrt = ["length", "mass"]
        jp.sensitivities(GALLERY / "pendulum.yaml", wrt, of, kind, until=0.01, scheme=jp.Index1(step=1e-3), save=5e-3)
    scheme = jp.Moreau(step=1e-3)
    ball = GALLERY / "bouncing_ball.yaml"
    jp.sensitivities(ball, ["restitution"], "ball.position", until=0.5, scheme=scheme, save=0.1)
print(json.dumps(told))
"""


@pytest.mark.slow
def test_a_second_process_compiles_nothing_for_derivatives() -> None:
    warm()
    environment = {**os.environ, "PYTHONPATH": str(Path(jp.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", DERIVATIVES], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []
