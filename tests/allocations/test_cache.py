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

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import jointplay as jp
from jointplay.compile import entry
from jointplay.methods import explicit, verlet
from mechanisms import slider_crank
for method in (jp.Explicit(), jp.Verlet(step=1e-3)):
    assert jp.simulate(slider_crank(), until=0.01, method=method, save=[0.01]).outcome.ok
kernels = {"explicit": explicit.run, "verlet": verlet.run, "start": entry.start, "rows": entry.closed_rows}
count = lambda stats: [sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]
print(json.dumps({name: count(kernel.stats) for name, kernel in kernels.items()}))
"""


@pytest.mark.slow
def test_a_second_process_compiles_nothing() -> None:
    for method in (jp.Explicit(), jp.Verlet(step=1e-3)):  # compiled and stored now, if they were not before
        jp.simulate(slider_crank(), until=0.01, method=method, save=[0.01])
    home = Path(jp.__file__).parents[1]
    tests = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tests)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    for name, (hits, misses) in json.loads(done.stdout.splitlines()[-1]).items():
        assert hits >= 1, name
        assert misses == 0, name
