"""Which closed rows repeat what others already fix, by name.

Rows are scaled by the inverse mass, so that lengths and angles compare: row r is dependent when the part of
M^-1/2 w_r that is orthogonal to all earlier rows (in the order of definition) has a relative size below 3e-7 (the root
of the pivot that counts as vanishing in numerics/ldl.py). A row
that depends here but not in a nearby position marks a singular position, not redundancy.
"""

from __future__ import annotations

import numpy as np

from ..arrays import DIAGONAL, Model, State, Work
from ..assemble.closed import TINY, evaluate_closed_rows
from ..assemble.interactions import assemble_matrix
from ..assemble.projection import close_positions
from ..model.geometry import turned
from ..numerics.ldl import VANISHING, factor

DEPENDENT = VANISHING**0.5  # a pivot is the square of a sine
LARGEST = 1000  # rows; beyond, the order of elimination of the sparse factor decides which rows are named
NUDGE = 1e-3  # of the size of the mechanism


def _scaled_rows(model: Model, work: Work) -> np.ndarray:
    """Dense M^-1/2 W^T, one line per row."""
    rows = int(model.info[0]["bilateral"])
    root = np.zeros((len(model.body), 6, 6))
    for b, body in enumerate(model.body):
        root[b, :3, :3] = np.diag(np.sqrt(body["minv"]))
        values, vectors = np.linalg.eigh(body["Jinv"])
        root[b, 3:, 3:] = np.diag(np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    dense = np.zeros((rows, 6 * len(model.body)))
    w = work.row["w"][:rows]
    for r in range(rows):
        i, j = int(model.row[r]["i"]), int(model.row[r]["j"])
        dense[r, 6 * i : 6 * i + 6] += root[i] @ w[r, :6]
        dense[r, 6 * j : 6 * j + 6] += root[j] @ w[r, 6:]
    return dense


def _dependent(lines: np.ndarray) -> list[int]:
    basis = np.zeros((min(lines.shape), lines.shape[1]))
    found: list[int] = []
    for r, line in enumerate(lines):
        known = basis[: r - len(found)]
        size = np.linalg.norm(line)
        rest = line / size if size > 0.0 else line
        for _ in range(2):  # twice is enough (Kahan)
            rest = rest - known.T @ (known @ rest)
        left = np.linalg.norm(rest)
        if left < DEPENDENT:
            found.append(r)
        else:
            basis[r - len(found)] = rest / left
    return found


def _pivots(model: Model, work: Work) -> list[int]:
    """Rows whose pivot vanishes in the sparse factor, in its own order of elimination."""
    return sorted(int(model.place["row"][k]) for k in np.flatnonzero(_ratios(model, work) < VANISHING))


def _ratios(model: Model, work: Work) -> np.ndarray:
    """Pivots of the sparse factor relative to the diagonal of N, at rows that are evaluated."""
    assemble_matrix(model.pair, work.row, work.weighed, work.entry)
    factor(model.place, model.link, model.column, work.entry, (TINY, 0.0), work.lower, work.vector)
    diagonal = work.entry[model.place["entry"][1:].astype(np.int64) - 1]
    return np.asarray(1.0 / (diagonal * work.vector[DIAGONAL]))


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


def dependent_rows(model: Model, y: np.ndarray, state: State, work: Work) -> list[int]:
    """Rows that depend on earlier ones at the positions in y."""
    evaluate_closed_rows(model, float(state.clock[0]["t"]), y, state.memory, work)
    vanished = _pivots(model, work)
    if not vanished or int(model.info[0]["bilateral"]) > LARGEST:
        return vanished
    return _dependent(_scaled_rows(model, work))  # the same number, but in the order of definition


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
    close_positions(redundant, float(state.clock[0]["t"]), y, state.memory, 1e-12 * max(1.0, size), work)
    return y
