"""From an expression tree to the postfix code of the stack machine, and the instants at which it is not smooth."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from ..arrays import code_dtype
from ..numerics import signals as ops
from .dimension import QuantityError
from .expression import sample
from .functions import FUNCTIONS
from .nodes import COMPARISONS, Binary, Call, Name, Node, Number, Unary, names_in, to_text, walk

TIME = {"t": (ops.TIME, 0.0)}  # what the names of a function of time alone push
GRID = 4096  # intervals of the horizon in which a change of sign is looked for


Pushes = Mapping[str, tuple[int, float]]


def program(node: Node, pushes: Pushes | None = None) -> np.ndarray:
    """Code of a resolved tree (plain SI numbers, and names); ``pushes`` has the instruction of each name but t."""
    code: list[tuple[int, float]] = []
    deepest = _emit(node, code, TIME | dict(pushes or {}))
    if deepest > ops.STACK:
        raise QuantityError(f"the expression holds more than {ops.STACK} values at once; write it with fewer brackets")
    return np.array(code, dtype=code_dtype(float))


def _emit(node: Node, code: list[tuple[int, float]], pushes: Pushes) -> int:
    """Append the code of ``node``; return how many places on the stack it needs."""
    if isinstance(node, Number):
        code.append((ops.NUMBER, node.value))
        return 1
    if isinstance(node, Name):
        code.append(pushes[node.id])
        return 1
    if isinstance(node, Unary):
        need = _emit(node.operand, code, pushes)
        code.append((ops.NEGATIVE, 0.0))
        return need
    if isinstance(node, Binary):
        if node.op == "^" and isinstance(node.right, Number):
            need = _emit(node.left, code, pushes)
            code.append((ops.RAISE, node.right.value))
            return need
        return _pair(ops.OF_TWO[node.op], node.left, node.right, code, pushes)
    if node.name in ops.OF_ONE:
        need = _emit(node.args[0], code, pushes)
        code.append((ops.OF_ONE[node.name], 0.0))
        return need
    if node.name in FUNCTIONS:
        need = max(k + _emit(arg, code, pushes) for k, arg in enumerate(node.args))
        code.append((ops.CALL + len(node.args), FUNCTIONS[node.name].address))
        return need
    need = _emit(node.args[0], code, pushes)
    if node.name == "where":
        need = max(need, 1 + _emit(node.args[1], code, pushes), 2 + _emit(node.args[2], code, pushes))
        code.append((ops.WHERE, 0.0))
        return need
    # min(a, b, c) = min(min(a, b), c), and clip(x, low, high) = min(max(x, low), high)
    steps = ("max", "min") if node.name == "clip" else (node.name,) * (len(node.args) - 1)
    for name, arg in zip(steps, node.args[1:], strict=True):
        need = max(need, 1 + _emit(arg, code, pushes))
        code.append((ops.OF_TWO[name], 0.0))
    return need


def _pair(op: int, left: Node, right: Node, code: list[tuple[int, float]], pushes: Pushes) -> int:
    need = _emit(left, code, pushes)
    need = max(need, 1 + _emit(right, code, pushes))
    code.append((op, 0.0))
    return need


def _branches(node: Node) -> list[tuple[Node, Node]]:
    """Where a tree changes branch: the function whose sign decides, and the part of the tree that it belongs to."""
    found: list[tuple[Node, Node]] = []
    for part in walk(node):
        if isinstance(part, Binary) and part.op in COMPARISONS:
            found.append((Binary("-", part.left, part.right), part))
        elif isinstance(part, Call) and part.name in ("step", "sign", "abs"):
            found.append((part.args[0], part))
        elif isinstance(part, Call) and part.name in ("min", "max"):
            found += [(Binary("-", a, b), part) for a, b in combinations(part.args, 2)]
        elif isinstance(part, Call) and part.name == "clip":
            found += [(Binary("-", part.args[0], end), part) for end in part.args[1:]]
        elif isinstance(part, Call) and part.name == "where" and not _compares(part.args[0]):
            found.append((part.args[0], part))
    return found


def _compares(node: Node) -> bool:
    return isinstance(node, Binary) and node.op in COMPARISONS


def switches(node: Node) -> list[Node]:
    """Functions of t alone at whose zeros the tree changes branch."""
    return [switch for switch, _ in _branches(node) if names_in(switch) == {"t"}]


def bends(node: Node) -> list[str]:
    """Parts of a tree that change branch with what is sensed or with an input: no instant of that is known before."""
    return list(dict.fromkeys(to_text(part) for switch, part in _branches(node) if names_in(switch) - {"t"}))


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
