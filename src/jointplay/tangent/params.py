"""Parameters as the kernels of this folder read them: the derivative of every compiled number, parameter by parameter.

Records that relations and laws read are complex, nominal + i STEP d/d rho, one line per parameter: an imaginary step
through the very kernels of the run gives exact partial derivatives of whatever they compute, with no further code. Of
each line only what depends on the parameter is evaluated: lists and masks say what.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .. import arrays
from ..arrays import Model
from ..numerics.jit import readable
from .parameter_sparsity import changed, lists_of, signals_touched

STEP = 1e-50  # imaginary step; far below that of the kernels' own derivatives


LIFTED = (
    *("info", "body", "relation", "constant", "contact", "pad", "bundle", "rub", "load", "joint", "marker"),
    *("code", "number"),
)


class Params(NamedTuple):
    """One line per parameter; see the module's text."""

    info: np.ndarray
    body: np.ndarray
    relation: np.ndarray
    constant: np.ndarray
    contact: np.ndarray
    pad: np.ndarray
    bundle: np.ndarray
    rub: np.ndarray
    load: np.ndarray
    joint: np.ndarray
    marker: np.ndarray
    code: np.ndarray
    number: np.ndarray
    energy0: np.ndarray  # (count,) d/d rho
    shifts: np.ndarray  # (count, breaks) d/d rho, s: how instants move at which signals are not smooth
    has_relation: np.ndarray  # masks (count, ...), 1 where something depends on the parameter
    has_signal: np.ndarray
    first: np.ndarray  # (count, kinds + 1) lists of what depends on it (parameter_sparsity.py): where each begins
    item: np.ndarray  # and their entries


@cache
def complex_dtype(dtype: np.dtype) -> np.dtype:
    """The same record with complex numbers in place of real ones."""
    makers: dict[np.dtype, Callable[[Any], np.dtype]] = {
        arrays.relation_dtype(float): arrays.relation_dtype,
        arrays.body_dtype(float): arrays.body_dtype,
        arrays.contact_dtype(float): arrays.contact_dtype,
        arrays.pad_dtype(float): arrays.pad_dtype,
        arrays.bundle_dtype(float): arrays.bundle_dtype,
        arrays.rub_dtype(float): arrays.rub_dtype,
        arrays.load_dtype(float): arrays.load_dtype,
        arrays.joint_dtype(float): arrays.joint_dtype,
        arrays.marker_dtype(float): arrays.marker_dtype,
        arrays.info_dtype(float): arrays.info_dtype,
        arrays.code_dtype(float): arrays.code_dtype,
        np.dtype(float): np.dtype,
    }
    return makers[dtype](complex)


def lifted(nominal: np.ndarray, slope: np.ndarray | None = None) -> np.ndarray:
    """Nominal + i STEP slope, as complex records, one line for each of ``slope``."""
    out = np.zeros(nominal.shape if slope is None else slope.shape, dtype=complex_dtype(nominal.dtype))
    if nominal.dtype.names is None:
        out[...] = nominal
        if slope is not None:
            out.imag = STEP * slope
        return out
    for name in nominal.dtype.names:
        out[name] = nominal[name]
        if slope is not None and out[name].dtype.kind == "c":
            out[name].imag = STEP * slope[name]
    return out


def make_params(model: Model, variations: list[Any]) -> Params:
    """Stack the variations (sensitivity/variation.py) of a model."""
    slope = Model(*(_lines([one.model[k] for one in variations]) for k in range(len(model))))
    signals = signals_touched(model, slope)
    first, item = lists_of(model, slope, signals)
    return readable(
        Params(
            **{name: lifted(getattr(model, name), getattr(slope, name)) for name in LIFTED},
            energy0=np.array([one.energy0 for one in variations], dtype=float),
            shifts=slope.breaks,
            has_relation=changed(slope.relation).astype(np.uint8),
            has_signal=signals.astype(np.uint8),
            first=first,
            item=item,
        )
    )


def _lines(parts: list[np.ndarray]) -> np.ndarray:
    """Arrays of one dtype on top of each other, byte by byte: records by their fields would take ten times as long."""
    found = np.empty((len(parts), *parts[0].shape), dtype=parts[0].view(np.ndarray).dtype)
    for line, part in zip(found.view(np.uint8), parts, strict=True):
        line[...] = part.view(np.ndarray).view(np.uint8)
    return found


@dataclass(frozen=True)
class Nothing:
    """A variation in which nothing changes."""

    model: Model
    energy0: float = 0.0


def nothing(model: Model) -> Nothing:
    """The variation of a parameter that nothing depends on."""
    return Nothing(Model(*(np.zeros_like(part) for part in model)))
