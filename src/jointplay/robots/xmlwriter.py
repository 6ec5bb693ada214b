"""Elements as text, each on a line of its own, whose number it is given."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

from .xmltree import Node

DEEPEST_INDENT = 40


def element(around: Node | None, tag: str, **attributes: Any) -> Node:
    """A new element inside another one; numbers and arrays become texts that are read back the same."""
    given = {key: _text(value) for key, value in attributes.items() if value is not None}
    node = Node(tag, given, 0, around)
    if around is not None:
        around.children.append(node)
    return node


def xml_text(root: Node) -> str:
    """The whole text; sets the lines of all elements."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    waiting: list[tuple[Node, int, bool]] = [(root, 0, True)]  # element, depth, whether it opens
    while waiting:  # without recursion, since bodies of a long chain stand inside each other
        node, depth, opens = waiting.pop()
        indent = "  " * min(depth, DEEPEST_INDENT)
        if not opens:
            lines.append(f"{indent}</{node.tag}>")
            continue
        head = "".join(f" {key}={quoteattr(value)}" for key, value in node.attributes.items())
        lines.append(f"{indent}<{node.tag}{head}{'>' if node.children else '/>'}")
        node.line = len(lines)
        if node.children:
            waiting.append((node, depth, False))
            waiting += [(child, depth + 1, True) for child in reversed(node.children)]
    return "\n".join(lines) + "\n"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return " ".join(_text(one) for one in value)
    return repr(float(value)) if isinstance(value, float) else str(value)
