"""The run itself: kernels advance the independent parts of a model chunk by chunk, Python writes what they save.

Between two calls of a kernel Python shows progress and takes Ctrl-C.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import arrays
from .arrays import PARTIALS, Record, State
from .assemble.dynamics import renewed
from .codes import Code
from .compile.pack import Compiled
from .compile.work import make_record, take_scratch
from .methods.base import Method
from .methods.peaks import ALL, HIGH, HIGH_AT, LOW, LOW_AT, MOTION
from .model.foreign import refuse_absent
from .numerics.jit import readable
from .results.layout import ENERGY, SOLVER, Layout, layout_of
from .results.peaks import columns_of, joints_of
from .results.sink import Sink
from .switching import Instant, Switchboard, true_conditions

CHUNK_BYTES = 4_000_000  # of saved channels between two writes
SETTLED = 1e-3  # of a step: after a switch the same instant, seen on the step that leads to it
SAME = 1e-15  # of the time: instants that are one by rounding; methods/events.py has the same
EARLIER = 4e-15  # of the time: from there on conditions are looked at again, and Python knows which were reported
BUDGET = 100_000  # steps of one call that has a single instant to reach
PATIENCE = 0.25  # s of wall time between two looks at Python
FAINT = 1e-4  # of its weight times its size: energies below do not count in a part that is nearly at rest
LAST = len(ENERGY) + len(SOLVER)  # channels that the parts of a model share

Progress = Callable[[float, float, float], None]  # simulated time, end, wall time


def kept_peaks(method: Method, compiled: Compiled) -> int:
    """What extremes are kept over every step (methods/peaks.py): all, where a step costs more than looking at it.

    Forces of rigid contacts are spikes as high as steps are short: of models that have some only the motion.
    """
    controlled = not float(getattr(method, "step", 0.0)) > 0.0 and hasattr(method, "rtol")
    return ALL if controlled and len(compiled.model.contact) == 0 else MOTION


def weight_of(compiled: Compiled) -> float:
    """Energy that would lift a part by its own size (J)."""
    mass = sum(body.mass for body in compiled.system.bodies)
    return float(mass * np.linalg.norm(compiled.system.gravity) * compiled.model.info[0]["length"])


class Running:
    """One independent part of a model while it runs."""

    def __init__(
        self,
        compiled: Compiled,
        state: State,
        method: Method,
        whole: Layout,
        contacts: list[str],
        *,
        driven: bool = False,
    ) -> None:
        refuse_absent(compiled.system)
        self.own_breaks = np.array(compiled.model.breaks)
        if driven:  # inputs may change, at one more instant at which steps end
            breaks, number = np.append(self.own_breaks, np.inf), compiled.model.number.copy()
            compiled = replace(compiled, model=readable(compiled.model._replace(breaks=breaks, number=number)))
        self.compiled, self.state, self.method = compiled, state, method
        method.prepare(compiled.model)
        self.work = take_scratch(compiled, method.stages, method.implicit)
        self.work.tally[PARTIALS] = float(method.implicit)
        self.untouched = self.work.touch.copy()
        self.settings = method.settings(float(compiled.model.info[0]["length"]))
        self.settings[0]["peaks"] = kept_peaks(method, compiled)
        self.layout = layout_of(compiled)
        self.columns = own_columns(whole, self.layout)
        self.contacts = np.array([contacts.index(name) for name in compiled.contacts], dtype=np.int64)
        self.code = Code.CONTINUE
        self.budget = 50
        self.end = np.inf  # s, of the run
        self.accepted: list[np.ndarray] | None = None  # the state that goes with the pending step, if that is known
        self.switching = any(one.switch for one in compiled.system.watches)
        self.come_to(float(state.clock[0]["reached"]))
        self.peaks: np.ndarray | None = None
        self.norms: np.ndarray | None = None
        self.marks: list[tuple[float, int]] = []  # conditions that became true: time and number
        self.found: list[tuple[float, int]] = []  # those of switches, which have not acted yet
        self.reported: dict[int, float] = {}  # s, up to which conditions are known to have become true, by number
        self.landing: np.ndarray | None = None  # channels at the end of the step that was taken to land
        self.blamed = ""  # what a failure names that no kernel has found
        self.ledger = Ledger(scale=FAINT * weight_of(compiled))

    @property
    def steps(self) -> int:
        """Steps so far."""
        return int(self.work.tally[arrays.STEPS] + self.work.tally[arrays.PENDING])

    @property
    def size(self) -> float:
        """s, of its next step."""
        return float(self.settings[0]["step"]) or float(self.state.clock[0]["h"])

    def come_to(self, time: float) -> None:
        """All up to ``time`` is saved; conditions that become true within rounding of it must not be lost."""
        self.reached = time
        self.state.clock[0]["reached"] = time * (1.0 - EARLIER) if self.switching else time

    def begin(self, times: np.ndarray) -> None:
        """Room for a chunk."""
        channels = np.empty((len(times), self.layout.channels))
        self.record: Record = make_record(times, channels, len(self.compiled.joints))
        if self.peaks is not None and self.norms is not None:
            self.record.peaks[:], self.record.norms[:] = self.peaks, self.norms
        self.peaks, self.norms = self.record.peaks, self.record.norms

    @property
    def ready(self) -> int:
        """States of the chunk that are there."""
        return int(self.record.next[0])

    def go_on(self, max_steps: int | None) -> list[np.ndarray]:
        """Call the kernel once; lines of impacts that it noted, in the numbers of the whole."""
        ahead = self._steps_before_end()
        left = min(self.budget, ahead) if max_steps is None else min(self.budget, ahead, max_steps - self.steps)
        before, first = clock.perf_counter(), self.ready
        self._take(left)
        spent = clock.perf_counter() - before
        if ahead >= self.budget:  # aim at a look every PATIENCE seconds, whatever a step costs
            self.budget = int(np.clip(self.budget * np.clip(PATIENCE / max(spent, 1e-6), 0.5, 4.0), 1, 10_000_000))
        if self.ready > first:
            self.come_to(float(self.record.times[self.ready - 1]))
            self.ledger.take(self.record.channels[first : self.ready, -LAST:])
        if max_steps is not None and self.steps >= max_steps and self.code is Code.CONTINUE and not self.full:
            self.code = Code.STEP_LIMIT
        self.take_marks()
        events = int(self.work.tally[arrays.EVENT_COUNT])
        if not events:
            return []
        self.work.tally[arrays.EVENT_COUNT] = 0
        lines = self.work.event[:events].copy()
        lines[:, 1] = self.contacts[lines[:, 1].astype(np.int64)]
        return [lines]

    def take_marks(self) -> None:
        """Conditions that became true since the last call; none behind the end of the run."""
        count = int(self.work.tally[arrays.MARKS])
        if count:
            self.work.tally[arrays.MARKS] = 0
            last, watches = float(self.work.tally[arrays.HALT]) * (1.0 + SAME), self.compiled.system.watches
            for t, n in sorted((float(t), int(n)) for t, n in self.work.mark[:count] if t <= last):
                if watches[n].switch:
                    self.found.append((t, n))
                elif t > self.reported.get(n, -np.inf):
                    self.marks.append((t, n))
                    self.reported[n] = t * (1.0 + 2.0 * SAME)  # found again where the step is taken once more

    @property
    def at_halt(self) -> bool:
        """True if what is saved reaches the instant at which the kernel is to stop: it need not have done so yet."""
        return bool(self.work.tally[arrays.HALT] <= self.reached * (1.0 + SAME))

    @property
    def ends(self) -> bool:
        """True if the condition that ends the run became true where the kernel stopped."""
        watches, halt = self.compiled.system.watches, float(self.work.tally[arrays.HALT])
        return any(watches[n].stops and not watches[n].switch for t, n in self.marks if t >= halt)

    def end_steps_at(self, time: float) -> None:
        """Let controlled steps end there."""
        breaks, at = self.compiled.model.breaks, int(np.searchsorted(self.own_breaks, time))
        breaks[:at], breaks[at], breaks[at + 1 :] = self.own_breaks[:at], time, self.own_breaks[at:]

    def take_back(self) -> None:
        """Drop the pending step as if it had never been tried; the run may go on.

        Gaps at its end stand where those at the start of the next step are looked for, walls that it met are marked.
        """
        self.work.tally[arrays.PENDING], self.work.tally[arrays.HALT], self.code = 0, np.inf, Code.CONTINUE
        self.work.touch[...] = self.untouched

    def land(self, time: float) -> None:
        """Take the pending step again up to ``time``, and make its end the state; ``code`` shows if that failed."""
        now, setting = self.state.clock[0], self.settings[0]
        self.take_back()
        span, step = time - float(now["t"]), float(setting["step"])
        self.landing = None
        now["reached"] = time * (1.0 + 1e-12)  # conditions up to there have been reported
        if span > 1e-14 * max(1.0, time):
            kept, channels = self.record, np.empty((1, self.layout.channels))
            if step > 0.0:
                setting["step"] = span
            else:
                self.end_steps_at(time)
            self.record = kept._replace(times=np.array([time]), channels=channels, next=np.zeros_like(kept.next))
            self.landing = channels
            while not self.full and self.code is Code.CONTINUE:
                self._call(BUDGET)
            if self.code is Code.CONTINUE:
                self.record.times[0], self.record.next[0] = time + 1.0, 0
                self._call(0)
            self.record = kept
            setting["step"] = step
            if not step > 0.0:
                self.end_steps_at(np.inf)
        now["reached"] = time

    def set_inputs(self, values: Mapping[str, float]) -> None:
        """Let inputs have these values."""
        self.compiled.model.number[: len(values)] = list(values.values())

    def renew(self) -> None:
        """Rates of the state with the inputs as they are now."""
        state = self.state
        renewed(self.compiled.model, float(state.clock[0]["t"]), state.y, state.memory, self.work, state.dy)

    def _fixed_steps_left(self) -> int:
        """Fixed steps that end before the run does; 0 under error control, where steps may grow."""
        now, step = self.state.clock[0], float(self.settings[0]["step"])
        return int(min((self.end - now["t"]) / step, 1e9)) if step > 0.0 else 0

    def _steps_before_end(self) -> int:
        """Steps to take in one go, so that the last one is mostly taken on its own: of fixed steps all but that one.

        Controlled steps may grow: half of those that are left.
        """
        fixed, now = self._fixed_steps_left(), self.state.clock[0]
        if fixed or not now["h"] > 0.0:
            return max(1, fixed - 1)
        return max(1, int(min(0.5 * (self.end - now["t"]) / now["h"], 1e9)))

    def _take(self, budget: int) -> None:
        """Take so many steps; the extremes of a last one that ends after the run are taken back.

        ``accepted`` is then the state at its start, as the step before has left it.
        """
        self.accepted = None
        if budget < self._fixed_steps_left():
            self._call(budget)
            return
        if self.work.tally[arrays.PENDING]:  # of the chunk before: it becomes the state first
            self._call(0)
            if self.full or self.code is not Code.CONTINUE:
                return
        before, steps = self._changing(), self.steps
        kept = [array.copy() for array in before]
        self._call(budget)
        beyond = np.any(self.record.peaks[[LOW_AT, HIGH_AT]] > self.end) or np.any(self.record.norms[1] > self.end)
        last = self.full and self.record.times[-1] >= self.end
        if not (beyond or last):
            return
        many = self.steps - steps
        if many > 1:  # they have hidden those before: once more, the last step on its own
            for array, old in zip(before, kept, strict=True):
                array[...] = old
            self._take(many - 1)
            self._take(1)
        else:
            self.accepted = kept[: len(self.state)]
            if beyond:
                self.record.peaks[:], self.record.norms[:] = kept[-2:]

    def give_back(self) -> None:
        """At the end of the run: the state is that before the pending step, which a continued run takes again.

        An attempt at a step may change its start: contacts strike there, or let go.
        """
        if self.accepted is not None and self.work.tally[arrays.PENDING]:
            reached = float(self.state.clock[0]["reached"])
            for array, old in zip(self.state, self.accepted, strict=True):
                array[...] = old
            self.state.clock[0]["reached"] = reached

    def _call(self, budget: int) -> None:
        self.settings[0]["budget"] = budget
        self.code = Code(self.method.run(self.compiled.model, self.state, self.work, self.record, self.settings))

    def _changing(self) -> list[np.ndarray]:
        """All that a call of the kernel changes and a later one reads; extremes come last."""
        work = (array for name, array in zip(self.work._fields, self.work, strict=True) if name != "event")
        return [*self.state, *work, self.record.next, self.record.peaks, self.record.norms]

    @property
    def full(self) -> bool:
        """True if all of the chunk is there."""
        return self.ready == len(self.record.times)

    def culprit(self) -> str:
        """The joint, contact or switch that a failure names."""
        if self.code is Code.CHATTERS:
            return self.blamed
        row = int(self.work.tally[arrays.CULPRIT])
        of_contact = self.code in (Code.CONTACT_FAILED, Code.ENDLESS_IMPACTS, Code.STEP_UNDERFLOW)
        names = self.compiled.contacts if of_contact else self.compiled.row_names
        blamed = of_contact or self.code in (Code.PROJECTION_FAILED, Code.NOT_FINITE)
        return names[row] if blamed and 0 <= row < len(names) else ""

    def problem(self) -> dict[str, Any]:
        """The contact problem that had no answer, as numerics.contact.write_problem takes it."""
        work, dim = self.work, int(self.compiled.model.info[0]["dim"])
        held = [c for c, place in enumerate(work.touch["place"]) if place != arrays.NONE]
        n = dim * len(held)
        return {
            "W": work.delassus[:n, :n].copy(),
            "q": work.problem[arrays.FREE, :n].copy(),
            "mu": work.problem[arrays.MU, : len(held)].copy(),
            "dim": dim,
            "contacts": [self.compiled.contacts[c] for c in held],
        }


@dataclass
class Ledger:
    """The energy balance over all saved states: the largest error, and what it is to be compared with."""

    error: float = 0.0  # J
    scale: float = 0.0  # J, largest of the energies that were exchanged
    start: float | None = None

    def take(self, channels: np.ndarray) -> None:
        """Look at more saved states: lines of energies and solver channels."""
        kinetic, gravity, elastic, given, lost, error = channels[:, : len(ENERGY)].T
        if self.start is None:
            self.start = float(gravity[0])
        exchanged = np.abs([kinetic, gravity - self.start, elastic, given, lost])
        self.scale = max(self.scale, float(np.max(exchanged)))
        # inside of a step work is interpolated: what counts is the state nearest to its ends
        steps = channels[:, -2]
        first = np.flatnonzero(np.concatenate([[True], steps[1:] != steps[:-1]]))
        self.error = max(self.error, float(np.max(np.minimum.reduceat(np.abs(error), first))))


@dataclass
class Verdict:
    """How a run went."""

    code: Code
    where: str = ""
    reason: str = ""
    detail: float = 0.0
    time: float | None = None  # s, of a failure
    problem: dict[str, Any] | None = None
    parts: list[Running] = field(default_factory=list)


def own_columns(whole: Layout, part: Layout) -> np.ndarray:
    """Place of each channel of a part in the layout of the whole; energies and solver channels not counted."""
    place = np.full(part.channels, -1, dtype=np.int64)
    for variable in part.variables:
        if not variable.dimension:
            continue
        for k, public in enumerate(variable.publics):
            other, at = whole.find(public)
            if isinstance(at, list):  # contacts of one joint share a name: the same order in both
                at = at[[n for n, name in enumerate(variable.publics) if name == public].index(k)]
            for mine, theirs in zip(variable.columns[k], other.columns[at], strict=True):
                place[mine] = theirs
    return place


def merged(parts: list[Running], first: int, last: int, channels: int) -> np.ndarray:
    """Channels first .. last of the chunk in the layout of the whole."""
    if len(parts) == 1:
        return parts[0].record.channels[first:last]
    out = np.zeros((last - first, channels))
    energies = channels - LAST
    for n, part in enumerate(parts):
        own = part.record.channels[first:last]
        known = part.columns >= 0
        out[:, part.columns[known]] = own[:, known]
        out[:, energies : energies + len(ENERGY)] += own[:, -LAST : -len(SOLVER)]
        step, steps, rejections = own[:, -len(SOLVER) :].T
        out[:, -3] = step if n == 0 else np.minimum(out[:, -3], step)
        out[:, -2] += steps
        out[:, -1] += rejections
    return out


def extremes(parts: list[Running], layout: Layout) -> np.ndarray:
    """Extremes over every step in the layout of the whole, as results/peaks.py has them."""
    found, joints = np.full((4, columns_of(layout)), np.nan), joints_of(layout)
    for part in parts:
        if part.peaks is None or part.norms is None:
            continue
        # energies of several parts add up, their extremes do not
        columns = part.columns if len(parts) > 1 else np.arange(layout.channels)
        looked = np.isfinite(part.peaks[LOW]) & np.isfinite(part.peaks[HIGH])
        known = (columns >= 0) & looked
        found[:, columns[known]] = part.peaks[[LOW, LOW_AT, HIGH, HIGH_AT]][:, known]
        if part.settings[0]["peaks"] != ALL or not looked.any():
            continue
        for k, name in enumerate(part.compiled.joints):
            place = layout.channels + 2 * joints.index(name)
            found[2:, place : place + 2] = part.norms[:, 2 * k : 2 * k + 2]
    return found


def number_impacts(lines: list[tuple[int, np.ndarray]], seen: dict[tuple[int, int], int]) -> np.ndarray:
    """Impacts of all parts in the order of time, numbered through."""
    owners = np.concatenate([np.full(len(block), owner) for owner, block in lines])
    table = np.concatenate([block for _, block in lines])
    order = np.argsort(table[:, 0], kind="stable")
    table, owners = table[order], owners[order]
    for owner, line in zip(owners, table, strict=True):
        key = int(owner), int(line[2])
        line[2] = seen.setdefault(key, len(seen) + 1)
    return table


def _end(part: Running, state: State, times: np.ndarray, sink: Sink, verdict: Verdict) -> None:
    """Save the state at the instant at which a condition ended the run; the pending step holds it, or begins there."""
    time = part.end = float(part.work.tally[arrays.HALT])
    verdict.code, verdict.time = Code.HALTED, time
    if sink.saved < len(times) and (sink.saved == 0 or time > times[sink.saved - 1]):
        part.begin(np.array([time]))
        part.go_on(None)
        if part.ready:
            sink.end_at(time)
            sink.write(merged([part], 0, 1, sink.layout.channels), state)


def act_at_halt(part: Running, board: Switchboard) -> None:
    """Let the switches act whose conditions became true where the kernel stopped, and the run go on from there.

    Where they make the condition true that ends the run, the code shows it.
    """
    time = float(part.work.tally[arrays.HALT])
    here = list(dict.fromkeys(n for t, n in part.found if t > part.reported.get(n, -np.inf)))
    part.reported |= {n: max(t * (1.0 + 2.0 * SAME), part.reported.get(n, -np.inf)) for t, n in part.found}
    part.found = []
    if not any(board.acts(n) for n in here):  # nothing changes: the step is taken once more, and looked at from there
        part.take_back()
        part.state.clock[0]["reached"] = time
        return
    begin = float(part.state.clock[0]["t"])
    known = true_conditions(part.compiled, part.state, begin) | {n for n, t in part.reported.items() if t >= begin}
    part.land(time)
    if part.code is not Code.CONTINUE:
        return
    instant = Instant(part.compiled, part.state, time, part.size)
    carry_out(
        part, board, instant, instant.begins(here, known, [n for n, t in part.reported.items() if t >= time]), time
    )


def carry_out(part: Running, board: Switchboard, instant: Instant, new: list[int], time: float) -> None:
    """Let the switches of conditions act that become true at an instant, and those that their inputs make true."""
    ends = False
    while new and part.code is Code.CONTINUE:
        acting = [n for n in new if board.acts(n)]
        for n in acting:
            board.act(n, time)
        part.marks += [(time, n) for n in new if n in acting or not board.watches[n].switch]
        ends = ends or any(board.watches[n].stops and not board.watches[n].switch for n in new)
        part.set_inputs(board.values)
        part.renew()
        if board.chatters:
            part.code, part.blamed = Code.CHATTERS, board.watches[acting[0]].name
        new = instant.changes()
    part.work.holds[:] = instant.true
    # what becomes true from here on is new, be it at once; what became true here has been reported
    part.come_to(time)
    near = SETTLED * part.size
    part.reported = {n: time + near for t, n in part.marks if t >= time - near and not board.watches[n].switch}
    part.reported |= {n: time + max(near, 2.0 * soon) for n, soon in instant.same.items()}
    if ends and part.code is Code.CONTINUE:
        part.code, part.work.tally[arrays.HALT] = Code.HALTED, time


def settle(part: Running, board: Switchboard) -> None:
    """Let switches act whose instant is the end of the run: a run that goes on from there looks behind it only."""
    if part.found and part.at_halt:
        act_at_halt(part, board)


def hand_over(part: Running, board: Switchboard) -> None:
    """Set the end of the run in the State, and on the board what a run from there need not report again."""
    part.state.clock[0]["reached"] = part.reached
    later = {n for t, n in part.marks if t > part.reached * (1.0 + SAME)}  # that run finds them
    recent = min(float(part.state.clock[0]["t"]), part.reached * (1.0 - 2.0 * EARLIER))  # that run takes the step again
    board.reported = {board.watches[n].text: t for n, t in part.reported.items() if t >= recent and n not in later}


def drive(
    parts: list[Running],
    state: State,
    times: np.ndarray,
    end: float,
    sink: Sink,
    report: Progress | None,
    max_steps: int | None,
    board: Switchboard | None = None,
) -> Verdict:
    """Call the run kernels chunk by chunk until all is saved or one of them fails."""
    wanted = len(times)
    span = times if times[-1] >= end * (1.0 - 1e-12) else np.append(times, end)  # runs to the end, saved or not
    chunk = int(np.clip(CHUNK_BYTES // (8 * sink.layout.channels), 1, 4096))
    began = clock.perf_counter()
    seen: dict[tuple[int, int], int] = {}
    verdict = Verdict(Code.CONTINUE, parts=parts)
    for part in parts:
        part.end = float(span[-1])
    try:
        for first in range(0, len(span), chunk):
            for part in parts:
                part.begin(span[first : first + chunk])
            written, waiting = 0, list(parts)
            while waiting:
                lines: list[tuple[int, np.ndarray]] = []
                # a single part is written as it goes; several wait for each other
                for n, part in enumerate(parts):
                    if part in waiting:
                        lines += [(n, block) for block in part.go_on(max_steps)]
                        if report is not None:
                            now = min(float(one.state.clock[0]["t"]) for one in parts)
                            report(now, end, clock.perf_counter() - began)
                if lines:
                    sink.note(number_impacts(lines, seen) if len(parts) > 1 else lines[0][1])
                ready = min(part.ready for part in parts)
                if first + ready == len(span):
                    for part in parts:
                        part.give_back()
                if ready > written:
                    if sink.saved < wanted:
                        block = merged(parts, written, ready, sink.layout.channels)
                        sink.write(block[: wanted - sink.saved], state)
                    written = ready
                if board is not None and parts[0].code is Code.HALTED and not parts[0].ends:
                    act_at_halt(parts[0], board)
                waiting = [part for part in waiting if part.code is Code.CONTINUE and not part.full]
            if parts[0].code is Code.HALTED:  # where conditions are watched there is one part
                _end(parts[0], state, times, sink, verdict)
                if board is not None:
                    settle(parts[0], board)
                return verdict
            failed = [part for part in parts if part.code is not Code.CONTINUE]
            if failed:
                worst = min(failed, key=lambda part: float(part.state.clock[0]["t"]))
                verdict.code, verdict.where = worst.code, worst.culprit()
                verdict.detail = float(worst.work.tally[arrays.DETAIL])
                verdict.time = float(worst.state.clock[0]["t"])
                verdict.problem = worst.problem() if worst.code is Code.CONTACT_FAILED else None
                return verdict
        verdict.code = Code.DONE
        only = parts[0]
        ends = only.at_halt and only.ends
        if board is not None and not ends:
            settle(only, board)
        if ends or only.code is Code.HALTED:
            _end(only, state, times, sink, verdict)
            if board is not None:
                settle(only, board)
        elif only.code is not Code.CONTINUE:
            verdict.code, verdict.where, verdict.time = only.code, only.culprit(), float(only.state.clock[0]["t"])
    except KeyboardInterrupt:
        verdict.code = Code.INTERRUPTED
    except OSError as error:
        verdict.code, verdict.reason = Code.OUTPUT_FAILED, error.strerror or str(error)
    return verdict
