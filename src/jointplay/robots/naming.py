"""Names for a System from names of a file: unique over all kinds of things, without characters that have a meaning."""

from __future__ import annotations

from itertools import chain, count

from ..model.names import FORBIDDEN, LONGEST, RESERVED, name_problem


class Names:
    """The names of a System to be."""

    def __init__(self) -> None:
        self.taken: dict[str, str] = {}

    def give(self, wanted: str, what: str) -> str:
        """A name as near as possible to the wanted one, for a body, joint or marker."""
        clean = "".join("_" if c in FORBIDDEN or not c.isprintable() else c for c in wanted).strip() or what
        clean = f"{clean} {what}" if clean in RESERVED else clean
        candidates = chain((clean, f"{clean} {what}"), (f"{clean} {what} {k}" for k in count(2)))
        found = next(one for one in (_short(name) for name in candidates) if not name_problem(one, self.taken))
        self.taken[found] = what
        return found


def _short(name: str) -> str:
    """At most as long as a name may be: the middle is left out."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST // 2 - 2]}__{name[len(name) - LONGEST // 2 :]}"
