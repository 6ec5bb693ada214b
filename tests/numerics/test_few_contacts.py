"""One or two contacts in a plane, solved at once: an answer is one that Lemke's method finds, or none is given."""

from __future__ import annotations

import numpy as np
import pytest

from jointplay.numerics.cones import contact_scratch
from jointplay.numerics.contact import solve, solve_contact
from jointplay.numerics.few_contacts import solve_one, solve_two

TOLERANCE = 1e-13


def problem(seed: int, contacts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A positive definite matrix, velocities that approach, and coefficients of friction."""
    random = np.random.default_rng(seed)
    n = 2 * contacts
    spread = random.standard_normal((n, n + 2))
    q = random.standard_normal(n)
    q[::2] = -abs(q[::2])
    mu = random.choice([0.0, 0.05, 0.3, 0.8], contacts)
    return spread @ spread.T + 0.1 * np.eye(n), q, mu


@pytest.mark.parametrize("seed", range(60))
def test_one_contact(seed):
    W, q, mu = problem(seed, 1)
    r = np.array([0.3, -0.1])
    solved, error = solve_one(W, q, mu[0], r, TOLERANCE)
    exact = solve_contact(W, q, mu, dim=2, method="lemke")
    assert exact.ok
    assert solved
    assert error <= TOLERANCE
    assert r == pytest.approx(exact.impulses.ravel(), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("seed", range(120))
def test_two_contacts_from_the_answer_of_a_problem_nearby(seed):
    W, q, mu = problem(seed, 2)
    exact = solve_contact(W, q, mu, dim=2, method="lemke")
    assert exact.ok
    answer = np.where(abs(exact.impulses) > 1e-13, exact.impulses, 0.0).ravel()
    # the step before: the same contacts press and slide, with other forces
    random = np.random.default_rng(seed + 1000)
    start = answer.copy()
    for k in range(2):
        start[2 * k : 2 * k + 2] *= random.uniform(0.5, 2.0)
    kept = start.copy()
    solved, error = solve_two(W, q, mu, start, TOLERANCE)
    slides = [answer[2 * k] <= 0.0 or abs(answer[2 * k + 1]) >= (1 - 1e-10) * mu[k] * answer[2 * k] for k in range(2)]
    if solved:
        assert all(slides)
        assert error <= TOLERANCE
        assert start == pytest.approx(answer, rel=1e-9, abs=1e-11)
    else:
        # of the two equations, where both press: a matrix that friction has turned around may have other answers too
        f = [mu[k] * np.sign(answer[2 * k + 1]) for k in range(2)]
        left = np.array([[W[2 * i, 2 * j] + f[j] * W[2 * i, 2 * j + 1] for j in range(2)] for i in range(2)])
        assert not all(slides) or np.linalg.det(left) <= 0.0
        assert (start == kept).all()


@pytest.mark.parametrize("seed", range(40))
def test_a_warm_start_that_misleads_does_no_harm(seed):
    W, q, mu = problem(seed, 2)
    random = np.random.default_rng(seed + 2000)
    exact = solve_contact(W, q, mu, dim=2, method="lemke")
    start = np.zeros(4)
    start[::2] = random.uniform(0.0, 2.0, 2) * random.integers(0, 2, 2)
    start[1::2] = random.choice([-1.0, 1.0], 2) * mu * start[::2]
    status, _, _ = solve(2, 2, W, q, mu, start, contact_scratch(2, 2, tolerance=TOLERANCE, enough=1e-10))
    assert status == 0
    assert start == pytest.approx(exact.impulses.ravel(), rel=1e-8, abs=1e-10)


def test_numbers_that_are_none_are_left_to_others():
    W = np.eye(4)
    for bad in (np.nan, np.inf):
        q, r = np.array([-1.0, bad, -1.0, 0.0]), np.ones(4)
        assert not solve_two(W, q, np.array([1.0, 1.0]), r, TOLERANCE)[0]
        assert not solve_one(W, q, 0.5, r, TOLERANCE)[0]
    assert not solve_one(np.zeros((2, 2)), np.array([-1.0, 0.0]), 0.5, np.ones(2), TOLERANCE)[0]
