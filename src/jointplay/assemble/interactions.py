"""Rows of all relations, the matrix N = W M^-1 W^T and products with W.

These are the inner loops: they take the few arrays that they touch, never a whole Model or Work.
"""

from __future__ import annotations

import numpy as np

from ..arrays import ABSENT, NONE
from ..numerics.blocks import FIVE, THREE, Kit, Meeting
from ..numerics.jit import jit, link
from ..numerics.signals import evaluate_signal
from ..relations.registry import evaluate_rows, look_at_rows
from ..relations.together import BALL, PIN, rows_together, weighed_pin, weighed_rows
from .kinematics import place_body


@jit
def past_of(c, memory):
    """Last accepted values of the angles that relation record ``c`` counts; zero for those that it has not."""
    first = memory[c.memory] if c.turns > 0 else 0.0
    second = memory[c.memory + 1] if c.turns > 1 else 0.0
    return first, second


@jit
def evaluate_relation(c, memory, kin, row):
    """Geometry of one relation: g, w and bias of its rows; angles count turns from their remembered value."""
    evaluate_rows(c, kin[c.i], kin[c.j], past_of(c, memory), row)


@jit
def look_at_relation(c, memory, kin, row):
    """Coordinate and rate of one relation, without w and bias: for rows that no force acts on."""
    look_at_rows(c, kin[c.i], kin[c.j], past_of(c, memory), row)


@jit
def evaluate_relations(relation, memory, kin, row):
    """Geometry of a slice of relations: g, w and bias of their rows."""
    for k in range(len(relation)):
        evaluate_relation(relation[k], memory, kin, row)


@jit
def follow_targets(model, t, row, stack):
    """Rows of drives: g - g*(t), with drift and bias from its derivatives."""
    for k in range(len(model.driven)):
        r = model.driven[k]
        f, f1, f2 = evaluate_signal(model.signal[model.row[r].target], model.code, model.number, stack, t)
        row[r].g -= f
        period = model.relation[model.row[r].relation].period
        if period > 0.0:  # an angle: whole turns do not matter
            row[r].g -= period * np.rint(row[r].g.real / period)
        row[r].drift = -f1
        row[r].bias -= f2


@jit
def look_at_targets(model, t, row, stack):
    """Rows of drives that were only looked at: g - g*(t) and its rate."""
    for k in range(len(model.driven)):
        r = model.driven[k]
        f, f1, _ = evaluate_signal(model.signal[model.row[r].target], model.code, model.number, stack, t)
        row[r].g -= f
        period = model.relation[model.row[r].relation].period
        if period > 0.0:  # an angle: whole turns do not matter
            row[r].g -= period * np.rint(row[r].g.real / period)
        row[r].rate -= f1


@jit
def find_rates(fact, kin, row):
    """dg/dt = w . u + drift of a slice of rows."""
    for r in range(len(fact)):
        c = row[r]
        a = kin[fact[r].i]
        b = kin[fact[r].j]
        w = c.w
        rate = c.drift
        for m in range(3):
            rate += w[m] * a.v[m] + w[3 + m] * a.w[m] + w[6 + m] * b.v[m] + w[9 + m] * b.w[m]
        c.rate = rate


@jit
def weigh(planar, a, b, w, v):
    """v = M^-1 w for a row between bodies a and b; in a plane the other entries stay zero."""
    if planar:
        v[0], v[1], v[5] = a.minv[0] * w[0], a.minv[1] * w[1], a.Jinv[2, 2] * w[5]
        v[6], v[7], v[11] = b.minv[0] * w[6], b.minv[1] * w[7], b.Jinv[2, 2] * w[11]
        return
    for m in range(3):
        v[m] = a.minv[m] * w[m]
        v[3 + m] = a.Jinv[m, 0] * w[3] + a.Jinv[m, 1] * w[4] + a.Jinv[m, 2] * w[5]
        v[6 + m] = b.minv[m] * w[6 + m]
        v[9 + m] = b.Jinv[m, 0] * w[9] + b.Jinv[m, 1] * w[10] + b.Jinv[m, 2] * w[11]


@jit
def lightness(body, i, j, w):
    """w M^-1 w of a row between bodies i and j."""
    a, b = body[i], body[j]
    total = 0.0 * w[0]
    for m in range(3):
        total += a.minv[m] * w[m] ** 2 + b.minv[m] * w[6 + m] ** 2
        for n in range(3):
            total += a.Jinv[m, n] * w[3 + m] * w[3 + n] + b.Jinv[m, n] * w[9 + m] * w[9 + n]
    return total


@jit
def evaluate_and_weigh(closed, relation, body, memory, kin, row, weighed):
    """Geometry of closed relations in a plane and M^-1 w of their rows, one relation after the other."""
    for k in range(len(relation)):
        c = relation[k]
        a, b = body[c.i], body[c.j]
        if c.kind == PIN:
            weighed_pin(c, kin[c.i], kin[c.j], a, b, row, weighed)
            continue
        evaluate_relation(c, memory, kin, row)
        x, y, z, p, q, s = a.minv[0], a.minv[1], a.Jinv[2, 2], b.minv[0], b.minv[1], b.Jinv[2, 2]
        for m in range(c.count):
            r = c.row[m]
            if r < closed:
                w, v = row[r].w, weighed[r]
                v[0], v[1], v[5], v[6], v[7], v[11] = x * w[0], y * w[1], z * w[5], p * w[6], q * w[7], s * w[11]


@jit
def evaluate_in_space(first, last, placed, closed, relation, body, memory, y, bent, kin, row, weighed):
    """The same in space, for relations from ``first`` until ``last`` is reached; a body is placed when one meets it.

    ``placed`` bodies are in place before. Returns the next relation, and how many bodies are in place then. Without
    ``bent`` the bias of the commonest relations is left out.
    """
    k = first
    while k < last:
        c = relation[k]
        i, j = c.i, c.j
        while placed <= i or placed <= j:
            place_body(placed, len(kin), y, kin)
            placed += 1
        a, b = body[i], body[j]
        if c.together > 0:
            rows_together(relation, k, c.together, kin[i], kin[j], a, b, bent, row, weighed)
            k += c.together
            continue
        k += 1
        if c.kind == BALL:
            weighed_rows(c, kin[i], kin[j], a, b, bent, row, weighed)
            continue
        evaluate_relation(c, memory, kin, row)
        for m in range(c.count):
            r = c.row[m]
            if r < closed:  # the others are dropped
                weigh(False, a, b, row[r].w, weighed[r])
    return k, placed


@link
def _half(w, a, v, b):
    """Product of three entries of w from place a with three of v from place b: those that count in a plane."""
    return w[a] * v[b] + w[a + 1] * v[b + 1] + w[a + 5] * v[b + 5]


@link
def _assemble_planar(pair, place, row, weighed, entry):
    """Blocks of two rows."""
    for e in range(len(pair)):
        p = pair[e]
        if p.ra == ABSENT:
            continue
        here, there, at = place[p.r], place[p.s], 4 * e
        w, z = row[here.row[0]].w, row[here.row[1]].w
        f, g = weighed[there.row[0]], weighed[there.row[1]]
        a, b = p.ra, p.sa
        one, two, three, four = _half(w, a, f, b), _half(w, a, g, b), _half(z, a, f, b), _half(z, a, g, b)
        if p.rb != ABSENT:
            a, b = p.rb, p.sb
            one, two = one + _half(w, a, f, b), two + _half(w, a, g, b)
            three, four = three + _half(z, a, f, b), four + _half(z, a, g, b)
        if p.r == p.s:
            two = three  # symmetric to the last bit
            if here.count < 2:
                four = 1.0 + 0.0 * four
        entry[at], entry[at + 1], entry[at + 2], entry[at + 3] = one, two, three, four


def _assembly(kit: Kit):
    """Assembly in space, for blocks of one size; of diagonal blocks the lower triangle."""
    size, area = kit.size, kit.size**2
    rows_of = kit.rows_of

    def meeting(meets: Meeting):
        cross, add_cross, square, squares = meets

        @link
        def meet(p, count, w, v, entry, at):
            if p.r == p.s:
                if p.rb == ABSENT:
                    square(w, v, p.ra, entry, at)
                else:
                    squares(w, v, p.ra, p.rb, entry, at)
                for a in range(count, size):
                    entry[at + (size + 1) * a] = 1.0
            else:
                cross(w, v, p.ra, p.sa, entry, at)
                if p.rb != ABSENT:
                    add_cross(w, v, p.rb, p.sb, entry, at)

        return meet

    full, light = meeting(kit.full), meeting(kit.light)

    @link
    def assemble(first, last, pair, place, row, weighed, entry):
        for e in range(place[first].entry, place[last].entry):
            p, at = pair[e], area * e
            if p.ra == ABSENT:
                continue
            here, there = place[p.r], place[p.s]
            w, v = rows_of(row, weighed, here.row, there.row)
            if size > 3 and here.light and there.light:
                light(p, here.count, w, v, entry, at)
            else:
                full(p, here.count, w, v, entry, at)

    return assemble


_assemble_3, _assemble_5 = _assembly(THREE), _assembly(FIVE)


@jit
def assemble_matrix(size, pair, place, row, weighed, entry):
    """Blocks of N: each entry is w_r . M^-1 w_s over the bodies that both rows touch; spare rows are those of I."""
    if size == 2:
        _assemble_planar(pair, place, row, weighed, entry)
    else:
        assemble_blocks(size, 0, len(place) - 1, pair, place, row, weighed, entry)


@jit
def assemble_blocks(size, first, last, pair, place, row, weighed, entry):
    """Those in space of the places ``first`` to ``last``."""
    if size == 3:
        _assemble_3(first, last, pair, place, row, weighed, entry)
    else:
        _assemble_5(first, last, pair, place, row, weighed, entry)


@jit
def assemble_hubs(size, hub, place, body, row, entry):
    """Blocks that belong to hubs: components of rows, and minus their masses (numerics/ldl.py)."""
    for e in range(len(hub)):
        h = hub[e]
        for a in range(size):
            for b in range(size):
                at = size * size * h.entry + size * a + b
                if h.rows != NONE:
                    r, m = place[h.rows].row[b if h.turned else a], h.m + (a if h.turned else b)
                    entry[at] = row[r].w[m]
                    continue
                m, n = h.m + a, h.n + b
                mass = body[h.body].mass if m == n else 0.0 * body[h.body].mass
                if m >= 3:
                    mass = body[h.body].J[m - 3, n - 3] if n >= 3 else 0.0 * mass
                elif n >= 3:
                    mass = 0.0 * mass
                entry[at] = -mass


@jit
def product(w, a, b):
    """w . (a, b) for six numbers of each body."""
    total = w[0] * a[0] + w[6] * b[0]
    for m in range(1, 6):
        total += w[m] * a[m] + w[6 + m] * b[m]
    return total


@jit
def product_in(planar, w, a, b):
    """``product`` for velocities of a model that may be planar: then three numbers of each body count."""
    if planar:
        return w[0] * a[0] + w[1] * a[1] + w[5] * a[5] + w[6] * b[0] + w[7] * b[1] + w[11] * b[5]
    return product(w, a, b)
