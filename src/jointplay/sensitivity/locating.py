"""The nominal run of a question with conditions: where they become true, and how fast."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ..compile.build import compile_system
from ..compile.extent import size_of as length_of
from ..methods.base import Method
from ..model.system import System
from ..numerics.jit import readable
from ..results.solution import Solution
from ..simulation import run_pieces, simulate
from .conditions import Condition
from .moving import NODES, WIDTH, Event, Moving, flaw_of, nodes_about, polynomial, times_of
from .objectives import Instant
from .source import Source
from .targets import Targets, channels_of
from .variation import STEP, difference, size_of

log = logging.getLogger("jointplay")
ATTEMPTS = 4  # at nodes that lie in one step


@contextmanager
def quietly() -> Iterator[None]:
    """Runs that nobody asked for say nothing."""
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def locate(
    source: Source,
    system: System,
    targets: Targets,
    method: Method,
    saves: np.ndarray,
    end: float,
    ends: str | None,
) -> Moving:
    """Targets with all events that they depend on; ``ends`` is the condition that ends the run, ``end`` its limit."""
    others: list[str] = [text for text in targets.conditions if text != ends]
    with quietly():
        run = simulate(system, ends or end, method, saves, at_most=end if ends else None, record=others or None)
    wanted = [(t.name, t.number) for one in targets.objectives for _, t, _ in one.terms if isinstance(t, Instant)]
    found: dict[tuple[str, int], Event] = {}
    for text, number in dict.fromkeys([*wanted, *([(ends, 1)] if ends else [])]):
        known = times_of(text, run)
        event = Event(targets.conditions[text], number)
        if number <= len(known):
            found[text, number] = replace(event, time=known[number - 1])
        else:
            often = "never became true" if not known else f"became true {len(known)} times, not {number}"
            found[text, number] = replace(event, flaw=(float(run.time[-1]), f"'{text}' {often}"))
    there = [one for one in found.values() if np.isfinite(one.time)]
    looked_at = [] if system.switches else there  # exact derivatives do not follow switches, and need no rates
    for one in looked_at:
        found[one.key] = Event.unseen(one, len(targets.columns))
    for event, step, nodes, lines in _looked_at(system, targets, method, end, run, looked_at):
        found[event.key] = _measured(event, step, nodes, lines, source)
    shown = run.time
    times = np.unique(np.concatenate([shown, [one.time for one in there]]))
    return Moving(
        targets.targets,
        targets.columns,
        targets.conditions,
        targets.notes,
        times=times,
        visible=np.isin(times, shown),
        events=found,
        end=found.get((ends, 1)) if ends and run.outcome.ok else None,
        parameters=len(source.parameters),
    )


def _looked_at(
    system: System, targets: Targets, method: Method, end: float, run: Solution, events: list[Event]
) -> Iterator[tuple[Event, float, np.ndarray, np.ndarray]]:
    """For each event its step, instants of that step about it, and the wanted channels there."""
    if not events:
        return
    compiled = compile_system(system.watching({text: text for text in targets.conditions}), horizon=end)
    steps = {one.key: _step_near(run, one.time) for one in events}
    waiting = events
    for _ in range(ATTEMPTS):
        about = {one.key: nodes_about(one.time, steps[one.key], end) for one in waiting}
        times = np.unique(np.concatenate(list(about.values())))
        state = readable(type(compiled.state)(*(part.copy() for part in compiled.state)))
        with quietly():
            looked = run_pieces(compiled, [compiled], state, method, float(times[-1]), times)
        channels, count = channels_of(looked, targets.columns), looked["solver.steps"]
        again = []
        for one in waiting:
            own = np.searchsorted(looked.time, about[one.key])
            own = own[own < len(looked.time)]
            here = int(np.searchsorted(looked.time, one.time))
            own = own[count[own] == count[min(here, len(count) - 1)]]
            step = float(looked["solver.step"][min(here, len(count) - 1)])
            if len(own) > NODES // 2:
                yield one, step, looked.time[own], channels[own]
            else:  # they reach into other steps
                steps[one.key] = min(step, 0.25 * steps[one.key])
                again.append(one)
        waiting = again
        if not waiting:
            return


def _step_near(run: Solution, time: float) -> float:
    """Size of the steps about an instant."""
    place = int(np.searchsorted(run.time, time))
    return float(np.min(run["solver.step"][max(place - 1, 1) : place + 2], initial=np.inf))


def _measured(event: Event, step: float, nodes: np.ndarray, lines: np.ndarray, source: Source) -> Event:
    """The event with all that its derivative needs."""
    condition = event.condition
    at, rates, _ = polynomial(event.time, nodes, lines)
    here = int(np.argmin(np.abs(nodes - event.time)))
    g = condition.values(nodes, lines)
    _, rate, bend = polynomial(event.time, nodes, g[:, None])
    slopes, width = condition.slopes(event.time, at), WIDTH * step
    # the same by the chain rule: where the condition has a kink, what goes through its values is no tangent
    early, late = (condition.values(np.array([event.time + side]), at[None])[0] for side in (-width, width))
    chain = float(slopes @ rates[condition.places] + (late - early) / (2.0 * width))
    spread = float(np.ptp(g)) * 2.0 * WIDTH * step / float(np.ptp(nodes))
    return replace(
        event,
        rate=float(rate[0]),
        slopes=slopes,
        rates=rates,
        by=_by_parameters(condition, event.time, at, source),
        flaw=flaw_of(condition.text, event.time, step, float(g[here]), (float(rate[0]), chain), float(bend[0]), spread),
    )


def _by_parameters(condition: Condition, time: float, line: np.ndarray, source: Source) -> np.ndarray:
    """dg/drho of each parameter with the motion held: not zero if the condition names what depends on it."""
    out = np.zeros(len(source.parameters))
    if not condition.given:
        return out
    nominal = condition.values(np.array([time]), line[None, :])
    length = length_of(source.system())
    for k, parameter in enumerate(source.parameters):

        def at(value: float, name: str = parameter.name) -> np.ndarray:
            signal = condition.at(source.system({name: value}))
            return condition.values(np.array([time]), line[None, :], signal)

        def never(*_: Any) -> bool:
            return False

        out[k] = difference(at, parameter.value, STEP * size_of(parameter, length), nominal, never, never)[0][0]
    return out
