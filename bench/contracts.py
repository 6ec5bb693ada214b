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

    @property
    def sentence(self) -> str:
        """The first sentence of the message, for a table."""
        return str(self).split(". ")[0]


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


@dataclass(frozen=True)
class GuideRun:
    """P2, P5: what one run gave, at 0 and after every so many steps."""

    seconds: float
    steps: int
    crank: np.ndarray  # rad
    height: np.ndarray  # m, of the slider's centre above the middle of the guide
    turn: np.ndarray  # rad, of the slider


@dataclass(frozen=True)
class GuideEntry:
    """P2, P5: one engine with one scheme."""

    engine: str
    scheme: str
    leaves_out: str
    run: Callable[[float, int], GuideRun]  # gap (m), steps between two samples; safe in several threads if fleet > 0
    fleet: int  # runs that P5 asks for, enough to time them; 0 to stay out
    together: Callable[[np.ndarray, int], tuple[float, np.ndarray]] | None = None  # gaps, threads: s, crank at the end

    @property
    def name(self) -> str:
        """Engine and scheme, as printed."""
        return f"{self.engine} {self.scheme}"


@dataclass(frozen=True)
class JournalRun:
    """P3: what one run gave, at 0 and every sample."""

    seconds: float
    steps: int
    angle: np.ndarray  # rad, of the pendulum, negative below the horizontal
    eccentricity: np.ndarray  # m, distance of the centre of the hole from that of the pin


@dataclass(frozen=True)
class JournalEntry:
    """P3: one engine with one scheme."""

    engine: str
    scheme: str
    leaves_out: str
    run: Callable[[], JournalRun]
    pin_on_body: bool = False  # True where pin and hole have changed places, for which there is a truth of its own

    @property
    def name(self) -> str:
        """Engine and scheme, as printed."""
        return f"{self.engine} {self.scheme}"


def step_ladder(counts: tuple[int, ...], sample: float) -> tuple[Setting, ...]:
    """Rungs of a fixed-step scheme: ``counts`` steps between two samples."""
    return tuple(Setting(f"h = {sample / count:.3g} s", count) for count in counts)
