"""Contact problems (numerics/cones.py states them): the automatic choice of a solver, and the library front.

``solve`` is what a time step calls. In this order, each only if the one before did not reach the tolerance:

1. nothing approaches (q_N >= 0): r = 0
2. one contact: its closed form; two in a plane that slide as before, directly (numerics/few_contacts.py)
3. the warm start as it is; Newton from it (one Gauss-Seidel sweep first if it is zero)
4. sweeps, then Newton from there, in rounds of 2, 4, 8, ... sweeps. In between, once each: least squares (no friction;
   numerics/nonnegative.py), Lemke's method (dim = 1 and 2), Newton from r = 0, and proximal iterations: the solution r'
   of (W + a D, q - a D r) follows r, D the sizes of the blocks of W. Each of these problems is regular, however
   redundant the contacts are, and r' = r solves ours
5. the best answer met, marked as not converged

Where less will do (``enough`` of contact_scratch; time steps set 1e-10, the solver's own aim there is rounding), rounds
end with it once step 4 has tried Newton from r = 0.

What a round may cost is bounded, and so is their number; ``solve_contact`` comes back to Python after each, so that
Ctrl-C acts.

``solve_contact``, ``solve_lcp``: the same for arrays and sparse matrices of any kind, with the input checked.
``write_problem``, ``read_problem``: one problem as a JSON file, to be solved again elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..writing import write_whole
from .cones import (
    BEST,
    DIAGONAL,
    DONE,
    ENOUGH,
    ITERATIONS,
    LAST,
    LEAST,
    LIMITS,
    MORE,
    NEXT,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    RAY,
    ROUND,
    SCALE,
    SHIFTED,
    SWEEPS,
    TOLERANCE,
    VELOCITY,
    VERDICT,
    Status,
    contact_scratch,
    find_velocities,
    natural_map,
    norm,
    prepare,
    residual,
)
from .few_contacts import solve_one, solve_two
from .gauss_seidel import gauss_seidel, sweep
from .jit import jit
from .lcp import POLISH, lemke_contact
from .newton import finish, improve, newton
from .nonnegative import least_squares

FIRST_STEPS = np.int64(20)  # Newton steps in every round (a plain int would compile its own copy of the callee)
FAR = 10.0  # a warm start with a residual of so many |q| is worse than none
LEMKE, AFRESH = 2, 3  # rounds after which other means are tried; proximal iterations follow
PROXIMAL = (1e-2, 1e-4)  # a of the proximal iterations
OUTER = 40  # how many of them
HUGE = 1e6  # impulses whose velocities W r are so many |q| are not kept as a best answer
AFTER_RAY = 2000  # sweeps that are still worth a try if Lemke's method ended on a ray
MOST_ROUNDS = 40
WORK = 4e9  # multiplications that a round may take: a few seconds


@jit
def _clear(n, r):
    for a in range(n):
        r[a] = 0.0


@jit
def _approaches(dim, k, q, r):
    """False, and r = 0, if no contact approaches."""
    for i in range(k):
        if not q[dim * i] >= 0.0:
            return True
    _clear(dim * k, r)
    return False


@jit
def _is_zero(n, r):
    for a in range(n):
        if r[a] != 0.0:
            return False
    return True


@jit
def _newton_steps(n):
    """How many a round may take."""
    return max(np.int64(2), min(FIRST_STEPS, np.int64(3.0 * WORK / (n * n * n + 1.0))))


@jit
def _round(dim, k, W, q, mu, r, sweeps, target, scratch):
    """(residual, Newton steps) after so many sweeps and Newton from there."""
    for _ in range(sweeps):
        sweep(dim, k, W, q, mu, r, scratch[SCALE])
    error = residual(dim, k, W, q, mu, r, scratch)
    error, steps = improve(dim, k, W, q, mu, r, error, target, _newton_steps(1.0 * dim * k), scratch)
    return finish(dim, k, W, q, mu, r, error, target, scratch), steps


@jit
def _proximal(dim, k, W, q, mu, r, weight, target, scratch):
    """(residual, iterations) of proximal iterations from r. The diagonal of W is changed meanwhile, and given back."""
    n = dim * k
    shifted, diagonal, last, u = scratch[SHIFTED], scratch[DIAGONAL], scratch[LAST], scratch[VELOCITY]
    for a in range(n):
        diagonal[a] = W[a, a]
        W[a, a] += weight * scratch[SCALE, a // dim]
    error, count, work = np.inf, 0, 0.0
    for _ in range(OUTER):
        for a in range(n):
            last[a] = r[a]
            shifted[a] = q[a] - weight * scratch[SCALE, a // dim] * r[a]
        sweeps, inner = np.int64(1), np.inf
        while not inner <= target and sweeps <= 32:
            inner, steps = _round(dim, k, W, shifted, mu, r, sweeps, target, scratch)
            count += sweeps + steps
            work += (sweeps + steps * n / 3.0) * n * n
            sweeps *= 2
        find_velocities(n, W, shifted, r, u)
        for a in range(n):
            u[a] -= weight * scratch[SCALE, a // dim] * (r[a] - last[a])
        error = natural_map(dim, k, mu, r, u, scratch[SCALE])
        if not error > target or work > WORK:
            break
    for a in range(n):
        W[a, a] = diagonal[a]
    return error, count


@jit
def _keep(dim, k, r, error, best, size, scratch):
    """The smaller of two residuals; line BEST keeps the r of it. An r far too large starts again from zero."""
    n = dim * k
    for a in range(n):
        if not scratch[SCALE, a // dim] * abs(r[a]) <= HUGE * size:
            _clear(n, r)
            return best
    if not error < best:
        return best
    for a in range(n):
        scratch[BEST, a] = r[a]
    return error


@jit
def _without_friction(dim, k, W, q, mu, r, target, scratch):
    """(residual, rounds) by least squares, from r = 0; r stays as it is where a contact rubs."""
    for i in range(k):
        if mu[i] > 0.0 and dim > 1:
            return np.inf, 0
    _, rounds = least_squares(dim, k, W, q, r, 0.1 * target / np.sqrt(1.0 * k), scratch)
    error = residual(dim, k, W, q, mu, r, scratch)
    error, _ = improve(dim, k, W, q, mu, r, error, target, POLISH, scratch)
    return finish(dim, k, W, q, mu, r, error, target, scratch), rounds


@jit
def _other_means(dim, k, W, q, mu, r, rounds, error, size, scratch):
    """(residual, iterations) after a round that did not succeed: each of them once."""
    target, limits = scratch[LIMITS, TOLERANCE] * size, scratch[LIMITS]
    if rounds == LEMKE:
        limits[LEAST] = _keep(dim, k, r, error, limits[LEAST], size, scratch)
        found, count = _without_friction(dim, k, W, q, mu, r, target, scratch)
        if count > 0:
            error = found
        if dim == 3 or error <= target:
            return error, count
        limits[LEAST] = _keep(dim, k, r, error, limits[LEAST], size, scratch)
        outcome, after, steps = lemke_contact(dim, k, W, q, mu, r, scratch)
        if outcome == OK:
            error = after * size
        elif outcome == RAY:
            limits[VERDICT], limits[SWEEPS] = RAY, min(limits[SWEEPS], 1.0 * AFTER_RAY)
        return error, count + steps
    limits[LEAST] = _keep(dim, k, r, error, limits[LEAST], size, scratch)
    _clear(dim * k, r)
    if rounds == AFRESH:
        return _round(dim, k, W, q, mu, r, np.int64(0), target, scratch)
    return _proximal(dim, k, W, q, mu, r, PROXIMAL[rounds - AFRESH - 1], target, scratch)


@jit
def go_on(dim, k, W, q, mu, r, scratch):
    """(status, residual, iterations) of one round of sweeps and Newton, and of other means; MORE before the last."""
    n, limits, size = dim * k, scratch[LIMITS], norm(dim * k, q)
    target = limits[TOLERANCE] * size
    most = max(1.0, np.floor(WORK / (1.0 * n * n)))
    sweeps = np.int64(min(limits[NEXT], most, limits[SWEEPS] - limits[DONE]))
    error, count = _round(dim, k, W, q, mu, r, sweeps, target, scratch)
    limits[DONE] += sweeps
    limits[ROUND] += 1.0
    limits[NEXT] *= 2.0
    rounds = np.int64(limits[ROUND])
    if LEMKE <= rounds <= AFRESH + len(PROXIMAL) and not error <= target:
        error, more = _other_means(dim, k, W, q, mu, r, rounds, error, size, scratch)
        count += more
    count += sweeps
    if error <= target:
        return OK, error / size, count
    limits[LEAST] = _keep(dim, k, r, error, limits[LEAST], size, scratch)
    will_do = rounds >= AFRESH and limits[LEAST] <= limits[ENOUGH] * size
    if limits[DONE] < limits[SWEEPS] and rounds < MOST_ROUNDS and not will_do:
        return MORE, limits[LEAST] / size, count
    for a in range(n):
        r[a] = scratch[BEST, a]
    return OK if will_do else np.int64(limits[VERDICT]), limits[LEAST] / size, count


@jit
def begin(dim, k, W, q, mu, r, scratch):
    """(status, residual, iterations) of what is cheap: r from its warm start; MORE if rounds are to follow."""
    if not _approaches(dim, k, q, r):
        return OK, 0.0, 0
    if dim == 2 and k <= 2:
        tolerance = scratch[LIMITS, TOLERANCE]
        solved, error = solve_one(W, q, mu[0], r, tolerance) if k == 1 else solve_two(W, q, mu, r, tolerance)
        if solved:
            return OK, error, 1
    size = prepare(dim, k, W, q, r, scratch)
    if size < 0.0:
        return NOT_FINITE, np.inf, 0
    if size == 0.0:  # numbers too small to be squared
        _clear(dim * k, r)
        return OK, 0.0, 0
    target = scratch[LIMITS, TOLERANCE] * size
    if k == 1:
        for count in range(1, 5):  # more than one only where the block is singular
            sweep(dim, k, W, q, mu, r, scratch[SCALE])
            error = residual(dim, k, W, q, mu, r, scratch)
            if error <= target:
                return OK, error / size, count
    cold = _is_zero(dim * k, r)
    if not cold:
        error = residual(dim, k, W, q, mu, r, scratch)
        if not error <= FAR * size:
            cold = True
            _clear(dim * k, r)
    if cold:
        sweep(dim, k, W, q, mu, r, scratch[SCALE])
        error = residual(dim, k, W, q, mu, r, scratch)
    error, count = improve(dim, k, W, q, mu, r, error, target, _newton_steps(1.0 * dim * k), scratch)
    error = finish(dim, k, W, q, mu, r, error, target, scratch)
    if error <= target:
        return OK, error / size, count + (1 if cold else 0)
    limits = scratch[LIMITS]
    limits[DONE], limits[ROUND], limits[NEXT], limits[VERDICT] = 0.0, 0.0, 2.0, NOT_CONVERGED
    _clear(dim * k, scratch[BEST])
    limits[LEAST] = residual(dim, k, W, q, mu, scratch[BEST], scratch)
    if not np.isfinite(limits[LEAST]):
        _clear(dim * k, r)
        return NOT_FINITE, np.inf, 0
    return MORE, error / size, count


@jit
def solve(dim, k, W, q, mu, r, scratch):
    """(status, residual, iterations): r from its warm start; ``scratch`` comes from ``contact_scratch``."""
    allowed = scratch[LIMITS, SWEEPS]
    status, error, count = begin(dim, k, W, q, mu, r, scratch)
    while status == MORE:
        status, error, more = go_on(dim, k, W, q, mu, r, scratch)
        count += more
    scratch[LIMITS, SWEEPS] = allowed  # a ray lowers it
    return status, error, count


def in_rounds(dim: int, k: int, W: Any, q: Any, mu: Any, r: Any, scratch: Any) -> tuple[int, float, int]:
    """``solve``, with a look at Python after each round."""
    status, error, count = begin(dim, k, W, q, mu, r, scratch)
    while status == MORE:
        status, error, more = go_on(dim, k, W, q, mu, r, scratch)
        count += more
    return status, error, count


def in_parts(kernel: Any, place: int, cost: int) -> Any:
    """A method that goes on from where it was, in parts: ``place`` is that of its limit, a step costs n^cost."""

    def run(dim: int, k: int, W: Any, q: Any, mu: Any, r: Any, scratch: Any) -> tuple[int, float, int]:
        allowed, done = int(scratch[LIMITS, place]), 0
        part = max(1, int(WORK / float(max(dim * k, 1)) ** cost))
        while True:
            scratch[LIMITS, place] = min(part, allowed - done)
            status, error, count = kernel(dim, k, W, q, mu, r, scratch)
            done += count
            if status != NOT_CONVERGED or done >= allowed or count < min(part, allowed - done + count):
                return status, error, done

    return run


METHODS = {
    "auto": in_rounds,
    "newton": in_parts(newton, ITERATIONS, 3),
    "gauss_seidel": in_parts(gauss_seidel, SWEEPS, 2),
    "lemke": lemke_contact,
}


@dataclass(frozen=True)
class ContactSolution:
    """Answer of ``solve_contact``; ``r, residual = solution`` unpacks it."""

    impulses: np.ndarray  # (k, dim), normal first
    velocities: np.ndarray  # (k, dim), W r + q
    residual: float  # plain natural map, relative to |q|
    status: Status
    iterations: int
    method: str

    @property
    def ok(self) -> bool:
        """True if the solver reached its tolerance."""
        return self.status is Status.SOLVED

    def __iter__(self) -> Iterator[Any]:
        return iter((self.impulses, self.residual))


@dataclass(frozen=True)
class LcpSolution:
    """Answer of ``solve_lcp``; ``z, status = solution`` unpacks it."""

    z: np.ndarray
    status: Status
    residual: float  # |min(z, M z + q)| relative to |q|
    iterations: int

    @property
    def ok(self) -> bool:
        """True if the solver reached its tolerance."""
        return self.status is Status.SOLVED

    def __iter__(self) -> Iterator[Any]:
        return iter((self.z, self.status))


def _array(name: str, value: Any, problems: list[Problem]) -> np.ndarray:
    """A contiguous float array of its own; what is wrong with it goes to ``problems``."""
    if hasattr(value, "toarray"):  # scipy.sparse
        value = value.toarray()
    try:
        array = np.array(value, dtype=float, order="C")
    except (TypeError, ValueError):
        problems.append(Problem(name, "must be numbers"))
        return np.zeros(0)
    if not np.isfinite(array).all():
        problems.append(Problem(name, "holds an entry that is not a finite number"))
    return array


def _checked(W: Any, q: Any, mu: Any, dim: int, matrix: str = "W") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W, q and mu as kernels read them; raises InputError with all that is wrong."""
    if dim not in (1, 2, 3):
        raise InputError(Problem("dim", f"must be 1, 2 or 3, not {dim}"))
    problems: list[Problem] = []
    W, q, mu = _array(matrix, W, problems), _array("q", q, problems).ravel(), _array("mu", mu, problems)
    if problems:
        raise InputError(problems)
    n = q.size
    if n % dim:
        problems.append(Problem("q", f"has {n} entries, which is not a multiple of dim = {dim}"))
    if W.shape != (n, n) and not (n == 0 and W.size == 0):
        problems.append(Problem(matrix, f"has shape {W.shape}, but q needs ({n}, {n})"))
    if mu.ndim == 0:
        mu = np.full(n // dim, float(mu))
    elif mu.shape != (n // dim,):
        problems.append(Problem("mu", f"has shape {mu.shape}; one number, or one for each of {n // dim} contacts"))
    if (mu < 0.0).any():
        problems.append(Problem("mu", f"must not be negative, but one is {mu.min():g}"))
    if problems:
        raise InputError(problems)
    return W.reshape(n, n), q, mu


def _run(
    W: np.ndarray, q: np.ndarray, mu: np.ndarray, dim: int, method: str, start: Any, tolerance: float
) -> tuple[np.ndarray, np.ndarray, float, Status, int]:
    """Impulses, velocities, plain residual, status and iterations of one method."""
    if method not in METHODS:
        raise InputError(Problem("method", f"must be one of {', '.join(METHODS)}, not {method!r}"))
    if method == "lemke" and dim == 3:
        raise InputError(Problem("method", "lemke solves dim = 1 and 2; a cone in space is not a linear problem"))
    if not 0.0 < tolerance < 1.0:
        raise InputError(Problem("tolerance", f"must lie between 0 and 1, not {tolerance!r}"))
    r = np.zeros(q.size)
    if start is not None:
        problems: list[Problem] = []
        r = _array("start", start, problems).ravel()
        if r.size != q.size:
            problems.append(Problem("start", f"has {r.size} entries, but q has {q.size}"))
        if problems:
            raise InputError(problems)
    k = mu.size
    code, _, iterations = METHODS[method](dim, k, W, q, mu, r, contact_scratch(dim, k, tolerance=tolerance))
    u = np.zeros(q.size)
    find_velocities(q.size, W, q, r, u)
    plain = natural_map(dim, k, mu, r, u, np.ones(k)) / (np.linalg.norm(q) or 1.0)
    return r, u, float(plain), tuple(Status)[code], int(iterations)


def solve_contact(
    W: Any,
    q: Any,
    mu: Any,
    dim: int = 3,
    *,
    method: str = "auto",
    start: Any = None,
    tolerance: float = 1e-10,
) -> ContactSolution:
    """Solve u = W r + q with Coulomb's law at every contact, normal first (numerics/cones.py).

    Args:
        W: (n, n) matrix, dense or sparse, n = dim k; it may be singular, and need not be symmetric.
        q: n numbers, the velocities without impulses.
        mu: coefficient of friction, one for all contacts or one for each.
        dim: 1 (no friction), 2 (friction in the plane) or 3.
        method: "auto", "newton", "gauss_seidel", or "lemke" (dim = 1 and 2).
        start: impulses to start from (zero if not given).
        tolerance: of the residual in which w r stands for r, relative to |q|; it decides the status. The ``residual``
            of the answer is the plain one.
    """
    W, q, mu = _checked(W, q, mu, dim)
    r, u, plain, status, iterations = _run(W, q, mu, dim, method, start, tolerance)
    return ContactSolution(r.reshape(-1, dim), u.reshape(-1, dim), plain, status, iterations, method)


def solve_lcp(M: Any, q: Any, *, method: str = "auto", start: Any = None, tolerance: float = 1e-10) -> LcpSolution:
    """Find z >= 0 with M z + q >= 0 and z . (M z + q) = 0; arguments as for ``solve_contact``."""
    M, q, mu = _checked(M, q, 0.0, 1, matrix="M")
    z, _, plain, status, iterations = _run(M, q, mu, 1, method, start, tolerance)
    return LcpSolution(z, status, plain, iterations)


def write_problem(path: str | Path, W: Any, q: Any, mu: Any, dim: int, note: str = "") -> None:
    """Write one problem as JSON, ``kind: local``; numbers come back bit by bit."""
    W, q, mu = _checked(W, q, mu, dim)
    row, col = np.nonzero(W)
    triplets = {"shape": list(W.shape), "row": row.tolist(), "col": col.tolist(), "val": W[row, col].tolist()}
    tree = {"name": Path(path).stem, "note": note, "kind": "local", "dim": dim, "contacts": mu.size}
    tree |= {"W": triplets, "q": q.tolist(), "mu": mu.tolist()}
    write_whole(path, json.dumps(tree), "path")


def _matrix(triplets: dict[str, Any]) -> Any:
    from scipy.sparse import csc_matrix

    return csc_matrix((triplets["val"], (triplets["row"], triplets["col"])), shape=triplets["shape"], dtype=float)


def _local(tree: dict[str, Any]) -> tuple[Any, Any]:
    """W and q of a problem; of ``kind: global`` (M v = H r + f, u = H^T v + w) by factoring M."""
    if tree["kind"] == "local":
        return _matrix(tree["W"]), tree["q"]
    if tree["kind"] != "global":
        raise ValueError(f"kind {tree['kind']!r} is neither local nor global")
    from scipy.sparse import triu
    from scipy.sparse.linalg import splu

    M, H = _matrix(tree["M"]), _matrix(tree["H"])
    if tree.get("M_is_upper_triangle_of_symmetric", False):
        M = M + triu(M, 1).T
    solve_mass = splu(M.tocsc()).solve
    return H.T @ solve_mass(H.toarray()), H.T @ solve_mass(np.array(tree["f"], dtype=float)) + np.array(tree["w"])


def read_problem(path: str | Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, str]:
    """(W, q, mu, dim, note) of a JSON file, ``kind: local`` or ``kind: global``."""
    try:
        tree = json.loads(Path(path).read_text(encoding="utf-8"))
        W, q = _local(tree)
        W, q, mu = _checked(W, q, tree["mu"], tree["dim"])
    except OSError as error:
        raise InputError(Problem("", f"cannot be read ({error.strerror})", str(path))) from error
    except KeyError as error:
        raise InputError(Problem(str(error.args[0]), "is missing", str(path))) from error
    except (ValueError, TypeError, RuntimeError) as error:
        raise InputError(Problem("", f"is not a contact problem ({error})", str(path))) from error
    return W, q, mu, tree["dim"], str(tree.get("note", tree.get("source", "")))
