"""Names of things and of keys: what may be a name or a title, and which name was probably meant.

A name of a body, marker, joint, spring or load is at most 60 characters of any script that can be seen, with blanks
inside if wanted. It becomes a part of names of results ("crank.position[2]", "|B.force|"), of paths of fields
(``--set bodies.crank.mass=4``) and of variables in NetCDF files, so the few characters that have a meaning there are
refused. The title of a system is free text: it is only shown, and who shows it escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

RESERVED = ("ground", "energy", "solver", "time")
FORBIDDEN = {
    ".": "parts a thing from its quantity, as in crank.position",
    "[": "opens the number of a component, as in crank.position[2]",
    "]": "closes the number of a component, as in crank.position[2]",
    "|": "stands for the magnitude of a result, as in |B.force|",
    "/": "opens a group in a NetCDF file",
    "\\": "parts folders on some systems",
    "$": "begins a formula in figures",
    "=": "parts the path from the value in --set",
    '"': "would end a quoted name",
}
LONGEST = 60  # characters of a name
LONGEST_TITLE = 500


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the nearest known one, or the list of them."""
    if re.fullmatch(r"[0-9]+( \S+)?", name):  # what YAML makes of {until: 0,5 s}
        return f"; a decimal has a point, such as 0.{name}"
    names = sorted(str(one) for one in known)
    alike = [one for one in names if abs(len(one) - len(name)) <= 2]  # a slip of the pen is short
    near = get_close_matches(name, alike, n=1, cutoff=0.6) or [one for one in names if one.lower() == name.lower()]
    if near:
        return f"; did you mean '{near[0]}'?"
    if not names:
        return ""
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"; known: {', '.join(names[:12])}{more}"


def name_problem(name: Any, taken: dict[str, str]) -> str:
    """What is wrong with ``name`` for a new thing, or an empty string; ``taken`` maps names to what they name."""
    if not isinstance(name, str):
        return f"a name must be text, not {type(name).__name__}"
    if not name or name != name.strip():
        return "a name must not be empty, nor begin or end with a blank"
    if len(name) > LONGEST:
        return f"a name must not be longer than {LONGEST} characters, this one has {len(name)}"
    for c in name:
        if c in FORBIDDEN:
            return f"a name must not contain {c!r}, which {FORBIDDEN[c]}"
        if not c.isprintable():
            return f"a name must not contain {c!r}, which cannot be seen"
    if name in RESERVED:
        return f"'{name}' is a reserved name"
    if name in taken:
        return f"the name '{name}' is taken by a {taken[name]}; names are unique over the whole system"
    return ""


def title_problem(title: str) -> str:
    """What is wrong with the title of a system, or an empty string."""
    if len(title) > LONGEST_TITLE:
        return f"must not be longer than {LONGEST_TITLE} characters, has {len(title)}"
    bad = next((c for c in title if not (c.isprintable() or c.isspace())), "")
    return f"must not contain {bad!r}, which cannot be seen" if bad else ""


def dotted(path: Iterable[str | int]) -> str:
    """A path as people write it: ("position", 2) is "position[2]"."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
