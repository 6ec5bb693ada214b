"""From an expression tree to the postfix code of the stack machine, and the instants at which it is not smooth."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..arrays import code_dtype
from ..numerics import signals as ops
from .dimension import QuantityError
from .expression import sample
from .nodes import Binary, Call, Name, Node, Number, Unary, names_in, walk

GRID = 4096  # intervals of the horizon in which a change of sign is looked for


def program(node: Node) -> np.ndarray:
    """Code of a resolved tree (plain SI numbers, and t)."""
    code: list[tuple[int, float]] = []
    deepest = _emit(node, code)
    if deepest > ops.STACK:
        raise QuantityError(f"the expression holds more than {ops.STACK} values at once; write it with fewer brackets")
    return np.array(code, dtype=code_dtype(float))


def _emit(node: Node, code: list[tuple[int, float]]) -> int:
    """Append the code of ``node``; return how many places on the stack it needs."""
    if isinstance(node, Number):
        code.append((ops.NUMBER, node.value))
        return 1
    if isinstance(node, Name):
        code.append((ops.TIME, 0.0))
        return 1
    if isinstance(node, Unary):
        need = _emit(node.operand, code)
        code.append((ops.NEGATIVE, 0.0))
        return need
    if isinstance(node, Binary):
        if node.op == "^" and isinstance(node.right, Number):
            need = _emit(node.left, code)
            code.append((ops.RAISE, node.right.value))
            return need
        return _pair(ops.OF_TWO[node.op], node.left, node.right, code)
    if node.name in ops.OF_ONE:
        need = _emit(node.args[0], code)
        code.append((ops.OF_ONE[node.name], 0.0))
        return need
    need = _emit(node.args[0], code)
    for arg in node.args[1:]:  # min(a, b, c) = min(min(a, b), c)
        need = max(need, 1 + _emit(arg, code))
        code.append((ops.OF_TWO[node.name], 0.0))
    return need


def _pair(op: int, left: Node, right: Node, code: list[tuple[int, float]]) -> int:
    need = _emit(left, code)
    need = max(need, 1 + _emit(right, code))
    code.append((op, 0.0))
    return need


def switches(node: Node) -> list[Node]:
    """Functions of t at whose zeros the tree changes branch."""
    found: list[Node] = []
    for call in walk(node):
        if isinstance(call, Call) and call.name in ("step", "sign", "abs"):
            found.append(call.args[0])
        elif isinstance(call, Call) and call.name in ("min", "max"):
            found += [Binary("-", a, b) for a, b in combinations(call.args, 2)]
    return [switch for switch in found if names_in(switch)]


def affine(node: Node) -> tuple[float, float] | None:
    """(a, b) if the tree is a t + b, else None."""
    if isinstance(node, Number):
        return 0.0, node.value
    if isinstance(node, Name):
        return 1.0, 0.0
    if isinstance(node, Unary):
        inner = affine(node.operand)
        return (-inner[0], -inner[1]) if inner else None
    if isinstance(node, Binary) and node.op != "^":
        left, right = affine(node.left), affine(node.right)
        if left and right:
            if node.op in "+-":
                sign = 1.0 if node.op == "+" else -1.0
                return left[0] + sign * right[0], left[1] + sign * right[1]
            if node.op == "*" and 0.0 in (left[0], right[0]):
                return left[0] * right[1] + right[0] * left[1], left[1] * right[1]
            if node.op == "/" and right[0] == 0.0 and right[1] != 0.0:
                return left[0] / right[1], left[1] / right[1]
    return None


def known_breaks(node: Node) -> tuple[float, ...]:
    """Zeros of the switches that are straight lines in t."""
    lines = [line for switch in switches(node) if (line := affine(switch)) and line[0] != 0.0]
    return tuple(sorted({-b / a + 0.0 for a, b in lines}))


def found_breaks(node: Node, horizon: float) -> tuple[float, ...]:
    """Zeros on [0, horizon] of the switches that are no straight lines, by changes of sign on a grid."""
    t = np.linspace(0.0, horizon, GRID + 1)
    found: set[float] = set()
    for switch in switches(node):
        if affine(switch) is not None:
            continue
        above = sample(switch, {"t": t}) >= 0.0
        places = np.flatnonzero(above[1:] != above[:-1])
        low, high, low_above = t[places], t[places + 1], above[places]
        for _ in range(60 if len(places) else 0):
            middle = (low + high) / 2
            same = (sample(switch, {"t": middle}) >= 0.0) == low_above
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        found.update(high.tolist())
    return tuple(sorted(found))
