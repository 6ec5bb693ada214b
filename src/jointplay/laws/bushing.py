"""Bushing: an elastic sleeve between two members (paper C eq. 49).

    on a coordinate      lambda = preload - f(g) - c dg/dt,      V = F(g) - preload g,      loss = c (dg/dt)^2
    as a contact, x > 0  N = f(x) + c dx/dt >= 0,                V = F(x),                  loss = (N - f) dx/dt

with F the integral of f from 0. f never falls; it is one of

    stiffness      f = k g                              k >= 0 in F/X
    polynomial     f = c_1 g + c_2 g^2 + ...            for g >= 0, continued oddly; c_k in F/X^k
    curve          a table of points (g, f)             see laws/curve.py

c >= 0 in F s/X; preload in F, positive towards larger g. As a contact there is no preload, and where the damper would
pull, N = 0: the sleeve recovers more slowly than the surfaces part and what it held is lost. With c > 0 the force
jumps by c dx/dt where a contact begins.

For a whole joint ``stiffness`` and ``damping`` may be n x n matrices K, C: lambda = preload - K g - C dg/dt over its n
coordinates. K must be symmetric and positive semidefinite (else no energy V = g'Kg/2 bounded from below exists), and
so must be the symmetric part of C (else the damper gives energy).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..numerics.jit import jit
from .base import pairs, quantity, series
from .compliant import FORCE_OF, Compliant, Sizes
from .curve import curve, polynomial_constants, table_constants

FORMS = ("stiffness", "curve", "polynomial")
FIRST = 2  # where the constants of the curve begin
ROUNDING = 1e-9  # relative


@jit
def force(p, g, rate, t, z):
    """lambda, its partials, energy and dissipated power."""
    c, preload = p[0], p[1]
    f, slope, energy = curve(p, FIRST, g)
    return preload - f - c * rate, -slope, -c, energy - preload * g, c * rate * rate


@jit
def normal(p, x, rate, onset, t):
    """N, its partials, stored energy and dissipated power."""
    c = p[0]
    zero = 0.0 * (c + x + rate)
    if x.real <= 0.0:
        return zero, zero, zero, zero, zero
    f, slope, energy = curve(p, FIRST, x)
    pressing = f + c * rate
    if pressing.real <= 0.0:  # would pull
        return zero, zero, zero, energy + zero, zero - f * rate
    return pressing, slope + zero, c + zero, energy + zero, c * rate * rate + zero


@dataclass(frozen=True)
class Bushing(Compliant):
    """An elastic sleeve: linear, by a force curve, or by matrices for a whole joint."""

    key: ClassVar[str] = "bushing"
    effort: ClassVar[str] = "bushing"
    closes: ClassVar[bool] = True
    drives: ClassVar[bool] = True
    force = staticmethod(force)
    normal = staticmethod(normal)

    stiffness: Any = quantity("F/X", None, least=0.0)
    damping: Any = quantity("F*s/X", 0.0, least=0.0)
    preload: Any = quantity("F", 0.0)
    curve: Any = pairs("X", "F")
    polynomial: Any = series("F/X^{k}")

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "preload", "curve", "polynomial"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        given = [name for name in FORMS if getattr(self, name) is not None]
        if not given:
            raise ValueError("needs one of 'stiffness', 'curve' and 'polynomial'")
        if len(given) > 1:
            raise ValueError(f"takes one of 'stiffness', 'curve' and 'polynomial', but has {' and '.join(given)}")
        if self.is_matrix:
            if _numeric(self.stiffness) and _numeric(self.damping) and _numeric(self.preload):
                widths = {len(row) if isinstance(row, tuple) else 1 for row in self.stiffness}
                if widths != {len(self.stiffness)}:
                    shape = f"{len(self.stiffness)} x {' or '.join(str(width) for width in sorted(widths))}"
                    raise ValueError(f"'stiffness' must be a square matrix, is {shape}")
                self.matrices(len(self.stiffness))
        elif isinstance(self.damping, tuple) or isinstance(self.preload, tuple):
            name = "damping" if isinstance(self.damping, tuple) else "preload"
            raise ValueError(f"'{name}' is a list, so 'stiffness' must be a matrix")
        elif _numeric(getattr(self, given[0])):
            self._curve()

    @property
    def is_matrix(self) -> bool:
        """True if the law couples all coordinates of a joint."""
        return isinstance(self.stiffness, tuple)

    @property
    def is_linear(self) -> bool:
        """True if f is a straight line through 0."""
        return self.stiffness is not None or (self.polynomial is not None and len(self.polynomial) == 1)

    def numbers(self) -> tuple[float, ...]:
        """The damping c, the preload, and the constants of the curve."""
        if self.is_matrix:
            raise ValueError("the stiffness is a matrix, which acts on a whole joint and not on one of its directions")
        return (float(self.damping), float(self.preload), *self._curve())

    def _curve(self) -> tuple[float, ...]:
        """Constants of f; ValueError if f is no curve of a bushing."""
        name = next(name for name in FORMS if getattr(self, name) is not None)
        try:
            if name == "curve":
                return table_constants(self.curve)
            return polynomial_constants((self.stiffness,) if name == "stiffness" else self.polynomial)
        except ValueError as error:
            raise ValueError(f"'{name}': {error}") from None

    def resolved(self, sizes: Sizes) -> Bushing:
        """The law of one strip of a contact: all forces divided by the number of strips."""
        if self.is_matrix:
            raise ValueError("a bushing with a matrix of stiffness acts on a whole joint and cannot be a contact")
        if float(self.preload) != 0.0:
            raise ValueError("'preload' has no meaning in a contact, which is free until it touches; leave it out")
        if self.curve is not None and self._force_at_zero() != 0.0:
            raise ValueError("'curve': the force of a contact must begin at 0, so [0, 0] must be one of the points")
        share = 1.0 / sizes.strips
        return replace(
            self,
            stiffness=None if self.stiffness is None else share * float(self.stiffness),
            damping=share * float(self.damping),
            curve=None if self.curve is None else tuple((x, share * f) for x, f in self.curve),
            polynomial=None if self.polynomial is None else tuple(share * c for c in self.polynomial),
        )

    def _force_at_zero(self) -> float:
        """f(0) of a table; exactly 0 where (0, 0) is one of its points."""
        x, f = np.array(self.curve, dtype=float).T
        return float(f[x == 0.0][0]) if np.any(x == 0.0) else float(np.max(np.abs(f)))

    def matrices(self, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """K, C (n x n) and preload (n) of a joint with n coordinates; ValueError where they cannot be."""
        if not self.is_matrix:
            raise ValueError("the stiffness is not a matrix")
        K = _square("stiffness", self.stiffness, n)
        C = np.zeros((n, n)) if _zero(self.damping) else _square("damping", self.damping, n)
        scale = np.sqrt(np.abs(np.outer(np.diag(K), np.diag(K))))
        uneven = np.argwhere(np.abs(K - K.T) > ROUNDING * scale)
        if uneven.size:
            i, j = uneven[0]
            raise ValueError(
                f"'stiffness' must be symmetric, but row {i + 1}, column {j + 1} is {K[i, j]:g} "
                f"and row {j + 1}, column {i + 1} is {K[j, i]:g}"
            )
        _refuse_negative("stiffness", K, "an energy that is least at rest exists")
        _refuse_negative("damping", C, "it takes energy from every motion")
        preload = np.zeros(n) if _zero(self.preload) else np.array(_sequence("preload", self.preload), dtype=float)
        if preload.shape != (n,) or not np.all(np.isfinite(preload)):
            raise ValueError(f"'preload' must be a list of {n} finite numbers beside a {n} x {n} stiffness")
        return 0.5 * (K + K.T), C, preload

    def summary(self, x: str = "m") -> str:
        """Key and constants."""
        if self.is_matrix:
            return f"{self.key}, {len(self.stiffness)} x {len(self.stiffness)} stiffness"
        if self.stiffness is not None:
            form = f"k = {float(self.stiffness):.6g} {FORCE_OF[x]}/{x}"
        else:
            form = "polynomial" if self.curve is None else f"curve of {len(self.curve)} points"
        return f"{self.key}, {form}, c = {float(self.damping):.6g} {FORCE_OF[x]} s/{x}"


def _frozen(value: Any) -> Any:
    """Lists and arrays as tuples, so that a law can be compared and hashed."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(_frozen(one) for one in value) if isinstance(value, (list, tuple)) else value


def _numeric(value: Any) -> bool:
    """True if nothing in ``value`` waits for its unit."""
    if isinstance(value, tuple):
        return all(_numeric(one) for one in value)
    return isinstance(value, (int, float, np.number))


def _zero(value: Any) -> bool:
    return not isinstance(value, tuple) and float(value) == 0.0


def _sequence(name: str, value: Any) -> Sequence[Any]:
    if not isinstance(value, tuple):
        raise ValueError(f"'{name}' must be given for all coordinates where 'stiffness' is a matrix, not as one number")
    return value


def _square(name: str, value: Any, n: int) -> np.ndarray:
    """The n x n matrix, or ValueError."""
    rows = _sequence(name, value)
    if len(rows) != n or any(not isinstance(row, tuple) or len(row) != n for row in rows):
        widths = {len(row) if isinstance(row, tuple) else 1 for row in rows}
        shape = f"{len(rows)} x {widths.pop()}" if len(widths) == 1 else f"{len(rows)} rows of different length"
        raise ValueError(f"'{name}' must be {n} x {n} for this joint, is {shape}")
    matrix = np.array(rows, dtype=float)
    if not np.all(np.isfinite(matrix)):
        raise ValueError(f"'{name}' has a number that is not finite")
    return matrix


def _refuse_negative(name: str, matrix: np.ndarray, why: str) -> None:
    """ValueError unless the symmetric part is positive semidefinite, whatever the units of the coordinates."""
    S = 0.5 * (matrix + matrix.T)
    size = np.sqrt(np.abs(np.diag(S)))
    # rows in m and in rad are made comparable; a zero on the diagonal allows nothing beside it
    idle = size == 0.0
    scale = np.where(idle, 1.0, size)
    least = float(np.min(np.linalg.eigvalsh(S / np.outer(scale, scale))))
    beside = bool(np.any(S[idle] != 0.0))
    if least < -ROUNDING or beside:
        raise ValueError(f"'{name}' must be positive semidefinite, so that {why}")
