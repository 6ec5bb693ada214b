"""Problems that are found while compiling, reported with the file and line of what they name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from ..errors import InputError
from ..model.system import System

P = ParamSpec("P")
T = TypeVar("T")


def placing_problems(work: Callable[Concatenate[System, P], T]) -> Callable[Concatenate[System, P], T]:
    """``work`` on a system, whose problems carry their place in the model file, if there is one."""

    @wraps(work)
    def placed(system: System, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return work(system, *args, **kwargs)
        except InputError as error:
            raise InputError([system.placed(problem) for problem in error.problems]) from None

    return placed
