"""Closed rows and the matrix N = W M^-1 W^T: rows at a state, its factor, solutions.

Redundant rows, or a singular position that the mechanism passes, make N singular. Then the factor is regularised
(numerics/ldl.py) and refined; the multipliers are those of least norm, weighted by diag(N).
"""

from __future__ import annotations

import numpy as np

from ..arrays import FACTORISATIONS, LAM, LEFT, RHS
from ..numerics.jit import jit, part
from ..numerics.ldl import factor, factor_blocks, solve
from .interactions import (
    assemble_blocks,
    assemble_hubs,
    assemble_matrix,
    evaluate_and_weigh,
    evaluate_in_space,
    follow_targets,
    look_at_relation,
    look_at_targets,
)
from .kinematics import place_body, place_in
from .plane_rows import factor_in_plane, impel_in_plane
from .products import along_shifts, set_shifts

TINY = 1e-15  # regularisation of a matrix of full rank: below rounding
PROXIMAL = 1e-8  # regularisation of a redundant one
SOFT = 4  # refinements with a regularised factor
NEAR = 48  # rows of joints that are evaluated and eliminated in one turn: less than the nearest cache holds


@part
def rows_in_place(model, t, y, placed, memory, work):
    """g, w, bias, drift and M^-1 w of the closed rows; the first ``placed`` bodies are in place, in a plane all are."""
    info = model.info[0]
    closed, kin, row, weighed = model.relation[: info.bilateral_relations], work.kin, work.row, work.weighed
    if info.planar:
        evaluate_and_weigh(info.bilateral, closed, model.body, memory, kin, row, weighed)
    else:
        _, placed = evaluate_in_space(
            0, len(closed), placed, info.bilateral, closed, model.body, memory, y, True, kin, row, weighed
        )
        place_others(placed, y, kin)
    if len(model.driven) > 0:
        follow_targets(model, t, row, work.stack)


@jit
def rows_and_factor(model, t, y, memory, bent, work):
    """``evaluate_closed_rows``, and the factor of N if that has full rank; returns (level, True if all biases).

    The level is that of numerics/ldl.py, 2 where there is no factor.

    A few joints at a time, in the order of elimination: what one pass writes the next one reads while it is near. In
    long chains all rows together are more than a cache holds. Without ``bent`` not every bias is found.
    """
    info = model.info[0]
    blocks, turn = len(model.place) - 1, NEAR // info.block
    if info.planar or info.redundant != 0 or len(model.hub) > 0 or (bent and blocks <= turn):
        evaluate_closed_rows(model, t, y, memory, work)
        return 2, True
    closed, kin, row, weighed = model.relation[: info.bilateral_relations], work.kin, work.row, work.weighed
    place, size, limits = model.place, info.block, (TINY, info.vanishing)
    level, known, placed, first = 0, 0, 1, 0
    while first < blocks:
        last = min(first + turn, blocks)
        wanted = known
        for k in range(first, last):
            wanted = max(wanted, model.row[place[k].row[place[k].count - 1]].relation + 1)
        known, placed = evaluate_in_space(
            known, wanted, placed, info.bilateral, closed, model.body, memory, y, bent, kin, row, weighed
        )
        assemble_blocks(size, first, last, model.pair, place, row, weighed, work.entry)
        found = factor_blocks(
            size, first, last, place, model.link, model.column, work.entry, limits, work.lower, work.vector
        )
        level, first = max(level, found), last
    _, placed = evaluate_in_space(
        known, len(closed), placed, info.bilateral, closed, model.body, memory, y, bent, kin, row, weighed
    )
    place_others(placed, y, kin)
    if len(model.driven) > 0:
        follow_targets(model, t, row, work.stack)
    if level < 2:
        work.tally[FACTORISATIONS] += 1
    return level, bent


@jit
def place_others(placed, y, kin):
    """Bodies that no joint holds."""
    for b in range(placed, len(kin)):
        place_body(b, len(kin), y, kin)


@jit
def evaluate_closed_rows(model, t, y, memory, work):
    """Bodies in place, then g, w, bias, drift and M^-1 w of the closed rows."""
    info = model.info[0]
    if info.planar:
        place_in(info.planar, info.bodies, y, work.kin)
    rows_in_place(model, t, y, 1, memory, work)


@jit
def look_at_closed_rows(model, t, y, memory, work):
    """Bodies in place, then g and its rate for the closed rows; w, bias and M^-1 w stay what they were."""
    info = model.info[0]
    place_in(info.planar, info.bodies, y, work.kin)
    for k in range(info.bilateral_relations):
        look_at_relation(model.relation[k], memory, work.kin, work.row)
    if len(model.driven) > 0:
        look_at_targets(model, t, work.row, work.stack)


@jit
def assemble(model, work):
    """The matrix N at the present rows; returns how many rows a block of it has."""
    info = model.info[0]
    assemble_matrix(info.block, model.pair, model.place, work.row, work.weighed, work.entry)
    if len(model.hub) > 0:
        assemble_hubs(info.block, model.hub, model.place, model.body, work.row, work.entry)
    return info.block


@jit
def factorise(model, damping, work):
    """Factor of N at the present rows; return how many refinements its solutions need (0 for full rank).

    ``damping`` raises the regularisation of a singular matrix and stops refinement: far from the manifold redundant
    rows contradict each other, and a Newton step must not follow the contradiction (Levenberg's idea).
    """
    info, lower, vector = model.info[0], work.lower, work.vector
    work.tally[FACTORISATIONS] += 1
    limits, plain = (TINY, info.vanishing), info.plain != 0
    if info.redundant == 0 and plain:
        level = factor_in_plane(model.place, model.link, model.pair, limits, work.row, work.weighed, lower, vector)
        if level < 2:
            return 2 * level  # small pivots lose digits; two refinements bring them back
    size = assemble(model, work)
    if info.redundant == 0 and not plain:
        level = factor(size, model.place, model.link, model.column, work.entry, limits, lower, vector)
        if level < 2:
            return 2 * level
    eps = max(PROXIMAL, damping)
    factor(size, model.place, model.link, model.column, work.entry, (eps, 0.0), lower, vector)
    return SOFT if damping <= PROXIMAL else 0


@jit
def refine(model, b, x, soft, work):
    """X <- x + N^-1 (b - N x), ``soft`` times or until nothing is left."""
    rows, planar = model.info[0].bilateral, model.info[0].planar
    left = work.vector[LEFT]
    size = 0.0
    for r in range(rows):
        size = max(size, abs(b[r]))
    for _ in range(soft):
        set_shifts(planar, model.place, model.row, work.weighed, x, work.kin)
        along_shifts(planar, model.place, model.row, work.row, work.kin, left)
        worst = 0.0
        for r in range(rows):
            left[r] = b[r] - left[r]
            worst = max(worst, abs(left[r]))
        if worst <= 1e-13 * size:
            return
        solve(model.info[0].block, model.place, model.link, work.lower, left, left, work.vector)
        for r in range(rows):
            x[r] += left[r]


@jit
def solve_rows(model, soft, work):
    """lam = N^-1 rhs, refined where N is singular or its factor is not quite of the present rows."""
    b, x = work.vector[RHS], work.vector[LAM]
    solve(model.info[0].block, model.place, model.link, work.lower, b, x, work.vector)
    if soft:
        refine(model, b, x, soft, work)


@part
def impels_at_once(model, soft):
    """True if multipliers may act on the bodies as they are found: no refinement, and no friction that needs them."""
    return model.info[0].plain != 0 and soft == 0 and model.info[0].rubs == 0


@part
def impel(model, now, ahead, work):
    """Multipliers that leave W x + now drift + ahead bias = 0 into LAM, and what they do to x = kin.unknown."""
    shares, fact, lam = (now, ahead), model.row, work.vector[LAM]
    impel_in_plane(
        shares, model.place, model.link, fact, work.row, work.weighed, work.lower, work.vector, lam, work.kin
    )


@jit
def prepare(model, t, y, memory, work):
    """Rows and factor at a state; return how many refinements solutions need."""
    level, _ = rows_and_factor(model, t, y, memory, True, work)
    return factorise(model, 0.0, work) if level == 2 else 2 * level


@jit
def worst_row(model, work):
    """Largest |g| of the closed rows (angles as the way of a point at the size of the mechanism), and its row."""
    worst = 0.0
    which = 0
    for r in range(model.info[0].bilateral):
        size = model.row[r].scale * abs(work.row[r].g)
        if not size <= worst:
            worst = size
            which = r
            if not np.isfinite(size):
                break
    return worst, which
