"""How many ways a mechanism can move, and which closed rows repeat others: found by moving it.

Counting the rank of the closed rows W in one position gives what can move at first order. That may be too much: bars in
line give way by a little and no further, and where branches of a motion cross, all their directions count. So a motion
is tried. From the position p a step delta u is taken, W u = 0, and the rows are closed again,

    q = p + delta u + ... ,   dq = -W^T (W W^T + |g|^2)^-1 g      (Levenberg: redundant rows make W W^T singular)

A motion follows its tangent, q - p = delta u + O(delta^2): if it does, for u at random among all that are allowed, and
the rank at q is that at p, then the count holds. Else the ways that can be followed from q, which is no special
position, are counted one by one. Displacements are measured in the size of the mechanism and in rad, whatever masses
are, because slender bodies would hide what a joint does.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Model, State, Work
from ..assemble.closed import evaluate_closed_rows
from ..model.geometry import turned
from .redundancy import DEPENDENT

STEP = 1e-3  # delta; rows that depend on each other in one position only differ by this much after it, others by ..
NEARLY = 3e-5  # .. its square
CLOSED = 1e-11  # residual that is left, relative to the size of the mechanism
ITERATIONS = 60  # bars in line halve their distance from the line in each
FOLLOWS = 0.02  # of a step: what may be left of it to be a curved motion


class Rows:
    """Closed rows at any position of a model, as lines of unit size in displacements that are numbers."""

    def __init__(self, model: Model, state: State, work: Work) -> None:
        self.model, self.state, self.work = model, state, work
        self.length, self.time = float(model.info[0]["length"]), float(state.clock[0]["t"])
        turns = np.diagonal(model.body["Jinv"][1:], axis1=1, axis2=2)
        self.mobile = np.hstack([model.body["minv"][1:], turns]).ravel() > 0.0

    @property
    def total(self) -> int:
        """Ways in which free bodies could move."""
        return int(np.sum(self.mobile))

    def at(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lines, (rows, total), and how far each row is open."""
        model, work, count = self.model, self.work, int(self.model.info[0]["bilateral"])
        evaluate_closed_rows(model, self.time, y, self.state.memory, work)
        w = work.row["w"][:count] * np.tile([self.length] * 3 + [1.0] * 3, 2)
        dense, rows = np.zeros((count, len(model.body), 6)), np.arange(count)
        np.add.at(dense, (rows, model.row["i"][:count].astype(np.int64)), w[:, :6])
        np.add.at(dense, (rows, model.row["j"][:count].astype(np.int64)), w[:, 6:])
        lines = dense[:, 1:].reshape(count, -1)[:, self.mobile]
        size = np.linalg.norm(lines, axis=1)
        size[size == 0.0] = 1.0
        return lines / size[:, None], work.row["g"][:count] / size

    def moved(self, y: np.ndarray, by: np.ndarray) -> np.ndarray:
        """Positions after a small displacement."""
        bodies, out = len(self.model.body) - 1, y.copy()
        full = np.zeros(6 * bodies)
        full[self.mobile] = by
        pose, step = out[: 7 * bodies].reshape(bodies, 7), full.reshape(bodies, 6)
        pose[:, :3] += self.length * step[:, :3]
        pose[:, 3:] = turned(pose[:, 3:], step[:, 3:])
        return out

    def follow(self, y: np.ndarray, by: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Closed positions near y + by and the displacement to them; y itself and zero if there are none."""
        here, done, worst = self.moved(y, by), by.copy(), np.inf
        for _ in range(ITERATIONS):
            lines, g = self.at(here)
            before, worst = worst, float(np.max(np.abs(g)))
            # down to rounding: what is left stands for the square of a way that cannot be gone
            if (worst < CLOSED and worst > 0.5 * before) or not 0.0 < worst < np.inf:
                break
            gram = lines @ lines.T
            gram[np.diag_indices_from(gram)] += worst**2 + 1e-15
            change = -lines.T @ np.linalg.solve(gram, g)
            here, done = self.moved(here, change), done + change
        _, g = self.at(here)
        closed = np.max(np.abs(g)) <= CLOSED and np.linalg.norm(done) <= 10.0 * np.linalg.norm(by)
        return (here, done) if closed else (y, np.zeros_like(by))


def dependent(lines: np.ndarray, within: float = DEPENDENT) -> list[int]:
    """Lines of unit size that depend on earlier ones."""
    basis = np.zeros((min(lines.shape), lines.shape[1]))
    found: list[int] = []
    for r, line in enumerate(lines):
        known, rest = basis[: r - len(found)], line
        for _ in range(2):  # twice is enough (Kahan)
            rest = rest - known.T @ (known @ rest)
        left = np.linalg.norm(rest)
        if left < within or r - len(found) == len(basis):
            found.append(r)
        else:
            basis[r - len(found)] = rest / left
    return found


def _allowed(lines: np.ndarray) -> np.ndarray:
    """An orthonormal basis, as lines, of the displacements that the rows allow."""
    _, values, right = np.linalg.svd(lines)
    return np.asarray(right[int(np.sum(values > DEPENDENT * np.max(values, initial=0.0))) :])


def _rank(lines: np.ndarray) -> int:
    values = np.linalg.svd(lines, compute_uv=False)
    return int(np.sum(values > DEPENDENT * np.max(values, initial=0.0)))


def _ways(rows: Rows, y: np.ndarray, allowed: np.ndarray, step: np.ndarray) -> int:
    """How many of the ways that are allowed at y can be followed; ``step`` has a part in each of them."""
    there, done = rows.follow(y, step)
    if np.linalg.norm(done - step) <= FOLLOWS * STEP and rows.total - _rank(rows.at(there)[0]) == len(allowed):
        return len(allowed)
    # a special position: look again from one that is not, if there is a way to it, with shorter steps
    tried = [(there, done), *(rows.follow(y, STEP * way) for way in allowed)]
    base, done = max(tried, key=lambda one: float(np.linalg.norm(one[1])))
    base, near = (base, 0.1 * STEP) if np.linalg.norm(done) > 0.1 * STEP else (y, STEP)
    found = np.array([rows.follow(base, near * way)[1] / near for way in _allowed(rows.at(base)[0])])
    return int(np.sum(np.linalg.svd(found, compute_uv=False) > 0.1)) if len(found) else 0


def mobility(model: Model, state: State, work: Work) -> tuple[int, list[int], list[int]]:
    """Degrees of freedom, rows that repeat others, and rows that do so in this position only."""
    rows = Rows(model, state, work)
    lines = rows.at(state.y)[0]
    here = dependent(lines)
    if not here:
        return rows.total - len(lines), [], []
    allowed = _allowed(lines)
    if not len(allowed):
        return 0, here, []
    weights = np.random.default_rng(20240229).standard_normal(len(allowed))
    step = STEP * (weights / np.linalg.norm(weights)) @ allowed
    count = max(_ways(rows, state.y, allowed, step), rows.total - len(lines))
    repeat = count - (rows.total - len(lines))
    if repeat == len(here):
        return count, here, []
    # which rows: after a step that need not be closed, those of a special position are far from dependent
    named = [r for r in dependent(rows.at(rows.moved(state.y, step))[0], NEARLY) if r in here]
    named = named if len(named) == repeat else here[len(here) - repeat :]
    return count, named, [r for r in here if r not in named]
