"""Where exact derivatives end at a compliant contact: damping that depends on the speed with which the contact began.

Laws with hysteresis damping (laws/hysteresis.py) remember that speed. Tangents do not follow how it changes with the
parameters, so from the first such onset on they leave something out. Contacts that begin slower than ``v_floor`` are
damped as if they had that speed, and harmless.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import ONSET, ONSETS, PAD_SLOTS, State, Work
from ..compile.pack import Compiled

FINE = 32  # steps between two looks, so that the instant is known


def damped_above(law: Any) -> float:
    """Speed of onset above which a contact law depends on it; infinity if it never does."""
    law = getattr(law, "contact", law)  # inside of another one
    law = getattr(law, "hard", law)  # of a blended law
    damping = getattr(law, "damping_factor", None)
    return float(getattr(law, "v_floor", 0.0)) if damping is not None and damping() != 0.0 else np.inf


class Watch:
    """Looks at a run now and then, until a contact has begun whose damping depends on the speed of onset."""

    def __init__(self, compiled: Compiled) -> None:
        laws = [compiled.interactions[int(pad["relation"])].law.soft() for pad in compiled.model.pad]  # type: ignore[union-attr]
        self.above = np.array([damped_above(soft.contact) for soft in laws])  # type: ignore[union-attr]
        self.first, self.names = int(compiled.model.info[0]["pads"]), compiled.pads
        self.waits = bool(np.isfinite(self.above).any())
        self.invalid: list[tuple[float, str]] = []
        self.time, self.onsets, self.speeds = 0.0, 0.0, self._speeds(compiled.state)

    def _speeds(self, state: State) -> np.ndarray:
        return np.array(state.memory[self.first :][ONSET::PAD_SLOTS][: len(self.above)])

    def steps(self, usual: int) -> int:
        """How many steps to take before the next look."""
        return min(usual, FINE) if self.waits else usual

    def look(self, state: State, work: Work) -> None:
        """See what has begun since the last look."""
        if not self.waits:
            return
        speeds, onsets = self._speeds(state), float(work.tally[ONSETS])
        new = (speeds > 0.0) & (speeds != self.speeds)
        begun = np.flatnonzero(new & (speeds > self.above))
        gone = onsets - self.onsets > np.sum(new)  # began and ended in between
        if len(begun) or gone:
            name = self.names[int(begun[0])] if len(begun) else "a compliant contact"
            reason = f"{name} begins here: its damping depends on the speed of onset, which is not followed"
            self.invalid.append((self.time, f"{reason}; differences of runs do"))
            self.waits = False
        self.time, self.onsets, self.speeds = float(state.clock[0]["t"]), onsets, speeds
