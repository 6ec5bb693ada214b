"""Scratch arrays for a model, made once per run."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..arrays import Model, Record, State, Work
from ..methods.peaks import LINES
from ..numerics.contact import contact_scratch
from ..numerics.jit import readable
from ..numerics.signals import signal_stack
from .envelope import envelope
from .records import of_type


def make_work(model: Model, state: State, stages: int = 0, scalar: type = float, implicit: bool = False) -> Work:
    """Work for a model; ``stages`` lines of rates for the method, a matrix if it is implicit; the ground in place."""
    info = model.info[0]
    bodies, rows, block = int(info["bodies"]), int(info["bilateral"]), int(info["block"])
    every = int(info["measure"]) + 2  # behind the rows the bin, and a spare one that is zero
    kin = np.zeros(bodies, dtype=of_type(arrays.motion_dtype, scalar))
    kin[0]["A"] = np.eye(3)
    contacts, dim = int(info["contacts"]), int(info["dim"])
    slot, band = envelope(model) if implicit else (np.zeros(0, dtype=np.int64), np.zeros((4, 0), dtype=np.int64))
    unknowns = band.shape[1]
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
        pivot=contact_scratch(dim, contacts, tolerance=1e-13, enough=1e-10),
        event=np.zeros((arrays.EVENTS if contacts else 0, arrays.EVENT_COLUMNS)),
        press=np.zeros(len(model.pad), dtype=of_type(arrays.press_dtype, scalar)),
        gradient=np.zeros(6, dtype=scalar),
        slide=np.zeros(int(info["rubs"]), dtype=of_type(arrays.slide_dtype, scalar)),
        reflex=np.zeros((6 * int(info["rubs"]) + 2, max(rows, 6 * int(info["rubs"]))), dtype=scalar),
        dense=np.zeros((unknowns + 1, unknowns), dtype=scalar),
        slot=slot,
        band=band,
        mark=np.zeros((arrays.MARK_LINES if len(model.watch) else 0, 2)),
        inner=np.zeros((2 + int(info["inner"]), int(info["inner"])), dtype=scalar),
        holds=np.full(len(model.watch), -1, dtype=np.int64),
    )
    work.tally[arrays.HALT] = np.inf
    work.tally[arrays.CAP] = np.inf
    work.tally[arrays.PARTIALS] = 1.0
    return readable(work)


def make_record(times: np.ndarray, channels: np.ndarray, joints: int = 0) -> Record:
    """Room for the channels at ``times``, and for extremes over all steps that are not known yet."""
    peaks = np.zeros((LINES, channels.shape[1]))
    peaks[0], peaks[2] = np.inf, -np.inf
    return Record(times, channels, np.zeros(1, dtype=np.int64), peaks, np.zeros((2, 2 * joints)))
