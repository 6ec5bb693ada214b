"""Poisson's law of impact with Coulomb friction, in two phases (Pfeiffer and Glocker 1996, ch. 8).

Compression ends where no contact approaches any more; it is an impact without rebound,

    u_C = u- + D Lambda_C,      0 <= u_NC  orthogonal to  Lambda_NC >= 0,      Lambda_TC in the cone of mu Lambda_NC

against u_TC. In expansion each contact gives back e times the normal impulse that it took in, and more where it would
be pierced without,

    u+ = u_C + D Lambda_E,      0 <= u_N+  orthogonal to  Lambda_NE - e Lambda_NC >= 0

with Lambda_TE in the cone of mu Lambda_NE against u_T+. The impulse of the impact is Lambda_C + Lambda_E. Without
friction a single contact rebounds as by Newton's law. D is the Delassus matrix, with joints closed.

Expansion is solved by a search for the contacts that give back just e Lambda_NC. Their normal impulses are given: like
brakes they have a normal row of their own, which no motion reaches. Those that would be pierced become ordinary
contacts, ordinary ones that press with less become given ones.
"""

from __future__ import annotations

from ..arrays import ANSWER, FREE, NONE
from ..assemble.rigid_contacts import fill_rows, set_free, solve_contacts
from ..numerics.jit import jit

ROUNDS = 4  # for each contact, in which the given ones are found
PIERCED = 1e-12  # of the largest speed at the end of compression


@jit
def give(model, c, count, problem, delassus, work):
    """Take the normal impulse of contact c as given: t.early[0] times its restitution."""
    dim, t = model.info[0].dim, work.touch[c]
    a = dim * t.place
    amount = t.rebound * model.contact[c].restitution * t.early[0]
    for b in range(dim * count):
        if b != a:
            problem[FREE, b] += delassus[b, a] * amount
            delassus[a, b], delassus[b, a] = 0.0, 0.0
    problem[FREE, a] = -amount * delassus[a, a]


@jit
def after_expansion(model, c, count, problem, delassus, work):
    """Normal velocity of contact c after the impulses of expansion in problem[ANSWER]."""
    dim, t = model.info[0].dim, work.touch[c]
    total = t.apart
    for b in range(dim * count):
        total += delassus[dim * t.place, b] * problem[ANSWER, b]
    return total


@jit
def restore(model, work):
    """The Delassus matrix as it was."""
    for c in range(len(model.contact)):
        if work.touch[c].place != NONE:
            fill_rows(model, c, model.info[0].dim, work)


@jit
def compressed(model, count, problem, delassus, work):
    """Velocities at the end of compression into problem[FREE]; the largest of them."""
    dim, fastest = model.info[0].dim, 0.0
    set_free(model, 0.0, 0.0, work)
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.place == NONE:
            continue
        for m in range(dim):
            a = dim * t.place + m
            for d in range(len(model.contact)):
                if work.touch[d].place != NONE:
                    for n in range(dim):
                        problem[FREE, a] += delassus[a, dim * work.touch[d].place + n] * work.touch[d].early[n]
            fastest = max(fastest, abs(problem[FREE, a]))
        t.apart = problem[FREE, dim * t.place]
    return fastest


@jit
def rebound(model, count, problem, delassus, work):
    """Impulses into problem[ANSWER]; returns status and residual."""
    dim, contacts = model.info[0].dim, len(model.contact)
    set_free(model, 0.0, 0.0, work)
    status, residual = solve_contacts(model, count, work)
    gives = False
    for c in range(contacts):
        t, law = work.touch[c], model.contact[c]
        if t.place != NONE:
            for m in range(3):
                t.early[m] = problem[ANSWER, dim * t.place + m] if m < dim else 0.0
            t.stay = 1 if t.rebound * law.restitution * t.early[0] > 0.0 else 0
            gives = gives or t.stay != 0
    if status != 0 or not gives:
        return status, residual
    for _ in range(ROUNDS * count + 1):
        fastest = compressed(model, count, problem, delassus, work)
        for a in range(dim * count):
            problem[ANSWER, a] = 0.0
        for c in range(contacts):
            if work.touch[c].place != NONE and work.touch[c].stay:
                give(model, c, count, problem, delassus, work)
        status, residual = solve_contacts(model, count, work)
        restore(model, work)
        if status != 0:
            break
        # the contact that is off by most changes over
        which, worst = -1, 0.0
        for c in range(contacts):
            t, law = work.touch[c], model.contact[c]
            if t.place == NONE:
                continue
            a = dim * t.place
            least = t.rebound * law.restitution * t.early[0]
            if t.stay:
                off = -after_expansion(model, c, count, problem, delassus, work) - PIERCED * fastest
            else:
                off = (least - problem[ANSWER, a]) * delassus[a, a] - PIERCED * fastest
            if off > worst:
                which, worst = c, off
        if which < 0:
            break
        work.touch[which].stay = 1 - work.touch[which].stay
    set_free(model, 0.0, 0.0, work)
    for c in range(contacts):
        t = work.touch[c]
        if t.place != NONE:
            for m in range(dim):
                problem[ANSWER, dim * t.place + m] += t.early[m]
    return status, residual
