"""Inputs that were measured: a list of values, or a column of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .distributions import Input, alike, read, refuse


class Measured(Input):
    """The values of a list, of a column of numbers in a text file, or of texts with a unit.

    Between two neighbours every value counts alike, so that a study does not repeat the measured parts but makes more
    of their kind. ``unit`` is that of plain numbers.
    """

    word = "measured"

    def __init__(self, values: Sequence[float | str] | str | Path, unit: str = "") -> None:
        from ..quantities.units import dimension_of, unit_factor

        raw = _column(Path(values)) if isinstance(values, str | Path) else list(values)
        if len(raw) < 2:
            raise refuse("Measured", f"needs at least two values, got {len(raw)}")
        if unit and not all(isinstance(one, str) for one in raw):
            try:
                factor, self.dimension = unit_factor(unit), dimension_of(unit)
            except ValueError as error:
                raise refuse("Measured: unit", str(error)) from None
            found = factor * np.array(raw, float)
        else:
            named, self.dimension = read("Measured", **{f"[{k}]": one for k, one in enumerate(raw)})
            found = np.array(list(named.values()))
        if not np.all(np.isfinite(found)):
            raise refuse("Measured", "needs finite numbers")
        self.values = np.sort(found)
        if not self.values[0] < self.values[-1]:
            raise refuse("Measured", "all values are the same: nothing varies")
        n = len(self.values) - 1
        pairs = self.values[:-1], self.values[1:]
        self.mean = float(np.sum(0.5 * (pairs[0] + pairs[1])) / n)
        square = float(np.sum((pairs[0] ** 2 + pairs[0] * pairs[1] + pairs[1] ** 2) / 3.0) / n)
        self.sigma = float(np.sqrt(max(square - self.mean**2, 0.0)))

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest."""
        return float(self.values[0]), float(self.values[-1])

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values of probabilities."""
        return np.interp(u, np.linspace(0.0, 1.0, len(self.values)), self.values)

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x; where several are equal, that of the last."""
        share = np.linspace(0.0, 1.0, len(self.values))
        distinct, first = np.unique(self.values[::-1], return_index=True)
        return np.interp(x, distinct, share[::-1][first])

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit, constant between neighbours that differ."""
        n = len(self.values) - 1
        k = np.clip(np.searchsorted(self.values, x, side="right") - 1, 0, n - 1)
        width = np.maximum(self.values[k + 1] - self.values[k], 1e-300)
        return np.where((x < self.values[0]) | (x > self.values[-1]), 0.0, 1.0 / (n * width))

    def halved(self) -> Measured:
        """The same deviations from the mean, halved."""
        return alike(self, Measured((0.5 * (self.values + self.mean)).tolist()))

    def words(self, show: Callable[[float], str]) -> str:
        """In a few words."""
        return f"measured, {len(self.values)} values, {show(self.limits[0])} to {show(self.limits[1])}"

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        unit = {} if self.dimension is None else {"unit": str(self.dimension)}
        return {"measured": {"values": self.values.tolist(), **unit}}


def _column(path: Path) -> list[float]:
    """Numbers of a text file, one per line; a first line of words is its head."""
    try:
        lines = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise refuse("Measured", f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    found = []
    for n, text in enumerate(lines):
        try:
            found.append(float(text.rstrip(",;")))
        except ValueError:
            if n:
                raise refuse("Measured", f"{path} has '{text}' where a number should be") from None
    return found
