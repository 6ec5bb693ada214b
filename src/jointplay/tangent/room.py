"""Scratch of the stages of a tape (tangent/stages.py).

Changes of all parameters, or bars of all objectives, stand side by side, one column each: inner loops run over columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Model, State, Work
from ..methods.tape import Recorder
from ..numerics import lu
from .closing import Closing, make_closing
from .matrices import Linear, make_linear
from .parameter_columns import Column, make_column
from .params import Params
from .tangent_state import Solver, make_solver


class Room(NamedTuple):
    """What one stage needs; n bodies, ``count`` columns."""

    x: np.ndarray  # (len(y) + pads + 1, count) what the stage reads
    e: np.ndarray  # (6 n, count) displacements and turns
    u: np.ndarray  # (6 n, count) velocities
    f: np.ndarray  # (6 n, count) forces
    X: np.ndarray  # (unknowns, count) accelerations, multipliers, rates of inner states
    P1: np.ndarray  # (n, 4, 4) rates of Euler parameters by Euler parameters that the stage reads
    P2: np.ndarray  # (n, 4, 3) and by spins of the stage
    T1: np.ndarray  # (n, 3, 4) turns by Euler parameters that the stage reads
    onset: np.ndarray  # (pads, 3) forces of each compliant contact by its speed of onset
    loss: np.ndarray  # (pads,) power that it loses, by the same
    rates_by_onset: np.ndarray  # (inner states,) rates of states of compliant contacts, by the same
    at: np.ndarray  # (2,) state at which the matrices are: 1 if they are anywhere, 1 if corrections were in them
    y: np.ndarray  # (len(y),) that state
    rates: np.ndarray  # (len(y),) its rates
    c: np.ndarray  # (2, len(y)) complex states
    slope: np.ndarray  # (4, 7) of a turn
    weights: np.ndarray  # (columns, 2) of an instant
    gain: np.ndarray  # (rubs, closed rows) normal forces of joints that rub, by multipliers (tangent/by_factor.py)
    jam: np.ndarray  # (rubs, rubs) how they depend on each other through friction, factorised
    jam_band: np.ndarray  # (lu.LINES, rubs), full
    normal: np.ndarray  # (rubs, count) changes of normal forces


class Bars(NamedTuple):
    """Bars over a projection, one line per objective."""

    eta: np.ndarray  # (objectives, 6 n)
    du: np.ndarray  # (objectives, 6 n)
    lines: np.ndarray  # (objectives, 3, 6 n)
    rows: np.ndarray  # (objectives, 2, closed rows)


class Parts(NamedTuple):
    """All that stages work with."""

    P: Params
    cw: Work
    lin: Linear
    col: Column
    solver: Solver
    end: Closing
    F: np.ndarray  # (6 n, parameters) what parameters add to forces
    c: np.ndarray  # (closed rows, parameters) to rows
    H: np.ndarray  # (inner states, parameters) to rates of inner states
    room: Room
    past: np.ndarray  # (1,) 1 if sums over the past are followed


def make_parts(model: Model, state: State, P: Params, cw: Work, columns: int, past: bool) -> Parts:
    """Room for ``columns`` parameters or objectives at a time."""
    info, z, solver = model.info[0], np.zeros, make_solver(model)
    n, rows, inner, pads = int(info["bodies"]) - 1, int(info["bilateral"]), int(info["inner"]), len(model.pad)
    size, count, rubs = len(state.y), len(P.energy0), int(info["rubs"])
    room = Room(
        *(z((size + pads + 1, columns)), z((6 * n, columns)), z((6 * n, columns)), z((6 * n, columns))),
        *(z((len(solver.x), columns)), z((n, 4, 4)), z((n, 4, 3)), z((n, 3, 4))),
        *(z((pads, 3)), z(pads), z(inner), z(2, dtype=np.int64), z(size), z(size), z((2, size), dtype=complex)),
        *(z((4, 7)), z((columns, 2)), z((rubs, rows)), z((rubs, rubs)), full_band(rubs), z((rubs, columns))),
    )
    return Parts(
        *(P, cw, make_linear(model), make_column(model), solver, make_closing(model)),
        *(z((6 * n, count)), z((rows, count)), z((inner, count)), room, np.array([past], dtype=np.int64)),
    )


def full_band(size: int) -> np.ndarray:
    """The envelope (numerics/lu.py) of a matrix that is full."""
    band = np.zeros((lu.LINES, size), dtype=np.int64)
    band[[lu.BOTTOM, lu.RIGHT]] = size - 1
    return band


def make_bars(model: Model, objectives: int) -> Bars:
    """Zeros."""
    n, rows, z = 6 * (int(model.info[0]["bodies"]) - 1), int(model.info[0]["bilateral"]), np.zeros
    return Bars(z((objectives, n)), z((objectives, n)), z((objectives, 3, n)), z((objectives, 2, rows)))


def make_slots(recorder: Recorder, model: Model, state: State, columns: int) -> np.ndarray:
    """Slots of a tape: (slots, len(y) + pads + 1, columns).

    Behind y stand onset speeds of compliant contacts, and how much later the instant is (tangent/changing.py).
    """
    return np.zeros((recorder.slots, len(state.y) + len(model.pad) + 1, columns))
