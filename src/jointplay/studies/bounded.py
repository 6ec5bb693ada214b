"""Inputs between two ends: uniform and triangular."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .distributions import Input, alike, read, refuse


class Uniform(Input):
    """Every value from low to high alike."""

    word = "uniform"

    def __init__(self, low: float | str, high: float | str) -> None:
        found, self.dimension = read("Uniform", low=low, high=high)
        self.low, self.high = found["low"], found["high"]
        if not self.low < self.high:
            raise refuse("Uniform", f"low {self.low:g} must lie below high {self.high:g}")
        self.mean, self.sigma = 0.5 * (self.low + self.high), (self.high - self.low) / np.sqrt(12.0)

    @property
    def limits(self) -> tuple[float, float]:
        """Its ends."""
        return self.low, self.high

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values of probabilities."""
        return self.low + (self.high - self.low) * np.asarray(u)

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x."""
        return np.clip((np.asarray(x) - self.low) / (self.high - self.low), 0.0, 1.0)

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit."""
        return np.where((x >= self.low) & (x <= self.high), 1.0 / (self.high - self.low), 0.0)

    @property
    def poincare(self) -> float:
        """Of the cosine with half a wave over the width, which no other function exceeds."""
        return float((self.high - self.low) ** 2 / np.pi**2)

    def halved(self) -> Uniform:
        """The same with half the width, about the same middle."""
        quarter = 0.25 * (self.high - self.low)
        return alike(self, Uniform(self.mean - quarter, self.mean + quarter))

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        return {"uniform": [self._text(self.low), self._text(self.high)]}


class Triangular(Input):
    """From low straight up to the most likely value and straight down to high."""

    word = "triangular"

    def __init__(self, low: float | str, mode: float | str, high: float | str) -> None:
        found, self.dimension = read("Triangular", low=low, mode=mode, high=high)
        self.low, self.mode, self.high = found["low"], found["mode"], found["high"]
        if not (self.low <= self.mode <= self.high and self.low < self.high):
            order = f"{self.low:g}, {self.mode:g}, {self.high:g}"
            raise refuse("Triangular", f"low, most likely and high must rise: {order}")
        a, c, b = self.low, self.mode, self.high
        self.mean = (a + b + c) / 3.0
        self.sigma = float(np.sqrt((a * a + b * b + c * c - a * b - a * c - b * c) / 18.0))

    @property
    def limits(self) -> tuple[float, float]:
        """Its ends."""
        return self.low, self.high

    @property
    def nominal(self) -> float:
        """The most likely value."""
        return self.mode

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values of probabilities."""
        u = np.asarray(u)
        a, c, b = self.low, self.mode, self.high
        rising = a + np.sqrt(u * (b - a) * (c - a))
        falling = b - np.sqrt((1.0 - u) * (b - a) * (b - c))
        return np.where(u * (b - a) < c - a, rising, falling)

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x."""
        a, c, b = self.low, self.mode, self.high
        x = np.clip(x, a, b)
        rising = (x - a) ** 2 / ((b - a) * (c - a)) if c > a else np.zeros_like(x)
        falling = 1.0 - (b - x) ** 2 / ((b - a) * (b - c)) if b > c else np.ones_like(x)
        return np.where(x < c, rising, falling)

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit."""
        a, c, b = self.low, self.mode, self.high
        x = np.asarray(x)
        rising = 2.0 * (x - a) / ((b - a) * (c - a)) if c > a else np.zeros_like(x)
        falling = 2.0 * (b - x) / ((b - a) * (b - c)) if b > c else np.zeros_like(x)
        return np.where((x < a) | (x > b), 0.0, np.where(x < c, rising, falling))

    def halved(self) -> Triangular:
        """Half the width about the most likely value."""
        a, c, b = self.low, self.mode, self.high
        return alike(self, Triangular(0.5 * (a + c), c, 0.5 * (b + c)))

    def words(self, show: Callable[[float], str]) -> str:
        """In a few words."""
        return f"{super().words(show)}, most likely {show(self.mode)}"

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        return {"triangular": [self._text(one) for one in (self.low, self.mode, self.high)]}
