"""Laws as data.

In a model file a law is one of

    ideal                                        its key, if no field needs a value
    {spring: {stiffness: 15 N/mm, damping: 3}}   key and fields
    {spring: 15 N/mm, damping: 3}                key with the value of the first field, other fields beside it

and a field that is itself a law (the contact of a clearance) is written the same way. Units of fields are written with
X for the unit of the coordinate and F for the unit of its force (laws/base.py); here they become m, N or rad, N*m.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from math import nan
from numbers import Real
from typing import Any

import numpy as np

from ..laws.base import Law
from ..laws.bushing import Bushing
from ..laws.expressed import Actuator, OwnState
from ..laws.materials import read_material
from ..laws.registry import REGISTRY
from ..quantities.dimension import Dimension, Value
from ..quantities.signal import Signal
from ..quantities.units import QuantityError, dimension_of, si, value_of
from .actuators import express
from .entry import Entry, Path, kind_of
from .foreign import find_foreign, names_foreign
from .inputs import OWN
from .names import suggest
from .parameters import name_problem
from .state import per_second

LAWS: dict[str, type[Law]] = {law.key: law for law in REGISTRY}

# Fields that may be matrices (or, beside them, lists) over all directions of a joint at once.
MATRICES: dict[type[Law], tuple[str, ...]] = {Bushing: ("stiffness", "damping", "preload")}

FORCE_UNIT = {"m": "N", "rad": "N*m"}
LENGTH = re.compile(r"/\s*([a-z]+)\s*$")  # the unit below the line, at the end of a text such as "5e6 N/mm"


@cache
def law_unit(unit: str, coordinate: str) -> str:
    """``unit`` of a law's field with X and F replaced for a coordinate in m or rad."""
    force = FORCE_UNIT[coordinate]
    unit = re.sub(r"(?<=/)F\b", f"({force})" if "*" in force else force, unit)
    return re.sub(r"\bF\b", force, re.sub(r"\bX\b", coordinate, unit))


def parts(law: type[Law] | Law) -> tuple[Field[Any], ...]:
    """The fields of a law, those that are given by name behind the others."""
    return _parts(law if isinstance(law, type) else type(law))  # type: ignore[arg-type,unused-ignore]


@cache
def _parts(law: type[Law]) -> tuple[Field[Any], ...]:
    return tuple(sorted(fields(law), key=lambda part: bool(part.kw_only)))  # type: ignore[arg-type,unused-ignore]


def default(part: Field[Any]) -> Any:
    """The default of a field, or MISSING."""
    return part.default_factory() if part.default_factory is not MISSING else part.default


def law_fields(law: Law) -> dict[str, Any]:
    """The fields of a law that differ from their defaults, as given."""
    given = {part.name: (getattr(law, part.name), default(part)) for part in parts(law)}
    return {name: value for name, (value, usual) in given.items() if not _same(value, usual)}


def _same(value: Any, usual: Any) -> bool:
    return value is usual or (type(value) is type(usual) and isinstance(value, (int, float, str)) and value == usual)


def read_law(
    raw: Any,
    path: Path,
    coordinate: str,
    entry: Entry,
    usual: type[Law] | None = None,
    role: str = "",
    lever: float | None = None,
) -> Law | None:
    """The law given by ``raw`` (a Law or a tree) with all numbers in SI for a coordinate in m or rad.

    Where the field is called like the law ``usual``, its fields alone will do. ``role`` is what the law is to serve as.
    ``lever``: m per rad of the wheel whose turns may be given in place of lengths, where there is one.
    """
    if usual and isinstance(raw, Mapping) and usual.key not in raw and set(raw) <= {part.name for part in parts(usual)}:
        raw = {usual.key: dict(raw)}
    if isinstance(raw, Law):
        given = {part.name: ((*path, part.name), getattr(raw, part.name)) for part in parts(raw)}
        if raw.is_own:  # whoever gives the law itself allows it, also in copies that are made from the tree
            entry.scene.allow |= {raw.key.partition(":")[0]}
        return _build(type(raw), given, path, coordinate, entry, lever)
    if isinstance(raw, str):
        raw = {raw: None}
    if not isinstance(raw, Mapping):
        entry.fail(path, f"needs a law such as 'ideal' or {{spring: ...}}, not {kind_of(raw)}")
        return None
    law = _which(raw)
    foreign = next((key for key in raw if names_foreign(key)), None) if law is None else None
    if foreign is not None:
        found = find_foreign(foreign, role, path, entry)
        if found is None or isinstance(found, Law):
            return found
        law = found
        raw = {law.key: raw[foreign], **{key: one for key, one in raw.items() if key != foreign}}
    if law is None:
        name = str(next(iter(raw), ""))
        entry.fail(path, f"there is no law '{name}'{suggest(name, LAWS)}" if name else "names no law")
        return None
    return _build(law, _given(law, raw, path, entry), path, coordinate, entry, lever)


def _which(raw: Mapping[str, Any]) -> type[Law] | None:
    """The law whose key stands in ``raw``; its other keys decide where two do (a field may be called like a law)."""
    found = [LAWS[key] for key in raw if key in LAWS]
    for law in found:
        if {key for key in raw if key != law.key} <= {part.name for part in parts(law)}:
            return law
    return found[0] if found else None


def _given(law: type[Law], raw: Mapping[str, Any], path: Path, entry: Entry) -> dict[str, tuple[Path, Any]]:
    """Path and raw value of each field that ``raw`` gives; unknown fields are noted."""
    names = [part.name for part in parts(law)]
    head = raw[law.key]
    given: dict[str, tuple[Path, Any]] = {}
    rest = {key: ((*path, key), value) for key, value in raw.items() if key != law.key}
    if isinstance(head, Mapping) and (set(head) & set(names) or not _takes_mapping(law)):
        given = {str(key): ((*path, law.key, key), value) for key, value in head.items()}
    elif head is not None and names:
        given = {names[0]: ((*path, law.key), head)}
    elif head is not None:
        entry.fail((*path, law.key), f"the law '{law.key}' takes no value")
    for key, (place, value) in rest.items():
        if key in given:
            entry.fail(place, f"'{key}' is given twice")
        given[key] = (place, value)
    for key in [key for key in given if key not in names]:
        place, _ = given.pop(key)
        entry.fail(place, f"unknown key '{key}' of the law '{law.key}'{suggest(str(key), names)}")
    return given


def _takes_mapping(law: type[Law]) -> bool:
    """True if the first field may itself be a mapping (a table over time, or a law)."""
    return bool(parts(law)) and "unit" not in parts(law)[0].metadata


def _build(
    law: type[Law],
    given: dict[str, tuple[Path, Any]],
    path: Path,
    coordinate: str,
    entry: Entry,
    lever: float | None = None,
) -> Law | None:
    """The law with its fields in SI."""
    before = len(entry.problems)
    failed, entry.failed = entry.failed, False
    values: dict[str, Any] = {}
    # the unit of a field may depend on the value of another one, which comes first
    for part in _by_need(law):  # type: ignore[arg-type,unused-ignore]
        place, raw = given.get(part.name, ((*path, part.name), default(part)))
        if raw is MISSING:
            entry.fail(path, f"the law '{law.key}' needs '{part.name}'")
            continue
        if part.name in MATRICES.get(law, ()) and isinstance(raw, list | tuple | np.ndarray):
            values[part.name] = _matrix(raw, place, entry)
        elif lever is not None and part.metadata.get("turn"):
            values[part.name] = entry.way(raw, place, lever, least=part.metadata["least"])
        else:
            values[part.name] = _field(part, raw, place, coordinate, entry, values)
    good = not entry.failed and len(entry.problems) == before
    entry.failed = entry.failed or failed
    if not good:
        return None
    try:
        made = law(**values)
        if made.is_own:
            made.numbers()  # its machine code, and what is wrong with it
        if isinstance(made, Actuator):
            express(made, lambda unit: law_unit(unit, coordinate))
        return made
    except ValueError as error:  # a law may check how its fields fit together
        entry.fail(path, str(error))
        return None


@cache
def _by_need(law: type[Law]) -> list[Field[Any]]:
    """Its fields in the order in which they can be read."""

    def rank(one: Field[Any]) -> int:
        if "states" in one.metadata:
            return 1
        return 2 if "{" in str(one.metadata.get("unit", "")) or "senses" in one.metadata else 0

    return sorted(parts(law), key=rank)


def _field(part: Field[Any], raw: Any, path: Path, coordinate: str, entry: Entry, known: dict[str, Any]) -> Any:
    """One field in SI, by its metadata; ``known`` are the fields that are read already."""
    facts = part.metadata
    if raw is None and part.default is None:
        return None
    if "choice" in facts:
        if raw not in facts["choice"]:
            entry.fail(path, f"must be one of {', '.join(facts['choice'])}, not {kind_of(raw)}")
        return raw
    if "pairs" in facts:
        return _curve(raw, path, [law_unit(unit, coordinate) for unit in facts["pairs"]], entry)
    if "series" in facts:
        return _series(raw, path, law_unit(facts["series"], coordinate), entry)
    if "material" in facts:
        return _material(raw, path, coordinate, entry)
    if "unit" in facts and "{" in facts["unit"]:
        return _with_power(part, raw, path, coordinate, entry, known)
    if "named" in facts:
        return _named(raw, path, entry)
    if "states" in facts:
        return _states(raw, path, coordinate, entry, known)
    if "signal" in facts:
        return _function(facts, raw, path, coordinate, entry, known)
    if "unit" in facts:
        unit = law_unit(facts["unit"], coordinate)
        try:
            dimension_of(unit)
        except QuantityError as error:  # a law of a user
            entry.fail(path, f"its law names a unit that is none: {error}")
            return None
        return entry.scalar(raw, path, unit, above=facts.get("above"), least=facts.get("least"))
    if "law" in facts:
        return _part(facts["law"], raw, path, coordinate, entry, LAWS.get(part.name))
    return raw


def _function(
    facts: Mapping[str, Any], raw: Any, path: Path, coordinate: str, entry: Entry, known: dict[str, Any]
) -> Signal | None:
    """A function of time; of x, v and all that can be sensed as well where the law allows it."""
    unit, values = law_unit(facts["signal"], coordinate), known.get("values") or {}
    if "senses" in facts:
        own = _own_names(coordinate, known.get("states") or {})
        sensing = entry.signal(raw, path, unit, values, own)
        if sensing is not None and "plain" in facts and isinstance(raw, str):
            # it is what it is, whatever plain numbers may do elsewhere
            if meant := entry.other_dimension(raw, unit, values, own):
                entry.fail(path, f"expected {unit}, but {raw.strip()} {meant}")
                return None
        return sensing
    found = entry.signal(raw, path, unit)
    if found is not None and found.names:
        entry.fail(
            path,
            f"must depend on t alone, not on {', '.join(sorted(found.names))}: a drive closes its coordinate, and a "
            "target that follows the motion or an input would need jumps that no force can make. Give a "
            "force_law instead, such as '-k*(x - target) - c*v'",
        )
    return found


def _own_names(coordinate: str, states: Mapping[str, OwnState]) -> dict[str, Dimension | None]:
    """What an expression of a law names beside the model: x, v and the states of the law."""
    own = {"x": dimension_of(coordinate), "v": dimension_of(f"{coordinate}/s")}
    return own | {name: dimension_of(one.unit) for name, one in states.items()}


def _states(raw: Any, path: Path, coordinate: str, entry: Entry, known: dict[str, Any]) -> dict[str, OwnState]:
    """States of a law: their units first, since each rate may name them all."""
    found: dict[str, OwnState] = {}
    if not isinstance(raw, Mapping):
        entry.fail(path, f"needs a mapping from names to states, {{z: {{unit: m*s, rate: x}}}}, not {kind_of(raw)}")
        return found
    values = known.get("values") or {}
    for name, given in raw.items():
        message = name_problem(name, "a state of a law")
        if not message:
            message = _taken(name, values, entry)
        if isinstance(given, OwnState):
            given = {"unit": given.unit, "rate": given.rate, "start": given.start}
        if not message and not isinstance(given, Mapping):
            message = f"a state needs a mapping with unit, rate and start, not {kind_of(given)}"
        if not message:
            missing = {"rate"} - set(given)
            unknown = [key for key in given if key not in ("unit", "rate", "start")]
            message = (
                f"unknown key '{unknown[0]}'{suggest(str(unknown[0]), ('unit', 'rate', 'start'))}" if unknown else ""
            )
            message = message or ("a state needs its 'rate'" if missing else "")
        if message:
            entry.fail((*path, str(name)), message)
            continue
        unit = given.get("unit") or ""
        try:
            unit = law_unit(unit, coordinate) if isinstance(unit, str) else unit
            dimension_of(unit)
        except (ValueError, AttributeError, TypeError) as error:
            entry.fail((*path, name, "unit"), str(error) if isinstance(error, ValueError) else "needs a unit, 'm*s'")
            continue
        start = entry.scalar(given.get("start") or 0.0, (*path, name, "start"), unit)
        found[name] = OwnState(unit, given["rate"], start)
    own = _own_names(coordinate, found)
    for name, one in found.items():
        rate = entry.signal(one.rate, (*path, name, "rate"), per_second(one.unit), values, own)
        found[name] = OwnState(one.unit, rate, one.start)
    return found


def _taken(name: str, values: Mapping[str, Any], entry: Entry) -> str:
    """Why a state of a law cannot have this name, which something else in its expressions has; nothing if it can."""
    others = {"the coordinate or rate of the law": OWN, "a number of the law": values}
    others |= {"a parameter of the model": entry.scene.values, "an input of the model": entry.scene.inputs}
    what = next((what for what, names in others.items() if name in names), "")
    return f"'{name}' is {what} already and cannot name a state" if what else ""


def _named(raw: Any, path: Path, entry: Entry) -> dict[str, Value]:
    """Numbers that an expression names, each with the dimension that it has."""
    found: dict[str, Value] = {}
    if not isinstance(raw, Mapping):
        entry.fail(path, f"needs a mapping from names to numbers, not {kind_of(raw)}")
        return found
    for name, given in raw.items():
        message = name_problem(name, "a number of a law")
        if not message and name in OWN:
            message = f"'{name}' is the {'coordinate' if name == 'x' else 'rate'} itself and cannot name a number"
        if message:
            entry.fail((*path, str(name)), message)
            continue
        try:
            found[name] = value_of(given, entry.scene.values)
        except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
            entry.fail((*path, name), str(error))
    return found


def _with_power(part: Field[Any], raw: Any, path: Path, coordinate: str, entry: Entry, known: dict[str, Any]) -> float:
    """A number whose unit has the power of another field: K of K x^n.

    A unit without the power (N/m for n = 1.5, as often printed) is taken to leave it out, with a warning.
    """
    facts = part.metadata
    power = known.get("exponent", 1.0)
    unit = law_unit(facts["unit"].format(exponent=f"{power:g}"), coordinate)
    linear = law_unit(facts["unit"].replace("^{exponent}", ""), coordinate)
    last = LENGTH.search(raw) if isinstance(raw, str) else None
    if last and last.group(1) in entry.scene.values:
        last = None  # a parameter, not a unit
    short = isinstance(raw, str) and power != 1.0 and _fits(raw, linear, entry) and not _fits(raw, unit, entry)
    if short and not last:
        entry.fail(path, f"'{raw}' is a linear stiffness, but the exponent is {power:g}: give it in {unit}")
        return nan
    if short and last:
        read = f"{raw[: last.start(1)]}{last.group(1)}^{power:g}"
        entry.warn(path, f"'{raw}' has the unit of a linear stiffness, but the exponent is {power:g}: read as {read}")
        raw = read
    return entry.scalar(raw, path, unit, above=facts.get("above"), least=facts.get("least"))


def _fits(raw: str, unit: str, entry: Entry) -> bool:
    try:
        si(raw, unit, entry.scene.values)
    except (ValueError, OverflowError, ZeroDivisionError):
        return False
    return True


def _curve(raw: Any, path: Path, units: list[str], entry: Entry) -> Any:
    """Points of a curve in SI."""
    if isinstance(raw, np.ndarray):
        raw = raw.tolist()
    if not isinstance(raw, list | tuple):
        entry.fail(path, f"needs a list of points [x in {units[0]}, force in {units[1]}], not {kind_of(raw)}")
        return None
    for k, one in enumerate(raw):
        if not isinstance(one, list | tuple) or len(one) != 2:
            entry.fail((*path, k), f"needs two numbers, [x in {units[0]}, force in {units[1]}]")
            return None
    return tuple(
        tuple(entry.scalar(one, (*path, k, m), unit) for m, (one, unit) in enumerate(zip(point, units, strict=True)))
        for k, point in enumerate(raw)
    )


def _series(raw: Any, path: Path, unit: str, entry: Entry) -> Any:
    """A list of numbers in SI; one number stands for a list of one."""
    items = raw.tolist() if isinstance(raw, np.ndarray) else raw if isinstance(raw, list | tuple) else [raw]
    return tuple(entry.scalar(one, (*path, k), unit.format(k=k + 1)) for k, one in enumerate(items))


def _matrix(raw: Any, path: Path, entry: Entry) -> Any:
    """A list or square matrix of plain numbers in SI: displacements and rotations have units of their own."""
    plain = _numeric(raw.tolist() if isinstance(raw, np.ndarray) else raw)
    try:
        out = np.array(raw if plain else np.nan, dtype=float)
    except (ValueError, TypeError, OverflowError):  # rows of unequal length, or numbers beyond all range
        out = np.array(np.nan)
    if not np.isfinite(out).all() or out.ndim not in (1, 2) or not out.size:
        entry.fail(path, "needs plain numbers in SI (N/m, N/rad, N m/rad), by rows")
        return None
    return tuple(map(tuple, out.tolist())) if out.ndim == 2 else tuple(out.tolist())


def _numeric(raw: Any) -> bool:
    """True for numbers and lists of them; texts and truth values are none, though NumPy would take them."""
    if isinstance(raw, list | tuple):
        return all(map(_numeric, raw))
    return isinstance(raw, Real) and not isinstance(raw, bool | np.bool_)


def _material(raw: Any, path: Path, coordinate: str, entry: Entry) -> Any:
    """Moduli of two surfaces in SI."""
    if coordinate != "m":
        entry.fail(path, "does not apply to a contact that is measured in rad; give its stiffness in N*m/rad^n")
        return None
    try:
        return read_material(raw, lambda value, unit: si(value, unit, entry.scene.values))
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        entry.fail(path, str(error))
        return None


def _part(role: str, raw: Any, path: Path, coordinate: str, entry: Entry, usual: type[Law] | None = None) -> Law | None:
    """A law inside a law: the contact of a clearance, its friction."""
    if not isinstance(raw, Law | Mapping | str):
        example = {"friction": "{coulomb: 0.1}", "contact": "{hertz: 1e9 N/m^1.5}"}.get(role, "{...}")
        entry.fail(path, f"needs a law such as {example}, not {kind_of(raw)}")
        return None
    law = read_law(raw, path, coordinate, entry, usual, role)
    if law is not None and law.role != role:
        allowed = ", ".join(one.key for one in LAWS.values() if one.role == role)
        entry.fail(path, f"the law '{law.key}' cannot serve as {role}; those that can: {allowed}")
    elif law is not None and getattr(law, "load", None) is not None:
        entry.fail((*path, "load"), "is the force of the contact here; leave it out")
    return law
