"""Adjoint of one round of OptimalStep: tangent/rounds.py transposed.

A bar marks the derivative of an objective with respect to a quantity. With the matrix A of the round and its right-hand
side b_A (from the start) + b_k (from the place k of the contacts' rows),

    A x = b_A + b_k,   du = x_u,   e = B_0 e_A + B_1 du:      A^T y = bar of x,   bars of (e_A, du_A), (e_k, du_k)

follow from y and the transposed matrices of both places. What a parameter adds is a product of y with its own columns.
"""

from __future__ import annotations

from ..numerics.jit import jit
from .contacts import take_active
from .midpoint_adjoint import (
    add_scaled,
    part_of_bodies,
    part_of_contacts,
    solve_back,
    unchange,
    uncontact,
    unmass,
    unmove,
)
from .parameter_sparsity import ROW, touched
from .reverse import add_row, add_rows_to
from .rounds import linearise_start, prepare_round, round_column, start_column


@jit
def back_to_place(model, kit, h, first, work, bar, old, o, answer, change):
    """Bars where the rows of the contacts stand, in place of those after the round; objective o."""
    _, _, lin, _, solver, act, half = kit
    info, x, slot = model.info[0], solver.x, solver.slot
    eta, du = bar.eta[o], bar.du[o]
    for m in range(len(x)):
        x[m] = 0.0
    unmove(info.bodies, h, half.maps[0], eta, old.eta[o], du)
    for b in range(1, info.bodies):
        for m in range(6):
            x[slot[b] + m] = du[6 * (b - 1) + m]
    solve_back(model, solver, answer)
    for m in range(len(eta)):
        eta[m], du[m] = 0.0, 0.0
    if len(model.contact) == 0:
        return
    for b in range(1, info.bodies):
        for m in range(6):
            add_scaled(answer[slot[b] + m], lin.K[6 * (b - 1) + m], eta)
    uncontact(model, solver, act, answer, change)
    unchange(model, lin, change, eta, half.du)  # Cu vanishes: rows have no bias here
    for c in range(len(model.contact)):
        law = model.contact[c]
        if act.on[c] and law.brake == 0:
            r, f = law.row[0], law.sign * change[c, 0]
            add_row(model.row[r], work.row[r].w, f / h, eta)
            if not first:
                add_row(model.row[r], work.row[r].w, -f, du)


@jit
def back_to_start(model, kit, h, work, old, o, answer):
    """Bars at the start of the step gain what the round has from there; objective o."""
    _, _, lin, _, solver, _, half = kit
    info, slot, eta, du = model.info[0], solver.slot, old.eta[o], old.du[o]
    rows = half.rows_by_t[: info.bilateral]
    for b in range(info.bodies - 1):
        unmass(model.body[b + 1], b, answer, slot[b + 1], du)
        for m in range(6):
            f = h * answer[slot[b + 1] + m]
            add_scaled(f, lin.K[6 * b + m], eta)
            add_scaled(f, lin.D[6 * b + m], du)
    for r in range(info.bilateral):
        f = -answer[slot[info.bodies + r]]
        add_scaled(f, lin.Cq[r], eta)
        rows[r] = f / h
    add_rows_to(model, work, rows, eta)


@jit
def parts_of_start(model, kit, h, state, work, rounds, answers, gradient):
    """What parameters do at the start of the step."""
    P, _, _, col, solver, _, _ = kit
    bodies = model.info[0].bodies
    for k in range(len(P.energy0)):
        start_column(model, kit, k, state, work, rounds)
        rows = touched(P, k, ROW)
        for o in range(gradient.shape[0]):
            total = h * part_of_bodies(P, k, col, solver, answers[o])
            for q in range(len(rows)):
                r = rows[q]
                total -= answers[o, solver.slot[bodies + r]] * (col.c[r] + col.g[r] / h)
            gradient[o, k] += total


@jit
def unround(model, kit, h, first, soft, state, work, bar, old, rounds, rooms, gradient):
    """Bars of all objectives over a round that has just been solved, backwards; False: its matrix is singular.

    ``bar`` after the round becomes that of the place of the contacts' rows; ``old`` at the start of the step gains.
    """
    P, _, _, col, solver, act, _ = kit
    answers, changes, _ = rooms
    take_active(model, work, act)
    if not prepare_round(model, kit, h, first, state, work, rounds):
        return False
    for o in range(gradient.shape[0]):
        back_to_place(model, kit, h, first, work, bar, old, o, answers[o], changes[o])
    if len(model.contact) > 0:
        for k in range(len(P.energy0)):
            round_column(model, kit, k, h, first, rounds.still, rounds.still, state, work, rounds)
            for o in range(gradient.shape[0]):
                total = part_of_bodies(P, k, col, solver, answers[o])
                gradient[o, k] += total + part_of_contacts(model, P, k, h, solver, act, answers[o], changes[o])
    linearise_start(model, kit, h, soft, state, work, rounds)
    for o in range(gradient.shape[0]):
        back_to_start(model, kit, h, work, old, o, answers[o])
    parts_of_start(model, kit, h, state, work, rounds, answers, gradient)
    return True
