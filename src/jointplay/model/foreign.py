"""Laws that are not part of the package: named in a file as ``module:function``, or published by an installed package.

A model file is data, and opening one runs no code that it names. Only modules that the reader allows are imported
(``load_model(path, allow=["mylaws"])``); a package that is installed may publish laws under names of its own by the
entry point group "jointplay.laws", which files may use like built-in ones. A law that is not allowed leaves a
stand-in, so that the mechanism can be shown and checked; it cannot be run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ..errors import InputError, Problem
from ..laws.base import Law
from ..laws.coulomb import Coulomb
from ..laws.own_law import MADE, Own
from ..laws.rigid import Rigid
from ..laws.spring import Spring
from .entry import Entry, Path

GROUP = "jointplay.laws"
STAND_INS: dict[str, Law] = {"": Spring(), "contact": Rigid(), "friction": Coulomb(0.0)}


@cache
def published() -> dict[str, EntryPoint]:
    """Laws that installed packages publish, by name."""
    return {one.name: one for one in entry_points(group=GROUP)}


def names_foreign(key: Any) -> bool:
    """True if a key of a law may be that of one from outside."""
    return isinstance(key, str) and (":" in key or key in published())


def find_foreign(key: str, role: str, path: Path, entry: Entry) -> type[Law] | Law | None:
    """The law of that key; a stand-in where it is not allowed; None after a problem."""
    if key in published():
        try:
            return _checked(published()[key].load(), key, path, entry)
        except Exception as error:  # whatever the package does when it is imported
            entry.fail(path, f"the law '{key}' of {published()[key].value} cannot be loaded: {error}")
            return None
    module, _, name = key.partition(":")
    if module not in entry.scene.allow:
        entry.scene.absent[key] = module
        return STAND_INS[role]
    if key in MADE:
        return MADE[key]
    try:
        found: Any = import_module(module)
        for piece in name.split("."):
            found = getattr(found, piece)
    except Exception as error:
        entry.fail(path, f"the law '{key}' cannot be loaded: {type(error).__name__}: {error}")
        return None
    return _checked(found, key, path, entry)


def _checked(found: Any, key: str, path: Path, entry: Entry) -> type[Law] | None:
    if isinstance(found, type) and issubclass(found, Own):
        return found
    entry.fail(path, f"'{key}' is no law: decorate the function with @jointplay.law")
    return None


def refuse_absent(system: Any) -> None:
    """InputError if a System names laws that it was not allowed to import: stand-ins must not run."""
    if system.absent:
        raise InputError(Problem("system", absent_words(system.absent)))


def absent_words(absent: dict[str, str]) -> str:
    """Why a model with absent laws cannot be run."""
    names = sorted(set(absent.values()))
    modules = ", ".join(f"'{name}'" for name in names)
    return (
        f"names laws that are not part of jointplay ({', '.join(sorted(absent))}). Reading a file runs no code that it "
        f"names unless you allow it: allow=[{modules}] in Python, --allow {' --allow '.join(names)} on the command line"
    )


def own_laws(system: Any) -> str:
    """Laws of users in a model and where they stand, for sentences; empty if there is none."""
    found = [
        f"'{law.key}' of {joint.name}"
        for joint in system.joints
        for given in (*joint.closed.values(), *(one for many in joint.free.values() for one in many), joint.friction)
        for law in _own_within(given)
    ]
    return ", ".join(dict.fromkeys(found))


def _own_within(law: Any) -> Iterator[Any]:
    """A law, and those that it consists of, where users wrote them."""
    if getattr(law, "is_own", False):
        yield law
    elif is_dataclass(law) and not isinstance(law, type):
        for one in fields(law):
            yield from _own_within(getattr(law, one.name))
