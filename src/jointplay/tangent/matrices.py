"""Matrices of the linearised equations (tangent/linear.py), and what rows of relations add to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Model, motion_dtype
from ..assemble.joint_friction import TINY
from ..compile.envelope import sensed_pairs
from ..numerics.jit import jit, link, readable
from ..numerics.vec import cross, load
from ..relations.registry import BY_NUMBER, vary_rows
from .params import lifted
from .products import clear_blocks, clear_row, zero


class Linear(NamedTuple):
    """Matrices of the linearised equations; rows of c are those of the model (closed, then others as needed)."""

    K: np.ndarray  # (6 n, 6 n)
    D: np.ndarray  # (6 n, 6 n)
    Z: np.ndarray  # (6 n, inner states)
    L: np.ndarray  # (6 n, closed rows)
    Cq: np.ndarray  # (rows, 6 n)
    Cu: np.ndarray  # (rows, 6 n)
    T: np.ndarray  # (rows, 6 n)
    Hq: np.ndarray  # (inner states, 6 n)
    Hu: np.ndarray  # (inner states, 6 n)
    Hz: np.ndarray  # (inner states, inner states)
    Hl: np.ndarray  # (inner states, closed rows)
    # corrections of a projection (tangent/closing.py): their multipliers (2, closed rows), and K with each of them
    fix: np.ndarray
    Kfix: np.ndarray  # (2, 6 n, 6 n)
    fixed: np.ndarray  # (1,) 1 if they are wanted
    # scratch of one relation: vary of the unit directions (12, 3, 12), derivatives of bias (6, 12), vary(u) at moved
    # bodies (3, 12), these bodies, a direction and the velocities (12 each), forces and partials (7, 3),
    # lines put aside (9, 6 n)
    V: np.ndarray
    bend: np.ndarray
    out: np.ndarray
    kin: np.ndarray
    eta: np.ndarray
    u: np.ndarray
    law: np.ndarray
    keep: np.ndarray
    cu: np.ndarray  # velocities as complex numbers
    relation: np.ndarray  # relations of the model with complex numbers
    rotates: np.ndarray  # by kind of relation: 1 if w depends on orientations alone (relations/base.py)
    still: np.ndarray  # (1,) 1 while V is zero where it belongs to displacements
    moving: np.ndarray  # (bodies,) all bodies, moved along the imaginary axis
    sensed: np.ndarray  # (7, 12) scratch of forces that sense (assemble/sensing.py)
    slot: np.ndarray  # first line of each body; the ground has none
    inner: np.ndarray  # (2, inner states) inner states and their rates as complex numbers
    pair: np.ndarray  # (pairs, 2) bodies whose forces depend on each other, in order: where K and D have entries
    first: np.ndarray  # (bodies + 1,) where the pairs of each body begin


def pairs_of(model: Model) -> np.ndarray:
    """Bodies that a relation, or a force that senses, ties together; each body with itself."""
    found = {(b, b) for b in range(1, int(model.info[0]["bodies"]))}
    ties = [(int(c["i"]), int(c["j"])) for c in model.relation] + sensed_pairs(model)
    found |= {pair for i, j in ties if i and j for pair in ((i, j), (j, i))}
    return np.array(sorted(found), dtype=np.int64).reshape(len(found), 2)


def make_linear(model: Model) -> Linear:
    """Zeros of the right sizes."""
    info = model.info[0]
    n, inner = 6 * (int(info["bodies"]) - 1), int(info["inner"])
    closed, rows = int(info["bilateral"]), int(info["measure"]) + 1
    z, pair = np.zeros, pairs_of(model)
    room = Linear(
        *(z((n, n)), z((n, n)), z((n, inner)), z((n, closed)), z((rows, n)), z((rows, n)), z((rows, n))),
        *(z((inner, n)), z((inner, n)), z((inner, inner)), z((inner, closed))),
        *(z((2, closed)), z((2, n, n)), np.zeros(1, dtype=np.int64)),
        *(z((12, 3, 12)), z((6, 12)), z((3, 12), dtype=complex), np.zeros(2, dtype=motion_dtype(complex))),
        *(z(12), z(12), z((7, 3)), z((9, n)), z(12, dtype=complex), lifted(model.relation)),
        *(np.array([one.rotates for one in BY_NUMBER], dtype=np.uint8), np.zeros(1, dtype=np.int64)),
        np.zeros(n // 6 + 1, dtype=motion_dtype(complex)),
        *(z((7, 12)), 6 * (np.arange(int(info["bodies"]), dtype=np.int64) - 1), z((2, inner), dtype=complex)),
        *(pair, np.searchsorted(pair[:, 0], np.arange(int(info["bodies"]) + 1))),
    )
    return readable(room)


@jit
def clear(model, lin):
    """All matrices zero; Cq, Cu and T of the closed rows (those of contacts are cleared where they are filled)."""
    clear_blocks(lin.pair, lin.K)
    clear_blocks(lin.pair, lin.D)
    if model.info[0].inner > 0:
        for A in (lin.Z, lin.Hq, lin.Hu, lin.Hz, lin.Hl):
            zero(A)
    if model.info[0].rubs > 0:
        zero(lin.L)
    for r in range(model.info[0].bilateral):
        fact = model.row[r]
        clear_row(fact, lin.Cq, r)
        clear_row(fact, lin.Cu, r)
        clear_row(fact, lin.T, r)


@jit
def add_block(i, j, left, right, factor, A):
    """A += factor left right^T over the bodies i and j, 12 numbers each."""
    for a in range(12):
        b, m = (i, a) if a < 6 else (j, a - 6)
        if b == 0 or left[a] == 0.0:
            continue
        line, f = A[6 * (b - 1) + m], factor * left[a]
        for c in range(12):
            d, k = (i, c) if c < 6 else (j, c - 6)
            if d != 0:
                line[6 * (d - 1) + k] += f * right[c]


@jit
def add_line(i, j, right, factor, line):
    """Line += factor right over the bodies i and j."""
    for c in range(12):
        d, k = (i, c) if c < 6 else (j, c - 6)
        if d != 0:
            line[6 * (d - 1) + k] += factor * right[c]


@jit
def vary_all(c, kin, lin):
    """V[k] = change of the rows of relation c in the unit direction k; u = velocities of its bodies."""
    vary_here(c, kin, lin)


@link
def vary_here(c, kin, lin):
    """``vary_all`` as a part of its caller: a call would pass all of ``lin`` on, which costs as much as the rest."""
    a, b, eta, u = kin[c.i], kin[c.j], lin.eta, lin.u
    for m in range(3):
        u[m], u[3 + m], u[6 + m], u[9 + m] = a.v[m], a.w[m], b.v[m], b.w[m]
    for m in range(12):
        eta[m] = 0.0
    rotates = lin.rotates[c.kind] != 0
    if rotates and lin.still[0] == 0:
        for k in range(12):
            for p in range(3):
                for m in range(12):
                    lin.V[k, p, m] = 0.0
    lin.still[0] = 1 if rotates else 0
    first = 3 if rotates else 0
    for half in (0, 6):
        ground = c.i == 0 if half == 0 else c.j == 0
        for k in range(half + first, half + 6):
            if ground:
                for p in range(3):
                    for m in range(12):
                        lin.V[k, p, m] = 0.0
                continue
            eta[k] = 1.0
            vary_rows(c, a, b, eta, lin.V[k])
            eta[k] = 0.0


@jit
def moved(body, out):
    """A complex copy of a body, moved by TINY times its velocity along the imaginary axis."""
    w = load(body.w)
    for m in range(3):
        out.r[m] = complex(body.r[m], TINY * body.v[m])
        line = cross((body.A[m, 0], body.A[m, 1], body.A[m, 2]), w)  # dA = A (w x .): its rows are A_m x w
        for n in range(3):
            out.A[m, n] = complex(body.A[m, n], TINY * line[n])
        out.v[m] = complex(body.v[m], 0.0)
        out.w[m] = complex(body.w[m], 0.0)


@jit
def find_bends(c, cc, kin, lin):
    """bend[p] = d bias_p / d eta and bend[3 + p] = d bias_p / du of relation c (complex: cc), once vary_all is done."""
    moved(kin[c.i], lin.kin[0])
    moved(kin[c.j], lin.kin[1])
    bends_of(c, cc, lin.kin[0], lin.kin[1], lin)


@link
def bends_of(c, cc, a, b, lin):
    """``find_bends`` with both bodies moved along the imaginary axis."""
    V, bend, out, u = lin.V, lin.bend, lin.out, lin.u
    for m in range(12):
        lin.cu[m] = complex(u[m], 0.0)
    vary_rows(cc, a, b, lin.cu, out)
    first = 3 if lin.still[0] != 0 else 0
    for p in range(c.count):
        for half in (0, 6):
            for k in range(half, half + first):
                bend[p, k], bend[3 + p, k] = 0.0, 0.0
            for k in range(half + first, half + 6):
                turn, along = 0.0, 0.0  # vary(e_k) . u and vary(u) . e_k
                for m in range(first, 6):
                    turn += V[k, p, m] * u[m] + V[k, p, 6 + m] * u[6 + m]
                    along += V[m, p, k] * u[m] + V[6 + m, p, k] * u[6 + m]
                bend[3 + p, k] = turn + along
                bend[p, k] = out[p, k].imag * (1.0 / TINY)
        for half in (0, 6):
            # s . (eta x w) = eta . (w x s)
            turn_of = cross(load(u[half + 3 : half + 6]), load(bend[3 + p, half + 3 : half + 6]))
            for m in range(3):
                bend[p, half + 3 + m] += turn_of[m]


@jit
def add_rows(c, cc, row, x, alpha, kin, lin):
    """Lines of Cq, Cu and T of the rows of relation c; ``x`` has six numbers per body, the ground not counted."""
    if alpha != 0.0:
        find_bends(c, cc, kin, lin)
    for p in range(c.count):
        r = c.row[p]
        if r >= len(row) - 1:
            continue  # dropped
        for k in range(12):
            d, n = (c.i, k) if k < 6 else (c.j, k - 6)
            if d == 0:
                continue
            at, meets, turn = 6 * (d - 1) + n, 0.0, 0.0
            for m in range(12):
                b, o = (c.i, m) if m < 6 else (c.j, m - 6)
                turn += lin.V[k, p, m] * lin.u[m]
                if b != 0:
                    meets += lin.V[k, p, m] * x[6 * (b - 1) + o]
            lin.T[r, at] += turn
            lin.Cq[r, at] += meets
            if alpha != 0.0:
                lin.Cq[r, at] += alpha * lin.bend[p, k]
                lin.Cu[r, at] += alpha * lin.bend[3 + p, k]


@jit
def add_forces(c, row, lin):
    """K and D of a relation whose rows pass on forces: lam_p, d lam_p/d g_q and d lam_p/d rate_q stand in lin.law."""
    lam, by_g, by_v = lin.law[0], lin.law[1:4], lin.law[4:7]
    for p in range(c.count):
        if lam[p] != 0.0:
            for k in range(12):
                d, n = (c.i, k) if k < 6 else (c.j, k - 6)
                if d == 0:
                    continue
                for m in range(12):
                    b, o = (c.i, m) if m < 6 else (c.j, m - 6)
                    if b != 0:
                        lin.K[6 * (b - 1) + o, 6 * (d - 1) + n] += lam[p] * lin.V[k, p, m]
    for q in range(c.count):
        if not (by_v[0, q] != 0.0 or by_v[1, q] != 0.0 or by_v[2, q] != 0.0):
            if not (by_g[0, q] != 0.0 or by_g[1, q] != 0.0 or by_g[2, q] != 0.0):
                continue
        turned = lin.bend[0]
        for k in range(12):
            turned[k] = 0.0
            for m in range(12):
                turned[k] += lin.V[k, q, m] * lin.u[m]
        for p in range(c.count):
            w = row[c.row[p]].w
            if by_g[p, q] != 0.0:
                add_block(c.i, c.j, w, row[c.row[q]].w, by_g[p, q], lin.K)
            if by_v[p, q] != 0.0:
                add_block(c.i, c.j, w, turned, by_v[p, q], lin.K)
                add_block(c.i, c.j, w, row[c.row[q]].w, by_v[p, q], lin.D)


@jit
def still(body, out):
    """The axes of a body as complex numbers."""
    for m in range(3):
        for n in range(3):
            out.A[m, n] = complex(body.A[m, n], 0.0)


@jit
def move_all(kin, lin):
    """All bodies, moved along the imaginary axis."""
    for b in range(len(kin)):
        moved(kin[b], lin.moving[b])


@link
def add_closed(c, cc, rows, x, alpha, lam, lin):
    """All that a closed relation has: lines of Cq, Cu and T, and K with its multipliers and with those of corrections.

    One pass over its second derivatives: this is where most of the time goes.
    """
    if alpha != 0.0:
        bends_of(c, cc, lin.moving[c.i], lin.moving[c.j], lin)
    first = 3 if lin.still[0] != 0 else 0  # of each half: the rest is zero
    wanted = lin.fixed[0] != 0
    for p in range(c.count):
        r = c.row[p]
        if r >= rows:
            continue  # dropped
        force = lam[r]
        f, g = (lin.fix[0, r], lin.fix[1, r]) if wanted else (0.0, 0.0)
        for d, of in ((c.i, 0), (c.j, 6)):
            if d == 0:
                continue
            at = 6 * (np.int64(d) - 1)
            for k in range(first, 6):
                v, meets, turn = lin.V[of + k, p], 0.0, 0.0
                for b, half in ((c.i, 0), (c.j, 6)):
                    if b == 0:
                        continue
                    to = 6 * (np.int64(b) - 1)
                    for m in range(first, 6):
                        w = v[half + m]
                        turn += w * lin.u[half + m]
                        meets += w * x[to + m]
                        lin.K[to + m, at + k] += force * w
                        if wanted:
                            lin.Kfix[0, to + m, at + k] += f * w
                            lin.Kfix[1, to + m, at + k] += g * w
                lin.T[r, at + k] += turn
                lin.Cq[r, at + k] += meets
                if alpha != 0.0:
                    lin.Cq[r, at + k] += alpha * lin.bend[p, of + k]
                    lin.Cu[r, at + k] += alpha * lin.bend[3 + p, of + k]


@jit
def add_all_closed(model, x, alpha, lam, kin, lin):
    """All closed relations; multipliers in ``lam``."""
    info = model.info[0]
    if alpha != 0.0:
        move_all(kin, lin)
    for k in range(info.bilateral_relations):
        c = model.relation[k]
        vary_here(c, kin, lin)
        add_closed(c, lin.relation[k], info.bilateral, x, alpha, lam, lin)
