"""From what a user writes to a number in SI: ``si("0.1 mm", "m") == 1e-4``.

A number is taken as SI. A string is a quantity literal or an expression over named values; its dimension must be the
expected one, or it must be plain. The radian is treated kindly (dimension.py): what is expected per radian may be given
without it, and rad may drop out of a computed product; but a literal with another power of rad
("5 N*m/rad" for a torque) is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from .dimension import Dimension, QuantityError, Value, agree, angle_power, describe
from .expression import evaluate, parse
from .nodes import Node, Number, Unary
from .registry import in_si, unit_facts

__all__ = ["Dimension", "QuantityError", "Value", "accept", "dimension_of", "plain", "si", "unit_factor", "value_of"]


def dimension_of(unit: str) -> Dimension | None:
    """The dimension of a unit; ``None`` for "" and other plain numbers such as percent."""
    return unit_facts(unit)[1]


def unit_factor(unit: str) -> float:
    """One ``unit`` in SI."""
    return unit_facts(unit)[0]


def si(value: Any, unit: str, values: Mapping[str, Value] | None = None) -> float:
    """``value`` as a number in SI; ``unit`` ("m", "N/m", "" for none) is that of the expected dimension."""
    if isinstance(value, float) and isfinite(value):
        return float(value)
    if not isinstance(value, str):
        found = value_of(value, values)
        accept(found.dimension, unit, str(value))
        return found.si
    node, found = _read(value, values)
    accept(found.dimension, unit, value.strip(), node)
    return found.si


def value_of(raw: Any, values: Mapping[str, Value] | None = None) -> Value:
    """A number, string, or pint quantity as a Value, of whatever dimension it has."""
    if isinstance(raw, Value):
        return raw
    if isinstance(raw, str):
        return _read(raw, values)[1]
    if hasattr(raw, "magnitude") and hasattr(raw, "units"):
        unit = str(raw.units)  # read by our grammar: quantities of any pint registry will do
        return Value(plain(in_si(plain(raw.magnitude), unit)), dimension_of(unit))
    return Value(plain(raw))


def plain(raw: Any) -> float:
    """A finite real number, or an error with what was given instead."""
    if isinstance(raw, np.ndarray) and raw.ndim == 0:
        raw = raw[()]
    if isinstance(raw, bool | np.bool_) or not isinstance(raw, Real):
        raise QuantityError(f"expected a number or a text with a unit, got {_short(raw)}")
    try:
        number = float(raw)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise QuantityError(f"expected a finite number, got {number}")
    return number


def accept(dimension: Dimension | None, unit: str, text: str, node: Node | None = None) -> None:
    """Refuse a dimension other than that of ``unit``; ``text`` is what the user wrote and ``node`` its tree."""
    if dimension is None:
        return
    expected = dimension_of(unit)
    while isinstance(node, Unary):
        node = node.operand
    literal = isinstance(node, Number)
    if isinstance(node, Number) and node.unit in ("Hz", "kHz") and angle_power(expected):
        raise QuantityError(
            f"expected {_wanted(unit)}, got {text}; write {node.value:g} turn/s or {node.value:g} rad/s"
        )
    fits = expected is not None and agree(dimension, expected)
    if fits and literal:
        fits = angle_power(dimension) in (0, angle_power(expected))
    # A dimensionless argument takes an angle, and nothing else that has a dimension.
    if expected is None:
        fits = agree(dimension, dimension_of("rad"))
    if not fits:
        raise QuantityError(f"expected {_wanted(unit)}, got {_short(text)} ({describe(dimension)})")


def _read(text: str, values: Mapping[str, Value] | None) -> tuple[Node, Value]:
    known = values or {}
    node = parse(text, known.keys())
    return node, evaluate(node, known)


def _wanted(unit: str) -> str:
    word = describe(dimension_of(unit))
    if not dimension_of(unit):
        return f"a {word}"
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word} ({unit})"


def _short(raw: Any) -> str:
    text = raw if isinstance(raw, str) else repr(raw)
    return text if len(text) <= 60 else text[:57] + "..."
