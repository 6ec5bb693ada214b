"""A function of time, however it was given: number, expression in t, table, or Python function.

An expression may also name what is sensed of a mechanism ("A.angle") and inputs ("motor"): ``free`` lists them, with
their dimensions. All become one of three sources: a tree of plain SI numbers and names (numbers,
expressions, and Python functions that can be traced), a Table, or a Python function that stays one and is fitted by
polynomials when a horizon is known.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ..arrays import code_dtype, signal_dtype
from ..numerics.signals import PIECEWISE, PROGRAM, SENSE
from .approximation import checked, fit
from .dimension import Dimension, QuantityError, Value
from .expression import ExpressionError, resolve, sample, unknown_name
from .grammar import parse
from .nodes import COMPARISONS, Binary, Call, Name, Node, Number, Unary, names_in, to_text, walk
from .program import Pushes, bends, found_breaks, known_breaks, program
from .table import Table
from .trace import trace
from .units import accept, dimension_of, si

__all__ = ["Free", "Packed", "Signal", "Table", "pack_signals"]


class Packed(NamedTuple):
    """A signal for the kernel; see numerics/signals.py for the layout."""

    kind: int
    code: np.ndarray
    numbers: np.ndarray
    degree: int
    breaks: tuple[float, ...]


@dataclass(frozen=True)
class Free:
    """Names that stay in an expression beside t: what is sensed, and inputs, each with its dimension.

    A plain number may multiply what is sensed to make any quantity of it: "0.1*A.angle_rate" may be a torque.
    """

    sensed: Mapping[str, Dimension | None] = field(default_factory=dict)
    inputs: Mapping[str, Dimension | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Signal:
    """A function of time in SI, made by ``Signal.of``."""

    source: Node | Table | Callable[[float], float]
    unit: str

    @staticmethod
    def of(raw: Any, unit: str, values: Mapping[str, Value] | None = None, free: Free | None = None) -> Signal:
        """A signal from a number, string, Table, nested list or mapping of a table, or Python function."""
        if isinstance(raw, Signal):
            return raw
        if isinstance(raw, Table):
            return Signal(raw, unit)
        if isinstance(raw, str):
            return Signal(_expression(raw, unit, values or {}, free or Free()), unit)
        if isinstance(raw, Mapping | list | tuple) or (isinstance(raw, np.ndarray) and raw.ndim):
            return Signal(_table(raw, unit, values), unit)
        if callable(raw):
            return Signal(_function(raw, unit), unit)
        return Signal(Number(si(raw, unit, values)), unit)

    @staticmethod
    def condition(text: Any, values: Mapping[str, Value], free: Free) -> Signal:
        """The signal that is positive where a comparison such as "slider.position[0] > 0.3" holds."""
        node = parse(text, ChainMap({"t": None}, free.sensed, free.inputs, values)) if isinstance(text, str) else None  # type: ignore[arg-type]
        if not isinstance(node, Binary) or node.op not in COMPARISONS:
            raise QuantityError(f'a condition compares two sides, as in "slider.position[0] > 0.3", got {text!r}')
        larger, smaller = (node.left, node.right) if node.op in (">", ">=") else (node.right, node.left)
        tree = _read(Binary("-", larger, smaller), None, text, values, free)
        if not names_in(tree):
            raise QuantityError(f'"{text}" is the same at all times')
        return Signal(tree, "")

    @staticmethod
    def measure(text: str, values: Mapping[str, Value], free: Free) -> Signal:
        """An expression of whatever dimension it has, in SI; plain numbers weigh inputs like what is sensed."""
        alike = Free(ChainMap(dict(free.inputs), free.sensed))  # type: ignore[arg-type]
        node = parse(text, ChainMap({"t": None}, alike.sensed, values))  # type: ignore[arg-type]
        return Signal(_read(node, None, text, values, alike), "")

    @property
    def node(self) -> Node | None:
        """The tree, where there is one."""
        return self.source if isinstance(self.source, Number | Name | Unary | Binary | Call) else None

    @property
    def is_constant(self) -> bool:
        """True if the signal is one number at all times."""
        return isinstance(self.source, Number)

    @property
    def names(self) -> frozenset[str]:
        """What it depends on beside t: what is sensed, and inputs."""
        return frozenset(names_in(self.node) - {"t"}) if self.node else frozenset()

    @property
    def bends(self) -> list[str]:
        """Parts of it that are not smooth, at instants that depend on the motion."""
        return bends(self.node) if self.node else []

    @property
    def end(self) -> float | None:
        """Last time of a table, after which its value is held; None for other signals."""
        return float(self.source.times[-1]) if isinstance(self.source, Table) else None

    @property
    def constant(self) -> float:
        """The number that a constant signal is."""
        if not isinstance(self.source, Number):
            raise QuantityError("the signal is not constant")
        return self.source.value

    @property
    def breaks(self) -> tuple[float, ...]:
        """Instants known without a horizon at which the signal is not smooth; ``pack`` may find more."""
        if isinstance(self.source, Table):
            return self.source.breaks
        return known_breaks(self.node) if self.node else ()

    def value(self, t: float, names: Mapping[str, float] | None = None) -> float:
        """The value at time t, and at values of what else it depends on, by Python; kernels use ``pack``."""
        if isinstance(self.source, Table):
            return self.source.value(t)
        if self.node is not None:
            return float(sample(self.node, {**(names or {}), "t": float(t)}))
        assert callable(self.source)
        return self.source(float(t))

    def to_tree(self) -> float | str | dict[str, Any]:
        """The signal as plain data for a model file, in SI."""
        if isinstance(self.source, Number):
            return self.source.value
        if isinstance(self.source, Table):
            return self.source.to_tree()
        if self.node is None:
            raise QuantityError(
                "a Python function that branches or calls other code than NumPy cannot be written to a file; "
                "give an expression in t or a table"
            )
        text = to_text(self.node)
        try:
            parse(text, ("t", *names_in(self.node)))
        except QuantityError as error:
            raise QuantityError(f"the function of time cannot be written to a file: {error}") from error
        return text

    def pack(self, horizon: float, pushes: Pushes | None = None) -> Packed:
        """The signal for the kernel, good for 0 <= t <= horizon; ``pushes``: instructions of its names but t."""
        if not (isfinite(horizon) and horizon > 0.0):
            raise QuantityError(f"a signal needs a horizon above zero, got {horizon}")
        no_code, no_numbers = np.empty(0, code_dtype(float)), np.empty(0)
        if self.node is not None:
            breaks = {*known_breaks(self.node), *found_breaks(self.node, horizon)}
            code = program(self.node, pushes)
            return Packed(PROGRAM, code, no_numbers, int(np.any(code["op"] == SENSE)), tuple(sorted(breaks)))
        if isinstance(self.source, Table):
            pieces, at = self.source.pieces(), self.source.breaks
        else:
            assert callable(self.source)
            pieces, at = fit(self.source, horizon)
        return Packed(PIECEWISE, no_code, pieces.numbers, pieces.degree, at)


def pack_signals(
    signals: Sequence[Signal],
    horizon: float,
    pushes: Sequence[Pushes] | None = None,
    inputs: Sequence[float] = (),
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Records, code, numbers and breaks (t > 0) of all signals, end to end.

    Breaks behind the horizon count: a step may reach beyond it, and is the same in a run that ends later.
    ``pushes`` has the instructions of names, signal by signal; values of ``inputs`` stand before all other numbers.
    """
    given = pushes or [{}] * len(signals)
    packed = [signal.pack(horizon, own) for signal, own in zip(signals, given, strict=True)]
    records = np.zeros(len(packed), signal_dtype)
    codes, numbers = 0, len(inputs)
    for record, one in zip(records, packed, strict=True):
        if one.kind == PROGRAM:
            start, count = codes, len(one.code)
        else:  # count + 1 knots and (degree + 1) count coefficients
            start, count = numbers, (len(one.numbers) - 1) // (one.degree + 2)
        record["kind"], record["start"], record["count"], record["degree"] = one.kind, start, count, one.degree
        codes += len(one.code)
        numbers += len(one.numbers)
    code = np.concatenate([np.empty(0, code_dtype(float)), *[one.code for one in packed]])
    number = np.concatenate([np.array(inputs, dtype=float), *[one.numbers for one in packed]])
    breaks = _apart([t for one in packed for t in one.breaks])
    # a fitted function is known up to the horizon only: no step may run past it
    fitted = any(callable(one.source) for one in signals)
    return records, code, number, np.append(breaks[breaks < horizon], horizon) if fitted else breaks


def _apart(breaks: Sequence[float]) -> np.ndarray:
    """Breaks behind the start, sorted; of those that differ by rounding only, the last."""
    ahead = np.unique([t for t in breaks if t > 0.0])
    last = np.append(np.diff(ahead) > 1e-12 * ahead[1:], True)[: len(ahead)]
    return np.asarray(ahead[last], dtype=np.float64)


def _expression(text: str, unit: str, values: Mapping[str, Value], free: Free) -> Node:
    node = parse(text, ChainMap({"t": None}, free.sensed, free.inputs, values))  # type: ignore[arg-type]
    return _read(node, unit, text, values, free)


def _read(node: Node, unit: str | None, text: str, values: Mapping[str, Value], free: Free) -> Node:
    """The tree in SI with its names left free; its dimension must be that of ``unit``, if there is one."""
    # t is a plain number, or a time where that makes the dimensions right: both "6*t" and "6 rad/s * t" are an angle.
    for name in sorted(names_in(node)):
        if name != "t" and not (name in values or name in free.sensed or name in free.inputs):
            raise ExpressionError(unknown_name(name, ["t", *values, *free.inputs, *free.sensed]))
    problems: list[QuantityError] = []
    for reading in _readings(node, values, free):
        try:
            tree, found = resolve(node, values, reading, free.sensed)
        except QuantityError as error:
            problems.insert(0, error)
            continue
        try:
            if unit is not None:
                accept(found, unit, text.strip(), node)
        except QuantityError as error:
            problems.append(error)
            continue
        return tree
    product = next(
        (n for n in walk(node) if isinstance(n, Number) and n.unit is not None and (n.unit in values or n.unit == "t")),
        None,
    )
    if product:
        raise QuantityError(f"{problems[-1]}; {product.unit!r} is a unit here, write {product.value:g}*{product.unit}")
    raise problems[-1]


def _readings(node: Node, values: Mapping[str, Value], free: Free) -> list[dict[str, Dimension | None]]:
    """Dimensions of the free names to try.

    Where nothing has a unit all numbers are SI. Else what is sensed is a quantity, and t a plain number or a time.
    """
    names = [name for name in names_in(node) if name not in values]
    has_units = any(
        n.unit if isinstance(n, Number) else isinstance(n, Name) and _dimension(n.id, values, free) is not None
        for n in walk(node)
    )
    own = {name: free.inputs.get(name) for name in names}
    if not has_units:
        return [own]
    own |= {name: free.sensed[name] for name in names if name in free.sensed}
    return [own, own | {"t": dimension_of("s")}]


def _dimension(name: str, values: Mapping[str, Value], free: Free) -> Dimension | None:
    """Of a parameter or an input."""
    return values[name].dimension if name in values else free.inputs.get(name)


def _table(raw: Any, unit: str, values: Mapping[str, Value] | None) -> Table:
    kind = "cubic"
    if isinstance(raw, Mapping):
        unknown = set(raw) - {"table", "kind"}
        if unknown or "table" not in raw:
            keys = ", ".join(map(str, raw))
            raise QuantityError(f"a table is written {{table: [[t, value], ...], kind: linear or cubic}}, got {keys}")
        raw, kind = raw["table"], raw.get("kind", kind)
    rows = []
    if not isinstance(raw, list | tuple | np.ndarray):
        raise QuantityError(f"a table needs rows [t, value], got {raw!r}")
    for number, row in enumerate(raw, start=1):
        if not isinstance(row, list | tuple | np.ndarray) or len(row) != 2:
            raise QuantityError(f"row {number} of the table must be a time and a value, got {row}")
        try:
            rows.append((si(row[0], "s", values), si(row[1], unit, values)))
        except QuantityError as error:
            raise QuantityError(f"row {number} of the table: {error}") from error
    if len(rows) < 2:
        raise QuantityError("a table needs at least two rows [t, value]")
    times, heights = zip(*rows, strict=True)
    return Table(times, heights, kind)  # type: ignore[arg-type]


def _function(raw: Callable[[float], Any], unit: str) -> Node | Callable[[float], float]:
    node = trace(raw)
    if node is not None:
        try:
            program(node)
            return node
        except QuantityError:
            pass  # too deep for the stack machine: fit it

    def number(result: Any) -> float:
        if isinstance(result, str):
            raise QuantityError(f"expected a number, got {result!r}")
        return si(result, unit)

    function = checked(raw, number)
    function(0.0)  # a wrong signature or result shows now, not in the middle of a run
    return function
