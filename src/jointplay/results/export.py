"""A solution in other people's formats: an xarray Dataset, a pandas DataFrame, comma-separated values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..extras import needed
from ..writing import refuse_ending
from .impulsive import NOT_FORCES, impulsive
from .solution import Solution
from .store import AXES, dims_of
from .tables import write_csv, write_table

if TYPE_CHECKING:
    import pandas
    import xarray


def to_xarray(solution: Solution) -> xarray.Dataset:
    """All variables with their dimensions, labels and units, as the result file has them."""
    xarray = needed("xarray", "to_xarray", "xarray")
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
        if any(impulsive(solution.layout, name) for name in variable.publics):
            facts["comment"] = NOT_FORCES
        arrays[variable.name] = (dims, np.asarray(solution._data[variable.name]), facts)
    about = {
        "title": solution.meta.get("name") or "jointplay run",
        "method": solution.meta.get("method", ""),
        "outcome_message": solution.outcome.message,
    }
    return xarray.Dataset(arrays, coords, about)


def to_csv(solution: Solution, path: str | Path, names: Sequence[str] | None = None) -> Path:
    """One line per saved time, one column per component; the first line has names and units."""
    refuse_ending(path, (".csv", ".txt"), "to_csv writes .csv")
    return write_csv(path, *table_of(solution, names))


def export(solution: Solution, path: str | Path, names: Sequence[str] | None = None) -> Path:
    """The same table as .csv, .xlsx (Excel) or .parquet, whichever the ending names."""
    return write_table(path, *table_of(solution, names))


def to_pandas(solution: Solution, names: Sequence[str] | None = None) -> pandas.DataFrame:
    """The table of ``to_csv``: one row per saved time, which is the index, and one column per component."""
    pandas = needed("pandas", "to_pandas", "pandas")
    heads, columns = table_of(solution, names)
    values = np.column_stack(columns[1:]) if len(columns) > 1 else np.empty((len(solution.time), 0))
    return pandas.DataFrame(values, index=pandas.Index(columns[0], name=heads[0]), columns=heads[1:])


def table_of(solution: Solution, names: Sequence[str] | None = None) -> tuple[list[str], list[np.ndarray]]:
    """Heads, each a name with its unit, and columns: the time, then all names or some, component by component."""
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
    return heads, columns
