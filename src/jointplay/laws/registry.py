"""All laws. The number of a law's kernel in a compiled model is its place in ``FORCE_LAWS``."""

from __future__ import annotations

from ..codes import Regime
from ..numerics.jit import jit
from ..numerics.switch import switch
from .base import Law
from .drive import Drive
from .ideal import Ideal
from .spring import Spring

REGISTRY: tuple[type[Law], ...] = (Ideal, Drive, Spring)

FORCE_LAWS: tuple[type[Law], ...] = tuple(law for law in REGISTRY if law.regime is Regime.FORCE)

_force = switch(tuple(law.force for law in FORCE_LAWS))  # type: ignore[misc]


@jit
def evaluate_law(law, g, rate, t, z):
    """lambda, d lambda/dg, d lambda/d rate, energy, dissipated power of law record ``law`` (see laws/base.py)."""
    return _force(law.kind, law.p, g, rate, t, z[law.inner :])
