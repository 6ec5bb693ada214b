"""A mixture of parameters: rho = sum w_k rho_k has the variation sum w_k d/d rho_k of everything that is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Model


@dataclass(frozen=True, eq=False)
class Mixture:
    """A variation that is a sum of others."""

    model: Model
    y: np.ndarray
    energy0: float


def mixture_of(variations: list[Any], weights: np.ndarray) -> Mixture:
    """The sum of variations times weights."""
    parts = []
    for group in zip(*(one.model for one in variations), strict=True):
        total = np.zeros_like(group[0])
        for part, weight in zip(group, weights, strict=True):
            if total.dtype.kind == "f":
                total += weight * part
            for name in total.dtype.names or ():
                if total[name].dtype.kind == "f":
                    total[name] += weight * part[name]
        parts.append(total)
    y = sum(weight * one.y for weight, one in zip(weights, variations, strict=True))
    energy0 = sum(weight * one.energy0 for weight, one in zip(weights, variations, strict=True))
    return Mixture(Model(*parts), np.asarray(y), float(energy0))
