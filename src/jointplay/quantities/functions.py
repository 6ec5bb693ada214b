"""Functions of users that expressions call: trees hold their names, programs the addresses of their machine code.

A name is made of what the function does (laws/own_code.py), so that it means the same wherever it stands; no text of a
model can spell one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Function(NamedTuple):
    """A function of some numbers: its machine code (numerics/by_address.py, jet_at), and the same in Python."""

    arguments: int
    address: float
    value: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        """Its value at numbers or arrays."""
        return np.vectorize(self.value, otypes=[float])(*arguments)


FUNCTIONS: dict[str, Function] = {}
