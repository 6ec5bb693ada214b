"""Contacts without friction: redundant, degenerate and badly scaled ones, against least squares of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from jointplay.numerics import contact, solve_contact, solve_lcp
from jointplay.numerics.cones import OK, contact_scratch
from jointplay.numerics.nonnegative import least_squares


def random(rng, n, rank):
    return rng.standard_normal((n, rank)), rng.standard_normal(rank)


def balls(rng, n, rank):
    """Contacts of balls at random, with each other and with walls; masses over six decades."""
    bodies = rank // 3
    A = np.zeros((n, 3 * bodies))
    for row in A:
        i, j = rng.choice(bodies, 2, replace=False)
        way = rng.standard_normal(3)
        row[3 * i : 3 * i + 3] = way / np.linalg.norm(way)
        row[3 * j : 3 * j + 3] = 0.0 if rng.random() < 0.3 else -way / np.linalg.norm(way)
    return A / np.sqrt(10.0 ** rng.uniform(-3, 3, 3 * bodies)), 3.0 * rng.standard_normal(3 * bodies)


def stacked(rng, n, rank):
    """Contacts along axes, many of them the same, under one weight."""
    bodies = rank // 3
    A = np.zeros((n, 3 * bodies))
    for row in A:
        i = rng.integers(bodies)
        way = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
        row[3 * i : 3 * i + 3] = way
        if i > 0:
            row[3 * i - 3 : 3 * i] = -way
    return A, np.tile([0.0, 0.0, -1.0], bodies)


def twice(rng, n, rank):
    A = rng.standard_normal((rank, rank))
    return np.vstack([A, A[rng.integers(rank, size=n - rank)]]), rng.standard_normal(rank)


def opposite(rng, n, rank):
    A = rng.standard_normal((n - n // 2, rank))
    return np.vstack([A, -A[: n // 2]]), rng.standard_normal(rank)


def scaled(rng, n, rank):
    return rng.standard_normal((n, rank)) * 10.0 ** rng.uniform(-2, 2, (n, 1)), rng.standard_normal(rank)


KINDS = (random, balls, stacked, twice, opposite, scaled)


@pytest.mark.parametrize("method", ["auto", "lemke"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "rank"), [(12, 6), (30, 18), (120, 75), (200, 60)])
def test_against_scipy(kind, n, rank, method):
    """u is unique, whatever r is: that of the least squares problem."""
    for seed in range(4):
        A, b = kind(np.random.default_rng(1000 * n + seed), n, rank)
        W, q = A @ A.T, A @ b
        solution = solve_lcp(W, q, method=method)
        assert solution.ok, (seed, solution.status, solution.residual)
        r, _ = nnls(A.T, -b, maxiter=50 * n)
        assert W @ solution.z == pytest.approx(W @ r, abs=1e-6 * np.linalg.norm(q))
        assert np.min(solution.z) >= 0.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [2, 3])
def test_contacts_in_the_plane_and_in_space_without_friction(kind, dim):
    """The tangents do not count; their part of W is there."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        A, b = kind(rng, 30, 18)
        full = np.zeros((30 * dim, A.shape[1]))
        full[::dim] = A
        full[1::dim] = rng.standard_normal(A.shape)
        solution = solve_contact(full @ full.T, full @ b, 0.0, dim)
        assert solution.ok and not solution.impulses[:, 1:].any()
        r, _ = nnls(A.T, -b, maxiter=1000)
        assert solution.velocities[:, 0] == pytest.approx(A @ (A.T @ r + b), abs=1e-6 * np.linalg.norm(b))


def test_the_kernel_alone():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 40))
        A, b = random(rng, n, int(rng.integers(1, 40)))
        W, q, r = A @ A.T, A @ b, np.full(n, np.nan)
        status, rounds = least_squares(1, n, W, q, r, 1e-12 * np.linalg.norm(q), contact_scratch(1, n))
        assert status == OK and rounds <= 10 * n
        assert np.linalg.norm(np.minimum(r, W @ r + q)) <= 1e-9 * np.linalg.norm(q)


@pytest.mark.parametrize("method", ["auto", "lemke"])
def test_walls_that_squeeze_have_no_solution(method):
    """Two walls that both come nearer to one body: W is singular, q is not in its range."""
    solution = solve_lcp([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0], method=method)
    assert not solution.ok and np.isfinite(solution.z).all()


@pytest.mark.parametrize("method", ["auto", "gauss_seidel"])
def test_long_calls_come_back_to_python(method, monkeypatch):
    """Ctrl-C acts between two parts of the work."""
    rng = np.random.default_rng(3)
    k, calls = 40, []
    H = rng.standard_normal((3 * k, 20))
    W, q = H @ H.T, -np.abs(H @ rng.standard_normal(20))
    name = "go_on" if method == "auto" else method
    kernel = getattr(contact, name)

    def interrupted(*given):
        calls.append(name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return kernel(*given)

    monkeypatch.setattr(contact, name, interrupted)
    monkeypatch.setattr(contact, "WORK", 5.0 * (3 * k) ** 2)  # five sweeps
    if method != "auto":
        monkeypatch.setitem(contact.METHODS, method, contact.in_parts(interrupted, contact.SWEEPS, 2))
    with pytest.raises(KeyboardInterrupt):
        solve_contact(W, q, 0.9, 3, method=method, tolerance=1e-15)


def test_parts_do_what_one_call_does(monkeypatch):
    rng = np.random.default_rng(5)
    H = rng.standard_normal((60, 25))
    W, q, mu = H @ H.T, H @ rng.standard_normal(25), np.full(20, 0.3)
    one = solve_contact(W, q, mu, 3, method="gauss_seidel")
    monkeypatch.setattr(contact, "WORK", 7.0 * 60**2)
    other = solve_contact(W, q, mu, 3, method="gauss_seidel")
    assert other.ok and one.ok and other.impulses == pytest.approx(one.impulses, rel=1e-6, abs=1e-8)
