r"""Cost: an objective of the parameters alone, such as the price of a tolerance or the weight of a part.

.. math::  \psi = c(p),

next to objectives of a motion, :math:`\psi = w(t_f) + \int g\,dt` (paper E eq. 12). ``Cost(function)`` calls
``function(**parameters)`` with floats in SI. Its derivative is a central difference of sixth order,

.. math::  c' \approx \frac{45 (c_1 - c_{-1}) - 9 (c_2 - c_{-2}) + (c_3 - c_{-3})}{60 h},
    \qquad c_k = c(p + k h), \quad h = 10^{-3} |p|,

good to about twelve digits for a smooth function, whatever Python it is written in. A cost may be added to an objective
of a motion and to another cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, Problem

STEP = 1e-3  # relative; the error of the formula is of order STEP^6, that of rounding 1e-16 / STEP
WEIGHTS = {1: 45.0 / 60.0, 2: -9.0 / 60.0, 3: 1.0 / 60.0}


@dataclass(frozen=True)
class Cost:
    """A function of the parameters."""

    function: Callable[..., Any]
    name: str = "Cost"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(Problem("Cost", f"needs a function of the parameters, not {self.function!r}"))

    def value(self, parameters: Mapping[str, float]) -> float:
        """c(p)."""
        return float(self.function(**parameters))

    def gradient(self, parameters: Mapping[str, float], scale: np.ndarray) -> np.ndarray:
        """dc/dp, one number per parameter; ``scale`` gives the step where a parameter is zero."""
        slopes = []
        for (name, p), size in zip(parameters.items(), scale, strict=True):
            h = STEP * (abs(p) or float(size))
            at = {k: self.value({**parameters, name: p + k * h}) for k in (-3, -2, -1, 1, 2, 3)}
            slopes.append(sum(w * (at[k] - at[-k]) for k, w in WEIGHTS.items()) / h)
        return np.array(slopes)

    def __str__(self) -> str:
        return self.name

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Mixed):
            return Mixed(self + other.cost, other.objective)
        if isinstance(other, Cost):
            return Cost(lambda **p: self.function(**p) + other.function(**p), f"{self} + {other}")
        return Mixed(self, other)

    def __radd__(self, other: Any) -> Any:
        return self + other


@dataclass(frozen=True)
class Mixed:
    """A cost plus an objective of the motion."""

    cost: Cost
    objective: Any

    def __str__(self) -> str:
        return f"{self.cost} + {self.objective}"

    def __add__(self, other: Any) -> Mixed:
        if isinstance(other, Cost | Mixed):
            return (
                other + self
                if isinstance(other, Cost)
                else Mixed(self.cost + other.cost, self.objective + other.objective)
            )
        return Mixed(self.cost, self.objective + other)

    def __radd__(self, other: Any) -> Mixed:
        return self + other
