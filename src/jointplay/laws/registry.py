"""All laws. The number of a law's kernel in a compiled model is its place in ``FORCE_LAWS``."""

from __future__ import annotations

from ..codes import Regime
from ..numerics.jit import jit
from ..numerics.switch import switch
from .base import Law
from .clearance import Clearance
from .coulomb import Coulomb
from .drive import Drive
from .ideal import Ideal
from .rigid import Rigid
from .spring import Spring
from .stop import Stop

REGISTRY: tuple[type[Law], ...] = (Ideal, Clearance, Stop, Drive, Spring, Rigid, Coulomb)

FORCE_LAWS: tuple[type[Law], ...] = tuple(law for law in REGISTRY if law.regime is Regime.FORCE)

_force = switch(tuple(law.force for law in FORCE_LAWS))  # type: ignore[misc]


@jit
def evaluate_law(law, g, rate, t, z):
    """lambda, d lambda/dg, d lambda/d rate, energy, dissipated power of law record ``law`` (see laws/base.py)."""
    return _force(law.kind, law.p, g, rate, t, z[law.inner :])
