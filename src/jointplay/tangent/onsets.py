"""Compliant contacts whose force depends on the speed with which they began: partials by that speed.

The speed of onset is a state that tangents carry along (docs/decisions/0035). While a contact is not noticed yet, in
the step of a method with given steps in which it begins, its speed of onset is that of the moment, and joins the
partials by the rate of the gap.
"""

from __future__ import annotations

from ..arrays import NONE, ONSET, PAD_SLOTS
from ..assemble.compliant_contacts import SLOW, answers_of, sliding_speed
from ..assemble.joint_friction import TINY
from ..laws.registry import evaluate_friction
from ..numerics.jit import jit
from .matrices import add_forces, vary_all


@jit
def force_by_onset(model, n, onset, t, z, row, out):
    """Derivatives of the three forces of pad n along its rows, and of the power that it loses, by its onset speed.

    Those of the rates of its inner states stand in the imaginary parts of the line ``out``, times TINY.
    """
    c = model.pad[n]
    gap, rate = c.sign * (row[c.row[0]].g - c.limit), c.sign * row[c.row[0]].rate
    if c.recess != NONE:
        gap += z[c.recess].real
    none, began = complex(0.0, 0.0), complex(onset, TINY)
    s = none + (sliding_speed(c, row) if c.states > 0 else 0.0)
    N, _, _, _, lost = answers_of(c, model.law, model.constant, none - gap, none - rate, began, s, t, z, out, False)
    by0, by1, by2 = c.sign * N.imag / TINY, 0.0, 0.0
    if c.friction != NONE and N.imag != 0.0:
        square = 0.0
        for m in range(1, 1 + c.tangents):
            square += row[c.row[m]].rate ** 2
        s = (none + square) ** 0.5
        mu, _, quotient = evaluate_friction(model.law[c.friction], model.constant, s, N, t, False)
        drag = -(quotient * N).imag / TINY
        if c.tangents > 0:
            by1 = drag * row[c.row[1]].rate
        if c.tangents > 1:
            by2 = drag * row[c.row[2]].rate
        lost += mu * N * s
    return by0, by1, by2, lost.imag / TINY


@jit
def find_onset_forces(model, t, memory, work, lin, room):
    """Partials of all pads by their onset speeds, at rows just evaluated and a linearisation that is complete."""
    for n in range(len(model.pad)):
        c, onset = model.pad[n], memory[model.info[0].pads + PAD_SLOTS * n + ONSET]
        room.onset[n, 0], room.onset[n, 1], room.onset[n, 2], room.loss[n] = 0.0, 0.0, 0.0, 0.0
        for q in range(c.inner, c.inner + c.states):
            room.rates_by_onset[q] = 0.0
        if c.anywhere != 0 or onset < 0.0 or work.press[n].gap >= 0.0:
            continue
        if onset > 0.0:
            by = force_by_onset(model, n, onset, t, lin.inner[0], work.row, lin.inner[1])
            room.onset[n, 0], room.onset[n, 1], room.onset[n, 2], room.loss[n] = by
            for q in range(c.inner, c.inner + c.states):
                room.rates_by_onset[q] = lin.inner[1, q].imag / TINY
        elif work.press[n].rate < -SLOW:
            rate = -work.press[n].rate
            by0, by1, by2, _ = force_by_onset(model, n, rate, t, lin.inner[0], work.row, lin.inner[1])
            for m in range(7):
                for p in range(3):
                    lin.law[m, p] = 0.0
            lin.law[4, 0], lin.law[5, 0], lin.law[6, 0] = -c.sign * by0, -c.sign * by1, -c.sign * by2
            vary_all(model.relation[c.relation], work.kin, lin)
            add_forces(model.relation[c.relation], work.row, lin)


@jit
def add_onset_forces(model, room, work, dv, F):
    """F += forces of all pads by changes ``dv`` of their onset speeds (pads, columns)."""
    for n in range(len(model.pad)):
        c = model.pad[n]
        for p in range(1 + c.tangents):
            f = room.onset[n, p]
            if f == 0.0:
                continue
            w = work.row[c.row[p]].w
            for first, b in ((0, c.i), (6, c.j)):
                if b != 0:
                    for m in range(6):
                        line = F[6 * (b - 1) + m]
                        for k in range(F.shape[1]):
                            line[k] += f * w[first + m] * dv[n, k]


@jit
def add_onset_rates(model, room, dv, X, first):
    """Lines of rates of inner states += what changes ``dv`` of onset speeds do to them."""
    for n in range(len(model.pad)):
        c = model.pad[n]
        for q in range(c.inner, c.inner + c.states):
            for k in range(X.shape[1]):
                X[first + q, k] += room.rates_by_onset[q] * dv[n, k]


@jit
def collect_onset_rates(model, room, X, first, bars):
    """Bars of onset speeds += transposed of ``add_onset_rates``."""
    for n in range(len(model.pad)):
        c = model.pad[n]
        for q in range(c.inner, c.inner + c.states):
            for k in range(X.shape[1]):
                bars[n, k] += room.rates_by_onset[q] * X[first + q, k]


@jit
def collect_onsets(model, room, work, a, bars):
    """Bars of onset speeds (pads, columns) += transposed of ``add_onset_forces``; a: (6 n, columns)."""
    for n in range(len(model.pad)):
        c = model.pad[n]
        for p in range(1 + c.tangents):
            f = room.onset[n, p]
            if f == 0.0:
                continue
            w = work.row[c.row[p]].w
            for first, b in ((0, c.i), (6, c.j)):
                if b != 0:
                    for m in range(6):
                        for k in range(a.shape[1]):
                            bars[n, k] += f * w[first + m] * a[6 * (b - 1) + m, k]
