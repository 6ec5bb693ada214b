"""The value of an expression: numbers and dimensions together.

``resolve`` walks a tree once. It replaces every quantity literal and every known name by its number in SI, folds what
is constant, and works out the dimension of the whole; names left free (the time t) stay in the tree. ``evaluate`` is
``resolve`` with nothing left free.

Rules for dimensions, where a plain number fits everywhere and counts as SI (see dimension.py):

    a + b, min, max, atan2     a and b agree; so in comparisons, whose result is plain, and in clip
    where(a > b, c, d)         c and d agree
    a * b, a / b               powers add, subtract
    a ^ b, sqrt a              b is a plain constant; powers multiply
    sin a, exp a, ...          a is plain or an angle; the result is plain

A plain number that multiplies something sensed ("0.1*A.angle_rate") may have any unit, and so may the product.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from math import isfinite
from typing import Any

import numpy as np

from .dimension import ANGLE, ANY, Dimension, QuantityError, Value, agree, describe, product
from .functions import FUNCTIONS
from .grammar import ExpressionError, parse
from .nodes import COMPARISONS, CONSTANTS, Binary, Call, Name, Node, Number, Unary, names_in, to_text
from .registry import COMMON, in_si, unit_facts

__all__ = [
    "Binary",
    "Call",
    "Dimension",
    "ExpressionError",
    "Name",
    "Node",
    "Number",
    "Unary",
    "Value",
    "evaluate",
    "names_in",
    "parse",
    "resolve",
    "sample",
    "to_text",
]

# Every operation on numbers or arrays.
OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "sign": np.sign,
    "step": lambda x: np.heaviside(x, 1.0),
    "min": lambda *x: np.minimum.reduce(x),
    "max": lambda *x: np.maximum.reduce(x),
    "clip": lambda x, low, high: np.minimum(np.maximum(x, low), high),
    "where": lambda holds, a, b: np.where(np.asarray(holds) > 0.0, a, b),
    "<": lambda a, b: np.less(a, b) + 0.0,
    "<=": lambda a, b: np.less_equal(a, b) + 0.0,
    ">": lambda a, b: np.greater(a, b) + 0.0,
    ">=": lambda a, b: np.greater_equal(a, b) + 0.0,
}
KEEP = ("abs", "min", "max", "clip")  # the result has the dimension of the arguments
FORGET = ("sign", "step", "atan2")  # any dimension in, a plain number out


def evaluate(node: Node, values: Mapping[str, Value]) -> Value:
    """The value of a tree whose names all have values."""
    found, dimension = resolve(node, values)
    assert isinstance(found, Number)  # nothing was left free, so everything was folded
    return Value(found.value, dimension)


def resolve(
    node: Node,
    values: Mapping[str, Value],
    free: Mapping[str, Dimension | None] | None = None,
    sensed: Collection[str] = (),
) -> tuple[Node, Dimension | None]:
    """The tree in SI with all but the ``free`` names replaced by numbers, and its dimension."""
    free = free or {}
    if isinstance(node, Number):
        if node.unit is None:
            return node, None
        return Number(_finite(in_si(node.value, _known(node, values)), node)), unit_facts(node.unit)[1]
    if isinstance(node, Name):
        if node.id in free:
            return node, free[node.id]
        if node.id in values:
            return Number(values[node.id].si), values[node.id].dimension
        if node.id in CONSTANTS:
            return Number(CONSTANTS[node.id]), None
        raise ExpressionError(unknown_name(node.id, [*values, *free]))
    if isinstance(node, Unary):
        operand, dimension = resolve(node.operand, values, free, sensed)
        if isinstance(operand, Number):
            return Number(-operand.value if node.op == "-" else operand.value), dimension
        return (Unary("-", operand) if node.op == "-" else operand), dimension
    if isinstance(node, Binary):
        left, a = resolve(node.left, values, free, sensed)
        right, b = resolve(node.right, values, free, sensed)
        folded = _fold(node, Binary(node.op, left, right), (left, right))
        if sensed and node.op in "*/" and (_scales(left, a, right, b, sensed) or _scales(right, b, left, a, sensed)):
            return folded, ANY
        return folded, _binary(node, a, b, right)
    resolved = [resolve(arg, values, free, sensed) for arg in node.args]
    args = tuple([arg for arg, _ in resolved])
    return _fold(node, Call(node.name, args), args), _call(node, [dimension for _, dimension in resolved])


def sample(node: Node, names: Mapping[str, Any]) -> Any:
    """The value of a resolved tree (plain SI numbers only) at numbers or arrays; no error for infinities."""
    with np.errstate(all="ignore"):
        return _sample(node, names)


def _sample(node: Node, names: Mapping[str, Any]) -> Any:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        return names[node.id]
    if isinstance(node, Unary):
        return -_sample(node.operand, names)
    if isinstance(node, Binary):
        return OPERATIONS[node.op](_sample(node.left, names), _sample(node.right, names))
    operation = OPERATIONS.get(node.name) or FUNCTIONS[node.name]
    return operation(*[_sample(arg, names) for arg in node.args])


def _fold(source: Node, node: Node, args: tuple[Node, ...]) -> Node:
    if not all([isinstance(arg, Number) for arg in args]):
        return node
    return Number(_finite(float(sample(node, {})), source))


def _finite(value: float, source: Node) -> float:
    if isfinite(value):
        return value
    if isinstance(source, Binary) and source.op == "/":
        raise ExpressionError(f'division by zero or a result too large in "{to_text(source)}"')
    raise ExpressionError(f'"{to_text(source)}" has no finite value')


def _binary(node: Binary, a: Dimension | None, b: Dimension | None, right: Node) -> Dimension | None:
    if node.op == "*":
        return product(a, b)
    if node.op == "/":
        return product(a, b, -1)
    if node.op == "^":
        if b is not None and b is not ANY:
            raise ExpressionError(f'the power in "{to_text(node)}" must be a plain number, not a {describe(b)} ({b})')
        if a is None:
            return None
        if not isinstance(right, Number):
            raise ExpressionError(f'the power of a quantity must be constant in "{to_text(node)}"')
        return product(None, a, right.value)
    common = _common(node, (a, b))
    return None if node.op in COMPARISONS else common


def _scales(number: Node, a: Dimension | None, other: Node, b: Dimension | None, sensed: Collection[str]) -> bool:
    """True if a plain number multiplies a quantity that depends on something sensed."""
    if not isinstance(number, Number) or a is not None or b is None:
        return False
    return any(name in sensed for name in names_in(other))


def _common(node: Node, dimensions: tuple[Dimension | None, ...]) -> Dimension | None:
    first: Dimension | None = None
    for other in dimensions:
        if not agree(first, other):
            raise ExpressionError(
                f'"{to_text(node)}" mixes a {describe(first)} ({first}) with a {describe(other)} ({other})'
            )
        first = other if first is None or (first is ANY and other is not None) else first
    return first


def _call(node: Call, dimensions: list[Dimension | None]) -> Dimension | None:
    if node.name in FUNCTIONS:  # in SI, as its author has declared
        return ANY
    if node.name == "sqrt":
        return product(None, dimensions[0], 0.5)
    if node.name == "where":
        return _common(node, tuple(dimensions[1:]))
    if node.name in KEEP or node.name in FORGET:
        common = _common(node, tuple(dimensions))
        return common if node.name in KEEP else None
    if dimensions[0] in (None, ANY):
        return None
    assert dimensions[0] is not None
    if any(base != ANGLE for base, _ in dimensions[0].powers):
        raise ExpressionError(
            f'{node.name} needs a plain number or an angle, but "{to_text(node.args[0])}" is '
            f"a {describe(dimensions[0])} ({dimensions[0]})"
        )
    return None


def _known(node: Number, values: Mapping[str, Value]) -> str:
    """The unit of a literal, or an error that also thinks of a forgotten ``*``."""
    assert node.unit is not None
    try:
        unit_facts(node.unit)
    except QuantityError as error:
        if node.unit in values:
            raise ExpressionError(
                f'{node.unit!r} in "{to_text(node)}" is no unit; write {node.value:g}*{node.unit} for a product'
            ) from error
        raise ExpressionError(f'{error} (in "{to_text(node)}")') from error
    return node.unit


def unknown_name(name: str, known: list[str]) -> str:
    """The sentence about a name that means nothing: with the nearest one, or the list of them."""
    near = difflib.get_close_matches(name, [*known, *CONSTANTS], n=1)
    owner = name.rpartition(".")[0]
    own = [one for one in known if owner and one.rpartition(".")[0] == owner]
    if not near and own:  # the thing is right, and its quantity wrong
        return f"unknown name {name!r}; of {owner!r} there are {', '.join(own)}"
    if near:
        return f"unknown name {name!r}; did you mean {near[0]!r}?"
    if name in COMMON:
        return f"unknown name {name!r}; a unit stands directly behind a number, as in 1 {name}"
    listed = f"; known are {', '.join(sorted(known))}" if 0 < len(known) <= 20 else ""
    return f"unknown name {name!r}{listed}"
