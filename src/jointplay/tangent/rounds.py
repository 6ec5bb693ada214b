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
from ..assemble.tangent import LEAST, moves
from ..numerics.jit import jit, readable
from ..numerics.lu import factor_band, solve_band
from .contacts import (
    INSTANT,
    add_contacts,
    along,
    contact_columns,
    fill_contacts,
    keep_only,
    right_of_contacts,
    take_active,
)
from .impact import change_of_gap
from .integrals import add_round
from .linear import linearise
from .matrices import clear, vary_all
from .midpoint_tangent import find_multipliers, move_maps, moved
from .parameter_columns import clear_column, drift_column, find_column, lift
from .params import STEP
from .stage_matrix import dot_line, fill_matrix, mass_times


class Rounds(NamedTuple):
    """Scratch of a step that is taken once more, round by round."""

    end: np.ndarray  # (state,) as the method left it
    place: np.ndarray  # (state,) where the rows of the contacts stand
    new: np.ndarray  # (state,) where the round leads
    right: np.ndarray  # (parameters, unknowns) right-hand sides without contacts; then own parts of gaps
    still: np.ndarray  # (6 n,) zeros
    # the correction at the end of the step (tangent/contact_closing.py)
    shut: np.ndarray  # (contacts,) 1 where a gap is closed
    fix: np.ndarray  # (6 n,) c
    slide: np.ndarray  # (6 n,) s
    line: np.ndarray  # (6 n,) scratch
    kappa: np.ndarray  # (closed rows,)
    echo: np.ndarray  # (closed rows,) e
    before: np.ndarray  # (rows, 12) rows at E
    w: np.ndarray  # (rows, 12) rows at the corrected state
    force: np.ndarray  # (parameters, 6 n) M times the derivative of s, multipliers kept
    turn: np.ndarray  # (parameters, 6 n) of c
    back: np.ndarray  # (parameters, 6 n) M^-1 W_A^T de
    touch: np.ndarray  # (contacts,) as they were before the correction was looked at


def make_rounds(model: Model, count: int, unknowns: int, size: int) -> Rounds:
    """Zeros."""
    info, z = model.info[0], np.zeros
    n, rows, closed = 6 * (int(info["bodies"]) - 1), int(info["measure"]), int(info["bilateral"])
    shut = np.zeros(len(model.contact), dtype=np.int64)
    touch = np.zeros(len(model.contact), dtype=touch_dtype(float))
    room = Rounds(
        *(z(size), z(size), z(size), z((count, unknowns)), z(n), shut, z(n), z(n), z(n), z(closed), z(closed)),
        *(z((rows, 12)), z((rows, 12)), z((count, n)), z((count, n)), z((count, n)), touch),
    )
    return readable(room)


@jit
def linearise_start(model, kit, h, soft, state, work, rounds):
    """All that stands at the start of the step, with velocities and impulses of the round: matrices of ``lin``.

    Forces of the start stand in half.force, rows of the contacts where the round has them.
    """
    _, cw, lin, _, solver, _, half = kit
    info, y, shift = model.info[0], state.y, 7 * (model.info[0].bodies - 1)
    u, new = y[shift:], rounds.new[shift:]
    for b in range(1, info.bodies):
        for m in range(6):
            i = 6 * (b - 1) + m
            work.kin[b].force[m] = half.force[i]
            solver.a[i] = (new[i] - u[i]) / h
    find_multipliers(model, h, u, new, soft, work, half)
    place_bodies(info.bodies, y, work.kin)
    lift(work.kin, cw.kin)
    linearise(model, state.clock[0].t, y, new, 0.0, work, lin)


@jit
def start_column(model, kit, k, state, work, rounds):
    """Parameter k's own part at the start of the step: forces, rows, drift."""
    P, cw, _, col, solver, _, _ = kit
    t, new = state.clock[0].t, rounds.new[7 * (model.info[0].bodies - 1) :]
    find_column(model, P, k, t, state.y, new, solver.a, 0.0, state.memory, work, cw, col)
    drift_column(model, P, k, t, cw, col)


@jit
def start_of_round(model, kit, h, soft, state, work, old, rounds):
    """Right-hand sides of all that stands at the start of the step."""
    P, _, lin, col, solver, _, _ = kit
    info, slot = model.info[0], solver.slot
    n = info.bodies - 1
    linearise_start(model, kit, h, soft, state, work, rounds)
    for k in range(len(P.energy0)):
        start_column(model, kit, k, state, work, rounds)
        eta, du, right = old.eta[k], old.du[k], rounds.right[k]
        for b in range(n):
            body = model.body[b + 1]
            for m in range(6):
                i = 6 * b + m
                value = mass_times(body, b, m, du) + h * (dot_line(lin.K[i], eta) + dot_line(lin.D[i], du) + col.F[i])
                right[slot[b + 1] + m] = value if moves(body, m) else 0.0
        for r in range(info.bilateral):
            value = along(model.row[r], work.row[r].w, eta) + col.g[r]
            right[slot[n + 1 + r]] = -(dot_line(lin.Cq[r], eta) + col.c[r] + value / h)


@jit
def turn_normals(model, u, new, work, lin, act):
    """Lines of Cq of the normals in a later round, whose gaps speak of new - u."""
    for c in range(len(model.contact)):
        law = model.contact[c]
        if act.on[c] == 0 or law.brake:
            continue
        r, relation = law.row[0], model.relation[law.relation]
        for i in range(len(act.x)):
            act.x[i] = new[i] - u[i]
            lin.Cq[r, i], lin.Cu[r, i], lin.T[r, i] = 0.0, 0.0, 0.0
        vary_all(relation, work.kin, lin)
        keep_only(relation, lin.relation[law.relation], r, work.row, act.x, 0.0, work.kin, lin)


@jit
def gap_columns(model, P, k, h, first, eta, du, u, memory, work, cw, act):
    """Changes of the gaps join act.column: dgap/h, less the way that the round before has gone."""
    for c in range(len(model.contact)):
        law = model.contact[c]
        if act.on[c] == 0 or law.brake:
            continue
        act.column[c, 0] += change_of_gap(model, P, k, c, eta, memory, work, cw) / h
        if not first:
            r = law.row[0]
            act.column[c, 0] -= law.sign * along(model.row[r], work.row[r].w, du)
            if P.has_relation[k, law.relation] != 0:
                for half, b in ((0, model.row[r].i), (6, model.row[r].j)):
                    if b != 0:
                        for m in range(6):
                            turned = cw.row[r].w[half + m].imag / STEP
                            act.column[c, 0] -= law.sign * turned * u[6 * (b - 1) + m]


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
def round_column(model, kit, k, h, first, eta, du, state, work, rounds):
    """Parameter k's own part in the contacts of a round, and what (eta, du) of their place do to the gaps."""
    P, cw, _, col, _, act, _ = kit
    shift = 7 * (model.info[0].bodies - 1)
    u, new = rounds.place[shift:], rounds.new[shift:]
    clear_column(col)
    contact_columns(model, P, k, 1.0, 0.0, INSTANT, u, new, state.memory, work, cw, col, act)
    gap_columns(model, P, k, h, first, eta, du, u, state.memory, work, cw, act)


@jit
def carry_round(model, kit, k, h, first, eta, du, state, work, old, tan, rounds):
    """Tangent k over the round; (eta, du) where the rows of the contacts stand."""
    P, _, lin, col, solver, act, half = kit
    info, x, slot = model.info[0], solver.x, solver.slot
    n = info.bodies - 1
    for m in range(len(x)):
        x[m] = rounds.right[k, m]
    if len(model.contact) > 0:
        round_column(model, kit, k, h, first, eta, du, state, work, rounds)
        right_of_contacts(model, P, k, h, 0.0, eta, rounds.still, half.still, lin, solver, act)
        for b in range(n):
            for m in range(6):
                i = 6 * b + m
                if moves(model.body[b + 1], m):
                    x[slot[b + 1] + m] += dot_line(lin.K[i], eta) + col.F[i]
    solve_band(solver.A, solver.band, x)
    for b in range(n):
        for m in range(6):
            tan.du[k, 6 * b + m] = x[slot[b + 1] + m]
    moved(info.bodies, h, rounds.new[7 * n :], old.eta[k], tan.du[k], 0.0, 0, half, tan.eta[k])


@jit
def prepare_round(model, kit, h, first, state, work, rounds):
    """Contacts of the round linearised where their rows stand, and its matrix factorised; False: singular."""
    _, cw, lin, _, solver, act, half = kit
    bodies, shift = model.info[0].bodies, 7 * (model.info[0].bodies - 1)
    u, new = rounds.place[shift:], rounds.new[shift:]
    place_bodies(bodies, rounds.place, work.kin)
    lift(work.kin, cw.kin)
    clear(model, lin)
    if len(model.contact) > 0:
        add_contacts(model, state.memory, 1.0, 0.0, INSTANT, u, new, work, lin, act)
        if not first:
            turn_normals(model, u, new, work, lin, act)
    move_maps(bodies, state.y, new, h, rounds.new, 0, half)
    fill_matrix(model, 0.0, work, lin, solver)
    if len(model.contact) > 0:
        fill_contacts(model, work, lin, solver, act)
        ease(model, work, solver, act)
    return factor_band(solver.A, solver.band)


@jit
def round_tangents(model, kit, h, first, soft, state, work, lines, rounds):
    """All tangents over a round that has just been solved, from rounds.place to rounds.new; False: singular.

    Rows of the contacts are left as they are, and bodies at rounds.place.
    """
    old, mid, tan, _ = lines
    take_active(model, work, kit.act)
    start_of_round(model, kit, h, soft, state, work, old, rounds)
    if not prepare_round(model, kit, h, first, state, work, rounds):
        return False
    for k in range(len(kit.P.energy0)):
        eta, du = (old.eta[k], rounds.still) if first else (mid.eta[k], mid.du[k])
        carry_round(model, kit, k, h, first, eta, du, state, work, old, tan, rounds)
        add_round(model, kit, k, h, state, work, old, tan, rounds)
        for m in range(len(rounds.still)):
            mid.eta[k, m], mid.du[k, m] = tan.eta[k, m], tan.du[k, m]
    return True
