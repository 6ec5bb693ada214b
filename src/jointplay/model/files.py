"""Model files: reading, with every problem reported by file, line and path.

    load_model("slider_crank.yaml", overrides={"parameters.gap": "0.2 mm"})

A file is data and nothing else (yamltree.py). All problems of a file are found in one go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path as FilePath
from typing import Any

from ..errors import InputError, Problem
from .conditions import by_name, is_condition, read_condition
from .entry import Entry, Field, Path, kind_of
from .names import dotted, suggest
from .sensed import sense_joint
from .state import sense_state
from .system import SECTIONS, System
from .yamltree import read_text

VERSION = 1
MOST_BYTES = 5_000_000
MOST_PROBLEMS = 200  # more are no help, and each may search all names for the one that was meant
OVERRIDE = "override"  # shown in place of the file for values that came from outside it

HEAD: dict[str, Field] = {
    "jointplay": Field("version", "", "version of the file format"),
    "name": Field("text", "", "name of the system"),
    "planar": Field("flag", "", "true if all motion is in the x-y plane"),
    "gravity": Field("vector", "m/s^2", "acceleration of gravity, global axes"),
    "parameters": Field("parameters", "", "named values for use in expressions"),
    "inputs": Field("inputs", "", "numbers that a run may change while it goes on, by name: a unit, or {unit, value}"),
}
RUN: dict[str, Field] = {
    "until": Field("end_of_run", "s", "end of the simulation: a time, or a condition such as 'A.angle > 0.3'"),
    "at_most": Field("quantity", "s", "latest end of a simulation until a condition"),
    "record": Field("conditions", "", "conditions whose instants are noted: one, a list, or by name"),
    "method": Field("method", "", "a method by name, or {name: {settings}}"),
    "save": Field("quantity", "s", "interval of saved results"),
}
TOP = (*HEAD, *SECTIONS, "run", "study")


@dataclass
class Document:
    """A tree and where it came from."""

    data: Any
    file: str = ""
    lines: dict[Path, int] = field(default_factory=dict)
    overridden: set[Path] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    allow: frozenset[str] = frozenset()  # modules whose laws it may name

    def report(self, path: Path, message: str) -> None:
        """Note a problem at ``path``, with the line of it or of the nearest thing around it."""
        if len(self.problems) >= MOST_PROBLEMS:
            raise InputError([*self.in_order(), Problem("", "has more problems than these", self.file)])
        self.problems.append(Problem(dotted(path), message, *self.place(path)))

    def place(self, path: Path) -> tuple[str, int]:
        """File and line of ``path``, or of the nearest thing around it."""
        if any(path[: len(one)] == one for one in self.overridden):
            return OVERRIDE, 0
        near = path
        while near and near not in self.lines:
            near = near[:-1]
        return self.file, self.lines.get(near, 0)

    def in_order(self) -> list[Problem]:
        """Its problems by their lines."""
        return sorted(self.problems, key=lambda problem: problem.line)


def load_model(
    path: str | PathLike[str], *, overrides: Mapping[str, Any] | None = None, allow: Iterable[str] = ()
) -> System:
    """Read a model file (YAML or JSON); ``overrides`` maps dotted paths to values; raises InputError.

    Laws that the file names as ``module:function`` are imported from the modules in ``allow``, and from no others.
    """
    document = read_file(path)
    override(document, overrides or {})
    document.allow = frozenset([allow] if isinstance(allow, str) else allow)
    return build(document)


def read_file(path: str | PathLike[str]) -> Document:
    """The tree of a file with its lines; raises InputError with one sentence if it cannot be read."""
    name = fspath(path)
    file = FilePath(path)
    try:
        if file.is_dir():
            raise InputError(Problem("", "is a directory, not a model file", name))
        with file.open("rb") as stream:
            raw = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise InputError(Problem("", "there is no such file", name)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(Problem("", f"cannot be read: {reason}", name)) from None
    if len(raw) > MOST_BYTES:
        raise InputError(Problem("", f"is larger than {MOST_BYTES // 1_000_000} MB", name))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(Problem("", "is not a text in UTF-8", name)) from None
    if "\0" in text:
        raise InputError(Problem("", "is a binary file, not a model file", name))
    if file.suffix.lower() == ".json":
        text = text.replace("\t", " ")  # JSON may be indented by tabs, YAML may not
    data, lines = read_text(text, name)
    return Document(data, name, lines)


def override(document: Document, overrides: Mapping[str, Any]) -> None:
    """Replace values by dotted path; texts are read as YAML ("4", "0.2 mm", "[0, 0, 1]")."""
    problems: list[Problem] = []
    for where, given in overrides.items():
        path = _path(where)
        message = _replace(document, path, _value(given)) if path else "is not a path such as 'bodies.slider.mass'"
        if message:
            problems.append(Problem(where, message, OVERRIDE))
        document.overridden.add(path)
    if problems:
        raise InputError(problems)


def _path(where: str) -> Path:
    """("bodies", "a", "position", 2) from "bodies.a.position[2]" or "bodies.a.position.2"."""
    pieces = re.sub(r"\[(\d+)\]", r".\1", where.strip()).split(".")
    return tuple(pieces) if all(pieces) else ()


def _value(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return read_text(given)[0]
    except InputError:  # not YAML, so it is a text as it stands
        return given


def _replace(document: Document, path: Path, value: Any) -> str:
    """Put ``value`` at ``path``; the sentence if there is no such place."""
    here = document.data
    if path[0] not in TOP or not isinstance(here, dict):
        return f"there is no '{path[0]}' in a model{suggest(str(path[0]), TOP)}"
    if path[0] == "run":
        here.setdefault("run", {})
    for depth, step in enumerate(path):
        last = depth == len(path) - 1
        around = dotted(path[:depth]) or "the model"
        if isinstance(here, list):
            if not str(step).isdigit() or int(step) >= len(here):
                return f"{around} has no element '{step}', only 0 to {len(here) - 1}"
            key: Any = int(step)
        elif isinstance(here, dict):
            key = step
            # A new key may be set inside an entry (its reader judges it); new parameters and new things may not.
            if step not in here and (not last or (depth == 1 and path[0] != "run")):
                return f"there is no '{step}' in {around}{suggest(str(step), here)}"
        else:
            return f"{around} is {kind_of(here)} and has no '{step}'"
        if last:
            here[key] = value
        here = here[key]
    return ""


def build(document: Document) -> System:
    """The system that a document describes; raises InputError with all problems, in the order of their lines."""
    data = document.data
    if not isinstance(data, Mapping):
        raise InputError(
            Problem(
                "", f"a model file is a mapping that begins with 'jointplay: 1', not {kind_of(data)}", document.file
            )
        )
    _check_top(data, document)
    system = System.__new__(System)
    system._start(
        {key: data[key] for key in ("name", "planar", "gravity", "parameters", "inputs") if key in data},
        document.report,
    )
    system._scene.allow = document.allow
    system._scene.folder = str(FilePath(document.file).parent) if document.file else None
    joints = data.get("joints")
    for name, raw in joints.items() if isinstance(joints, Mapping) else ():
        sense_joint(name, raw, system._scene)  # laws may name joints that stand further down
    states = data.get("states")
    for name, raw in states.items() if isinstance(states, Mapping) else ():
        sense_state(name, raw, system._scene)
    for section in SECTIONS:
        _read_section(system, section, data.get(section, {}), document)
    if "run" in data:
        system._run_raw = data["run"]
        system._run = _read_run(data["run"], system, document)
    system._study_raw = data.get("study")  # read by studies/fromfile.py, which knows what it means
    if document.problems:
        raise InputError(document.in_order())
    system._place = document.place
    return system


def _check_top(data: Mapping[str, Any], document: Document) -> None:
    for key in data:
        if key not in TOP:
            document.report((key,), f"unknown key '{key}'{suggest(str(key), TOP)}")
    version = data.get("jointplay")
    if "jointplay" not in data:
        document.report((), "'jointplay' is missing; a model file begins with 'jointplay: 1'")
    elif isinstance(version, bool) or version != VERSION:
        document.report(("jointplay",), f"must be {VERSION}, the version of the file format, not {version}")


def _read_section(system: System, section: str, entries: Any, document: Document) -> None:
    word = SECTIONS[section].word
    if entries is None:
        entries = {}
    if not isinstance(entries, Mapping):
        document.report((section,), f"needs a mapping from names to {section}, not {kind_of(entries)}")
        return
    for name, raw in entries.items():
        if not isinstance(raw, Mapping):
            document.report((section, name), f"a {word} needs a mapping of its properties, not {kind_of(raw)}")
            system._scene.unread.add(str(name))
            continue

        def report(path: Path, message: str, name: str = name) -> None:
            document.report((section, name, *path), message)

        system._add(section, name, raw, report)


def _read_run(raw: Any, system: System, document: Document) -> dict[str, Any] | None:
    """Settings of the run, times in s; what a method is made of is left to the methods.

    Of a run until a condition, ``until`` is the latest end, and ``ends`` the condition.
    """
    if not isinstance(raw, Mapping):
        document.report(("run",), f"needs a mapping with {', '.join(RUN)}, not {kind_of(raw)}")
        return None
    entry = Entry(raw, system._scene)
    entry.keys(RUN)
    ends = is_condition(raw.get("until"))
    times = {"until": "at_most" if ends else "until", "save": "save"}
    out: dict[str, Any] = {key: entry.number(own, "s", above=0.0) for key, own in times.items() if own in raw}
    if ends:
        out["ends"] = raw["until"].strip()
        read_condition(raw["until"], ("until",), entry)
        if "at_most" not in raw:
            entry.fail((), f"'at_most' is missing: give the longest time to wait until '{out['ends']}' is true")
    elif "at_most" in raw:
        entry.fail(("at_most",), "goes with a condition in 'until', which is a time here")
    if "record" in raw:
        named = by_name(raw["record"])
        if named is None:
            entry.fail(("record",), f"needs conditions (one, a list, or by name), not {kind_of(raw['record'])}")
        for k, (name, text) in enumerate((named or {}).items()):
            inner = {Mapping: (name,), list: (k,)}
            where = next((path for kind, path in inner.items() if isinstance(raw["record"], kind)), ())
            read_condition(text, ("record", *where), entry)
        out["record"] = named or {}
    if "method" in raw:
        out["method"] = method = raw["method"]
        named_method = isinstance(method, str) and method
        if not named_method and not (isinstance(method, Mapping) and len(method) == 1):
            entry.fail(("method",), f"needs the name of a method, or {{name: {{settings}}}}, not {kind_of(method)}")
    for path, message in entry.problems:
        document.report(("run", *path), message)
    return out
