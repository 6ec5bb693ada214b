"""Instants at which functions of time jump and which move with parameters: where this is not followed.

Recorded steps that end at such an instant carry it on (tangent/jumping.py), if forces and rates of states jump there.
Steps of a given size pass over it: their derivatives, and the runs that differences compare, know nothing of how it
moves. Nor does anything exact know how velocities jump where a drive changes its speed at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import NONE
from ..compile.pack import Compiled
from ..methods.base import Method
from ..numerics.signals import SENSED, evaluate_signal, signal_stack
from .variation import Variation

SIDE = 1e-14  # relative: how far from the instant both sides are looked at
SIZE = 1e-9  # of the value: a smaller difference is none
SPEED, ACCELERATION, FORCE = "the speed of a drive", "the acceleration of a drive", "a force"


def steps_to_breaks(scheme: Method, length: float) -> bool:
    """True if steps end where functions of time are not smooth."""
    return not scheme.settings(length)[0]["step"] > 0.0


def jumps_until(compiled: Compiled, end: float) -> list[tuple[int, str]]:
    """Breaks before ``end`` at which something jumps, and what."""
    model = compiled.model
    drives = {int(model.row[r]["target"]) for r in model.driven}
    pushes = {int(s) for one in model.load for s in one["signal"]}
    pushes |= {int(s) for s in model.row["target"]} | {int(one["rate"]) for one in model.state}
    found = []
    for k in np.flatnonzero(model.breaks < end):
        t = float(model.breaks[k])
        jumps = {s: _jumps(compiled, s, t) for s in (drives | pushes) - {NONE}}
        if any(jumps[s][:2].any() for s in drives):
            found.append((int(k), SPEED))
        elif any(jumps[s][2] for s in drives):
            found.append((int(k), ACCELERATION))
        elif any(jumps[s][0] for s in pushes - drives - {NONE}):
            found.append((int(k), FORCE))
    return found


def _jumps(compiled: Compiled, s: int, t: float) -> np.ndarray:
    """Whether f, f' and f'' of a signal jump; what it senses may have any value."""
    model = compiled.model
    stack = signal_stack(float, len(model.sense))
    stack[SENSED:, 0] = np.random.default_rng(20240229).uniform(0.5, 1.5, len(model.sense))
    record = model.signal.view(np.recarray)[s]
    sides = (t * (1.0 - SIDE), t * (1.0 + SIDE))
    with np.errstate(all="ignore"):
        early, late = (np.array(evaluate_signal(record, model.code, model.number, stack, at)) for at in sides)
        size = np.maximum(np.abs(early), np.abs(late))
        drift = 4.0 * SIDE * t * np.append(size[1:], 0.0)
        return np.asarray(~(np.abs(late - early) <= SIZE * size + drift))


def not_followed(
    compiled: Compiled, variations: Sequence[Variation], scheme: Method, end: float, exact: bool
) -> list[tuple[float, str]]:
    """From when on derivatives are not valid, and why."""
    steps = steps_to_breaks(scheme, float(compiled.model.info[0]["length"]))
    followed = steps and (not exact or scheme.recorder is not None)
    moving = [one for one in variations if np.any(one.model.breaks != 0.0)]
    found = []
    for k, what in jumps_until(compiled, end) if moving else []:
        for one in moving:
            if one.model.breaks[k] == 0.0 or (followed and not (exact and what == SPEED)):
                continue
            who = type(scheme).__name__
            why = f"exact derivatives along {who} do not follow that" if steps else f"{who} does not end a step there"
            able = "'differences' along Explicit do" if what == SPEED else "Explicit does"
            reason = f"{one.name}: {what} jumps at an instant that moves with it, and {why}; {able}"
            found.append((float(compiled.model.breaks[k]), reason))
    return found
