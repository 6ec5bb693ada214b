"""A mechanism as an environment of reinforcement learning: a Stepper behind the interface of gymnasium.

    env = jp.environment(system, observe=["A.angle", "A.angle_rate"], act={"motor": ("-2 N*m", "2 N*m")},
                         reward="-A.angle^2 - 0.01*motor^2", span="20 ms", ends="A.angle > 1", at_most="10 s")

Observations are quantities by the names of results, actions are inputs, both in SI. ``reward`` and ``ends`` are
expressions of what can be sensed, or functions of the Stepper. An episode is truncated at ``at_most``; it terminates
where ``ends`` holds, and where a step fails, which is an outcome (``info["outcome"]``) and never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError, Problem
from .extras import needed
from .methods.base import Method
from .model.names import suggest
from .model.system import System
from .quantities.signal import Signal
from .quantities.units import QuantityError, si
from .stepper import Stepper

if TYPE_CHECKING:
    import gymnasium

Judge = Callable[[Stepper], float]


def environment(
    system: System,
    *,
    observe: Sequence[str],
    act: Mapping[str, tuple[Any, Any]],
    reward: str | Judge,
    span: float | str,
    at_most: float | str,
    ends: str | Judge | None = None,
    begin: Callable[[Stepper, np.random.Generator], None] | None = None,
    method: Method | str | None = None,
) -> gymnasium.Env[np.ndarray, np.ndarray]:
    """A gymnasium environment; needs ``pip install 'jointplay[gym]'``.

    Args:
        system: what moves; its ``inputs`` are the actions.
        observe: names of results; all components of each are observed.
        act: inputs by name, each with its least and greatest value (SI, or texts with units).
        reward: of each step, from its end: an expression, or a function of the Stepper.
        span: time between two actions (s, or a text with a unit).
        at_most: time at which an episode is truncated.
        ends: condition at which an episode terminates ("A.angle > 1"), or a function of the Stepper.
        begin: called with the Stepper and a random generator after each reset, to vary the start.
        method: how to integrate; if omitted as ``simulate`` would choose.
    """
    needed("gymnasium", "an environment", "gym", "environment")
    from .gymnasium_env import Environment

    sim = Stepper(system, method, at_most=at_most)
    problems: list[Problem] = []
    for name in observe:
        try:
            sim[name]
        except KeyError as error:
            problems.append(Problem("observe", str(error.args[0])))
    bounds = [_bounds(name, given, system, problems) for name, given in act.items()]
    score = _judge("reward", reward, system, problems)
    over = _judge("ends", ends, system, problems) if ends is not None else None
    if not observe or not act:
        problems.append(Problem("observe" if not observe else "act", "names nothing"))
    if problems:
        raise InputError(problems)
    return Environment(sim, list(observe), list(act), np.array(bounds).T, score, over, begin, span, at_most)


def _bounds(name: str, given: Any, system: System, problems: list[Problem]) -> tuple[float, float]:
    """Least and greatest value of an input in SI."""
    field = f"act: {name}"
    if name not in system.inputs:
        problems.append(Problem(field, f"there is no input '{name}'{suggest(name, system.inputs)}"))
        return 0.0, 0.0
    try:
        low, high = (si(one if isinstance(one, str) else float(one), system.inputs[name].unit) for one in given)
    except (QuantityError, TypeError, ValueError) as error:
        problems.append(Problem(field, f"needs its least and greatest value: {error}"))
        return 0.0, 0.0
    if not low < high:
        problems.append(Problem(field, f"its least value, {low:g}, must be below its greatest, {high:g}"))
    return low, high


def _judge(field: str, given: Any, system: System, problems: list[Problem]) -> Judge:
    """A function of the Stepper; of an expression or a condition, its value."""
    if callable(given):
        return given
    free = system.free_names
    try:
        signal = (
            Signal.condition(given, system.values, free)
            if field == "ends"
            else Signal.measure(str(given), system.values, free)
        )
    except (QuantityError, TypeError, ValueError) as error:
        problems.append(Problem(field, str(error)))
        return lambda sim: 0.0
    return lambda sim: signal.value(sim.time, {name: sim[name] for name in signal.names})
