"""Tangent of accelerations and multipliers at a state: the linearised index-1 equations themselves (paper E eq. 17).

    M da - (W^T + L) dlam = K eta + D du + Z dz + F,      W da = -(Cq eta + Cu du + c)

The matrix is that of a step of no length (tangent/trapezoid.py with s = 0).
"""

from __future__ import annotations

from ..assemble.tangent import moves
from ..numerics.jit import jit
from ..numerics.lu import solve_band
from .trapezoid import dot_line


@jit
def solve_rates(model, eta, du, dz, col, lin, solver):
    """solver.x = (da, dlam, d z') of one tangent; the matrix of a step of no length must be factorised."""
    info, x, slot = model.info[0], solver.x, solver.slot
    n = info.bodies - 1
    for b in range(n):
        for m in range(6):
            i = 6 * b + m
            value = dot_line(lin.K[i], eta) + dot_line(lin.D[i], du) + dot_line(lin.Z[i], dz) + col.F[i]
            x[slot[b + 1] + m] = value if moves(model.body[b + 1], m) else 0.0
    for r in range(info.bilateral):
        x[slot[n + 1 + r]] = -(dot_line(lin.Cq[r], eta) + dot_line(lin.Cu[r], du) + col.c[r])
    for q in range(info.inner):
        value = dot_line(lin.Hq[q], eta) + dot_line(lin.Hu[q], du) + dot_line(lin.Hz[q], dz) + col.H[q]
        x[solver.base[0] + q] = value
    solve_band(solver.A, solver.band, x)
