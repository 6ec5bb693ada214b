"""Adjoint of Moreau's midpoint step: tangent/midpoint_tangent.py transposed.

A bar marks the derivative of an objective with respect to a quantity. The step leads from (eta, du, da, dz, dw, dt) to

    du_E = x_u,   da_E = (du_E - du)/h,   eta_E = B_0 e + B_1 du_E,   dw_E = Hq e + Hu v + Hz z_M + H + Hl x_P / h
    A x = (M du + h (K e + D v + Z z_M + F + f_t dt),   -(Cq e + Cu v + c + drift_t dt),   contacts)
    e = A_0 eta + A_1 du,   v = du + trust h/2 da,   z_M = dz + trust h/2 dw,   dz_E = dz + h dw_E

so that with A^T y = (bar of x) one solution gives the bars of the start, whatever the number of parameters. What a
parameter adds to the gradient is a product of y with its own columns F, c, H and those of the contacts.
"""

from __future__ import annotations

from ..arrays import Y_TRY
from ..assemble.tangent import moves
from ..numerics.jit import jit
from ..numerics.lu import solve_transposed
from .contacts import STEP_OF_TIME, contact_columns, direction, grip, grip_column, load_bars, slide_factor, speaks_of
from .parameter_columns import drift_column, find_column
from .parameter_sparsity import INNER, PLACE, ROW, touched
from .params import STEP
from .reverse import add_transposed


@jit
def add_scaled(f, line, out):
    """out += f line."""
    if f != 0.0:
        for m in range(len(out)):
            out[m] += f * line[m]


@jit
def unmass(body, b, x, at, out):
    """out += M x over the directions in which body b moves; its six numbers of x begin at ``at``."""
    for m in range(6):
        r = x[at + m]
        if m < 3:
            out[6 * b + m] += body.mass * r
        else:
            for k in range(3):
                if moves(body, 3 + k):
                    out[6 * b + 3 + k] += body.J[m - 3, k] * r


@jit
def solve_back(model, solver, answer):
    """Solve the transposed system for the bars in solver.x; directions that are blocked play no part."""
    x, slot = solver.x, solver.slot
    for b in range(1, len(model.body)):
        for m in range(6):
            if not moves(model.body[b], m):
                x[slot[b] + m] = 0.0
    solve_transposed(solver.A, solver.band, x)
    for b in range(1, len(model.body)):
        for m in range(6):
            if not moves(model.body[b], m):
                x[slot[b] + m] = 0.0
    for m in range(len(x)):
        answer[m] = x[m]


@jit
def uncontact(model, solver, act, answer, change):
    """change = bars of the contacts' changes of velocity (tangent/contacts.py, right_of_contacts)."""
    dim, first = model.info[0].dim, solver.base[1]
    for c in range(len(model.contact)):
        law = model.contact[c]
        for m in range(3):
            change[c, m] = 0.0
        if act.on[c] == 0:
            continue
        for m in range(law.brake, dim):
            y = answer[first + dim * c + m]
            if m == 0 or act.slides[c] == 0:
                change[c, m] -= y
            else:
                for n in range(1, dim):
                    change[c, n] -= slide_factor(c, m, n, act, grip(c, law, act), dim) * y


@jit
def unload(model, h, solver, act, answer, eta, du):
    """Bars of place and velocity from the loads of brakes over a time h."""
    dim, first = model.info[0].dim, solver.base[1]
    for c in range(len(model.contact)):
        law = model.contact[c]
        if act.on[c] != 0 and act.slides[c] != 0 and law.brake != 0:
            bar = -grip(c, law, act) * direction(c, 1, act, law) * answer[first + dim * c + 1]
            load_bars(model, h, c, bar, act, eta, du)


@jit
def unchange(model, lin, change, eta, du):
    """Bars of place and velocity from those of the contacts' changes of velocity."""
    dim = model.info[0].dim
    for c in range(len(model.contact)):
        law = model.contact[c]
        for m in range(law.brake, dim):
            f = change[c, m] * (law.sign if m == 0 else 1.0)
            add_scaled(f, lin.Cq[law.row[m]], eta)
            add_scaled(f, lin.Cu[law.row[m]], du)


@jit
def unbefore(model, when, change, work, act, du):
    """Bars of the velocities before a step or an impact, of which laws of contacts speak as well."""
    for c in range(len(model.contact)):
        law = model.contact[c]
        for m in range(law.brake, model.info[0].dim):
            e, _ = speaks_of(c, m, when, law, act)
            f = change[c, m] * e * (law.sign if m == 0 else 1.0)
            if f != 0.0:
                fact, w = model.row[law.row[m]], work.row[law.row[m]].w
                for first, b in ((0, fact.i), (6, fact.j)):
                    if b != 0:
                        add_scaled(f, w[first : first + 6], du[6 * (b - 1) : 6 * b])


@jit
def part_of_contacts(model, P, k, h, solver, act, answer, change):
    """Parameter k's own part in the contacts: dv in act.column, friction, and the loads of brakes over a time h."""
    dim, first, total = model.info[0].dim, solver.base[1], 0.0
    for c in range(len(model.contact)):
        if act.on[c] == 0:
            continue
        law, slope = model.contact[c], P.contact[k, c]
        for m in range(law.brake, dim):
            total += change[c, m] * act.column[c, m]
            if m > 0 and act.slides[c] != 0:
                r = grip_column(c, slope, act) * act.r[c, 0]
                if law.brake:
                    r += grip(c, law, act) * h * (slope.load.imag / STEP + act.load[c])
                total -= answer[first + dim * c + m] * direction(c, m, act, law) * r
    return total


@jit
def unmove(bodies, h, maps, eta, before, speeds):
    """Bars ``eta`` after a motion by h u (tangent/midpoint_tangent.py, moved): those before it and those of u gain."""
    for b in range(bodies - 1):
        for m in range(3):
            i, j = 6 * b + m, 6 * b + 3 + m
            before[i] += eta[i]
            speeds[i] += h * eta[i]
            for k in range(3):
                before[j] += maps[0, b, k, m] * eta[6 * b + 3 + k]
                speeds[j] += maps[1, b, k, m] * eta[6 * b + 3 + k]


@jit
def start_back(model, h, lin, solver, half, bar, o, rates):
    """Bars of the unknowns into solver.x, of the middle into half.e, half.du and half.dz, of dw_E into ``rates``."""
    info, x, slot, e = model.info[0], solver.x, solver.slot, half.e
    n = info.bodies - 1
    eta, du, da = bar.eta[o], bar.du[o], bar.da[o]
    for m in range(len(x)):
        x[m] = 0.0
    for m in range(6 * n):
        e[m], half.du[m], half.pull[m] = 0.0, 0.0, du[m] + da[m] / h
    for q in range(info.inner):
        rates[q] = bar.dw[o, q] + h * bar.dz[o, q]
        half.dz[q] = 0.0
    unmove(info.bodies, 0.5 * h, half.maps[1], eta, e, half.pull)
    for b in range(n):
        for m in range(6):
            x[slot[b + 1] + m] = half.pull[6 * b + m]
    add_transposed(lin.Hq, rates, 1.0, e)
    add_transposed(lin.Hu, rates, 1.0, half.du)
    add_transposed(lin.Hz, rates, 1.0, half.dz)
    for r in range(info.bilateral):
        for q in range(info.inner):
            x[slot[n + 1 + r]] += lin.Hl[q, r] * rates[q] / h


@jit
def uncarry(model, kit, span, work, bar, o, rooms):
    """Bars at the start of a glide from those at its end, objective o; rooms keep what parameters are multiplied with.

    rooms = (answer (unknowns,), change (contacts, 3), rates (inner states,)).
    """
    _, _, lin, _, solver, act, half = kit
    answer, change, rates = rooms
    _, h, trust = span
    info, slot, e, v = model.info[0], solver.slot, half.e, half.du
    n = info.bodies - 1
    eta, du, da, dz, dw = bar.eta[o], bar.du[o], bar.da[o], bar.dz[o], bar.dw[o]
    start_back(model, h, lin, solver, half, bar, o, rates)
    for m in range(6 * n):
        du[m] = -da[m] / h
    solve_back(model, solver, answer)
    for b in range(n):
        unmass(model.body[b + 1], b, answer, slot[b + 1], du)
        for m in range(6):
            i, f = 6 * b + m, h * answer[slot[b + 1] + m]
            add_scaled(f, lin.K[i], e)
            add_scaled(f, lin.D[i], v)
            add_scaled(f, lin.Z[i], half.dz)
            bar.dt[o] += f * half.by_t[i]
    for r in range(info.bilateral):
        f = -answer[slot[n + 1 + r]]
        add_scaled(f, lin.Cq[r], e)
        add_scaled(f, lin.Cu[r], v)
        bar.dt[o] += f * half.rows_by_t[r]
    uncontact(model, solver, act, answer, change)
    unchange(model, lin, change, e, v)
    unload(model, h, solver, act, answer, e, v)
    for m in range(6 * n):
        eta[m] = 0.0
        du[m] += v[m]
        da[m] = 0.5 * trust * h * v[m]
    unbefore(model, STEP_OF_TIME, change, work, act, du)
    for q in range(info.inner):
        dz[q] += half.dz[q]
        dw[q] = 0.5 * trust * h * half.dz[q]
    unmove(info.bodies, 0.5 * h, half.maps[0], e, eta, du)


@jit
def part_of_bodies(P, k, col, solver, answer):
    """Product of a solution with the forces of a parameter."""
    total, places = 0.0, touched(P, k, PLACE)
    for q in range(len(places)):
        b = places[q]
        for m in range(6):
            total += answer[solver.slot[b] + m] * col.F[6 * (b - 1) + m]
    return total


@jit
def parts_of_glide(model, kit, span, y, new, memory, work, rooms, gradient):
    """Add the parameters' own parts of a glide to the gradient; rooms as in ``uncarry``, one line per objective."""
    P, cw, _, col, solver, act, _ = kit
    answers, changes, rates = rooms
    t, h, _ = span
    info = model.info[0]
    n, shift, middle = info.bodies - 1, 7 * (info.bodies - 1), work.stage[Y_TRY]
    u, u_new = y[shift:], new[shift:]
    for k in range(len(P.energy0)):
        find_column(model, P, k, t + 0.5 * h, middle, u_new, solver.a, 0.5 * h, memory, work, cw, col)
        drift_column(model, P, k, t + 0.5 * h, cw, col)
        if len(model.contact) > 0:
            contact_columns(model, P, k, h, 0.5 * h, STEP_OF_TIME, u, u_new, memory, work, cw, col, act)
        rows, inner = touched(P, k, ROW), touched(P, k, INNER)
        for o in range(gradient.shape[0]):
            total = h * part_of_bodies(P, k, col, solver, answers[o])
            for q in range(len(rows)):
                total -= answers[o, solver.slot[n + 1 + rows[q]]] * col.c[rows[q]]
            for q in range(len(inner)):
                total += rates[o, inner[q]] * col.H[inner[q]]
            total += part_of_contacts(model, P, k, h, solver, act, answers[o], changes[o])
            gradient[o, k] += total


@jit
def unglide(model, kit, span, y, new, memory, work, bar, rooms, gradient):
    """Bars of all objectives over a glide, backwards, and the parameters' parts; the glide must be linearised."""
    answers, changes, rates = rooms
    for o in range(gradient.shape[0]):
        uncarry(model, kit, span, work, bar, o, (answers[o], changes[o], rates[o]))
    parts_of_glide(model, kit, span, y, new, memory, work, rooms, gradient)
