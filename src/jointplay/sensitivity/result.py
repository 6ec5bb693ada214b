"""Sensitivities: what ``sensitivities`` gives back. Derivatives by name, with method, check and limits of validity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, Problem
from ..methods.base import Method
from ..model.names import suggest
from ..results.solution import Solution
from .agreement import Agreement
from .objectives import Objective
from .raw_result import Found
from .source import Parameter
from .targets import Target, Targets

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


class Derivatives(Mapping[str, Any]):
    """Derivatives of one quantity, by parameter."""

    def __init__(self, of: str, found: dict[str, Any]) -> None:
        self._of, self._found = of, found

    def __getitem__(self, parameter: str) -> Any:
        if parameter not in self._found:
            hint = suggest(str(parameter), self._found)
            raise KeyError(f"no derivative of {self._of!r} by {parameter!r}{hint}")
        return self._found[parameter]

    def __iter__(self) -> Any:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class Sensitivities:
    """Derivatives of a run.

    ``result["slider.velocity[0]"]["mass"]`` is an array over ``result.time``, of the shape of the quantity; for an
    objective it is a number. Keys are the names or objectives that were asked for; ``result.values[of]`` is what was
    differentiated, ``result.scaled(of, parameter)`` the derivative times the parameter (paper E eq. 20).
    """

    def __init__(
        self,
        *,
        found: Found,
        targets: Targets,
        parameters: tuple[Parameter, ...],
        derivative: str,
        method: Method,
        nominal: Callable[[], Solution],
        name: str = "",
    ) -> None:
        self.time = found.time  # s
        self.derivative = derivative  # its kind
        self.method = method  # how the run was integrated
        self.name = name
        self.parameters = {one.name: one.value for one in parameters}  # SI
        self.units = {one.name: one.unit for one in parameters}  # of parameters; "" where none is known
        self.invalid = sorted(
            found.invalid
        )  # (time, why): from here on a derivative does not exist or was not followed
        self.notes = list(found.notes)
        self.stats = dict(found.stats)
        self.steps, self.errors = found.steps, found.errors  # of finite differences
        self.check: Agreement | None = None
        self._found, self._targets = found, targets
        self._solution, self._nominal = found.solution, nominal

    # -- reading -----------------------------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """Keys of all that was asked for."""
        return [target.key for target in self._targets.targets]

    def target(self, of: str | Objective) -> Target:
        """What ``of`` means here; KeyError with a sentence if it was not asked for."""
        key = str(of)
        for target in self._targets.targets:
            if target.key == key or target.given is of:
                return target
        raise KeyError(f"{key!r} was not asked for{suggest(key, self.names)}")

    def __getitem__(self, of: str | Objective) -> Derivatives:
        key = self.target(of).key
        return Derivatives(key, self._found.derivatives[key])

    @property
    def values(self) -> Mapping[Any, Any]:
        """The quantities and objectives themselves."""
        return Values(self)

    @property
    def solution(self) -> Solution:
        """The run at the nominal parameters."""
        if self._solution is None:
            self._solution = self._nominal()
        return self._solution

    @property
    def valid(self) -> list[tuple[float, float]]:
        """Intervals of time over which all derivatives hold."""
        if not len(self.time):
            return []
        begin, end = float(self.time[0]), float(self.time[-1])
        first = min((time for time, _ in self.invalid), default=np.inf)
        return [(begin, min(first, end))] if first > begin else []

    def scaled(self, of: str | Objective, parameter: str) -> Any:
        """rho dx/drho: what a change of the parameter by 100 % would do, in the unit of x (paper E eq. 20)."""
        derivative = self[of][parameter]
        if self.parameters[parameter] == 0.0:
            message = "is zero, so a derivative scaled by it says nothing; take the plain one, result[of][parameter]"
            raise InputError(Problem(parameter, message))
        return self.parameters[parameter] * derivative

    def unit(self, of: str | Objective, parameter: str) -> str:
        """Unit of a derivative, such as "m/s per kg"."""
        own = self.target(of).unit or "unit of objective"
        return f"{own} per {self.units[parameter] or 'unit of ' + parameter}"

    # -- telling -----------------------------------------------------------------------------------------------------

    def table(self) -> str:
        """Final, largest and largest scaled derivative of each pair, as text."""
        from .tables import table

        return table(self)

    def __str__(self) -> str:
        from .tables import page

        return page(self)

    def _repr_html_(self) -> str:
        from ..notebook import sensitivities_html

        return sensitivities_html(self)

    def __repr__(self) -> str:
        asked = f"{', '.join(self.names)} by {', '.join(self.parameters)}"
        return f"<Sensitivities of {asked}: {self.derivative}, {self.method}>"

    # -- keeping -----------------------------------------------------------------------------------------------------

    def plot(self, of: str | Objective | None = None, *, scaled: bool = True, path: str | Path | None = None) -> Figure:
        """Draw derivatives (all targets unless ``of`` is given), scaled by the parameters unless told otherwise."""
        from ..figures.sensitivities import sensitivities

        return sensitivities(self, of, scaled=scaled, path=path)

    def to_csv(self, path: str | Path) -> Path:
        """Write histories as a table over time; objectives as a list, beside it if there are both."""
        from .export import to_csv

        return to_csv(self, Path(path))

    def to_xarray(self) -> xarray.Dataset:
        """Values and derivatives with dimensions parameter, time and components, and units."""
        from .export import to_xarray

        return to_xarray(self)

    def save(self, path: str | Path) -> Path:
        """Write one NetCDF-4 file."""
        from .export import save

        return save(self, Path(path))

    def to_json(self) -> dict[str, Any]:
        """The numbers of the table as plain data."""
        from .tables import figures

        return figures(self)


class Values(Mapping[Any, Any]):
    """What was differentiated, by name or objective."""

    def __init__(self, result: Sensitivities) -> None:
        self._result = result

    def __getitem__(self, of: str | Objective) -> Any:
        return self._result._found.values[self._result.target(of).key]

    def __iter__(self) -> Any:
        return iter(self._result.names)

    def __len__(self) -> int:
        return len(self._result.names)
