"""Derivatives of what is saved: an imaginary step through the projection, the accelerations and the observation.

The state between two steps is the cubic of methods/verlet.py over (y, y') + i STEP (dy, dy'); all channels follow.
"""

from __future__ import annotations

from typing import Any

from ..arrays import BODY_CHANNELS, Model
from ..assemble.dynamics import derivative
from ..assemble.kinematics import normalise
from ..assemble.observe import observe, observe_bodies
from ..assemble.projection import correct
from ..numerics.jit import jit, link
from .params import STEP, Params
from .stage_matrix import quaternion


@link
def model_of(model, P, k):
    """The complex model of parameter k."""
    return Model(
        P.info[k],
        P.body[k],
        P.relation[k],
        model.row,
        model.law,
        P.constant[k],
        P.contact[k],
        P.pad[k],
        P.bundle[k],
        P.rub[k],
        P.load[k],
        model.signal,
        P.code[k],
        P.number[k],
        model.breaks,
        model.pair,
        model.column,
        model.place,
        model.link,
        model.hub,
        P.joint[k],
        P.marker[k],
        model.driven,
        model.tap,
        model.sense,
        model.control,
        model.watch,
        model.state,
    )


def complex_model(model: Any, P: Params, k: int) -> Model:
    """``model_of`` for Python."""
    parts = {name: getattr(P, name)[k] for name in Params._fields if name in Model._fields}
    return model._replace(**parts)


@jit
def lift_line(model, y, eta, du, dz, cy):
    """Cy += i STEP times a change of places, velocities and inner states."""
    n = model.info[0].bodies - 1
    for b in range(n):
        at, u = 6 * b, 7 * n + 6 * b
        p = (y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6])
        turn = quaternion(p, (0.0, eta[at + 3], eta[at + 4], eta[at + 5]))
        for m in range(3):
            cy[7 * b + m] += complex(0.0, STEP * eta[at + m])
        for m in range(4):
            cy[7 * b + 3 + m] += complex(0.0, STEP * 0.5 * turn[m])
        for m in range(6):
            cy[u + m] += complex(0.0, STEP * du[at + m])
    for m in range(model.info[0].inner):
        cy[13 * n + m] += complex(0.0, STEP * dz[m])


@jit
def lift_state(model, y, dy, tan, k, cy, cdy):
    """Complex state and rates: y + i STEP dy/d rho."""
    info = model.info[0]
    n = info.bodies - 1
    for m in range(len(y)):
        cy[m], cdy[m] = y[m], dy[m]
    lift_line(model, y, tan.eta[k], tan.du[k], tan.dz[k], cy)
    for b in range(n):
        at, u = 6 * b, 7 * n + 6 * b
        p = (y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6])
        turn = quaternion(p, (0.0, tan.eta[k, at + 3], tan.eta[k, at + 4], tan.eta[k, at + 5]))
        dp = (0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2], 0.5 * turn[3])
        spin = quaternion(dp, (0.0, y[u + 3], y[u + 4], y[u + 5]))
        more = quaternion(p, (0.0, tan.du[k, at + 3], tan.du[k, at + 4], tan.du[k, at + 5]))
        for m in range(3):
            cdy[7 * b + m] += complex(0.0, STEP * tan.du[k, at + m])
        for m in range(4):
            cdy[7 * b + 3 + m] += complex(0.0, STEP * 0.5 * (spin[m] + more[m]))
        for m in range(6):
            cdy[u + m] += complex(0.0, STEP * tan.da[k, at + m])
    for m in range(info.inner):
        cdy[13 * n + m] += complex(0.0, STEP * tan.dw[k, m])
    if tan.sums.shape[1] > 0:
        first = len(y) - info.integrals
        for m in range(info.integrals):
            cy[first + m] += complex(0.0, STEP * tan.sums[k, m])
            cdy[first + m] += complex(0.0, STEP * tan.lates[k, m])


@jit
def beyond_state(model, columns):
    """True if channels are wanted that are not positions and velocities of bodies, which are the state itself."""
    bodies = BODY_CHANNELS * (model.info[0].bodies - 1)
    for c in range(len(columns)):
        if columns[c] >= bodies or columns[c] % BODY_CHANNELS >= 13:
            return True
    return False


@jit
def save_tangent(cmodel, t, cy, memory, energy0, whole, cw, cdy, line):
    """Channels of a complex state, closed first: all of them, or the state alone."""
    normalise(cmodel.info[0].bodies, cy)
    correct(cmodel, t, cy, memory, cw)
    if not whole:
        observe_bodies(cmodel, cy, cw, line)
        return
    derivative(cmodel, t, cy, memory, cw, cdy)
    observe(cmodel, t, cy, memory, energy0, cw, line)
