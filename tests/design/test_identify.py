from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from jointplay.design.identify import correlation_of, knowledge_of
from jointplay.design.loss import LOSSES, influence, total

NAMES = ("a", "b", "c")


def jacobian(seed: int = 0, n: int = 50) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 3)) * [1.0, 1e-4, 1e6]


def test_covariance_does_not_depend_on_units() -> None:
    J = jacobian()
    known = knowledge_of(J, NAMES, np.array([1.0, 1e4, 1e-6]))
    assert known.covariance == pytest.approx(np.linalg.inv(J.T @ J), rel=1e-9)
    assert known.condition < 2.0
    assert not known.warnings
    assert np.diag(correlation_of(known.covariance)) == pytest.approx([1.0, 1.0, 1.0])


def test_two_that_act_alike_leave_the_third_alone() -> None:
    J = jacobian()
    J[:, 2] = -3.0 * J[:, 0]
    known = knowledge_of(J, NAMES, np.ones(3))
    assert known.open == (("a", "c"),)
    assert np.isinf(known.covariance[0, 0]) and np.isinf(known.covariance[2, 2])
    # b is known as if one of the two were not there
    rest = np.linalg.inv(J[:, :2].T @ J[:, :2])
    assert known.covariance[1, 1] == pytest.approx(rest[1, 1], rel=1e-9)


def test_hardly_told_apart_is_not_the_same_as_not_at_all() -> None:
    J = jacobian()
    J[:, 2] = J[:, 0] + 1e-4 * J[:, 2] / 1e6
    known = knowledge_of(J, NAMES, np.ones(3))
    assert not known.open and known.weak == (("a", "c"),)
    assert known.covariance[0, 0] == pytest.approx(np.linalg.inv(J.T @ J)[0, 0], rel=1e-4)


def test_silent_parameter_is_named() -> None:
    J = jacobian()
    J[:, 1] = 0.0
    known = knowledge_of(J, NAMES, np.ones(3))
    assert known.silent == ("b",) and np.isinf(known.condition)
    assert np.isinf(known.covariance[1, 1])
    assert known.covariance[0, 0] == pytest.approx(np.linalg.inv(J[:, [0, 2]].T @ J[:, [0, 2]])[0, 0], rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_are_those_that_scipy_minimises(loss: str) -> None:
    r = np.random.default_rng(1).normal(0.0, 2.0, 30)
    found = least_squares(lambda x: r + 0.0 * x[0], [0.0], jac=lambda x: np.zeros((30, 1)), loss=loss, max_nfev=1)
    assert total(loss, r) == pytest.approx(2.0 * found.cost, rel=1e-12)
    # psi is half the slope of rho(r^2)
    h = 1e-6
    psi = [np.array([total(loss, np.array([x + d])) for x in r]) for d in (h, -h)]
    slope, square = influence(loss, r)
    assert square == pytest.approx(((psi[0] - psi[1]) / (4 * h)) ** 2, rel=1e-6, abs=1e-9)
    higher, lower = (influence(loss, r + d)[1] for d in (h, -h))
    assert slope == pytest.approx((np.sqrt(higher) - np.sqrt(lower)) / (2 * h) * np.sign(r), rel=1e-5, abs=1e-5)


def test_robust_covariance_tells_the_scatter_of_robust_fits() -> None:
    # 400 fits of a mean, a tenth of the data far off: their scatter is what each of them claims
    rng, loss, n = np.random.default_rng(5), "soft_l1", 100
    means, claims = [], []
    for _ in range(400):
        data = np.where(rng.random(n) < 0.1, rng.normal(0.0, 10.0, n), rng.normal(0.0, 1.0, n))
        mean = least_squares(lambda x, d=data: x[0] - d, [0.0], loss=loss).x[0]
        slope, square = influence(loss, mean - data)
        known = knowledge_of(np.ones((n, 1)), ("mean",), np.ones(1), bread=slope, filling=square)
        means.append(mean)
        claims.append(np.sqrt(known.covariance[0, 0]))
    assert np.mean(claims) == pytest.approx(np.std(means), rel=0.1)
