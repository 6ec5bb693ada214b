"""What the user gave, kept as plain data.

``keep`` copies it (arrays become lists of Python floats), so that later changes of the caller's arrays do not reach
the model; laws, tables and callables stay what they are. ``tree`` goes on to what a file can hold: a function of time
is written as an expression in t where it can be traced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..laws.base import Law
from ..quantities.signal import Signal, Table
from .lawtree import law_fields

PLAIN = (float, int, str, bool, type(None))


class NotData(ValueError):
    """A value that no file can hold."""


def keep(raw: Any) -> Any:
    """A copy in plain Python: dict, list, str, bool, int, float, None; laws, tables and callables unchanged."""
    if type(raw) in PLAIN or isinstance(raw, (str, Law)):
        return raw
    if isinstance(raw, (list, tuple)):
        return [one if type(one) in PLAIN else keep(one) for one in raw]
    if isinstance(raw, Mapping):
        return {key: one if type(one) in PLAIN else keep(one) for key, one in raw.items()}
    if isinstance(raw, np.ndarray):
        return keep(raw.tolist())
    if isinstance(raw, np.bool_):
        return bool(raw)
    if isinstance(raw, Integral):
        return int(raw)
    if isinstance(raw, Real):
        return float(raw)
    if hasattr(raw, "magnitude") and hasattr(raw, "units"):  # a quantity of any pint registry, as text with a unit
        size = keep(raw.magnitude)
        return [f"{one!r} {raw.units}" for one in size] if isinstance(size, list) else f"{size!r} {raw.units}"
    return raw


def split(function: Callable[[float], Any]) -> list[Callable[[float], Any]] | None:
    """One function per component, if ``function(t)`` is a vector; raises whatever the function raises at t = 0."""
    value = np.asarray(function(0.0))
    if value.ndim == 0:
        return None
    return [lambda t, k=k: function(t)[k] for k in range(len(value))]  # type: ignore[misc]


def tree(raw: Any) -> Any:
    """``raw`` as data for a file; raises NotData where that cannot be."""
    raw = keep(raw)
    if isinstance(raw, dict):
        return {str(key): tree(value) for key, value in raw.items()}
    if isinstance(raw, list):
        return [tree(value) for value in raw]
    if isinstance(raw, Law):
        given = {name: tree(value) for name, value in law_fields(raw).items()}
        return {raw.key: given} if given else raw.key
    if isinstance(raw, Table):
        return raw.to_tree()
    if isinstance(raw, Signal):
        return tree(raw.source) if callable(raw.source) else raw.to_tree()
    if callable(raw):
        components = split(raw)
        return tree(components) if components else _traced(raw)
    if raw is None or isinstance(raw, (str, bool, int, float)):
        return raw
    raise NotData(f"a value of type {type(raw).__name__} cannot be written to a model file")


def _traced(function: Callable[[float], Any]) -> Any:
    try:
        return Signal.of(function, "").to_tree()
    except ValueError as error:
        raise NotData(str(error)) from None
