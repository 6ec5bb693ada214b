"""ForceLaw: the force on a coordinate is an expression in the coordinate x, its rate v, t, and what else is sensed.

    lambda = f(x, v, t, z, other coordinates, inputs),      z' = r(x, v, t, z, ...)

such as "-k*x^3 - c*v". x and v are in the unit of the coordinate (m or rad) and per second, lambda in F. The law may
bring states z of its own, numbers whose rates are expressions as well. Partial derivatives follow exactly from the
programs of the expressions (numerics/signals.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .expressed import Expressed


@dataclass(frozen=True, init=False)
class ForceLaw(Expressed):
    """A force that is an expression; ``ForceLaw("-k*x^3 - c*v", k="4 N/m^3", c=0.1)``.

    With states of its own: ``ForceLaw("-k*x - ki*z", states={"z": {"unit": "m*s", "rate": "x"}}, k=100, ki=20)``.
    """

    key: ClassVar[str] = "force_law"
    effort: ClassVar[str] = "law"

    value: Any = field(metadata={"signal": "F", "senses": True})
    values: Mapping[str, Any] = field(default_factory=dict, metadata={"named": True})
    states: Mapping[str, Any] = field(default_factory=dict, metadata={"states": True})

    def __init__(
        self,
        value: Any,
        values: Mapping[str, Any] | None = None,
        states: Mapping[str, Any] | None = None,
        **numbers: Any,
    ) -> None:
        """The expression, numbers that it names beside the parameters of the model, and states of its own."""
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "values", {**(values or {}), **numbers})
        object.__setattr__(self, "states", {} if states is None else states)
