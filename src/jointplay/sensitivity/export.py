"""A result in other people's formats: comma-separated values, an xarray Dataset, a NetCDF-4 file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..extras import needed
from ..results.store import ROOM
from ..results.tables import DIGITS, write_csv
from ..writing import refuse_ending, writing

if TYPE_CHECKING:
    import xarray

    from .result import Sensitivities


def _columns(result: Sensitivities) -> tuple[list[str], list[np.ndarray]]:
    """Heads and columns of all histories and their derivatives."""
    heads, columns = ["time [s]"], [result.time]

    def add(label: str, unit: str, values: np.ndarray) -> None:
        for place in np.ndindex(values.shape[1:]):
            heads.append(f"{label}{''.join(f'[{k}]' for k in place)} [{unit}]")
            columns.append(values[(slice(None), *place)])

    for of in result.names:
        if result.target(of).is_objective:
            continue
        add(of, result.target(of).unit, np.asarray(result.values[of]))
        for parameter, derivative in result[of].items():
            add(f"d({of})/d({parameter})", result.unit(of, parameter), np.asarray(derivative))
    return heads, columns


def to_csv(result: Sensitivities, path: Path) -> Path:
    """Histories in ``path``; objectives there if nothing else was asked for, else in ``..._objectives.csv``."""
    heads, columns = _columns(result)
    objectives = [of for of in result.names if result.target(of).is_objective]
    if len(columns) > 1:
        write_csv(path, heads, columns)
    if objectives:
        beside = path if len(columns) == 1 else path.with_name(f"{path.stem}_objectives.csv")
        with writing(beside) as draft:
            _objectives(result, objectives, draft)
    return path


def _objectives(result: Sensitivities, names: list[str], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["objective", "value", "parameter", "parameter value", "derivative", "unit"])
        for of in names:
            for parameter, derivative in result[of].items():
                numbers = (DIGITS % result.values[of], DIGITS % result.parameters[parameter], DIGITS % derivative)
                out.writerow([of, numbers[0], parameter, numbers[1], numbers[2], result.unit(of, parameter)])


Entry = tuple[tuple[str, ...], Any, dict[str, str]]  # dimensions, values, attributes


def _dataset(result: Sensitivities) -> tuple[dict[str, Entry], dict[str, Entry], dict[str, str]]:
    """Each quantity, and ``d(quantity)`` with a dimension ``parameter``; then coordinates, and what it is about."""
    names = list(result.parameters)
    coords: dict[str, Entry] = {
        "time": (("time",), result.time, {"units": "s"}),
        "parameter": (("parameter",), names, {}),
        "parameter_value": (("parameter",), [result.parameters[name] for name in names], {}),
        "parameter_unit": (("parameter",), [result.units[name] for name in names], {}),
    }
    arrays: dict[str, Entry] = {}
    for k, of in enumerate(result.names):
        value, unit = np.asarray(result.values[of]), result.target(of).unit
        inner = tuple(f"component_{k}_{n}" for n in range(value.ndim - 1))
        dims = ("time", *inner) if value.ndim else ()
        arrays[of] = (dims, value, {"units": unit})
        stacked = np.stack([np.asarray(result[of][name]) for name in names])
        facts = {"units": f"{unit} per unit of the parameter", "long_name": f"derivative of {of}"}
        arrays[f"d({of})"] = (("parameter", *dims), stacked, facts)
    about = {
        "title": result.name,
        "derivative": result.derivative,
        "method": repr(result.method),
        "not_valid_from": "; ".join(f"{time:.9g} s: {why}" for time, why in result.invalid),
    }
    if result.check is not None:
        about["check"] = result.check.table()
    return arrays, coords, about


def to_xarray(result: Sensitivities) -> xarray.Dataset:
    """The derivatives as a Dataset."""
    xarray = needed("xarray", "to_xarray", "xarray")
    return xarray.Dataset(*_dataset(result))


def save(result: Sensitivities, path: Path) -> Path:
    """The same in a NetCDF-4 file."""
    import h5netcdf
    import h5py

    refuse_ending(path, (".nc",), "derivatives are kept in .nc (or use to_csv)")
    arrays, coords, about = _dataset(result)
    with writing(path) as draft:
        room = ROOM + sum(np.asarray(values).nbytes for _, values, _ in arrays.values())
        draft.write_bytes(bytes(room))  # is there room: HDF5 does not survive it if not
        with h5netcdf.File(draft, "w") as file:
            file.attrs.update(about)
            for name, (dims, given, facts) in {**coords, **arrays}.items():
                values = np.asarray(given)
                for dimension, size in zip(dims, values.shape, strict=True):
                    file.dimensions.setdefault(dimension, size)
                words = values.dtype.kind == "U"
                kind = {"dtype": h5py.string_dtype()} if words else {"dtype": values.dtype, "fillvalue": np.nan}
                entry = file.create_variable(name, dims, **kind)
                entry[...] = values.astype(object) if words else values
                entry.attrs.update(facts)
                if name in arrays and "parameter" in dims:
                    entry.attrs["coordinates"] = "parameter_value parameter_unit"
    return path
