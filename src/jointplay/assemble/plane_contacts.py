"""Contact problem of a planar model with friction: what rigid_contacts.py does, with each contact read once.

Normal and tangent go together, and three velocities of a body count: places 0, 1 and 5 of its six. Brakes, whose normal
force is given, and models without friction take the general way.
"""

from __future__ import annotations

from ..arrays import ANSWER, BEFORE, FORCE_N, FORCE_T, FREE, LAM, MU, NONE, RHS, SLOTS
from ..numerics.jit import jit, link
from .closed import solve_rows
from .plane_rows import answer_in_plane, six, three, times

LOCKED = 1e-10  # of what a unit impulse does to free bodies: joints let it move nothing along the wall
YIELDS = 1e-4  # of the reply along the normal: what a direction gets that joints have closed


@jit
def in_plane(model):
    """True if contacts have a normal and one tangent, in the plane."""
    return model.info[0].planar != 0 and model.info[0].dim == 2


@jit
def answer_of_joints(model, soft, line, work):
    """Add to a reply what keeps the joints closed, and note its echo in them."""
    rhs, lam, echo, out = work.vector[RHS], work.vector[LAM], work.echo[line], work.reply[line]
    for k in range(len(model.place) - 1):
        p = model.place[k]
        if p.hub:
            continue
        r, s, fact = p.row[0], p.row[1], model.row[p.row[0]]
        i, j = 6 * fact.i, 6 * fact.j
        a, b = (out[i], out[i + 1], out[i + 5]), (out[j], out[j + 1], out[j + 5])
        x, y = times(six(work.row[r].w), a, b), times(six(work.row[s].w), a, b)
        rhs[r], rhs[s] = -x, -y
    solve_rows(model, soft, work)
    for r in range(model.info[0].bilateral):
        echo[r] = lam[r]
    for k in range(len(model.place) - 1):
        p = model.place[k]
        if p.hub:
            continue
        fact = model.row[p.row[0]]
        i, j, x, y = 6 * fact.i, 6 * fact.j, lam[p.row[0]], lam[p.row[1]]
        v, w = six(work.weighed[p.row[0]]), six(work.weighed[p.row[1]])
        out[i] += x * v[0] + y * w[0]
        out[i + 1] += x * v[1] + y * w[1]
        out[i + 5] += x * v[2] + y * w[2]
        out[j] += x * v[3] + y * w[3]
        out[j + 1] += x * v[4] + y * w[4]
        out[j + 5] += x * v[5] + y * w[5]


@link
def respond_both(model, c, soft, place, work):
    """Replies of all bodies to unit impulses along normal and tangent of contact c: lines ``place`` and the next."""
    k, f, g = model.contact[c], work.reply[place], work.reply[place + 1]
    sign, i, j = k.sign, 6 * k.i, 6 * k.j
    p, q = six(work.row[k.row[0]].w), six(work.row[k.row[1]].w)
    a, b = model.body[k.i], model.body[k.j]
    x, y, z, X, Y, Z = a.minv[0], a.minv[1], a.Jinv[2, 2], b.minv[0], b.minv[1], b.Jinv[2, 2]
    for n in range(len(f)):
        f[n] = 0.0
        g[n] = 0.0
    f[i], f[i + 1], f[i + 5] = sign * x * p[0], sign * y * p[1], sign * z * p[2]
    f[j], f[j + 1], f[j + 5] = sign * X * p[3], sign * Y * p[4], sign * Z * p[5]
    g[i], g[i + 1], g[i + 5] = x * q[0], y * q[1], z * q[2]
    g[j], g[j + 1], g[j + 5] = X * q[3], Y * q[4], Z * q[5]
    if model.info[0].bilateral > 0:
        free = times(q, (g[i], g[i + 1], g[i + 5]), (g[j], g[j + 1], g[j + 5]))
        if model.info[0].plain != 0 and soft == 0:
            lower, vector, echo = work.lower, work.vector, work.echo[place : place + 2]
            answer_in_plane(model.place, model.link, model.row, work.row, work.weighed, lower, vector, echo, f, g)
        else:
            answer_of_joints(model, soft, place, work)
            answer_of_joints(model, soft, place + 1, work)
        if times(q, (g[i], g[i + 1], g[i + 5]), (g[j], g[j + 1], g[j + 5])) <= LOCKED * free:
            lock(place + 1, work)


@jit
def lock(line, work):
    """Let a direction move nothing that joints close: what they have left is rounding (assemble/rigid_contacts.py)."""
    for n in range(work.reply.shape[1]):
        work.reply[line, n] = 0.0
    for n in range(work.echo.shape[1]):
        work.echo[line, n] = 0.0


@link
def fill_in_plane(model, work):
    """The Delassus matrix; it is symmetric, so that each block is found once."""
    D, reply = work.delassus, work.reply
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        if t.place == NONE:
            continue
        a, i, j = 2 * t.place, 6 * k.i, 6 * k.j
        sign, p, q = k.sign, six(work.row[k.row[0]].w), six(work.row[k.row[1]].w)
        for d in range(c + 1):
            if work.touch[d].place == NONE:
                continue
            b = 2 * work.touch[d].place
            f, g = reply[b], reply[b + 1]
            fi, fj = (f[i], f[i + 1], f[i + 5]), (f[j], f[j + 1], f[j + 5])
            gi, gj = (g[i], g[i + 1], g[i + 5]), (g[j], g[j + 1], g[j + 5])
            nn, nt, tn, tt = sign * times(p, fi, fj), sign * times(p, gi, gj), times(q, fi, fj), times(q, gi, gj)
            D[a, b], D[a + 1, b + 1], D[b, a], D[b + 1, a + 1] = nn, tt, nn, tt
            D[a, b + 1], D[b + 1, a] = nt, nt
            if a != b:
                D[a + 1, b], D[b, a + 1] = tn, tn
        if D[a + 1, a + 1] == 0.0:  # joints have closed it
            for n in range(a):
                D[a + 1, n], D[n, a + 1] = 0.0, 0.0
            D[a + 1, a + 1] = YIELDS * D[a, a]


@link
def build_in_plane(model, soft, work):
    """``build_problem`` of rigid_contacts.py for walls alone, as a part of the caller; returns how many are held."""
    count = 0
    for c in range(len(model.contact)):
        t = work.touch[c]
        t.place = NONE
        if t.held:
            t.place = count
            respond_both(model, c, soft, 2 * count, work)
            work.problem[MU, count] = model.contact[c].static if t.stuck else model.contact[c].mu
            count += 1
    fill_in_plane(model, work)
    return count


@link
def speeds_before(body, u):
    """Three of the six velocities of a body in a line without the ground."""
    if body == 0:
        none = 0.0 * u[0]
        return none, none, none
    at = 6 * (body - 1)
    return u[at], u[at + 1], u[at + 5]


@jit
def pose(model, h, ahead, u, memory, work):
    """q of the problem, velocities before and the warm start: set_free, note_before and start_from in one.

    ``u``: velocities before, six per body, the ground not counted.
    """
    turns, problem = model.info[0].turns, work.problem
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        if t.place == NONE:
            continue
        a, slot, i, j, sign = 2 * t.place, turns + SLOTS * c, k.i, k.j, k.sign
        first, second = work.row[k.row[0]], work.row[k.row[1]]
        p, q = six(first.w), six(second.w)
        x, y = three(work.kin[i].unknown), three(work.kin[j].unknown)
        problem[FREE, a] = sign * times(p, x, y) + ahead * (sign * first.bias)
        problem[FREE, a + 1] = times(q, x, y) + ahead * second.bias
        x, y = speeds_before(i, u), speeds_before(j, u)
        problem[BEFORE, a] = sign * times(p, x, y)
        problem[BEFORE, a + 1] = times(q, x, y)
        problem[ANSWER, a] = h * memory[slot + FORCE_N]
        problem[ANSWER, a + 1] = h * memory[slot + FORCE_T]


@jit
def spread_in_plane(model, count, work):
    """spread and work_of_contacts in one, with ``least`` 0: returns the energy taken, and the same at the last rate."""
    answer, problem = work.problem[ANSWER], work.problem
    for b in range(1, len(work.kin)):
        v = work.kin[b].unknown
        x, y, z = three(v)
        for a in range(2 * count):
            r, line = answer[a], work.reply[a]
            x += r * line[6 * b]
            y += r * line[6 * b + 1]
            z += r * line[6 * b + 5]
        v[0], v[1], v[5] = x, y, z
    lost, late = 0.0, 0.0
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        if t.place == NONE:
            continue
        a = 2 * t.place
        n, f = answer[a], answer[a + 1]
        t.impulse[0], t.impulse[1] = n, f
        x, y = three(work.kin[k.i].unknown), three(work.kin[k.j].unknown)
        leaves = k.sign * times(six(work.row[k.row[0]].w), x, y)
        slides = times(six(work.row[k.row[1]].w), x, y)
        lost += max(0.0, -0.5 * n * (problem[BEFORE, a] + leaves))
        lost += max(0.0, -0.5 * f * (problem[BEFORE, a + 1] + slides))
        late += max(0.0, -n * leaves) + max(0.0, -f * slides)
    return lost, late
