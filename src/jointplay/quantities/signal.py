"""A function of time, however it was given: number, expression in t, table, or Python function.

All become one of three sources: a tree of plain SI numbers and t (numbers, expressions, and Python functions that can
be traced), a Table, or a Python function that stays one and is fitted by polynomials when a horizon is known.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ..arrays import code_dtype, signal_dtype
from ..numerics.signals import PIECEWISE, PROGRAM
from .dimension import Dimension, QuantityError, Value
from .expression import resolve, sample
from .fit import checked, fit
from .grammar import parse
from .nodes import Binary, Call, Name, Node, Number, Unary, to_text, walk
from .program import found_breaks, known_breaks, program
from .table import Table
from .trace import trace
from .units import accept, dimension_of, si

__all__ = ["Packed", "Signal", "Table", "pack_signals"]


class Packed(NamedTuple):
    """A signal for the kernel; see numerics/signals.py for the layout."""

    kind: int
    code: np.ndarray
    numbers: np.ndarray
    degree: int
    breaks: tuple[float, ...]


@dataclass(frozen=True)
class Signal:
    """A function of time in SI, made by ``Signal.of``."""

    source: Node | Table | Callable[[float], float]
    unit: str

    @staticmethod
    def of(raw: Any, unit: str, values: Mapping[str, Value] | None = None) -> Signal:
        """A signal from a number, string, Table, nested list or mapping of a table, or Python function."""
        if isinstance(raw, Signal):
            return raw
        if isinstance(raw, Table):
            return Signal(raw, unit)
        if isinstance(raw, str):
            return Signal(_expression(raw, unit, values or {}), unit)
        if isinstance(raw, Mapping | list | tuple) or (isinstance(raw, np.ndarray) and raw.ndim):
            return Signal(_table(raw, unit, values), unit)
        if callable(raw):
            return Signal(_function(raw, unit), unit)
        return Signal(Number(si(raw, unit, values)), unit)

    @property
    def node(self) -> Node | None:
        """The tree, where there is one."""
        return self.source if isinstance(self.source, Number | Name | Unary | Binary | Call) else None

    @property
    def is_constant(self) -> bool:
        """True if the signal is one number at all times."""
        return isinstance(self.source, Number)

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

    def value(self, t: float) -> float:
        """The value at time t, by Python; kernels use ``pack``."""
        if isinstance(self.source, Table):
            return self.source.value(t)
        if self.node is not None:
            return float(sample(self.node, {"t": float(t)}))
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
            parse(text, ("t",))
        except QuantityError as error:
            raise QuantityError(f"the function of time cannot be written to a file: {error}") from error
        return text

    def pack(self, horizon: float) -> Packed:
        """The signal for the kernel, good for 0 <= t <= horizon."""
        if not (isfinite(horizon) and horizon > 0.0):
            raise QuantityError(f"a signal needs a horizon above zero, got {horizon}")
        no_code, no_numbers = np.empty(0, code_dtype(float)), np.empty(0)
        if self.node is not None:
            breaks = {*known_breaks(self.node), *found_breaks(self.node, horizon)}
            return Packed(PROGRAM, program(self.node), no_numbers, 0, tuple(sorted(breaks)))
        if isinstance(self.source, Table):
            pieces, at = self.source.pieces(), self.source.breaks
        else:
            assert callable(self.source)
            pieces, at = fit(self.source, horizon)
        return Packed(PIECEWISE, no_code, pieces.numbers, pieces.degree, at)


def pack_signals(signals: Sequence[Signal], horizon: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Records, code, numbers and breaks (0 < t < horizon) of all signals, end to end."""
    packed = [signal.pack(horizon) for signal in signals]
    records = np.zeros(len(packed), signal_dtype)
    codes, numbers = 0, 0
    for record, one in zip(records, packed, strict=True):
        if one.kind == PROGRAM:
            start, count = codes, len(one.code)
        else:  # count + 1 knots and (degree + 1) count coefficients
            start, count = numbers, (len(one.numbers) - 1) // (one.degree + 2)
        record["kind"], record["start"], record["count"], record["degree"] = one.kind, start, count, one.degree
        codes += len(one.code)
        numbers += len(one.numbers)
    code = np.concatenate([np.empty(0, code_dtype(float)), *[one.code for one in packed]])
    number = np.concatenate([np.empty(0), *[one.numbers for one in packed]])
    breaks = _apart([t for one in packed for t in one.breaks], horizon)
    # a fitted function is known up to the horizon only: no step may run past it
    fitted = any(callable(one.source) for one in signals)
    return records, code, number, np.append(breaks, horizon) if fitted else breaks


def _apart(breaks: Sequence[float], horizon: float) -> np.ndarray:
    """Breaks inside the horizon, sorted; of those that only rounding tells apart, the last."""
    least = 1e-12 * horizon
    inside = np.unique([t for t in breaks if least < t < horizon - least])
    last = np.append(np.diff(inside) > least, True)[: len(inside)]
    return np.asarray(inside[last], dtype=np.float64)


def _expression(text: str, unit: str, values: Mapping[str, Value]) -> Node:
    node = parse(text, ChainMap({"t": None}, values))  # type: ignore[arg-type]
    # t is a plain number, or a time where that makes the dimensions right: both "6*t" and "6 rad/s * t" are an angle.
    problems: list[QuantityError] = []
    for dimension in _readings(node, values):
        try:
            tree, found = resolve(node, values, {"t": dimension})
        except QuantityError as error:
            problems.insert(0, error)
            continue
        try:
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


def _readings(node: Node, values: Mapping[str, Value]) -> list[Dimension | None]:
    has_units = any(
        n.unit if isinstance(n, Number) else isinstance(n, Name) and n.id in values and values[n.id].dimension
        for n in walk(node)
    )
    return [None, dimension_of("s")] if has_units else [None]


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
