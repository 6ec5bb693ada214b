"""Tangent of accelerations and multipliers at a state: the linearised index-1 equations themselves (paper E eq. 17).

    M da - (W^T + L) dlam = K eta + D du + Z dz + F,      W da = -(Cq eta + Cu du + c)

The matrix is that of a step of no length (tangent/stage_matrix.py with s = 0).
"""

from __future__ import annotations

from ..assemble.tangent import moves
from ..numerics.jit import jit
from ..numerics.lu import factor_band, solve_band
from .linear import linearise
from .parameter_columns import clear_column, find_column, lift
from .stage_matrix import dot_line, evaluate, fill_matrix, restore
from .tangent_state import project_tangent


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


@jit
def start(model, kit, state, work, tan, dy):
    """Tangents at the start: closed, and those of the rates; returns False where there are none of these: singular."""
    P, cw, lin, col, solver = kit.P, kit.cw, kit.lin, kit.col, kit.solver
    t, x, slot = state.clock[0].t, solver.x, solver.slot
    soft = evaluate(model, t, state.y, state.memory, work, dy, solver)
    lift(work.kin, cw.kin)
    linearise(model, t, state.y, solver.a, 1.0, work, lin)
    fill_matrix(model, 0.0, work, lin, solver)
    for m in range(solver.base[1], solver.base[2]):  # rows of contacts, which do not act yet
        solver.A[m, m], x[m] = 1.0, 0.0
    whole = factor_band(solver.A, solver.band)
    clear_column(col)  # other parameters may have filled it
    for k in range(len(P.energy0)):
        find_column(model, P, k, t, state.y, solver.a, solver.a, 1.0, state.memory, work, cw, col)
        project_tangent(model, soft, tan.eta[k], tan.du[k], col, lin, work)
        restore(solver, work)
        if whole:
            solve_rates(model, tan.eta[k], tan.du[k], tan.dz[k], col, lin, solver)
            for b in range(model.info[0].bodies - 1):
                for m in range(6):
                    tan.da[k, 6 * b + m] = x[slot[b + 1] + m]
            for q in range(model.info[0].inner):
                tan.dw[k, q] = x[solver.base[0] + q]
    return whole
