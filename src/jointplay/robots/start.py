"""Values and rates of coordinates at the start, by the names of joints.

A coordinate starts at zero, or in the middle of its limits where zero lies outside them. A hinge or slide takes one
value, a planar joint three (two displacements, an angle), a ball four Euler parameters, a floating link three (a
position) or seven (with Euler parameters); rates take one, three, three and six (velocity, spin in body axes).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..model.names import suggest
from ..quantities.units import si
from .ledger import Ledger
from .robot import BALL, Connection, Freedom

STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Given:
    """What the caller gives for the start."""

    start: Mapping[str, Any]
    rates: Mapping[str, Any]

    def check(self, connections: Iterable[Connection]) -> list[Problem]:
        """Names that no joint has."""
        names = {name for one in connections for name in (one.name, one.child if one.floating else one.name)}
        names |= {freedom.name for one in connections for freedom in one.freedoms}
        out = []
        for key, given in (("start", self.start), ("rates", self.rates)):
            unknown = [name for name in given if name not in names]
            out += [Problem(key, f"there is no joint '{name}' that moves{suggest(name, names)}") for name in unknown]
        return out

    def values(self, connection: Connection, ledger: Ledger) -> list[np.ndarray]:
        """Coordinates of a connection."""
        if connection.floating:
            return [_pose(_found(self.start, connection), connection)]
        usual = [_usual(freedom, ledger) for freedom in connection.freedoms]
        return self._each(self.start, "start", connection, usual, "")

    def speeds(self, connection: Connection) -> list[np.ndarray]:
        """Rates of a connection."""
        if connection.floating:
            raw = _found(self.rates, connection)
            units = ["m/s"] * 3 + ["rad/s"] * 3
            return [np.zeros(6) if raw is None else _list(raw, units, "rates", connection.name)]
        usual = [np.zeros(3 if freedom.kind == BALL else 1) for freedom in connection.freedoms]
        return self._each(self.rates, "rates", connection, usual, "/s")

    def _each(
        self, given: Mapping[str, Any], key: str, connection: Connection, usual: list[np.ndarray], per: str
    ) -> list[np.ndarray]:
        freedoms = connection.freedoms
        names = {freedom.name for freedom in freedoms}
        if len(freedoms) > 1 and len(names) == 1 and freedoms[0].name in given:  # one joint with several motions
            units = [freedom.unit + per for freedom in freedoms]
            return [np.array([x]) for x in _list(given[freedoms[0].name], units, key, freedoms[0].name)]
        out = []
        for freedom, value in zip(freedoms, usual, strict=True):
            if freedom.name in given:
                raw = given[freedom.name]
                raw = [raw] if len(value) == 1 and not isinstance(raw, (list, tuple, np.ndarray)) else raw
                unit = "" if freedom.kind == BALL and not per else freedom.unit + per
                value = _list(raw, [unit] * len(value), key, freedom.name)
                if freedom.kind == BALL and not per:
                    value = value / np.linalg.norm(value)
            out.append(value)
        return out


def _found(given: Mapping[str, Any], connection: Connection) -> Any:
    return given.get(connection.name, given.get(connection.child))


def _usual(freedom: Freedom, ledger: Ledger) -> np.ndarray:
    if freedom.kind == BALL:
        return UPRIGHT
    if freedom.lower is None or freedom.upper is None or freedom.lower <= freedom.zero <= freedom.upper:
        return np.array([freedom.zero])
    middle = 0.5 * (freedom.lower + freedom.upper)
    assert freedom.limited_by is not None
    ledger.converted(freedom.limited_by, f"the start is {middle:.6g} {freedom.unit}, since 0 lies outside")
    return np.array([middle])


def _pose(raw: Any, connection: Connection) -> np.ndarray:
    if raw is None:
        return STILL
    count = len(raw) if isinstance(raw, (list, tuple, np.ndarray)) else 1
    units = ["m"] * 3 + ([""] * 4 if count != 3 else [])
    found = _list(raw, units, "start", connection.name or connection.child)
    if count == 3:
        return np.append(found, UPRIGHT)
    return np.append(found[:3], found[3:] / np.linalg.norm(found[3:]))


def _list(raw: Any, units: list[str], key: str, name: str) -> np.ndarray:
    """Numbers in SI, each with its unit; raises InputError."""
    given = list(raw) if isinstance(raw, (list, tuple, np.ndarray)) else [raw]
    if len(given) != len(units):
        what = "one value" if len(units) == 1 else f"{len(units)} values"
        raise InputError(Problem(f"{key}['{name}']", f"needs {what}, has {len(given)}"))
    try:
        found = np.array([si(one, unit, {}) for one, unit in zip(given, units, strict=True)], dtype=float)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
        raise InputError(Problem(f"{key}['{name}']", str(error))) from None
    if not np.isfinite(found).all():
        raise InputError(Problem(f"{key}['{name}']", "must be finite"))
    return found
