"""The real numbers of a compiled model as one vector, and back.

Derivatives with respect to a parameter are taken of all of them at once. Index fields are not numbers of the mechanism
but its structure; a few real fields are choices of the program (tolerances, bounds) and have no derivative.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ..arrays import Model
from ..numerics.jit import readable

CHOICES = {("info", "vanishing"), ("info", "length"), ("contact", "lever")}


class Field(NamedTuple):
    """A field of an array of the model."""

    array: int  # place in Model
    field: str  # "" for a plain array
    label: str
    is_real: bool  # a number of the mechanism
    is_fixed: bool  # part of its structure

    def of(self, model: Model) -> np.ndarray:
        """Its numbers."""
        array = model[self.array].view(np.ndarray)
        return array[self.field] if self.field else array


def _fields(model: Model) -> tuple[Field, ...]:
    return _fields_of(tuple([array.dtype for array in model]))


@cache
def _fields_of(dtypes: tuple[np.dtype, ...]) -> tuple[Field, ...]:
    found = []
    for k, (name, dtype) in enumerate(zip(Model._fields, dtypes, strict=True)):
        for field in dtype.names or ("",):
            floating = (dtype[field].base if field else dtype).kind == "f"
            label = f"{name}.{field}" if field else name
            found.append(Field(k, field, label, floating and (name, field) not in CHOICES, not floating))
    return tuple(found)


def reals(model: Model) -> np.ndarray:
    """All real numbers of a model, end to end."""
    return np.concatenate([one.of(model).ravel() for one in _fields(model) if one.is_real])


def labels(model: Model) -> list[tuple[str, slice]]:
    """Which stretch of the vector holds which field, as ``array.field``."""
    out, start = [], 0
    for one in _fields(model):
        if one.is_real:
            size = one.of(model).size
            out.append((one.label, slice(start, start + size)))
            start += size
    return out


def structure(model: Model) -> list[tuple[str, tuple[int, ...], bytes]]:
    """All that is not a real number, and the shapes: must be the same for models that are compared."""
    out = []
    for one in _fields(model):
        numbers = one.of(model)
        out.append((one.label, numbers.shape, numbers.tobytes() if one.is_fixed else b""))
    return out


def with_reals(model: Model, vector: np.ndarray) -> Model:
    """A model of the same dtypes that holds ``vector``, and zeros in all other fields."""
    empty = Model(*(np.zeros(array.shape, dtype=array.view(np.ndarray).dtype) for array in model))
    start = 0
    for one in _fields(empty):
        if one.is_real:
            numbers = one.of(empty)
            numbers[...] = vector[start : start + numbers.size].reshape(numbers.shape)
            start += numbers.size
    return readable(empty)
