"""Derivatives of what is saved, from changes of the slots of a tape: forwards, and bars backwards.

A saved state is a weighted sum of slots; its projection, accelerations and channels follow by an imaginary step. Onset
speeds of compliant contacts are no complex numbers there: what they do to accelerations and forces is added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import BODY_CHANNELS, DY_NEW, DY_OUT, LAM, ONSET, PAD_SLOTS, RHS, Y_OUT, Model, State
from ..assemble.closed import prepare, solve_rows
from ..assemble.dynamics import accelerate, derivative
from ..assemble.kinematics import normalise
from ..assemble.observe import observe, observe_bodies
from ..assemble.projection import correct
from ..numerics.jit import jit
from ..numerics.vec import copy
from .onsets import force_by_onset
from .params import STEP, Params
from .products import zero
from .saving import beyond_state, model_of
from .seeds import add_seed, is_weighed

RUBBED = 9  # as in sensitivity/answer.py


class Scratch(NamedTuple):
    """Of saved states."""

    y: np.ndarray  # (len(y),)
    c: np.ndarray  # (2, len(y)) complex
    line: np.ndarray  # channels, complex
    columns: np.ndarray  # wanted channels
    answer: np.ndarray  # (pads, 6 n + closed rows) accelerations and multipliers by onset speeds
    by: np.ndarray  # (pads, 3) forces by onset speeds
    dv: np.ndarray  # (pads,) changes of onset speeds
    bar: np.ndarray  # (objectives, len(y) + pads)
    nominal: Params  # in which nothing changes


def make_scratch(
    model: Model, state: State, channels: int, columns: np.ndarray, objectives: int, nominal: Params
) -> Scratch:
    """Zeros."""
    size, pads, z = len(state.y), len(model.pad), np.zeros
    wide = 6 * (int(model.info[0]["bodies"]) - 1) + int(model.info[0]["bilateral"])
    return Scratch(
        *(z(size), z((2, size), dtype=complex), z(channels, dtype=complex), np.asarray(columns, dtype=np.int64)),
        *(z((pads, wide)), z((pads, 3)), z(pads), z((objectives, size + pads))),
        nominal=nominal,
    )


@jit
def find_answers(model, t, y, memory, work, scratch):
    """What onset speeds do to accelerations and multipliers, at a state just evaluated; False if nothing."""
    n, rows, found = model.info[0].bodies - 1, model.info[0].bilateral, False
    z = y[13 * n :]
    for k in range(len(model.pad)):
        c, onset = model.pad[k], memory[model.info[0].pads + PAD_SLOTS * k + ONSET]
        scratch.by[k, 0], scratch.by[k, 1], scratch.by[k, 2] = 0.0, 0.0, 0.0
        for m in range(scratch.answer.shape[1]):
            scratch.answer[k, m] = 0.0
        if onset <= 0.0 or work.press[k].gap >= 0.0:
            continue
        by = force_by_onset(model, k, onset, t, z, work.row, scratch.c[1])
        scratch.by[k, 0], scratch.by[k, 1], scratch.by[k, 2], _ = by
        if scratch.by[k, 0] == 0.0 and scratch.by[k, 1] == 0.0 and scratch.by[k, 2] == 0.0:
            continue
        found = True
        a = scratch.answer[k]
        for p in range(1 + c.tangents):
            w = work.row[c.row[p]].w
            for first, b in ((0, c.i), (6, c.j)):
                if b != 0:
                    body, f = model.body[b], scratch.by[k, p]
                    for m in range(3):
                        at = 6 * (b - 1) + m
                        a[at] += f * body.minv[m] * w[first + m]
                        turn = body.Jinv[m, 0] * w[first + 3] + body.Jinv[m, 1] * w[first + 4]
                        a[at + 3] += f * (turn + body.Jinv[m, 2] * w[first + 5])
        for r in range(rows):
            fact, w, total = model.row[r], work.row[r].w, 0.0
            for first, b in ((0, fact.i), (6, fact.j)):
                if b != 0:
                    for m in range(6):
                        total += w[first + m] * a[6 * (b - 1) + m]
            work.vector[RHS, r] = -total
        solve_rows(model, 1, work)
        for r in range(rows):
            fact, lam = model.row[r], work.vector[LAM, r]
            a[6 * n + r] = lam
            for first, b in ((0, fact.i), (6, fact.j)):
                if b != 0:
                    for m in range(6):
                        a[6 * (b - 1) + m] += work.weighed[r, first + m] * lam
    return found


@jit
def add_answers(model, cw, scratch):
    """Accelerations, multipliers and forces of a complex state += what scratch.dv does."""
    n = model.info[0].bodies - 1
    for k in range(len(model.pad)):
        dv, c = scratch.dv[k], model.pad[k]
        if dv == 0.0:
            continue
        for b in range(n):
            for m in range(6):
                cw.kin[b + 1].unknown[m] += complex(0.0, STEP * scratch.answer[k, 6 * b + m] * dv)
        for r in range(model.info[0].bilateral):
            cw.vector[LAM, r] += complex(0.0, STEP * scratch.answer[k, 6 * n + r] * dv)
        for p in range(1 + c.tangents):
            change = complex(0.0, STEP * scratch.by[k, p] * dv)
            cw.press[k].force[p] += (c.sign if p == 0 else 1.0) * change
            cw.row[c.row[p]].lam += change


@jit
def channels_of(cmodel, model, t, cy, memory, energy0, whole, cw, cdy, scratch):
    """Channels of a complex state, closed first: all of them, or the state alone."""
    normalise(cmodel.info[0].bodies, cy)
    correct(cmodel, t, cy, memory, cw)
    if not whole:
        observe_bodies(cmodel, cy, cw, scratch.line)
        return
    derivative(cmodel, t, cy, memory, cw, cdy)
    add_answers(model, cw, scratch)
    observe(cmodel, t, cy, memory, energy0, cw, scratch.line)


@jit
def save_changes(model, parts, t, state, work, mix, slots, scratch, out, fault):
    """Derivatives of the wanted channels by all parameters; scratch.y is the state before its projection."""
    P, cw, columns, size = parts.P, parts.cw, scratch.columns, len(scratch.y)
    whole = beyond_state(model, columns)
    remembered = whole and find_answers(model, t, scratch.y, state.memory, work, scratch)
    if remembered and model.info[0].rubs > 0 and fault[1] == 0.0:
        fault[0], fault[1] = t, RUBBED
    cy, cdy, rates = scratch.c[0], scratch.c[1], work.stage[DY_OUT]
    for k in range(len(P.energy0)):
        late = slots[0, size + len(scratch.dv), k]
        for m in range(size):
            change = -late * rates[m]  # at a fixed time
            for j in range(len(mix)):
                change += mix[j] * slots[j, m, k]
            cy[m] = complex(scratch.y[m], STEP * change)
        for n in range(len(scratch.dv)):
            scratch.dv[n] = slots[0, size + n, k] if remembered else 0.0
        energy0 = complex(state.clock[0].energy0, STEP * P.energy0[k])
        channels_of(model_of(model, P, k), model, t, cy, state.memory, energy0, whole, cw, cdy, scratch)
        for c in range(len(columns)):
            out[k, c] = scratch.line[columns[c]].imag / STEP


@jit
def seed_saved(model, parts, t, state, work, x, wanted, mix, slots, scratch, gradient):
    """Bars of a saved instant: weights times derivatives of its channels, direction by direction; state in Y_OUT.

    wanted = (columns, weights (objectives, columns)).
    """
    columns, weight = wanted
    if not is_weighed(weight):
        return
    P, cw, bar, size, n = parts.P, parts.cw, scratch.bar, len(scratch.y), model.info[0].bodies - 1
    whole = beyond_state(model, columns)
    zero(bar)
    rates = work.stage[DY_NEW]
    if not whole and abs(x - 1.0) < 1e-9:  # the closed end of the step itself
        for c in range(len(columns)):
            b, m = columns[c] // BODY_CHANNELS, columns[c] % BODY_CHANNELS
            at = 7 * b + m if m < 7 else 7 * n + 6 * b + m - 7
            for o in range(weight.shape[0]):
                bar[o, at] += weight[o, c]
    else:
        y = scratch.y
        copy(work.stage[Y_OUT], y)
        soft = prepare(model, t, y, state.memory, work)
        rates = work.stage[DY_OUT]
        accelerate(model, t, y, state.memory, max(soft, 1), work, rates)
        remembered = whole and find_answers(model, t, y, state.memory, work, scratch)
        cy, cdy = scratch.c[0], scratch.c[1]
        still = model_of(model, scratch.nominal, 0)
        energy0 = complex(state.clock[0].energy0, 0.0)
        for m in range(size + len(scratch.dv)):
            if m >= size and not remembered:
                break
            for i in range(size):
                cy[i] = complex(y[i], STEP if i == m else 0.0)
            for i in range(len(scratch.dv)):
                scratch.dv[i] = 1.0 if size + i == m else 0.0
            channels_of(still, model, t, cy, state.memory, energy0, whole, cw, cdy, scratch)
            add_seed(columns, weight, scratch.line, bar, m)
        for i in range(len(scratch.dv)):
            scratch.dv[i] = 0.0
        for k in range(len(P.energy0)):
            for i in range(size):
                cy[i] = complex(y[i], 0.0)
            start = complex(state.clock[0].energy0, STEP * P.energy0[k])
            channels_of(model_of(model, P, k), model, t, cy, state.memory, start, whole, cw, cdy, scratch)
            add_seed(columns, weight, scratch.line, gradient, k)
    for j in range(len(mix)):
        if mix[j] != 0.0:
            for m in range(size):
                for o in range(bar.shape[0]):
                    slots[j, m, o] += mix[j] * bar[o, m]
    for o in range(bar.shape[0]):
        for m in range(size, bar.shape[1]):
            slots[0, m, o] += bar[o, m]
        for m in range(size):
            slots[0, bar.shape[1], o] -= rates[m] * bar[o, m]
