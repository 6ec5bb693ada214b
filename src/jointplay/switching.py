"""Switches while a run goes on: what they have set, what they do next, and when that has no end.

A run kernel ends at the instant at which the condition of a switch becomes true, as it does at that of ``until``. The
pending step is taken again up to there, inputs get their values, and the run goes on from that state: steps of fixed
size count from there, controlled ones keep the size that they had. Conditions that the new values make true act at the
same instant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .arrays import State
from .compile.pack import Compiled
from .compile.work import scratch
from .errors import InputError, Problem
from .methods.events import condition
from .model.elements import Watch

MOST = 100  # switches within CLOSE of the end of the run: they chatter
CLOSE = 1e-9
NEAR = 1e-6  # of a step: how far from its zero a condition may be by rounding


class Switchboard:
    """Inputs of a run, and the switches that set them."""

    def __init__(self, compiled: Compiled, start: State | None, begin: float, end: float) -> None:
        """Values as the state has them from which the run goes on, or else those of the model."""
        self.watches: tuple[Watch, ...] = compiled.system.watches
        self.values = {name: one.value for name, one in compiled.system.inputs.items()}
        if start is not None and compiled.system.switches and not hasattr(start, "inputs"):
            message = "this State does not hold the values of its inputs; give a solution, or the 'state' of one"
            raise InputError(Problem("start", message))
        self.values |= {name: value for name, value in getattr(start, "inputs", {}).items() if name in self.values}
        self.spent: set[str] = set(getattr(start, "spent", ()))
        self.reported: dict[str, float] = dict(getattr(start, "reported", {}))
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
        self._times = [*self._times[1 - MOST :], time]

    @property
    def chatters(self) -> bool:
        """True if the last switches were too many for the time that they took."""
        recent = self._times[-MOST:]
        return len(recent) == MOST and recent[-1] - recent[0] <= CLOSE * self._end


class Instant:
    """Conditions at one instant, while switches act: which of them become true.

    A condition becomes true if it did on the step that ends here, if the state at its end has it true and nothing
    before had, if inputs make it true, or if it holds by rounding only and will hold from here on. Once it has, it must
    have been false to become true again: ``same`` are those of which a zero nearby is the event that was reported.
    """

    def __init__(self, compiled: Compiled, state: State, time: float, step: float) -> None:
        """Look at the state at the end of a step, with the inputs that led there."""
        self._compiled, self._state, self._time, self._span = compiled, state, time, NEAR * step
        self._landed = _values(compiled, state, time)
        self._seen: set[int] = set()
        self.true = [g > 0.0 for g in self._landed]
        self.same: dict[int, float] = {}  # s, in which they hold though the end of the step has not reached that

    def begins(self, here: Sequence[int], known: set[int], reported: Iterable[int]) -> list[int]:
        """Conditions that become true before inputs change: ``here``, and others that nothing ``known`` had true."""
        self.true = [true and n in known for n, true in enumerate(self.true)]
        self.same = dict.fromkeys([*reported, *here], 0.0)
        return [*here, *(n for n in self.changes() if n not in here)]

    def changes(self) -> list[int]:
        """Conditions that become true with the inputs and rates as they are now."""
        values = _values(self._compiled, self._state, self._time)
        later = self._state._replace(y=self._state.y + self._span * self._state.dy)
        ahead = _values(self._compiled, later, self._time + self._span)
        found = []
        for n, (g, after) in enumerate(zip(values, ahead, strict=True)):
            true, rise, reported = g > 0.0, after - g, n in self.same
            begins = (true and not self.true[n]) or (0.0 < g <= rise and n not in self._seen)
            if begins and not reported:
                found.append(n)
            if (reported or begins) and g == self._landed[n] and rise > 0.0:
                self.same[n] = max(0.0, -g / rise * self._span)
            else:
                self.same.pop(n, None)
            self.true[n] = true
        self._seen |= {*found, *self.same}
        return found


def true_conditions(compiled: Compiled, state: State, time: float) -> set[int]:
    """Which of the conditions that are watched hold."""
    return {n for n, g in enumerate(_values(compiled, state, time)) if g > 0.0}


def _values(compiled: Compiled, state: State, time: float) -> list[float]:
    count = len(compiled.system.watches)
    with scratch(compiled) as work:
        return [float(condition(compiled.model, n, time, state.y, state.memory, work)) for n in range(count)]
