"""Use of derivatives: choose parameters of a model (optimise), or recover them from measurements (fit)."""

from __future__ import annotations

from .cost import Cost
from .fit import fit
from .fitted import Fitted
from .limits import AtLeast, AtMost
from .optimise import optimise
from .optimum import Optimum

__all__ = ["AtLeast", "AtMost", "Cost", "Fitted", "Optimum", "fit", "optimise"]
