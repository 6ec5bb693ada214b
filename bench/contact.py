"""``python -m bench.contact``: the contact solvers on the reference problems, on random ones, and their time per call.

Success means a plain residual of 1e-8 relative to |q| (frictional_contact_problems/README of the reference data).
"""

from __future__ import annotations

import time
from pathlib import Path

import numba
import numpy as np

from jointplay.numerics.cones import contact_scratch
from jointplay.numerics.contact import METHODS, read_problem, solve, solve_contact

REFS = Path(__file__).resolve().parents[2] / "shared" / "refs" / "frictional_contact_problems"
PASS = 1e-8


@numba.njit
def _repeat(dim, k, W, q, mu, starts, r, scratch, count):
    """Solve all problems ``count`` times from their starts; what failed."""
    bad = 0
    for _ in range(count):
        for p in range(len(q)):
            for a in range(dim * k):
                r[a] = starts[p, a]
            bad += solve(dim, k, W[p], q[p], mu[p], r, scratch)[0] != 0
    return bad


def random_problem(rng: np.random.Generator, dim: int, k: int, dof: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W = H M^-1 H^T, q = H v0: a mechanism with ``dof`` degrees of freedom, in which a solution always exists."""
    H = rng.standard_normal((dim * k, dof))
    W = (H * 10.0 ** rng.uniform(-1.0, 1.0, dof)) @ H.T
    mu = np.where(rng.random(k) < 0.15, 0.0, rng.uniform(0.0, 1.0, k))
    return W, H @ rng.standard_normal(dof), mu


def time_per_call(dim: int, k: int, *, warm: bool, problems: int = 64, repeats: int = 50) -> float:
    """Mean time of ``solve`` in seconds, all contacts approaching; warm starts come from q changed by 1 per cent."""
    rng = np.random.default_rng([dim, k])
    cases = [random_problem(rng, dim, k, 2 * dim * k) for _ in range(problems)]
    W, q, mu = (np.ascontiguousarray(x) for x in map(np.stack, zip(*cases, strict=True)))
    q[:, ::dim] = -np.abs(q[:, ::dim])
    starts = np.zeros_like(q)
    if warm:
        for p in range(problems):
            before = q[p] * (1.0 + 0.01 * rng.standard_normal(dim * k))
            starts[p] = solve_contact(W[p], before, mu[p], dim).impulses.ravel()
    arguments = dim, k, W, q, mu, starts, np.zeros(dim * k), contact_scratch(dim, k)
    _repeat(*arguments, 1)
    best = np.inf
    for _ in range(3):
        begin = time.perf_counter()
        _repeat(*arguments, repeats)
        best = min(best, time.perf_counter() - begin)
    return best / (repeats * problems)


def reference_table() -> None:
    """Residual and time of each method on each reference problem."""
    print(f"\n{'reference problem':34s} dim    k" + "".join(f"{method:>23s}" for method in METHODS))
    solved, total = dict.fromkeys(METHODS, 0), dict.fromkeys(METHODS, 0.0)
    tried = dict.fromkeys(METHODS, 0)
    for file in sorted(REFS.glob("*[23]d/*.json")):
        W, q, mu, dim, _ = read_problem(file)
        line = f"{file.stem:34s} {dim:3d} {mu.size:4d}"
        for method in METHODS:
            if method == "lemke" and dim == 3:
                line += f"{'-':>23s}"
                continue
            solve_contact(np.eye(dim), -np.ones(dim), 0.5, dim, method=method)  # compiled before the clock starts
            begin = time.perf_counter()
            answer = solve_contact(W, q, mu, dim, method=method)
            seconds = time.perf_counter() - begin
            tried[method] += 1
            solved[method] += answer.residual <= PASS
            total[method] += seconds
            line += f"{answer.residual:11.1e}{1e3 * seconds:9.2f} ms"
        print(line)
    print(f"{'solved, total time':43s}" + "".join(f"{solved[m]:9d}/{tried[m]:<3d}{total[m]:8.3f} s" for m in METHODS))


def random_table(count: int = 200) -> None:
    """Share of random problems that each method solves; ``rank`` is that of W."""
    print(f"\n{'random problems':34s} dim    k rank" + "".join(f"{method:>14s}" for method in METHODS))
    for dim, k, dof in ((1, 8, 12), (1, 8, 4), (2, 8, 24), (2, 8, 4), (3, 2, 9), (3, 2, 3), (3, 8, 36), (3, 8, 5)):
        solved = dict.fromkeys(METHODS, 0)
        for seed in range(count):
            W, q, mu = random_problem(np.random.default_rng([seed, dim, k, dof]), dim, k, dof)
            for method in METHODS:
                if method != "lemke" or dim < 3:
                    solved[method] += solve_contact(W, q, mu, dim, method=method).ok
        shares = "".join(f"{'-' if m == 'lemke' and dim == 3 else f'{solved[m] / count:.1%}':>14s}" for m in METHODS)
        print(f"{count:34d} {dim:3d} {k:4d} {min(dof, dim * k):4d}{shares}")


def time_table() -> None:
    """Time per call of ``solve`` inside a kernel."""
    print("\ntime per solve, µs     " + "".join(f"{f'k = {k}':>10s}" for k in (1, 2, 4, 8)))
    for dim in (1, 2, 3):
        for warm in (False, True):
            times = "".join(f"{1e6 * time_per_call(dim, k, warm=warm):10.2f}" for k in (1, 2, 4, 8))
            print(f"dim {dim}, {'warm start' if warm else 'cold start':15s}{times}")


if __name__ == "__main__":
    time_table()
    random_table()
    reference_table() if REFS.is_dir() else print("\nreference data not found: ../shared/refs")
