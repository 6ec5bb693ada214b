"""Small dense systems against NumPy, real and complex; singular ones."""

from __future__ import annotations

import numpy as np
import pytest

from jointplay.numerics.gauss import eliminate


@pytest.mark.parametrize("scalar", (float, complex))
@pytest.mark.parametrize("n", (1, 2, 5, 9))
def test_random_systems(n: int, scalar: type) -> None:
    draw = np.random.default_rng(n)
    for _ in range(20):
        A, x = draw.normal(size=(n + 1, n)).astype(scalar), draw.normal(size=n).astype(scalar)
        if scalar is complex:
            A += 1e-20j * draw.normal(size=A.shape)
        exact, error = np.linalg.solve(A[:n], x), 1e-14 * np.linalg.cond(A[:n].real)
        assert eliminate(A, x)
        assert np.abs(x - exact).max() <= 10.0 * error * np.abs(exact).max()


def test_a_singular_one_leaves_zeros() -> None:
    A, x = np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([3.0, 0.0])
    assert not eliminate(A, x)
    assert x.tolist() == [3.0, 0.0]
