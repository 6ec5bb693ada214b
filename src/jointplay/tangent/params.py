"""Parameters as the kernels of this folder read them: the derivative of every compiled number, parameter by parameter.

Records that relations and laws read are complex, nominal + i STEP d/d rho, one line per parameter: an imaginary step
through the very kernels of the run gives exact partial derivatives of whatever they compute, with no further code. Of
each line only what depends on the parameter is evaluated: the masks say what.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import arrays
from ..arrays import NONE, Model

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
    has_body: np.ndarray  # masks (count, ...), 1 where something depends on the parameter
    has_relation: np.ndarray
    has_row: np.ndarray  # FORCE rows: their law, or a pad or bundle on them
    has_rub: np.ndarray
    has_load: np.ndarray
    has_signal: np.ndarray
    closes: np.ndarray  # (count,) 1 if closed rows, inertia or functions of time depend on it


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


def changed(slope: np.ndarray) -> np.ndarray:
    """Which records of an array have a derivative that is not zero."""
    found = np.zeros(len(slope), dtype=np.uint8)
    if slope.dtype.names is None:
        return (slope != 0.0).astype(np.uint8)
    for name in slope.dtype.names:
        part = slope[name]
        if part.dtype.kind == "f":
            found |= (part != 0.0).any(axis=tuple(range(1, part.ndim))).astype(np.uint8)
    return found


def _rows_touched(model: Model, slope: Model) -> np.ndarray:
    """FORCE rows whose own law, pad or bundle depends on the parameter."""
    numbers = np.concatenate([[0], np.cumsum(slope.constant != 0.0)])
    law = np.array([numbers[r["first"] + r["count"]] > numbers[r["first"]] for r in model.law], dtype=bool)
    found = np.zeros(len(model.row), dtype=np.uint8)
    for r, fact in enumerate(model.row):
        if fact["law"] != NONE and law[fact["law"]]:
            found[r] = 1
    pads = changed(slope.pad)
    for k, c in enumerate(model.pad):
        own = pads[k] or law[c["law"]] or (c["friction"] != NONE and law[c["friction"]])
        if own:
            found[c["row"]] = 1
    for k, one in enumerate(changed(slope.bundle)):
        if one:
            found[model.bundle[k]["row"]] = 1
    return found


def _rubs_touched(model: Model, slope: Model, relations: np.ndarray) -> np.ndarray:
    """Joints that rub and whose friction depends on the parameter."""
    numbers = np.concatenate([[0], np.cumsum(slope.constant != 0.0)])
    found = changed(slope.rub)
    joints = changed(slope.joint)
    for k, c in enumerate(model.rub):
        joint, law = model.joint[c["joint"]], model.law[c["law"]]
        rows = [*range(joint["first"], joint["first"] + joint["count"]), *c["row"][: c["count"]]]
        rows += range(joint["soft_first"], joint["soft_first"] + joint["soft_count"])
        turned = any(relations[model.row[r]["relation"]] for r in rows)
        own = numbers[law["first"] + law["count"]] > numbers[law["first"]]
        found[k] |= bool(turned or own or joints[c["joint"]])
    return found


def make_params(model: Model, variations: list[Any]) -> Params:
    """Stack the variations (sensitivity/variation.py) of a model."""
    lines: dict[str, list[np.ndarray]] = {name: [] for name in Params._fields}
    for one in variations:
        slope: Model = one.model
        for name in LIFTED:
            lines[name].append(lifted(getattr(model, name), getattr(slope, name)))
        lines["energy0"].append(np.asarray(one.energy0))
        relations = changed(slope.relation)
        lines["has_relation"].append(relations)
        bodies = changed(slope.body)
        if np.any(slope.info["gravity"]):
            bodies |= 1
        lines["has_body"].append(bodies)
        lines["has_row"].append(_rows_touched(model, slope))
        lines["has_rub"].append(_rubs_touched(model, slope, relations))
        lines["has_load"].append(changed(slope.load))
        signals = _signals_touched(model, slope)
        lines["has_signal"].append(signals)
        closed = relations[: int(model.info[0]["bilateral_relations"])]
        lines["closes"].append(np.asarray(int(closed.any() or bodies.any() or signals.any())))
    return Params(**{name: np.ascontiguousarray(np.array(line)) for name, line in lines.items()})


def _signals_touched(model: Model, slope: Model) -> np.ndarray:
    """Functions of time that depend on the parameter."""
    from ..numerics.signals import PROGRAM

    found = np.zeros(len(model.signal), dtype=np.uint8)
    for k, s in enumerate(model.signal):
        first, count = int(s["start"]), int(s["count"])
        if s["kind"] == PROGRAM:
            found[k] = np.any(slope.code["arg"][first : first + count] != 0.0)
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
