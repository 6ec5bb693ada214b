"""Where adjoints begin: bars of saved channels, for methods that carry tangents of bodies (tangent_state.py)."""

from __future__ import annotations

from ..arrays import BODY_CHANNELS
from ..numerics.jit import jit
from .params import STEP


@jit
def plain(model, columns, weight):
    """True if all weighted channels are positions and velocities of bodies, which are the state itself."""
    bodies = BODY_CHANNELS * (model.info[0].bodies - 1)
    for o in range(weight.shape[0]):
        for c in range(len(columns)):
            if weight[o, c] != 0.0 and (columns[c] >= bodies or columns[c] % BODY_CHANNELS >= 13):
                return False
    return True


@jit
def seed_plain(model, y, columns, weight, bar):
    """Add the weights of channels that are the state itself to the bars at the end of a step."""
    for o in range(weight.shape[0]):
        for c in range(len(columns)):
            f = weight[o, c]
            if f == 0.0:
                continue
            b, m = columns[c] // BODY_CHANNELS, columns[c] % BODY_CHANNELS
            if m < 3:
                bar.eta[o, 6 * b + m] += f
            elif m >= 7:
                bar.du[o, 6 * b + m - 7] += f
            else:  # dp = p eta / 2
                p0, p1, p2, p3 = y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6]
                h = 0.5 * f
                at = 6 * b + 3
                if m == 3:
                    g = (-p1, -p2, -p3)
                elif m == 4:
                    g = (p0, -p3, p2)
                elif m == 5:
                    g = (p3, p0, -p1)
                else:
                    g = (-p2, p1, p0)
                bar.eta[o, at] += h * g[0]
                bar.eta[o, at + 1] += h * g[1]
                bar.eta[o, at + 2] += h * g[2]


@jit
def add_seed(columns, weight, line, out, at):
    """Weighted sum of the imaginary parts of a line of channels, to entry ``at`` of each objective."""
    for o in range(weight.shape[0]):
        total = 0.0
        for c in range(len(columns)):
            total += weight[o, c] * line[columns[c]].imag
        out[o, at] += total / STEP


@jit
def mark(probe, kind, i, value):
    """Set one entry of a tangent."""
    if kind == 0:
        probe.eta[0, i] = value
    elif kind == 1:
        probe.du[0, i] = value
    elif kind == 2:
        probe.da[0, i] = value
    elif kind == 3:
        probe.dz[0, i] = value
    else:
        probe.dw[0, i] = value


@jit
def is_weighed(weight):
    """True if a weight is not zero."""
    for o in range(weight.shape[0]):
        for c in range(weight.shape[1]):
            if weight[o, c] != 0.0:
                return True
    return False
