"""What a controlled step may contribute to the error of a run, and what changes of contacts contribute to it.

Each step gets its share of the tolerance by the time that it covers (methods/moreau.py). What a contact loses that
changes over at another instant than it should (methods/changeover.py) is a speed, felt as long as the motion lasts.
"""

from __future__ import annotations

from ..arrays import TOO_SOON
from ..numerics.jit import jit

IMPROVED_SHARE = 0.6  # of the tolerance: pairs of half steps that are improved
EVENT = 3e-6  # of the tolerance for a step, however short: friction that begins to hold is no smooth motion
UNSEEN = 1e-4  # of the tolerance: what a contact may lose that changes over at another instant, again and again
ROUNDING = 4e-16
INSTANT = 512.0  # roundings: what an instant can be resolved to, beside the time


@jit
def while_of(model, state):
    """How long the motion stays what it is (s): its largest speed over its largest acceleration, or over its size."""
    clock = state.clock[0]
    if clock.pull <= 0.0 or clock.speed <= 0.0:
        return 0.0
    return min(clock.speed / clock.pull, model.info[0].length / clock.speed)


@jit
def faintest(state):
    """Speed (m/s) that no step can resolve: what the largest acceleration does within roundings of the time."""
    clock = state.clock[0]
    return INSTANT * ROUNDING * max(clock.speed, clock.t * clock.pull)


@jit
def share_of(model, span, state):
    """Part of the tolerance that a step may use up."""
    t, h = span
    return max(h / (t + h + while_of(model, state)), EVENT)


@jit
def error_of_instants(model, span, state, settings, work):
    """Error of a step, relative to its share, by contacts and friction that change over at another instant than it."""
    lost = max(0.0, work.tally[TOO_SOON] - faintest(state))
    way = 3.0 * lost * max(span[1], while_of(model, state))
    place = settings.atol + settings.rtol * model.info[0].length
    if way <= UNSEEN * place:  # a contact that creeps turns about without end
        return 0.0
    return way / (IMPROVED_SHARE * share_of(model, span, state) * place)
