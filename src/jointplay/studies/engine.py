"""Engines: what turns a row of inputs into a row of outputs; a mechanism, or a plain function of numbers.

An engine is made once per process. ``lane()`` gives room for one thread; its ``row(x)`` never raises for a sample that
fails. ``rebuild`` is what another process needs to make the same engine.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Protocol

import numpy as np

from ..codes import Code
from ..errors import InputError, Problem
from ..model.names import suggest
from ..model.system import System
from ..sensitivity.objectives import Objective
from ..sensitivity.source import Build
from .filling import Filling
from .fillings import filling_of
from .lane import Lane, Stopped
from .limits import AnyLimit, unit_problem
from .members import Members, named, source_for
from .outputs import Output, Outputs
from .slopes import SlopeLane
from .status import FUNCTION_FAILED, NOT_A_NUMBER, REFUSED, Row
from .variants import Variant, Variants
from .vary import Vary

log = logging.getLogger("jointplay")

TAIL = 1e-9  # probability beyond the box of an input without ends
STEP = 1e-3  # of sigma, of differences of a plain function
WEIGHTS = {1: 45.0 / 60.0, 2: -9.0 / 60.0, 3: 1.0 / 60.0}


class AnyLane(Protocol):
    """Room for one thread."""

    def row(self, x: np.ndarray) -> Row:
        """One sample, at values of all inputs."""


class Engine(Protocol):
    """Rows of outputs of rows of inputs."""

    vary: Vary
    columns: list[Output]
    culprits: list[str]

    def lane(self, stop: Callable[[], bool] = ...) -> AnyLane:
        """Room for one thread."""

    def gradient(self, x: np.ndarray, of: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Values (m,) and derivatives (m, d) of some outputs at one point; raises InputError where there are none."""

    def find(self, given: Any) -> int:
        """Place of an output."""


def engine_of(
    model: Any,
    vary: Vary,
    of: Any,
    limits: Sequence[AnyLimit] = (),
    *,
    until: Any = None,
    method: Any = None,
    save: Any = None,
    filling: Filling | None | str = "look",
    gradients: bool = False,
) -> Engine:
    """The engine of a model or function; raises InputError with all that is wrong."""
    if callable(model) and not isinstance(model, System):
        first = _first(model, vary)
        if not isinstance(first, System):
            return FunctionEngine(model, vary, of, limits, first, gradients)
    return ModelEngine(
        model, vary, of, limits, until=until, method=method, save=save, filling=filling, gradients=gradients
    )


def _first(function: Callable[..., Any], vary: Vary) -> Any:
    """What a function gives at the nominal values."""
    try:
        return function(**named(vary.names, vary.nominal))
    except InputError:
        raise
    except TypeError as error:
        import inspect

        try:
            takes = set(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            takes = set()
        wrong = [name for name in vary.names if takes and name not in takes]
        if wrong and not any(one in str(error) for one in ("**",)):
            heaters = vary.heaters
            own = {name: x for name, x in named(vary.names, vary.nominal).items() if name in takes}
            if all(name in heaters for name in wrong):
                return function(**own)
            raise InputError(
                [
                    Problem(f"vary: {name}", f"build takes no argument '{name}'{suggest(name, takes)}")
                    for name in wrong
                    if name not in heaters
                ]
            ) from None
        raise InputError(Problem("model", f"build cannot be called with the nominal values: {error}")) from None
    except (ValueError, ArithmeticError) as error:
        raise InputError(Problem("model", f"build fails at the nominal values: {error}")) from None


class ModelEngine:
    """Runs of a mechanism."""

    def __init__(
        self,
        model: Build,
        vary: Vary,
        of: Any,
        limits: Sequence[AnyLimit] = (),
        *,
        until: Any = None,
        method: Any = None,
        save: Any = None,
        filling: Filling | None | str = "look",
        gradients: bool = False,
    ) -> None:
        self.model, self.vary, self.limits, self.gradients = model, vary, tuple(limits), gradients
        source, self.places = source_for(model, vary)
        self.members = Members(source, until=until, method=method, save=save)
        limited = [one.objective for one in limits if not isinstance(one.objective, str)]
        self.outputs = Outputs(self.members.layout, of, limited)
        self.columns, self.culprits = self.outputs.columns, self.members.culprits
        check_limits(limits, self)
        self.settings = self.members.settings(self.outputs.need_history)
        low, high = (side[list(self.places)] for side in vary.box(TAIL))
        self.filling: Filling | None = filling_of(self.members, low, high) if filling == "look" else filling  # type: ignore[assignment]
        base = Variant(self.members, self.outputs, self.filling, self.places)
        self.variants = Variants(base, vary, of, limited, self.settings)
        self._slopes, self._one = SlopeLane(self), Lock()
        if self.variants.closing:  # a request that the model cannot meet is reported now, not by every sample
            self.culprits = list(dict.fromkeys([*self.culprits, *self.variants.all_closed().members.culprits]))

    def lane(self, stop: Callable[[], bool] = lambda: False) -> AnyLane:
        """Room for one thread."""
        return _Chosen(self, stop)

    def room(self, variant: Variant, stop: Callable[[], bool] = lambda: False, *, whole: bool = False) -> Lane:
        """Room for members of a variant; ``whole`` keeps all that a run leaves."""
        outputs = None if whole else variant.outputs
        return Lane(variant.members, self.settings, outputs, variant.filling, stop)

    def find(self, given: Any) -> int:
        """Place of an output."""
        return self.outputs.find(given)

    def gradient(self, x: np.ndarray, of: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Values and exact derivatives; finite differences where an exact method cannot take the model."""
        with self._one:
            return self.slopes(x, of, self._slopes)

    def slopes(self, x: np.ndarray, of: Sequence[int], room: SlopeLane) -> tuple[np.ndarray, np.ndarray]:
        """The same in the room of a thread."""
        wanted = [self.columns[k].given for k in of]
        plain = [self.columns[k].key for k in of if not isinstance(self.columns[k].given, Objective)]
        if plain:
            message = f"{', '.join(plain)}: has no derivatives here; take Final, Integral, Mean, Peak or Quantile"
            raise InputError(Problem("of", message))
        variant = self.variants.at(x)
        values, own, self.notes = room.gradient(variant, variant.numbers(x), wanted)
        slopes = np.zeros((len(of), len(x)))
        slopes[:, list(variant.places)] = own
        return values, slopes


class _Chosen:
    """Room for one thread that takes all inputs, and has a lane for each variant of the model that it meets."""

    def __init__(self, engine: ModelEngine, stop: Callable[[], bool]) -> None:
        self.engine, self.stop = engine, stop
        base = engine.variants.base
        self.lanes: dict[int, Lane] = {id(base): engine.room(base, stop)}
        self.slopes = SlopeLane(engine)

    def row(self, x: np.ndarray) -> Row:
        """One sample."""
        engine = self.engine
        try:
            variant = engine.variants.at(x)
        except InputError as error:
            return Row.failed(len(engine.columns), REFUSED, 0.0, message="; ".join(map(str, error.problems)))
        if id(variant) not in self.lanes:
            self.lanes[id(variant)] = engine.room(variant, self.stop)
        row = self.lanes[id(variant)].row(variant.numbers(x))
        if engine.gradients and row.ok:
            try:
                own = [k for k, one in enumerate(engine.columns) if isinstance(one.given, Objective)]
                row.gradient = np.full((len(engine.columns), len(x)), np.nan)
                row.gradient[own] = engine.slopes(x, own, self.slopes)[1]
            except InputError:
                row.gradient = None
        return row


class FunctionEngine:
    """Values of a plain function: a number, several, or numbers by name."""

    def __init__(
        self,
        function: Callable[..., Any],
        vary: Vary,
        of: Any,
        limits: Sequence[AnyLimit],
        first: Any,
        gradients: bool = False,
    ) -> None:
        self.model, self.vary, self.limits, self.gradients = function, vary, tuple(limits), gradients
        self.culprits: list[str] = []
        known = list(first) if isinstance(first, Mapping) else _indices(first)
        self.keys = [str(key) for key in known]
        wanted = self.keys if of is None else [of] if isinstance(of, str) else list(of)
        wanted += [one.objective for one in limits if one.objective not in wanted]
        wrong = [one for one in wanted if one not in self.keys]
        if wrong:
            keys = ", ".join(self.keys)
            raise InputError(
                [
                    Problem("of", f"the function gives {keys}, not {one!r}{suggest(str(one), self.keys)}")
                    for one in wrong
                ]
            )
        self.columns = [Output(key, key, "") for key in wanted]
        self.members = None
        self.filling = None

    def lane(self, stop: Callable[[], bool] = lambda: False) -> AnyLane:
        """Room for one thread."""
        return _FunctionLane(self, stop)

    def find(self, given: Any) -> int:
        """Place of an output."""
        keys = [one.key for one in self.columns]
        if given not in keys:
            raise KeyError(f"'{given}' is not kept by this study{suggest(str(given), keys)}")
        return keys.index(given)

    def values(self, x: np.ndarray) -> np.ndarray:
        """All outputs at one point."""
        found = self.model(**named(self.vary.names, x))
        numbers = found if isinstance(found, Mapping) else dict(zip(self.keys, np.ravel(found), strict=True))
        return np.array([float(numbers[one.key]) for one in self.columns])

    def gradient(self, x: np.ndarray, of: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Values, and derivatives by central differences of sixth order."""
        values = self.values(x)[list(of)]
        slopes = np.zeros((len(of), len(x)))
        for k, one in enumerate(self.vary.inputs.values()):
            h = STEP * one.sigma
            for n, weight in WEIGHTS.items():
                away = np.zeros(len(x))
                away[k] = n * h
                slopes[:, k] += weight * (self.values(x + away) - self.values(x - away))[list(of)] / h
        self.notes: list[str] = []
        return values, slopes


class _FunctionLane:
    """A lane of a plain function."""

    def __init__(self, engine: FunctionEngine, stop: Callable[[], bool]) -> None:
        self.engine, self.stop = engine, stop

    def row(self, x: np.ndarray) -> Row:
        """One sample."""
        if self.stop():
            raise Stopped
        count = len(self.engine.columns)
        try:
            values = self.engine.values(x)
        except Exception as error:  # whatever a user's function raises is the end of this row only
            return Row.failed(count, FUNCTION_FAILED, 0.0, f"{type(error).__name__}: {error}")
        if not np.all(np.isfinite(values)):
            return Row(values, NOT_A_NUMBER, 0.0)
        row = Row(values, int(Code.DONE), 0.0)
        if self.engine.gradients:
            row.gradient = self.engine.gradient(x, range(count))[1]
        return row


def _indices(first: Any) -> list[str]:
    if np.ndim(first) == 0:
        try:
            float(first)
        except (TypeError, ValueError):
            message = f"build must return a System, or numbers, not {type(first).__name__}"
            raise InputError(Problem("model", message)) from None
        return ["value"]
    return [f"value[{k}]" for k in range(len(first))]


def check_limits(limits: Sequence[AnyLimit], engine: Engine) -> None:
    """InputError where a limit has no unit, or that of something else."""
    problems = []
    for k, limit in enumerate(limits):
        try:
            output = engine.columns[engine.find(limit.objective)]
        except KeyError as error:
            problems.append(Problem(f"limits[{k}]", str(error.args[0])))
            continue
        message = unit_problem(limit, output.unit)
        if message:
            problems.append(Problem(f"limits[{k}]", message))
    if problems:
        raise InputError(problems)
