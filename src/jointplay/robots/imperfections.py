"""Imperfections on joints of a file, by name: ``play={"elbow": jp.Clearance("0.1 mm")}``.

A law goes where it belongs: a clearance to the first direction of the joint that may have one, friction under the
reaction to ``friction``, laws on a coordinate beside those of the file. A mapping gives any fields of the joint, such
as ``{"radial": jp.Clearance(...), "radius": "8 mm", "length": "20 mm"}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InputError, Problem
from ..joints.registry import KINDS
from ..laws.base import Law
from ..laws.bushing import Bushing
from ..laws.clearance import Clearance
from ..laws.on_joint import OnJoint
from ..model.names import suggest


def check_names(play: Mapping[str, Any], names: Iterable[str]) -> list[Problem]:
    """Names that no joint has, each with the nearest one."""
    known = set(names)
    return [Problem("play", f"there is no joint '{name}'{suggest(name, known)}") for name in play if name not in known]


def with_play(kind: str, fields: Mapping[str, Any], given: Any, name: str) -> dict[str, Any]:
    """The fields of a joint with the imperfections that were given for it."""
    added = given if isinstance(given, Mapping) and not _is_law_tree(given) else _placed(kind, given, name)
    out = dict(fields)
    for key, value in added.items():
        both = key in KINDS[kind].free and key in out
        out[key] = [*_listed(out[key]), *_listed(value)] if both else value
    return out


def _placed(kind: str, law: Any, name: str) -> dict[str, Any]:
    facts = KINDS[kind]
    if isinstance(law, Mapping):  # {"clearance": "0.1 mm", ...} as in a model file
        if facts.clear:
            return {next(iter(facts.clear)): law}
    elif isinstance(law, Clearance) and facts.clear:
        return {next(iter(facts.clear)): law}
    elif isinstance(law, Bushing) and law.is_matrix and facts.coupled:
        return {"bushing": law}
    elif isinstance(law, Bushing) and "radial" in facts.closed:
        return {"radial": law}
    elif isinstance(law, OnJoint) and getattr(law, "load", None) is None and facts.rubs is not None:
        return {"friction": law}
    elif isinstance(law, Law) and law.drives and len(facts.free) == 1:
        return {next(iter(facts.free)): law}
    what = f"the law '{law.key}'" if isinstance(law, Law) else f"a {type(law).__name__}"
    fields = ", ".join([*facts.closed, *facts.free])
    raise InputError(
        Problem(
            f"play['{name}']", f"{what} has no one place in a {kind} joint: give the place by a mapping with {fields}"
        )
    )


def _is_law_tree(given: Mapping[str, Any]) -> bool:
    return "clearance" in given


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
