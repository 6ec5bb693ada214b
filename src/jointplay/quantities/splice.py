"""Expressions made of functions: names of a text replaced by numbers and by other functions of time and state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .dimension import QuantityError
from .grammar import parse
from .nodes import Binary, Call, Name, Node, Number, Unary
from .signal import Signal
from .table import Table

MOST_ROWS = 200  # of a table inside an expression, where each row is evaluated at every instant


def splice(text: str | Node, unit: str, parts: Mapping[str, float | Signal], names: tuple[str, ...]) -> Signal:
    """The function of a text or a tree, in SI: ``parts`` stand for themselves, ``names`` stay free beside t."""
    trees = {name: tree_of(one) if isinstance(one, Signal) else Number(float(one)) for name, one in parts.items()}
    tree = parse(text, ("t", *names, *parts)) if isinstance(text, str) else text
    return Signal(_replace(tree, trees), unit)


def tree_of(signal: Signal) -> Node:
    """A function as a tree; QuantityError for a Python function that is none."""
    if signal.node is not None:
        return signal.node
    if isinstance(signal.source, Table):
        return _table_tree(signal.source)
    raise QuantityError(
        "a Python function that branches or calls other code than NumPy cannot stand inside an actuator; give an "
        "expression in t or a table"
    )


def _replace(node: Node, trees: Mapping[str, Node]) -> Node:
    if isinstance(node, Name):
        return trees.get(node.id, node)
    if isinstance(node, Unary):
        return Unary(node.op, _replace(node.operand, trees))
    if isinstance(node, Binary):
        return Binary(node.op, _replace(node.left, trees), _replace(node.right, trees))
    if isinstance(node, Call):
        return Call(node.name, tuple(_replace(arg, trees) for arg in node.args))
    return node


def _table_tree(table: Table) -> Node:
    """f(t) = f_0 + sum of what each piece adds up to t, so that every piece is a polynomial of a clipped time."""
    if len(table.times) > MOST_ROWS:
        raise QuantityError(f"a table inside an actuator may have {MOST_ROWS} rows, this one has {len(table.times)}")
    pieces = table.pieces()
    total: Node = Number(float(table.values[0]))
    for first, last, c in zip(pieces.knots[:-1], pieces.knots[1:], pieces.coefficients, strict=True):
        half = float(last - first) / 2
        # x = (t - middle)/half; powers of x + 1, so that the piece begins at 0
        d = np.polynomial.Polynomial(c)(np.polynomial.Polynomial([-1.0, 1.0])).coef
        d = np.pad(d, (0, len(c) - len(d)))
        clipped = Call("clip", (Name("t"), Number(float(first)), Number(float(last))))
        u = Binary("/", Binary("-", clipped, Number(float(first))), Number(half))
        powers: list[Node] = [Number(float(d[-1]))]
        for k in range(len(d) - 2, 0, -1):
            powers.append(Binary("+", Binary("*", powers.pop(), u), Number(float(d[k]))))
        total = Binary("+", total, Binary("*", powers[0], u))
    return total
