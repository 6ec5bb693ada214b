"""A sample run again, whole: the numbers of its model are those that its row was made with, bit by bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Model, State
from ..compile.parts import join_states, split_state
from ..numerics.jit import readable
from ..results.solution import Solution
from ..simulation import run_pieces, save_times
from .engine import ModelEngine
from .members import named


def again(engine: ModelEngine, x: np.ndarray, save: Any = None) -> Solution:
    """The Solution of the member at inputs x; raises InputError where it cannot be built."""
    variant, settings = engine.variants.at(x), engine.settings
    members, p = variant.members, variant.numbers(x)
    member = members.compiled(named(members.names, p))  # what messages refer to: the model's own text and names
    tracks = engine.room(variant, whole=True).load(p)
    pieces = []
    for track, part in zip(tracks, member.parts, strict=True):
        model = readable(Model(*(np.array(one) for one in track.model)))
        state = readable(State(*(np.array(one) for one in track.state)))
        pieces.append(replace(part, model=model, state=state))
    if save is None:
        save = settings.times if len(settings.times) > 2 else None
    times = save_times(save, 0.0, settings.end)
    whole = pieces[0] if len(pieces) == 1 else members.whole
    state = join_states([piece.state for piece in pieces])
    if len(pieces) > 1:
        for piece, own in zip(pieces, split_state(state, [piece.state for piece in pieces]), strict=True):
            piece.state = own
        whole = replace(members.whole, system=members.source.system(named(members.names, p)))
    return run_pieces(whole, pieces, state, settings.method, settings.end, times)
