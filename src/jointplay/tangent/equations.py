"""The equations that all stages of steps with contacts share: their matrix, and what they list of the state they read.

    M du - (W^T + L) dP - W_c^T dr = ... + h (K e + D v + Z z + F),      W du = ... - (Cq e + Cu v + c)

and r = Hq e + Hu v + Hz z + H, the rates of inner states. h is the step of impulses, or 1 for forces.
"""

from __future__ import annotations

from ..numerics.jit import jit
from .contacts import fill_contacts
from .parameter_sparsity import INNER, touched
from .program import (
    add_closed_parts,
    add_force_parts,
    add_part,
    put_forces,
    put_inner,
    put_line,
    put_lines,
)
from .stage_matrix import fill_matrix
from .tangent_state import choose_unknowns, factor_matrix


@jit
def fill_stage(model, work, lin, solver, act):
    """Matrix of a stage, with the contacts that act."""
    choose_unknowns(model, act.on, solver)
    fill_matrix(model, 0.0, work, lin, solver)
    fill_contacts(model, work, lin, solver, act)


@jit
def factor_stage(model, work, lin, solver, act):
    """Its factors; False where it is singular."""
    fill_stage(model, work, lin, solver, act)
    return factor_matrix(solver)


@jit
def list_equations(model, prog, solver, h, lin, places, rates):
    """List forces, rows and rates of inner states at registers ``places`` = (e, v, z); ``rates``: their register."""
    e, v, z = places
    put_forces(model, prog, solver, h, lin, lin.K, e)
    put_forces(model, prog, solver, h, lin, lin.D, v)
    put_inner(model, prog, solver, h, lin.Z, z)
    for r in range(model.info[0].bilateral):
        place = prog.at[0].x + solver.slot[model.info[0].bodies + r]
        put_line(prog, place, -1.0, model.row[r], lin.Cq[r], e)
        put_line(prog, place, -1.0, model.row[r], lin.Cu[r], v)
    put_lines(prog, rates, 1.0, lin.Hq, e)
    put_lines(prog, rates, 1.0, lin.Hu, v)
    put_lines(prog, rates, 1.0, lin.Hz, z)


@jit
def add_equation_parts(model, P, k, prog, solver, h, col, rates):
    """What parameter k adds to them: its column."""
    add_force_parts(model, P, k, prog, solver, h, col.F)
    add_closed_parts(P, k, prog, solver, model.info[0].bodies - 1, -1.0, col.c)
    own = touched(P, k, INNER)
    for q in range(len(own)):
        add_part(prog, k, rates + own[q], col.H[own[q]])
