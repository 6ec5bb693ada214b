r"""All inputs of a study together: names, correlations, and the way from probabilities to values.

Correlations are those of a Gaussian copula: independent scores z become :math:`z' = L z` with :math:`L L^T = R`, their
probabilities :math:`u' = \Phi(z')` go through the inputs. R is given by its pairs, ``{("a", "b"): 0.6}``.

An input that heats fits (``Fit(..., warmer="dT")``) adds to their gaps. If the model has no such number, it stays
outside of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..model.names import suggest
from .bell import tolerance_of
from .distributions import Input
from .fits import FIT, OPEN, Fit

Given = Mapping[str, Any]
HERMITE = 24  # terms of a covariance


def input_of(name: str, given: Any) -> Input:
    """An input as given: one of ours, a fit or a tolerance as a text."""
    if isinstance(given, Input):
        return given
    field = f"vary: {name}"
    if isinstance(given, str):
        return Fit(given) if FIT.match(given) else tolerance_of(field, given)
    message = f"needs a tolerance, such as '153 mm +- 0.05 mm', a fit or a distribution, not {given!r}"
    raise InputError(Problem(field, message))


def _pair(given: Any) -> tuple[str, ...]:
    """Names of a correlation, as they stand in sentences too."""
    return tuple(map(str, given)) if isinstance(given, tuple | list) else (str(given),)


class Vary:
    """What varies in a study."""

    def __init__(self, given: Given, correlations: Mapping[tuple[str, str], float] | None = None) -> None:
        if not isinstance(given, Mapping) or not given:
            raise InputError(Problem("vary", "names nothing that varies; give a mapping from names to tolerances"))
        problems: list[Problem] = []
        self.inputs: dict[str, Input] = {}
        for name, raw in given.items():
            try:
                self.inputs[str(name)] = input_of(str(name), raw)
            except InputError as error:
                own = f"vary: {name}"
                problems += [one if one.field == own else Problem(own, str(one)) for one in error.problems]
        self.correlations = {_pair(pair): rho for pair, rho in (correlations or {}).items()}
        problems += self._heat_problems()
        self.R, found = self._matrix()
        problems += found
        if problems:
            raise InputError(problems)
        self.L = np.linalg.cholesky(self.R)

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all inputs."""
        return tuple(self.inputs)

    @property
    def independent(self) -> bool:
        """True if nothing is correlated."""
        return not self.correlations

    @property
    def heaters(self) -> dict[str, list[tuple[str, float]]]:
        """Inputs that heat: the fits that they widen, with metres of gap per K."""
        found: dict[str, list[tuple[str, float]]] = {}
        for name, one in self.inputs.items():
            if isinstance(one, Fit) and one.heat[0]:
                found.setdefault(one.heat[0], []).append((name, one.heat[1]))
        return found

    # -- the way to values -------------------------------------------------------------------------------------------

    def values(self, u: np.ndarray) -> np.ndarray:
        """Values (n, d) of independent probabilities (n, d)."""
        if self.independent:
            return self.heated(np.column_stack([one.at(u[:, k]) for k, one in enumerate(self.inputs.values())]))
        from scipy.special import ndtri

        from .distributions import inside

        return self.of_scores(ndtri(inside(u)))

    def of_scores(self, z: np.ndarray) -> np.ndarray:
        """Values of independent standard normal scores."""
        y = z @ self.L.T
        return self.heated(np.column_stack([one.of_scores(y[:, k]) for k, one in enumerate(self.inputs.values())]))

    def slopes(self, z: np.ndarray) -> np.ndarray:
        """dx/dz (d, d) at one point of scores: marginal slopes phi(z')/f(x), the copula, and heat."""
        y = self.L @ z
        x = np.array([float(one.of_scores(y[k : k + 1])[0]) for k, one in enumerate(self.inputs.values())])
        pdf = np.exp(-0.5 * y * y) / np.sqrt(2.0 * np.pi)
        f = np.array([float(one.density(x[k : k + 1])[0]) for k, one in enumerate(self.inputs.values())])
        own = np.divide(pdf, f, out=np.zeros_like(pdf), where=f > 0.0)
        return self.heat_matrix @ (own[:, None] * self.L)

    @property
    def heat_matrix(self) -> np.ndarray:
        """What inputs become of what was drawn: the identity, and heat in the lines of fits."""
        out = np.eye(len(self))
        for heater, fits in self.heaters.items():
            for name, rate in fits:
                out[self.names.index(name), self.names.index(heater)] = rate
        return out

    def heated(self, drawn: np.ndarray) -> np.ndarray:
        """Values (n, d) that the model sees, of values as drawn: fits are wider by heat."""
        return drawn @ self.heat_matrix.T if self.heaters else drawn

    def drawn(self, seen: np.ndarray) -> np.ndarray:
        """The way back: what each input varied by itself."""
        return np.asarray(np.linalg.solve(self.heat_matrix, seen.T).T) if self.heaters else seen

    @property
    def closing(self) -> tuple[int, ...]:
        """Places of fits that close their joint where the pin is larger than the hole."""
        known = enumerate(self.inputs.values())
        return tuple(k for k, one in known if isinstance(one, Fit) and one.interference == "ideal")

    def opened(self, x: np.ndarray) -> np.ndarray:
        """The same values with gaps that a model takes, where fits may close their joint."""
        out = np.array(x, float)
        out[list(self.closing)] = np.maximum(out[list(self.closing)], OPEN)
        return out

    def box(self, tail: float) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value of each input, heated, but for a probability in the tails."""
        pairs = []
        for one in self.inputs.values():
            ends, far = one.support, one.at(np.array([tail, 1.0 - tail]))
            pairs.append([float(end) if np.isfinite(end) else float(x) for end, x in zip(ends, far, strict=True)])
        low, high = np.array(pairs).T
        H = self.heat_matrix
        more, less = np.maximum(H, 0.0), np.minimum(H, 0.0)
        return self.opened(more @ low + less @ high), more @ high + less @ low

    # -- moments and limits ------------------------------------------------------------------------------------------

    @property
    def means(self) -> np.ndarray:
        """Mean of each input, heated."""
        return self.heat_matrix @ np.array([one.mean for one in self.inputs.values()])

    @property
    def nominal(self) -> np.ndarray:
        """What a drawing aims at, heated."""
        return self.heat_matrix @ np.array([one.nominal for one in self.inputs.values()])

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of the values as drawn.

        Of a correlated pair, with Hermite coefficients a and b of x(z) of both, sum a_n b_n rho^n (Mehler 1866); of
        normal numbers that is rho times the product of their sigmas.
        """
        out = np.diag([one.sigma**2 for one in self.inputs.values()])
        if self.independent:
            return out
        waves = np.array([_hermite(one) for one in self.inputs.values()])
        order = np.arange(1, HERMITE + 1)
        for i, j in combinations(range(len(self)), 2):
            out[i, j] = out[j, i] = np.sum(waves[i] * waves[j] * self.R[i, j] ** order)
        return out

    def limits(self) -> np.ndarray:
        """Least and greatest value (2, d) that drawings allow; radial gaps of fits."""
        pairs = [one.gaps if isinstance(one, Fit) else one.limits for one in self.inputs.values()]
        return np.array(pairs, float).T

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        return {name: one.tree() for name, one in self.inputs.items()}

    def pairs(self) -> list[list[Any]]:
        """Correlations as in a model file."""
        return [[*pair, float(rho)] for pair, rho in self.correlations.items()]

    # -- what can be wrong -------------------------------------------------------------------------------------------

    def _heat_problems(self) -> list[Problem]:
        return [
            Problem(
                f"vary: {fits[0][0]}", f"is heated by '{heater}', which does not vary{suggest(heater, self.inputs)}"
            )
            for heater, fits in self.heaters.items()
            if heater not in self.inputs
        ]

    def _matrix(self) -> tuple[np.ndarray, list[Problem]]:
        R, problems = np.eye(len(self.inputs)), []
        names = list(self.inputs)
        for pair, rho in self.correlations.items():
            field = f"correlations: {', '.join(pair)}"
            unknown = [name for name in pair if name not in names]
            if len(pair) != 2 or pair[0] == pair[1]:
                problems.append(Problem(field, 'needs two different inputs, as in {("a", "b"): 0.5}'))
            elif unknown:
                problems.append(Problem(field, f"'{unknown[0]}' does not vary{suggest(unknown[0], names)}"))
            elif pair[::-1] in self.correlations and self.correlations[pair[::-1]] != rho:
                problems.append(Problem(field, f"is given twice, as {rho!r} and {self.correlations[pair[::-1]]!r}"))
            elif isinstance(rho, bool) or not isinstance(rho, int | float) or not -1.0 < rho < 1.0:
                problems.append(Problem(field, f"needs a number between -1 and 1, not {rho!r}"))
            else:
                a, b = (names.index(name) for name in pair)
                R[a, b] = R[b, a] = rho
        if not problems and self.correlations and np.linalg.eigvalsh(R)[0] <= 1e-12:
            problems.append(
                Problem(
                    "correlations",
                    "cannot hold together: their matrix is not positive definite (its least eigenvalue is "
                    f"{np.linalg.eigvalsh(R)[0]:.3g}); make some of them weaker",
                )
            )
        return R if not problems else np.eye(len(self.inputs)), problems


def _hermite(one: Input) -> np.ndarray:
    """Coefficients 1 .. HERMITE of x(z) in normalised Hermite polynomials."""
    z = np.linspace(-8.0, 8.0, 8001)
    weight = np.exp(-0.5 * z * z)
    weight /= weight.sum()
    x = one.of_scores(z)
    x, before, now = x - weight @ x, np.ones_like(z), z
    out = []
    for n in range(1, HERMITE + 1):
        out.append(weight @ (x * now))
        before, now = now, (z * now - np.sqrt(n) * before) / np.sqrt(n + 1)
    return np.array(out)
