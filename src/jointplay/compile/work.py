"""Scratch arrays for a model, made once: those that assembled it serve what looks at its start, and then its run.

Who borrows scratch finds it as if it were new, so results do not depend on who had it before. While it is lent nobody
else has it: who comes then, on another thread or beside a run, makes scratch of his own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .. import arrays
from ..arrays import Model, Record, State, Work
from ..methods.peaks import LINES
from ..numerics.contact import contact_scratch
from ..numerics.jit import readable
from ..numerics.lu import LINES as BAND
from ..numerics.signals import SENSED, signal_stack
from .envelope import envelope
from .pack import Compiled
from .records import of_type

FIXED = ("event", "slot", "band", "pivot")  # of scratch that is used again
TOLERANCE, ENOUGH = 1e-13, 1e-10  # of contact problems


def _matrix(model: Model, implicit: bool = True, scalar: type = float) -> dict[str, np.ndarray]:
    """The matrix of an implicit method, and where its entries stand; empty for others."""
    slot, band = envelope(model) if implicit else (np.zeros(0, dtype=np.int64), np.zeros((BAND, 0), dtype=np.int64))
    unknowns = band.shape[1]
    return {"dense": np.zeros((unknowns + 1, unknowns), dtype=scalar), "slot": slot, "band": band}


def make_work(model: Model, state: State, stages: int = 0, scalar: type = float, implicit: bool = False) -> Work:
    """Work for a model; ``stages`` lines of rates for the method, a matrix if it is implicit; the ground in place."""
    info = model.info[0]
    bodies, rows, block = int(info["bodies"]), int(info["bilateral"]), int(info["block"])
    every = int(info["measure"]) + 2  # behind the rows the bin, and a spare one that is zero
    kin = np.zeros(bodies, dtype=of_type(arrays.motion_dtype, scalar))
    contacts, dim = int(info["contacts"]), int(info["dim"])
    work = Work(
        kin=kin,
        row=np.zeros(every, dtype=of_type(arrays.row_dtype, scalar)),
        weighed=np.zeros((every, 12), dtype=scalar),
        entry=np.zeros(block**2 * len(model.pair), dtype=scalar),
        lower=np.zeros(block**2 * len(model.link), dtype=scalar),
        vector=np.zeros((6, max(every, block**2 * (len(model.place) - 1))), dtype=scalar),
        stage=np.zeros((arrays.STAGE + stages, len(state.y)), dtype=scalar),
        stack=signal_stack(scalar, len(model.sense)),
        tally=np.zeros(arrays.TALLY),
        touch=np.zeros(contacts, dtype=of_type(arrays.touch_dtype, scalar)),
        reply=np.zeros((dim * contacts, 6 * bodies), dtype=scalar),
        echo=np.zeros((dim * contacts + 1, rows), dtype=scalar),
        delassus=np.zeros((dim * contacts, dim * contacts), dtype=scalar),
        problem=np.zeros((4, dim * contacts), dtype=scalar),
        pivot=contact_scratch(dim, contacts, tolerance=TOLERANCE, enough=ENOUGH),
        event=np.zeros((arrays.EVENTS if contacts else 0, arrays.EVENT_COLUMNS)),
        press=np.zeros(len(model.pad), dtype=of_type(arrays.press_dtype, scalar)),
        gradient=np.zeros(6, dtype=scalar),
        slide=np.zeros(int(info["rubs"]), dtype=of_type(arrays.slide_dtype, scalar)),
        reflex=np.zeros((6 * int(info["rubs"]) + 2, max(rows, 6 * int(info["rubs"]))), dtype=scalar),
        **_matrix(model, implicit, scalar),
        mark=np.zeros((arrays.MARK_LINES if len(model.watch) else 0, 2)),
        inner=np.zeros((arrays.INNER_MATRIX + int(info["inner"]), int(info["inner"])), dtype=scalar),
        holds=np.zeros(len(model.watch), dtype=np.int64),
    )
    _begin(work)
    return readable(work)


def _begin(work: Work) -> None:
    """What is not zero in new scratch, but for what a model or a scalar decides."""
    work.kin[0]["A"] = np.eye(3)
    work.tally[arrays.HALT] = np.inf
    work.tally[arrays.CAP] = np.inf
    work.tally[arrays.PARTIALS] = 1.0
    work.holds[:] = -1


def _wipe(work: Work, model: Model) -> None:
    """Scratch as ``make_work`` leaves it; places of an implicit matrix stay, and so do lines that a count guards."""
    for name, array in zip(work._fields, work, strict=True):
        if name not in FIXED:
            array.view(np.ndarray).reshape(-1).view(np.uint8)[...] = 0
    work.stack[...] = signal_stack(work.stack.dtype.type, len(work.stack) - SENSED)
    work.pivot[...] = contact_scratch(int(model.info[0]["dim"]), len(work.touch), tolerance=TOLERANCE, enough=ENOUGH)
    _begin(work)


@contextmanager
def scratch(compiled: Compiled) -> Iterator[Work]:
    """Scratch of a compiled system, to be given back."""
    work = take_scratch(compiled)
    try:
        yield work
    finally:
        if not compiled.scratch:
            compiled.scratch.append(work)


def take_scratch(compiled: Compiled, stages: int = 0, implicit: bool = False) -> Work:
    """Scratch of a compiled system to keep, with what a method needs beside."""
    try:
        work = compiled.scratch.pop()
    except IndexError:
        return make_work(compiled.model, compiled.state, stages, implicit=implicit)
    _wipe(work, compiled.model)
    if not stages and not implicit:
        return work
    more = {"stage": np.zeros((arrays.STAGE + stages, len(compiled.state.y)))}
    return readable(work._replace(**more | (_matrix(compiled.model) if implicit else {})))


def make_record(times: np.ndarray, channels: np.ndarray, joints: int = 0) -> Record:
    """Room for the channels at ``times``, and for extremes over all steps that are not known yet."""
    peaks = np.zeros((LINES, channels.shape[1]))
    peaks[0], peaks[2] = np.inf, -np.inf
    return Record(times, channels, np.zeros(1, dtype=np.int64), peaks, np.zeros((2, 2 * joints)))
