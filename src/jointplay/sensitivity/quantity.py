"""A quantity by its public name as a function of the flat line of channels that a run records.

    x = sum of channels             "slider.velocity[0]", "B.force", "energy.potential"
    x = |sum of channels|           "|B.force|", with dx = x . d / |x|

so that derivatives of channels become derivatives of quantities, and weights on quantities weights on channels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..codes import Code, Outcome
from ..results.layout import Layout
from ..results.sink import cut
from ..results.solution import DERIVED, Solution


@dataclass(frozen=True, eq=False)
class Quantity:
    """Which channels make a quantity, and how."""

    name: str
    unit: str
    places: np.ndarray  # (parts, *shape) indices of channels; parts are added
    magnitude: bool = False
    vector: bool = False  # the last axis of the shape holds components of a vector, of which a magnitude is the norm

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one instant."""
        inner = self.places.shape[1:]
        return inner[:-1] if self.magnitude and self.vector else inner

    def _sum(self, channels: np.ndarray) -> np.ndarray:
        return np.asarray(channels[:, self.places].sum(axis=1))

    def _direction(self, channels: np.ndarray) -> np.ndarray:
        """x / |x|; zero where x vanishes, where the magnitude has no derivative."""
        x = self._sum(channels)
        size = np.linalg.norm(x, axis=-1, keepdims=True) if self.vector else np.abs(x)
        return np.divide(x, size, out=np.zeros_like(x), where=size > 0.0)

    def value(self, channels: np.ndarray) -> np.ndarray:
        """The quantity (nt, *shape) from all channels (nt, nc)."""
        x = self._sum(channels)
        if not self.magnitude:
            return x
        return np.asarray(np.linalg.norm(x, axis=-1)) if self.vector else np.abs(x)

    def change(self, channels: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Its derivative from the derivatives of the channels."""
        dx = self._sum(change)
        if not self.magnitude:
            return dx
        along = self._direction(channels) * dx
        return np.asarray(along.sum(axis=-1)) if self.vector else along

    def weigh(self, channels: np.ndarray, weight: np.ndarray, onto: np.ndarray) -> None:
        """Add to weights on channels ``onto`` (nt, nc) what weights (nt, *shape) on the quantity mean."""
        if self.magnitude:
            along = self._direction(channels)
            weight = along * (weight[..., None] if self.vector else weight)
        for part in self.places:
            np.add.at(onto.T, part, np.moveaxis(weight, 0, -1))


class Names:
    """All quantities of a layout."""

    def __init__(self, layout: Layout) -> None:
        # A solution whose every channel holds its own number: what it answers are places.
        numbers = np.arange(layout.channels, dtype=float)[None, :]
        outcome = Outcome.of(Code.DONE, 0.0)
        self._probe = Solution(
            layout=layout, time=np.zeros(1), data=cut(numbers, layout), outcome=outcome, stats={}, meta={}, state=None
        )

    @property
    def known(self) -> list[str]:
        """All public names."""
        return self._probe.names

    def find(self, name: str) -> Quantity:
        """The quantity called ``name``; KeyError with a sentence if there is none."""
        magnitude = len(name) > 2 and name[0] == name[-1] == "|"
        inner = name[1:-1] if magnitude else name
        if inner == "time":
            raise KeyError("the time of saved instants does not depend on parameters")
        base, component = Solution._split(inner)
        parts = DERIVED[base][1] if base in DERIVED else (base,)
        index = "" if component is None else f"[{component}]"
        places = np.array([self._probe[f"{part}{index}"][0] for part in parts]).astype(np.intp)
        vector = component is None and base not in DERIVED and self._probe._find(base)[0].width > 1
        return Quantity(name, self._probe.units[inner], places, magnitude, vector)
