r"""Short sums of products of Legendre polynomials through numbers that are smooth over a box.

Each number is fitted over the inputs that move it, with rising degree, to models at scattered points; it is taken when
it gives the numbers of models that nothing was fitted to, to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

SAME = 1e-12  # relative difference that is rounding
NODES = 320  # models compiled for polynomials, at most
DEGREES = range(2, 13)

At = Callable[[np.ndarray], np.ndarray | None]


@dataclass(frozen=True)
class Basis:
    """Products of Legendre polynomials over a box."""

    low: np.ndarray
    high: np.ndarray
    powers: np.ndarray  # (terms, d)

    def values(self, p: np.ndarray) -> np.ndarray:
        """All terms at one point (d,), or at several (n, d): (terms,) or (n, terms)."""
        t = (2.0 * p - self.high - self.low) / (self.high - self.low)
        single = [np.ones_like(t), t]
        for n in range(1, int(self.powers.max(initial=0))):  # Bonnet's recursion
            single.append(((2 * n + 1) * t * single[n] - n * single[n - 1]) / (n + 1))
        table = np.stack(single, axis=-2)  # (..., degree, d)
        return np.asarray(table[..., self.powers, np.arange(t.shape[-1])].prod(axis=-1))


def differ(guess: np.ndarray, x: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Where numbers differ by more than rounding; ``size`` is what it is relative to."""
    return np.asarray(np.abs(guess - x) > SAME * np.maximum(size, np.abs(x)) + 1e-300)


def _error(guess: np.ndarray, x: np.ndarray, size: np.ndarray) -> float:
    """The largest difference, in units of what is rounding."""
    return float(np.max(np.abs(guess - x) / (SAME * np.maximum(size, np.abs(x)) + 1e-300), initial=0.0))


def _degree_ahead(errors: list[float], degree: int) -> int:
    """The degree at which errors that go on falling as they did would be rounding: no nodes for a lost cause."""
    if len(errors) < 3 or not 1.0 < errors[-1] < errors[-3]:
        return degree
    left = 2.0 * np.log(errors[-1]) / np.log(errors[-3] / errors[-1])
    return degree - 1 + int(np.floor(0.7 * left))  # errors fall faster the higher the degree


def _needed(inputs: int, degree: int) -> int:
    """Nodes for all products of so many inputs up to a degree, and half as many more."""
    terms = comb(inputs + max(degree, 1), inputs)
    return terms + terms // 2 + 4


def _powers(d: int, own: tuple[int, ...], degree: int) -> list[tuple[int, ...]]:
    """All products of at most this degree of the inputs ``own``."""
    found = []
    for total in range(degree + 1):
        for chosen in combinations_with_replacement(own, total):
            found.append(tuple(chosen.count(k) for k in range(d)))
    return found


def polynomials(
    at: At,
    moves: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    checks: list[tuple[np.ndarray, np.ndarray]],
    size: np.ndarray,
    most: int = NODES,
) -> tuple[Basis, np.ndarray] | None:
    """Terms and weights (numbers, terms) of all curved numbers, by the inputs that move each; None where not exact."""
    d = len(low)
    groups: dict[tuple[int, ...], np.ndarray] = {}
    for own in {tuple(np.flatnonzero(line).tolist()) for line in moves}:
        groups[own] = np.flatnonzero([tuple(np.flatnonzero(line).tolist()) == own for line in moves])
    stream = np.random.default_rng(71)
    P: list[np.ndarray] = []
    X: list[np.ndarray] = []

    def nodes(many: int) -> bool:
        while len(P) < many:
            p = 0.5 * (low + high) + 0.5 * (high - low) * np.cos(np.pi * stream.random(d))
            x = at(p)
            if x is None:
                return False
            P.append(p)
            X.append(x)
        return True

    chosen: dict[tuple[int, ...], int] = {}  # column of each term
    weights: list[tuple[np.ndarray, list[tuple[int, ...]], np.ndarray]] = []
    for own, numbers in sorted(groups.items(), key=lambda one: len(one[0])):
        errors: list[float] = []  # in units of what is rounding, by degree
        for degree in DEGREES:
            powers = _powers(d, own, degree)
            if _needed(len(own), _degree_ahead(errors, degree)) > most or not nodes(_needed(len(own), degree)):
                return None
            basis = Basis(low, high, np.array(powers))
            V = basis.values(np.array(P))
            Q, R = np.linalg.qr(V)  # well conditioned: Legendre polynomials at points of their kind
            W = np.linalg.solve(R, Q.T @ np.array(X)[:, numbers]).T
            errors.append(max(_error(W @ basis.values(p), x[numbers], size[numbers]) for p, x in checks))
            if errors[-1] <= 1.0:
                weights.append((numbers, powers, W))
                for one in powers:
                    chosen.setdefault(one, len(chosen))
                break
        else:
            return None
    out = np.zeros((len(size), len(chosen)))
    for numbers, powers, W in weights:
        out[np.ix_(numbers, np.array([chosen[one] for one in powers]))] = W
    return Basis(low, high, np.array(list(chosen))), out
