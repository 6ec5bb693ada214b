"""Switches while a run goes on: what they have set, what they do next, and when that has no end.

A run kernel ends at the instant at which the condition of a switch becomes true, as it does at that of ``until``. The
pending step is taken again up to there, inputs get their values, and the run goes on from that state: steps of fixed
size count from there, controlled ones keep the size that they had. Conditions that the new values make true act at the
same instant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .arrays import State
from .compile.pack import Compiled
from .compile.work import make_work
from .methods.events import condition
from .model.elements import Watch

MOST = 100  # switches within CLOSE of the end of the run: they chatter
CLOSE = 1e-9
NEAR = 1e-6  # of a step: how far from its zero a condition may be by rounding


class Held(State):
    """A State, the inputs that go with it, switches that have acted once and for all, and whether inputs were ever set.

    Where a Stepper has set one, steps end at the end of each of its pieces.
    """

    inputs: dict[str, float]
    driven: bool
    spent: frozenset[str]


def held(state: State, inputs: Mapping[str, float], *, driven: bool = False, spent: Sequence[str] = ()) -> Held:
    """A copy of a State with what goes with it."""
    own = Held(*(part.copy() for part in state))
    own.inputs, own.driven, own.spent = dict(inputs), driven, frozenset(spent)
    return own


class Switchboard:
    """Inputs of a run, and the switches that set them."""

    def __init__(self, compiled: Compiled, start: State | None, begin: float, end: float) -> None:
        """Values as the state has them from which the run goes on, or else those of the model."""
        self.watches: tuple[Watch, ...] = compiled.system.watches
        self.values = {name: one.value for name, one in compiled.system.inputs.items()}
        self.values |= {name: value for name, value in getattr(start, "inputs", {}).items() if name in self.values}
        self.spent: set[str] = set(getattr(start, "spent", ()))
        self.history: list[list[float | str]] = [[begin, name, value] for name, value in self.values.items()]
        self.moved = any(self.values[name] != one.value for name, one in compiled.system.inputs.items())
        self._times: list[float] = []
        self._end = end

    @property
    def active(self) -> bool:
        """True if there are switches."""
        return any(one.switch for one in self.watches)

    def acts(self, n: int) -> bool:
        """True if condition n would change something."""
        switch = self.watches[n].switch
        if switch is None or switch.name in self.spent:
            return False
        return any(self.values[name] != value for name, value in switch.values.items())

    def act(self, n: int, time: float) -> None:
        """Set the inputs of switch n."""
        switch = self.watches[n].switch
        assert switch is not None
        if switch.once:
            self.spent.add(switch.name)
        for name, value in switch.values.items():
            if self.values[name] != value:
                self.values[name] = value
                self.history.append([time, name, value])
        self._times.append(time)

    @property
    def chatters(self) -> bool:
        """True if the last switches were too many for the time that they took."""
        recent = self._times[-MOST:]
        return len(recent) == MOST and recent[-1] - recent[0] <= CLOSE * self._end


def true_conditions(compiled: Compiled, state: State, time: float) -> list[bool]:
    """Which of the conditions that are watched hold."""
    return [g > 0.0 for g in _values(compiled, state, time)]


def begin_now(compiled: Compiled, state: State, time: float, step: float) -> list[bool]:
    """Which of them hold by rounding only, and will hold from here on: they become true at this instant."""
    span = NEAR * step
    later = state._replace(y=state.y + span * state.dy)
    here, then = _values(compiled, state, time), _values(compiled, later, time + span)
    return [0.0 < g <= after - g for g, after in zip(here, then, strict=True)]


def _values(compiled: Compiled, state: State, time: float) -> list[float]:
    work = make_work(compiled.model, state)
    count = len(compiled.system.watches)
    return [float(condition(compiled.model, n, time, state.y, state.memory, work)) for n in range(count)]
