"""Assembly of members whose numbers are filled as they are given: joints closed, velocities, gaps, rates.

It is the second half of compiling (compile/build.py, ``settle``), on arrays that are there already. What the nominal
model knows of its structure (redundancy, the pivot that counts as vanishing) holds for its members.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Model, State, Work
from ..compile.build import settle
from ..compile.pack import Compiled
from ..compile.work import make_work
from ..numerics.jit import readable


def raw_bytes(array: np.ndarray) -> np.ndarray:
    """The memory of an array: records are copied field by field, bytes at once."""
    return array.view(np.ndarray).reshape(-1).view(np.uint8)


class Assembly:
    """One part of a model, and its twin with ideal joints if velocities follow from it."""

    def __init__(self, given: Compiled, nominal: Compiled, model: Model, state: State, work: Work) -> None:
        """``model``, ``state`` and ``work`` are those that run; what is given is copied onto them for each member."""
        self._nominal, self._work, self._beside = nominal, work, None
        self._twin: Compiled | None = None
        self.pairs = [(model, state)]
        bases = [given]
        if given.twin is not None:
            own = readable(Model(*(np.array(one) for one in given.twin.model)))
            start = readable(State(*(np.array(one) for one in given.twin.state)))
            self._twin = replace(given.twin, model=own, state=start, notes=[])
            self._beside = make_work(own, start)
            self.pairs.append((own, start))
            bases.append(given.twin)
        self._resets = [
            (raw_bytes(onto), raw_bytes(np.array(old)))
            for (own_model, own_state), base in zip(self.pairs, bases, strict=True)
            for onto, old in zip((*own_model, *own_state), (*base.model, *base.state), strict=True)
            if onto.size
        ]
        self._compiled = replace(given, model=model, state=state, notes=[], twin=self._twin)

    def reset(self) -> None:
        """Numbers of the nominal model as given."""
        for onto, old in self._resets:
            onto[...] = old

    def settle(self) -> None:
        """Work out what follows from the numbers; raises InputError where joints cannot be closed."""
        self._compiled.notes.clear()
        self._compiled.twin = self._twin
        settle(self._compiled, self._work, self._nominal, same=True, beside=self._beside)
