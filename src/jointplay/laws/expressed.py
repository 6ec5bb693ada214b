"""Laws whose force is an expression: the compiler reads their ``value`` and ``states``; they have no kernel.

    lambda = f(x, v, t, z, other coordinates, inputs),      z' = r(x, v, t, z, ...)

The model layer makes functions of both (model/lawtree.py, model/actuators.py). Such a law may feed energy in as well as
take it out: nothing is stored in it, and its whole power lambda v counts as input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..codes import Regime
from .base import Law


@dataclass(frozen=True)
class OwnState:
    """A state of a law: its unit as given, its rate (a function of time and of what is sensed), its start."""

    unit: str
    rate: Any
    start: float = 0.0
    result: str = ""  # its name among the results of the joint, where it is not that in the law


@dataclass(frozen=True)
class Called:
    """An expression that is a call of machine code (numerics/by_address.py, jet_at) with named arguments."""

    name: str  # made of what the code does
    address: float
    value: Callable[..., Any]  # the same in Python
    arguments: tuple[str, ...]


class Expressed(Law):
    """A law on a coordinate whose force is the function ``value``, with ``states`` of its own by name."""

    regime: ClassVar[Regime] = Regime.FORCE
    drives: ClassVar[bool] = True
    expressed: ClassVar[bool] = True

    value: Any
    states: Mapping[str, OwnState]

    def names_of_states(self, joint: str) -> dict[str, str]:
        """What the rest of a model calls its states, by the names that they have in the law."""
        return {name: f"{joint}.{one.result or name}" for name, one in self.states.items()}

    def numbers(self) -> tuple[float, ...]:
        """None: its constants stand in the programs of its expressions."""
        return ()


class Actuator(Expressed):
    """A law that is written as expressions of its fields: controllers, motors."""

    def expressions(self) -> tuple[Any, dict[str, OwnState]]:
        """Its force (F) and its states, whose rates are texts in x, v, the names of its fields and states.

        Or a call with these as its arguments.

        Units of states are written with X and F. Called once its fields are in SI; ValueError if they do not fit
        together.
        """
        raise NotImplementedError
