"""What depends on time itself, at a fixed state: forces, rates of inner states, and rows that follow drives.

It counts where the instant of a step moves with the parameters: after an impact, until a step has ended on the grid.

    df/dt     loads and controlled rows, whose power is input (``given``); laws that users have written, friction
    dz'/dt    rates that are signals, and those of laws
    rows      drift = -s'(t) changes by -s'', bias = -s'' by -s''' for the signal s of a drive

Signals bring their derivatives along, up to s''; laws are evaluated at an imaginary step in time.
"""

from __future__ import annotations

from ..arrays import NONE
from ..assemble.compliant_contacts import sliding_speed
from ..assemble.joint_friction import TINY
from ..assemble.sensing import find_lever, pushes
from ..laws.registry import evaluate_friction, evaluate_law, evaluate_rates, evaluate_rub
from ..numerics.jit import jit
from ..numerics.signals import evaluate_signal
from .matrices import add_line

REACH = 0.25  # of a step, to either side of its middle: the difference that stands for s''' is of order 4


@jit
def add_given(model, t, work, lever, out):
    """Loads and controlled rows."""
    for n in range(pushes(model)):
        signal, i, j = find_lever(model, n, work.kin, work.row, lever)
        if signal != NONE:
            _, slope, _ = evaluate_signal(model.signal[signal], model.code, model.number, work.stack, t)
            add_line(i, j, lever, slope, out)


@jit
def add_laws(model, t, work, cz, rates, half):
    """Laws on rows, and the rates of their states; ``cz`` and ``rates``: lines of all inner states."""
    later, none = complex(t, TINY), complex(0.0, 0.0)
    for r in range(model.info[0].bilateral, model.info[0].force):
        fact, row = model.row[r], work.row[r]
        if fact.law == NONE:
            continue
        law, g, rate = model.law[fact.law], row.g + none, row.rate + none
        lam, _, _, _, _ = evaluate_law(law, model.constant, g, rate, later, cz, False)
        add_line(fact.i, fact.j, row.w, lam.imag / TINY, half.by_t)
        if law.states > 0:
            evaluate_rates(law, model.constant, g, rate, later, cz, rates)
            for q in range(law.inner, law.inner + law.states):
                half.inner_by_t[q] += rates[q].imag / TINY


@jit
def add_friction(model, t, work, cz, half):
    """Friction of joints and of compliant contacts, at their normal forces."""
    later, none = complex(t, TINY), complex(0.0, 0.0)
    for k in range(model.info[0].rubs):
        c, slide = model.rub[k], work.slide[k]
        law, (z0, z1, z2) = model.law[c.law], (none, none, none)
        if c.states > 0:
            z0, z1, z2 = cz[law.inner], cz[law.inner + 1], cz[law.inner + 2]
        v0, v1, normal = slide.speed[0] + none, slide.speed[1] + none, slide.normal + none
        f0, f1, d0, d1, d2 = evaluate_rub(law, model.constant, v0, v1, normal, later, z0, z1, z2)
        for p in range(c.count):
            fact, slope = model.row[c.row[p]], (f0.imag if p == 0 else f1.imag) / TINY
            add_line(fact.i, fact.j, work.row[c.row[p]].w, c.lever[p] * slope, half.by_t)
        if c.states > 0:
            half.inner_by_t[law.inner] += d0.imag / TINY
            half.inner_by_t[law.inner + 1] += d1.imag / TINY
            half.inner_by_t[law.inner + 2] += d2.imag / TINY
    for k in range(len(model.pad)):
        c, press = model.pad[k], work.press[k]
        if c.friction == NONE or press.closed == 0:
            continue
        s, normal = sliding_speed(c, work.row) + none, press.force[0] + none
        _, _, quotient = evaluate_friction(model.law[c.friction], model.constant, s, normal, later, False)
        for m in range(1, 1 + c.tangents):
            fact, row = model.row[c.row[m]], work.row[c.row[m]]
            add_line(fact.i, fact.j, row.w, -quotient.imag / TINY * press.force[0] * row.rate, half.by_t)


@jit
def forces_by_time(model, t, y, work, lin, half):
    """half.by_t, given_by_t and inner_by_t at a state y whose forces have just been found."""
    z, cz = y[13 * (model.info[0].bodies - 1) :], lin.inner[0]
    for m in range(len(half.by_t)):
        half.given_by_t[m] = 0.0
    for q in range(len(half.inner_by_t)):
        half.inner_by_t[q], cz[q] = 0.0, z[q]
    add_given(model, t, work, lin.sensed[6], half.given_by_t)
    for m in range(len(half.by_t)):
        half.by_t[m] = half.given_by_t[m]
    for n in range(len(model.state)):
        c = model.state[n]
        if c.rate != NONE:
            _, slope, _ = evaluate_signal(model.signal[c.rate], model.code, model.number, work.stack, t)
            half.inner_by_t[c.inner] += slope
    add_laws(model, t, work, cz, lin.inner[1], half)
    add_friction(model, t, work, cz, half)


@jit
def rows_by_time(model, t, h, work, half):
    """half.rows_by_t and bends_by_t: how drift and bias of driven rows change; 0 for the bias where h is 0."""
    for k in range(len(model.driven)):
        r = model.driven[k]
        signal = model.signal[model.row[r].target]
        _, _, f2 = evaluate_signal(signal, model.code, model.number, work.stack, t)
        half.rows_by_t[r], half.bends_by_t[r] = -f2, 0.0
        if h > 0.0:
            d = REACH * h
            _, _, a = evaluate_signal(signal, model.code, model.number, work.stack, t - 2.0 * d)
            _, _, b = evaluate_signal(signal, model.code, model.number, work.stack, t - d)
            _, _, c = evaluate_signal(signal, model.code, model.number, work.stack, t + d)
            _, _, e = evaluate_signal(signal, model.code, model.number, work.stack, t + 2.0 * d)
            half.bends_by_t[r] = -(a - 8.0 * b + 8.0 * c - e) / (12.0 * d)
