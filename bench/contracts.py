"""What an engine hands to a contest: how to run a problem, and what comes back.

``seconds`` is the wall time of the stepping loop alone: no model building, no compiling, no evaluation afterwards.
An engine that cannot run a size raises ``Refusal`` with the sentence that the table prints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


class Refusal(RuntimeError):
    """An engine cannot run what was asked; the message says why."""


@dataclass(frozen=True)
class Setting:
    """One rung of a ladder of accuracies: a label for people and the value that the engine's run takes."""

    label: str
    value: Any


@dataclass(frozen=True)
class SliderCrankRun:
    """P1: what one run gave."""

    seconds: float
    steps: int
    slider: np.ndarray  # m, at 0, sample, 2 sample, ... until


@dataclass(frozen=True)
class SliderCrankEntry:
    """P1: one engine with one scheme."""

    engine: str
    scheme: str
    leaves_out: str  # what the answer lacks, in a few words; empty if nothing
    ladder: tuple[Setting, ...]  # coarse to fine
    run: Callable[[Any], SliderCrankRun]
    millisecond: Setting | None  # the rung with h = 1e-3 s, where the step is fixed

    @property
    def name(self) -> str:
        """Engine and scheme, as printed."""
        return f"{self.engine} {self.scheme}"


@dataclass(frozen=True)
class ChainRun:
    """P4: what one run gave."""

    seconds: float
    steps: int
    ends: np.ndarray  # (links, 2) m, x and z of the far end of each link at the end of the run
    energy_start: float  # J
    energy_end: float
    kinetic_end: float


@dataclass(frozen=True)
class ChainEntry:
    """P4: one engine with one scheme and one kind of joint ("ball" or "hinge")."""

    engine: str
    scheme: str
    joint: str
    order: int  # of the scheme: decides the tolerance of the agreement check
    leaves_out: str
    run: Callable[[int, int], ChainRun]  # links, steps

    @property
    def name(self) -> str:
        """Engine, scheme and joint, as printed."""
        return f"{self.engine} {self.scheme} ({self.joint})"


def step_ladder(counts: tuple[int, ...], sample: float) -> tuple[Setting, ...]:
    """Rungs of a fixed-step scheme: ``counts`` steps between two samples."""
    return tuple(Setting(f"h = {sample / count:.3g} s", count) for count in counts)
