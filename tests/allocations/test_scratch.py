"""Work is scratch: a step from a State has the same bits whatever the steps and saves before it left in Work.

That is what continued runs rest on. Here every step is taken twice, with the Work of the run and with a new one; and
after an attempt at it that was taken back, as where a switch acts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bits import bits
from reliability.random_mechanisms import mechanism

import jointplay as jp
from jointplay.arrays import EVENT_COUNT, MARKS, PARTIALS
from jointplay.codes import Code
from jointplay.compile.build import compile_system
from jointplay.compile.parts import compile_parts
from jointplay.compile.work import make_work
from jointplay.gallery import entries
from jointplay.results.layout import layout_of
from jointplay.running import Running
from jointplay.selection import choose_method
from jointplay.simulation import refuse_unsuitable

SAVES = 40
COUNTERS = 2  # last channels: steps and rejections so far, which new scratch counts anew
MECHANISMS = 24


def put(into, values) -> None:
    """Overwrite arrays in place."""
    for array, other in zip(into, values, strict=True):
        array[...] = other


def first_difference(system: jp.System, method: jp.Method | None, until: float, steps: int) -> str:
    """Where a step with a new Work departs from the same step of the run; nothing if no step does."""
    compiled = compile_system(system, horizon=until)
    method = method or choose_method(compiled, until)[0]
    refuse_unsuitable(method, compiled)
    for piece in compile_parts(compiled, until):
        part = Running(piece, piece.state, method, layout_of(compiled), compiled.contacts)
        part.begin(np.linspace(0.0, until, SAVES))
        for _ in range(steps):
            before, saved = [array.copy() for array in part.state], part.record.next.copy()
            scratch = make_work(piece.model, part.state, method.stages, implicit=method.implicit)
            scratch.tally[PARTIALS] = float(method.implicit)
            part._call(1)
            after, used, ended = [a.copy() for a in part.state], [a.copy() for a in part.work], part.record.next.copy()
            code, lines = part.code, part.record.channels[saved[0] : ended[0]].copy()
            put(part.state, before)
            put(part.work, scratch)
            part.record.next[...] = saved
            part._call(1)
            if part.code is not code or any(a.tobytes() != b.tobytes() for a, b in zip(part.state, after, strict=True)):
                return f"{method}, t = {before[0][0]['t']}, {code.name} and {part.code.name}"
            again = part.record.channels[saved[0] : ended[0], :-COUNTERS]
            same = np.array_equal(lines[:, :-COUNTERS], again, equal_nan=True)  # zeros may differ in their sign
            if not same:
                return f"{method}, saved behind t = {before[0][0]['t']}"
            put(part.work, used)
            part.record.next[...] = ended
            part.work.tally[EVENT_COUNT] = part.work.tally[MARKS] = 0
            if code is not Code.CONTINUE or part.full:
                break
    return ""


def trace_of_an_attempt(system: jp.System, method: jp.Method | None, until: float, steps: int) -> str:
    """Where a step departs from itself after an attempt at it was taken back; nothing if no step does."""
    compiled = compile_system(system, horizon=until)
    method = method or choose_method(compiled, until)[0]
    refuse_unsuitable(method, compiled)
    for piece in compile_parts(compiled, until):
        part = Running(piece, piece.state, method, layout_of(compiled), compiled.contacts)
        for _ in range(steps):
            before = [array.copy() for array in part.state]
            t, found = float(before[0][0]["t"]), []
            for attempt in (True, False):
                put(part.state, before)
                if attempt:
                    part.begin(np.array([t * (1 + 1e-12) + 1e-12]))  # is there before the step becomes the state
                    part._call(1)
                    if part.code is not Code.CONTINUE:
                        return ""
                    put(part.state, before)
                    part.take_back()
                part.begin(np.array([until]))
                part._call(1)
                found.append([array.tobytes() for array in part.state])
                if attempt:
                    put(part.work, make_work(piece.model, part.state, method.stages, implicit=method.implicit))
                    part.work.tally[PARTIALS] = float(method.implicit)
            if found[0] != found[1]:
                return f"{method}, t = {t}"
            part.work.tally[EVENT_COUNT] = part.work.tally[MARKS] = 0
            if part.code is not Code.CONTINUE or part.full:
                break
    return ""


def rigid_models() -> list[str]:
    """Models of the gallery with rigid contact."""
    return sorted(name for name, path in entries().items() if path.suffix == ".yaml" and "rigid" in path.read_text())


@pytest.mark.parametrize("name", rigid_models())
def test_controlled_steps_of_the_gallery(name: str) -> None:
    assert not first_difference(jp.load_model(entries()[name]), jp.Moreau(), 0.4, 400)


@pytest.mark.slow
def test_sliding_contacts_that_stick_and_slip_in_turn() -> None:
    """The door: contacts in space with friction, where steps are cut some hundred times."""
    assert not first_difference(jp.load_model(entries()["worn_door"]), jp.Moreau(), 0.4, 5000)


METHODS = {
    "default": None,
    "moreau": jp.Moreau(rtol=1e-7),
    "moreau_fixed": jp.Moreau(step=1e-3),
    "optimal_step": jp.OptimalStep(),
    "explicit": jp.Explicit(rtol=1e-6),
    "implicit": jp.Implicit(rtol=1e-5),
    "index1": jp.Index1(step=1e-3),
    "verlet": jp.Verlet(step=1e-3),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_random_mechanisms(method: jp.Method | None) -> None:
    """The first ones that the method takes."""
    taken, seed = 0, 4200
    while taken < MECHANISMS:
        try:
            assert not first_difference(mechanism(seed), method, 0.3, 120), f"mechanism {seed}"
            assert not trace_of_an_attempt(mechanism(seed), method, 0.3, 120), f"mechanism {seed}"
            taken += 1
        except jp.InputError:  # rigid contact, or none, where the method wants the other
            pass
        seed += 1


@pytest.mark.parametrize("to_file", (False, True), ids=("in memory", "in a file"))
def test_a_run_that_ends_where_contacts_strike(to_file: bool, tmp_path: Path) -> None:
    """An attempt at the step behind the end may change its start: what is handed on is the state before it."""
    system, end = mechanism(5243), 0.25
    whole = jp.simulate(system, end, jp.Moreau(), save=end / 20)
    for n in range(8, 13):  # number 10 is such an instant
        output = tmp_path / f"{n}.nc" if to_file else None
        half = jp.simulate(system, float(whole.time[n]), jp.Moreau(), save=end / 20, output=output)
        rest = jp.simulate(system, end, jp.Moreau(), save=end / 20, start=half)
        assert bits(rest) == bits(whole, len(rest.time)), n
