"""Which closed rows repeat what others already fix, by name.

Rows are scaled by the inverse mass, so that lengths and angles compare: row r is dependent when the part of
M^-1/2 w_r that is orthogonal to all earlier rows (in the order of definition) has a relative size below 1e-7. A row
that depends here but not in a nearby position marks a singular position, not redundancy.
"""

from __future__ import annotations

import numpy as np

from ..arrays import DIAGONAL, Model, State, Work
from ..assemble.dynamics import evaluate_closed_rows, factorise
from ..assemble.projection import close_positions

DEPENDENT = 1e-7
LARGEST = 1500  # rows; beyond, the pivots of the sparse factor decide
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
    basis = np.zeros((0, lines.shape[1]))
    found = []
    for r, line in enumerate(lines):
        size = np.linalg.norm(line)
        rest = line / size if size > 0.0 else line
        for _ in range(2):  # twice is enough (Kahan)
            rest = rest - basis.T @ (basis @ rest)
        left = np.linalg.norm(rest)
        if left < DEPENDENT:
            found.append(r)
        else:
            basis = np.vstack([basis, rest / left])
    return found


def _pivots(model: Model, work: Work) -> list[int]:
    factorise(model._replace(info=_with(model.info, redundant=0)), 0.0, work)
    diagonal = work.entry[model.place["entry"][1:].astype(np.int64) - 1]
    return sorted(int(model.place["row"][k]) for k in np.flatnonzero(1.0 < 1e-7 * diagonal * work.vector[DIAGONAL]))


def _with(info: np.ndarray, **fields: int) -> np.ndarray:
    changed = info.copy()
    for name, value in fields.items():
        changed[name] = value
    return changed


def dependent_rows(model: Model, y: np.ndarray, state: State, work: Work) -> list[int]:
    """Rows that depend on earlier ones at the positions in y."""
    evaluate_closed_rows(model, float(state.clock[0]["t"]), y, state.memory, work)
    if int(model.info[0]["bilateral"]) > LARGEST:
        return _pivots(model, work)
    return _dependent(_scaled_rows(model, work))


def nearby(model: Model, state: State, work: Work) -> np.ndarray:
    """A closed position near the present one, in a direction fixed by a seed."""
    bodies = int(model.info[0]["bodies"]) - 1
    size = float(model.info[0]["length"])
    random = np.random.default_rng(20240229)
    y = state.y.copy()
    for b in range(bodies):
        mobile = model.body[b + 1]
        y[7 * b : 7 * b + 3] += NUDGE * size * random.standard_normal(3) * (mobile["minv"] > 0.0)
        turn = NUDGE * random.standard_normal(3) * (np.diag(mobile["Jinv"]) > 0.0)
        p = y[7 * b + 3 : 7 * b + 7]
        p += 0.5 * np.array(
            [
                -p[1] * turn[0] - p[2] * turn[1] - p[3] * turn[2],
                p[0] * turn[0] - p[3] * turn[1] + p[2] * turn[2],
                p[3] * turn[0] + p[0] * turn[1] - p[1] * turn[2],
                -p[2] * turn[0] + p[1] * turn[1] + p[0] * turn[2],
            ]
        )
        p /= np.linalg.norm(p)
    redundant = model._replace(info=_with(model.info, redundant=1))
    close_positions(redundant, float(state.clock[0]["t"]), y, state.memory, 1e-12 * max(1.0, size), work)
    return y
