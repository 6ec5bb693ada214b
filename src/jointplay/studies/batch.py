"""Batch: many members of one compiled model, arrays in and arrays out.

    batch = jp.Batch(model, 1000, vary={"gap": jp.Uniform("10 um", "50 um")}, of=[jp.Peak("|B.force|")], until="0.1 s")
    result = batch.run()                 # values (1000, 1), codes (1000,), ...
    result = batch.run(points)           # at inputs of one's own (n, d)

    batch = jp.Batch(model, 64, vary=..., observe=["slider.position[0]"])
    values, codes = batch.advance("1 ms")        # every member goes on by a millisecond

Members run in threads. One that fails has a code in an array (0 is well); nothing is raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Model, State
from ..codes import Code
from ..compile.work import make_record
from ..errors import InputError, Problem
from ..numerics.jit import readable
from ..sensitivity.objectives import Final
from ..sensitivity.targets import targets_of
from ..simulation import seconds
from .crew import Crew, default_threads
from .engine import ModelEngine
from .lane import Track, culprit_of
from .plans import Plan, Random, whole
from .status import REFUSED, sentence
from .vary import Vary


@dataclass(frozen=True, eq=False)
class BatchResult:
    """What members gave: one line each."""

    names: tuple[str, ...]  # of the outputs
    values: np.ndarray  # (n, outputs); not a number where a member failed
    codes: np.ndarray  # (n,), 0 where the run reached its end
    times: np.ndarray  # (n,) s reached
    culprits: np.ndarray  # (n,) texts
    impacts: np.ndarray  # (n,)
    messages: tuple[str, ...]  # sentences about some of those that failed

    @property
    def ok(self) -> np.ndarray:
        """True for members that reached their end."""
        return np.asarray(self.codes == Code.DONE)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[:, self.names.index(name)]

    def __repr__(self) -> str:
        return f"<BatchResult: {len(self.codes)} members, {np.count_nonzero(~self.ok)} failed>"


class Batch:
    """A compiled model with n members.

    Args:
        model: a model file, a System, or a function of the inputs that makes one.
        n: number of members.
        vary: inputs by name, as for ``study``.
        of: outputs of whole runs, as for ``study``.
        observe: names of single quantities that ``advance`` gives.
        until: end of whole runs; the model's own unless given.
        method: how to integrate; the model's own, or the one that suits it.
        save: saved instants of whole runs.
        plan: points of the members; ``Random(n)`` unless given.
        threads: as many as there are cores unless given.
        correlations: of the inputs.
    """

    def __init__(
        self,
        model: Any,
        n: int,
        vary: Mapping[str, Any],
        *,
        of: Any = (),
        observe: Sequence[str] = (),
        until: float | str | None = None,
        method: Any = None,
        save: Any = None,
        plan: Plan | None = None,
        threads: int | None = None,
        correlations: Mapping[tuple[str, str], float] | None = None,
    ) -> None:
        self.n = whole("Batch: n", n, what=" of members")
        self.vary = Vary(vary, correlations)
        self.threads = default_threads() if threads is None else whole("Batch: threads", threads, what="")
        wanted = of or [Final(name) for name in observe]
        end = "1 s" if until is None and not of and observe else until
        self._engine = ModelEngine(model, self.vary, wanted, until=end, method=method, save=save)
        self._crew: Crew | None = None
        self.inputs = (plan or Random(self.n)).points(self.vary, 0, self.n)  # (n, d), yours to change before a run
        self._observed = targets_of(self._engine.members.layout, [Final(one) for one in observe]) if observe else None
        self._members: list[_Going] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(one.key for one in self._engine.columns)

    def run(self, inputs: np.ndarray | None = None) -> BatchResult:
        """Run all members from start to end."""
        points = self.inputs if inputs is None else np.atleast_2d(np.asarray(inputs, float))
        if points.ndim != 2 or points.shape[1] != len(self.vary):
            message = f"needs {len(self.vary)} columns ({', '.join(self.vary.names)}), got {points.shape}"
            raise InputError(Problem("inputs", message))
        self._crew = self._crew or Crew(self._engine, self.threads)
        block = self._crew.run(points)
        culprits = np.array([*self._engine.culprits, ""])[block.culprit]
        messages = tuple(block.messages.values())
        return BatchResult(self.names, block.values, block.code, block.time, culprits, block.impacts, messages)

    # -- step by step ------------------------------------------------------------------------------------------------

    def advance(self, time: float | str) -> tuple[np.ndarray, np.ndarray]:
        """Let every member go on by ``time`` (s, or a text): what is observed (n, k), and codes (n,), 0 if well.

        A member that has failed stays where it is; what is observed of it is not a number.
        """
        from concurrent.futures import ThreadPoolExecutor

        if self._observed is None:
            raise InputError(Problem("observe", "is missing: name what to give back"))
        span = seconds("time", time)
        if not span > 0.0:
            raise InputError(Problem("time", f"must be greater than zero, is {span:g} s"))
        if not self._members:
            self._begin()
        out = np.full((self.n, len(self._observed.targets)), np.nan)
        chosen = range(self.n)
        with ThreadPoolExecutor(self.threads) as pool:
            for lane in [
                pool.submit(self._advance, chosen[k :: self.threads], k, span, out) for k in range(self.threads)
            ]:
                lane.result()
        return out, np.array([one.code for one in self._members], dtype=np.int16)

    def reset(self) -> None:
        """Put every member back to its start, with the inputs as they are now."""
        self._members = []

    @property
    def states(self) -> list[State | None]:
        """State of each member, None of one that could not be built."""
        if not self._members:
            self._begin()
        return [one.states[0] if len(one.states) == 1 else None for one in self._members]

    def _begin(self) -> None:
        engine = self._engine
        self._lanes = [engine.room(engine.variants.base, whole=True) for _ in range(self.threads)]
        self._members = []
        for x in self.inputs:
            try:
                tracks = self._lanes[0].load(x[list(engine.places)])
            except (InputError, ValueError, ArithmeticError) as error:
                self._members.append(_Going([], [], REFUSED, 0.0, str(error)))
                continue
            models = [readable(Model(*(np.array(one) for one in track.model))) for track in tracks]
            states = [readable(State(*(np.array(one) for one in track.state))) for track in tracks]
            self._members.append(_Going(models, states, 0, 0.0, ""))

    def _advance(self, which: Sequence[int], lane: int, span: float, out: np.ndarray) -> None:
        assert self._observed is not None
        for k in which:
            one = self._members[k]
            if one.code != 0:
                continue
            one.time += span
            channels = self._step(one, self._lanes[lane].tracks)
            if channels is not None:
                values = self._observed.values(np.array([one.time]), channels[:, self._observed.columns])
                out[k] = list(values.values())

    def _step(self, one: _Going, tracks: list[Track]) -> np.ndarray | None:
        """Run one member to its next instant; its channels, None if it failed."""
        layout = self._engine.members.layout
        found = np.zeros((1, layout.channels))
        for track, model, state in zip(tracks, one.models, one.states, strict=True):
            track.wipe()
            own = np.empty((1, len(track.columns)))
            record = make_record(np.array([one.time]), own, len(track.nominal.joints))
            track.settings[0]["budget"] = 1_000_000_000
            code = int(track.method.run(model, state, track.work, record, track.settings))
            while code == Code.CONTINUE and not record.next[0]:
                track.work.tally[_events()] = 0
                code = int(track.method.run(model, state, track.work, record, track.settings))
            if code != Code.CONTINUE:
                detail = float(track.work.tally[_detail()])
                one.code = code
                one.message = sentence(code, float(state.clock[0]["t"]), culprit_of(track, code), detail)
                return None
            state.clock[0]["reached"] = one.time
            known = track.columns >= 0
            if len(tracks) == 1:
                found[:] = own
            else:
                found[:, track.columns[known]] = own[:, known]
        return found

    def __repr__(self) -> str:
        return f"<Batch of {self.n}: {', '.join(self.vary.names)} -> {', '.join(self.names)}>"


def _events() -> int:
    from ..arrays import EVENT_COUNT

    return int(EVENT_COUNT)


def _detail() -> int:
    from ..arrays import DETAIL

    return int(DETAIL)


@dataclass
class _Going:
    """A member that is under way."""

    models: list[Model]
    states: list[State]
    code: int
    time: float
    message: str
