r"""The head of a model or a script, which describes it.

The head is the first comment of a model or the docstring of a script: a sentence, then fields, then remarks.

    A door on worn hinges is pushed open and strikes a stop.

    Subject:   stories
    Question:  how much does the far edge hang down?
    Number:    1.625 mm, from the geometry of
               the hinges.

    Any other text.

Fields: Subject (a key of SUBJECTS), Question, Answer, Number, Figures (of the paper that is repeated), Data (what the
paper leaves out or prints wrongly), Look at (names of results), Plot (those that its picture shows), Models (that a
script reads). A field goes on in indented lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FIELDS = ("Subject", "Question", "Answer", "Number", "Figures", "Data", "Look at", "Plot", "Models")
FIELD = re.compile(rf"^({'|'.join(FIELDS)}):[ ]+(.*)$")


@dataclass(frozen=True)
class Head:
    """Title, fields by name, and the remarks after them as paragraphs."""

    title: str
    fields: dict[str, str]
    remarks: str

    def __getitem__(self, field: str) -> str:
        """Text of a field, empty if it is not there."""
        return self.fields.get(field, "")

    @property
    def question(self) -> str:
        """The last sentence of the question: short enough for a list."""
        last = re.split(r"(?<=[.?])\s+", self["Question"])[-1]
        return last[:1].upper() + last[1:]


def head_text(file: Path) -> str:
    """The comment at the top of a model, or the docstring of a script, without what marks it."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return text.split('"""')[1]
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line[2:])
    return "\n".join(lines)


def read_head(file: Path) -> Head:
    """The head of a file."""
    title, *lines = head_text(file).strip().splitlines()
    fields: dict[str, str] = {}
    remarks: list[str] = []
    name = ""
    for line in lines:
        found = FIELD.match(line)
        if found:
            name, text = found[1], found[2]
            fields[name] = text.strip()
        elif name and line.startswith(" "):
            fields[name] += f" {line.strip()}"
        else:
            name = ""
            remarks.append(line)
    return Head(title.strip(), fields, "\n".join(remarks).strip())
