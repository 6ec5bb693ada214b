"""Numbers and names from the attributes of elements; what cannot be read is reported with its line."""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite, nan

import numpy as np

from ..model.names import suggest
from .ledger import Ledger
from .xmltree import Node

HUGE = 1e50  # no quantity of a machine in SI is; squares of larger ones overflow


def numbers(node: Node, key: str, count: int, ledger: Ledger, default: tuple[float, ...] | None = None) -> np.ndarray:
    """``count`` finite numbers of an attribute; NaN after a problem. Without a default it must be there."""
    given = node.attributes.get(key)
    if given is None and default is not None:
        return np.array(default)
    what = "a number" if count == 1 else f"{count} numbers"
    if given is None:
        ledger.fail(node, f"'{key}' is missing ({what})")
        return np.full(count, nan)
    pieces = given.split()
    found = [_float(piece) for piece in pieces]
    if len(found) != count or None in found:
        ledger.fail(node, f"'{key}' needs {what} without a unit, not '{given}'")
        return np.full(count, nan)
    out = np.array(found, dtype=float)
    if not (np.abs(out) < HUGE).all():
        ledger.fail(node, f"'{key}' must be finite, is '{given}'")
        return np.full(count, nan)
    return out


def number(node: Node, key: str, ledger: Ledger, default: float | None = None) -> float:
    """One finite number of an attribute; NaN after a problem."""
    return float(numbers(node, key, 1, ledger, None if default is None else (default,))[0])


def bound(node: Node, key: str, ledger: Ledger, default: float) -> float | None:
    """A limit; None if it is so far away (infinite, the largest number there is) that it is none."""
    found = _float(node.attributes.get(key, "").strip())
    return None if found is not None and abs(found) >= HUGE else number(node, key, ledger, default)


def positive(node: Node, key: str, ledger: Ledger) -> float:
    """A length greater than zero; NaN after a problem."""
    found = number(node, key, ledger)
    if isfinite(found) and not found > 0.0:
        ledger.fail(node, f"'{key}' must be greater than 0, is {found:g}")
        return nan
    return found


def known(node: Node, keys: Collection[str], ledger: Ledger) -> None:
    """Attributes that the format does not have may be slips of the pen, or physics of another program."""
    for key in sorted(key for key in node.attributes if key not in keys and not key.startswith("xmlns")):
        hint = suggest(key, keys) if keys else ""
        what = f"there is no attribute '{key}' of '{node.tag}' in {ledger.format}{hint}"
        ledger.lose(node, what, key, partly=True)


def _float(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None
