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
from .tangent_state import ways_of


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
    # scratch of one relation: vary of the unit directions (12, 3, 12); derivatives of rates by places, and of bias by
    # velocities (6, 12); vary(u) at moved bodies (3, 12), these bodies, a direction and the velocities (12 each),
    # forces and partials (7, 3), lines put aside (9, 6 n)
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
    linear: np.ndarray  # 1 if the part of w for velocities does
    still: np.ndarray  # (1,) 1 while V is zero where it belongs to displacements
    moving: np.ndarray  # (bodies,) all bodies, moved along the imaginary axis
    sensed: np.ndarray  # (7, 12) scratch of forces that sense (assemble/sensing.py)
    slot: np.ndarray  # first line of each body; the ground has none
    inner: np.ndarray  # (2, inner states) inner states and their rates as complex numbers
    way: np.ndarray  # the ways in which a body can move, of six (tangent_state.py)
    turns: np.ndarray  # those of them that are turns
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
    z, pair, ways = np.zeros, pairs_of(model), ways_of(model)
    room = Linear(
        *(z((n, n)), z((n, n)), z((n, inner)), z((n, closed)), z((rows, n)), z((rows, n)), z((rows, n))),
        *(z((inner, n)), z((inner, n)), z((inner, inner)), z((inner, closed))),
        *(z((2, closed)), z((2, n, n)), np.zeros(1, dtype=np.int64)),
        *(z((12, 3, 12)), z((6, 12)), z((3, 12), dtype=complex), np.zeros(2, dtype=motion_dtype(complex))),
        *(z(12), z(12), z((7, 3)), z((9, n)), z(12, dtype=complex), lifted(model.relation)),
        np.array([one.rotates for one in BY_NUMBER], dtype=np.uint8),
        np.array([one.linear for one in BY_NUMBER], dtype=np.uint8),
        *(np.zeros(1, dtype=np.int64), np.zeros(n // 6 + 1, dtype=motion_dtype(complex))),
        *(z((7, 12)), 6 * (np.arange(int(info["bodies"]), dtype=np.int64) - 1), z((2, inner), dtype=complex)),
        *(ways, ways[ways >= 3]),
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
    a, b, eta, u, V = kin[c.i], kin[c.j], lin.eta, lin.u, lin.V
    for m in range(3):
        u[m], u[3 + m], u[6 + m], u[9 + m] = a.v[m], a.w[m], b.v[m], b.w[m]
    for m in range(12):
        eta[m] = 0.0
    rotates, linear = lin.rotates[c.kind] != 0, lin.linear[c.kind] != 0
    if rotates and lin.still[0] == 0:
        for k in range(12):
            for p in range(3):
                for m in range(12):
                    V[k, p, m] = 0.0
    lin.still[0] = 1 if rotates else 0
    first = 3 if rotates or linear else 0
    for half in (0, 6):
        ground = c.i == 0 if half == 0 else c.j == 0
        for m in lin.turns if first == 3 else lin.way:
            k = half + m
            if ground:
                for p in range(c.count):
                    for n in range(12):
                        V[k, p, n] = 0.0
                continue
            eta[k] = 1.0
            vary_rows(c, a, b, eta, V[k])
            eta[k] = 0.0
    if linear:
        # displacements commute with all directions
        for k in (0, 1, 2, 6, 7, 8):
            for p in range(c.count):
                for m in range(3):
                    V[k, p, m], V[k, p, 6 + m] = 0.0, 0.0
                    V[k, p, 3 + m], V[k, p, 9 + m] = V[3 + m, p, k], V[9 + m, p, k]


@link
def turn_row(p, lin):
    """bend[p] = how the rate of row p of the relation varied last changes with places: V u."""
    turned, u = lin.bend[p], lin.u
    ways = lin.turns if lin.still[0] != 0 else lin.way
    for half in (0, 6):
        for k in range(half, half + 3):
            turned[k] = 0.0
        for k in ways:
            total = 0.0
            for m in ways:
                total += lin.V[half + k, p, m] * u[m] + lin.V[half + k, p, 6 + m] * u[6 + m]
            turned[half + k] = total


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


@link
def add_lines_of(c, cc, rows, x, alpha, moved_i, moved_j, lin):
    """Lines of Cq, Cu and T of relation c (complex: cc) once it is varied; ``x``: six numbers per body but the ground.

    Both bodies are given moved along the imaginary axis as well.
    """
    u, bend, out = lin.u, lin.bend, lin.out
    ways = lin.turns if lin.still[0] != 0 else lin.way  # of each half: the rest is zero
    if alpha != 0.0:
        for m in range(12):
            lin.cu[m] = complex(u[m], 0.0)
        vary_rows(cc, moved_i, moved_j, lin.cu, out)  # vary(u), and its derivative along u
    for p in range(c.count):
        r = c.row[p]
        if r >= rows:
            continue  # dropped
        turn_row(p, lin)
        for d, of in ((c.i, 0), (c.j, 6)):
            if d == 0:
                continue
            at = 6 * (np.int64(d) - 1)
            for k in ways:
                v, meets = lin.V[of + k, p], 0.0
                for b, half in ((c.i, 0), (c.j, 6)):
                    if b != 0:
                        to = 6 * (np.int64(b) - 1)
                        for m in ways:
                            meets += v[half + m] * x[to + m]
                lin.T[r, at + k] += bend[p, of + k]
                lin.Cq[r, at + k] += meets
            if alpha == 0.0:
                continue
            for k in ways:
                slope = bend[p, of + k] + out[p, of + k].real
                bend[3 + p, of + k] = slope
                lin.Cu[r, at + k] += alpha * slope
                lin.Cq[r, at + k] += alpha * out[p, of + k].imag * (1.0 / TINY)
            # s . (eta x w) = eta . (w x s)
            turn = cross(load(u[of + 3 : of + 6]), load(bend[3 + p, of + 3 : of + 6]))
            for m in range(3):
                lin.Cq[r, at + 3 + m] += alpha * turn[m]


@link
def add_turning(c, lam, A, lin):
    """A += how forces ``lam`` along the rows of relation c, varied last, turn with the places: sum of lam_p V_p."""
    ways = lin.turns if lin.still[0] != 0 else lin.way
    for p in range(c.count):
        force = lam[p]
        if force == 0.0:
            continue
        for b, half in ((c.i, 0), (c.j, 6)):
            if b == 0:
                continue
            to = 6 * (np.int64(b) - 1)
            for m in ways:
                line = A[to + m]
                for d, of in ((c.i, 0), (c.j, 6)):
                    if d != 0:
                        at = 6 * (np.int64(d) - 1)
                        for k in ways:
                            line[at + k] += force * lin.V[of + k, p, half + m]


@link
def add_turning_of(c, rows, lam, A, lin):
    """``add_turning`` with multipliers of the closed rows."""
    own = lin.law[0]
    for p in range(c.count):
        own[p] = lam[c.row[p]] if c.row[p] < rows else 0.0
    add_turning(c, own, A, lin)


@link
def add_corrections(c, rows, lin):
    """Kfix of a relation varied last."""
    add_turning_of(c, rows, lin.fix[0], lin.Kfix[0], lin)
    add_turning_of(c, rows, lin.fix[1], lin.Kfix[1], lin)


@jit
def add_forces(c, row, lin):
    """K and D of a relation whose rows pass on forces: lam_p, d lam_p/d g_q and d lam_p/d rate_q stand in lin.law."""
    by_g, by_v = lin.law[1:4], lin.law[4:7]
    add_turning(c, lin.law[0], lin.K, lin)
    for q in range(c.count):
        if not (by_v[0, q] != 0.0 or by_v[1, q] != 0.0 or by_v[2, q] != 0.0):
            if not (by_g[0, q] != 0.0 or by_g[1, q] != 0.0 or by_g[2, q] != 0.0):
                continue
        turn_row(q, lin)
        for p in range(c.count):
            w = row[c.row[p]].w
            if by_g[p, q] != 0.0:
                add_block(c.i, c.j, w, row[c.row[q]].w, by_g[p, q], lin.K)
            if by_v[p, q] != 0.0:
                add_block(c.i, c.j, w, lin.bend[q], by_v[p, q], lin.K)
                add_block(c.i, c.j, w, row[c.row[q]].w, by_v[p, q], lin.D)


@jit
def add_all_closed(model, x, alpha, lam, kin, lin):
    """All closed relations: lines of Cq, Cu and T, K with multipliers ``lam``, and with those of corrections."""
    rows = model.info[0].bilateral
    if alpha != 0.0:
        for b in range(len(kin)):
            moved(kin[b], lin.moving[b])
    for k in range(model.info[0].bilateral_relations):
        c = model.relation[k]
        vary_here(c, kin, lin)
        add_lines_of(c, lin.relation[k], rows, x, alpha, lin.moving[c.i], lin.moving[c.j], lin)
        add_turning_of(c, rows, lam, lin.K, lin)
        if lin.fixed[0] != 0:
            add_corrections(c, rows, lin)
