r"""Filling: numbers of a compiled model by array arithmetic instead of compiling it again.

.. math::  x(p) = a + B p \qquad\text{or}\qquad x(p) = \sum_n c_n \prod_k P_{e_{nk}}(t_k), \quad
    t = (2 p - p_\text{high} - p_\text{low}) / (p_\text{high} - p_\text{low}).

Gaps, coefficients of friction and restitution, stiffnesses, loads stand in the compiled arrays as they are given:
they are straight lines, and so are the inverses of inverse masses. Lengths that move other parts and starts that
follow from joints are smooth, and over the width of a tolerance a few Legendre polynomials :math:`P_e` give them to
rounding. Which it is, is found number by number from models compiled at the ends of each input and at scattered
points; then all numbers are held against models compiled at corners and at points that nothing was fitted to. Where
one of them is off by more than rounding, the same is tried with numbers as they are given, before joints are closed:
they depend on fewer inputs and more simply, and each member is then assembled by the kernels that compiling uses
(assembly.py). Where that fails too (a bend, a wide range), nothing is filled and every member is compiled. Rates and
energies at the start are worked out anew in any case.

Between the ends a filled member is one that could have been compiled; beyond them it is compiled, so that what the
model refuses (a gap below zero) is refused with its own sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arrays import Model, State
from ..compile.pack import Compiled
from ..errors import InputError
from ..sensitivity.model_vector import CHOICES, Field, structure
from ..sensitivity.model_vector import _fields as fields_of
from ..sensitivity.variation import PLACES
from .fitting import NODES, SAME, At, Basis, differ, polynomials
from .members import Members, named
from .wording import Wording

SMALL = 1e-3  # of the largest number of a field: smaller ones may be rounding of others
HELD = 5  # points, beside two corners, that are compared and fitted by nobody
HUGE = 1e200  # numbers that stand for infinity
HALVINGS = 12  # of the way back to values that the model takes
# choices of the program, and the size of the mechanism where it stands for an angle's: kept at the nominal ones
FREE = {f"{array}.{field}" for array, field in CHOICES} | {"row.scale", "contact.scale"}

Numbers = list[np.ndarray]  # of each field of each part


@dataclass(frozen=True)
class Patch:
    """Numbers of one field of one part that change."""

    part: int
    field: Field | None  # None: of the state
    array: str  # "y" or "memory" of the state
    places: tuple[np.ndarray, ...]
    base: np.ndarray
    slope: np.ndarray  # (numbers, d) of p, or (numbers, terms) of polynomials
    inverse: bool = False  # True: of what they are the inverse of

    def write(self, model: Model, state: State, terms: np.ndarray) -> None:
        """Fill in the numbers at a point, given by p or by the values of all polynomials there."""
        onto = self.field.of(model) if self.field is not None else getattr(state, self.array)
        found = self.base + self.slope @ terms
        onto[self.places] = 1.0 / found if self.inverse else found


@dataclass(frozen=True)
class Filling:
    """What fills all numbers that change, and the box in which it holds."""

    low: np.ndarray
    high: np.ndarray
    lines: tuple[Patch, ...]
    curves: tuple[Patch, ...]
    basis: Basis | None
    assembled: bool = True  # numbers of members that are ready to run; else as they are given
    wording: Wording | None = None  # lines are those of expressions of the model; else of the inputs

    def inputs(self, p: np.ndarray) -> np.ndarray | None:
        """What lines are of, at p; None outside of the box."""
        return self.beyond(p) if (p >= self.low).all() and (p <= self.high).all() else None

    def beyond(self, p: np.ndarray) -> np.ndarray | None:
        """The same where p may lie a little outside of the box, for differences at its rim."""
        return p if self.wording is None else self.wording.terms(p)

    @property
    def affine(self) -> bool:
        """True if straight lines are enough, and nothing follows from them."""
        return self.assembled and not self.curves

    def write(self, p: np.ndarray, inputs: np.ndarray, tracks: list[tuple[Model, State]]) -> None:
        """Fill in all numbers at p, where ``inputs`` are what lines are of."""
        for patch in self.lines:
            patch.write(*tracks[patch.part], inputs)
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


class Settled:
    """Numbers of members that are ready to run."""

    assembled = True

    def __init__(self, members: Members) -> None:
        self.members, self.parts = members, members.parts

    def at(self, values: dict[str, float]) -> list[Compiled] | None:
        """Parts at other values, None where more than numbers differ; raises InputError."""
        member = self.members.compiled(values)
        return member.parts if member.same else None


class AsGiven:
    """Numbers of members as they are given: what follows from them is worked out for each member (assembly.py)."""

    assembled = False

    def __init__(self, members: Members) -> None:
        self.members, self.parts = members, members.given()
        self._skeletons = [structure(part.model) for part in self.parts]

    def at(self, values: dict[str, float]) -> list[Compiled] | None:
        """Parts at other values, None where more than numbers differ; raises InputError."""
        parts = self.members.given(values)
        same = len(parts) == len(self.parts) and [structure(part.model) for part in parts] == self._skeletons
        return parts if same else None


def _at(members: Members, stage: Settled | AsGiven, p: np.ndarray) -> np.ndarray | None:
    """All numbers of the parts at other inputs; None where the model is refused, or differs by more than numbers."""
    try:
        parts = stage.at(named(members.names, p))
    except InputError:
        return None
    return np.concatenate(_numbers(parts)) if parts is not None else None


def _filling(
    members: Members, stage: Settled | AsGiven, low: np.ndarray, high: np.ndarray, *, nodes: int = NODES
) -> Filling | None:
    """The filling of numbers at one stage; None if some number is neither line nor polynomial by so many models."""
    p0 = np.array([one.value for one in members.source.parameters])
    low, high = np.minimum(low, p0), np.maximum(high, p0)
    nominal = _numbers(stage.parts)
    sizes = [len(x) for x in nominal]
    x0 = np.concatenate(nominal)

    at = partial(_at, members, stage)
    ends = []
    for k in range(len(p0)):
        pair = [_reach(at, p0, side, k) for side in (low, high)]
        if not high[k] > low[k] or pair[0] is None or pair[1] is None:
            return None
        ends.append(pair)
    # a number is a straight line if it is one at the ends and in the middle of each input, at corners and elsewhere
    stream = np.random.default_rng(17)
    halves = [np.where(np.arange(len(p0)) == k, 0.5 * (p0 + high), p0) for k in range(len(p0))]
    held = [low, high, *(low + (high - low) * stream.random(len(low)) for _ in range(HELD))]
    found = [at(p) for p in (*halves, *held)]
    if any(x is None for x in found):
        return None
    tips = [np.where(np.arange(len(p0)) == k, side, p0) for k in range(len(p0)) for side in (low, high)]
    P = np.array([*tips, *halves, *held])
    X = np.array([*(x for pair in ends for x in pair), *found])
    size = _sizes(x0, sizes, _floors(stage.parts))
    base, slope = _line(p0, x0, X, low, high)
    off = differ(base + P @ slope.T, X, size).any(axis=0)
    straight = np.flatnonzero(~off & np.any(slope != 0.0, axis=1))
    lines = list(_patches(stage.parts, sizes, straight, base[straight], slope[straight]))
    curved = np.flatnonzero(off)
    # inverse masses and the like: their inverse is a straight line
    flat = curved[(np.abs(X[:, curved]) > 0.0).all(axis=0) & (np.abs(X[:, curved]) < HUGE).all(axis=0)]
    base, slope = _line(p0, 1.0 / x0[flat], 1.0 / X[:, flat], low, high)
    below = base + P @ slope.T
    good = (below != 0.0).all(axis=0)
    good &= ~differ(1.0 / np.where(below == 0.0, 1.0, below), X[:, flat], size[flat]).any(axis=0)
    lines += _patches(stage.parts, sizes, flat[good], base[good], slope[good], inverse=True)
    curved = np.setdiff1d(curved, flat[good])
    if not len(curved):
        return Filling(low, high, tuple(lines), (), None, stage.assembled)
    moves = np.column_stack([(a != x0) | (b != x0) for a, b in ends])[curved]
    moves |= ~moves.any(axis=1, keepdims=True)
    checks = [(p, x[curved]) for p, x in zip(held, found[len(halves) :], strict=True)]  # type: ignore[index]
    fitted = polynomials(
        lambda p: None if (x := at(p)) is None else x[curved], moves, low, high, checks, size[curved], nodes
    )
    if fitted is None:
        return None
    basis, weights = fitted
    curves = tuple(_patches(stage.parts, sizes, curved, np.zeros(len(curved)), weights))
    return Filling(low, high, tuple(lines), curves, basis, stage.assembled)


def _line(
    p0: np.ndarray, x0: np.ndarray, X: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Straight lines (base, slope) through x0 at p0, by numbers at both ends of each input: the first lines of X."""
    d = len(p0)
    slope = np.column_stack([(X[2 * k + 1] - X[2 * k]) / (high[k] - low[k]) for k in range(d)])
    slope = _snapped(slope)
    base = x0 - slope @ p0
    return np.where(np.abs(base) <= SAME * np.abs(x0), 0.0, base), slope


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


def _reach(at: At, p0: np.ndarray, ends: np.ndarray, k: int) -> np.ndarray | None:
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


def _patches(
    parts: list[Compiled],
    sizes: list[int],
    which: np.ndarray,
    base: np.ndarray,
    slope: np.ndarray,
    inverse: bool = False,
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
            yield Patch(k, field, array, np.unravel_index(which[own] - first, shape), base[own], slope[own], inverse)
        first += many
