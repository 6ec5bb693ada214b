"""What the samples of a study show: yield, means, scatter, contributions of the inputs, what a tolerance is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codes import Code
from ..errors import InputError, Problem
from .estimate import LEVEL, Estimate, Yield, mean_of, sigma_of, yield_of
from .indices import Bounds, Halved, Indices, correlation_ratios, dgsm, halving, regression, sobol_indices
from .limits import ends
from .plans import Saltelli
from .samples import Samples
from .store import DONE


class Learnt(Samples):
    """Samples, and what they show."""

    def yield_(self, limits: Any = None, *, level: float = LEVEL, size: int | None = None) -> Yield:
        """Share of machines that keep all limits, bounded both ways where samples failed."""
        which = self._sample(size)
        good, failed = self.good(which, limits)
        return yield_of(good, failed, self._replicate(which), level)

    def mean(self, of: Any = None, *, level: float = LEVEL, size: int | None = None, control: Any = None) -> Estimate:
        """Mean of an output over the samples that are well; a ``first_order`` as ``control`` lessens its scatter."""
        which = self._sample(size)
        x, ok = self._values(of, which)
        replicate = self._replicate(which)
        if control is not None:
            from .control import controlled_mean

            points = np.column_stack([self._column(name)[which][ok] for name in self.inputs])
            return controlled_mean(x[ok], control.predict(points, self._key(of)), control.mean_of(self._key(of)), level)
        return mean_of(x[ok], None if replicate is None else replicate[ok], level)

    def sigma(self, of: Any = None, *, level: float = LEVEL) -> Estimate:
        """Standard deviation of an output."""
        x, ok = self._values(of, self._sample())
        return sigma_of(x[ok], level)

    def quantile(self, share: float, of: Any = None) -> float:
        """The value that an output stays below in this share of machines."""
        x, ok = self._values(of, self._sample())
        return float(np.quantile(x[ok], share))

    def cpk(self, of: Any = None) -> float:
        """Distance of the mean to the nearer limit in units of 3 sigma; infinite without limits."""
        key = self._key(of)
        low, high = self.ends_of(key)
        mean, sigma = self.mean(key).value, self.sigma(key).value
        if not sigma > 0.0 or not (np.isfinite(low) or np.isfinite(high)):
            return np.inf
        return float(min(mean - low, high - mean) / (3.0 * sigma))

    def ends_of(self, of: Any) -> tuple[float, float]:
        """Least and greatest value that the limits allow an output; infinite where none does."""
        key = self._key(of)
        own = [ends(one) for one in self.limits if self._key(one.objective) == key]
        return max((a for a, _ in own), default=-np.inf), min((b for _, b in own), default=np.inf)

    def contributions(self, of: Any = None) -> dict[str, Any]:
        """Share of each input in the variance of an output, by a straight line through the samples.

        Of several outputs a mapping by output. ``ratios`` knows no straight line, ``indices`` knows interactions.
        """
        if of is None and len(self.outputs) > 1:
            return {key: self.contributions(key) for key in self.outputs}
        return self._regression(of)[0]

    def linearity(self, of: Any = None) -> float:
        """Share of the variance of an output that a straight line explains (R squared)."""
        return self._regression(of)[1]

    def _regression(self, of: Any) -> tuple[dict[str, float], float]:
        which = self._sample() if self.plan.samples else self.done
        y, ok = self._values(of, which)
        return regression(self._drawn(which[ok]), y[ok], self.inputs, self.vary.independent)

    def ratios(self, of: Any = None, *, level: float = LEVEL) -> dict[str, Any]:
        """Correlation ratio of each input: the share of the variance that it explains by itself, however curved."""
        if of is None and len(self.outputs) > 1:
            return {key: self.ratios(key, level=level) for key in self.outputs}
        which = self._sample()
        y, ok = self._values(of, which)
        return correlation_ratios(self._drawn(which[ok]), y[ok], self.inputs, level)

    def indices(self, of: Any = None, *, level: float = LEVEL) -> Any:
        """Sobol' indices of an output, of a study with the plan ``Saltelli``; "failed" is an output too."""
        if not isinstance(self.plan, Saltelli):
            message = f"Sobol' indices need the plan Saltelli, not {self.plan!r}; ratios() takes any sample"
            raise InputError(Problem("plan", message))
        if not self.vary.independent:
            raise InputError(
                Problem("correlations", "Sobol' indices have no meaning for correlated inputs; see ratios()")
            )
        if of is None and len(self.outputs) > 1:
            return {key: self.indices(key, level=level) for key in self.outputs}
        group = len(self.vary) + 2
        status = np.asarray(self._rows.column("status")) == DONE
        whole = status[: len(status) // group * group].reshape(-1, group).all(axis=1)
        codes = self._column("outcome")[: len(whole) * group].reshape(-1, group)[whole]
        if isinstance(of, str) and of == "failed":
            values = (codes != Code.DONE).astype(float)
            return sobol_indices(values, np.ones_like(values, dtype=bool), self.inputs, level)
        values = self._column(self._key(of))[: len(whole) * group].reshape(-1, group)[whole]
        found: Indices = sobol_indices(values, codes == Code.DONE, self.inputs, level)
        return found

    def dgsm(self, of: Any = None, *, level: float = LEVEL) -> Bounds:
        """Bounds on total indices from the derivatives of all samples (``study(..., gradients=True)``)."""
        key = self._key(of)
        labels = [*self._labels(), *(f"d {a} by {b}" for a in self.outputs for b in self.inputs)]
        first = labels.index(f"d {key} by {self.inputs[0]}")
        columns = self._rows.columns[first : first + len(self.inputs)]
        if columns[0].meaning != "derivative":
            raise InputError(Problem("gradients", "were not kept; run the study with gradients=True"))
        which = self._sample()
        y, ok = self._values(key, which)
        slopes = np.column_stack([np.asarray(self._rows.column(one.name))[which][ok] for one in columns])
        known = np.all(np.isfinite(slopes), axis=1)
        return dgsm(slopes[known] @ self.vary.heat_matrix, float(np.var(y[ok])), self.vary, level)

    def halved(self, of: Any = None, *, level: float = LEVEL) -> dict[str, Halved]:
        """What halving the tolerance of each input would bring, from the same samples; the yield with an interval."""
        if not self.vary.independent:
            raise InputError(Problem("correlations", "samples of correlated inputs cannot be weighed one by one"))
        which = self._sample()
        y, ok = self._values(of, which)
        good = self.good(which)[0][ok] if self.limits else None
        drawn = self._drawn(which[ok])
        return {
            name: halving(name, one, drawn[:, k], y[ok], good, level)
            for k, (name, one) in enumerate(self.vary.inputs.items())
        }
