"""OptimalStep(reference=True): every step is the NLP (25) of paper A, solved by SciPy's SLSQP.

The unknowns are the step size (if it is free), the forces of contacts and joints and the new velocities:

    min over h, lambda, u of  T^T M^-1 T          T = -(w^T lambda_c + W^T lambda_j)
    M (u - u_A) + h (T - f) = 0
    gaps       g + h w u >= 0,      lambda_c >= 0
    joints     g + h (W u + drift) = 0
    h_min <= h <= h_max

Signs are those of docs/theory/sources.md; the multiplier of the Euler parameters is left out, for it moves nothing.
Gaps are linearised anew at the end of the step until they hold, as in optimal_step.py, whose kernels do all but this
one problem. All contacts take part, open or not. Frictionless, and far too slow for use: for validation.

**Scaling.** With S S^T = M^-1 and u = u_A + S z the metric of the problem is the plain one; columns S^T w of contacts
are brought to length 1, those of joints are replaced by an orthonormal basis of what they span (redundant joints are
no trouble then), time is measured in h_max and velocities by the largest one that occurs.

**Step size.** SLSQP looks for a minimum near its start h_max. Where T^T M^-1 T does not depend on h (flights, contacts
that stay closed) rounding decides what it returns; optimal_step.py has a rule there. From the linearisation FROZEN on
the size stays, so that gaps can converge.

**Forces.** Those of (25) need not be complementary: two walls may squeeze a body between them at no cost. Reported are
forces of the contacts whose gap closes, not negative, that give the same velocities (least squares); what these leave
over is zero at a solution and shows whether SLSQP has found one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, OptimizeResult, minimize, nnls

from ..arrays import (
    ANSWER,
    CONTACT_ITERATIONS,
    CONTACT_SOLVES,
    FREE,
    NONE,
    STAGE,
    WORST_CONTACT,
)
from ..assemble.rigid_contacts import build_problem
from ..codes import Code
from .moreau_midpoint import blame
from .moreau_output import express
from .optimal_step import (
    FREE_ACCEL,
    FREE_SPEED,
    ROUNDS,
    arrive,
    begin_contacts,
    finish_step,
    fly,
    interpolate,
    land,
    linearise,
    open_step,
)
from .stepping import next_break, stepping

CONTINUE = int(Code.CONTINUE)
STARTS = 4  # of SLSQP, each from where the last one stopped
ENOUGH = 1e-8  # what may be left over, relative to the largest velocity
CLOSED = 1e-7  # scaled gap that counts as closed
FROZEN = 3  # linearisation from which the step size stays


class Problem(NamedTuple):
    """(25) at one linearisation, k velocities z, n contacts, m independent joint rows; all of unit size (see above)."""

    pull: np.ndarray  # (k,) z that applied forces alone give in a time of 1
    push: np.ndarray  # (k, n) of contacts, columns of length 1
    gap: np.ndarray  # (n,)
    rate: np.ndarray  # (n,) of the gap at u_A
    hinge: np.ndarray  # (k, m) of joints, orthonormal
    off: np.ndarray  # (m,) residual of the joints
    slip: np.ndarray  # (m,) its rate at u_A


class Answer(NamedTuple):
    """Solution of (25): step size, z, forces of the contacts (all scaled), what is left over, iterations."""

    h: float
    z: np.ndarray
    force: np.ndarray
    left: float
    iterations: int


def solve_nlp(p: Problem, h_min: float, start: tuple[float, np.ndarray]) -> Answer:
    """Minimise over h in [h_min, 1], forces and z from ``start`` = (h, z); h = 1 is given if h_min = 1.

    SLSQP compares values of the objective, which distinguish forces to half their digits only, and hardly at all where
    two walls squeeze. It is therefore started again from its own velocities with complementary forces, and with the
    changes from there as unknowns, whose values have all their digits.
    """
    n, m = len(p.gap), len(p.off)
    h, z, force = start[0], start[1], np.zeros(n + m)
    best, iterations = Answer(h, z, np.zeros(n), np.inf, 0), 0
    for _ in range(STARTS):
        found = improve(p, h_min, h, z, force)
        if not np.all(np.isfinite(found.x)):
            break
        iterations += found.nit
        h, z = min(max(h + found.x[0], h_min), 1.0), z + found.x[1 + n + m :]
        complement, left = complementary(p, h, z)
        if left < best.left:
            best = Answer(h, z, complement, left, iterations)
        if left <= 1e-3 * ENOUGH:
            break
        force = np.concatenate([complement, p.hinge.T @ (z / h - p.pull - p.push @ complement)])
    return best._replace(iterations=iterations)


def improve(p: Problem, h_min: float, h0: float, z0: np.ndarray, force0: np.ndarray) -> OptimizeResult:
    """SLSQP from a point; unknowns are changes of h, of the forces (contacts, joints) and of z."""
    k, n, m = len(p.pull), len(p.gap), len(p.off)
    reach = np.hstack([p.push, p.hinge])  # (k, n + m)
    size, forces, speeds = 1 + n + m + k, slice(1, 1 + n + m), slice(1 + n + m, None)
    T0 = reach @ force0  # minus that of the paper
    motion0 = z0 - h0 * (p.pull + T0)
    joints0, gaps0 = p.off + h0 * (p.slip + p.hinge.T @ z0), p.gap + h0 * (p.rate + p.push.T @ z0)

    def cost(x):
        T = reach @ x[forces]
        return T0 @ T + 0.5 * T @ T

    def cost_slope(x):
        slope = np.zeros(size)
        slope[forces] = reach.T @ (T0 + reach @ x[forces])
        return slope

    def equations(x):
        h, z = h0 + x[0], x[speeds]
        motion = motion0 + z - x[0] * (p.pull + T0) - h * (reach @ x[forces])
        return np.concatenate([motion, joints0 + x[0] * (p.slip + p.hinge.T @ z0) + h * (p.hinge.T @ z)])

    def equations_slope(x):
        h, slope = h0 + x[0], np.zeros((k + m, size))
        slope[:k, 0] = -(p.pull + T0 + reach @ x[forces])
        slope[:k, forces] = -h * reach
        slope[:k, speeds] = np.eye(k)
        slope[k:, 0] = p.slip + p.hinge.T @ (z0 + x[speeds])
        slope[k:, speeds] = h * p.hinge.T
        return slope

    def gaps(x):
        return gaps0 + x[0] * (p.rate + p.push.T @ z0) + (h0 + x[0]) * (p.push.T @ x[speeds])

    def gaps_slope(x):
        slope = np.zeros((n, size))
        slope[:, 0] = p.rate + p.push.T @ (z0 + x[speeds])
        slope[:, speeds] = (h0 + x[0]) * p.push.T
        return slope

    constraints = [{"type": "eq", "fun": equations, "jac": equations_slope}]
    if n > 0:
        constraints.append({"type": "ineq", "fun": gaps, "jac": gaps_slope})
    low, high = np.full(size, -np.inf), np.full(size, np.inf)
    low[0], high[0] = h_min - h0, 1.0 - h0
    low[1 : 1 + n] = -force0[:n]
    return minimize(
        cost,
        np.zeros(size),
        jac=cost_slope,
        bounds=Bounds(low, high),
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-22, "maxiter": 200},
    )


def complementary(p: Problem, h: float, z: np.ndarray) -> tuple[np.ndarray, float]:
    """Forces of closed contacts that give the velocities z, and the largest violation of the conditions of (25)."""
    gap = p.gap + h * (p.rate + p.push.T @ z)
    left = max(0.0, -np.min(gap, initial=0.0), np.max(np.abs(p.off + h * (p.slip + p.hinge.T @ z)), initial=0.0))
    wanted = z - h * p.pull
    wanted = wanted - p.hinge @ (p.hinge.T @ wanted)
    force = np.zeros(len(gap))
    near = gap <= CLOSED
    if near.any():
        push = p.push[:, near] - p.hinge @ (p.hinge.T @ p.push[:, near])
        force[near], rest = nnls(push, wanted)
    else:
        rest = np.linalg.norm(wanted)
    return force / h, max(left, rest)


class Frame(NamedTuple):
    """What stays the same in a step: coordinates z, applied forces and joints."""

    root: np.ndarray  # (6 bodies, k), S
    speed: np.ndarray  # (6 bodies,), u_A
    pull: np.ndarray  # (k,), z per second
    hinge: np.ndarray  # (k, m)
    off: np.ndarray  # (m,)
    slip: np.ndarray  # (m,)


def root_of(body) -> np.ndarray:
    """S with S S^T = M^-1: a column for each direction that can move."""
    columns = []
    for b in range(1, len(body)):
        values, vectors = np.linalg.eigh(body[b].Jinv)
        for m in range(3):
            if body[b].minv[m] > 0.0:
                columns.append((6 * (b - 1) + m, np.sqrt(body[b].minv[m : m + 1])))
        for m in range(3):
            if values[m] > 1e-14 * values[2]:
                columns.append((6 * (b - 1) + 3, np.sqrt(values[m]) * vectors[:, m]))
    root = np.zeros((6 * (len(body) - 1), len(columns)))
    for n, (first, column) in enumerate(columns):
        root[first : first + len(column), n] = column
    return root


def full(bodies, i, j, w) -> np.ndarray:
    """A row w between bodies i and j as one line over all bodies."""
    line = np.zeros(6 * bodies)
    line[6 * i : 6 * i + 6] += w[:6]
    line[6 * j : 6 * j + 6] += w[6:]
    return line[6:]


def frame_of(model, state, work) -> Frame:
    """Numbers of a step after ``open_step``."""
    bodies = int(model.info[0].bodies)
    first, size = 7 * (bodies - 1), 6 * (bodies - 1)
    root = root_of(model.body)
    speed = state.y[first : first + size].copy()
    pull = np.linalg.lstsq(root, work.stage[STAGE + FREE_ACCEL, :size], rcond=None)[0]
    closed = range(int(model.info[0].bilateral))
    rows = [full(bodies, model.row[r].i, model.row[r].j, work.row[r].w) for r in closed]
    W = np.reshape(rows, (len(rows), size))
    g = np.array([work.row[r].g for r in closed])
    rate = W @ speed + np.array([work.row[r].drift for r in closed])
    left, values, right = np.linalg.svd(root.T @ W.T, full_matrices=False)
    kept = values > 1e-9 * np.max(values, initial=0.0)
    share = right[kept] / values[kept, None]
    return Frame(root, speed, pull, left[:, kept], share @ g, share @ rate)


def linear_problem(model, frame: Frame, h: float, scale: float, work) -> tuple[Problem, float, np.ndarray]:
    """(25) with the present rows of the contacts, gap at zero displacement = h touch.apart; scaled with time ``scale``.

    Returns it with the velocity and the length of columns that it is scaled with.
    """
    bodies = int(model.info[0].bodies)
    walls = [c for c in range(len(model.contact)) if not model.contact[c].brake]
    rows = []
    for c in walls:
        k = model.contact[c]
        rows.append(k.sign * full(bodies, k.i, k.j, work.row[k.row[0]].w))
    w = np.reshape(rows, (len(rows), len(frame.speed)))
    push = frame.root.T @ w.T
    length = np.linalg.norm(push, axis=0)
    length[length == 0.0] = 1.0
    gap = np.array([h * work.touch[c].apart for c in walls]) / length
    rate = (w @ frame.speed) / length
    speeds = (
        scale * np.linalg.norm(frame.pull),
        np.max(np.abs(rate), initial=0.0),
        np.max(-gap, initial=0.0) / scale,
        np.max(np.abs(frame.off), initial=0.0) / scale,
        np.max(np.abs(frame.slip), initial=0.0),
    )
    V = max(speeds) or 1.0
    problem = Problem(
        scale * frame.pull / V,
        push / length,
        gap / (scale * V),
        rate / V,
        frame.hinge,
        frame.off / (scale * V),
        frame.slip / V,
    )
    return problem, V, length


def note_contacts(model, soft, impulses, work) -> None:
    """Impulses and free velocities of all contacts where the kernels look for them.

    Contacts take part if they were closed, would be pierced without impulses, or press, like in the fast path.
    """
    walls = [c for c in range(len(model.contact)) if not model.contact[c].brake]
    for c, impulse in zip(walls, impulses, strict=True):
        if impulse > 0.0:
            work.touch[c].held = 1
    build_problem(model, soft, work)
    dim = int(model.info[0].dim)
    bodies = int(model.info[0].bodies)
    speed = work.stage[STAGE + FREE_SPEED, : 6 * (bodies - 1)]
    for c, impulse in zip(walls, impulses, strict=True):
        k, law = work.touch[c], model.contact[c]
        k.impulse[:] = 0.0
        k.impulse[0] = impulse
        if k.place != NONE:
            row = law.sign * full(bodies, law.i, law.j, work.row[law.row[0]].w)
            work.problem[ANSWER, dim * k.place : dim * k.place + dim] = 0.0
            work.problem[ANSWER, dim * k.place] = impulse
            work.problem[FREE, dim * k.place] = row @ speed + k.apart


def step_of(model, limits, state, soft, settings, work):
    """One step of a size within ``limits`` into work.stage[Y_NEW]; returns (code, h, work of drives)."""
    low, high = limits
    frame = frame_of(model, state, work)
    h, z = high, high * frame.pull
    given = fly(model, h, state, soft, work)
    begin_contacts(model, h, state, work)
    for iteration in range(ROUNDS):
        free = low < high and iteration < FROZEN
        scale = high if free else h
        problem, V, length = linear_problem(model, frame, h, scale, work)
        answer = solve_nlp(problem, low / high if free else 1.0, (h / scale, z / V))
        work.tally[CONTACT_SOLVES] += 1
        work.tally[CONTACT_ITERATIONS] += answer.iterations
        z = V * answer.z
        if free:
            h = min(max(answer.h * high, low), high)
            given = fly(model, h, state, soft, work)
        impulses = answer.h * V * answer.force / length
        note_contacts(model, soft, impulses, work)
        if not answer.left <= ENOUGH:
            return int(blame(model, work, answer.left)), h, given
        work.tally[WORST_CONTACT] = max(work.tally[WORST_CONTACT], answer.left)
        speed = frame.speed + frame.root @ z
        for b in range(1, len(work.kin)):
            work.kin[b].unknown[:] = speed[6 * (b - 1) : 6 * b]
        worst = arrive(model, h, state, work)
        if worst <= settings.tolerance:
            break
        linearise(model, h, work)
    return CONTINUE, h, given


def begin(model, state, work, settings):
    """The longest step that is allowed."""
    return settings.h_max


def advance(model, state, work, settings):
    """One step of the size that SLSQP finds; steps end where a signal is not smooth."""
    t = state.clock[0].t
    soft, loss = open_step(model, state, work)
    span = next_break(model.breaks, t) - t
    limits = min(settings.h_min, span), min(settings.h_max, span)
    code, h, given = step_of(model, limits, state, soft, settings, work)
    if code != CONTINUE:
        return code
    return finish_step(model, h, (given, h * loss), state, soft, settings, work)


_loop = stepping(begin, advance, interpolate, express, land)
_loop = getattr(_loop, "py_func", _loop)  # the loop itself as Python: it calls SLSQP


def attributes(group):
    """The same arrays with fields as attributes, as the loop reads them."""
    return type(group)(*(a.view(np.recarray) if a.dtype.names else a for a in group))


def run(model, state, work, record, settings):
    """Advance until the record is full or the budget is used; see methods/base.py."""
    views = (attributes(group) for group in (model, state, work))
    return _loop(*views, record, settings.view(np.recarray))
