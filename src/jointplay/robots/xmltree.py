"""Reading XML that may come from anywhere: elements with their lines, and nothing else.

A document type, an entity or a processing instruction that names a file is refused, since with them a short file can
unfold to gigabytes or fetch other files. Size, depth and number of elements are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from xml.parsers import expat

from ..errors import InputError, Problem

MOST_BYTES = 50_000_000
MOST_ELEMENTS = 500_000
DEEPEST = 2000  # bodies of MJCF stand inside each other


@dataclass(eq=False)
class Node:
    """An element of the file."""

    tag: str
    attributes: dict[str, str]
    line: int
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    text: str = ""

    @property
    def name(self) -> str:
        """What it is called in its file; empty without a name."""
        return self.attributes.get("name", "")

    def all(self) -> Iterator[Node]:
        """Itself and all that stand inside it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def above(self) -> Iterator[Node]:
        """The elements around it, the nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def inside(self, tag: str) -> list[Node]:
        """Its own children of this tag."""
        return [child for child in self.children if child.tag == tag]

    def __str__(self) -> str:
        """As people name it: joint 'elbow', or limit of joint 'elbow'."""
        if self.name:
            return f"{self.tag} '{self.name}'"
        owner = next((node for node in self.above() if node.name and node.parent is not None), None)
        return f"{self.tag} of {owner}" if owner is not None else self.tag


class _Refused(Exception):
    """Something that may not stand in a file."""


def read_xml(path: str | PathLike[str]) -> tuple[Node, bytes]:
    """The root element of a file, and its bytes; raises InputError with one sentence and its line."""
    name, file = fspath(path), Path(path)
    try:
        if file.is_dir():
            raise InputError(Problem("", "is a directory, not a robot file", name))
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise InputError(Problem("", "there is no such file", name)) from None
    except (OSError, ValueError) as error:
        raise InputError(Problem("", f"cannot be read: {getattr(error, 'strerror', None) or error}", name)) from None
    if len(data) > MOST_BYTES:
        raise InputError(Problem("", f"is larger than {MOST_BYTES // 1_000_000} MB", name))
    if not data.strip():
        raise InputError(Problem("", "is empty", name))
    return parse(data, name), data


def parse(data: bytes, file: str = "") -> Node:
    """The root element of a text in XML; raises InputError."""
    builder = _Builder()
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        what = expat.errors.messages.get(error.code, "is not well-formed")
        raise InputError(Problem("", f"is no proper XML: {what}", file, error.lineno)) from None
    except _Refused as error:
        raise InputError(Problem("", str(error), file, builder.parser.CurrentLineNumber)) from None
    except LookupError:
        raise InputError(Problem("", "has an encoding that is not known; write it in UTF-8", file, 1)) from None
    assert builder.root is not None  # expat says "no element found" otherwise
    return builder.root


class _Builder:
    """Elements as the parser meets them."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.open: list[Node] = []
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse("a document type (<!DOCTYPE ...>)")
        self.parser.EntityDeclHandler = self._refuse("an entity (<!ENTITY ...>)")
        self.parser.ExternalEntityRefHandler = self._refuse("a reference to another file")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise _Refused(f"has more than {MOST_ELEMENTS} elements")
        if len(self.open) >= DEEPEST:
            raise _Refused(f"has elements inside each other more than {DEEPEST} deep")
        parent = self.open[-1] if self.open else None
        node = Node(tag, dict(attributes), self.parser.CurrentLineNumber, parent)
        if parent is None:
            self.root = node
        else:
            parent.children.append(node)
        self.open.append(node)

    def _end(self, tag: str) -> None:
        node = self.open.pop()
        node.text = node.text.strip()

    def _text(self, text: str) -> None:
        if self.open and len(self.open[-1].text) < 10_000:
            self.open[-1].text += text

    @staticmethod
    def _refuse(what: str):  # type: ignore[no-untyped-def]
        def refuse(*_: object) -> None:
            raise _Refused(f"has {what}, which a robot file does not need and which is not read")

        return refuse
