"""Safe YAML (and JSON) as a plain tree that remembers its lines.

Only data comes out: mappings with text keys, lists, text, numbers, true, false, null, by the core schema of YAML 1.2
(so 1e-4 is a number and ``on`` is text). Other tags, several documents, doubled keys and aliases that blow up are
refused. Built from the parser's events, so that nothing is constructed before it is known to be harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from ..errors import InputError, Problem
from .entry import Path
from .names import dotted

MOST_NODES = 100_000
MOST_DEPTH = 60

CORE = "tag:yaml.org,2002:"
NULL = re.compile(r"(null|Null|NULL|~|)\Z")
BOOL = re.compile(r"(true|True|TRUE|false|False|FALSE)\Z")
INT = re.compile(r"([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
SPECIAL = re.compile(r"([-+]?)\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")


@dataclass(frozen=True)
class Node:
    """A value, its line (1 for the first), and for mappings the line of each key."""

    value: Any  # dict[str, Node], list[Node] or a scalar
    line: int
    key_lines: dict[str, int]


def scalar(text: str) -> Any:
    """A plain scalar by the core schema."""
    if NULL.match(text):
        return None
    if BOOL.match(text):
        return text[0] in "tT"
    if INT.match(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base) if len(text) <= 18 else _long(text, base)
    if FLOAT.match(text):
        return float(text)
    special = SPECIAL.match(text)
    if special:
        return float("nan") if special[3] else float(f"{special[1]}inf")
    return text


def _long(text: str, base: int) -> float:
    """A whole number of many digits, as near as a float comes; infinite beyond its range."""
    try:
        return float(text) if base == 10 else float(int(text, base))
    except OverflowError:
        return float("inf")


class Reader:
    """Builds nodes from events; problems that do not stop the reading are collected."""

    def __init__(self, text: str, file: str) -> None:
        """Begin to read ``text``; ``file`` is its name in messages."""
        self.file = file
        self.problems: list[Problem] = []
        self._anchors: dict[str, Node] = {}
        self._events = self._guarded(text)
        self._count = 0

    def _guarded(self, text: str) -> Iterator[Any]:
        """Events of the parser, its errors turned into ours."""
        try:
            yield from YAML(typ="safe", pure=True).parse(text)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            what = error.problem or error.context or "it cannot be parsed"
            raise self.stop(f"is not valid YAML: {what}", mark.line + 1 if mark else 0) from None
        except (YAMLError, ValueError) as error:
            raise self.stop(f"is not valid YAML: {str(error).splitlines()[0]}") from None

    def stop(self, message: str, line: int = 0) -> InputError:
        """The error that ends the reading."""
        return InputError([*self.problems, Problem("", message, self.file, line)])

    def note(self, path: Path, message: str, line: int) -> None:
        """Keep a problem and read on."""
        self.problems.append(Problem(dotted(path), message, self.file, line))

    def document(self) -> Node:
        """The one document of the text."""
        root: Node | None = None
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                if root is not None:
                    raise self.stop("holds more than one YAML document", event.start_mark.line + 1)
                root = self.node(next(self._events), ())
        if root is None:
            raise self.stop("is empty")
        if self.problems:
            raise InputError(self.problems)
        return root

    def node(self, event: Any, path: Path) -> Node:
        """The node that starts with ``event`` and stands at ``path``."""
        line = event.start_mark.line + 1
        self._count += 1
        if self._count > MOST_NODES:
            raise self.stop(f"has more than {MOST_NODES} values", line)
        if len(path) >= MOST_DEPTH:
            raise self.stop(f"is nested more than {MOST_DEPTH} levels deep", line)
        if isinstance(event, AliasEvent):
            if event.anchor not in self._anchors:
                raise self.stop(f"the alias *{event.anchor} refers to itself or to nothing before it", line)
            return self._anchors[event.anchor]
        if isinstance(event, MappingStartEvent):
            self._tag(event, "map", path, line)
            out = self._mapping(line, path)
        elif isinstance(event, SequenceStartEvent):
            self._tag(event, "seq", path, line)
            out = self._sequence(line, path)
        else:
            out = Node(self._scalar(event, path, line), line, {})
        if event.anchor:
            self._anchors[event.anchor] = out
        return out

    def _tag(self, event: Any, kind: str, path: Path, line: int) -> None:
        if event.tag not in (None, "!", CORE + kind):
            self.note(path, f"the tag {_tag_name(event.tag)} is not allowed", line)

    def _scalar(self, event: ScalarEvent, path: Path, line: int) -> Any:
        tag = event.tag
        text = _joined(event.value)
        if tag is None:
            return scalar(text) if event.implicit[0] else text
        kinds: dict[str, tuple[type, ...]] = {
            "str": (str,),
            "null": (type(None),),
            "bool": (bool,),
            "int": (int,),
            "float": (float, int),
        }
        kind = tag.removeprefix(CORE)
        if tag == "!" or kind == "str":
            return text
        value = scalar(text)
        if kind not in kinds:
            self.note(path, f"the tag {_tag_name(tag)} is not allowed", line)
        elif type(value) not in kinds[kind]:
            self.note(path, f"'{text}' is not a value of type {kind}", line)
        return float(value) if kind == "float" and type(value) is int else value

    def _sequence(self, line: int, path: Path) -> Node:
        items: list[Node] = []
        for event in self._events:
            if isinstance(event, SequenceEndEvent):
                break
            items.append(self.node(event, (*path, len(items))))
        return Node(items, line, {})

    def _mapping(self, line: int, path: Path) -> Node:
        items: dict[str, Node] = {}
        lines: dict[str, int] = {}
        merged: list[Node] = []
        for event in self._events:
            if isinstance(event, MappingEndEvent):
                break
            at = event.start_mark.line + 1
            if not isinstance(event, ScalarEvent):
                raise self.stop("a key must be plain text", at)
            key = _joined(event.value)
            value = self.node(next(self._events), (*path, key))
            if key == "<<" and event.implicit[0]:
                merged += value.value if isinstance(value.value, list) else [value]
                if not all(isinstance(one.value, dict) for one in merged):
                    raise self.stop("'<<' needs a mapping, or a list of mappings", at)
            elif key in items:
                self.note((*path, key), f"appears twice; first on line {lines[key]}", at)
            else:
                items[key], lines[key] = value, at
        for one in merged:
            for key, value in one.value.items():
                if key not in items:
                    items[key], lines[key] = value, one.key_lines[key]
        return Node(items, line, lines)


def _joined(text: str) -> str:
    """``text`` with pairs of 16-bit escapes joined: JSON writes characters beyond 16 bits so."""
    if not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _tag_name(tag: str) -> str:
    return "!!" + tag.removeprefix(CORE) if tag.startswith(CORE) else tag


def read_text(text: str, file: str = "") -> tuple[Any, dict[Path, int]]:
    """The tree of a YAML or JSON text, and the line of each path in it; raises InputError."""
    reader = Reader(text, file)
    root = reader.document()
    lines: dict[Path, int] = {}

    def expand(node: Node, path: Path, line: int) -> Any:
        # Aliases share nodes; here they are written out, and the total is limited once more.
        if len(lines) >= MOST_NODES:
            raise reader.stop(f"has more than {MOST_NODES} values once its aliases are written out")
        if len(path) >= MOST_DEPTH:
            raise reader.stop(f"is nested more than {MOST_DEPTH} levels deep once its aliases are written out")
        lines[path] = line
        if isinstance(node.value, dict):
            # A mapping is named by the line of its key, and so is a value that is not there.
            key_line = {key: isinstance(one.value, dict) or one.value is None for key, one in node.value.items()}
            return {
                key: expand(one, (*path, key), node.key_lines[key] if key_line[key] else one.line)
                for key, one in node.value.items()
            }
        if isinstance(node.value, list):
            return [expand(one, (*path, k), one.line) for k, one in enumerate(node.value)]
        return node.value

    return expand(root, (), root.line), lines
