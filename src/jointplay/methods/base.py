"""What a method is: it advances a State and knows neither joints nor laws.

A method file has a frozen dataclass (options, declared order, regimes that it takes), a step kernel and a run kernel

    run(model, state, work, record, settings) -> Code

which goes on until ``record`` is full, ``settings.budget`` steps are done, or it fails. Python writes chunks, shows
progress and takes Ctrl-C between calls. The contract of a run kernel:

1. State is only ever a complete accepted state: a run continued from it repeats the same bits.
2. Steps are not cut at save times or at the end; saved states are interpolated, projected and evaluated.
3. Saved states satisfy the closed rows to ``settings.tolerance``; the worst residuals go to ``work.tally``.
4. Nothing is allocated; nothing is printed; a failure is a Code with tally[DETAIL] and tally[CULPRIT] set.

Steps for a new method: write its file; add it to ``REGISTRY``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

from ..arrays import Model
from ..codes import Regime
from ..laws.base import Law
from ..native.kernel import interpreted
from .tape import Recorder

settings_dtype = np.dtype(
    [
        ("rtol", np.float64),
        ("atol", np.float64),
        ("step", np.float64),  # s, fixed step; 0 for a controlled one
        ("h_max", np.float64),  # s
        ("h_min", np.float64),  # s
        ("located", np.int64),  # 1: impacts are located in time; 0: contacts act over whole steps
        ("extrapolate", np.int64),  # 1: a controlled step is improved by the one that judges it
        ("threshold", np.float64),  # m or rad, penetration with which a compliant contact may begin; 0: not located
        ("tolerance", np.float64),  # m, of the closed rows
        ("closing", np.float64),  # m, residual of joints and held contacts that a step of Moreau may leave behind
        ("budget", np.int64),  # steps in one call
        ("peaks", np.int64),  # extremes that are kept over all steps (methods/peaks.py)
        ("extra", np.int64),  # iterations beyond convergence: a complex step needs some for its imaginary part
    ],
    align=True,
)

CLOSING = 2.5e-10  # of the size of the mechanism
BOTH = frozenset({Regime.BILATERAL, Regime.FORCE})


class Method:
    """Base of all methods; see the module's text for the contract."""

    key: ClassVar[str]  # name in model files and on the command line
    order: ClassVar[int]  # of the global error, on smooth motion
    regimes: ClassVar[frozenset[Regime]]
    run: ClassVar[Callable[..., Any]]
    stages: ClassVar[int] = 0  # lines of Work.stage that it needs beyond the common ones
    implicit: ClassVar[bool] = False  # needs a matrix in Work
    recorder: ClassVar[Recorder | None] = None  # how its steps are recorded for derivatives (methods/tape.py)

    def __repr__(self) -> str:
        """Exact: a method made from it takes the same steps. Options left at "chosen by the method" are not shown."""
        options = [(one, getattr(self, one.name)) for one in fields(self)]  # type: ignore[arg-type]
        return self.written(
            one.name
            for one, value in options
            if value != one.default or (value not in (0.0, np.inf) and not isinstance(value, bool))
        )

    def written(self, names: Iterable[str]) -> str:
        """The method with these options, numbers to their last digit."""
        values = ((name, getattr(self, name)) for name in names)
        shown = (f"{name}={float(one) if isinstance(one, float) else one!r}" for name, one in values)
        return f"{type(self).__name__}({', '.join(shown)})"

    def objection(self, law: Law) -> str:
        """Why a law of a regime that the method takes does not suit it after all; nothing if it does."""
        return ""

    def prepare(self, model: Model) -> None:
        """Write into a compiled model what the method wants to be done in its own way."""

    def differentiated(self) -> Method:
        """The form of the method that exact derivatives go through: itself by default."""
        return self

    def settings(self, length: float) -> np.ndarray:
        """The record that the run kernel reads; ``length`` is the size of the mechanism in m."""
        record = np.zeros(1, dtype=settings_dtype)
        for name in ("rtol", "atol", "step", "h_max", "h_min", "threshold"):
            if hasattr(self, name):
                record[0][name] = getattr(self, name)
        record[0]["tolerance"] = 1e-12 * length
        record[0]["closing"] = CLOSING * length
        return record.view(np.recarray) if interpreted() else record
