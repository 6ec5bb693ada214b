"""A lane: the room in which one thread runs members, one after the other.

A lane has its own copy of the model, of the start and of all scratch, so that lanes share nothing but constants. Python
works once per member: numbers in, one call of the kernel (or a few, for long runs), outputs out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import PARTIALS, Model, Record, State, Work
from ..codes import Code, Outcome
from ..compile.build import starter
from ..compile.pack import Compiled
from ..compile.work import make_record, make_work
from ..errors import InputError
from ..methods.peaks import NONE
from ..numerics.jit import bound, readable
from ..results.sink import cut
from ..results.solution import Solution
from ..running import CHUNK_BYTES, LAST, number_impacts
from .assembly import Assembly
from .filling import Filling
from .members import Members, Settings, named
from .outputs import Outputs
from .status import FUNCTION_FAILED, NOT_A_NUMBER, REFUSED, Row

ALIGNED = 64  # bytes
BUDGET = 200_000  # steps in one call: between calls a study can be stopped
NO_EVENTS = np.zeros((0, arrays.EVENT_COLUMNS))


class Stopped(Exception):  # noqa: N818  not an error: it was requested
    """The study is to stop."""


def together(work: Work, apart: tuple[str, ...]) -> tuple[Work, np.ndarray]:
    """The same arrays, side by side in one block of memory that can be copied at once."""
    sizes = [
        0 if name in apart else -(-one.nbytes // ALIGNED) * ALIGNED
        for name, one in zip(work._fields, work, strict=True)
    ]
    block = np.zeros(sum(sizes) // 8 + ALIGNED // 8, dtype=np.uint64).view(np.uint8)
    block = block[-block.ctypes.data % ALIGNED :][: sum(sizes)]
    views, first = [], 0
    for one, size in zip(work, sizes, strict=True):
        if size:
            plain = one.view(np.ndarray)
            view = block[first : first + plain.nbytes].view(plain.dtype).reshape(plain.shape)
            view[...] = plain
            views.append(view)
        else:
            views.append(one)
        first += size
    return readable(Work(*views)), block


class Track:
    """One independent part of a model in a lane."""

    def __init__(self, compiled: Compiled, settings: Settings, contacts: np.ndarray, columns: np.ndarray) -> None:
        self.nominal, self.contacts, self.columns = compiled, contacts, columns
        self.method = settings.method
        self.model = readable(Model(*(np.array(one) for one in compiled.model)))
        self.fresh = [np.array(one) for one in compiled.state]
        self.state = readable(State(*(one.copy() for one in self.fresh)))
        work = make_work(compiled.model, compiled.state, self.method.stages, implicit=self.method.implicit)
        work.tally[PARTIALS] = float(self.method.implicit)
        self.work, self.scratch = together(work, apart=("event",))  # lines of events count by their tally alone
        self.clean = self.scratch.copy()
        self.settings = self.usual()
        self.start = starter(self.model, self.state, self.work)
        self.records: list[Record] = []
        self.kernels: list[Callable[[], int]] = []

    def room(self, pieces: list[np.ndarray], channels: np.ndarray) -> Track:
        """Records of a run, piece by piece on the same ``channels``, and the kernel bound to each."""
        joints = len(self.nominal.joints)
        self.records = [make_record(times, channels[: len(times)], joints) for times in pieces]
        fixed = self.model, self.state, self.work
        self.kernels = [bound(self.method.run, *fixed, record, self.settings) for record in self.records]
        return self

    def restart(self) -> None:
        """State and scratch as at the start of a run."""
        for onto, old in zip(self.state, self.fresh, strict=True):
            onto[...] = old
        self.wipe()

    def wipe(self) -> None:
        """Scratch as at the start of a run."""
        self.scratch[...] = self.clean

    def use(self, other: Compiled) -> Track | None:
        """Take the numbers of a compiled member of the same structure."""
        for onto, new in zip(self.model, other.model, strict=True):
            onto[...] = new
        for onto, new in zip(self.state, other.state, strict=True):
            onto[...] = new
        self.wipe()
        self.settings[...] = self.usual(other)
        return self

    def back(self) -> None:
        """The nominal numbers again, after those of a compiled member."""
        for onto, old in zip(self.model, self.nominal.model, strict=True):
            onto[...] = old
        self.settings[...] = self.usual()

    def usual(self, other: Compiled | None = None) -> np.ndarray:
        """Settings of the method for the nominal model, or for another."""
        settings = self.method.settings(float((other or self.nominal).model.info[0]["length"]))
        settings[0]["peaks"] = NONE
        return settings


@dataclass
class Ran:
    """How the parts of a member ran."""

    code: int
    time: float  # s reached, or of the failure
    culprit: str
    detail: float
    saved: int
    events: np.ndarray


class Lane:
    """Room for one thread."""

    def __init__(
        self,
        members: Members,
        settings: Settings,
        outputs: Outputs | None,
        filling: Filling | None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.members, self.settings, self.outputs, self.filling, self.stop = members, settings, outputs, filling, stop
        self._lay_out(settings)
        self.tracks = self._tracks(members.parts)
        self.pairs = [(track.model, track.state) for track in self.tracks]
        channels = members.layout.channels
        whole = outputs is None or outputs.need_solution or outputs.targets is None
        self.kept_columns = np.arange(channels) if whole else outputs.targets.columns  # type: ignore[union-attr]
        self.kept = np.empty((len(self.span), len(self.kept_columns)))
        self.spread = np.zeros((0, channels)) if whole else None
        self.dirty = False  # numbers of a compiled member stand in the model
        self.assemblies = self._assemblies() if filling is not None and not filling.assembled else []

    def _lay_out(self, settings: Settings) -> None:
        """Instants of a run in pieces, and room for the channels of one piece of each part."""
        times, end = settings.times, settings.end
        self.span = times if times[-1] >= end * (1.0 - 1e-12) else np.append(times, end)
        chunk = int(np.clip(CHUNK_BYTES // (8 * self.members.layout.channels), 1, 4096))
        self.pieces = [(k, min(k + chunk, len(self.span))) for k in range(0, len(self.span), chunk)]
        longest = min(chunk, len(self.span))
        self.buffers = [np.empty((longest, one.channels)) for one in self.members.layouts]

    def _tracks(self, parts: list[Compiled]) -> list[Track]:
        members, pieces = self.members, [self.span[first:last] for first, last in self.pieces]
        each = zip(parts, members.contacts, members.columns, self.buffers, strict=True)
        return [
            Track(part, self.settings, contacts, columns).room(pieces, buffer)
            for part, contacts, columns, buffer in each
        ]

    def _assemblies(self) -> list[Assembly]:
        """What assembles each track anew, with numbers as they are given."""
        given = self.members.given()
        mains = [one for n, one in enumerate(given) if not any(one is other.twin for other in given[:n])]
        return [
            Assembly(one, track.nominal, track.model, track.state, track.work)
            for one, track in zip(mains, self.tracks, strict=True)
        ]

    # -- one member --------------------------------------------------------------------------------------------------

    def row(self, p: np.ndarray) -> Row:
        """Run the member at p (values of the model's inputs); never raises but for KeyboardInterrupt and Stopped."""
        count = len(self.outputs.columns) if self.outputs else 0
        try:
            tracks = self.load(p)
        except InputError as error:
            return Row.failed(count, REFUSED, 0.0, message="; ".join(map(str, error.problems)))
        except (ValueError, ArithmeticError) as error:  # a user's function that cannot take these numbers
            return Row.failed(count, REFUSED, 0.0, message=str(error) or type(error).__name__)
        ran = self.go(tracks)
        impacts, order = _impacts(ran.events)
        row = Row(np.full(count, np.nan), ran.code, ran.time, ran.culprit, ran.detail, impacts, order)
        if ran.code != Code.DONE or self.outputs is None:
            return row
        saved = min(ran.saved, len(self.settings.times))
        time = self.settings.times[:saved]
        try:
            row.values = self._values(time, saved, ran)
        except Exception as error:  # a function of the user's: whatever it raises is the end of this row only
            row.code, row.message = FUNCTION_FAILED, f"{type(error).__name__}: {error}"
            return row
        if not np.isfinite(row.values).all():
            row.code = NOT_A_NUMBER
        return row

    def _values(self, time: np.ndarray, saved: int, ran: Ran) -> np.ndarray:
        assert self.outputs is not None
        kept = self.kept[:saved]
        targets = self.outputs.targets
        if self.spread is not None:
            return self.outputs.values(time, kept, ran.events, lambda: self.solution(ran))
        # only the columns that are needed were kept: give them the places that targets expect
        assert targets is not None
        return self.outputs.values(time, _Columns(kept), ran.events, _nothing)  # type: ignore[arg-type]

    def load(self, p: np.ndarray) -> list[Track]:
        """Tracks with the numbers of the member at p, at its start; raises InputError."""
        inputs = self.filling.inputs(p) if self.filling is not None else None
        return self._compiled(p) if inputs is None else self.fill(p, inputs)

    def fill(self, p: np.ndarray, inputs: np.ndarray) -> list[Track]:
        """Tracks with numbers that are filled, where ``inputs`` are what lines are of; raises InputError."""
        assert self.filling is not None
        if self.assemblies:
            return self._assembled(p, inputs)
        if self.dirty:
            for track in self.tracks:
                track.back()
            self.dirty = False
        for track in self.tracks:
            track.restart()
        self.filling.write(p, inputs, self.pairs)
        for track in self.tracks:
            track.start()
        return self.tracks

    def _assembled(self, p: np.ndarray, inputs: np.ndarray) -> list[Track]:
        """Tracks with numbers as given at p, and what follows from them."""
        assert self.filling is not None
        for one in self.assemblies:
            one.reset()
        self.filling.write(p, inputs, [pair for one in self.assemblies for pair in one.pairs])
        for one, track in zip(self.assemblies, self.tracks, strict=True):
            track.wipe()
            one.settle()
            track.method.prepare(track.model)
            track.wipe()
            if self.dirty:
                track.settings[...] = track.usual()
        self.dirty = False
        return self.tracks

    def _compiled(self, p: np.ndarray) -> list[Track]:
        """Tracks of the member that is compiled at p."""
        member = self.members.compiled(named(self.members.names, p))
        if not member.same:
            return self._tracks(member.parts)
        self.dirty = True
        for track, part in zip(self.tracks, member.parts, strict=True):
            track.use(part)
        return self.tracks

    def go(self, tracks: list[Track]) -> Ran:
        """Run to the end, or as far as it goes."""
        events: list[tuple[int, np.ndarray]] = []
        seen: dict[tuple[int, int], int] = {}
        for piece, (first, last) in enumerate(self.pieces):
            failed: list[tuple[float, Track, int]] = []
            ready = last - first
            for n, track in enumerate(tracks):
                code, found = self._take(track, piece)
                events += [(n, block) for block in found]
                ready = min(ready, int(track.records[piece].next[0]))
                if code != Code.CONTINUE:
                    failed.append((float(track.state.clock[0]["t"]), track, code))
            self._keep(tracks, first, ready)
            if failed:
                time, worst, code = min(failed, key=lambda one: one[0])
                detail = float(worst.work.tally[arrays.DETAIL])
                return Ran(code, time, culprit_of(worst, code), detail, first + ready, _ordered(events, tracks, seen))
        return Ran(int(Code.DONE), self.settings.end, "", 0.0, len(self.span), _ordered(events, tracks, seen))

    def _take(self, track: Track, piece: int) -> tuple[int, list[np.ndarray]]:
        """Call the kernel until the record of a piece is full or it fails."""
        events: list[np.ndarray] = []
        record, kernel = track.records[piece], track.kernels[piece]
        record.next[0] = 0
        track.settings[0]["budget"] = BUDGET
        while True:
            code = int(kernel())
            count = int(track.work.tally[arrays.EVENT_COUNT])
            if count:
                track.work.tally[arrays.EVENT_COUNT] = 0
                lines = track.work.event[:count].copy()
                lines[:, 1] = track.contacts[lines[:, 1].astype(np.int64)]
                events.append(lines)
            if code != Code.CONTINUE or record.next[0] == len(record.times):
                return code, events
            if self.stop():
                raise Stopped

    def _keep(self, tracks: list[Track], first: int, ready: int) -> None:
        """Put what counts of the saved states aside."""
        if len(tracks) == 1:
            self.kept[first : first + ready] = self.buffers[0][:ready][:, self.kept_columns]
            return
        channels = self.members.layout.channels
        out, energies = np.zeros((ready, channels)), channels - LAST
        for track, buffer in zip(tracks, self.buffers, strict=True):
            own, known = buffer[:ready], track.columns >= 0
            out[:, track.columns[known]] = own[:, known]
            out[:, energies:-3] += own[:, -LAST:-3]
            out[:, -3] = np.where(out[:, -3] == 0.0, own[:, -3], np.minimum(out[:, -3], own[:, -3]))
            out[:, -2:] += own[:, -2:]
        self.kept[first : first + ready] = out[:, self.kept_columns]

    def solution(self, ran: Ran, meta: dict[str, Any] | None = None) -> Solution:
        """The whole run as a Solution; of a lane that keeps all channels."""
        saved = min(ran.saved, len(self.settings.times))
        code = Code(ran.code)
        return Solution(
            layout=self.members.layout,
            time=self.settings.times[:saved].copy(),
            data=cut(self.kept[:saved].copy(), self.members.layout),
            outcome=Outcome.of(code, ran.time, detail=ran.detail, where=ran.culprit),
            stats={},
            meta=meta or {"name": self.members.system.name, "until": self.settings.end},
            state=None,
            events=ran.events,
        )


class _Columns:
    """Kept columns that answer to the places of targets: those are the very columns that were kept."""

    def __init__(self, kept: np.ndarray) -> None:
        self._kept = kept

    def __getitem__(self, _: Any) -> np.ndarray:
        return self._kept


def _nothing() -> Solution:
    raise AssertionError("no output needs it")


def _ordered(events: list[tuple[int, np.ndarray]], tracks: list[Track], seen: dict[tuple[int, int], int]) -> np.ndarray:
    if not events:
        return NO_EVENTS
    return number_impacts(events, seen) if len(tracks) > 1 else np.concatenate([block for _, block in events])


def _impacts(events: np.ndarray) -> tuple[int, int]:
    """How many impacts, and a number that stands for their order: which contacts struck, one after the other."""
    if not len(events):
        return 0, 0
    order = hashlib.blake2b(events[:, 1].astype("<u2").tobytes(), digest_size=8).digest()
    return int(np.count_nonzero(np.diff(events[:, 2])) + 1), int.from_bytes(order, "little", signed=True)


def culprit_of(track: Track, code: int) -> str:
    """The joint or contact that a failure names."""
    row = int(track.work.tally[arrays.CULPRIT])
    of_contact = code in (Code.CONTACT_FAILED, Code.ENDLESS_IMPACTS, Code.STEP_UNDERFLOW)
    names = track.nominal.contacts if of_contact else track.nominal.row_names
    blamed = of_contact or code in (Code.PROJECTION_FAILED, Code.NOT_FINITE)
    return names[row] if blamed and 0 <= row < len(names) else ""
