"""``python -m bench.nlp``: a step of OptimalStep beside the same step as paper A's NLP (25), solved by SLSQP.

The step size is fixed, so that both take the same steps; velocities are compared before times are. SLSQP is SciPy's
compiled routine, called from Python with exact derivatives; its time includes those calls.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import jointplay as jp

from .timing import Spread, one_core

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from paper_a import CASES  # noqa: E402

STEPS = 60
REPEATS = 3


def _cost(build, h: float, steps: int, *, slow: bool) -> tuple[float, jp.Solution]:
    """Seconds a step, and the solution."""
    method = jp.OptimalStep(h_min=h, h_max=h, reference=slow)
    sol = jp.simulate(build(), until=steps * h, method=method, save=[STEPS * h, steps * h])
    assert sol.outcome.ok, sol.outcome.message
    return sol.stats["run_time"] / sol.stats["steps"], sol


def main() -> int:
    """Print one line per case; 1 if velocities differ."""
    core = one_core()
    print(f"one step, pinned to core {core}: median (min .. max) of {REPEATS}")
    print(f"{'case':22s}{'fast, us':>26s}{'SLSQP, ms':>26s}{'ratio':>34s}{'velocities':>12s}")
    right = True
    for name, (build, h) in CASES.items():
        _cost(build, h, STEPS, slow=False)  # compiled and warm
        fast, slow, apart = [], [], 0.0
        for _ in range(REPEATS):
            # many steps of the fast path: sixty take less than what a call costs
            seconds, one = _cost(build, h, 50 * STEPS, slow=False)
            fast.append(seconds)
            seconds, other = _cost(build, h, STEPS, slow=True)
            slow.append(seconds)
            body = build().bodies[-1].name
            gaps = [
                np.max(np.abs(one[f"{body}.{v}"][0] - other[f"{body}.{v}"][0]))
                for v in ("velocity", "angular_velocity")
            ]
            apart = max(apart, *gaps)
        ratio = Spread.of([theirs / mine for theirs, mine in zip(slow, fast, strict=True)])
        times = Spread.of(fast).scaled(1e6).show(), Spread.of(slow).scaled(1e3).show()
        print(f"{name:22s}{times[0]:>26s}{times[1]:>26s}{ratio.show():>34s}{apart:12.1e}")
        right &= apart <= 1e-8
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
