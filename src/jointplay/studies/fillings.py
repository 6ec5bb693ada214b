"""Which filling a model gets: of numbers that are ready to run, or as they are given; by its inputs or by its wording.

    x(p) = a + B u(p)      or      x(p) = 1/(a + B u(p))

with the values of the expressions of the model, u (wording.py). B is found by least squares from models packed at
scattered points, and held against others to 1e-12; a number that is one of u is a copy of it, to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .filling import HUGE, AsGiven, Filling, Patch, Settled, _at, _filling, _floors, _numbers, _patches, _sizes
from .fitting import SAME, At, differ, polynomials
from .members import Members
from .wording import Wording, with_drawing, wording_of

FEW = 100  # models compiled for polynomials before other ways are tried
SPARE = 12  # points beyond those that are needed
COPY = 4e-16  # relative difference of a number and its copy


def filling_of(members: Members, low: np.ndarray, high: np.ndarray) -> Filling | None:
    """The filling of a model over a box of its inputs: the first that is right to rounding; None if none is."""
    return (
        _filling(members, Settled(members), low, high, nodes=FEW)
        or worded_filling(members, low, high)
        or _filling(members, Settled(members), low, high)
        or _filling(members, AsGiven(members), low, high)
    )


def worded_filling(members: Members, low: np.ndarray, high: np.ndarray) -> Filling | None:
    """The filling of numbers as they are given by the expressions of the model; None where they do not follow from it.

    Orientations and frames that readers make of expressions cost time in every member: they are taken where needed.
    """
    wording = wording_of(members.source)
    if wording is None:
        return None
    stage = AsGiven(members)
    seen: dict[bytes, np.ndarray | None] = {}

    def at(p: np.ndarray) -> np.ndarray | None:  # points are the same ones each time
        if p.tobytes() not in seen:
            seen[p.tobytes()] = _at(members, stage, p)
        return seen[p.tobytes()]

    for frames in (None, False, True):
        one = wording if frames is None else with_drawing(wording, members.source, frames=frames)
        filling = None if one is None else _worded(members, stage, at, one, low, high)
        if filling is not None:
            return filling
    return None


def _worded(
    members: Members, stage: AsGiven, at: At, wording: Wording, low: np.ndarray, high: np.ndarray
) -> Filling | None:
    """The filling by one wording."""
    p0 = np.array([one.value for one in members.source.parameters])
    low, high = np.minimum(low, p0), np.maximum(high, p0)
    nominal = _numbers(stage.parts)
    sizes, x0 = [len(x) for x in nominal], np.concatenate(nominal)
    size = _sizes(x0, sizes, _floors(stage.parts))

    found = _probe(wording, at, p0, low, high)
    if found is None:
        return None
    wording, P, U, X = found
    half = 2 * len(U) // 3
    lines: list[Patch] = []
    off = np.flatnonzero(np.any(X != x0, axis=0))
    for inverse in (False, True):
        own = off[(np.abs(X[:, off]) > 0.0).all(axis=0) & (np.abs(X[:, off]) < HUGE).all(axis=0)] if inverse else off
        wanted = 1.0 / X[:, own] if inverse else X[:, own]
        base, slope = _weights(wording, U, wanted, half)
        with np.errstate(all="ignore"):
            guess = base + _terms(wording, U) @ slope.T
            guess = 1.0 / guess if inverse else guess
            good = ~differ(guess, X[:, own], size[own]).any(axis=0) & np.isfinite(guess).all(axis=0)
        lines += _patches(stage.parts, sizes, own[good], base[good], slope[good], inverse)
        off = np.setdiff1d(off, own[good])
    if not len(off):
        return Filling(low, high, tuple(lines), (), None, False, wording)
    if len(wording.low):
        return None
    ends = X[: 2 * len(p0)].reshape(len(p0), 2, -1)
    moves = (ends != x0).any(axis=1).T[off]
    moves |= ~moves.any(axis=1, keepdims=True)
    checks = [(p, x[off]) for p, x in zip(P[-SPARE:], X[-SPARE:], strict=True)]
    fitted = polynomials(lambda p: None if (x := at(p)) is None else x[off], moves, low, high, checks, size[off])
    if fitted is None:
        return None
    basis, weights = fitted
    curves = tuple(_patches(stage.parts, sizes, off, np.zeros(len(off)), weights))
    return Filling(low, high, tuple(lines), curves, basis, False, wording)


def _probe(
    wording: Wording, at: At, p0: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[Wording, np.ndarray, np.ndarray, np.ndarray] | None:
    """Points, wording and numbers of models there: ends of each input first, then corners, then scattered ones."""
    stream, d = np.random.default_rng(29), len(p0)
    tips = [np.where(np.arange(d) == k, side, p0) for k in range(d) for side in (low, high)]
    points = [*tips, low, high]
    many = 3 * _moving(wording, low, high) + 2 * SPARE
    points += [low + (high - low) * stream.random(d) for _ in range(many)]
    P, U, X, refused = [], [], [], []
    for p in points:
        u = wording.values(p)
        if u is None:  # refused by an expression, here as there
            continue
        x = at(p)
        if x is None:
            refused.append(u)
            continue
        P.append(p)
        U.append(u)
        X.append(x)
    if len(P) < 0.5 * len(points):
        return None
    all_u = np.array(U)
    if refused or len(P) < len(points):
        # what is refused must lie outside of what was taken: limits are those of single numbers
        wording = replace(wording, low=all_u.min(axis=0), high=all_u.max(axis=0))
        if any(wording.holds(u) for u in refused):
            return None
    # numbers that move, each once
    _, first = np.unique(all_u, axis=1, return_index=True)
    kept = np.array(sorted(k for k in first if np.ptp(all_u[:, k]) > 0.0), dtype=np.int64)
    own = all_u[:, kept]
    wording = replace(wording, kept=kept, centre=own.mean(axis=0), scale=np.ptp(own, axis=0))
    return wording, np.array(P), all_u, np.array(X)


def _moving(wording: Wording, low: np.ndarray, high: np.ndarray) -> int:
    """How many numbers move, each counted once."""
    stream = np.random.default_rng(31)
    found = [wording.values(low + (high - low) * stream.random(len(low))) for _ in range(2 * SPARE)]
    U = np.array([u for u in found if u is not None])
    return int(np.count_nonzero(np.ptp(np.unique(U, axis=1), axis=0))) if len(U) else len(low)


def _terms(wording: Wording, U: np.ndarray) -> np.ndarray:
    own = U[:, wording.kept]
    return np.concatenate([own, (own - wording.centre) / wording.scale], axis=1)


def _weights(wording: Wording, U: np.ndarray, X: np.ndarray, half: int) -> tuple[np.ndarray, np.ndarray]:
    """Base and slope by terms of numbers X: values of expressions, else least squares at the first ``half`` points."""
    terms = _terms(wording, U)
    m = len(wording.kept)
    D = np.column_stack([np.ones(half), terms[:half, m:]])
    c = np.linalg.lstsq(D, X[:half], rcond=0.1 * SAME)[0].T
    base, slope = c[:, 0], np.concatenate([np.zeros((X.shape[1], m)), c[:, 1:]], axis=1)
    for k in range(m):
        copied = terms[:, k : k + 1]
        same = (np.abs(X - copied) <= COPY * np.abs(copied)).all(axis=0)
        base[same], slope[same] = 0.0, np.eye(2 * m)[k]
    return base, slope
