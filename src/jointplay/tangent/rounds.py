"""Tangent of one round of OptimalStep (methods/optimal_step.py) on the active set that it found.

The step linearises its gaps anew until they hold. With rows of the joints and forces at its start A, and rows of the
contacts at the place k to which the round before has led (A itself in the first), a round finds u and r from

    M (u - u_A) = h f_A + W_A^T P + w_k^T r,     g_A + h (W_A u + drift) = 0,     gap_k + h w_k (u - u_k) = 0

(u_k = 0 in the first) and friction r_T against w_k u. So do its tangents:

    M du - W_A^T dP - w_k^T dr = M du_A + h (K e_A + D du_A + F) + K_r e_k
    W_A du = -(Cq e_A + c) - (W_A e_A + g)/h
    w_k du = -(Cq e_k + c) - dgap_k/h + w_k du_k            (tangents as in tangent/contacts.py)

and e = e_A moved by h du. Rounds before the last count: r acts through the normals that they found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Model, touch_dtype
from ..assemble.kinematics import place_bodies
from ..assemble.tangent import LEAST
from ..methods.stepping import right_of
from ..numerics.jit import jit, readable
from .contacts import (
    INSTANT,
    LATER_ROUND,
    add_contact_parts,
    add_contacts,
    contact_columns,
    list_contacts,
    take_active,
)
from .equations import add_equation_parts, fill_stage, list_equations
from .impact import own_gap
from .integrals import add_round
from .linear import linearise
from .matrices import clear
from .midpoint import find_multipliers, gather_forces, list_motion, move_maps
from .parameter_columns import clear_column, drift_column, find_column, lift
from .program import (
    HERE,
    NOWHERE,
    OTHER,
    SET,
    add_closed_parts,
    add_entry,
    add_force_parts,
    carry,
    fits,
    put,
    put_forces,
    put_mass,
    put_row,
    put_solve,
    set_bodies,
    start_list,
)
from .tangent_state import copy_tangents, factor_matrix


class Rounds(NamedTuple):
    """Scratch of a step that is taken once more, round by round."""

    end: np.ndarray  # (state,) as the method left it
    place: np.ndarray  # (state,) where the rows of the contacts stand
    new: np.ndarray  # (state,) where the round leads
    # the correction at the end of the step (tangent/contact_closing.py)
    shut: np.ndarray  # (contacts,) 1 where a gap is closed
    fix: np.ndarray  # (6 n,) c
    slide: np.ndarray  # (6 n,) s
    line: np.ndarray  # (6 n,) scratch
    kappa: np.ndarray  # (closed rows,)
    echo: np.ndarray  # (closed rows,) e
    before: np.ndarray  # (rows, 12) rows at E
    w: np.ndarray  # (rows, 12) rows at the corrected state
    touch: np.ndarray  # (2, contacts) as they were before the correction was looked at, before a glide was undone


def make_rounds(model: Model, size: int) -> Rounds:
    """Zeros."""
    info, z = model.info[0], np.zeros
    n, rows, closed = 6 * (int(info["bodies"]) - 1), int(info["measure"]), int(info["bilateral"])
    shut = np.zeros(len(model.contact), dtype=np.int64)
    touch = np.zeros((2, len(model.contact)), dtype=touch_dtype(float))
    return readable(
        Rounds(
            *(z(size), z(size), z(size), shut, z(n), z(n), z(n), z(closed), z(closed)),
            *(z((rows, 12)), z((rows, 12)), touch),
        )
    )


@jit
def linearise_start(model, kit, h, soft, state, work, rounds):
    """All that stands at the start of the step, with velocities and impulses of the round: matrices of ``lin``.

    Forces of the start stand in half.force, rows of the contacts where the round has them.
    """
    _, cw, lin, _, solver, _, half, _ = kit
    info, y, shift = model.info[0], state.y, 7 * (model.info[0].bodies - 1)
    u, new = y[shift:], rounds.new[shift:]
    for b in range(1, info.bodies):
        for m in range(6):
            i = 6 * (b - 1) + m
            work.kin[b].force[m] = half.force[i]
            solver.a[i] = (new[i] - u[i]) / h
    gather_forces(model, work, half)
    find_multipliers(model, h, u, new, soft, work)
    place_bodies(info.bodies, y, work.kin)
    lift(work.kin, cw.kin)
    linearise(model, right_of(state.clock[0].t), y, new, 0.0, work, lin)


@jit
def list_start(model, kit, h, soft, state, work, rounds):
    """List what stands at the start of the step, which is the other state of the stage."""
    P, cw, lin, col, solver, _, _, prog = kit
    info, at, t = model.info[0], prog.at[0], right_of(state.clock[0].t)
    new = rounds.new[7 * (info.bodies - 1) :]
    n, eta, du, dz, after = info.bodies - 1, at.eta[OTHER], at.du[OTHER], at.dz[OTHER], at.dz[HERE]
    linearise_start(model, kit, h, soft, state, work, rounds)
    put_mass(model, prog, solver, du)
    list_equations(model, prog, solver, h, lin, (eta, du, dz), at.r)
    for r in range(info.bilateral):
        put_row(prog, at.x + solver.slot[n + 1 + r], -1.0 / h, model.row[r], work.row[r].w, eta)
    for q in range(info.inner):
        add_entry(prog, SET, after + q, 1.0, dz + q)
        put(prog, after + q, h, at.r + q)
    for k in range(len(P.energy0)):
        find_column(model, P, k, t, state.y, new, solver.a, 0.0, state.memory, work, cw, col)
        drift_column(model, P, k, t, cw, col)
        add_equation_parts(model, P, k, prog, solver, h, col, at.r)
        add_closed_parts(P, k, prog, solver, n, -1.0 / h, col.g)


@jit
def own_gaps(model, P, k, h, memory, cw, act):
    """Parameter k's own part in the gaps joins act.column: dgap/h."""
    for c in range(len(model.contact)):
        law = model.contact[c]
        if act.on[c] != 0 and law.brake == 0:
            act.column[c, 0] += own_gap(model, P, k, c, memory, cw) / h


@jit
def ease(model, work, solver, act):
    """A little give in the rows of contacts: those that depend on each other share their impulses."""
    dim = model.info[0].dim
    for c in range(len(model.contact)):
        if act.on[c]:
            for m in range(model.contact[c].brake, dim):
                at, place = solver.base[1] + dim * c + m, dim * work.touch[c].place + m
                if m == 0 or act.slides[c] == 0:
                    solver.A[at, at] += LEAST * work.delassus[place, place]


@jit
def list_round(model, kit, h, first, state, work, rounds):
    """List what stands where the rows of the contacts are, and the solution; False: the matrix is singular."""
    P, cw, lin, col, solver, act, half, prog = kit
    at, bodies, shift, memory = prog.at[0], model.info[0].bodies, 7 * (model.info[0].bodies - 1), state.memory
    u, new, eta, du = rounds.place[shift:], rounds.new[shift:], at.eta[HERE], at.du[HERE]
    when = INSTANT if first else LATER_ROUND
    place_bodies(bodies, rounds.place, work.kin)
    lift(work.kin, cw.kin)
    clear(model, lin)
    add_contacts(model, memory, 1.0, 0.0, when, u, new, work, lin, act)
    move_maps(model.info[0].planar, bodies, state.y, new, h, rounds.new, 0, half)
    fill_stage(model, work, lin, solver, act)
    ease(model, work, solver, act)
    if not factor_matrix(solver):
        return False
    if len(model.contact) > 0:
        put_forces(model, prog, solver, 1.0, lin, lin.K, eta)
        list_contacts(model, prog, h, when, 1.0 / h, (eta, at.v, du), work, lin, solver, act)
        for k in range(len(P.energy0)):
            clear_column(col)
            contact_columns(model, P, k, 1.0, 0.0, when, u, new, memory, work, cw, col, act)
            own_gaps(model, P, k, h, memory, cw, act)
            add_force_parts(model, P, k, prog, solver, 1.0, col.F)
            add_contact_parts(model, P, k, prog, h, solver, act)
    put_solve(prog, solver)
    set_bodies(model, prog, solver, du, 1.0)
    list_motion(prog, bodies, h, new, NOWHERE, at.eta[OTHER], du, half.maps[0], half.by_h[0], eta)
    return fits(prog)


@jit
def round_again(model, kit, h, first, soft, state, work, rounds):
    """List a round that has just been solved, from rounds.place to rounds.new; False: singular.

    Rows of the contacts are left as they are, and bodies at rounds.place.
    """
    take_active(model, work, kit.act)
    start_list(kit.prog, True)
    list_start(model, kit, h, soft, state, work, rounds)
    return list_round(model, kit, h, first, state, work, rounds)


@jit
def round_tangents(model, kit, h, first, soft, state, work, lines, rounds):
    """All tangents over a round that has just been solved; False: singular."""
    old, _, tan, _ = lines
    if not round_again(model, kit, h, first, soft, state, work, rounds):
        return False
    if first:
        copy_tangents(old, tan)
    carry(model, kit, len(kit.P.energy0), 0.0, work, old, tan, tan)
    for k in range(len(kit.P.energy0)):
        add_round(model, kit, k, h, state, work, old, tan, rounds)
    return True
