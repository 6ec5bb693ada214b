"""Contact with friction: textbook contacts, reference problems, random mechanisms, units, files, bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from refs import REFS, reference

from jointplay.errors import InputError
from jointplay.numerics import read_problem, solve_contact, write_problem
from jointplay.numerics.cones import NOT_FINITE, OK, contact_scratch
from jointplay.numerics.contact import METHODS, solve

FOLDER = REFS / "frictional_contact_problems"
FILES = sorted(f.relative_to(FOLDER).as_posix() for f in FOLDER.glob("*[23]d/*.json"))
SPACE = ("auto", "newton", "gauss_seidel")


def plain_residual(W, q, mu, r):
    """The residual of the README of the reference data, written independently of the kernels."""
    total = 0.0
    u = W @ r.ravel() + q
    for i, x in enumerate(r):
        v = u.reshape(r.shape)[i].copy()
        v[0] += mu[i] * np.linalg.norm(v[1:])
        y = x - v
        t = np.linalg.norm(y[1:])
        if mu[i] * t <= -y[0]:
            p = np.zeros_like(y)
        elif t <= mu[i] * y[0]:
            p = y
        else:
            n = (y[0] + mu[i] * t) / (1.0 + mu[i] ** 2)
            p = np.concatenate(([n], mu[i] * n / t * y[1:] if t > 0.0 else 0.0 * y[1:]))
        total += ((x - p) ** 2).sum()
    return np.sqrt(total) / np.linalg.norm(q)


def mechanism(rng, dim, k, dof):
    """W = H M^-1 H^T and q = H v0: a solution exists whatever the rank."""
    H = rng.standard_normal((dim * k, dof))
    W = (H * 10.0 ** rng.uniform(-1.0, 1.0, dof)) @ H.T
    mu = np.where(rng.random(k) < 0.2, 0.0, rng.uniform(0.0, 1.0, k))
    return W, H @ rng.standard_normal(dof), mu


@pytest.mark.skipif(not FILES, reason="reference data not found: ../shared/refs/frictional_contact_problems")
@pytest.mark.parametrize("file", FILES)
def test_reference_problems(file):
    W, q, mu, dim, _ = read_problem(FOLDER / file)
    solution = solve_contact(W, q, mu, dim)
    assert solution.ok
    assert solution.residual <= 1e-8
    assert plain_residual(W, q, mu, solution.impulses) == pytest.approx(solution.residual, rel=1e-3, abs=1e-14)


def test_all_reference_problems_are_there():
    reference("frictional_contact_problems")
    assert len(FILES) == 19


@pytest.mark.parametrize("method", SPACE)
def test_stick_slip_open_and_no_friction(method):
    W = np.diag([2.0, 4.0, 4.0])
    stick = solve_contact(W, [-4.0, 1.0, -1.0], 0.5, method=method)
    assert stick.impulses[0] == pytest.approx([2.0, -0.25, 0.25])
    assert stick.velocities[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    slip = solve_contact(W, [-4.0, 30.0, -40.0], 0.5, method=method)
    assert slip.impulses[0] == pytest.approx([2.0, -0.6, 0.8])  # mu r_N = 1 against (3, -4)/5
    assert slip.velocities[0] == pytest.approx([0.0, 27.6, -36.8], abs=1e-8)
    separation = solve_contact(W, [4.0, 30.0, -40.0], 0.5, method=method)
    assert (separation.impulses == 0.0).all()
    smooth = solve_contact(W, [-4.0, 30.0, -40.0], 0.0, method=method)
    assert smooth.impulses[0] == pytest.approx([2.0, 0.0, 0.0])


@given(seed=st.integers(0, 100_000), mu=st.sampled_from((0.0, 0.1, 0.5, 1.5)))
@settings(max_examples=100, deadline=None)
def test_one_contact_in_space_obeys_coulombs_law(seed, mu):
    rng = np.random.default_rng(seed)
    H = rng.standard_normal((3, 4))
    W, q = H @ H.T, rng.standard_normal(3)
    solution = solve_contact(W, q, mu)
    assert solution.ok
    r, u = solution.impulses[0], solution.velocities[0]
    size = np.linalg.norm(q)
    assert np.linalg.norm(r[1:]) <= mu * r[0] * (1.0 + 1e-9)
    assert u[0] >= -1e-9 * size
    assert abs(u[0] * r[0]) <= 1e-9 * size * (1.0 + r[0])
    # maximal dissipation: friction opposes sliding with all it has
    assert r[1:] @ u[1:] == pytest.approx(-mu * r[0] * np.linalg.norm(u[1:]), abs=1e-8 * (1.0 + r[0]))


@given(seed=st.integers(0, 100_000))
@settings(max_examples=60, deadline=None)
def test_a_planar_problem_is_a_spatial_one_without_motion_across(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 5))
    W2, q2, mu = mechanism(rng, 2, k, 3 * k)
    W3, q3 = np.zeros((3 * k, 3 * k)), np.zeros(3 * k)
    plane = np.concatenate([(3 * i, 3 * i + 1) for i in range(k)])
    W3[np.ix_(plane, plane)], q3[plane] = W2, q2
    across = 3 * np.arange(k) + 2
    W3[across, across] = 1.0
    flat = solve_contact(W2, q2, mu, 2)
    assert flat.ok
    start = np.zeros((k, 3))
    start[:, :2] = flat.impulses
    solution = solve_contact(W3, q3, mu, 3, start=start)
    assert solution.ok
    assert solution.iterations <= 2  # the planar answer solves it
    assert solution.impulses[:, :2] == pytest.approx(flat.impulses, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("redundancy", ["regular", "redundant"])
@pytest.mark.parametrize(
    ("dim", "k"), [(1, 1), (1, 6), (1, 20), (2, 1), (2, 2), (2, 8), (3, 1), (3, 2), (3, 4), (3, 8)]
)
def test_random_mechanisms(dim, k, redundancy):
    dof = dim * k + 2 if redundancy == "regular" else max(1, dim * k // 3)
    for seed in range(60):
        W, q, mu = mechanism(np.random.default_rng([seed, dim, k]), dim, k, dof)
        solution = solve_contact(W, q, mu, dim)
        assert solution.ok, seed
        assert plain_residual(W, q, mu, solution.impulses) < 1e-8
        assert np.abs(solution.impulses).max() < 1e6


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize(("method", "share"), [("lemke", 1.0), ("newton", 0.9), ("gauss_seidel", 0.95)])
def test_each_method_alone(dim, method, share):
    if method == "lemke" and dim == 3:
        pytest.skip("a cone in space is not a linear problem")
    solved = 0
    for seed in range(100):
        W, q, mu = mechanism(np.random.default_rng([seed, 5]), dim, 4, 4 * dim + 2)
        solution = solve_contact(W, q, mu, dim, method=method)
        solved += solution.ok
        if solution.ok:  # a status is a promise
            assert solution.residual < 1e-8
    assert solved >= 100 * share


def test_warm_start_is_used():
    W, q, mu = mechanism(np.random.default_rng(3), 3, 6, 24)
    first = solve_contact(W, q, mu)
    assert first.iterations > 1
    again = solve_contact(W, q, mu, start=first.impulses)
    assert again.iterations == 0
    near = solve_contact(W, 1.001 * q, mu, start=first.impulses)
    assert near.iterations <= 3


@pytest.mark.parametrize("start", [1e12, -1e12, 1e150])
def test_bad_warm_starts_do_no_harm(start):
    W, q, mu = mechanism(np.random.default_rng(8), 3, 3, 12)
    expected = solve_contact(W, q, mu)
    solution = solve_contact(W, q, mu, start=np.full(9, start))
    assert solution.ok
    assert solution.impulses == pytest.approx(expected.impulses, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3, 1e6])
def test_units_do_not_matter(dim, factor):
    for seed in range(20):
        W, q, mu = mechanism(np.random.default_rng([seed, dim]), dim, 3, 3 * dim + 2)
        expected = solve_contact(W, q, mu, dim)
        for solution, r_unit, u_unit in (
            (solve_contact(factor * W, q, mu, dim), 1.0 / factor, 1.0),
            (solve_contact(W, factor * q, mu, dim), factor, factor),
        ):
            assert solution.ok
            assert solution.iterations == expected.iterations
            assert solution.impulses / r_unit == pytest.approx(expected.impulses, rel=1e-7, abs=1e-8)
            assert solution.velocities / u_unit == pytest.approx(expected.velocities, rel=1e-7, abs=1e-8)


def test_a_matrix_that_is_not_symmetric_is_taken_as_it_is():
    W, q, mu = mechanism(np.random.default_rng(1), 3, 4, 20)
    W = W + 0.01 * np.random.default_rng(2).standard_normal(W.shape)
    solution = solve_contact(W, q, mu)
    assert plain_residual(W, q, mu, solution.impulses) < 1e-9
    assert plain_residual(W.T, q, mu, solution.impulses) > 1e-4


def test_a_body_that_can_only_slide():
    # one degree of freedom, W of rank one: h = direction of motion in contact axes
    h = np.array([1.0, -0.4, 0.0])
    solution = solve_contact(np.outer(h, h), -3.0 * h, 0.3)
    assert solution.ok
    assert solution.velocities == pytest.approx(np.zeros((1, 3)), abs=1e-9)


def test_four_legs():
    # a table on four legs, three degrees of freedom: impulses are not unique, but they balance the weight
    x, y = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, -1.0, 1.0])
    H = np.stack([np.ones(4), y, -x], axis=1)
    solution = solve_contact(H @ H.T, -np.ones(4), 0.0, 1)
    assert solution.ok
    assert solution.impulses.sum() == pytest.approx(1.0)
    assert solution.velocities == pytest.approx(np.zeros((4, 1)), abs=1e-9)


def test_sparse_matrices_and_shapes():
    W, q, mu = mechanism(np.random.default_rng(6), 3, 2, 9)
    r, residual = solve_contact(sp.csr_matrix(W), q.reshape(2, 3), mu)
    assert r.shape == (2, 3)
    assert residual < 1e-9
    assert solve_contact(np.zeros((0, 0)), [], []).impulses.shape == (0, 3)
    assert (solve_contact(W, np.zeros(6), mu).impulses == 0.0).all()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_kernels_take_arrays_larger_than_the_problem_and_give_them_back(dim):
    rng = np.random.default_rng([dim, 1])
    small, q, mu = mechanism(rng, dim, 2, 2 * dim + 1)
    n = 2 * dim
    W, big_q, big_mu = rng.standard_normal((n + 3, n + 5)), np.full(n + 3, np.nan), np.full(4, np.nan)
    W[:n, :n], big_q[:n], big_mu[:2] = small, q, mu
    before = W.copy()
    for name, method in METHODS.items():
        if name == "lemke" and dim == 3:
            continue
        r = np.full(n + 3, 5.0)
        r[:n] = 0.0
        status, residual, _ = method(dim, 2, W, big_q, big_mu, r, contact_scratch(dim, 6))
        assert status == OK
        assert residual <= 1e-10
        assert plain_residual(small, q, mu, r[:n].reshape(2, dim)) < 1e-8
        assert (r[n:] == 5.0).all()
    assert (W == before).all()


@pytest.mark.slow
def test_numbers_that_are_not_finite_are_reported():
    r = np.zeros(3)
    assert solve(3, 1, np.eye(3), np.array([-1.0, np.nan, 0.0]), np.ones(1), r, contact_scratch(3, 1))[0] == NOT_FINITE
    W = np.eye(6)
    W[0, 3] = np.nan
    status = solve(3, 2, W, -np.ones(6), np.ones(2), np.zeros(6), contact_scratch(3, 2, sweeps=50))[0]
    assert status == NOT_FINITE


def test_a_problem_that_cannot_be_solved_says_so_and_stays_finite():
    W = np.zeros((3, 3))  # nothing moves, yet the contact closes
    for method in SPACE:
        solution = solve_contact(W, [-1.0, 0.2, 0.0], 0.5, method=method)
        assert not solution.ok
        assert solution.status == "not converged"
        assert np.isfinite(solution.impulses).all()


def test_files_give_back_every_bit(tmp_path):
    W, q, mu = mechanism(np.random.default_rng(9), 2, 3, 8)
    write_problem(tmp_path / "case.json", W, q, mu, 2, note="from a test")
    tree = json.loads((tmp_path / "case.json").read_text())
    assert (tree["kind"], tree["dim"], tree["contacts"]) == ("local", 2, 3)
    W1, q1, mu1, dim, note = read_problem(tmp_path / "case.json")
    assert (W1 == W).all()
    assert (q1 == q).all()
    assert (mu1 == mu).all()
    assert (dim, note) == (2, "from a test")


def test_global_files_are_condensed(tmp_path):
    rng = np.random.default_rng(2)
    A, H = rng.standard_normal((5, 5)), rng.standard_normal((5, 3))
    M, f, w = A @ A.T + np.eye(5), rng.standard_normal(5), rng.standard_normal(3)

    def triplets(X):
        row, col = np.nonzero(X)
        return {"shape": X.shape, "row": row.tolist(), "col": col.tolist(), "val": X[row, col].tolist()}

    tree = {"kind": "global", "dim": 3, "H": triplets(H), "f": f.tolist(), "w": w.tolist(), "mu": [0.4]}
    for stored, upper in ((M, False), (np.triu(M), True)):
        tree |= {"M": triplets(stored), "M_is_upper_triangle_of_symmetric": upper}
        (tmp_path / "global.json").write_text(json.dumps(tree))
        W, q, mu, dim, note = read_problem(tmp_path / "global.json")
        assert pytest.approx(H.T @ np.linalg.solve(M, H)) == W
        assert q == pytest.approx(H.T @ np.linalg.solve(M, f) + w)
        assert (mu.tolist(), dim, note) == ([0.4], 3, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not a contact problem"),
        ('{"kind": "other"}', "neither local nor global"),
        ('{"dim": 3}', "kind: is missing"),
    ],
)
def test_bad_files(tmp_path, text, message):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(InputError, match=message):
        read_problem(tmp_path / "bad.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_problem(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"W": np.eye(4)}, r"W: has shape \(4, 4\), but q needs \(3, 3\)"),
        ({"q": [1.0, 2.0]}, "q: has 2 entries, which is not a multiple of dim = 3"),
        ({"mu": -0.1}, "mu: must not be negative, but one is -0.1"),
        ({"mu": [0.1, 0.2]}, "mu: has shape"),
        ({"q": [np.inf, 0.0, 0.0]}, "q: holds an entry that is not a finite number"),
        ({"dim": 4}, "dim: must be 1, 2 or 3, not 4"),
        ({"method": "magic"}, "method: must be one of auto, newton, gauss_seidel, lemke, not 'magic'"),
        ({"method": "lemke"}, "method: lemke solves dim = 1 and 2"),
        ({"tolerance": 0.0}, "tolerance: must lie between 0 and 1"),
        ({"start": [1.0]}, "start: has 1 entries, but q has 3"),
    ],
)
def test_bad_input(changes, message):
    arguments = {"W": np.eye(3), "q": [-1.0, 0.0, 0.0], "mu": 0.5} | changes
    with pytest.raises(InputError, match=message):
        solve_contact(**arguments)
