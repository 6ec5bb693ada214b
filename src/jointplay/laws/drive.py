"""Drive: a free coordinate follows a given function of time, g = g*(t).

The row of the coordinate becomes g(q) - g*(t) = 0 with drift -dg*/dt and bias -d2g*/dt2, so g* must be twice
differentiable where accelerations are to be right; jumps of its slope act like impacts of the drive. lambda is the
force or torque of the drive on the second body; its power lambda dg*/dt is input work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..codes import Regime
from .base import Law, signal


@dataclass(frozen=True)
class Drive(Law):
    """A coordinate that follows ``value``: an expression in t, a callable or a table."""

    key: ClassVar[str] = "drive"
    regime: ClassVar[Regime] = Regime.BILATERAL
    effort: ClassVar[str] = "drive"
    drives: ClassVar[bool] = True

    value: Any = signal("X")
