r"""reliability: how improbable is it that a limit is broken? For probabilities that plain sampling never sees.

In the space of independent standard normal scores z the point of the broken region that lies nearest to the origin is
the design point u*, its distance beta, and :math:`\Phi(-\beta)` the first-order probability (FORM). It is found with
gradients by the improved method of Hasofer, Lind, Rackwitz and Fiessler (Zhang and Der Kiureghian 1995),

.. math::  d = \frac{\nabla g \cdot z - g}{|\nabla g|^2} \nabla g - z, \qquad
    m = \tfrac12 |z|^2 + c\,|g| \text{ must fall along } z + s d.

Principal curvatures k of the border at u* correct it (Breitung 1984; Tvedt 1990),

.. math::  P = \Phi(-\beta) \prod (1 + \beta k_i)^{-1/2} + \dots

Importance sampling around all design points then needs neither: samples z of a mixture h of normal curves there, each
weighed by :math:`\phi(z)/h(z)`, give an unbiased P with its interval. Searches from the other side and from aside look
for further design points; where there are some, a note lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from .crew import Crew
from .distributions import inside
from .engine import Engine, engine_of
from .estimate import LEVEL, Estimate, mean_of
from .limits import AnyLimit, Between, limits_of
from .plans import REPLICATES, Sobol, seed_of, whole
from .vary import Vary

STEPS = 30  # of one search
FEW = 12  # of a search for further points
CLOSE = 1e-6  # |g| relative to its value at the start, and the change of direction, at which a search ends
APART = 0.9  # cosine between two design points that are not the same
FARTHER = 2.0  # beta beyond the least one that does not matter any more
FLAT = 0.5  # 1 + beta k of a border that keeps its distance: other points may lie nearer
TURN = 0.4  # rad, beside such a point
PLAIN = 0.1  # share of samples around the origin
POOR = 0.3  # relative standard error of sampling that is worth a sentence
TANGENT = 1e-2  # scores, of differences of gradients


@dataclass(frozen=True)
class DesignPoint:
    """The most probable point at which a limit breaks."""

    scores: np.ndarray
    values: dict[str, float]
    beta: float

    @property
    def importance(self) -> dict[str, float]:
        """Share of each score in beta squared."""
        square = self.scores**2 / (self.scores @ self.scores)
        return dict(zip(self.values, map(float, square), strict=True))


@dataclass(frozen=True, eq=False)
class Reliability:
    """Probability that a limit is broken."""

    limit: AnyLimit
    beta: float
    form: float
    breitung: float
    tvedt: float
    points: list[DesignPoint]
    sampled: Estimate  # by importance sampling
    error: float  # standard error of it, relative
    gradients: int  # runs with derivatives until the first design point
    searched: int  # those of further searches and of curvatures
    runs: int  # plain ones
    notes: list[str] = field(default_factory=list)

    @property
    def probability(self) -> float:
        """The best estimate: by importance sampling where there are samples, else with curvatures."""
        return self.sampled.value if self.sampled.count else self.tvedt

    @property
    def design_point(self) -> dict[str, float]:
        """Inputs at the nearest design point."""
        return self.points[0].values

    @property
    def importance(self) -> dict[str, float]:
        """Share of each input at the nearest design point."""
        return self.points[0].importance

    def __str__(self) -> str:
        lines = [f"broken: {self.limit}"]
        lines.append(
            f"beta {self.beta:.5g}; P first order {self.form:.4g}, with curvatures {self.tvedt:.4g} (Breitung "
            f"{self.breitung:.4g})"
        )
        if self.sampled.count:
            p = self.sampled
            lines.append(
                f"P {p.value:.4g} ({p.low:.4g} to {p.high:.4g}) by {p.count} runs around "
                f"{'the design point' if len(self.points) == 1 else f'{len(self.points)} design points'}"
            )
        for point in self.points:
            text = ", ".join(f"{name} {x:.6g}" for name, x in point.values.items())
            lines.append(f"design point at beta {point.beta:.4g}: {text}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return f"<Reliability: P {self.probability:.3g}, beta {self.beta:.4g}>"


class State:
    """Margin of a limit over scores, with its gradient; counts what it costs."""

    def __init__(self, engine: Engine, limit: AnyLimit) -> None:
        self.engine, self.vary, self.limit = engine, engine.vary, limit
        self.place = engine.find(limit.objective)
        self.count = 0
        self._known: dict[bytes, tuple[float, np.ndarray]] = {}

    def __call__(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """g and its gradient at z."""
        key = z.tobytes()
        if key not in self._known:
            self.count += 1
            x = self.vary.of_scores(z[None, :])[0]
            values, slopes = self.engine.gradient(x, [self.place])
            psi, slope = float(values[0]), slopes[0] @ self.vary.slopes(z)
            self._known[key] = float(self.limit.margin(psi)), self._sign(psi) * slope
        return self._known[key]

    def nearest_broken(self) -> np.ndarray | None:
        """Of all points that were seen broken the one nearest to the origin."""
        broken = [np.frombuffer(key).copy() for key, (g, _) in self._known.items() if g <= 0.0]
        return min(broken, key=lambda z: float(np.linalg.norm(z)), default=None)

    def _sign(self, psi: float) -> float:
        if isinstance(self.limit, Between):
            return 1.0 if psi - float(self.limit.low) < float(self.limit.high) - psi else -1.0
        return self.limit.sign


def reliability(
    model: Any,
    vary: Mapping[str, Any],
    limit: AnyLimit | Any,
    *,
    until: float | str | None = None,
    method: Any = None,
    save: Any = None,
    correlations: Mapping[tuple[str, str], float] | None = None,
    samples: int = 1000,
    seed: int = 0,
    several: bool = True,
    level: float = LEVEL,
    workers: int | None = None,
) -> Reliability:
    """Probability that one limit is broken: design point by gradients, curvatures, importance sampling.

    Args:
        model: as for ``study``.
        vary: as for ``study``.
        limit: ``AtMost``, ``AtLeast`` or ``Between``, of an output that has derivatives.
        until: end of each run.
        method: how to integrate.
        save: saved instants.
        correlations: by pairs of names.
        samples: runs around the design points; 0 for none.
        seed: of these samples.
        several: look for further design points.
        level: of the interval.
        workers: threads of the samples.
    """
    inputs = vary if isinstance(vary, Vary) else Vary(vary, correlations)
    chosen = limits_of(limit)
    if len(chosen) != 1:
        raise InputError(Problem("limit", f"needs one limit, got {len(chosen)}"))
    whole("samples", samples, 0, "")
    seed_of("seed", seed)
    of = chosen[0].objective
    engine = engine_of(model, inputs, [of], chosen, until=until, method=method, save=save)
    state = State(engine, chosen[0])
    notes: list[str] = []
    d = len(inputs)
    first = search(state, np.zeros(d), notes)
    if first is None:
        seen = state.nearest_broken()
        first = bent(state, seen) if seen is not None else None
    settled = first is not None
    if first is None:
        first = state.nearest_broken()
        notes.append("sampling goes on around the nearest point that it saw broken, without curvatures")
    if first is None:
        raise InputError(Problem("limit", f"no point was found at which this breaks: {chosen[0]}; {'; '.join(notes)}"))
    gradients = state.count
    found = [first]
    bends = curvatures(state, first) if settled else (np.zeros(d - 1), np.zeros((d - 1, d)))
    if several and settled:
        found = further(state, first, bends)
        if len(found) > 1:
            betas = ", ".join(f"{np.linalg.norm(one):.4g}" for one in found)
            notes.append(
                f"{len(found)} design points (beta {betas}): the first-order probability is that of the nearest only"
            )
    nearest = min(found, key=lambda z: float(np.linalg.norm(z)))
    side = 1.0
    if state(np.zeros(d))[0] < 0.0:
        side = -1.0
        notes.append("the limit is broken at the means already: probabilities are above one half")
    beta = side * float(np.linalg.norm(nearest))
    if nearest is not first and settled:
        bends = curvatures(state, nearest)
    form, breitung, tvedt = corrected(beta, side * bends[0])
    sampled, error, failed = around(engine, state, found, PLAIN if settled else 0.5, samples, seed, level, workers)
    if sampled.count and error > POOR:
        text = "infinite" if not np.isfinite(error) else f"{100 * error:.0f} %"
        notes.append(
            f"{sampled.count} samples are too few here (standard error {text}): the border may lie about as near "
            "elsewhere as at the design points; take more samples"
        )
    if failed:
        notes.append(f"{failed} of {sampled.count} runs failed; the interval counts them both ways")
    points = [
        DesignPoint(z, dict(zip(inputs.names, inputs.of_scores(z[None, :])[0].tolist(), strict=True)), float(b))
        for b, z in sorted(((float(np.linalg.norm(z)), z) for z in found), key=lambda one: one[0])
    ]
    return Reliability(
        chosen[0],
        beta,
        form,
        breitung,
        tvedt,
        points,
        sampled,
        error,
        gradients,
        state.count - gradients,
        sampled.count,
        notes,
    )


def search(state: State, start: np.ndarray, notes: list[str] | None = None, steps: int = STEPS) -> np.ndarray | None:
    """The design point that iHLRF reaches from a start; None if it reaches none."""
    z = np.array(start, float)
    g, slope = state(z)
    if not np.linalg.norm(slope) > 1e-12 * max(abs(g), 1e-300):  # a kink or a flat top: step aside
        z = z + 0.1 * np.random.default_rng(1).standard_normal(len(z))
        g, slope = state(z)
    size = abs(g) or 1.0
    c = 0.0
    for _ in range(steps):
        steep = float(np.linalg.norm(slope))
        if not steep > 0.0 or not np.isfinite(steep):
            if notes is not None:
                notes.append("the gradient vanishes on the way")
            return None
        alpha = slope / steep
        away = z - (alpha @ z) * alpha
        if abs(g) <= CLOSE * size and np.linalg.norm(away) <= 1e-4 * max(float(np.linalg.norm(z)), 1.0):
            return z
        d = ((slope @ z - g) / steep**2) * slope - z
        c = max(c, 2.0 * float(np.linalg.norm(z)) / steep, 0.5 * float((z + d) @ (z + d)) / max(abs(g), 1e-12 * size))
        c = max(2.0 * float(np.linalg.norm(z)) / steep, min(c, 1e12))
        merit = 0.5 * float(z @ z) + c * abs(g)
        s = 1.0
        for _ in range(6):
            trial = z + s * d
            try:
                new, new_slope = state(trial)
            except InputError:
                s *= 0.5
                continue
            if 0.5 * float(trial @ trial) + c * abs(new) < merit or s < 0.05:
                break
            s *= 0.5
        else:
            if notes is not None:
                notes.append("the search could not go on")
            return None
        moved = float(np.linalg.norm(trial - z))
        z, g, slope = trial, new, new_slope
        if abs(g) <= CLOSE * size and moved <= 1e-5 * max(float(np.linalg.norm(z)), 1.0):
            return z
    if notes is not None:
        notes.append(f"the search did not settle within {steps} steps")
    return None


def bent(state: State, start: np.ndarray, steps: int = STEPS) -> np.ndarray | None:
    """The design point that a search which learns curvatures reaches: where the border bends as the sphere does."""
    from scipy.optimize import minimize

    size = abs(state(start)[0]) + float(np.linalg.norm(state(start)[1])) * float(np.linalg.norm(start)) or 1.0
    rule = {"type": "eq", "fun": lambda z: state(z)[0] / size, "jac": lambda z: state(z)[1] / size}
    try:
        found = minimize(
            lambda z: 0.5 * float(z @ z),
            start,
            jac=lambda z: z,
            method="SLSQP",
            constraints=rule,
            options={"maxiter": steps, "ftol": 1e-10},
        )
    except InputError:
        return None
    return np.asarray(found.x) if found.success and abs(state(found.x)[0]) <= 1e-4 * size else None


def further(state: State, first: np.ndarray, bends: tuple[np.ndarray, np.ndarray]) -> list[np.ndarray]:
    """The design point, and others: beside it where the border bends towards the origin, behind it and aside."""
    beta, d = float(np.linalg.norm(first)), len(first)
    if beta < 1e-6:
        return [first]
    basis = _tangents(first)
    k, along = bends
    saddle = [t for bend, t in zip(k, along, strict=True) if 1.0 + beta * bend < FLAT]
    beside = [np.cos(TURN) * first + sign * np.sin(TURN) * beta * t for t in saddle for sign in (1.0, -1.0)]
    aside = [sign * beta * t for t in basis[: min(d - 1, 3)] for sign in (1.0, -1.0)]
    found = [first]
    for start in (*beside, -first, *aside):
        try:
            z = bent(state, start) if any(start is one for one in beside) else search(state, start, steps=FEW)
        except InputError:
            continue
        if z is None or np.linalg.norm(z) > beta + FARTHER or np.linalg.norm(z) < 1e-6:
            continue
        if all(z @ other / (np.linalg.norm(z) * np.linalg.norm(other)) < APART for other in found):
            found.append(z)
    return found


def _tangents(z: np.ndarray) -> np.ndarray:
    """Orthonormal directions across z, one per line."""
    q, _ = np.linalg.qr(np.column_stack([z, np.eye(len(z))]))
    return np.asarray(q[:, 1 : len(z)].T)


def curvatures(state: State, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal curvatures of the border at a design point and their directions, by gradients along tangents."""
    d = len(z)
    nothing = np.zeros(max(d - 1, 0)), np.zeros((max(d - 1, 0), d))
    if d < 2 or np.linalg.norm(z) < 1e-6:
        return nothing
    steep = float(np.linalg.norm(state(z)[1]))
    T = _tangents(z)
    H = np.zeros((d - 1, d - 1))
    for k, t in enumerate(T):
        try:
            ahead, behind = state(z + TANGENT * t)[1], state(z - TANGENT * t)[1]
        except InputError:
            return nothing
        H[k] = T @ (ahead - behind) / (2.0 * TANGENT)
    bends, turned = np.linalg.eigh(0.5 * (H + H.T))
    return np.asarray(bends / steep), np.asarray(turned.T @ T)


def corrected(beta: float, k: np.ndarray) -> tuple[float, float, float]:
    """Probabilities of first order, after Breitung and after Tvedt; those of first order where curvatures forbid."""
    from scipy.special import ndtr

    form = float(ndtr(-beta))
    if not len(k) or beta <= 0.0 or np.any(1.0 + (beta + 1.0) * k <= 0.0):
        return form, form, form

    def product(b: complex) -> complex:
        return complex(np.prod((1.0 + b * k.astype(complex)) ** -0.5))

    one = product(beta).real
    density = float(np.exp(-0.5 * beta * beta) / np.sqrt(2.0 * np.pi))
    factor = beta * form - density
    second = factor * (one - product(beta + 1.0).real)
    third = (beta + 1.0) * factor * (one - product(beta + 1.0j).real)
    return form, form * one, form * one + second + third


def around(
    engine: Engine,
    state: State,
    found: list[np.ndarray],
    plain: float,
    samples: int,
    seed: int,
    level: float,
    workers: int | None,
) -> tuple[Estimate, float, int]:
    """Importance sampling by a mixture of normal curves at the design points: estimate, relative error, failures.

    A share ``plain`` of the samples lies around the origin, so that no weight is beyond 1/plain and a region that no
    search saw is not excluded. Points are scrambled Sobol' ones, in independent sets that give the error.
    """
    from scipy.special import logsumexp, ndtr, ndtri

    if not samples:
        return Estimate(np.nan, 0.0, 1.0, 0, level), np.nan, 0
    d = len(state.vary)
    plan = Sobol(max(samples, 2 * REPLICATES), seed)
    u = inside(plan.unit(d + 1, 0, plan.size))
    centres = np.array([np.zeros(d), *found])
    share = np.array([float(ndtr(-np.linalg.norm(z))) + 1e-300 for z in found])
    share = np.concatenate([[plain], (1.0 - plain) * share / share.sum()])
    which = np.minimum(np.searchsorted(np.cumsum(share), u[:, 0], side="right"), len(share) - 1)
    z = ndtri(u[:, 1:]) + centres[which]
    mixed = logsumexp(
        [np.log(p) - 0.5 * np.sum((z - c) ** 2, axis=1) for p, c in zip(share, centres, strict=True)], axis=0
    )
    weight = np.exp(-0.5 * np.sum(z**2, axis=1) - mixed)
    crew = Crew(engine, workers)
    block = crew.run(state.vary.of_scores(z))
    crew.close()
    with np.errstate(invalid="ignore"):
        broken = np.where(block.ok, state.limit.margin(block.values[:, state.place]) < 0.0, False)
    replicate = np.arange(plan.size) % plan.replicates
    safe = mean_of(broken * weight, replicate, level)
    worst = mean_of((broken | ~block.ok) * weight, replicate, level)
    groups = np.array([(broken * weight)[replicate == k].mean() for k in range(plan.replicates)])
    error = float(groups.std(ddof=1) / np.sqrt(len(groups)) / safe.value) if safe.value > 0.0 else np.inf
    found_p = Estimate(safe.value, max(0.0, safe.low), min(1.0, worst.high), plan.size, level)
    return found_p, error, int(np.count_nonzero(~block.ok))
