"""A State with what goes with it: inputs, and what its switches have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..arrays import State


class Held(State):
    """A State, the inputs that go with it, switches that have acted once and for all, and whether inputs were ever set.

    Where a Stepper has set one, steps end at the end of each of its pieces. Where a switch has acted at the end of a
    run, ``reported`` has conditions (as text) that became true there, and the time up to which that is the same event.
    """

    inputs: dict[str, float]
    driven: bool
    spent: frozenset[str]
    reported: dict[str, float]


def held(
    state: State,
    inputs: Mapping[str, float],
    *,
    driven: bool = False,
    spent: Sequence[str] = (),
    reported: Mapping[str, float] | None = None,
) -> Held:
    """A copy of a State with what goes with it."""
    own = Held(*(part.copy() for part in state))
    own.inputs, own.driven, own.spent, own.reported = dict(inputs), driven, frozenset(spent), dict(reported or {})
    return own


def held_by(meta: Mapping[str, Any], state: State | None) -> State | None:
    """The State of a result with inputs and switches from its metadata."""
    if state is None or "spent" not in meta:
        return state
    values = {name: float(value) for _, name, value in meta.get("inputs", [])}
    return held(state, values, spent=meta["spent"], reported=meta.get("told"))
