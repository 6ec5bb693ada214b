"""Elements as text, each on a line of its own, which it is told."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

from .xmltree import Node


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
    _write(root, 0, lines)
    return "\n".join(lines) + "\n"


def _write(node: Node, depth: int, lines: list[str]) -> None:
    indent = "  " * depth
    head = "".join(f" {key}={quoteattr(value)}" for key, value in node.attributes.items())
    lines.append(f"{indent}<{node.tag}{head}{'>' if node.children else '/>'}")
    node.line = len(lines)
    for child in node.children:
        _write(child, depth + 1, lines)
    if node.children:
        lines.append(f"{indent}</{node.tag}>")


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
