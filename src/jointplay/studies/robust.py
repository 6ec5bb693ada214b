r"""Robust choices: an optimum over many machines instead of one.

A design p is judged on fixed scenarios k of what varies, :math:`p + d_k` or :math:`(p, x_k)`, by a measure over them,

.. math::  \text{mean} + n\,\sigma = \bar\psi + n \Big( \tfrac{1}{K - 1} \sum_k (\psi_k - \bar\psi)^2 \Big)^{1/2},
    \qquad q_\alpha = \text{an order statistic},

whose gradient is that of the runs, weighed: exact for these scenarios. They stay the same during the search, so that it
sees one smooth function. An input that is also a parameter of the search varies about its value there; one that is
not keeps its own distribution. Limits are judged by the same measure, on their own side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..design.limits import Limit
from ..design.runs import EnoughError, Point, Runs
from ..errors import InputError, Problem
from .plans import LatinHypercube, whole
from .vary import Vary

SIGMA = re.compile(r"\s*mean\s*\+\s*(\d+(?:\.\d+)?)?\s*\*?\s*sigma\s*\Z")
QUANTILE = re.compile(r"\s*quantile\s*(?:\(?\s*(0?\.\d+)\s*\)?)?\s*\Z")
USUAL = 0.95


@dataclass(frozen=True)
class Measure:
    """How values of many machines become one, with its weights on them."""

    text: str
    share: Callable[[np.ndarray], tuple[float, np.ndarray]]

    def __call__(self, values: np.ndarray, slopes: np.ndarray, sign: float = 1.0) -> tuple[float, np.ndarray]:
        """Value and gradient, from values (K,) and gradients (K, parameters); sign -1 for what must be large."""
        value, weights = self.share(sign * values)
        return sign * value, np.asarray(weights @ slopes)


def measure_of(text: Any) -> Measure:
    """``"mean"``, ``"mean+3sigma"``, ``"quantile"`` (0.95) or ``"quantile 0.99"``; raises InputError."""
    if isinstance(text, str):
        if text.strip() == "mean":
            return Measure("mean", lambda x: (float(x.mean()), np.full(len(x), 1.0 / len(x))))
        found = SIGMA.match(text)
        if found:
            return Measure(text.strip(), _mean_and_sigma(float(found[1] or 1.0)))
        found = QUANTILE.match(text)
        if found:
            return Measure(text.strip(), _quantile(float(found[1] or USUAL)))
    raise InputError(Problem("measure", f"needs 'mean', 'mean+3sigma' or 'quantile 0.95', not {text!r}"))


def _mean_and_sigma(many: float) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    def share(x: np.ndarray) -> tuple[float, np.ndarray]:
        n = len(x)
        off = x - x.mean()
        sigma = float(np.sqrt(off @ off / max(n - 1, 1)))
        weights = np.full(n, 1.0 / n)
        if sigma > 0.0:
            weights = weights + many * off / (max(n - 1, 1) * sigma)
        return float(x.mean()) + many * sigma, weights

    return share


def _quantile(level: float) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    def share(x: np.ndarray) -> tuple[float, np.ndarray]:
        order, weights = np.argsort(x, kind="stable"), np.zeros(len(x))
        place = level * (len(x) - 1)
        k = min(int(place), len(x) - 2) if len(x) > 1 else 0
        weights[order[k]] = 1.0 - (place - k)
        if len(x) > 1:
            weights[order[k + 1]] = place - k
        return float(weights @ x), weights

    return share


class RobustRuns(Runs):
    """Runs of a search in which each point is judged on all scenarios."""

    def __init__(
        self,
        runs: Runs,
        vary: Mapping[str, Any] | Vary,
        measure: Any,
        scenarios: int,
        limits: Sequence[Limit],
        objective: Any,
    ) -> None:
        self.__dict__.update(runs.__dict__)
        self.vary = vary if isinstance(vary, Vary) else Vary(vary)
        self.measure = measure_of(measure)
        whole("scenarios", scenarios, 2, "")
        x = LatinHypercube(scenarios).points(self.vary, 0, scenarios)
        names = self.variables.names
        self.shared = [name for name in self.vary.names if name in names]
        self.fixed = [name for name in self.vary.names if name not in names]
        place = {name: k for k, name in enumerate(self.vary.names)}
        self.offsets = np.array(
            [[x[s, place[n]] - self.vary.means[place[n]] for n in self.shared] for s in range(scenarios)]
        )
        self.extra = [{name: float(x[s, place[name]]) for name in self.fixed} for s in range(scenarios)]
        # what must be large is judged on its lower side
        self.signs = [1.0] * len(self.of)
        for limit in limits:
            if limit.objective in self.of and limit.objective is not objective:
                self.signs[self.of.index(limit.objective)] = -limit.sign

    def at(self, p: np.ndarray) -> Point:
        """The point with parameters ``p``, judged on all scenarios; only the first may raise InputError."""
        p = np.array(p, float)
        known = self._known.get(p.tobytes())
        if known is not None:
            return known
        if len(self.points) >= self.max_runs:
            raise EnoughError
        found = [self._scenario(p, s) for s in range(len(self.extra))]
        broken = next((one for one in found if not one.ok), None)
        number = len(self.points) + 1
        if broken is not None and not self.points:
            raise InputError(Problem("wrt", f"a scenario at the start values cannot be used: {broken.problem}"))
        if broken is not None:
            point = Point(number, p, problem=broken.problem)
        else:
            values, slopes = [], []
            for k, sign in enumerate(self.signs):
                many = np.array([float(one.values[k]) for one in found])
                value, slope = self.measure(many, np.array([one.slopes[k] for one in found]), sign)
                values.append(value)
                slopes.append(slope)
            remarks = tuple(dict.fromkeys(text for one in found for text in one.remarks))
            point = Point(number, p, tuple(values), tuple(slopes), found[0].found, remarks=remarks)
        self._known[p.tobytes()] = point
        self.points.append(point)
        if self.on_run is not None:
            self.on_run(point)
        return point

    def _scenario(self, p: np.ndarray, s: int) -> Point:
        """One machine of the design p."""
        from ..design.guard import guarded

        moved = p.copy()
        for name, offset in zip(self.shared, self.offsets[s], strict=True):
            moved[self.variables.names.index(name)] += offset
        inner = Runs.__new__(Runs)
        inner.__dict__.update(self.__dict__)
        inner.points, inner._known, inner.on_run = [], {}, None
        inner.build = guarded(self._fixed(self.extra[s]))
        try:
            return inner._run(moved)
        except InputError as error:
            return Point(0, p, problem="; ".join(map(str, error.problems)))

    def _fixed(self, extra: Mapping[str, float]) -> Any:
        """The model with the inputs that the search does not move."""
        if not extra:
            return self.build
        if callable(self.build):
            build = self.build
            return lambda **parameters: build(**parameters, **extra)
        from ..sensitivity.source import source_of

        names = list(self.variables.names)
        source = source_of(self.build, dict.fromkeys([*names, *extra]))
        return lambda **parameters: source.system({**parameters, **extra})
