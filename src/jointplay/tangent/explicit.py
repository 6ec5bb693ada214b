"""Tangent of accelerations and multipliers at a state: the linearised index-1 equations themselves (paper E eq. 17).

    M da - (W^T + L) dlam = K eta + D du + Z dz + F,      W da = -(Cq eta + Cu du + c)

The matrix is that of a step of no length (tangent/stage_matrix.py with s = 0).
"""

from __future__ import annotations

from ..arrays import STAGE
from ..methods.extrapolate import COARSE
from ..numerics.jit import jit
from .contacts import INSTANT, add_contact_parts, contact_columns, list_contacts
from .equations import add_equation_parts, factor_stage, list_equations
from .landing import close_tangents
from .linear import linearise
from .parameter_columns import find_column, lift
from .program import HERE, SET, add_entry, carry, fits, put_solve, set_bodies, start_list
from .stage_matrix import evaluate, restore


@jit
def list_rates(model, kit, t, y, memory, work):
    """List rates and forces of contacts at a state that is linearised, its matrix factorised."""
    P, cw, lin, col, solver, act, _, prog = kit
    info, at = model.info[0], prog.at[0]
    eta, du, dz, u = at.eta[HERE], at.du[HERE], at.dz[HERE], y[7 * (info.bodies - 1) :]
    inner = at.x + solver.base[0]
    start_list(prog, False)
    list_equations(model, prog, solver, 1.0, lin, (eta, du, dz), inner)
    list_contacts(model, prog, 1.0, INSTANT, 0.0, (eta, du, at.v), work, lin, solver, act)
    put_solve(prog, solver)
    set_bodies(model, prog, solver, at.da[HERE], 1.0)
    for q in range(info.inner):
        add_entry(prog, SET, at.dw[HERE] + q, 1.0, inner + q)
    for k in range(len(P.energy0)):
        restore(solver, work)
        find_column(model, P, k, t, y, solver.a, solver.a, 1.0, memory, work, cw, col)
        contact_columns(model, P, k, 1.0, 1.0, INSTANT, u, solver.a, memory, work, cw, col, act)
        add_equation_parts(model, P, k, prog, solver, 1.0, col, inner)
        add_contact_parts(model, P, k, prog, 1.0, solver, act)
    return fits(prog)


@jit
def start(model, kit, state, work, tan):
    """Tangents at the start: closed, and those of the rates; returns False where there are none of these: singular."""
    cw, lin, solver, act = kit.cw, kit.lin, kit.solver, kit.act
    t, dy = state.clock[0].t, work.stage[STAGE + COARSE]
    close_tangents(model, kit, t, state.y, state.memory, work, tan)
    evaluate(model, t, state.y, state.memory, work, dy, solver)
    lift(work.kin, cw.kin)
    linearise(model, t, state.y, solver.a, 1.0, work, lin)
    for c in range(len(model.contact)):  # they do not act yet
        act.on[c] = 0
    if not factor_stage(model, work, lin, solver, act) or not list_rates(model, kit, t, state.y, state.memory, work):
        return False
    carry(model, kit, len(kit.P.energy0), 0.0, work, tan, tan, tan)
    return True
