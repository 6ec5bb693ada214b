"""Names of things and of keys: what may be a name, and which one was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

RESERVED = ("ground", "energy", "solver", "time")
FORBIDDEN = "./[]"  # results are called "crank.position[2]", and a slash opens a group in a NetCDF file


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the nearest known one, or the list of them."""
    names = sorted(str(one) for one in known)
    alike = [one for one in names if abs(len(one) - len(name)) <= 2]  # a slip of the pen is short
    near = get_close_matches(name, alike, n=1, cutoff=0.6) or [one for one in names if one.lower() == name.lower()]
    if near:
        return f"; did you mean '{near[0]}'?"
    if not names:
        return ""
    more = ", ..." if len(names) > 12 else ""
    return f"; known: {', '.join(names[:12])}{more}"


def name_problem(name: Any, taken: dict[str, str]) -> str:
    """What is wrong with ``name`` for a new thing, or an empty string; ``taken`` maps names to what they name."""
    if not isinstance(name, str):
        return f"a name must be text, not {type(name).__name__}"
    if not name or name != name.strip():
        return "a name must not be empty, nor begin or end with a blank"
    bad = [c for c in name if c in FORBIDDEN or not c.isprintable()]
    if bad:
        return f"a name must not contain {bad[0]!r}"
    if name in RESERVED:
        return f"'{name}' is a reserved name"
    if name in taken:
        return f"the name '{name}' is taken by a {taken[name]}; names are unique over the whole system"
    return ""


def dotted(path: Iterable[str | int]) -> str:
    """A path as people write it: ("position", 2) is "position[2]"."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
