r"""Plans: which points of the inputs a study runs. Point i is a pure function of the plan and i.

Random, LatinHypercube and Sobol fill the cube of probabilities; Saltelli does so twice and exchanges columns, for
indices; Corners and Grid lie on limits of the inputs; Points are given. Nothing is kept between calls: any stretch of
points can be made at any time, by any worker, in any order.

Sobol' points come as independent scramblings of one sequence, taken in turn (i modulo their number), so that the
scatter between them is an honest error and every doubling of the plan is a balanced set.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError, Problem
from ..quantities.dimension import agree, describe
from ..quantities.units import QuantityError, value_of
from .stirring import stirred
from .vary import Vary

BLOCK = 1024  # random points that are made together
MOST = 100_000_000
REPLICATES = 8


class Plan:
    """Points of a study."""

    word: ClassVar[str] = ""  # in a model file
    samples: ClassVar[bool] = True  # points follow the distributions, so that shares and means are those of machines

    size: int
    seed: int = 0

    def count(self, vary: Vary) -> int:
        """Number of points."""
        return self.size

    def points(self, vary: Vary, first: int, last: int) -> np.ndarray:
        """Values (n, d) of points first .. last."""
        return vary.values(self.unit(len(vary), first, last))

    def unit(self, d: int, first: int, last: int) -> np.ndarray:
        """The same in the cube of probabilities."""
        raise NotImplementedError

    def groups(self, vary: Vary) -> int:
        """Points that belong together and are reported or dropped as one."""
        return 1

    @property
    def replicates(self) -> int:
        """Independent halves, quarters, ... of the plan; 1 if points are independent themselves."""
        return 1

    def resized(self, size: int) -> Plan:
        """The same plan with another number of points."""
        raise NotImplementedError

    def tree(self) -> dict[str, Any]:
        """As in a model file; the first entry is the size."""
        return {self.word: self.size, "seed": self.seed}

    def key(self) -> dict[str, Any]:
        """What decides a point, which the size does not."""
        return {"plan": self.word, **{key: value for key, value in self.tree().items() if key != self.word}}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size}, seed={self.seed})"


def whole(field: str, given: Any, least: int = 1, what: str = " of points") -> int:
    """A whole number, or an InputError."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not least <= given <= MOST:
        raise InputError(Problem(field, f"needs a whole number{what} from {least} to {MOST}, got {given!r}"))
    return int(given)


def seed_of(field: str, given: Any) -> int:
    """A seed."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 0:
        raise InputError(Problem(field, f"the seed needs a whole number of at least 0, got {given!r}"))
    return int(given)


class Random(Plan):
    """Independent points, as machines leave a line."""

    word = "random"

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size, self.seed = whole("Random", size), seed_of("Random", seed)

    def unit(self, d: int, first: int, last: int) -> np.ndarray:
        """Points first .. last; each block of them has its own stream."""
        blocks = []
        for b in range(first // BLOCK, (last - 1) // BLOCK + 1 if last > first else first // BLOCK):
            stream = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed, spawn_key=(d, b))))
            block = stream.random((BLOCK, d))
            blocks.append(block[max(first - b * BLOCK, 0) : min(last - b * BLOCK, BLOCK)])
        return np.concatenate(blocks) if blocks else np.zeros((0, d))

    def resized(self, size: int) -> Random:
        """More or fewer points of the same sequence."""
        return Random(size, self.seed)


class LatinHypercube(Plan):
    """Each input takes each of n equal slices of its probability once."""

    word = "latin_hypercube"

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size, self.seed = whole("LatinHypercube", size, 2), seed_of("LatinHypercube", seed)

    def unit(self, d: int, first: int, last: int) -> np.ndarray:
        """Points first .. last, each by itself: the slice of point i is a permutation of i, found by a cipher."""
        i = np.arange(first, last, dtype=np.uint64)
        out = np.empty((last - first, d))
        for k in range(d):
            place = _shuffled(i, self.size, stirred(np.uint64(self.seed), np.uint64(2 * k + 1)))
            within = stirred(i + np.uint64(1), stirred(np.uint64(self.seed), np.uint64(2 * k + 2)))
            out[:, k] = (place + (within >> np.uint64(11)) * 2.0**-53) / self.size
        return out

    def key(self) -> dict[str, Any]:
        """Slices depend on how many there are."""
        return {**super().key(), "size": self.size}

    def resized(self, size: int) -> LatinHypercube:
        """Another number of slices: other points."""
        return LatinHypercube(size, self.seed)


def _shuffled(i: np.ndarray, n: int, key: Any) -> np.ndarray:
    """A permutation of 0 .. n-1 at i: a Feistel network over the next even power of two, walked until inside."""
    half = max(1, (max(n - 1, 1).bit_length() + 1) // 2)
    mask = np.uint64((1 << half) - 1)
    found = i.astype(np.uint64)
    todo = np.ones(len(found), dtype=bool)
    while todo.any():
        left, right = found[todo] >> np.uint64(half), found[todo] & mask
        for turn in range(6):
            left, right = right, left ^ (stirred(right, stirred(np.uint64(turn), key)) & mask)
        found[todo] = (left << np.uint64(half)) | right
        todo[todo] = found[todo] >= n
    return found


class Sobol(Plan):
    """Points of a Sobol' sequence, scrambled several times independently.

    Args:
        size: number of points, raised to the next power of two.
        seed: of the scrambling.
        replicates: independent scramblings that share the points, a power of two; their scatter gives the error.
    """

    word = "sobol"

    def __init__(self, size: int, seed: int = 0, replicates: int = REPLICATES) -> None:
        requested = whole("Sobol", size, 2)
        count = whole("Sobol: replicates", replicates)
        if count & (count - 1):
            raise InputError(Problem("Sobol: replicates", f"needs a power of two, got {count}"))
        self.size, self.seed = 1 << (requested - 1).bit_length(), seed_of("Sobol", seed)
        self.requested = requested
        self._replicates = min(count, self.size // 2)

    @property
    def replicates(self) -> int:
        """Independent scramblings."""
        return self._replicates

    def unit(self, d: int, first: int, last: int) -> np.ndarray:
        """Points first .. last: number i is point i // r of scrambling i % r."""
        r, out = self._replicates, np.empty((last - first, d))
        for k in range(r):
            begin, end = -(-(first - k) // r), -(-(last - k) // r)
            if end > begin:
                out[r * begin + k - first :: r] = sobol_stretch(d, self.seed, k, max(begin, 0), end)
        return out

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        return {"sobol": self.size, "seed": self.seed, "replicates": self._replicates}

    def resized(self, size: int) -> Sobol:
        """More or fewer points of the same sequences."""
        return Sobol(size, self.seed, self._replicates)


def sobol_stretch(d: int, seed: int, scrambling: int, first: int, last: int) -> np.ndarray:
    """Points first .. last of one scrambled Sobol' sequence."""
    import inspect
    import warnings

    from scipy.stats import qmc

    stream = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(d, scrambling))))
    word = "rng" if "rng" in inspect.signature(qmc.Sobol).parameters else "seed"  # older SciPy
    engine = qmc.Sobol(d, scramble=True, **{word: stream})
    if first:
        engine.fast_forward(first)
    with warnings.catch_warnings():  # a stretch is no power of two; the whole is
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(engine.random(last - first))


class Saltelli(Plan):
    """Two independent sets A and B of base points, and A with each column taken from B: for Sobol' indices.

    ``size`` base points of d inputs make size (d + 2) runs, in groups of d + 2: A, B, AB_1, ..., AB_d.
    """

    word = "saltelli"

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size, self.seed = 1 << (whole("Saltelli", size, 2) - 1).bit_length(), seed_of("Saltelli", seed)

    def count(self, vary: Vary) -> int:
        """Runs of all base points."""
        return self.size * self.groups(vary)

    def groups(self, vary: Vary) -> int:
        """Runs of one base point."""
        return len(vary) + 2

    def unit(self, d: int, first: int, last: int) -> np.ndarray:
        """Runs first .. last."""
        group = d + 2
        i = np.arange(first, last)
        base, which = i // group, i % group
        begin, end = int(base[0]) if len(i) else 0, int(base[-1]) + 1 if len(i) else 0
        both = sobol_stretch(2 * d, self.seed, 0, begin, end)[base - begin]
        A, B = both[:, :d], both[:, d:]
        out = np.where((which == 1)[:, None], B, A)
        for k in range(d):
            out[which == k + 2, k] = B[which == k + 2, k]
        return out

    def resized(self, size: int) -> Saltelli:
        """More or fewer base points."""
        return Saltelli(size, self.seed)


class Corners(Plan):
    """All combinations of least and greatest values, after the nominal point."""

    word = "corners"
    samples = False
    MOST_INPUTS = 20

    def __init__(self) -> None:
        self.size = 0

    def count(self, vary: Vary) -> int:
        """1 + 2^d."""
        if len(vary) > self.MOST_INPUTS:
            message = f"{len(vary)} inputs have too many corners; take worst_case, or at most {self.MOST_INPUTS} inputs"
            raise InputError(Problem("Corners", message))
        return 1 + 2 ** len(vary)

    def points(self, vary: Vary, first: int, last: int) -> np.ndarray:
        """The nominal point, then corners; the bits of i - 1 give the sides."""
        i = np.arange(first, last)
        side = ((i[:, None] - 1) >> np.arange(len(vary))) & 1
        low, high = vary.limits()
        middle = np.array([one.nominal for one in vary.inputs.values()])
        return vary.heated(np.where((i == 0)[:, None], middle, np.where(side, high, low)))

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        return {"corners": True}

    def __repr__(self) -> str:
        return "Corners()"


class Grid(Plan):
    """Equal steps between the limits of each input, all combined: one number of levels, or one by name."""

    word = "grid"
    samples = False

    def __init__(self, levels: int | Mapping[str, int]) -> None:
        self.levels = levels
        for name, number in levels.items() if isinstance(levels, Mapping) else [("", levels)]:
            whole(f"Grid: {name}" if name else "Grid", number)
        self.size = 0

    def shape(self, vary: Vary) -> tuple[int, ...]:
        """Levels of each input."""
        if not isinstance(self.levels, Mapping):
            return (self.levels,) * len(vary)
        wrong = [name for name in self.levels if name not in vary.inputs]
        missing = [name for name in vary.names if name not in self.levels]
        if wrong or missing:
            raise InputError([Problem(f"Grid: {name}", "does not vary") for name in wrong]
                             + [Problem(f"Grid: {name}", "has no number of levels") for name in missing])  # fmt: skip
        return tuple(self.levels[name] for name in vary.names)

    def count(self, vary: Vary) -> int:
        """Product of all levels."""
        count = int(np.prod(np.array(self.shape(vary), dtype=object)))
        return whole("Grid", count)

    def points(self, vary: Vary, first: int, last: int) -> np.ndarray:
        """Points first .. last; the last input moves fastest."""
        shape = self.shape(vary)
        places = np.unravel_index(np.arange(first, last), shape)
        low, high = vary.limits()
        out = np.empty((last - first, len(vary)))
        for k, (place, levels) in enumerate(zip(places, shape, strict=True)):
            share = place / (levels - 1) if levels > 1 else np.full(last - first, 0.5)
            out[:, k] = low[k] + (high[k] - low[k]) * share
        return vary.heated(out)

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        return {"grid": dict(self.levels) if isinstance(self.levels, Mapping) else self.levels}

    def key(self) -> dict[str, Any]:
        """Levels decide points."""
        return self.tree()

    def __repr__(self) -> str:
        return f"Grid({self.levels})"


class Points(Plan):
    """Given points: a mapping from names to lists, a list of mappings, or a text file with commas and a head."""

    word = "points"
    samples = False

    def __init__(self, table: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]] | str | Path) -> None:
        columns = _columns(table)
        lengths = {len(column) for column in columns.values()}
        if len(lengths) != 1 or lengths == {0}:
            raise InputError(Problem("Points", "needs at least one point, and columns of one length"))
        self.size = whole("Points", lengths.pop())
        problems: list[Problem] = []
        self.columns: dict[str, np.ndarray] = {}
        self.dimensions: dict[str, Any] = {}  # of columns that name units
        for name, column in columns.items():
            try:
                found = [value_of(one) for one in column]
                self.columns[name] = np.array([one.si for one in found])
                self.dimensions[name] = next((one.dimension for one in found if one.dimension is not None), None)
                if not all(agree(self.dimensions[name], one.dimension) for one in found):
                    problems.append(Problem(f"Points: {name}", "mixes units of different quantities"))
            except (QuantityError, ValueError) as error:
                problems.append(Problem(f"Points: {name}", str(error)))
        if problems:
            raise InputError(problems)

    def points(self, vary: Vary, first: int, last: int) -> np.ndarray:
        """Lines first .. last."""
        missing = [Problem(f"Points: {name}", "is missing") for name in vary.names if name not in self.columns]
        extra = [Problem(f"Points: {name}", "does not vary") for name in self.columns if name not in vary.inputs]
        wrong = [
            Problem(f"Points: {name}", f"is a {describe(own)}, and varies as a {describe(vary.inputs[name].dimension)}")
            for name, own in self.dimensions.items()
            if name in vary.inputs and not agree(own, vary.inputs[name].dimension)
        ]
        if missing or extra or wrong:
            raise InputError(missing + extra + wrong)
        return np.column_stack([self.columns[name][first:last] for name in vary.names])

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        return {"points": {name: column.tolist() for name, column in self.columns.items()}}

    def key(self) -> dict[str, Any]:
        """All points."""
        return self.tree()

    def __repr__(self) -> str:
        return f"Points({self.size} of {', '.join(self.columns)})"


def _columns(table: Any) -> dict[str, list[Any]]:
    if isinstance(table, str | Path):
        try:
            with Path(table).open(encoding="utf-8", newline="") as stream:
                lines = [line for line in csv.reader(stream) if line]
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(Problem("Points", f"{table} cannot be read: {reason}")) from None
        if len(lines) < 2 or any(len(line) != len(lines[0]) for line in lines):
            raise InputError(Problem("Points", f"{table} needs a head and lines of the same length"))
        return {name.strip(): [line[k].strip() for line in lines[1:]] for k, name in enumerate(lines[0])}
    if isinstance(table, Mapping):
        return {str(name): list(column) for name, column in table.items()}
    given: list[Any] = list(table)
    if not given or not all(isinstance(line, Mapping) and set(line) == set(given[0]) for line in given):
        raise InputError(Problem("Points", "needs a mapping from names to lists, or mappings with the same names"))
    return {str(name): [line[name] for line in given] for name in given[0]}


PLANS = {plan.word: plan for plan in (Random, LatinHypercube, Sobol, Saltelli, Corners, Grid, Points)}
PLANS["table"] = Points  # as people call a list of points
