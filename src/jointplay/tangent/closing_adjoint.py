"""Adjoint of the correction that ends a step of OptimalStep: tangent/contact_closing.py transposed.

With f_c, f_j the changes of the forces of contacts and joints at E, f_A those of the replies at the start A, the
tangent of the corrected positions is

    e' = S (e + c x e - M^-1 (f_c + f_j + f_A) + M^-1 W_A^T N_A^-1 left,  own gaps),
    left = W_A M^-1 (f_c + f_A) + Cq_A e_A + c_A,        S the turns in which joints and contacts are closed,

so that bars pass S backwards, turn by turn, then the replies at A, then the forces at E.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import ANSWER, LAM, NONE, RHS, Model
from ..assemble.closed import solve_rows
from ..assemble.rigid_contacts import solve_normals
from ..numerics.cones import BEST
from ..numerics.jit import jit
from ..numerics.vec import cross, load
from .closing import corrections
from .contact_closing import (
    SWEEPS,
    find_shares,
    is_corrected,
    join_shares,
    look_at_end,
    look_before,
    own_at_end,
    own_replies,
    own_ties,
    own_turns,
    take_replies,
    take_shut,
    take_ties,
    take_turns,
)
from .contacts import along
from .parameter_columns import lift
from .reverse import add_row, add_transposed, residual_bar, weigh
from .stage_matrix import dot_line


class Unshut(NamedTuple):
    """Bars that parameters are multiplied with, one line per objective; then scratch."""

    turn: np.ndarray  # (objectives, 6 n) of all forces
    force: np.ndarray  # (objectives, 6 n) of the forces that replies see
    left: np.ndarray  # (objectives, closed rows)
    own: np.ndarray  # (objectives, unknowns) of gaps at the corrected state
    line: np.ndarray  # (2, 6 n)
    rows: np.ndarray  # (closed rows,)
    part: np.ndarray  # (unknowns,)


def make_unshut(model: Model, objectives: int, unknowns: int) -> Unshut:
    """Zeros."""
    n, closed, z = 6 * (int(model.info[0]["bodies"]) - 1), int(model.info[0]["bilateral"]), np.zeros
    bars = z((objectives, n)), z((objectives, n)), z((objectives, closed)), z((objectives, unknowns))
    return Unshut(*bars, z((2, n)), z(closed), z(unknowns))


@jit
def unpush(model, count, bar, work):
    """problem[ANSWER] = D^-1 of what replies make of a bar: push_out transposed, and D is symmetric."""
    dim, left = model.info[0].dim, work.pivot[BEST]
    for a in range(count):
        left[a] = 0.0
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.place != NONE and model.contact[c].brake == 0 and t.held != 0:
            for m in range(len(bar)):
                left[t.place] += work.reply[dim * t.place, 6 + m] * bar[m]
    solve_normals(model, count, work)


@jit
def unsweep(model, count, soft, bar, own, work, solver, act, rounds, room):
    """One turn of joints and contacts, backwards; ``own`` gains the bars of what rows have beside w . line."""
    info, slot, way = model.info[0], solver.slot, room.line[0]
    for m in range(len(bar)):
        way[m] = -bar[m]
    if count > 0:
        unpush(model, count, way, work)
        for c in range(len(model.contact)):
            if act.on[c]:
                law, x = model.contact[c], work.problem[ANSWER, work.touch[c].place]
                r = law.row[0]
                own[solver.base[1] + info.dim * c] += x
                add_row(model.row[r], rounds.w[r], law.sign * x, bar)
                add_row(model.row[r], work.row[r].w, -law.sign * x, way)
    if info.bilateral > 0:
        residual_bar(model, soft, way, room.line[1], work, room.rows)
        for r in range(info.bilateral):
            own[slot[info.bodies + r]] -= room.rows[r]
            add_row(model.row[r], rounds.w[r], -room.rows[r], bar)


@jit
def untwist(model, fix, bar):
    """Bars of e from those of e + c x e."""
    for b in range(len(model.body) - 1):
        at = 6 * b + 3
        turned = cross(load(bar[at : at + 3]), load(fix[at : at + 3]))
        for m in range(3):
            bar[at + m] += turned[m]


@jit
def unreply(model, kit, state, work, old, rounds, room, gradient):
    """Replies at the start A: bars of the forces that they see, of positions there, and the parameters' parts."""
    P, cw, lin, col, _, _, _ = kit
    closed = model.info[0].bilateral
    soft = take_replies(model, state, work, cw, lin, rounds)
    for o in range(gradient.shape[0]):
        # turn = -M^-1 bar, so that left = N^-1 W M^-1 bar
        force, left = room.force[o], room.left[o]
        for m in range(len(force)):
            room.line[0, m], room.line[1, m] = 0.0, 0.0
        for r in range(closed):
            work.vector[RHS, r] = -along(model.row[r], work.row[r].w, room.turn[o])
        solve_rows(model, max(soft, 1), work)
        for r in range(closed):
            left[r] = work.vector[LAM, r]
            add_row(model.row[r], work.row[r].w, left[r], room.line[0])
        weigh(model, room.line[0], room.line[1])
        for m in range(len(force)):
            force[m] = room.turn[o, m] + room.line[1, m]
        add_transposed(lin.Cq[:closed], left, 1.0, old.eta[o])
        add_transposed(lin.K, force, 1.0, old.eta[o])
    for k in range(len(P.energy0)):
        own_replies(model, kit, k, state, work, rounds)
        for o in range(gradient.shape[0]):
            gradient[o, k] += dot_line(room.force[o], col.F) + dot_line(room.left[o], col.c)


@jit
def unforce(model, kit, t, count, state, work, bar, rounds, room, gradient):
    """Forces of the correction at E: bars of positions there, and the parameters' parts."""
    P, _, lin, col, _, act, _ = kit
    if count > 0:
        take_turns(model, state, work, lin, act, rounds)
        for o in range(gradient.shape[0]):
            add_transposed(lin.K, room.force[o], 1.0, bar.eta[o])
        for k in range(len(P.energy0)):
            own_turns(model, kit, k, state, work, rounds)
            for o in range(gradient.shape[0]):
                gradient[o, k] += dot_line(room.force[o], col.F)
    take_ties(model, work, lin, rounds)
    for o in range(gradient.shape[0]):
        add_transposed(lin.K, room.turn[o], 1.0, bar.eta[o])
    for k in range(len(P.energy0)):
        own_ties(model, kit, k, t, state, work, rounds)
        for o in range(gradient.shape[0]):
            gradient[o, k] += dot_line(room.turn[o], col.F)


@jit
def unshut(model, kit, t, soft, by_start, state, work, bar, old, rounds, room, gradient):
    """Bars over the correction from rounds.new to rounds.end, backwards; those at the start A join ``old``.

    Rows as in ``shut``.
    """
    P, cw, _, _, solver, act, _ = kit
    if not is_corrected(model.info[0].bodies, rounds):
        return
    count = take_shut(model, soft, work, act, rounds)
    corrections(model.info[0].bodies, rounds.new, rounds.end, rounds.fix, rounds.line)
    look_at_end(model, t, state, work, cw, rounds)
    soft = look_before(model, t, state, work, rounds)
    find_shares(model, count, soft, work, solver, act, rounds)
    if not by_start:
        join_shares(rounds)
    for o in range(gradient.shape[0]):
        for m in range(room.own.shape[1]):
            room.own[o, m] = 0.0
        for _ in range(SWEEPS):
            unsweep(model, count, soft, bar.eta[o], room.own[o], work, solver, act, rounds, room)
        weigh(model, bar.eta[o], room.turn[o])
        for m in range(room.turn.shape[1]):
            room.turn[o, m] = -room.turn[o, m]
            room.force[o, m] = room.turn[o, m]
        untwist(model, rounds.fix, bar.eta[o])
    if by_start and count > 0 and model.info[0].bilateral > 0:
        unreply(model, kit, state, work, old, rounds, room, gradient)
    look_before(model, t, state, work, rounds)
    lift(work.kin, cw.kin)
    unforce(model, kit, t, count, state, work, bar, rounds, room, gradient)
    look_at_end(model, t, state, work, cw, rounds)
    for k in range(len(P.energy0)):
        own_at_end(model, kit, k, t, state, work, rounds, room.part)
        for o in range(gradient.shape[0]):
            gradient[o, k] += dot_line(room.own[o], room.part)
