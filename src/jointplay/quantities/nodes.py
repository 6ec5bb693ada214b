"""The tree of an expression: five kinds of frozen nodes, and what can be learnt from a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi, tau

CONSTANTS = {"pi": pi, "tau": tau}


@dataclass(frozen=True)
class Number:
    """A literal, with the text of its unit if it has one."""

    value: float
    unit: str | None = None


@dataclass(frozen=True)
class Name:
    """A parameter, a constant, the time ``t``, an input, or what is sensed of a mechanism ("A.angle")."""

    id: str


@dataclass(frozen=True)
class Unary:
    """A sign: ``-`` or ``+``."""

    op: str
    operand: Node


@dataclass(frozen=True)
class Binary:
    """One of ``+ - * / ^`` or a comparison ``< <= > >=``, which is 1 or 0."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Call:
    """A function of the table in expression.py, or one of a user (functions.py)."""

    name: str
    args: tuple[Node, ...]


Node = Number | Name | Unary | Binary | Call


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a node."""
    if isinstance(node, Unary):
        return (node.operand,)
    if isinstance(node, Binary):
        return (node.left, node.right)
    return node.args if isinstance(node, Call) else ()


def walk(node: Node) -> Iterator[Node]:
    """All nodes of a tree, root first; needs no recursion."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(children(here)))


def names_in(node: Node) -> set[str]:
    """Names that a tree needs values for (pi and tau are known)."""
    return {n.id for n in walk(node) if isinstance(n, Name) and n.id not in CONSTANTS}


def depth(node: Node) -> int:
    """Levels of a tree; needs no recursion."""
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        here, level = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((child, level + 1) for child in children(here))
    return deepest


# Precedence: comparisons below + - below * / below the sign below ^ below everything that stands alone.
COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)
COMPARISONS = ("<", "<=", ">", ">=")
LEVEL = {**dict.fromkeys(COMPARISONS, COMPARISON), "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "^": POWER}


def _level(node: Node) -> int:
    if isinstance(node, Binary):
        return LEVEL[node.op]
    if isinstance(node, Unary) or (isinstance(node, Number) and (node.unit or str(node.value).startswith("-"))):
        return SIGN  # "5 m^2" is not (5 m)^2, and "-5^2" is not (-5)^2
    return ATOM


def _at_least(node: Node, level: int) -> str:
    text = to_text(node)
    return text if _level(node) >= level else f"({text})"


def name_text(name: str) -> str:
    """A name as expressions write it: what is sensed of a thing whose name is no plain word has that in quotes."""
    owner, dot, rest = name.rpartition(".")
    return f"'{owner}'.{rest}" if dot and not owner.isidentifier() else name


def to_text(node: Node) -> str:
    """Write a tree so that ``parse`` reads the same tree back."""
    if isinstance(node, Number):
        digits = repr(float(node.value))
        digits = digits[:-2] if digits.endswith(".0") else digits
        return f"{digits} {node.unit}" if node.unit else digits
    if isinstance(node, Name):
        return name_text(node.id)
    if isinstance(node, Unary):
        return f"{node.op}{_at_least(node.operand, SIGN)}"
    if isinstance(node, Call):
        return f"{node.name}({', '.join([to_text(arg) for arg in node.args])})"
    level = LEVEL[node.op]
    if node.op == "^":  # groups to the right; its exponent may carry a sign
        return f"{_at_least(node.left, ATOM)}^{_at_least(node.right, SIGN)}"
    if level == COMPARISON:
        return f"{_at_least(node.left, SUM)} {node.op} {_at_least(node.right, SUM)}"
    blank = " " if level == SUM else ""
    return f"{_at_least(node.left, level)}{blank}{node.op}{blank}{_at_least(node.right, level + 1)}"
