"""How well two methods agree: max over time of |a - b| / max over time of |b|, for each target and parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .raw_result import Found

LARGE = 1e-4  # a difference worth a warning
VANISHING = 1e-6  # of x/rho: where both methods stay below this, both say zero


@dataclass(frozen=True)
class Pair:
    """One comparison."""

    of: str
    parameter: str
    other: str  # the method compared with
    difference: float  # relative; NaN where there is nothing to compare
    trust: float  # estimated relative error of the other method, 0 for exact ones


@dataclass(frozen=True)
class Agreement:
    """All comparisons of a result."""

    method: str
    pairs: tuple[Pair, ...]
    skipped: tuple[str, ...] = ()  # methods that could not be asked, and why

    @property
    def worst(self) -> float:
        """Largest difference."""
        return max((pair.difference for pair in self.pairs if np.isfinite(pair.difference)), default=float("nan"))

    @property
    def ok(self) -> bool:
        """True if all agree to 1e-4."""
        return bool(self.pairs) and all(pair.difference <= LARGE for pair in self.pairs)

    @property
    def doubts(self) -> list[str]:
        """A sentence for each pair that does not agree."""
        return [
            f"{pair.of} by {pair.parameter}: {self.method} and {pair.other} differ by {pair.difference:.1g}"
            + (f" (the error of {pair.other} is about {pair.trust:.1g})" if pair.trust > 0.0 else "")
            for pair in self.pairs
            if not pair.difference <= LARGE
        ]

    def table(self) -> str:
        """The comparisons as text."""
        wide = max((len(pair.of) for pair in self.pairs), default=2)
        name = max(9, *(len(pair.parameter) for pair in self.pairs)) if self.pairs else 9
        lines = [f"{'of':<{wide}}  {'parameter':<{name}}  {'compared with':<18} {'difference':>10} {'its error':>10}"]
        for pair in self.pairs:
            trust = f"{pair.trust:>10.1e}" if pair.trust > 0.0 else f"{'exact':>10}"
            lines.append(
                f"{pair.of:<{wide}}  {pair.parameter:<{name}}  {pair.other:<18} {pair.difference:>10.1e} {trust}"
            )
        return "\n".join([f"{self.method} against other methods", *lines, *self.skipped])

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"ok": self.ok, "worst": self.worst, "pairs": [vars(pair) for pair in self.pairs]}


def compare(found: Found, other: Found, method: str, sizes: Mapping[str, float]) -> list[Pair]:
    """Differences between two methods, before the first instant at which either is not valid.

    ``sizes`` are those of the parameters: a derivative is zero if even a change of that size moves nothing.
    """
    end = min((time for time, _ in (*found.invalid, *other.invalid)), default=np.inf)
    count = min(len(found.time), len(other.time))
    pairs = []
    for of, by in found.derivatives.items():
        for parameter, mine in by.items():
            a, b = np.atleast_1d(np.asarray(mine)), np.atleast_1d(np.asarray(other.derivatives[of][parameter]))
            if np.ndim(mine):
                valid = found.time[:count] < end
                a, b = a[:count][valid], b[:count][valid]
            known = np.isfinite(a) & np.isfinite(b)
            difference = float("nan")
            if known.any():
                x = float(np.nanmax(np.abs(found.values[of]), initial=0.0))
                x = max(x, found.sizes.get(of, 0.0), other.sizes.get(of, 0.0))
                nothing = VANISHING * x / sizes[parameter]
                off, size = float(np.max(np.abs(a - b)[known])), float(np.max(np.abs(b[known])))
                both_zero = max(size, float(np.max(np.abs(a[known])))) <= nothing
                difference = 0.0 if both_zero or off == 0.0 else off / size if size > 0.0 else float("inf")
            pairs.append(Pair(of, parameter, method, difference, other.errors.get(of, {}).get(parameter, 0.0)))
    return pairs
