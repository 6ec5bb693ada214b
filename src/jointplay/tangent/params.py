"""Parameters as the kernels of this folder read them: the derivative of every compiled number, parameter by parameter.

Records that relations and laws read are complex, nominal + i STEP d/d rho, one line per parameter: an imaginary step
through the very kernels of the run gives exact partial derivatives of whatever they compute, with no further code. Of
each line only what depends on the parameter is evaluated: lists and masks say what.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import arrays
from ..arrays import Model
from ..numerics.jit import readable
from .parameter_sparsity import changed, lists_of, stacked

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
    has_relation: np.ndarray  # masks (count, ...), 1 where something depends on the parameter
    has_signal: np.ndarray
    first: np.ndarray  # (count, kinds + 1) lists of what depends on it (parameter_sparsity.py): where each begins
    item: np.ndarray  # and their entries


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
    """Nominal + i STEP slope, as complex records."""
    out = np.zeros(nominal.shape, dtype=complex_dtype(nominal.dtype))
    if nominal.dtype.names is None:
        out[...] = nominal + 1j * STEP * (0.0 if slope is None else slope)
        return out
    for name in nominal.dtype.names:
        out[name] = nominal[name]
        if slope is not None and out[name].dtype.kind == "c":
            out[name] += 1j * STEP * slope[name]
    return out


def make_params(model: Model, variations: list[Any]) -> Params:
    """Stack the variations (sensitivity/variation.py) of a model."""
    lines: dict[str, list[np.ndarray]] = {name: [] for name in Params._fields if name not in ("first", "item")}
    lists = []
    for one in variations:
        slope: Model = one.model
        for name in LIFTED:
            lines[name].append(lifted(getattr(model, name), getattr(slope, name)))
        lines["energy0"].append(np.asarray(one.energy0))
        lines["has_relation"].append(changed(slope.relation))
        signals = _signals_touched(model, slope)
        lines["has_signal"].append(signals)
        lists.append(lists_of(model, slope, signals))
    first, item = stacked(lists)
    arrays = {name: np.ascontiguousarray(np.array(line)) for name, line in lines.items()}
    return readable(Params(**arrays, first=first, item=item))


def _signals_touched(model: Model, slope: Model) -> np.ndarray:
    """Functions of time that depend on the parameter."""
    from ..numerics.signals import INPUT, PROGRAM

    found = np.zeros(len(model.signal), dtype=np.uint8)
    for k, s in enumerate(model.signal):
        first, count = int(s["start"]), int(s["count"])
        if s["kind"] == PROGRAM:
            own = model.code[first : first + count]
            held = own["arg"][own["op"] == INPUT].astype(np.int64)
            found[k] = np.any(slope.code["arg"][first : first + count] != 0.0) or np.any(slope.number[held] != 0.0)
        else:
            size = count + 1 + count * (int(s["degree"]) + 1)
            found[k] = np.any(slope.number[first : first + size] != 0.0)
    return found


@dataclass(frozen=True)
class Nothing:
    """A variation in which nothing changes."""

    model: Model
    energy0: float = 0.0


def nothing(model: Model) -> Nothing:
    """The variation of a parameter that nothing depends on."""
    return Nothing(Model(*(np.zeros_like(part) for part in model)))
