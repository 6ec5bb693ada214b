"""Tangent of the correction that ends a step of OptimalStep: joints and pressing contacts closed by a small change.

Positions E are corrected by c, of the order h^2, so that its derivative counts (tangent/closing.py: joints alone):

    M c = W_E^T kappa + w_E^T x + W_A^T e,      W_A s = 0  for the part  M s = w_E^T x + W_A^T e

because contacts push through their replies, which keep the joints of the start A closed (assemble/rigid_contacts.py).
With the multipliers kept, the derivative d of c is M d = d(W_E^T) kappa + d(w_E^T) x + d(W_A^T) e + W_A^T de - dM c;
then

    e' = e + c x e - d,  and on to  W e' + g = 0,  w e' + dgap = 0  at the corrected state

by the very steps of the correction: joints, then contacts, in turns. What is saved inside a step is closed in the same
way, with all rows at the saved state, A = E; and so are the steps of Moreau in which contacts stay closed.
"""

from __future__ import annotations

from ..arrays import ANSWER, LAM, NONE, RHS, Y_OUT, Y_TRY
from ..assemble.closed import evaluate_closed_rows, factorise, solve_rows
from ..assemble.kinematics import move, normalise
from ..assemble.products import along_shifts, set_shifts
from ..assemble.rigid_contacts import build_problem, evaluate_gaps, push_out
from ..numerics.jit import jit
from ..numerics.vec import copy, cross, load
from .closing import corrections
from .contacts import INSTANT, add_contacts, along, contact_columns
from .impact import change_of_gap, inertia_column, linearise_rows
from .matrices import clear
from .parameter_columns import clear_column, closed_column, lift
from .stage_matrix import dot_line
from .tangent_state import over_bodies, take_back

LEFT = 0.01  # of a clearance, of the mechanism, or rad: corrections that are followed to about a thousandth of theirs
SWEEPS = 6  # of joints and contacts in turns; what is left falls by the turn of a step each time


@jit
def take_shut(model, soft, work, act, rounds):
    """Replies of the contacts that were closed, and these as an active set of normals; returns how many."""
    for c in range(len(model.contact)):
        work.touch[c].held = rounds.shut[c]
        act.on[c], act.slides[c] = rounds.shut[c], 0
        for m in range(3):
            act.r[c, m] = 0.0
    return build_problem(model, soft, work) if len(model.contact) > 0 else 0


@jit
def look_at_end(model, t, state, work, cw, rounds):
    """Rows at the corrected state: rounds.w."""
    evaluate_closed_rows(model, t, rounds.end, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    lift(work.kin, cw.kin)
    for r in range(len(rounds.w)):
        for m in range(12):
            rounds.w[r, m] = work.row[r].w[m]


@jit
def own_at_end(model, kit, k, t, state, work, rounds, own):
    """Parameter k's own part in the gaps at the corrected state, at the places of unknowns."""
    P, cw, _, col, solver, act, _ = kit
    info = model.info[0]
    clear_column(col)
    closed_column(model, P, k, t, rounds.end[7 * (info.bodies - 1) :], 0.0, state.memory, work, cw, col)
    for r in range(info.bilateral):
        own[solver.slot[info.bodies + r]] = col.g[r]
    for c in range(len(model.contact)):
        if act.on[c]:
            gap = change_of_gap(model, P, k, c, rounds.still, state.memory, work, cw)
            own[solver.base[1] + info.dim * c] = gap


@jit
def look_before(model, t, state, work, rounds):
    """Rows before the correction, and their factor; returns the refinements that solutions need."""
    evaluate_closed_rows(model, t, rounds.new, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    return factorise(model, 0.0, work)


@jit
def sweep(model, count, soft, line, w, own, work, solver, act, rounds):
    """One turn of joints and contacts: line -= what closes the rows ``w`` along it; adds up multipliers.

    ``own``: what the rows have beside w . line, at the places of unknowns.
    """
    info, slot = model.info[0], solver.slot
    fact = model.row[: info.bilateral]
    for r in range(len(fact)):
        work.vector[RHS, r] = along(model.row[r], w[r], line) + own[slot[info.bodies + r]]
    if len(fact) > 0:
        solve_rows(model, max(soft, 1), work)
    set_shifts(model.info[0].planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)
    for r in range(len(fact)):
        rounds.kappa[r] += work.vector[LAM, r]
    if count > 0:
        for c in range(len(model.contact)):
            law = model.contact[c]
            if act.on[c]:
                r = law.row[0]
                gap = law.sign * along(model.row[r], w[r], line)
                work.touch[c].gap = gap + own[solver.base[1] + info.dim * c]
        push_out(model, count, work)
        for c in range(len(model.contact)):
            if act.on[c]:
                act.r[c, 0] += work.problem[ANSWER, work.touch[c].place]
    for b in range(1, len(work.kin)):
        for m in range(6):
            line[6 * (b - 1) + m] -= work.kin[b].shift[m]


@jit
def find_shares(model, count, soft, work, solver, act, rounds):
    """Multipliers of the correction: rounds.kappa, act.r; of its part by replies: rounds.echo and the way rounds.slide.

    Rows and factor are those before the correction.
    """
    dim, closed = model.info[0].dim, model.info[0].bilateral
    for r in range(closed):
        rounds.kappa[r], rounds.echo[r] = 0.0, 0.0
    for m in range(len(rounds.slide)):
        rounds.slide[m], rounds.line[m] = 0.0, rounds.fix[m]
    for r in range(len(rounds.w)):
        for m in range(12):
            rounds.before[r, m] = work.row[r].w[m]
    for m in range(len(solver.x)):
        solver.x[m] = 0.0
    for _ in range(SWEEPS):
        sweep(model, count, soft, rounds.line, rounds.before, solver.x, work, solver, act, rounds)
    for c in range(len(model.contact)):
        if act.on[c]:
            x, at = act.r[c, 0], dim * work.touch[c].place
            for r in range(closed):
                rounds.echo[r] += x * work.echo[at, r]
            for m in range(len(rounds.slide)):
                rounds.slide[m] += x * work.reply[at, 6 + m]


@jit
def join_shares(rounds):
    """Replies at E itself: their multipliers are those of the joints there."""
    for r in range(len(rounds.kappa)):
        rounds.kappa[r] += rounds.echo[r]
    for m in range(len(rounds.slide)):
        rounds.slide[m] = 0.0


@jit
def add_weighed(model, force, factor, line):
    """Line += factor M^-1 force."""
    for b in range(1, len(model.body)):
        body, at = model.body[b], 6 * (b - 1)
        for m in range(3):
            line[at + m] += factor * body.minv[m] * force[at + m]
            for n in range(3):
                line[at + 3 + m] += factor * body.Jinv[m, n] * force[at + 3 + n]


@jit
def take_turns(model, state, work, lin, act, rounds):
    """lin.K = how forces of the contacts in the correction turn with E."""
    u = rounds.new[7 * (model.info[0].bodies - 1) :]
    clear(model, lin)
    add_contacts(model, state.memory, 1.0, 0.0, INSTANT, u, u, work, lin, act)


@jit
def own_turns(model, kit, k, state, work, rounds):
    """col.F = parameter k's own part in those forces, inertia included."""
    P, cw, _, col, _, act, _ = kit
    u = rounds.new[7 * (model.info[0].bodies - 1) :]
    clear_column(col)
    inertia_column(model, P, k, rounds.slide, col.F)
    contact_columns(model, P, k, 1.0, 0.0, INSTANT, u, u, state.memory, work, cw, col, act)


@jit
def take_ties(model, work, lin, rounds):
    """lin.K = how forces of the joints in the correction turn with E; rounds.line = their way."""
    for r in range(model.info[0].bilateral):
        work.vector[LAM, r] = rounds.kappa[r]
    for i in range(len(rounds.slide)):
        rounds.line[i] = rounds.fix[i] - rounds.slide[i]
    linearise_rows(model, rounds.new[7 * (model.info[0].bodies - 1) :], 0.0, work, lin)


@jit
def own_ties(model, kit, k, t, state, work, rounds):
    """col.F = parameter k's own part in those forces, inertia included."""
    P, cw, _, col, _, _, _ = kit
    clear_column(col)
    inertia_column(model, P, k, rounds.line, col.F)
    u = rounds.new[7 * (model.info[0].bodies - 1) :]
    closed_column(model, P, k, t, u, 0.0, state.memory, work, cw, col)


@jit
def turn_rows(model, kit, t, count, eta_of, state, work, rounds):
    """Forces of the correction as rows turn at E, and inertia: rounds.force (contacts alone), rounds.turn (all)."""
    P, _, lin, col, _, act, _ = kit
    if count > 0:
        take_turns(model, state, work, lin, act, rounds)
        for k in range(len(P.energy0)):
            own_turns(model, kit, k, state, work, rounds)
            for i in range(len(rounds.slide)):
                rounds.force[k, i] = dot_line(lin.K[i], eta_of[k]) + col.F[i]
    take_ties(model, work, lin, rounds)
    for k in range(len(P.energy0)):
        own_ties(model, kit, k, t, state, work, rounds)
        for i in range(len(rounds.slide)):
            rounds.turn[k, i] = dot_line(lin.K[i], eta_of[k]) + col.F[i]
            rounds.turn[k, i] += rounds.force[k, i] if count > 0 else 0.0


@jit
def take_replies(model, state, work, cw, lin, rounds):
    """Rows and factor at the start A, with the multipliers of the replies; returns the refinements."""
    evaluate_closed_rows(model, state.clock[0].t, state.y, state.memory, work)
    soft = factorise(model, 0.0, work)
    lift(work.kin, cw.kin)
    for r in range(model.info[0].bilateral):
        work.vector[LAM, r] = rounds.echo[r]
    linearise_rows(model, rounds.slide, 0.0, work, lin)
    return soft


@jit
def own_replies(model, kit, k, state, work, rounds):
    """col.F and col.c = parameter k's own part in the replies."""
    P, cw, _, col, _, _, _ = kit
    for r in range(model.info[0].bilateral):
        work.vector[LAM, r] = rounds.echo[r]
    clear_column(col)
    closed_column(model, P, k, state.clock[0].t, rounds.slide, 0.0, state.memory, work, cw, col)


@jit
def turn_replies(model, kit, state, work, old, rounds):
    """Replies at the start A: their part of rounds.turn, and rounds.back = M^-1 W_A^T de."""
    P, cw, lin, col, _, _, _ = kit
    closed = model.info[0].bilateral
    fact, left = model.row[:closed], work.vector[RHS]
    soft = take_replies(model, state, work, cw, lin, rounds)
    for k in range(len(P.energy0)):
        own_replies(model, kit, k, state, work, rounds)
        for i in range(len(rounds.line)):
            force = dot_line(lin.K[i], old.eta[k]) + col.F[i]
            rounds.force[k, i] += force
            rounds.turn[k, i] += force
            rounds.line[i], rounds.back[k, i] = 0.0, 0.0
        add_weighed(model, rounds.force[k], 1.0, rounds.line)
        over_bodies(rounds.line, work.kin)
        along_shifts(model.info[0].planar, model.place, fact, work.row, work.kin, left)
        for r in range(closed):
            left[r] += dot_line(lin.Cq[r], old.eta[k]) + col.c[r]
        take_back(model, soft, left, rounds.back[k], work)


@jit
def take_saved(model, t, limit, state, work, rounds):
    """The state to be saved, just closed, as a correction: rounds.new was found on the way, rounds.end is closed.

    Rows are left at rounds.new; returns the refinements that solutions need.
    """
    copy(work.stage[Y_OUT], rounds.end)
    soft = look_before(model, t, state, work, rounds)
    for c in range(len(model.contact)):
        k = work.touch[c]
        pressed = model.contact[c].brake == 0 and (k.carry != 0 or k.gap < -limit)
        rounds.shut[c] = 1 if pressed else 0
    return soft


@jit
def take_glide(model, h, new, work, rounds):
    """A glide of Moreau, just taken, as a correction; False if none was made, or no contact takes part.

    rounds.new = where the motion led, rounds.end = ``new``, where joints and held contacts are closed.
    """
    bodies, held = model.info[0].bodies, False
    for c in range(len(model.contact)):
        k = work.touch[c]
        closed = k.held != 0 and k.place != NONE and model.contact[c].brake == 0
        rounds.shut[c] = 1 if closed else 0
        held = held or closed
    if not held:
        return False
    copy(new, rounds.end)
    copy(new, rounds.new)
    move(bodies, work.stage[Y_TRY], new[7 * (bodies - 1) :], 0.5 * h, rounds.new)
    normalise(bodies, rounds.new)
    return is_corrected(bodies, rounds)


@jit
def shut_glide(model, kit, span, new, state, work, tan, rounds):
    """Tangents over the correction that ends a glide; contacts are left as they were."""
    t, h, _ = span
    if not take_glide(model, h, new, work, rounds):
        return
    for c in range(len(model.contact)):
        rounds.touch[c] = work.touch[c]
    soft = look_before(model, t + h, state, work, rounds)
    shut(model, kit, t + h, soft, False, state, work, tan, tan, rounds)
    for c in range(len(model.contact)):
        work.touch[c] = rounds.touch[c]


@jit
def is_corrected(bodies, rounds):
    """True if positions were changed at the end of the step."""
    for m in range(7 * (bodies - 1)):
        if rounds.end[m] != rounds.new[m]:
            return True
    return False


@jit
def is_small(model, rounds):
    """True if formulas for small corrections hold for this one."""
    for m in range(len(rounds.fix)):
        if not abs(rounds.fix[m]) < LEFT * (model.info[0].length if m % 6 < 3 else 1.0):
            return False
    return True


@jit
def shut(model, kit, t, soft, by_start, state, work, old, tan, rounds):
    """Tangents of positions over the correction from rounds.new to rounds.end, at the instant t.

    Returns False where it is too large to be followed: formulas are those of small corrections. Rows of the contacts
    are those at rounds.new; those of the joints at the start of the step if ``by_start``, else at rounds.new too.
    """
    P, cw, _, _, solver, act, _ = kit
    bodies = model.info[0].bodies
    if not is_corrected(bodies, rounds):
        return True
    count = take_shut(model, soft, work, act, rounds)
    corrections(bodies, rounds.new, rounds.end, rounds.fix, rounds.line)
    look_at_end(model, t, state, work, cw, rounds)
    for k in range(len(P.energy0)):
        own_at_end(model, kit, k, t, state, work, rounds, rounds.right[k])
    soft = look_before(model, t, state, work, rounds)
    find_shares(model, count, soft, work, solver, act, rounds)
    if not by_start:
        join_shares(rounds)
    lift(work.kin, cw.kin)
    turn_rows(model, kit, t, count, tan.eta, state, work, rounds)
    replies = by_start and count > 0 and model.info[0].bilateral > 0
    if replies:
        turn_replies(model, kit, state, work, old, rounds)
        soft = look_before(model, t, state, work, rounds)
    for k in range(len(P.energy0)):
        eta = tan.eta[k]
        for b in range(bodies - 1):
            at = 6 * b + 3
            turned = cross(load(rounds.fix[at : at + 3]), load(eta[at : at + 3]))
            for m in range(3):
                eta[at + m] += turned[m]
        add_weighed(model, rounds.turn[k], -1.0, eta)
        if replies:
            for m in range(len(eta)):
                eta[m] -= rounds.back[k, m]
        for _ in range(SWEEPS):
            sweep(model, count, soft, eta, rounds.w, rounds.right[k], work, solver, act, rounds)
    return is_small(model, rounds)
