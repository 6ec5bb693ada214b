"""``python -m bench.adjoint_memory 1000000``: one adjoint run of a pendulum with so many steps, and its peak memory."""

from __future__ import annotations

import json
import resource
import sys

import jointplay as jp

END = 2.0  # s


def pendulum(length: float = 1.0) -> jp.System:
    """A bar let go from the horizontal."""
    s = jp.System("pendulum", planar=True)
    bar = s.body("bar", mass=2.0, inertia=length**2 / 6, position=(length / 2, 0))
    s.revolute("P", s.ground, bar, point=(0, 0))
    return s


def main(steps: int) -> None:
    """Run, and print figures as JSON; the peak in MB."""
    method, final = jp.Index1(step=END / steps), jp.Final("P.angle")
    result = jp.sensitivities(pendulum, "length", final, method, until=END, derivative="adjoint", save=END)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    print(json.dumps(result.stats | {"peak": peak, "derivative": result[final]["length"]}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
