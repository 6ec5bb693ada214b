"""What stands between a search and single runs: refusals of a user's function, and remarks on trial runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from ..errors import InputError, Problem

log = logging.getLogger("jointplay")


def guarded(build: Any) -> Any:
    """A user's function whose refusals of numbers (a root of a negative one) count as bad input."""
    if not callable(build):
        return build

    @wraps(build)
    def careful(**parameters: float) -> Any:
        try:
            return build(**parameters)
        except InputError:
            raise
        except (ValueError, ArithmeticError) as error:
            raise InputError(Problem("build", str(error) or type(error).__name__)) from error

    return careful


@contextmanager
def quiet() -> Iterator[None]:
    """Keep remarks on single trial runs out of the log; those on the best one are reported at the end."""

    def nothing(record: logging.LogRecord) -> bool:
        return False

    log.addFilter(nothing)
    try:
        yield
    finally:
        log.removeFilter(nothing)
