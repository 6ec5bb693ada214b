"""JUMP: a function of time jumps at the instant tb that the step before has ended at (methods/tape.py).

The instant moves with parameters that it is made of. Steps keep their sizes, and changes are those at fixed times: with
the rates f- before and f+ after it,

    x+ = x + (f- - f+) dtb

Forces jump so; where the speed of a drive jumps, so do velocities, which this does not say (sensitivity/jumps.py).
"""

from __future__ import annotations

from ..numerics.jit import jit
from .products import add_to, zero


@jit
def carry_jump(parts, tape, n, x, out):
    """Changes of all parameters."""
    slope = parts.P.shifts
    zero(out)
    for m in range(x.shape[0]):
        add_to(out, m, 1.0, x, m)
    for m in range(tape.before.shape[1]):
        for k in range(x.shape[1]):
            out[m, k] += (tape.before[n, m] - tape.after[n, m]) * slope[k, tape.stage[n].pad]


@jit
def carry_jump_back(parts, tape, n, bar, x, gradient):
    """Bars before are those after; the parameters' parts."""
    slope = parts.P.shifts
    zero(x)
    for m in range(x.shape[0]):
        add_to(x, m, 1.0, bar, m)
    for m in range(tape.before.shape[1]):
        for o in range(bar.shape[1]):
            part = (tape.before[n, m] - tape.after[n, m]) * bar[m, o]
            for k in range(slope.shape[0]):
                gradient[o, k] += part * slope[k, tape.stage[n].pad]
