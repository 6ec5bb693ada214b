"""What the inner states of compliant contacts add to the linearised equations (tangent/linear.py), by imaginary steps.

With the gap g and its rate, the sliding velocity v and the states z of a pad, its forces are lam(g, rate, v, z) and the
rates of its states z' = f(g, rate, v, z). Partials of lam by g, rate and v are among those of all pads
(assemble/compliant_contacts.py); here follow those of lam by z, and of f by all. A state that is the recess of the wall
changes the depth as well, x = -(g + z).
"""

from __future__ import annotations

import numpy as np

from ..arrays import NONE
from ..assemble.compliant_contacts import SLOW, answers_of
from ..assemble.joint_friction import TINY
from ..laws.registry import evaluate_friction
from ..numerics.jit import jit
from .matrices import add_line, turn_row, vary_all


@jit
def stepped_pad(model, k, motion, t, cz, out):
    """Forces of pad k along its rows, complex; rates of its states in ``out``.

    motion = (x, dx/dt, v_1, v_2, onset)
    """
    c = model.pad[k]
    x, rate, v1, v2, onset = motion
    s = np.sqrt(v1 * v1 + v2 * v2)
    N, _, _, _, _ = answers_of(c, model.law, model.constant, x, rate, onset, s, t, cz, out, False)
    if c.friction == NONE:
        return c.sign * N, 0.0 * N, 0.0 * N
    _, _, quotient = evaluate_friction(model.law[c.friction], model.constant, s, N, t, False)
    return c.sign * N, -quotient * N * v1, -quotient * N * v2


@jit
def add_rates_by_motion(model, k, motion, t, row, lin):
    """Hq and Hu of pad k: partials of the rates of its states by gap, rate of the gap, and sliding velocity."""
    c, press_fresh = model.pad[k], motion[5]
    x, rate, v1, v2, onset = motion[0], motion[1], motion[2], motion[3], motion[4]
    cz, out, step = lin.inner[0], lin.inner[1], complex(0.0, TINY)
    first, last = c.inner, c.inner + c.states
    if motion[6]:  # it is pressed, or its law acts anywhere: depths matter
        stepped_pad(model, k, (x - c.sign * step, rate, v1, v2, onset), t, cz, out)
        for q in range(first, last):
            add_line(c.i, c.j, row[c.row[0]].w, out[q].imag / TINY, lin.Hq[q])
    for p in range(1 + c.tangents):
        if p == 0:
            began = onset - c.sign * step if press_fresh and rate.real > SLOW else onset
            stepped_pad(model, k, (x, rate - c.sign * step, v1, v2, began), t, cz, out)
        elif p == 1:
            stepped_pad(model, k, (x, rate, v1 + step, v2, onset), t, cz, out)
        else:
            stepped_pad(model, k, (x, rate, v1, v2 + step, onset), t, cz, out)
        turn_row(p, lin)
        for q in range(first, last):
            add_line(c.i, c.j, row[c.row[p]].w, out[q].imag / TINY, lin.Hu[q])
            add_line(c.i, c.j, lin.bend[p], out[q].imag / TINY, lin.Hq[q])


@jit
def add_by_states(model, k, motion, t, z, row, lin):
    """Z and Hz of pad k: partials of its forces and of the rates of its states by its states."""
    c, pressed = model.pad[k], motion[6]
    cz, out, step = lin.inner[0], lin.inner[1], complex(0.0, TINY)
    first, last = c.inner, c.inner + c.states
    for s in range(first, last):
        cz[s] = z[s] + step
        x = motion[0] - step if s == c.recess and pressed else motion[0]
        forces = stepped_pad(model, k, (x, motion[1], motion[2], motion[3], motion[4]), t, cz, out)
        cz[s] = z[s]
        for q in range(first, last):
            lin.Hz[q, s] += out[q].imag / TINY
        if not pressed:
            continue
        for p in range(1 + c.tangents):
            lam = forces[0] if p == 0 else forces[1] if p == 1 else forces[2]
            w = row[c.row[p]].w
            for m in range(12):
                b, o = (c.i, m) if m < 6 else (c.j, m - 6)
                if b != 0:
                    lin.Z[6 * (b - 1) + o, s] += lam.imag / TINY * w[m]


@jit
def add_wall_states(model, t, z, work, lin):
    """All compliant contacts that bring states along, at a state whose forces have just been found."""
    none, row = complex(0.0, 0.0), work.row
    for k in range(len(model.pad)):
        c, press = model.pad[k], work.press[k]
        if c.states == 0:
            continue
        for q in range(c.inner, c.inner + c.states):
            lin.inner[0, q] = z[q]
        pressed = press.closed != 0
        x = none - press.gap if pressed else none
        v1 = none + row[c.row[1]].rate if c.tangents > 0 else none
        v2 = none + row[c.row[2]].rate if c.tangents > 1 else none
        motion = (x, none - press.rate, v1, v2, none + press.onset, press.fresh != 0, pressed)
        vary_all(model.relation[c.relation], work.kin, lin)
        add_rates_by_motion(model, k, motion, t, row, lin)
        add_by_states(model, k, motion, t, z, row, lin)
