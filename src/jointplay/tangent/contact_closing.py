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
from ..assemble.products import set_shifts
from ..assemble.rigid_contacts import build_problem, evaluate_gaps, push_out
from ..numerics.jit import jit
from ..numerics.vec import copy
from .closing import corrections
from .contacts import INSTANT, add_contacts, along, contact_columns
from .impact import inertia_column, linearise_rows, own_gap
from .matrices import clear
from .parameter_columns import clear_column, closed_column, lift
from .program import (
    HERE,
    NORMALS,
    OTHER,
    SET,
    add_entry,
    add_part,
    add_parts,
    carry,
    carry_back,
    fits,
    put,
    put_blocks,
    put_line,
    put_row,
    put_rows,
    put_weighed,
    start_list,
    take_rows_back,
)

LEFT = 0.01  # of a clearance, of the mechanism, or rad: corrections that are followed to about a thousandth of theirs
SWEEPS = 6  # of joints and contacts in turns, at most; what is left falls by the turn of a step each time
NOTHING = 1e-13  # of what there was to close: nothing is left


@jit
def take_shut(model, work, act, rounds):
    """The contacts that were closed as an active set of normals."""
    for c in range(len(model.contact)):
        work.touch[c].held = rounds.shut[c]
        act.on[c], act.slides[c] = rounds.shut[c], 0
        for m in range(3):
            act.r[c, m] = 0.0


@jit
def find_replies(model, soft, work):
    """Replies of the contacts that were closed, with the rows and the factor that are in place; returns how many."""
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
def look_before(model, t, state, work, rounds):
    """Rows before the correction, and their factor; returns the refinements that solutions need."""
    evaluate_closed_rows(model, t, rounds.new, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    return factorise(model, 0.0, work)


@jit
def sweep(model, count, soft, line, w, work, act, rounds):
    """One turn of joints and contacts: line -= what closes the rows ``w`` along it; adds up multipliers.

    Returns how far they were open.
    """
    info, wide = model.info[0], 0.0
    fact = model.row[: info.bilateral]
    for r in range(len(fact)):
        work.vector[RHS, r] = along(model.row[r], w[r], line)
        wide = max(wide, abs(work.vector[RHS, r]))
    if len(fact) > 0:
        solve_rows(model, max(soft, 1), work)
    set_shifts(model.info[0].planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)
    for r in range(len(fact)):
        rounds.kappa[r] += work.vector[LAM, r]
    if count > 0:
        for c in range(len(model.contact)):
            law = model.contact[c]
            if act.on[c]:
                work.touch[c].gap = law.sign * along(model.row[law.row[0]], w[law.row[0]], line)
                wide = max(wide, abs(work.touch[c].gap))
        push_out(model, count, work)
        for c in range(len(model.contact)):
            if act.on[c]:
                act.r[c, 0] += work.problem[ANSWER, work.touch[c].place]
    for b in range(1, len(work.kin)):
        for m in range(6):
            line[6 * (b - 1) + m] -= work.kin[b].shift[m]
    return wide


@jit
def find_shares(model, count, soft, work, act, rounds):
    """Multipliers of the correction: rounds.kappa, act.r; of its part by replies: rounds.echo and the way rounds.slide.

    Rows and factor are those before the correction. Returns how many turns tangents need.
    """
    dim, closed = model.info[0].dim, model.info[0].bilateral
    for r in range(closed):
        rounds.kappa[r], rounds.echo[r] = 0.0, 0.0
    for m in range(len(rounds.slide)):
        rounds.slide[m], rounds.line[m] = 0.0, rounds.fix[m]
    for r in range(len(rounds.w)):
        for m in range(12):
            rounds.before[r, m] = work.row[r].w[m]
    turns, at_first = 0, 0.0
    for _ in range(SWEEPS):
        wide = sweep(model, count, soft, rounds.line, rounds.before, work, act, rounds)
        at_first = max(at_first, wide)
        turns += 1
        if wide <= NOTHING * at_first:
            break
    for c in range(len(model.contact)):
        if act.on[c]:
            x, at = act.r[c, 0], dim * work.touch[c].place
            for r in range(closed):
                rounds.echo[r] += x * work.echo[at, r]
            for m in range(len(rounds.slide)):
                rounds.slide[m] += x * work.reply[at, 6 + m]
    return turns


@jit
def join_shares(rounds):
    """Replies at E itself: their multipliers are those of the joints there."""
    for r in range(len(rounds.kappa)):
        rounds.kappa[r] += rounds.echo[r]
    for m in range(len(rounds.slide)):
        rounds.slide[m] = 0.0


@jit
def take_turns(model, state, work, lin, act, rounds):
    """lin.K = how forces of the contacts in the correction turn with E."""
    u = rounds.new[7 * (model.info[0].bodies - 1) :]
    clear(model, lin)
    add_contacts(model, state.memory, 1.0, 0.0, INSTANT, u, u, work, lin, act)


@jit
def take_ties(model, work, lin, rounds):
    """lin.K = how forces of the joints in the correction turn with E; rounds.line = their way."""
    for r in range(model.info[0].bilateral):
        work.vector[LAM, r] = rounds.kappa[r]
    for i in range(len(rounds.slide)):
        rounds.line[i] = rounds.fix[i] - rounds.slide[i]
    linearise_rows(model, rounds.new[7 * (model.info[0].bodies - 1) :], 0.0, work, lin)


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
def list_turns(model, kit, t, count, replies, state, work, rounds):
    """List the derivative of the correction with its multipliers kept, up to the turns of joints and contacts.

    Registers: f forces of joints and contacts, s those that replies see, w what these would leave of the joints at A.
    """
    P, cw, lin, col, _, act, _, prog = kit
    at, u, memory = prog.at[0], rounds.new[7 * (model.info[0].bodies - 1) :], state.memory
    eta = at.eta[HERE]
    if count > 0:
        take_turns(model, state, work, lin, act, rounds)
        put_blocks(prog, at.s, 1.0, lin.pair, lin.K, eta)
        for k in range(len(P.energy0)):
            clear_column(col)
            inertia_column(model, P, k, rounds.slide, col.F)
            contact_columns(model, P, k, 1.0, 0.0, INSTANT, u, u, memory, work, cw, col, act)
            add_parts(prog, k, at.s, col.F)
    take_ties(model, work, lin, rounds)
    put_blocks(prog, at.f, 1.0, lin.pair, lin.K, eta)
    for k in range(len(P.energy0)):
        clear_column(col)
        inertia_column(model, P, k, rounds.line, col.F)
        closed_column(model, P, k, t, u, 0.0, memory, work, cw, col)
        add_parts(prog, k, at.f, col.F)
    if replies:
        list_replies(model, kit, state, work, rounds)
    for b in range(model.info[0].bodies - 1):
        for m in prog.way:
            put(prog, at.f + 6 * b + m, 1.0, at.s + 6 * b + m)
    for b in range(model.info[0].bodies - 1 if len(prog.way) == 6 else 0):  # e + c x e: in a plane nothing turns
        i = 6 * b + 3
        c0, c1, c2 = rounds.fix[i], rounds.fix[i + 1], rounds.fix[i + 2]
        for m in range(3):
            add_entry(prog, SET, at.e + i + m, 1.0, eta + i + m)
        for m, n, c in ((0, 2, c1), (0, 1, -c2), (1, 0, c2), (1, 2, -c0), (2, 1, c0), (2, 0, -c1)):
            put(prog, eta + i + m, c, at.e + i + n)
    put_weighed(model, prog, eta, -1.0, at.f)
    if replies:  # + M^-1 W_A^T de
        take_rows_back(model, prog, work, -1.0, at.w, eta)


@jit
def list_replies(model, kit, state, work, rounds):
    """Replies at the start A, the other state: their part of the forces s, and de in w. Rows and factor stay at A."""
    P, cw, lin, col, _, _, _, prog = kit
    at, memory, closed = prog.at[0], state.memory, model.info[0].bilateral
    other = at.eta[OTHER]
    soft = take_replies(model, state, work, cw, lin, rounds)
    put_blocks(prog, at.s, 1.0, lin.pair, lin.K, other)
    for k in range(len(P.energy0)):
        for r in range(closed):
            work.vector[LAM, r] = rounds.echo[r]
        clear_column(col)
        closed_column(model, P, k, state.clock[0].t, rounds.slide, 0.0, memory, work, cw, col)
        add_parts(prog, k, at.s, col.F)
        add_parts(prog, k, at.w, col.c)
    for r in range(closed):
        put_row(prog, at.w + r, 1.0, model.row[r], work.weighed[r], at.s)
        put_line(prog, at.w + r, 1.0, model.row[r], lin.Cq[r], other)
    put_rows(model, prog, soft, at.w)


@jit
def add_gap_parts(model, kit, t, state, work, rounds):
    """What parameters add to gaps of joints and contacts at the corrected state, whose rows are in place."""
    P, cw, _, col, _, act, _, prog = kit
    u, at = rounds.end[7 * (model.info[0].bodies - 1) :], prog.at[0]
    for k in range(len(P.energy0)):
        clear_column(col)
        closed_column(model, P, k, t, u, 0.0, state.memory, work, cw, col)
        add_parts(prog, k, at.g, col.g)
        for c in range(len(model.contact)):
            if act.on[c]:
                add_part(prog, k, at.x + c, own_gap(model, P, k, c, state.memory, cw))


@jit
def list_sweeps(model, kit, turns, count, soft, work, rounds):
    """List the turns in which joints and contacts are closed at the corrected state; rows and factor are those before.

    Registers: w, q what the rows lack, of which g, x are the parameters'; s places before joints are closed.
    """
    act, prog = kit.act, kit.prog
    info, at, bodies = model.info[0], prog.at[0], model.info[0].bodies
    eta, q = at.eta[HERE], at.q
    for _ in range(turns):
        for r in range(info.bilateral):
            add_entry(prog, SET, at.w + r, 1.0, at.g + r)
            put_row(prog, at.w + r, 1.0, model.row[r], rounds.w[r], eta)
        for b in range(bodies - 1):
            for m in prog.way:
                add_entry(prog, SET, at.s + 6 * b + m, 1.0, eta + 6 * b + m)
        put_rows(model, prog, soft, at.w)
        take_rows_back(model, prog, work, 1.0, at.w, eta)
        if count > 0:
            for a in range(count):
                add_entry(prog, SET, q + a, 0.0, q + a)
            for c in range(len(model.contact)):
                if act.on[c]:
                    law, a = model.contact[c], q + work.touch[c].place
                    fact, w = model.row[law.row[0]], work.row[law.row[0]].w
                    put(prog, a, 1.0, at.x + c)
                    put_row(prog, a, law.sign, fact, rounds.w[law.row[0]], at.s)
                    put_row(prog, a, -law.sign, fact, w, at.s)
                    put_row(prog, a, law.sign, fact, w, eta)
            add_entry(prog, NORMALS, q, 0.0, count)
            for a in range(count):
                for b in range(bodies - 1):
                    for m in prog.way:
                        i = 6 * b + m
                        put(prog, eta + i, -work.reply[info.dim * a, 6 + i], q + a)


@jit
def take_saved(model, t, limit, state, work, rounds):
    """The state to be saved, just closed, as a correction: rounds.new was found on the way, rounds.end is closed.

    Rows are left at rounds.new.
    """
    copy(work.stage[Y_OUT], rounds.end)
    look_before(model, t, state, work, rounds)
    for c in range(len(model.contact)):
        k = work.touch[c]
        pressed = model.contact[c].brake == 0 and (k.carry != 0 or k.gap < -limit)
        rounds.shut[c] = 1 if pressed else 0


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
def shut(model, kit, t, soft, by_start, columns, state, work, old, tan, rounds):
    """Tangents of positions over the correction from rounds.new to rounds.end at the instant t; 0 columns: bars, back.

    Returns False where it is too large to be followed: formulas are those of small corrections. Rows of the contacts
    are those at rounds.new; those of the joints at the start of the step if ``by_start``, where rows and factor stand
    and solutions need ``soft`` refinements, else at rounds.new too.
    """
    cw, act, prog, bodies, back = kit.cw, kit.act, kit.prog, model.info[0].bodies, columns == 0
    if not is_corrected(bodies, rounds):
        return True
    take_shut(model, work, act, rounds)
    count, turns, done = find_replies(model, soft, work) if by_start else 0, 0, True
    corrections(bodies, rounds.new, rounds.end, rounds.fix, rounds.line)
    replies = count > 0 and model.info[0].bilateral > 0  # they ask for rows and factor of their own
    for part in range(2 if replies else 1):
        turned, swept = not replies or (part == 0) != back, not replies or (part == 0) == back
        start_list(prog, replies)
        look_at_end(model, t, state, work, cw, rounds)
        if swept:
            add_gap_parts(model, kit, t, state, work, rounds)
        soft = look_before(model, t, state, work, rounds)
        if part == 0:
            count = count if by_start else find_replies(model, soft, work)
            turns = find_shares(model, count, soft, work, act, rounds)
            if not by_start:
                join_shares(rounds)
        lift(work.kin, cw.kin)
        if turned:
            list_turns(model, kit, t, count, replies, state, work, rounds)
        if swept:
            list_sweeps(model, kit, turns, count, soft, work, rounds)
        done = fits(prog) and done
        if back:
            carry_back(model, kit, 0.0, work, old, tan)
        else:
            carry(model, kit, columns, 0.0, work, old, tan, tan)
    return done and is_small(model, rounds)


@jit
def shut_glide(model, kit, span, columns, new, state, work, tan, other, rounds):
    """``shut`` for the correction that ends a glide; contacts are left as they were."""
    t, h, _ = span
    if not take_glide(model, h, new, work, rounds):
        return True
    for c in range(len(model.contact)):
        rounds.touch[0, c] = work.touch[c]
    done = shut(model, kit, t + h, 0, False, columns, state, work, other, tan, rounds)
    for c in range(len(model.contact)):
        work.touch[c] = rounds.touch[0, c]
    return done
