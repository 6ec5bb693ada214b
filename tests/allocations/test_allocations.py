"""Kernels allocate nothing: they are compiled without the memory runtime, so one that would allocate cannot compile."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core.errors import NumbaError

from jointplay.numerics.jit import jit, link


def make(n):
    """Asks for memory."""
    return np.zeros(n)


@pytest.mark.parametrize("decorate", (jit, link))
def test_a_kernel_that_allocates_does_not_compile(decorate) -> None:
    with pytest.raises((NumbaError, NotImplementedError, RuntimeError)):
        decorate(make)(3)


def test_a_kernel_that_writes_in_place_compiles() -> None:
    @link
    def fill(x):
        for k in range(len(x)):
            x[k] = 2.0 * k

    x = np.empty(4)
    fill(x)
    assert x.tolist() == [0.0, 2.0, 4.0, 6.0]
