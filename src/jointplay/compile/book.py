"""Laws of a model while it is packed: records, and their numbers one after the other."""

from __future__ import annotations

import numpy as np

from ..arrays import INDEX
from ..laws.base import Law
from ..laws.registry import kind_and_numbers


class LawBook:
    """Laws of a model while it is packed: records, and their numbers one after the other."""

    def __init__(self, earlier: LawBook | None = None) -> None:
        """Begin with none; kernels and numbers of laws that an ``earlier`` book has too are looked up there."""
        self.records: list[tuple[int, int, int, int, int]] = []
        self.numbers: list[float] = []
        self.inner = 0
        # by the id of a law, which is kept so that no other can have its id
        self.known: dict[tuple[int, str], tuple[Law, int, tuple[float, ...]]] = {}
        self.earlier = earlier.known if earlier else {}

    def add(self, law: Law, family: str = "force") -> np.uint32:
        """Enter a law; its number."""
        key = id(law), family
        self.known[key] = self.earlier.get(key) or (law, *kind_and_numbers(law, family))
        _, kind, numbers = self.known[key]
        self.records.append((kind, self.inner, law.inner, len(self.numbers), len(numbers)))
        self.numbers += numbers
        if family != "contact":  # whose states belong to each wall
            self.reserve(law.inner)
        return INDEX(len(self.records) - 1)

    def reserve(self, states: int) -> int:
        """Room for inner states; the place of the first."""
        self.inner += states
        return self.inner - states
