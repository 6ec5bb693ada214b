r"""first_order: what one gradient predicts of scatter, and whether to believe it.

.. math::  \sigma^2 = g^T \Sigma g, \qquad \text{share}_i = g_i (\Sigma g)_i / \sigma^2.

One run with derivatives at the means gives sigma, contributions, a tornado and Cpk. Then a few plain runs check it:
with the residuals r = y - l of the straight line l over these runs,

.. math::  \sigma_y^2 / \sigma_l^2 = 1 + 2 b + \sigma_r^2 / \sigma_l^2, \qquad b = \mathrm{cov}(l, r) / \sigma_l^2,

whose bounds follow from the scatter of b and of :math:`\sigma_r` over so few runs. First order is trusted only where
both bounds keep sigma within a tenth. A residual far beyond the others (an impact that crosses an instant) or a run
that failed forbids it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .crew import Crew
from .engine import Engine, engine_of
from .limits import AnyLimit, limits_of
from .limits import ends as ends_of
from .plans import LatinHypercube, whole
from .vary import Vary

WITHIN = 0.1  # of sigma, that first order must keep to be trusted
FAR = 1.0  # sigmas: a residual of one run that no straight line has
CHECKS = 16


@dataclass(frozen=True)
class Verdict:
    """Whether to believe a straight line."""

    trust: bool
    sentence: str
    ratio: float  # sigma of the check runs to that of the line at the same points
    bounds: tuple[float, float]  # of the ratio of sigmas, as far as these runs show
    r2: float  # share of the scatter that the line explains
    orders: int  # different orders of impacts among the runs

    def __bool__(self) -> bool:
        return self.trust

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """Scatter by one gradient, for each output."""

    vary: Vary
    outputs: tuple[str, ...]
    units: dict[str, str]
    values: dict[str, float]  # at the means
    gradients: dict[str, dict[str, float]]
    sigma: dict[str, float]
    contributions: dict[str, dict[str, float]]
    cpk: dict[str, float]
    verdicts: dict[str, Verdict]
    notes: list[str] = field(default_factory=list)
    runs: int = 0

    def predict(self, points: np.ndarray, of: str) -> np.ndarray:
        """The straight line at points (n, d)."""
        g = np.array([self.gradients[of][name] for name in self.vary.names])
        return np.asarray(self.values[of] + (points - self.vary.means) @ g)

    def mean_of(self, of: str) -> float:
        """Mean of the straight line: the value at the means."""
        return self.values[of]

    def tornado(self, of: str) -> list[tuple[str, float, float]]:
        """Inputs with what they add at their lower and upper limit, the widest first."""
        low, high = self.vary.limits()
        rows = []
        means = [one.mean for one in self.vary.inputs.values()]
        slopes = np.array([self.gradients[of][name] for name in self.vary.names]) @ self.vary.heat_matrix
        for k, (name, g) in enumerate(zip(self.vary.names, map(float, slopes), strict=True)):
            rows.append((name, g * (low[k] - means[k]), g * (high[k] - means[k])))
        return sorted(rows, key=lambda row: -abs(row[2] - row[1]))

    def __str__(self) -> str:
        lines = []
        for key in self.outputs:
            unit = "" if self.units[key] in ("", "1") else f" {self.units[key]}"
            cpk = f", Cpk {self.cpk[key]:.3f}" if np.isfinite(self.cpk[key]) else ""
            lines.append(f"{key}: {self.values[key]:.6g}{unit}, sigma {self.sigma[key]:.4g}{unit}{cpk}")
            ranked = sorted(self.contributions[key].items(), key=lambda one: -one[1])
            lines.append("  " + ", ".join(f"{name} {100 * share:.3g} %" for name, share in ranked))
            if key in self.verdicts:
                lines.append(f"  {self.verdicts[key]}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return f"<FirstOrder of {', '.join(self.outputs)}>"


def first_order(
    model: Any,
    vary: Mapping[str, Any],
    of: Any = None,
    limits: Any = (),
    *,
    until: float | str | None = None,
    method: Any = None,
    save: Any = None,
    correlations: Mapping[tuple[str, str], float] | None = None,
    checks: int = CHECKS,
    seed: int = 0,
    workers: int | None = None,
) -> FirstOrder:
    """Scatter of outputs by one gradient at the means, checked by a few runs.

    Arguments are those of ``study``. ``checks`` runs decide the verdict of each output; 0 leaves it out.
    """
    inputs = vary if isinstance(vary, Vary) else Vary(vary, correlations)
    limited = limits_of(limits)
    engine = engine_of(model, inputs, of, limited, until=until, method=method, save=save)
    places = range(len(engine.columns))
    values, slopes = engine.gradient(inputs.means, list(places))
    notes = list(getattr(engine, "notes", ()))
    keys = [one.key for one in engine.columns]
    covariance = inputs.covariance
    sigma, shares, cpk = {}, {}, {}
    for m, key in enumerate(keys):
        own = slopes[m] @ inputs.heat_matrix  # by inputs as drawn: heat counts as that of what heats
        along = covariance @ own
        square = float(own @ along)
        sigma[key] = float(np.sqrt(max(square, 0.0)))
        part = own * along / square if square > 0.0 else np.zeros(len(inputs))
        shares[key] = dict(zip(inputs.names, map(float, part), strict=True))
        cpk[key] = capability(values[m], sigma[key], [one for one in limited if engine.find(one.objective) == m])
    found = FirstOrder(
        inputs,
        tuple(keys),
        {one.key: one.unit for one in engine.columns},
        dict(zip(keys, map(float, values), strict=True)),
        {key: dict(zip(inputs.names, map(float, slopes[m]), strict=True)) for m, key in enumerate(keys)},
        sigma,
        shares,
        cpk,
        {},
        notes,
        1,
    )
    if whole("checks", checks, 0, " of runs"):
        found.verdicts.update(check_runs(engine, found, checks, seed, workers))
    return found


def capability(mean: float, sigma: float, limits: list[AnyLimit]) -> float:
    """Cpk of an output; infinite without limits."""
    if not limits or not sigma > 0.0:
        return float("inf")
    low, high = max(ends_of(one)[0] for one in limits), min(ends_of(one)[1] for one in limits)
    return float(min(mean - low, high - mean) / (3.0 * sigma))


def check_runs(engine: Engine, found: FirstOrder, checks: int, seed: int, workers: int | None) -> dict[str, Verdict]:
    """Verdicts by plain runs at scattered points."""
    points = LatinHypercube(max(checks, 4), seed).points(found.vary, 0, max(checks, 4))
    crew = Crew(engine, workers)
    block = crew.run(points)
    crew.close()
    ok = block.ok
    orders = len(np.unique(block.order[ok])) if ok.any() else 0
    out = {}
    for m, key in enumerate(found.outputs):
        out[key] = judge(
            block.values[ok, m], found.predict(points[ok], key), found.sigma[key], int((~ok).sum()), orders
        )
    return out


def judge(y: np.ndarray, line: np.ndarray, sigma: float, failed: int, orders: int) -> Verdict:
    """The verdict on a line from runs at the same points."""
    from scipy.stats import chi2, t

    n = len(y)
    if failed:
        text = f"do not trust it: {failed} of {n + failed} check runs failed"
        return Verdict(False, text, np.nan, (0.0, np.inf), np.nan, orders)
    scatter = float(np.std(y))
    if not sigma > 0.0:
        flat = scatter <= 1e-9 * max(abs(float(np.mean(y))), 1e-300)
        text = "trust it: nothing moves this output" if flat else (
            f"do not trust it: the gradient vanishes, and {n} runs scatter by {scatter:.3g}"
        )  # fmt: skip
        return Verdict(flat, text, 1.0 if flat else np.inf, (1.0, 1.0) if flat else (0.0, np.inf), 1.0, orders)
    r = y - line
    size = float(np.std(line)) or sigma
    c = line - line.mean()
    b = float(c @ r / (c @ c)) if c @ c > 0.0 else 0.0
    rest = r - r.mean() - b * c
    error = float(np.sqrt(rest @ rest / max(n - 2, 1) / (c @ c))) * float(t.ppf(0.95, max(n - 2, 1)))
    s2 = float(rest @ rest) / max(n - 2, 1) / size**2
    low_s2, high_s2 = (s2 * (n - 2) / float(chi2.ppf(q, n - 2)) for q in (0.95, 0.05))
    bounds = tuple(
        float(np.sqrt(max((1.0 + x) ** 2 + y2, 0.0))) for x, y2 in ((b - error, low_s2), (b + error, high_s2))
    )
    ratio = scatter / size
    r2 = 1.0 - float(np.var(r) / np.var(y)) if scatter > 0.0 else 0.0
    far = float(np.max(np.abs(r - np.median(r)))) / sigma
    trust = bounds[0] >= 1.0 - WITHIN and bounds[1] <= 1.0 + WITHIN and far <= FAR
    evidence = f"sigma of {n} runs is {ratio:.3g} of it (between {bounds[0]:.3g} and {bounds[1]:.3g}), R2 {r2:.3f}"
    turns = f", impacts came in {orders} different orders" if orders > 1 else ""
    if trust:
        return Verdict(True, f"trust it: {evidence}{turns}", ratio, (bounds[0], bounds[1]), r2, orders)
    why = f"; one run lies {far:.2g} sigma off the line" if far > FAR else ""
    return Verdict(False, f"do not trust it: {evidence}{why}{turns}", ratio, (bounds[0], bounds[1]), r2, orders)
