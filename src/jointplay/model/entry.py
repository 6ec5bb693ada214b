"""Reading one entry of a model: what was given (a mapping) becomes numbers in SI; every problem is noted, none raised.

Python calls and model files come through here alike: a problem has a path inside the entry, and who called knows
whether that path is an argument of a method or a line of a file.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from ..quantities.dimension import Dimension, agree, describe
from ..quantities.expression import ExpressionError, Value, resolve
from ..quantities.grammar import parse
from ..quantities.nodes import Name
from ..quantities.signal import Free, Signal
from ..quantities.units import dimension_of, si, value_of
from .elements import GROUND, Marker
from .geometry import HOME, Pose
from .hinge import Hinge
from .names import suggest

Path = tuple[str | int, ...]
LARGE = 1e300


class Field(NamedTuple):
    """A key of an entry: the shape of its value (a definition of the JSON Schema), unit and meaning."""

    shape: str
    unit: str = ""
    about: str = ""
    required: bool = False


@dataclass
class Scene:
    """What an entry may refer to: parameters, bodies and markers; and what expressions may sense."""

    planar: bool = False
    values: Mapping[str, Value] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)  # parameters that have problems of their own
    unread: set[str] = field(default_factory=set)  # bodies and markers that have problems of their own
    poses: dict[str, Pose] = field(default_factory=lambda: {GROUND: HOME})
    markers: dict[str, Marker] = field(default_factory=dict)
    hinges: dict[str, Hinge] = field(default_factory=dict)  # joints that may give the hubs of couplings
    sensed: dict[str, Dimension | None] = field(default_factory=dict)  # "A.angle", "slider.position[0]"
    inputs: dict[str, Dimension | None] = field(default_factory=dict)
    allow: frozenset[str] = frozenset()  # modules whose laws a file may name
    absent: dict[str, str] = field(default_factory=dict)  # laws of other modules that it names: their modules
    folder: str | None = "."  # where files named in the model lie; None: not known, and then not needed


class Entry:
    """One entry while it is read."""

    def __init__(self, raw: Mapping[str, Any], scene: Scene) -> None:
        """Begin to read ``raw``, which may refer to what is in ``scene``."""
        self.raw = raw
        self.scene = scene
        self.problems: list[tuple[Path, str]] = []
        self.warnings: list[tuple[Path, str]] = []
        self.failed = False  # also true after a problem that is reported elsewhere (a broken parameter)

    def fail(self, path: Path, message: str) -> None:
        """Note a problem."""
        self.failed = True
        self.problems.append((path, message))

    def warn(self, path: Path, message: str) -> None:
        """Note how something doubtful was understood."""
        self.warnings.append((path, message))

    def adopt(self, inner: Entry, path: Path) -> None:
        """Take over the problems of an entry that stands inside this one at ``path``."""
        for below, message in inner.problems:
            self.fail((*path, *below), message)
        self.failed = self.failed or inner.failed

    def keys(self, known: Mapping[str, Field]) -> None:
        """Note unknown and missing keys."""
        for key in self.raw:
            if key not in known:
                self.fail((key,), f"unknown key '{key}'{suggest(str(key), known)}")
        for key, facts in known.items():
            if facts.required and key not in self.raw:
                self.fail((), f"'{key}' is missing" + (f" ({facts.about})" if facts.about else ""))

    def scalar(
        self, raw: Any, path: Path, unit: str, *, above: float | None = None, least: float | None = None
    ) -> float:
        """One number in SI; NaN after a problem."""
        if type(raw) in (float, int) and -LARGE < raw < LARGE:  # most are, and need no reading
            if (above is None or raw > above) and (least is None or raw >= least):
                return float(raw)
        wanted = f"a number in {unit}, or a text with a unit" if unit else "a number"
        if raw is None:
            self.fail(path, f"has no value; it needs {wanted}")
        elif isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
            self.fail(path, f"needs {wanted}, not {kind_of(raw)}")
        else:
            try:
                number = float(si(raw, unit, self.scene.values))
            except (ValueError, OverflowError, ZeroDivisionError) as error:
                return self._unreadable(raw, path, str(error))
            if not isfinite(number):
                self.fail(path, f"must be a finite number, is {number}")
            elif above is not None and not number > above:
                self.fail(path, f"must be greater than {above:g}{_in(unit)}, is {number:.6g}")
            elif least is not None and not number >= least:
                self.fail(path, f"must be at least {least:g}{_in(unit)}, is {number:.6g}")
            else:
                return number
        return nan

    def _unreadable(self, raw: Any, path: Path, message: str) -> float:
        self.failed = True
        # A broken parameter is reported once, where it stands, and not at each of its uses.
        words = set("".join(c if c.isalnum() or c == "_" else " " for c in str(raw)).split())
        if not words & self.scene.broken:
            self.problems.append((path, message))
        return nan

    def number(
        self, key: str, unit: str, default: float = nan, *, above: float | None = None, least: float | None = None
    ) -> float:
        """The number under ``key``, or the default."""
        return self.scalar(self.raw[key], (key,), unit, above=above, least=least) if key in self.raw else default

    def way(self, raw: Any, path: Path, lever: float, *, least: float | None = None) -> float:
        """A length in m, given as such or as the angle of a turn with ``lever`` m per rad; NaN after a problem."""
        try:
            dimension = value_of(raw, self.scene.values).dimension
        except (ValueError, TypeError, OverflowError, ZeroDivisionError):
            dimension = None  # the sentence about it comes from reading it
        if dimension is None or agree(dimension, dimension_of("m")):
            return self.scalar(raw, path, "m", least=least)
        if dimension == dimension_of("rad"):
            return lever * self.scalar(raw, path, "rad", least=least)
        self.fail(path, f"expected a length (m) or the angle of a turn (rad), got {raw} ({describe(dimension)})")
        return nan

    def numbers(self, raw: Any, path: Path, unit: str, sizes: Iterable[int]) -> np.ndarray | None:
        """A list of numbers whose length is one of ``sizes``; None after a problem."""
        allowed = tuple(sizes)
        if not isinstance(raw, list):
            self.fail(path, f"needs a list of {_or(allowed)} numbers, not {kind_of(raw)}")
            return None
        if len(raw) not in allowed:
            hint = "; a decimal has a point: a comma parts two numbers" if _looks_parted(raw, max(allowed)) else ""
            self.fail(path, f"needs {_or(allowed)} numbers, has {len(raw)}{hint}")
            return None
        out = [self.scalar(one, (*path, k), unit) for k, one in enumerate(raw)]
        return np.array(out) if all([isfinite(one) for one in out]) else None

    def matrix(self, raw: list[Any], path: Path, unit: str) -> np.ndarray | None:
        """A 3x3 matrix by rows; None after a problem."""
        if len(raw) != 3:
            self.fail(path, f"needs 3 rows of 3 numbers, has {len(raw)}")
            return None
        rows = [self.numbers(row, (*path, k), unit, (3,)) for k, row in enumerate(raw)]
        return None if any(row is None for row in rows) else np.array(rows)

    def vector(self, key: str, unit: str, default: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """The vector under ``key``; planar models take two components, and a third that is zero."""
        if key not in self.raw:
            return np.array(default, dtype=float)
        return self.as_vector(self.raw[key], (key,), unit)

    def as_vector(self, raw: Any, path: Path, unit: str) -> np.ndarray:
        """A vector from what was given; NaN after a problem."""
        out = self.numbers(raw, path, unit, (2, 3) if self.scene.planar else (3,))
        if out is None:
            return np.full(3, nan)
        if self.scene.planar and len(out) == 3 and out[2] != 0.0:
            self.fail((*path, 2), "must be zero in a planar model (motion is in the x-y plane)")
        return np.append(out, 0.0) if len(out) == 2 else out

    def direction(self, key: str, default: Any = None) -> np.ndarray:
        """The direction under ``key``: any length but zero; in planar models in the plane or along z."""
        if key not in self.raw:
            return np.full(3, nan) if default is None else np.array(default, dtype=float)
        out = self.numbers(self.raw[key], (key,), "", (2, 3) if self.scene.planar else (3,))
        if out is None:
            return np.full(3, nan)
        out = np.append(out, 0.0) if len(out) == 2 else out
        # Scaling first keeps very small and very large directions from under- and overflowing.
        size = float(np.abs(out).max())
        if size == 0.0:
            self.fail((key,), "a direction must not be zero")
        elif self.scene.planar and out[2] != 0.0 and out[:2].any():
            self.fail((key,), "must lie in the x-y plane or along z in a planar model")
        return out / size if size else out

    def signal(
        self,
        raw: Any,
        path: Path,
        unit: str,
        values: Mapping[str, Value] | None = None,
        sensed: Mapping[str, Dimension | None] | None = None,
    ) -> Signal | None:
        """A function of time, and of what is sensed; None after a problem.

        ``values`` and ``sensed`` are names that it may use beside those of the model.
        """
        if raw is None or isinstance(raw, bool):
            self.fail(path, "needs a number, an expression in t, a table or a function")
            return None
        try:
            known = ChainMap(dict(values or {}), self.scene.values)  # type: ignore[arg-type]
            free = Free(ChainMap(dict(sensed or {}), self.scene.sensed), self.scene.inputs)
            return Signal.of(raw, unit, known, free)
        except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
            self._unreadable(raw, path, str(error))
            return None

    def other_dimension(
        self, raw: str, unit: str, values: Mapping[str, Value], sensed: Mapping[str, Dimension | None]
    ) -> str:
        """How an expression misses a unit if plain numbers in it have none; empty if it does not, or cannot be read."""
        known = ChainMap(dict(values), self.scene.values)  # type: ignore[arg-type]
        free: dict[str, Dimension | None] = {**self.scene.inputs, **self.scene.sensed, **sensed, "t": None}
        reasons = []
        for of_time in (None, dimension_of("s")):  # t is a plain number or a time
            try:
                tree = parse(raw, {**known, **free})
                meant = resolve(tree, known, free | {"t": of_time})[1]
            except ExpressionError as error:
                reasons.append(f"does not fit together: {error}" if " mixes " in str(error) else "")
                continue
            if agree(meant, dimension_of(unit)):
                return ""
            reasons.append(f"is in {meant}" + ("" if isinstance(tree, Name) else " (its numbers may have units)"))
        return reasons[0]

    def body(self, raw: Any, path: Path, *, markers: bool = False) -> str | None:
        """The name of a body (or of a marker, if these are welcome); None after a problem."""
        if isinstance(raw, str):
            if raw in self.scene.poses or (markers and raw in self.scene.markers):
                return raw
            if raw in self.scene.unread:
                self.failed = True
                return None
            known = [*self.scene.poses, *(self.scene.markers if markers else ())]
            self.fail(path, f"there is no body {'or marker ' if markers else ''}'{raw}'{suggest(raw, known)}")
        else:
            self.fail(path, f"needs a body{' or marker' if markers else ''}, not {kind_of(raw)}")
        return None


def kind_of(raw: Any) -> str:
    """What a value is, in words."""
    if raw is None:
        return "nothing"
    if isinstance(raw, bool):
        return "true" if raw else "false"
    words = {str: "text", int: "a number", float: "a number", list: "a list", dict: "a mapping"}
    what = words.get(type(raw), f"a {type(raw).__name__}")
    return f"'{raw}'" if isinstance(raw, str) and len(raw) < 40 else what


def _in(unit: str) -> str:
    return f" {unit}" if unit else ""


def _or(sizes: tuple[int, ...]) -> str:
    return " or ".join(str(size) for size in sizes)


def _looks_parted(raw: list[Any], most: int) -> bool:
    """Whether a list is too long because decimals in it, 0,5 or 0,5 m, became two entries each."""
    pairs = (
        type(one) is int and not isinstance(other, bool) and str(other)[:1].isdigit() for one, other in pairwise(raw)
    )
    return len(raw) > most and any(pairs)
