"""Ideal: the direction is closed, g = 0; lambda is whatever keeps it so and does no work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..codes import Regime
from .base import Law


@dataclass(frozen=True)
class Ideal(Law):
    """A perfectly closed direction."""

    key: ClassVar[str] = "ideal"
    regime: ClassVar[Regime] = Regime.BILATERAL
    closes: ClassVar[bool] = True
