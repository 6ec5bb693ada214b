"""A model file and what the command line changes in it; every problem with file, line and field, all in one go."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, Problem

if TYPE_CHECKING:
    from ..methods.base import Method
    from ..model.system import System


@dataclass(frozen=True)
class Job:
    """What a run needs."""

    system: System
    until: float | None  # s; of a run until a condition its latest end
    method: Method | None
    save: float | str | None  # s; a text with a unit where one was given, so that no missing unit is reported
    ends: str | None = None  # the condition until which it runs
    record: Mapping[str, str] = field(default_factory=dict)  # conditions to note, by name


def overrides_of(given: list[str]) -> dict[str, str]:
    """Values by dotted path from ``path=value`` texts."""
    found: dict[str, str] = {}
    problems = []
    for text in given:
        path, equals, value = text.partition("=")
        if not equals or not path.strip() or not value.strip():
            problems.append(Problem("--set", f"needs path=value, such as bodies.slider.mass=4, not '{text}'"))
        found[path.strip()] = value.strip()
    if problems:
        raise InputError(problems)
    return found


def allowed(given: list[str] | None) -> frozenset[str]:
    """Modules whose laws a file may name; they may stand in this folder, where a script would find them."""
    if given and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    return frozenset(given or ())


def read_job(
    model: Path,
    *,
    sets: list[str] | None = None,
    until: str | None = None,
    at_most: str | None = None,
    record: list[str] | None = None,
    method: str | None = None,
    save: str | None = None,
    options: Mapping[str, str | None] | None = None,
    allow: list[str] | None = None,
) -> Job:
    """Read a model file; ``options`` are those of the method (``step``, ``rtol``), None where not given.

    ``until`` is a time or a condition, ``record`` has more conditions to note.
    ``allow`` names modules whose laws the file may use.
    """
    from ..model.conditions import is_condition
    from ..model.files import build, override, read_file
    from ..quantities.units import si
    from ..runlength import long_steps

    document = read_file(model)
    override(document, overrides_of(sets or []))
    document.allow = allowed(allow)
    system = build(document)
    run = system.run or {}
    problems: list[Problem] = []
    chosen = {name: value for name, value in (options or {}).items() if value is not None}

    def read(raw: Any, unit: str) -> float:
        return si(raw, unit, system.values)

    def seconds(flag: str, raw: str | None, usual: float | None) -> float | None:
        if raw is None:
            return usual
        try:
            value = read(raw, "s")
            if not value > 0.0:
                raise ValueError(f"must be greater than zero, is {value:g} s")
            return value
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            problems.append(Problem(flag, str(error)))
            return None

    def fail(path: tuple[str, ...], text: str) -> None:
        if path and path[0] in chosen:
            problems.append(Problem(f"--{path[0]}", text))
        elif method is not None:
            problems.append(Problem("--method", text))
        else:
            document.report(("run", "method", *path), text)

    ends = until.strip() if until is not None and is_condition(until) else None if until else run.get("ends")
    if at_most is not None and ends is None:
        problems.append(Problem("--at-most", "goes with a condition in --until"))
    flag, limit = ("--until", until) if ends is None else ("--at-most", at_most)
    end, given = seconds(flag, limit, run.get("until")), _given(method, run.get("method"))
    watched = {**run.get("record", {}), **{text.strip(): text for text in record or []}}
    looked_at = [("--record", text) for text in record or []]
    if until is not None and ends is not None:
        looked_at.append(("--until", ends))
    for option, text in looked_at:
        try:
            system.watching({"": text})
        except InputError as error:
            problems.append(Problem(option, error.problems[0].message))
    taken = _method(system, end, given, read, fail, chosen)
    if taken is not None and end is not None:
        of_file = given.get(taken.key) if isinstance(given, Mapping) else None
        written = {taken.key: {**(of_file if isinstance(of_file, Mapping) else {}), **chosen}}
        for option, message in long_steps(taken, end, written):
            fail((option,) if option in chosen else (taken.key, option), message)
    interval = seconds("--save", save, run.get("save"))
    raw = document.data["run"].get("save") if save is None and run else save
    job = Job(system, end, taken, interval if interval is None or _is_bare(raw) else f"{interval!r} s", ends, watched)
    if problems or document.problems:
        raise InputError([*problems, *document.problems])
    return job


def _is_bare(raw: Any) -> bool:
    """True for a number without a unit, as a number or as a text."""
    try:
        float(raw)
    except (TypeError, ValueError):
        return False
    return True


def _given(name: str | None, of_file: Any) -> Any:
    """The method that is meant; options of the file hold if it names the same one."""
    if name is None or name == of_file or (isinstance(of_file, Mapping) and name in of_file):
        return of_file
    return name


def _method(
    system: System, until: float | None, given: Any, read: Any, fail: Any, chosen: Mapping[str, str]
) -> Method | None:
    from ..methods.parse import read_method

    if given is None and chosen:  # options of whatever would be chosen
        from ..simulation import default_method

        given = default_method(system, until or 1.0)
    return None if given is None else read_method(given, read, fail, chosen)
