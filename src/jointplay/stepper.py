"""Stepper: a run that goes on in small pieces, whose inputs may be set and whose results may be read in between.

    sim = jp.Stepper(system, jp.Explicit())
    while sim.time < 2.0:
        sim.set("motor", -3.0 * sim["A.angle"])
        sim.advance("1 ms")

The run kernels of ``simulate`` advance it (running.py): they save the state at the end of each piece, by their
interpolant, and keep the step that reaches beyond it. As long as no input is set, the states are those, bit by bit, of
one run of ``simulate`` that saves at the same instants. An input acts from the instant at which it is set: from the
first time that one is, steps end at the end of each piece, fixed ones because pieces are whole numbers of them,
controlled ones because they are cut there as at a jump of a function of time.

Switches of the model act where their conditions become true, be it within a piece (running.py), by an input that is
set, or at the end of a piece: there before what is set next. Fixed steps count from where one acted; so that inputs can
still be set, the last step of each piece is then shorter.

A step that fails is an outcome, not an exception: ``advance`` returns False, and all stays as it was at the last good
instant. Steppers share nothing: each may live in a thread of its own.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

import numpy as np

from . import arrays
from .arrays import State
from .assemble.dynamics import renewed
from .codes import Code, Outcome
from .compile.build import compile_system
from .compile.pack import Compiled
from .compile.parts import compile_parts, join_states, split_state
from .errors import InputError, Problem
from .history import History
from .methods.base import Method
from .methods.parse import method_of
from .methods.peaks import NONE
from .model.foreign import own_laws
from .model.names import suggest
from .model.system import System
from .numerics.jit import bound
from .quantities.units import QuantityError, si
from .results.held import Held, held
from .results.layout import layout_of
from .results.solution import DERIVED, Solution
from .running import SAME, Running, act_at_halt, carry_out, hand_over, merged, settle
from .selection import choose_method
from .simulation import describe, refuse_unsuitable, seconds
from .switching import Instant, Switchboard, true_conditions

ROUNDING = 1e-9  # of a step or a piece: instants that differ by rounding only
BUDGET = 100_000  # steps in one call of a kernel, between which Ctrl-C is taken
AT_MOST = 1000.0  # s


class Part(Running):
    """An independent part of a model, advanced piece by piece: one record, whose one time moves on."""

    def __init__(self, compiled: Compiled, state: State, method: Method, whole: Any, contacts: list[str]) -> None:
        super().__init__(compiled, state, method, whole, contacts, driven=True)
        self.settings[0]["peaks"] = NONE
        self.begin(np.zeros(1))
        given = (self.compiled.model, self.state, self.work, self.record, self.settings)
        self._kernel: Callable[[], int] = bound(method.run, *given)
        rates = (self.compiled.model, 0.0, state.y, state.memory, self.work, state.dy)
        self._rates: Callable[[float], Any] = bound(renewed, *rates, vary=1)
        self._budget, self._clock, self._tally = self.settings["budget"], self.state.clock, self.work.tally

    @property
    def fixed(self) -> float:
        """s, size of its steps; 0 if they are controlled."""
        return float(self.settings[0]["step"])

    def reach(self, time: float, board: Switchboard | None = None, *, ending: bool = False) -> Code:
        """Go on to this time and leave the channels there in the record; ``ending``: controlled steps end there."""
        record = self.record
        if ending:
            self.end_steps_at(time)
        record.times[0], record.next[0] = time, 0
        self._budget[0] = BUDGET
        while True:
            self.code = Code(self._kernel())
            if board is not None:
                self.take_marks()
                if self.code is Code.HALTED:
                    act_at_halt(self, board)
                    if ending:
                        self.end_steps_at(time)
                    self._budget[0] = BUDGET
            if record.next[0] or self.code is not Code.CONTINUE:
                return self.code

    def commit(self, time: float) -> Code:
        """Make the pending step the state; it ends at ``time``."""
        self.record.times[0], self.record.next[0], self._budget[0] = time + 1.0, 0, 0
        self.code = Code(self._kernel())
        return self.code

    def end_at(self, time: float) -> Code:
        """Take a pending step that goes beyond ``time`` again, up to there; the channels are those of its end."""
        if self.work.tally[arrays.PENDING] and not (self.found and self.at_halt):
            self.land(time)
            self.found = []
            if self.code is Code.CONTINUE and self.landing is not None:
                self.record.channels[0] = self.landing[0]
            self.look_anew(time)
        return self.code

    def look_anew(self, time: float) -> None:
        """The state is that at ``time``: what a step beyond it has found of conditions is forgotten."""
        self.found, self.work.tally[arrays.HALT], self.work.tally[arrays.MARKS] = [], np.inf, 0.0
        true = true_conditions(self.compiled, self.state, time)
        self.work.holds[:] = [n in true for n in range(len(self.work.holds))]
        self.come_to(time)

    def renew(self) -> None:
        """Rates of the state with the inputs as they are now."""
        self._rates(float(self._clock[0]["t"]))

    def impacts(self) -> list[np.ndarray]:
        """Lines of impacts since the last look."""
        count = int(self._tally[arrays.EVENT_COUNT])
        if not count:
            return []
        self._tally[arrays.EVENT_COUNT] = 0
        lines = self.work.event[:count].copy()
        lines[:, 1] = self.contacts[lines[:, 1].astype(np.int64)]
        return [lines]


class Stepper:
    """A run that goes on in pieces, with inputs set and results read in between."""

    def __init__(
        self,
        system: System,
        method: Method | str | None = None,
        *,
        start: State | Solution | None = None,
        keep: bool = False,
        at_most: float | str = AT_MOST,
    ) -> None:
        """Compile ``system`` once.

        Args:
            system: what to simulate; its ``inputs`` can be set.
            method: how to integrate; if omitted as ``simulate`` would choose.
            start: a solution, or a State, to go on from.
            keep: True to keep all states that are reached, for ``solution()``; memory then grows with every piece.
            at_most: latest time (s): functions of time are prepared up to there.
        """
        if not isinstance(system, System):
            raise InputError(Problem("system", f"needs a System (load_model reads one from a file), not {system!r}"))
        system = system.watching({}) if system.switches else system
        self._most = seconds("at_most", at_most)
        self._compiled = compile_system(system, horizon=self._most)
        if method is None:
            method, _ = choose_method(self._compiled, 1.0)
        self.method: Method = method_of(method, lambda raw, unit: si(raw, unit))
        refuse_unsuitable(self.method, self._compiled)
        if self._most < float(getattr(self.method, "step", 0.0)):
            raise InputError(Problem("at_most", f"is shorter than a step of {self.method}"))
        self._layout = layout_of(self._compiled)
        pieces = compile_parts(self._compiled, self._most)
        self._state = join_states([piece.state for piece in pieces])
        states = split_state(self._state, [piece.state for piece in pieces])
        self._parts = [
            Part(piece, own, self.method, self._layout, self._compiled.contacts)
            for piece, own in zip(pieces, states, strict=True)
        ]
        self._units = {name: one.unit for name, one in system.inputs.items()}
        self._values = {name: one.value for name, one in system.inputs.items()}
        self._places = {name: k for k, name in enumerate(system.inputs)}
        self._parts_list: list[Running] = list(self._parts)
        self._line = np.zeros(self._layout.channels)
        self._columns: dict[str, Callable[[], Any]] = {}
        self._history = History(self._layout.channels) if keep else None
        self._fixed = self._parts[0].fixed
        self._driven = False
        self._failed: Outcome | None = None
        self._span: Any = None
        self._board: Switchboard | None = None
        self._instant: Instant | None = None  # at which inputs were set whose consequences have not been looked at
        self._begin = self._snapshot()
        self.reset(start.state if isinstance(start, Solution) else start)

    # -- driving ----------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """s, the instant reached."""
        return self._time

    @property
    def inputs(self) -> dict[str, float]:
        """Inputs in SI."""
        return dict(self._values)

    @property
    def outcome(self) -> Outcome:
        """How it goes: finished at the present time, or why a step failed."""
        return self._failed or Outcome.of(Code.DONE, self._time)

    def set(self, name: str, value: float | str) -> None:
        """Let an input have this value (SI, or a text with a unit) from now on."""
        if name not in self._values:
            raise InputError(Problem(f"set: {name}", f"there is no input '{name}'{suggest(str(name), self._values)}"))
        try:
            number = si(float(value) if isinstance(value, np.floating | np.integer) else value, self._units[name])
        except (QuantityError, TypeError, OverflowError, ZeroDivisionError) as error:
            raise InputError(Problem(f"set: {name}", str(error))) from None
        if number == self._values[name] or self._failed:
            return
        if not self._land(f"set: {name}"):
            return
        if self._board is not None and self._instant is None:
            part = self._parts[0]
            self._instant = Instant(part.compiled, part.state, self._time, part.size)
            known = true_conditions(part.compiled, part.state, self._time)
            self._instant.begins([], known, [n for n, t in part.reported.items() if t >= self._time])
        self._values[name] = number
        if self._history is not None:
            self._history.inputs.append([self._time, name, number])
        for part in self._parts:
            part.compiled.model.number[self._places[name]] = number
        self._renew = True

    def advance(self, span: float | str) -> bool:
        """Go on by ``span`` (s, or a text with a unit); False if a step failed: ``outcome`` has the reason."""
        if span != self._span:
            length = seconds("advance", span)
            if not 0.0 < length < np.inf:
                raise InputError(Problem("advance", f"needs a span above zero, got {length:g} s"))
            # no sum of many roundings: times are multiples of the span, as those of simulate, or count from here
            self._span, self._length, self._origin = span, length, 0.0
            self._count = round(self._time / length)
            if abs(self._time - self._count * length) > ROUNDING * length:
                self._origin, self._count = self._time, 0
        if self._failed:
            return False
        time = self._origin + (self._count + 1) * self._length
        if time > self._most * (1.0 + ROUNDING):
            message = f"t = {time:g} s lies beyond {self._most:g} s, up to which functions of time are prepared"
            raise InputError(Problem("advance", f"{message}; give Stepper a longer at_most"))
        if self._fixed:
            origin = float(self._parts[0].state.clock[0]["origin"])
            grid = origin + round((time - origin) / self._fixed) * self._fixed
            time = grid if abs(time - grid) <= ROUNDING * self._fixed else time
        if not self._follow_inputs():
            return False
        for part in self._parts:
            if part.reach(time, self._board, ending=self._driven and not self._fixed) is not Code.CONTINUE:
                return self._fail(part)
            if self._driven and self._fixed and self._board is not None and not self._ends(part, time):
                if part.end_at(time) is not Code.CONTINUE:
                    return self._fail(part)
        self._count += 1
        self._arrive(time)
        return not self._failed

    def _ends(self, part: Part, time: float) -> bool:
        """True if the pending step of a part ends there."""
        return bool(abs(part.work.tally[arrays.STEP_END] - time) <= ROUNDING * self._fixed)

    def _follow_inputs(self) -> bool:
        """Rates, and switches, that follow from inputs that were set; False if that fails."""
        if not self._renew:
            return True
        for part in self._parts:
            part.renew()
        self._renew = False
        if self._board is not None and self._instant is not None:
            part, instant, self._instant = self._parts[0], self._instant, None
            carry_out(part, self._board, instant, instant.changes(), self._time)
            if part.code is not Code.CONTINUE:
                return self._fail(part)
        return True

    def _arrive(self, time: float) -> None:
        """A new instant is reached, its channels are in the records."""
        self._time = time
        for part in self._parts:
            part.come_to(time)
        # a copy: a step that fails leaves the record half written
        one = len(self._parts) == 1
        self._line[:] = self._parts[0].record.channels[0] if one else merged(self._parts_list, 0, 1, len(self._line))[0]
        lines = [(n, block) for n, part in enumerate(self._parts) for block in part.impacts()]
        if self._history is not None:
            self._history.add(time, self._line, lines)
        if self._board is not None:
            self._settle(self._board)

    def _settle(self, board: Switchboard) -> None:
        """Let switches act whose instant is the present one."""
        part = self._parts[0]
        settle(part, board)
        if part.code is not Code.CONTINUE:
            self._fail(part)
        if self._history is None:  # nobody needs them
            board.history.clear()
            part.marks = [mark for mark in part.marks if mark[0] >= self._time]

    def _fail(self, part: Part) -> bool:
        """Keep the last good instant, and the reason."""
        detail = float(part.work.tally[arrays.DETAIL])
        time = float(part.state.clock[0]["t"])
        own = own_laws(part.compiled.system) if part.code in (Code.NOT_FINITE, Code.STEP_UNDERFLOW) else ""
        self._failed = Outcome.of(part.code, max(time, self._time), detail=detail, where=part.culprit(), own=own)
        return False

    def _land(self, field: str) -> bool:
        """Make the present instant the end of a step in all parts, so that inputs can change there; False: it fails."""
        for part in self._parts:
            tally, began = part.work.tally, float(part.state.clock[0]["t"])
            near = ROUNDING * self._length if self._length else ROUNDING
            if tally[arrays.PENDING]:
                if abs(began - self._time) <= near:
                    part.take_back()
                    if self._board is not None:
                        part.look_anew(self._time)
                elif abs(tally[arrays.STEP_END] - self._time) <= near:
                    if part.commit(self._time) is not Code.CONTINUE:
                        return self._fail(part)
                elif self._fixed and self._board is not None:
                    if part.end_at(self._time) is not Code.CONTINUE:
                        return self._fail(part)
                elif self._fixed:
                    message = (
                        f"an input can change at the end of a step only, and t = {self._time:g} s lies within one; "
                        f"advance by whole steps of {self._fixed:g} s"
                    )
                    raise InputError(Problem(field, message))
                else:  # once more, up to the present instant
                    part.take_back()
                    part.found = []
                    part.end_steps_at(self._time)
                    if part.reach(self._time) is not Code.CONTINUE or part.commit(self._time) is not Code.CONTINUE:
                        return self._fail(part)
                    if self._board is not None:
                        part.look_anew(self._time)
        self._driven = True
        return True

    # -- reading ----------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        """A quantity at the present instant, by the names of results: a number, or an array of its components."""
        read = self._columns.get(name)
        if read is None:
            read = self._columns[name] = self._reader(name)
        return read()

    def _reader(self, name: str) -> Callable[[], Any]:
        if name in self._values:
            return lambda: self._values[name]
        if name == "time":
            return lambda: self._time
        if name in DERIVED or name.startswith("|"):  # seldom: by way of a solution of one state
            return lambda: self._as_solution(np.array([self._time]), self._line[None, :])[name][0]
        base, component = Solution._split(name)
        variable, k = self._as_solution(np.zeros(0), np.zeros((0, self._layout.channels)))._find(base)
        places = np.array([variable.columns[one] for one in (k if isinstance(k, list) else [k])])  # element, component
        wanted = places[:, 0] if variable.width == 1 else places if isinstance(k, list) else places[0]
        if component is not None:
            if not -len(wanted) <= component < len(wanted):
                raise KeyError(f"{base!r} has {len(wanted)} component(s), not [{component}]")
            wanted = wanted[component]
        if wanted.size == 1:
            column = int(wanted.item())
            return lambda: float(self._line[column])
        return lambda: self._line[wanted]

    @property
    def state(self) -> State:
        """A copy of all that is needed to go on from here: for ``reset``, or for ``start`` of simulate."""
        if self._driven and not self._failed and self._land("state"):
            self._follow_inputs()
        return self._snapshot()

    def _snapshot(self) -> Held:
        board, part = self._board, self._parts[0]
        if board is None:
            return held(self._state, self._values, driven=self._driven)
        hand_over(part, board)
        own = held(self._state, self._values, driven=self._driven, spent=sorted(board.spent), reported=board.reported)
        part.come_to(part.reached)
        return own

    def reset(self, state: State | None = None) -> None:
        """Go to this state, with the inputs that it was taken with; without one, back to the start."""
        given = self._begin if state is None else state
        same = isinstance(given, State) and all(a.shape == b.shape for a, b in zip(given, self._state, strict=True))
        if not same:
            raise InputError(Problem("state", "needs a State of a system with the same bodies and joints"))
        time = float(given.clock[0]["reached"])
        board = Switchboard(self._compiled, given, time, self._most) if self._compiled.system.switches else None
        for ours, theirs in zip(self._state, given, strict=True):
            ours[...] = theirs
        self._values = dict(getattr(given, "inputs", self._values)) if board is None else board.values
        self._board, self._instant = board, None
        self._began = clock.perf_counter()
        self._failed = None
        self._span = None
        self._length = self._origin = 0.0
        self._count, self._renew, self._driven = 0, False, getattr(given, "driven", False)
        for part in self._parts:
            part.come_to(time)
            part.found, part.marks, part.reported = [], [], {}
            part.take_back()
            part.work.holds[:] = -1
            part.work.tally[arrays.MARKS] = part.work.tally[arrays.EVENT_COUNT] = 0
            part.end_steps_at(np.inf)
            part.compiled.model.number[: len(self._values)] = list(self._values.values())
            if board is not None:
                watches = self._compiled.system.watches
                part.reported = {
                    n: board.reported[one.text] for n, one in enumerate(watches) if one.text in board.reported
                }
            before, acts = [array.copy() for array in part.state], len(board.history) if board is not None else 0
            if part.reach(time, board) is not Code.CONTINUE:
                self._fail(part)
            elif self._driven and float(part.state.clock[0]["t"]) >= time:
                part.take_back()  # taken for the channels alone: it does not end where it should
                if board is None or len(board.history) == acts:  # and its attempt may have changed its start
                    for array, old in zip(part.state, before, strict=True):
                        array[...] = old
                if board is not None:
                    part.look_anew(time)
        if self._history is not None:
            self._history.clear()
            self._history.inputs += [[time, name, value] for name, value in self._values.items()]
            if board is not None:
                self._history.inputs = board.history
        self._arrive(time)

    # -- keeping ----------------------------------------------------------------------------------------------------

    def solution(self) -> Solution:
        """All instants reached since the last reset, as a Solution; needs ``keep=True``."""
        if self._history is None:
            raise InputError(Problem("solution", "nothing was kept; give Stepper keep=True to keep what is reached"))
        found = self._history.solution(self._as_solution)
        if self._board is not None and isinstance(found.state, Held):
            watches, last = self._board.watches, self._time * (1.0 + SAME)
            found.meta["spent"], found.meta["told"] = sorted(found.state.spent), found.state.reported
            found.meta["events"] = [[t, watches[n].name] for t, n in self._parts[0].marks if t <= last]
        return found

    def _as_solution(self, times: np.ndarray, channels: np.ndarray, impacts: np.ndarray | None = None) -> Solution:
        from .results.sink import cut
        from .trust import statistics

        spent = clock.perf_counter() - self._began
        return Solution(
            layout=self._layout,
            time=times,
            data=cut(channels, self._layout),
            outcome=self.outcome,
            stats=statistics(self._parts_list) | {"run_time": spent, "wall_time": spent} if len(times) > 1 else {},
            meta=describe(self._compiled, self.method, self._time) if len(times) > 1 else {},
            state=self._snapshot() if len(times) > 1 else None,
            events=impacts,
        )

    def __repr__(self) -> str:
        return f"<Stepper {self._compiled.system.name!r} by {self.method!r}: {self.outcome.message}>"
