"""Channels that are sums over the past: which they are, and which method follows which of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import ENERGY_CHANNELS, PAD_CHANNELS, SOLVER_CHANNELS
from ..compile.pack import Compiled
from ..results.layout import layout_of


def ledger_of(compiled: Compiled) -> tuple[range, range]:
    """Channels of stored energies (kinetic, gravity, elastic), and of (input, dissipated, error)."""
    first = layout_of(compiled).channels - SOLVER_CHANNELS - ENERGY_CHANNELS
    return range(first, first + 3), range(first + 3, first + 6)


def named(compiled: Compiled, name: str) -> Iterator[tuple[str, set[int]]]:
    """Public names and channels of all quantities of one kind."""
    for variable in layout_of(compiled).variables:
        if variable.name == name:
            for public, own in zip(variable.publics, variable.columns, strict=True):
                yield public, set(own)


def compliant(compiled: Compiled) -> range:
    """Channels of compliant contacts."""
    speeds = [min(own) for _, own in named(compiled, "onset_speed")]
    return range(min(speeds) - PAD_CHANNELS + 1, max(speeds) + 1) if speeds else range(0)


def follows(compiled: Compiled, columns: np.ndarray) -> bool:
    """True if sums over the past are among these channels: their tangents cost something."""
    sums = set(ledger_of(compiled)[1]).union(*(own for _, own in named(compiled, "normal_impulse")))
    return not sums.isdisjoint(np.asarray(columns).tolist())
