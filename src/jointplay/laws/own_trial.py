"""A law that a user has written, called as plain Python before it is compiled: does it return what it should?

Machine code cannot report why it has no value. Python can: what a function returns that has the wrong form, and what it
raises, are reported in the user's words. Places without a real value (a root of a negative number) are passed over.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from .own_check import PLACES, TRIED, places_of
from .own_code import Shape

MOST = 40  # places


class Found(NamedTuple):
    """What is wrong with the form of a result, and what the function raised wherever it was tried; empty if nothing."""

    form: str = ""
    raised: str = ""


def trial(function: Callable[..., Any], shape: Shape, values: tuple[float, ...], states: Sequence[str]) -> Found:
    """Call the function at some places; ``states`` are the names of those whose rates it returns."""
    raised = ""
    for place in _places(shape):
        given = [values[k] if kind == "number" else place[kind][k] for kind, k in shape.call]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = function(*given)
        except Exception as error:
            raised = raised or f"it raises {type(error).__name__}" + (f" ({error})" if str(error) else "")
            continue
        if not _has_value(result):
            continue
        return Found(_form(result, shape, states))
    return Found("", raised)


def _places(shape: Shape) -> Iterator[dict[str, Any]]:
    """Values of arguments, states and what is sensed."""
    family = "coordinate" if shape.family == "control" else shape.family
    grid = list(product(*(PLACES[family] if shape.family == "control" else places_of(shape))))
    draw, count = np.random.default_rng(0), max([k + 1 for kind, k in shape.call if kind == "sense"], default=0)
    for one in grid[:MOST]:
        sensed = [float(draw.choice(TRIED)) for _ in range(count)]
        yield {"argument": one, "state": [0.0] * shape.states, "sense": sensed}


def _plain(one: Any) -> bool:
    return isinstance(one, numbers.Real) or (isinstance(one, np.ndarray) and one.ndim == 0)


def _has_value(result: Any) -> bool:
    """False of complex numbers, and of tuples with some: roots and powers of negative numbers are not real."""
    parts = result if isinstance(result, tuple | list) else (result,)
    return not any(isinstance(one, complex | np.complexfloating) for one in parts)


def _form(result: Any, shape: Shape, states: Sequence[str]) -> str:
    """What is wrong with the form of a result."""
    wanted = ["the force" if shape.family != "friction" else "the coefficient"]
    wanted += ["the stored energy", "the dissipated power"] if shape.energy else []
    wanted += [f"the rate of '{name}'" for name in states]
    whole = wanted[0] if len(wanted) == 1 else f"{', '.join(wanted[:-1])} and {wanted[-1]}"
    if result is None:
        return f"it returns nothing, and has to return {whole}"
    if isinstance(result, tuple | list):
        if len(result) != len(wanted) or len(wanted) == 1:
            return f"it returns {len(result)} values, and has to return {len(wanted)}: {whole}"
        strange = [one for one in result if not _plain(one)]
    else:
        if len(wanted) > 1:
            return f"it returns one value, and has to return {len(wanted)}: {whole}"
        strange = [] if _plain(result) else [result]
    return f"it must return plain numbers, not {repr(strange[0])[:60]}" if strange else ""
