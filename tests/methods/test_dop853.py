"""The figures of the Runge-Kutta pair: order conditions, and agreement with SciPy's copy of the same pair."""

import numpy as np
import pytest
from scipy.integrate import DOP853

from jointplay.methods.dop853 import E3, E5, STAGES, A, B, C, D


def test_figures_are_those_of_scipy() -> None:
    rows = STAGES
    assert np.array_equal(A[:rows, :rows], DOP853.A)
    assert np.array_equal(A[rows + 1 :], DOP853.A_EXTRA)
    assert np.array_equal(B, DOP853.B)
    assert np.array_equal(C[:rows], DOP853.C)
    assert np.array_equal(C[rows + 1 :], DOP853.C_EXTRA)
    assert np.array_equal(E3, DOP853.E3)
    assert np.array_equal(E5, DOP853.E5)
    assert np.array_equal(D, DOP853.D)


@pytest.mark.parametrize("power", range(8))
def test_quadrature_conditions_up_to_order_eight(power: int) -> None:
    assert B @ C[:STAGES] ** power == pytest.approx(1.0 / (power + 1), abs=1e-14)


def test_order_conditions_of_trees_with_one_branch() -> None:
    a, c = A[:STAGES, :STAGES], C[:STAGES]
    assert np.allclose(a.sum(axis=1), c, atol=1e-14)
    for power in range(1, 7):
        assert B @ a @ c**power == pytest.approx(1.0 / ((power + 1) * (power + 2)), abs=1e-14)
    assert B @ a @ a @ a @ a @ a @ a @ c == pytest.approx(1.0 / np.prod(np.arange(1.0, 9.0)), abs=1e-14)


def test_the_next_order_is_not_reached() -> None:
    assert abs(B @ C[:STAGES] ** 8 - 1.0 / 9.0) > 1e-9
