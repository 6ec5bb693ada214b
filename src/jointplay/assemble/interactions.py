"""Rows of all relations, the matrix N = W M^-1 W^T and products with W."""

from __future__ import annotations

from ..arrays import NONE
from ..numerics.jit import jit
from ..numerics.signals import evaluate_signal
from ..relations.registry import evaluate_rows


@jit
def evaluate_relations(model, first, last, memory, work):
    """Geometry of relations ``first`` to ``last``: g, w and bias of their rows."""
    relation, kin, row = model.relation, work.kin, work.row
    for k in range(first, last):
        c = relation[k]
        past = 0.0
        if c.memory != NONE:
            past = memory[c.memory]
        evaluate_rows(c, kin[c.i], kin[c.j], past, row)


@jit
def follow_targets(model, t, work):
    """Rows of drives: g - g*(t), with drift and bias from its derivatives; the other rows have no drift."""
    for r in range(model.info[0].bilateral):
        target = model.row[r].target
        work.row[r].drift = 0.0
        if target != NONE:
            f, f1, f2 = evaluate_signal(model.signal[target], model.code, model.number, work.stack, t)
            work.row[r].g -= f
            work.row[r].drift = -f1
            work.row[r].bias -= f2


@jit
def find_rates(model, first, last, work):
    """dg/dt = w . u + drift of rows ``first`` to ``last``."""
    for r in range(first, last):
        c = work.row[r]
        a = work.kin[model.row[r].i]
        b = work.kin[model.row[r].j]
        rate = c.drift
        for m in range(3):
            rate += c.w[m] * a.v[m] + c.w[3 + m] * a.w[m] + c.w[6 + m] * b.v[m] + c.w[9 + m] * b.w[m]
        c.rate = rate


@jit
def weigh_half(body, w, v):
    """v = M^-1 w for the six numbers that belong to one body."""
    for m in range(3):
        v[m] = body.minv[m] * w[m]
        v[3 + m] = body.Jinv[m, 0] * w[3] + body.Jinv[m, 1] * w[4] + body.Jinv[m, 2] * w[5]


@jit
def weigh_rows(model, work):
    """v = M^-1 w of the closed rows."""
    for r in range(model.info[0].bilateral):
        c = work.row[r]
        weigh_half(model.body[model.row[r].i], c.w[0:6], c.v[0:6])
        weigh_half(model.body[model.row[r].j], c.w[6:12], c.v[6:12])


@jit
def assemble_matrix(model, work):
    """Entries of N: each is w_r . M^-1 w_s over the bodies that both rows touch."""
    row = work.row
    for e in range(len(model.pair)):
        p = model.pair[e]
        w = row[p.r].w
        v = row[p.s].v
        a = p.ra
        b = p.sa
        total = (
            w[a] * v[b]
            + w[a + 1] * v[b + 1]
            + w[a + 2] * v[b + 2]
            + w[a + 3] * v[b + 3]
            + w[a + 4] * v[b + 4]
            + w[a + 5] * v[b + 5]
        )
        if p.rb != NONE:
            a = p.rb
            b = p.sb
            total += (
                w[a] * v[b]
                + w[a + 1] * v[b + 1]
                + w[a + 2] * v[b + 2]
                + w[a + 3] * v[b + 3]
                + w[a + 4] * v[b + 4]
                + w[a + 5] * v[b + 5]
            )
        work.entry[e] = total


@jit
def add_impulses(model, lam, factor, accel, work):
    """accel += factor M^-1 W^T lam, body by body."""
    for r in range(model.info[0].bilateral):
        s = factor * lam[r]
        v = work.row[r].v
        a = accel[model.row[r].i]
        b = accel[model.row[r].j]
        for m in range(6):
            a[m] += s * v[m]
            b[m] += s * v[6 + m]


@jit
def apply_rows(model, accel, out, work):
    """out = W accel for the closed rows."""
    for r in range(model.info[0].bilateral):
        w = work.row[r].w
        a = accel[model.row[r].i]
        b = accel[model.row[r].j]
        total = w[0] * a[0]
        for m in range(1, 6):
            total += w[m] * a[m]
        for m in range(6):
            total += w[6 + m] * b[m]
        out[r] = total
