"""The real numbers of a compiled model as one vector, and back.

Derivatives with respect to a parameter are taken of all of them at once. Index fields are not numbers of the mechanism
but its structure; a few real fields are choices of the program (tolerances, bounds) and have no derivative.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Model
from ..numerics.jit import readable

CHOICES = {("info", "vanishing"), ("info", "length"), ("contact", "lever")}


def _fields(model: Model) -> Iterator[tuple[str, str, np.ndarray]]:
    """Array, field ("" for a plain array) and its numbers."""
    for name, array in zip(Model._fields, model, strict=True):
        plain = array.view(np.ndarray)
        if plain.dtype.names:
            for field in plain.dtype.names:
                yield name, field, plain[field]
        else:
            yield name, "", plain


def is_real(name: str, field: str, numbers: np.ndarray) -> bool:
    """True for numbers of the mechanism."""
    return numbers.dtype.kind == "f" and (name, field) not in CHOICES


def reals(model: Model) -> np.ndarray:
    """All real numbers of a model, end to end."""
    parts = [numbers.ravel() for name, field, numbers in _fields(model) if is_real(name, field, numbers)]
    return np.concatenate(parts).astype(float)


def labels(model: Model) -> list[tuple[str, slice]]:
    """Which stretch of the vector holds which field, as ``array.field``."""
    out, start = [], 0
    for name, field, numbers in _fields(model):
        if is_real(name, field, numbers):
            out.append((f"{name}.{field}".rstrip("."), slice(start, start + numbers.size)))
            start += numbers.size
    return out


def structure(model: Model) -> list[tuple[str, tuple[int, ...], bytes]]:
    """All that is not a real number, and the shapes: must be the same for models that are compared."""
    out = []
    for name, field, numbers in _fields(model):
        fixed = b"" if numbers.dtype.kind == "f" else numbers.tobytes()
        out.append((f"{name}.{field}" if field else name, numbers.shape, fixed))
    return out


def with_reals(model: Model, vector: np.ndarray) -> Model:
    """A model of the same dtypes that holds ``vector``, and zeros in all other fields."""
    empty = Model(*(np.zeros(array.shape, dtype=array.view(np.ndarray).dtype) for array in model))
    start = 0
    for name, field, numbers in _fields(empty):
        if is_real(name, field, numbers):
            numbers[...] = vector[start : start + numbers.size].reshape(numbers.shape)
            start += numbers.size
    return readable(empty)
