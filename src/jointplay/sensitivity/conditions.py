"""A condition as a function g(t, x) of results: it becomes true where g passes zero upwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..model.system import System
from ..quantities.dimension import QuantityError
from ..quantities.signal import Signal
from .quantity import Names
from .slope import slope


@dataclass(frozen=True, eq=False)
class Condition:
    """g of the channels that it senses; inputs and parameters are numbers in it."""

    text: str
    signal: Signal
    names: tuple[str, ...]  # what is sensed
    places: np.ndarray  # channel of each
    inputs: Mapping[str, float]
    given: frozenset[str]  # parameters that the text names

    def values(self, time: np.ndarray, channels: np.ndarray, signal: Signal | None = None) -> np.ndarray:
        """g (nt,) at instants; of the same condition at other parameters, if ``signal`` is that."""
        return self._of(time, channels[:, self.places], signal or self.signal)

    def _of(self, time: np.ndarray, x: np.ndarray, signal: Signal) -> np.ndarray:
        from ..quantities.expression import sample

        assert signal.node is not None
        names = dict(zip(self.names, x.T, strict=True))
        return np.broadcast_to(np.asarray(sample(signal.node, {**self.inputs, **names, "t": time})), time.shape)

    def slopes(self, time: float, line: np.ndarray) -> np.ndarray:
        """dg/dx at an instant, for each of the names."""
        if not self.names:
            return np.zeros(0)
        at = np.array([time])
        return slope(lambda x: self._of(at, x, self.signal), line[self.places][None, :], self.text)[0][0]

    def at(self, system: System) -> Signal:
        """The same condition with the parameters of another system."""
        return Signal.condition(self.text, system.values, system.free_names)


def condition_of(text: str, system: System, names: Names) -> Condition:
    """The condition that a text stands for; QuantityError with a sentence if it is none, or not one of results."""
    import re

    signal = Signal.condition(text, system.values, system.free_names)
    sensed = tuple(sorted(signal.names - set(system.inputs)))
    places = []
    for name in sensed:
        try:
            places.append(int(names.find(name).places.ravel()[0]))
        except KeyError as error:
            raise QuantityError(str(error.args[0])) from None
    inputs = {name: one.value for name, one in system.inputs.items()}
    given = frozenset(re.findall(r"[A-Za-z_]\w*", text)) & frozenset(system.values)
    return Condition(text, signal, sensed, np.array(places, dtype=np.intp), inputs, given)
