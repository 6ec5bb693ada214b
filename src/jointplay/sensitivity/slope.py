"""Derivative of a function that the user gives, at many instants at once.

    f'(x) = Im f(x + i h) / h,   h = 1e-30 of the size of x       (exact to rounding, for analytic f)

Functions such as abs, max or a comparison are not analytic: their imaginary part lies. So the result is compared with
central differences, and these are taken where the two do not agree. Of a vector the function makes one number per
instant, and the derivative has a column for each component.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from ..errors import InputError, Problem

Function = Callable[[np.ndarray], np.ndarray]
TINY = 1e-30
STEP = 6e-6  # about the cube root of the rounding error
AGREE = 1e-3  # of the largest derivative


def values_of(function: Function, x: np.ndarray, name: str) -> np.ndarray:
    """f at all instants, (nt,); InputError if it does not give one real number for each."""
    out = np.asarray(function(x))
    if out.shape != x.shape[:1]:
        raise InputError(
            Problem(f"of: {name}", f"its function must give one number per instant, {x.shape[:1]}, gave {out.shape}")
        )
    if not np.issubdtype(out.dtype, np.number) or np.iscomplexobj(out):
        raise InputError(Problem(f"of: {name}", f"its function must give real numbers, gave {out.dtype}"))
    return out.astype(float)


def slope(function: Function, x: np.ndarray, name: str) -> tuple[np.ndarray, bool]:
    """df/dx, shaped like x (nt,) or (nt, n), and whether it is the exact one."""
    size = np.maximum(np.max(np.abs(x), axis=0, initial=0.0), TINY)
    units = [np.ones(x.shape[1:])] if x.ndim == 1 else list(np.eye(x.shape[1]))

    def along(unit: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        h = STEP * size * unit
        step = float(np.max(h))
        difference = (values_of(function, x + h, name) - values_of(function, x - h, name)) / (2.0 * step)
        tiny = TINY * size * unit
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", np.exceptions.ComplexWarning)  # the answer tells it as well
                out = np.asarray(function(x + 1j * tiny))
            exact = np.imag(out) / float(np.max(tiny)) if np.iscomplexobj(out) else None
        except (TypeError, ValueError):  # a function that takes real numbers only
            exact = None
        return difference, exact

    found = [along(unit) for unit in units]
    differences = np.stack([one for one, _ in found], axis=-1).reshape(x.shape)
    if any(exact is None for _, exact in found):
        return differences, False
    exact = np.stack([np.asarray(one) for _, one in found], axis=-1).reshape(x.shape)
    off = np.abs(exact - differences) > AGREE * max(float(np.max(np.abs(differences), initial=0.0)), TINY)
    return (np.where(off, differences, exact), False) if off.any() else (exact, True)
