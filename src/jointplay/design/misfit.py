r"""Residuals of a model against measurements, and their Jacobian, at the very instants of the data.

.. math::  r_i(p) = \frac{y(t_i; p) - d_i}{\sigma_i},
    \qquad J_{ik} = \frac{1}{\sigma_i} \frac{\partial y}{\partial p_k}(t_i).

Runs save at the union of all times of the channels, so that nothing is interpolated. A run that failed has infinite
residuals, from which the search steps back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from .data import Channel
from .runs import Point, Runs
from .variables import Variables

NORMAL = 1.4826  # standard deviation of a normal distribution over its median absolute deviation
NEAR = 1e-3  # of its scale: a parameter this near to a bound may be held by it
PUSH = 1e-3  # cosine between residuals and their change that counts as a push
FLOOR = 1e-12  # of the spread of a channel: data without noise


class Misfit:
    """Weighted residuals over the variables; ``sigma`` (one array per channel) may be set anew between two searches."""

    def __init__(self, channels: Sequence[Channel], variables: Variables, instants: np.ndarray) -> None:
        self.channels, self.variables = list(channels), variables
        self.instants = instants
        self.places = [np.searchsorted(instants, one.times) for one in channels]
        self.count = sum(int(one.there.sum()) for one in channels)
        self.sigma: list[np.ndarray] = []

    def begin(self, runs: Runs) -> None:
        """Run the start and see that the data have the shape of what they measure."""
        self.runs = runs
        first = runs.at(self.variables.start)
        problems = []
        for one, history in zip(self.channels, first.values, strict=True):
            wanted = np.shape(history)[1:]
            if one.values.shape[1:] != wanted:
                parts = "one component" if not wanted else f"{wanted[0]} components"
                problems.append(
                    Problem(f"data[{one.name!r}]", f"has values {one.values.shape}, but {one.name} has {parts}")
                )
        if problems:
            raise InputError(problems)

    def raw(self, point: Point) -> list[np.ndarray]:
        """Model less data, by channel, in the unit of the channel; NaN where a measurement is missing."""
        return [
            np.asarray(history)[places] - one.values
            for one, places, history in zip(self.channels, self.places, point.values, strict=True)
        ]

    def weighted(self, point: Point) -> np.ndarray:
        """All residuals in standard deviations."""
        parts = zip(self.raw(point), self.sigma, self.channels, strict=True)
        return np.concatenate([(off / sigma)[one.there] for off, sigma, one in parts])

    def slopes(self, point: Point) -> np.ndarray:
        """Their derivatives by the parameters (n, m).

        Where one does not exist the line is zero: the measurement counts, but does not steer.
        """
        blocks = []
        for one, places, slope, sigma in zip(self.channels, self.places, point.slopes, self.sigma, strict=True):
            blocks.append((slope[:, places] / sigma)[:, one.there])
        lines = np.concatenate(blocks, axis=1).T
        return np.where(np.isfinite(lines).all(axis=1, keepdims=True), lines, 0.0)

    def blind(self, point: Point) -> int:
        """Measurements at which a derivative does not exist."""
        return sum(
            int((~np.isfinite(slope[:, places])).any(axis=0)[one.there].sum())
            for one, places, slope in zip(self.channels, self.places, point.slopes, strict=True)
        )

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """Residuals at a point of the search."""
        point = self.runs.at(self.variables.of(x))
        return self.weighted(point) if point.ok else np.full(self.count, np.inf)

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Jacobian at a point of the search."""
        return self.slopes(self.runs.at(self.variables.of(x))) * self.variables.scale

    def held(self, point: Point) -> dict[str, str]:
        """Parameters that a bound keeps from a smaller misfit, with "lower" or "upper".

        The search stays a little inside of its bounds, so that the slope decides.
        """
        off, slopes, variables = self.weighted(point), self.slopes(point), self.variables
        size = np.linalg.norm(slopes, axis=0) * np.linalg.norm(off)
        push = np.divide(off @ slopes, size, out=np.zeros(len(size)), where=size > 0.0)  # cosines
        near = NEAR * variables.scale
        low = (point.p - variables.low <= near) & (push > PUSH)
        high = (variables.high - point.p <= near) & (push < -PUSH)
        return {name: "lower" if low[k] else "upper" for k, name in enumerate(variables.names) if low[k] or high[k]}

    # -- noise -----------------------------------------------------------------------------------------------------

    def spread(self) -> list[np.ndarray]:
        """A first idea of the size of each channel: the spread of its data."""
        found = []
        for one in self.channels:
            values = one.values[one.there]
            size = float(np.std(values)) if len(values) else 0.0
            size = size or (float(np.max(np.abs(values))) if len(values) else 0.0) or 1.0
            found.append(np.full(one.values.shape, size))
        return found

    def noise(self, point: Point, *, robust: bool) -> list[np.ndarray]:
        """Standard deviation of each channel from its residuals; the lost degrees of freedom are shared by all."""
        share = 1.0 - len(self.variables.names) / self.count
        found = []
        for one, off, size in zip(self.channels, self.raw(point), self.spread(), strict=True):
            own = off[one.there]
            level = NORMAL * float(np.median(np.abs(own))) if robust else float(np.sqrt(np.mean(own**2)))
            found.append(np.maximum(np.full(off.shape, level / np.sqrt(share)), FLOOR * size))
        return found


def sigma_of(sigma: Any, channels: Sequence[Channel]) -> list[np.ndarray] | None:
    """Standard deviations as given: one number, or by name a number or an array like the data; None if unknown."""
    from collections.abc import Mapping

    from ..quantities.units import QuantityError, value_of

    if sigma is None:
        return None
    problems, found = [], []
    names = [one.name for one in channels]
    if not isinstance(sigma, Mapping):
        sigma = dict.fromkeys(names, sigma)
    problems += [Problem("sigma", f"there are no data of {name!r}") for name in sigma if name not in names]
    for one in channels:
        field = f"sigma[{one.name!r}]"
        if one.name not in sigma:
            problems.append(Problem(field, "is missing; give it for all data or for none"))
            continue
        raw = sigma[one.name]
        try:
            values = np.full(one.values.shape, value_of(raw).si) if np.ndim(raw) == 0 else np.asarray(raw, float)
        except (QuantityError, TypeError, ValueError) as error:
            problems.append(Problem(field, str(error)))
            continue
        if values.shape != one.values.shape:
            problems.append(Problem(field, f"has shape {values.shape}, the data have {one.values.shape}"))
        elif not np.all(values > 0.0):
            problems.append(Problem(field, "must be positive"))
        found.append(values)
    if problems:
        raise InputError(problems)
    return found
