r"""Filling: numbers of a compiled model by array arithmetic instead of compiling it again.

.. math::  x(p) = a + B p \qquad\text{or}\qquad x(p) = \sum_n c_n \prod_k P_{e_{nk}}(t_k), \quad
    t = (2 p - p_\text{high} - p_\text{low}) / (p_\text{high} - p_\text{low}).

Gaps, coefficients of friction and restitution, stiffnesses, loads stand in the compiled arrays as they are given: they
are straight lines. Inverse masses, lengths that move other parts and starts that follow from joints are smooth, and
over the width of a tolerance a few Legendre polynomials :math:`P_e` give them to rounding. Which it is, is found number
by number from models compiled at the ends of each input and at scattered points; then all numbers are held against
models compiled at corners and at points that nothing was fitted to. Where one of them is off by more than rounding
(a bend, a wide range), nothing is filled and every member is compiled. Rates and energies at the start are worked out
anew in either case.

Between the ends a filled member is one that could have been compiled; beyond them it is compiled, so that what the
model refuses (a gap below zero) is refused with its own sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from ..arrays import Model, State
from ..compile.pack import Compiled
from ..errors import InputError
from ..sensitivity.reals import Field
from ..sensitivity.reals import _fields as fields_of
from ..sensitivity.variation import PLACES
from .members import Members, named

SAME = 1e-12  # relative difference that is rounding
SMALL = 1e-3  # of the largest number of a field: smaller ones may be rounding of others
HELD = 5  # points, beside two corners, that are compared and fitted by nobody
NODES = 320  # models compiled for polynomials, at most
DEGREES = range(2, 13)
HALVINGS = 12  # of the way back to values that the model takes
FREE = ("info.vanishing", "info.length")  # choices of the program, kept at the nominal ones

Numbers = list[np.ndarray]  # of each field of each part
At = Callable[[np.ndarray], np.ndarray | None]


@dataclass(frozen=True)
class Patch:
    """Numbers of one field of one part that change."""

    part: int
    field: Field | None  # None: of the state
    array: str  # "y" or "memory" of the state
    places: tuple[np.ndarray, ...]
    base: np.ndarray
    slope: np.ndarray  # (numbers, d) of p, or (numbers, terms) of polynomials

    def write(self, model: Model, state: State, terms: np.ndarray) -> None:
        """Fill in the numbers at a point, given by p or by the values of all polynomials there."""
        onto = self.field.of(model) if self.field is not None else getattr(state, self.array)
        onto[self.places] = self.base + self.slope @ terms


@dataclass(frozen=True)
class Basis:
    """Products of Legendre polynomials over a box."""

    low: np.ndarray
    high: np.ndarray
    powers: np.ndarray  # (terms, d)

    def values(self, p: np.ndarray) -> np.ndarray:
        """All terms at one point."""
        t = (2.0 * p - self.high - self.low) / (self.high - self.low)
        single = [np.ones(len(t)), t]
        for n in range(1, int(self.powers.max(initial=0))):  # Bonnet's recursion
            single.append(((2 * n + 1) * t * single[n] - n * single[n - 1]) / (n + 1))
        return np.asarray(np.array(single)[self.powers, np.arange(len(t))].prod(axis=1))


@dataclass(frozen=True)
class Filling:
    """What fills all numbers that change, and the box in which it holds."""

    low: np.ndarray
    high: np.ndarray
    lines: tuple[Patch, ...]
    curves: tuple[Patch, ...]
    basis: Basis | None

    def holds(self, p: np.ndarray) -> bool:
        """True inside of the box."""
        return bool((p >= self.low).all() and (p <= self.high).all())

    @property
    def affine(self) -> bool:
        """True if straight lines are enough."""
        return not self.curves

    def write(self, p: np.ndarray, tracks: list[tuple[Model, State]]) -> None:
        """Fill in all numbers at p."""
        for patch in self.lines:
            patch.write(*tracks[patch.part], p)
        if self.basis is not None:
            terms = self.basis.values(p)
            for patch in self.curves:
                patch.write(*tracks[patch.part], terms)


def _real_fields(part: Compiled) -> list[Field]:
    return [one for one in fields_of(part.model) if not one.is_fixed and one.label not in FREE]


def _numbers(parts: list[Compiled]) -> Numbers:
    """Numbers of each field of each part, as they stand."""
    out = []
    for part in parts:
        out += [one.of(part.model).ravel().copy() for one in _real_fields(part)]
        out += [part.state.y.copy(), part.state.memory.copy()]
    return out


def filling_of(members: Members, low: np.ndarray, high: np.ndarray) -> Filling | None:
    """The filling of a model over a box of its inputs; None if some number is neither line nor short polynomial."""
    p0 = np.array([one.value for one in members.source.parameters])
    low, high = np.minimum(low, p0), np.maximum(high, p0)
    nominal = _numbers(members.parts)
    sizes = [len(x) for x in nominal]
    x0 = np.concatenate(nominal)

    def at(p: np.ndarray) -> np.ndarray | None:
        try:
            member = members.compiled(named(members.names, p))
        except InputError:
            return None
        return np.concatenate(_numbers(member.parts)) if member.same else None

    ends = []
    for k in range(len(p0)):
        pair = [_reach(at, p0, side, k) for side in (low, high)]
        if not high[k] > low[k] or pair[0] is None or pair[1] is None:
            return None
        ends.append(pair)
    slope = np.column_stack([(b - a) / (high[k] - low[k]) for k, (a, b) in enumerate(ends)])  # type: ignore[operator]
    slope = _snapped(slope)
    base = x0 - slope @ p0
    base = np.where(np.abs(base) <= SAME * np.abs(x0), 0.0, base)
    # a number is a straight line if it is one in the middle of each input, at corners and at scattered points
    stream = np.random.default_rng(17)
    halves = [np.where(np.arange(len(p0)) == k, 0.5 * (p0 + high), p0) for k in range(len(p0))]
    held = [low, high, *(low + (high - low) * stream.random(len(low)) for _ in range(HELD))]
    found = {n: at(p) for n, p in enumerate([*halves, *held])}
    if any(x is None for x in found.values()):
        return None
    size = _sizes(x0, sizes, _floors(members.parts))
    off = np.zeros(len(x0), dtype=bool)
    for n, p in enumerate([*halves, *held]):
        off |= _differ(base + slope @ p, found[n], size)  # type: ignore[arg-type]
    for k, pair in enumerate(ends):
        for side, x in zip((low, high), pair, strict=True):
            p = np.where(np.arange(len(p0)) == k, side, p0)
            off |= _differ(base + slope @ p, x, size)  # type: ignore[arg-type]
    curved = np.flatnonzero(off)
    straight = np.flatnonzero(~off & np.any(slope != 0.0, axis=1))
    lines = tuple(_patches(members.parts, sizes, straight, base[straight], slope[straight]))
    if not len(curved):
        return Filling(low, high, lines, (), None)
    moves = np.column_stack([(a != x0) | (b != x0) for a, b in ends])[curved]
    moves |= ~moves.any(axis=1, keepdims=True)
    checks = [(p, found[len(halves) + n][curved]) for n, p in enumerate(held)]  # type: ignore[index]
    fitted = _polynomials(lambda p: None if (x := at(p)) is None else x[curved], moves, low, high, checks, size[curved])
    if fitted is None:
        return None
    basis, weights = fitted
    curves = tuple(_patches(members.parts, sizes, curved, np.zeros(len(curved)), weights))
    return Filling(low, high, lines, curves, basis)


def _floors(parts: list[Compiled]) -> list[float]:
    """What the largest number of a field counts as at least: places in space are as exact as mechanisms are large."""
    out = []
    for part in parts:
        length = float(part.model.info[0]["length"])
        out += [length if one.label in PLACES else 0.0 for one in _real_fields(part)]
        out += [length, 0.0]
    return out


def _sizes(x0: np.ndarray, sizes: list[int], floors: list[float]) -> np.ndarray:
    """What differences are relative to: the number, or a part of the largest of its field."""
    out, first = np.abs(x0), 0
    for many, floor in zip(sizes, floors, strict=True):
        own = out[first : first + many]
        out[first : first + many] = np.maximum(own, SMALL * max(own[own < 1e200].max(initial=0.0), floor))
        first += many
    return out


def _differ(guess: np.ndarray, x: np.ndarray, size: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(guess - x) > SAME * np.maximum(size, np.abs(x)) + 1e-300)


def _reach(
    at: Callable[[np.ndarray], np.ndarray | None], p0: np.ndarray, ends: np.ndarray, k: int
) -> np.ndarray | None:
    """Numbers at an end of input k; where the model refuses it, the end moves back to where it does not."""
    share, step = 1.0, 0.5
    end, best = float(ends[k]), None
    for _ in range(HALVINGS):
        p = p0.copy()
        p[k] = p0[k] + share * (end - p0[k])
        found = at(p)
        if found is not None:
            best, ends[k] = found, p[k]
            if share == 1.0:
                break
            share += step
        else:
            share -= step
        step *= 0.5
    if best is None:
        ends[k] = p0[k]
        best = at(p0)
    return best


def _snapped(line: np.ndarray) -> np.ndarray:
    """Slopes without the last digits of their division: 1 is 1."""
    near = np.round(line)
    return np.asarray(np.where((near != 0.0) & (np.abs(line - near) <= SAME * np.abs(near)), near, line))


def _powers(d: int, own: tuple[int, ...], degree: int) -> list[tuple[int, ...]]:
    """All products of at most this degree of the inputs ``own``."""
    found = []
    for total in range(degree + 1):
        for chosen in combinations_with_replacement(own, total):
            found.append(tuple(chosen.count(k) for k in range(d)))
    return found


def _polynomials(
    at: At,
    moves: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    checks: list[tuple[np.ndarray, np.ndarray]],
    size: np.ndarray,
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
        for degree in DEGREES:
            powers = _powers(d, own, degree)
            need = len(powers) + len(powers) // 2 + 4
            if need > NODES or not nodes(need):
                return None
            basis = Basis(low, high, np.array(powers))
            V = np.array([basis.values(p) for p in P])
            W = np.linalg.lstsq(V, np.array(X)[:, numbers], rcond=None)[0].T
            if not any(_differ(W @ basis.values(p), x[numbers], size[numbers]).any() for p, x in checks):
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


def _patches(
    parts: list[Compiled], sizes: list[int], which: np.ndarray, base: np.ndarray, slope: np.ndarray
) -> Iterator[Patch]:
    """Numbers ``which`` of all, by the fields that they stand in."""
    places: list[tuple[int, Field | None, str, tuple[int, ...]]] = []
    for k, part in enumerate(parts):
        places += [(k, one, "", one.of(part.model).shape) for one in _real_fields(part)]
        places += [(k, None, "y", part.state.y.shape), (k, None, "memory", part.state.memory.shape)]
    first = 0
    for (k, field, array, shape), many in zip(places, sizes, strict=True):
        own = np.flatnonzero((which >= first) & (which < first + many))
        if len(own):
            yield Patch(k, field, array, np.unravel_index(which[own] - first, shape), base[own], slope[own])
        first += many
