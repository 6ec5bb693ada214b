"""What the pivots of the sparse factor of N = W M^-1 W^T show about closed rows that depend on each other.

A pivot relative to the diagonal of N is the square of the sine between a row and those eliminated before, measured by
masses. Large ones show cheaply that nothing is redundant; small ones may come from slender bodies as well
(compile/mobility.py decides). In large models they are all there is: a row that depends here but not in a nearby
position marks a singular position, not redundancy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import DIAGONAL, Model, State, Work
from ..assemble.closed import TINY, assemble, evaluate_closed_rows
from ..assemble.projection import close_positions
from ..model.geometry import turned
from ..numerics.ldl import VANISHING, factor

DEPENDENT = VANISHING**0.5  # sine between a row and all others that is rounding; a pivot is its square
LARGEST = 1000  # rows; beyond, pivots of the sparse factor decide, in its own order of elimination
DOUBTFUL = 1e-6  # pivot, relative, above which nothing is singular
NUDGE = 1e-3  # of the size of the mechanism


def scaled_rows(model: Model, work: Work, rows: Sequence[int] | None = None) -> np.ndarray:
    """Dense M^-1/2 W^T, one line for each of some rows; without their numbers of all closed rows."""
    rows = range(int(model.info[0]["bilateral"])) if rows is None else rows
    root = np.zeros((len(model.body), 6, 6))
    for b, body in enumerate(model.body):
        root[b, :3, :3] = np.diag(np.sqrt(body["minv"]))
        values, vectors = np.linalg.eigh(body["Jinv"])
        root[b, 3:, 3:] = np.diag(np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    dense = np.zeros((len(rows), 6 * len(model.body)))
    for line, r in zip(dense, rows, strict=True):
        i, j, w = int(model.row[r]["i"]), int(model.row[r]["j"]), work.row["w"][r]
        line[6 * i : 6 * i + 6] += root[i] @ w[:6]
        line[6 * j : 6 * j + 6] += root[j] @ w[6:]
    return dense


def _pivots(model: Model, work: Work) -> list[int]:
    """Rows whose pivot vanishes in the sparse factor, in its own order of elimination."""
    return sorted(_order(model)[_ratios(model, work) < VANISHING].tolist())


def _order(model: Model) -> np.ndarray:
    """Closed rows in their order of elimination."""
    rows = model.place["row"][:-1, : int(model.info[0]["block"])]
    return np.asarray(rows[_real(model)], dtype=np.int64)


def _real(model: Model) -> np.ndarray:
    """Where in the blocks of that order (blocks, rows of a block) there is a row, and no velocity of a hub."""
    places, block = model.place[:-1], int(model.info[0]["block"])
    return np.asarray((np.arange(block) < places["count"][:, None]) & (places["hub"] == 0)[:, None])


def _ratios(model: Model, work: Work) -> np.ndarray:
    """Pivots of the sparse factor relative to the diagonal of N, in its order of elimination, at rows as they are."""
    assemble(model, work)
    block = int(model.info[0]["block"])
    factor(block, model.place, model.link, model.column, work.entry, (TINY, 0.0), work.lower, work.vector)
    rows, real = _order(model), _real(model)
    diagonal = np.einsum("rk,rk->r", work.row["w"][rows], work.weighed[rows])
    return np.asarray(1.0 / (diagonal * work.vector[DIAGONAL][: real.size].reshape(real.shape)[real]))


def singular_pivot(model: Model, y: np.ndarray, state: State, work: Work) -> float:
    """Relative pivot that marks a singular position: far below what this mechanism has in an ordinary one.

    Slender bodies make small pivots everywhere, which is no singularity; a mechanism that passes a singular position
    has ordinary pivots nearby.
    """
    evaluate_closed_rows(model, float(state.clock[0]["t"]), y, state.memory, work)
    return float(np.clip(1e-3 * np.min(_ratios(model, work), initial=1.0), VANISHING, 1e-9))


def _with(info: np.ndarray, **fields: int) -> np.ndarray:
    changed = info.copy()
    for name, value in fields.items():
        changed[name] = value
    return changed


def looks_dependent(model: Model, y: np.ndarray, state: State, work: Work) -> bool:
    """False if all pivots are so large that no row can depend on others; True where one has to look closer."""
    evaluate_closed_rows(model, float(state.clock[0]["t"]), y, state.memory, work)
    return bool(np.min(_ratios(model, work), initial=1.0) < DOUBTFUL)


def mobility_by_pivots(model: Model, state: State, work: Work) -> tuple[int, list[int], list[int]]:
    """As compile/mobility.py, for large models: by the rank here and in a nearby position."""
    time = float(state.clock[0]["t"])
    evaluate_closed_rows(model, time, state.y, state.memory, work)
    here = _pivots(model, work)
    evaluate_closed_rows(model, time, nearby(model, state, work), state.memory, work)
    there = _pivots(model, work) if here else []
    always = [r for r in here if r in there] if len(there) >= len(here) else there
    count = int(np.sum(model.body["minv"] > 0.0)) + int(np.sum(np.diagonal(model.body["Jinv"], axis1=1, axis2=2) > 0.0))
    return count - int(model.info[0]["bilateral"]) + len(there), there, [r for r in here if r not in always]


def nearby(model: Model, state: State, work: Work) -> np.ndarray:
    """A closed position near the present one, in a direction fixed by a seed."""
    bodies = int(model.info[0]["bodies"]) - 1
    size = float(model.info[0]["length"])
    random = np.random.default_rng(20240229)
    y = state.y.copy()
    pose, nudge = y[: 7 * bodies].reshape(bodies, 7), NUDGE * random.standard_normal((bodies, 6))
    pose[:, :3] += size * nudge[:, :3] * (model.body["minv"][1:] > 0.0)
    can_turn = np.diagonal(model.body["Jinv"][1:], axis1=1, axis2=2) > 0.0
    pose[:, 3:] = turned(pose[:, 3:], nudge[:, 3:] * can_turn)
    redundant = model._replace(info=_with(model.info, redundant=1))
    close_positions(redundant, float(state.clock[0]["t"]), y, state.memory, 1e-12 * size, work)
    return y
