"""Linear complementarity: textbook problems, degenerate ones, and problems without a solution."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refs import reference

from jointplay.errors import InputError
from jointplay.numerics import solve_lcp
from jointplay.numerics.cones import OK, RAY, contact_scratch
from jointplay.numerics.lcp import lemke


def gap(M, q, z):
    return np.linalg.norm(np.minimum(z, np.asarray(M) @ z + q)) / (1.0 + np.linalg.norm(q))


# README of the reference data: what is known of the solutions
KNOWN = {
    "lcp_CPS_1": lambda z: z[0] + z[1] - 1.0,
    "lcp_CPS_2": lambda z: z - (0, 1, 3),
    "lcp_CPS_4": lambda z: z - (2, 2, 2, 92),
    "lcp_CPS_5": lambda z: z[1] - z[0] - 1.0,
    "lcp_deudeu": lambda z: z - (4 / 3, 7 / 3),
    "lcp_exp_murty": lambda z: z - (0, 0, 0, 0, 0, 1),
    "lcp_ortiz": lambda z: z - (2 / 3, 0, 1 / 3, 0),
    "lcp_Pang_isolated_sol": lambda z: z - (1, 0, 0),
    "lcp_inf_sol_perturbed": lambda z: np.array([z[0] - 1.0, z[2] - z[1] - 1e-4]),
    "lcp_trivial": lambda z: z - 1.0 / np.arange(1, 10),
}


@pytest.mark.parametrize("method", ["auto", "lemke"])
@pytest.mark.parametrize("name", KNOWN)
def test_reference_problems(name, method):
    file = reference("frictional_contact_problems") / "lcp" / "lcp_collection.json"
    case = next(c for c in json.loads(file.read_text()) if c["name"] == name)
    z, status = solve_lcp(case["M"], case["q"], method=method)
    assert status == "solved"
    assert gap(case["M"], case["q"], z) <= 1e-10
    assert np.abs(KNOWN[name](z)).max() <= 1e-9


def test_nothing_to_do_and_nothing_at_all():
    assert (solve_lcp(np.eye(3), [1.0, 0.0, 2.0]).z == 0.0).all()
    assert solve_lcp(np.zeros((0, 0)), []).z.shape == (0,)


def test_cyclic_matrix_with_ties():
    # positive principal minors, not symmetric; every q below makes ratios tie, and plain active sets run in a circle
    M = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]])
    for q in ([-1.0, -1.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, -1.0]):
        solution = solve_lcp(M, q, method="lemke")
        assert solution.ok
        assert gap(M, q, solution.z) < 1e-12
        assert solution.iterations <= 10


@given(
    n=st.integers(1, 6),
    seed=st.integers(0, 10_000),
    ties=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_lemke_solves_every_problem_with_positive_definite_matrix(n, seed, ties):
    rng = np.random.default_rng(seed)
    A, B = rng.integers(-2, 3, (2, n, n)).astype(float)
    M = A @ A.T + np.eye(n) + (B - B.T)  # not symmetric
    q = -np.ones(n) if ties else rng.integers(-3, 4, n).astype(float)
    for method in ("lemke", "auto"):
        solution = solve_lcp(M, q, method=method)
        assert solution.ok
        assert gap(M, q, solution.z) < 1e-11


@pytest.mark.parametrize("k", [2, 4, 8, 16])
def test_many_copies_of_one_contact(k):
    # every pivot is a tie, and W has rank one
    solution = solve_lcp(np.ones((k, k)), -np.ones(k), method="lemke")
    assert solution.ok
    assert solution.z.sum() == pytest.approx(1.0)


def test_ray_where_there_is_no_solution():
    M, q = np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([-1.0, 1.0])
    for method in ("lemke", "auto"):
        solution = solve_lcp(M, q, method=method)
        assert solution.status == "ray"
        assert np.isfinite(solution.z).all()
        assert "no solution" in solution.status.sentence


def test_opposite_walls_are_not_squeezed():
    W = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert solve_lcp(W, [-1.0, 2.0]).z == pytest.approx([1.0, 0.0])
    touching = solve_lcp(W, [-1.0, 1.0])
    assert touching.ok
    assert touching.z == pytest.approx([1.0, 0.0])
    # no room for the body: no solution, and no huge numbers either
    jammed = solve_lcp(W, [-1.0, 0.5])
    assert jammed.status == "ray"
    assert np.abs(jammed.z).max() < 1e6


def test_kernel_takes_arrays_larger_than_the_problem():
    M, q = np.full((7, 7), 99.0), np.full(9, 99.0)
    M[:2, :2], q[:2] = [[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]
    z = np.full(8, 7.0)
    status, _ = lemke(2, M, q, z, contact_scratch(1, 5))
    assert status == OK
    assert z == pytest.approx([4 / 3, 7 / 3] + [7.0] * 6)
    status, _ = lemke(1, -np.eye(1), np.array([-1.0]), z, contact_scratch(1, 1))
    assert status == RAY
    assert z[0] == pytest.approx(4 / 3)  # left alone


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
def test_units_do_not_matter(scale):
    M, q = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    for method in ("auto", "lemke", "newton", "gauss_seidel"):
        assert solve_lcp(scale * M, q, method=method).z * scale == pytest.approx([4 / 3, 7 / 3], rel=1e-8)
        assert solve_lcp(M, scale * q, method=method).z / scale == pytest.approx([4 / 3, 7 / 3], rel=1e-8)


@pytest.mark.parametrize(
    ("M", "q", "message"),
    [
        ([[1.0, 2.0]], [1.0], "M: has shape"),
        ([[np.nan]], [1.0], "M: holds an entry that is not a finite number"),
        ([[1.0]], ["a"], "q: must be numbers"),
    ],
)
def test_bad_input(M, q, message):
    with pytest.raises(InputError, match=message):
        solve_lcp(M, q)
