"""What becomes of a sample: a row of numbers and a code; codes of runs (codes.py), and three more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..codes import Code, Outcome

REFUSED = 100  # the model cannot be built with these numbers
NOT_A_NUMBER = 101  # the run ended well, an output is not a finite number
FUNCTION_FAILED = 102  # a function of the user's raised an exception

WORDS = {
    REFUSED: "the model cannot be built with these values",
    NOT_A_NUMBER: "an output is not a finite number",
    FUNCTION_FAILED: "a function of the study failed",
}


@dataclass
class Row:
    """One sample."""

    values: np.ndarray
    code: int
    time: float  # s that the run reached
    culprit: str = ""
    detail: float = 0.0
    impacts: int = 0
    order: int = 0  # stands for the order of impacts
    message: str = ""  # what a file does not hold
    gradient: np.ndarray | None = None

    @staticmethod
    def failed(count: int, code: int, time: float, message: str = "") -> Row:
        """A sample that has no values."""
        return Row(np.full(count, np.nan), code, time, message=message)

    @property
    def ok(self) -> bool:
        """True if it has values."""
        return self.code == Code.DONE


def sentence(code: int, time: float, culprit: str, detail: float, message: str = "") -> str:
    """What a user reads about a sample."""
    if code in WORDS:
        return f"{WORDS[code]}: {message}" if message else WORDS[code]
    return Outcome.of(Code(code), time, detail=detail, where=culprit).message
