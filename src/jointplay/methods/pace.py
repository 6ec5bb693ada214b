"""Steps that follow functions of time: loads and drives do not enter an error estimate that never looks at them.

A pulse of force may begin and end within one step of a body at rest, and a table may vibrate ten times in it. So the
step is halved until each function of time f is, over the step, what its value and two derivatives at the start give:

    |f(t + x h) - T| <= ALIKE |f(t + x h) - f - f' x h|,    T = f + f' x h + f'' (x h)^2 / 2,    x = 1/4, 1/2, 3/4, 1

where the right side, the bend of f, is more than FAINT of f; and no step is longer than sqrt(|f / f''|), which shows
a pulse by its tail. Functions that do not bend (constants, w t) set no limit. One that sleeps at zero and acts for less
than a 64th of a step is missed: give such a step an ``h_max``.
"""

from __future__ import annotations

import numpy as np

from ..arrays import NONE
from ..numerics.jit import jit
from ..numerics.signals import evaluate_signal

ALIKE = 0.3
FAINT = 1e-7
SAMPLES = 4
ASLEEP = 64  # of a function that is zero at the start: nothing there shows what it will do
HALVINGS = 30
TINY = 1e-200  # what underflow leaves of a tail


@jit
def pace_of(model, signal, t, h, work):
    """Longest step up to h that follows a function of time."""
    s, code, number, stack = model.signal[signal], model.code, model.number, work.stack
    f, f1, f2 = evaluate_signal(s, code, number, stack, t)
    if abs(f) > TINY and f2 != 0.0:
        h = min(h, np.sqrt(abs(f / f2)))
    samples = ASLEEP if abs(f) + abs(f1) + abs(f2) <= TINY else SAMPLES
    for _ in range(HALVINGS):
        follows = True
        for m in range(samples):
            x = h * (m + 1) / samples
            g, _, _ = evaluate_signal(s, code, number, stack, t + x)
            bend = abs(g - f - f1 * x)
            off = abs(g - f - f1 * x - 0.5 * f2 * x * x)
            if bend > FAINT * (abs(f) + abs(g)) + TINY and off > ALIKE * bend:
                follows = False
        if follows:
            break
        h *= 0.5
    return h


@jit
def follow_signals(model, t, h, work):
    """Longest step up to h that follows all loads and drives."""
    for k in range(len(model.load)):
        for m in range(3):
            if model.load[k].signal[m] != NONE:
                h = pace_of(model, model.load[k].signal[m], t, h, work)
    for k in range(len(model.driven)):
        h = pace_of(model, model.row[model.driven[k]].target, t, h, work)
    return h
