"""A block: what several samples gave, as arrays; what workers send back and files take."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..codes import Code
from .status import Row, sentence

MOST_MESSAGES = 16  # sentences that are kept of one block


@dataclass
class Block:
    """Results of samples, one line each."""

    values: np.ndarray  # (n, outputs)
    code: np.ndarray  # (n,) int16
    time: np.ndarray  # (n,) s
    culprit: np.ndarray  # (n,) int16, place in the list of culprits or -1
    detail: np.ndarray  # (n,)
    impacts: np.ndarray  # (n,) int32
    order: np.ndarray  # (n,) int64
    gradients: np.ndarray | None = None  # (n, outputs, inputs)
    messages: dict[int, str] = field(default_factory=dict)  # sentences of some that failed
    seconds: float = 0.0  # of wall time

    @staticmethod
    def empty(count: int, outputs: int, inputs: int = 0) -> Block:
        """Room for so many samples; ``inputs`` where gradients are kept."""
        return Block(
            np.full((count, outputs), np.nan),
            np.full(count, -1, dtype=np.int16),
            np.zeros(count),
            np.full(count, -1, dtype=np.int16),
            np.zeros(count),
            np.zeros(count, dtype=np.int32),
            np.zeros(count, dtype=np.int64),
            np.full((count, outputs, inputs), np.nan) if inputs else None,
        )

    def put(self, k: int, row: Row, culprits: dict[str, int]) -> None:
        """Take one sample in."""
        self.values[k], self.code[k], self.time[k], self.detail[k] = row.values, row.code, row.time, row.detail
        self.impacts[k], self.order[k] = row.impacts, row.order
        self.culprit[k] = culprits.get(row.culprit, -1)
        if self.gradients is not None and row.gradient is not None:
            self.gradients[k] = row.gradient
        if row.code != Code.DONE and len(self.messages) < MOST_MESSAGES:
            self.messages[k] = sentence(row.code, row.time, row.culprit, row.detail, row.message)

    @property
    def ok(self) -> np.ndarray:
        """True for samples that have values."""
        return np.asarray(self.code == Code.DONE)
