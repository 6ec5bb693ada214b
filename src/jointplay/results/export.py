"""A solution in other people's formats: an xarray Dataset, a table of comma-separated values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, Problem
from .solution import Solution
from .store import AXES, dims_of, reason

if TYPE_CHECKING:
    import xarray

DIGITS = "%.17g"  # enough to read back the same bits


def to_xarray(solution: Solution) -> xarray.Dataset:
    """All variables with their dimensions, labels and units, as the result file has them."""
    import xarray

    coords: dict[str, Any] = {"time": ("time", solution.time, {"units": "s"})}
    arrays: dict[str, Any] = {}
    for variable in solution.layout.variables:
        dims = dims_of(variable)
        for dimension in dims[1:]:
            coords.setdefault(dimension, list(AXES.get(dimension, variable.labels)))
        units = set(variable.units)
        facts = {
            "units": units.pop() if len(units) == 1 else ", ".join(variable.units),
            "long_name": variable.summary,
        }
        arrays[variable.name] = (dims, np.asarray(solution._data[variable.name]), facts)
    about = {
        "title": solution.meta.get("name") or "jointplay run",
        "method": solution.meta.get("method", ""),
        "outcome_message": solution.outcome.message,
    }
    return xarray.Dataset(arrays, coords, about)


def to_csv(solution: Solution, path: str | Path, names: Sequence[str] | None = None) -> Path:
    """One line per saved time, one column per component; the first line has names and units."""
    path = Path(path)
    heads, columns = ["time [s]"], [solution.time]
    for name in solution.names if names is None else names:
        values, unit = solution[name], solution.units[name]
        if values.ndim == 1:
            heads.append(f"{name} [{unit}]")
            columns.append(values)
            continue
        for place in np.ndindex(values.shape[1:]):
            heads.append(f"{name}{''.join(f'[{k}]' for k in place)} [{unit}]")
            columns.append(values[(slice(None), *place)])
    try:
        np.savetxt(path, np.column_stack(columns), fmt=DIGITS, delimiter=",", header=",".join(heads), comments="")
    except OSError as error:
        raise InputError(Problem("output", f"cannot write {path}: {reason(error)}")) from None
    return path
