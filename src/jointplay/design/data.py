"""Measurements: histories by name, from pairs of arrays, an xarray Dataset, or a CSV file.

    {"A.angle": (times, values), "slider.velocity": (times, array of three columns)}
    a Dataset whose variables bear the names of quantities and lie along "time"
    a CSV file with a column "time" and columns named as quantities, with units in brackets if they are not SI:
    time [ms],A.angle [deg],slider.velocity[0]

Values that are not numbers (NaN, empty cells) are measurements that are missing, and are left out. Each channel may
have its own times.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..quantities.units import QuantityError, unit_factor

HEAD = re.compile(r"(?P<name>.+?)\s*\[(?P<unit>[^\]]*[^\]\d][^\]]*)\]")  # a unit, unlike a component, is no number


@dataclass(frozen=True, eq=False)
class Channel:
    """Measurements of one quantity: ``values`` (n,) or (n, components) at ``times``, in SI; NaN is a missing one."""

    name: str
    times: np.ndarray
    values: np.ndarray

    @property
    def there(self) -> np.ndarray:
        """Which values are there."""
        return np.isfinite(self.values)


def channels_of(data: Any) -> list[Channel]:
    """Read measurements; all problems are reported at once."""
    problems: list[Problem] = []
    if isinstance(data, str | Path):
        pairs = list(_from_csv(Path(data)))
    elif hasattr(data, "data_vars"):
        pairs = list(_from_xarray(data))
    elif isinstance(data, Mapping) and data:
        pairs = list(_from_dict(data, problems))
    else:
        raise InputError(
            Problem("data", f"needs a dict {{name: (times, values)}}, a Dataset or a CSV file, not {data!r}")
        )
    channels = [Channel(name, *arrays) for name, *arrays in pairs]
    for one in channels:
        problems += _wrong_with(one)
    if not problems and not any(one.there.any() for one in channels):
        problems.append(Problem("data", "there are no measurements in it"))
    if problems:
        raise InputError(problems)
    return channels


def _from_dict(data: Mapping[str, Any], problems: list[Problem]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name, pair in data.items():
        try:
            times, values = (np.asarray(one, float) for one in pair)
        except (TypeError, ValueError):
            problems.append(Problem(f"data[{name!r}]", "needs a pair (times, values) of arrays of numbers"))
            continue
        yield name, times, values


def _from_xarray(data: Any) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    if "time" not in data.coords:
        raise InputError(Problem("data", "the Dataset has no coordinate 'time'"))
    times = _in_si("time", np.asarray(data["time"], float), data["time"].attrs.get("units", "s"))
    for name, variable in data.data_vars.items():
        if not variable.dims or variable.dims[0] != "time":
            raise InputError(Problem(f"data[{name!r}]", f"must lie along 'time' first, lies along {variable.dims}"))
        yield name, times, _in_si(name, np.asarray(variable, float), variable.attrs.get("units", ""))


def _from_csv(path: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            (_, head), *lines = [(reader.line_num, line) for line in reader if any(cell.strip() for cell in line)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(Problem("data", f"cannot read {path}: {getattr(error, 'strerror', None) or error}")) from None
    except ValueError:
        raise InputError(Problem("data", f"{path} is empty")) from None
    columns: dict[str, np.ndarray] = {}
    for k, title in enumerate(head):
        match = HEAD.fullmatch(title.strip())
        name, unit = (match["name"], match["unit"]) if match else (title.strip(), "")
        numbers = np.array([_cell(path, line, k, n) for n, line in lines])
        if not name and np.all(np.isnan(numbers)):
            continue  # a comma at the end of each line
        if not name or name in columns:
            wrong = f"two columns {name!r}" if name else f"column {k + 1} has numbers but no name"
            raise InputError(Problem("data", wrong, str(path), 1))
        columns[name] = _in_si(name, numbers, unit)
    if "time" not in columns:
        raise InputError(Problem("data", f"{path} has no column 'time'; it has {', '.join(columns)}"))
    times = columns.pop("time")
    for name, values in columns.items():
        yield name, times, values


def _cell(path: Path, line: list[str], k: int, number: int) -> float:
    text = line[k].strip() if k < len(line) else ""
    try:
        return float(text) if text else np.nan
    except ValueError:
        raise InputError(Problem("data", f"{text!r} is not a number", str(path), number)) from None


def _in_si(name: str, values: np.ndarray, unit: str) -> np.ndarray:
    try:
        return values * unit_factor(unit) if unit else values
    except QuantityError as error:
        raise InputError(Problem(f"data[{name!r}]", str(error))) from None


def _wrong_with(one: Channel) -> Iterator[Problem]:
    field = f"data[{one.name!r}]"
    if one.times.ndim != 1 or one.values.ndim not in (1, 2) or len(one.times) != len(one.values):
        yield Problem(field, f"times {one.times.shape} and values {one.values.shape} do not go together")
    elif not np.all(np.isfinite(one.times)):
        yield Problem(field, "a time is not a finite number")
    elif len(one.times) and one.times.min() < 0.0:
        yield Problem(field, f"a time is negative ({one.times.min():g} s); runs begin at 0")
