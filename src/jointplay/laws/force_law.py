"""ForceLaw: the force on a coordinate is an expression in the coordinate x, its rate v, t, and what else is sensed.

    lambda = f(x, v, t, other coordinates, inputs)

such as "-k*x^3 - c*v". x and v are in the unit of the coordinate (m or rad) and per second, lambda in F. Partial
derivatives follow exactly from the program of the expression (numerics/signals.py). The law may be a controller that
feeds energy in as well as a damper, so no energy is stored in it and its whole power lambda v counts as input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..codes import Regime
from .base import Law


@dataclass(frozen=True, init=False)
class ForceLaw(Law):
    """A force that is an expression; ``ForceLaw("-k*x^3 - c*v", k="4 N/m^3", c=0.1)``."""

    key: ClassVar[str] = "force_law"
    regime: ClassVar[Regime] = Regime.FORCE
    effort: ClassVar[str] = "law"
    drives: ClassVar[bool] = True

    value: Any = field(metadata={"signal": "F", "senses": True})
    values: Mapping[str, Any] = field(default_factory=dict, metadata={"named": True})

    def __init__(self, value: Any, values: Mapping[str, Any] | None = None, **numbers: Any) -> None:
        """The expression, and numbers that it names beside the parameters of the model."""
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "values", {**(values or {}), **numbers})

    def numbers(self) -> tuple[float, ...]:
        """None: its constants stand in the program of its expression."""
        return ()
