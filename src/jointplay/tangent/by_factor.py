"""Rates of a state by the factor of N = W M^-1 W^T that its evaluation has made: SOLVE with s = 0 (tangent/rates.py).

    M a - (W^T + L) dlam = f,      W a = c,      k_z - Hl dlam = h

Friction of joints under their own reactions is all that L is made of. With the change dN_k of the normal force of joint
k, its direction g_k . dlam, and d phi_f = P_f dN_k the change of friction, which the replies of the closed rows to unit
friction forces (assemble/joint_friction.py) turn into multipliers,

    dlam = z + sum_f reply_f d phi_f,      N z = c - W M^-1 f,      (1 - G^T reply P) dN = G^T z

so the matrix that is left has one line for each joint that rubs.
"""

from __future__ import annotations

from ..arrays import LAM, RHS
from ..assemble.closed import solve_rows
from ..numerics.jit import jit
from ..numerics.lu import factor_band
from ..numerics.vec import dot, load
from .friction_jacobian import normal_by_reaction
from .products import add_six, add_to, give_six, solve_wide, solve_wide_transposed, zero


@jit
def weigh_lines(model, X, slot):
    """Accelerations X = M^-1 X at the places of all bodies."""
    for b in range(1, len(model.body)):
        c, at = model.body[b], slot[b]
        for k in range(X.shape[1]):
            x, y, z = X[at + 3, k], X[at + 4, k], X[at + 5, k]
            for m in range(3):
                X[at + m, k] *= c.minv[m]
                X[at + 3 + m, k] = c.Jinv[m, 0] * x + c.Jinv[m, 1] * y + c.Jinv[m, 2] * z


@jit
def solve_lines(model, soft, work, slot, X):
    """Lines of the closed rows = N^-1 of what stands there, column by column."""
    n, rows = model.info[0].bodies, model.info[0].bilateral
    for k in range(X.shape[1]):
        for r in range(rows):
            work.vector[RHS, r] = X[slot[n + r], k]
        solve_rows(model, max(soft, 1), work)
        for r in range(rows):
            X[slot[n + r], k] = work.vector[LAM, r]


@jit
def push_lines(model, sign, work, slot, X):
    """Accelerations of bodies += sign M^-1 W^T times the lines of the closed rows."""
    n = model.info[0].bodies
    for r in range(model.info[0].bilateral):
        fact, w = model.row[r], work.weighed[r]
        for first, b in ((0, fact.i), (6, fact.j)):
            if b != 0:
                give_six(X, slot[b], sign, w, first, X, slot[n + r])


@jit
def rows_times(model, sign, work, slot, X):
    """Lines of the closed rows += sign W times the lines of bodies."""
    n = model.info[0].bodies
    for r in range(model.info[0].bilateral):
        fact, w = model.row[r], work.row[r].w
        for first, b in ((0, fact.i), (6, fact.j)):
            if b != 0:
                add_six(X, slot[n + r], sign, w, first, X, slot[b])


@jit
def factor_frictions(model, room, work):
    """G, and the factors of 1 - G^T reply P; False if friction would jam."""
    A = room.jam
    for k in range(len(A)):
        joint = model.joint[model.rub[k].joint]
        force, moment = normal_by_reaction(joint, work.slide[k].gradient, work.kin)
        for r in range(joint.first, joint.first + joint.count):
            w, half = work.row[r].w, 6 if model.row[r].j == joint.j else 0
            room.gain[k, r] = dot(force, load(w[half : half + 3])) + dot(moment, load(w[half + 3 : half + 6]))
        for j in range(len(A)):
            A[k, j] = 1.0 if k == j else 0.0
            for q in range(model.rub[j].count):
                for r in range(joint.first, joint.first + joint.count):
                    A[k, j] -= room.gain[k, r] * work.reflex[2 * j + q, r] * work.slide[j].by_normal[q]
    return factor_band(A, room.jam_band)


@jit
def add_frictions(model, room, work, slot, X):
    """Once z stands in the lines of the closed rows: friction follows its normal force."""
    n, rows, rubs, dN = model.info[0].bodies, model.info[0].bilateral, model.info[0].rubs, room.normal
    zero(dN)
    for k in range(rubs):
        joint = model.joint[model.rub[k].joint]
        for r in range(joint.first, joint.first + joint.count):
            add_to(dN, k, room.gain[k, r], X, slot[n + r])
    solve_wide(room.jam, room.jam_band, dN)
    for k in range(rubs):
        for q in range(model.rub[k].count):
            grip, at = work.slide[k].by_normal[q], model.rub[k].row[q]
            for r in range(rows):
                add_to(X, slot[n + r], grip * work.reflex[2 * k + q, r], dN, k)
            fact, w = model.row[at], work.row[at].w
            for first, b in ((0, fact.i), (6, fact.j)):
                if b != 0:
                    body, force = model.body[b], grip * model.rub[k].lever[q]
                    for m in range(3):
                        add_to(X, slot[b] + m, force * body.minv[m] * w[first + m], dN, k)
                        for o in range(3):
                            add_to(X, slot[b] + 3 + m, force * body.Jinv[m, o] * w[first + 3 + o], dN, k)


@jit
def collect_frictions(model, room, work, slot, X):
    """The transposed, before the lines of the closed rows are solved for; bodies hold accelerations."""
    n, rows, rubs, dN = model.info[0].bodies, model.info[0].bilateral, model.info[0].rubs, room.normal
    zero(dN)
    for k in range(rubs):
        for q in range(model.rub[k].count):
            grip, at = work.slide[k].by_normal[q], model.rub[k].row[q]
            fact, w = model.row[at], work.row[at].w
            for first, b in ((0, fact.i), (6, fact.j)):
                if b != 0:
                    for m in range(6):
                        add_to(dN, k, grip * model.rub[k].lever[q] * w[first + m], X, slot[b] + m)
            for r in range(rows):
                add_to(dN, k, grip * work.reflex[2 * k + q, r], X, slot[n + r])
    solve_wide_transposed(room.jam, room.jam_band, dN)
    for k in range(rubs):
        joint = model.joint[model.rub[k].joint]
        for r in range(joint.first, joint.first + joint.count):
            add_to(X, slot[n + r], room.gain[k, r], dN, k)


@jit
def solve_rates(model, parts, work):
    """Right-hand sides in room.X become rates; returns False where they are not determined."""
    lin, room, X, soft = parts.lin, parts.room, parts.room.X, parts.end.soft[0]
    slot, first, n = parts.solver.slot, parts.solver.base[0], model.info[0].bodies
    weigh_lines(model, X, slot)
    rows_times(model, -1.0, work, slot, X)
    solve_lines(model, soft, work, slot, X)
    if model.info[0].rubs > 0:
        if not factor_frictions(model, room, work):
            return False
        add_frictions(model, room, work, slot, X)
        for q in range(model.info[0].inner):
            for r in range(model.info[0].bilateral):
                add_to(X, first + q, lin.Hl[q, r], X, slot[n + r])
    push_lines(model, 1.0, work, slot, X)
    return True


@jit
def solve_rates_back(model, parts, work):
    """The same with the transposed matrix."""
    lin, room, X, soft = parts.lin, parts.room, parts.room.X, parts.end.soft[0]
    slot, first, n = parts.solver.slot, parts.solver.base[0], model.info[0].bodies
    weigh_lines(model, X, slot)
    rows_times(model, 1.0, work, slot, X)
    if model.info[0].rubs > 0:
        for q in range(model.info[0].inner):
            for r in range(model.info[0].bilateral):
                add_to(X, slot[n + r], lin.Hl[q, r], X, first + q)
        if not factor_frictions(model, room, work):
            return False
        collect_frictions(model, room, work, slot, X)
    solve_lines(model, soft, work, slot, X)
    push_lines(model, -1.0, work, slot, X)
    return True
