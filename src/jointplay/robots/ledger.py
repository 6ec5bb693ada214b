"""Keeping account while a file is read: what became of each element, what is wrong, what may be left out.

An element that nobody spoke of shares the fate of the one around it if that was left out, and is refused otherwise:
nothing is lost in silence. What is physical and has no place in a System is refused unless it is allowed by name: by
its tag, by a topic ("contact"), by its own name, or by that of an element around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ..errors import InputError, Problem
from .report import ORDER, Account, Row, Status
from .xmltree import Node

R = TypeVar("R", bound=Account)

EVERYTHING = "all"


@dataclass
class Fate:
    """What became of an element, so far."""

    status: Status
    notes: list[str] = field(default_factory=list)
    lost: bool = False  # something physical of it


@dataclass
class Loss:
    """A kind of thing that was left out and may not be."""

    message: str
    names: tuple[str, ...]
    allowing: str
    nodes: dict[Node, None] = field(default_factory=dict)  # in their order, each once


class Ledger:
    """The account of one file."""

    def __init__(self, root: Node, file: str, format: str, allow: Iterable[str] | str = ()) -> None:
        self.root, self.file, self.format = root, file, format
        self.allowed = {allow} if isinstance(allow, str) else set(allow)
        self.remarks: list[str] = []
        self._fates: dict[Node, Fate] = {}
        self._losses: dict[tuple[str, str], Loss] = {}
        self._problems: list[Problem] = []

    # --- speaking of elements ---------------------------------------------------------------------------------------

    def used(self, node: Node, note: str = "") -> None:
        """It is in the System as it stands."""
        self._mark(node, Status.USED, note)

    def converted(self, node: Node, note: str) -> None:
        """It is in the System in other words."""
        self._mark(node, Status.CONVERTED, note)

    def approximated(self, node: Node, note: str) -> None:
        """Something like it is in the System."""
        self._mark(node, Status.APPROXIMATED, note)

    def ignored(self, node: Node, note: str) -> None:
        """It is not physical, or has no effect."""
        self._mark(node, Status.IGNORED, note)

    def lose(self, node: Node, what: str, *names: str, partly: bool = False, allowing: str = "leaves it out") -> bool:
        """It is physical and has no place in a System; True if that is allowed, with the sentence ``allowing``.

        It may be allowed by ``names``, its tag, its name, or those of what is around it; ``partly``: the rest of it
        is there.
        """
        own = (*names, node.tag, *([node.name] if node.name else []))
        around = [word for one in node.above() for word in (one.tag, one.name) if one.parent is not None]
        if self.allowed & {*own, *around, EVERYTHING}:
            self._mark(node, Status.APPROXIMATED if partly else Status.IGNORED, f"{what}; allowed")
            self._fates[node].lost = True
            return True
        self._mark(node, Status.REFUSED, what)
        self._fates[node].lost = True
        loss = self._losses.setdefault(((names or (node.tag,))[0], what), Loss(what, (*names, node.tag), allowing))
        loss.nodes[node] = None
        return False

    def spoken_of(self, node: Node) -> bool:
        """True if its fate is known."""
        return node in self._fates

    def fail(self, node: Node | None, message: str) -> None:
        """It is wrong, and nothing can be allowed."""
        if node is not None:
            self._mark(node, Status.REFUSED, message)
        self._problems.append(Problem("" if node is None else str(node), message, self.file, node.line if node else 0))

    def unread(self, node: Node) -> None:
        """It could not be read, for a reason that is reported elsewhere."""
        self._mark(node, Status.REFUSED, "not read")

    def adopt(self, node: Node, error: InputError) -> None:
        """What a System reports about an entry that was made from ``node``."""
        for problem in error.problems:
            self.fail(node, f"{problem.field}: {problem.message}" if problem.field else problem.message)

    def problems_of(self, error: InputError) -> None:
        """What is wrong with an argument of the caller."""
        self._problems += error.problems

    @property
    def broken(self) -> bool:
        """True if something is wrong that nothing can be allowed for: there is no robot to build from."""
        return bool(self._problems)

    def remark(self, text: str) -> None:
        """Something to know about the whole."""
        self.remarks.append(text)

    def _mark(self, node: Node, status: Status, note: str) -> None:
        fate = self._fates.setdefault(node, Fate(status))
        if ORDER.index(status) > ORDER.index(fate.status):
            fate.status = status
        if note and note not in fate.notes:
            fate.notes.append(note)

    # --- the end ------------------------------------------------------------------------------------------------------

    def close(self, kind: type[R], lines: Mapping[Node, int] | None = None) -> R:
        """The report; elements that nobody spoke of get their fate. ``lines``: where they stand, if elsewhere."""
        for node in self.root.all():
            if node in self._fates:
                continue
            around = self._fates.get(node.parent) if node.parent is not None else None
            if around is not None and around.status in (Status.IGNORED, Status.REFUSED):
                self._fates[node] = Fate(around.status, [f"part of the {node.parent.tag}"])  # type: ignore[union-attr]
            else:
                self.lose(node, f"'{node.tag}' has no meaning here in {self.format}")
        rows = []
        for node in self.root.all():
            fate = self._fates[node]
            name = node.name or next((one.name for one in node.above() if one.name), "")
            line = node.line if lines is None else lines.get(node, 0)
            rows.append(Row(line, node.tag, name, fate.status, "; ".join(fate.notes), fate.lost))
        return kind(self.file, self.format, tuple(rows), tuple(self.remarks))

    @property
    def problems(self) -> list[Problem]:
        """All that is wrong, by lines; a kind of loss is reported once, with what to allow."""
        losses = [self._sentence(loss) for loss in self._losses.values()]
        return sorted([*self._problems, *losses], key=lambda problem: problem.line)

    def _sentence(self, loss: Loss) -> Problem:
        nodes = sorted(loss.nodes, key=lambda node: node.line)
        first, more = nodes[0], len(nodes) - 1
        others = f" ({more} more like it, the last in line {nodes[-1].line})" if more else ""
        word = loss.names[0]
        return Problem(str(first), f'{loss.message}{others}; allow=["{word}"] {loss.allowing}', self.file, first.line)
