"""Applied forces on every body: gravity, gyroscopic moments, loads, and the laws of FORCE rows.

``force[b]`` holds the force in global axes and the moment about the centre of mass in body axes. The sums of input
power (loads) and of dissipated power (laws) are returned for the energy ledger.
"""

from __future__ import annotations

from ..arrays import NONE
from ..laws.registry import evaluate_law
from ..numerics.jit import jit
from ..numerics.signals import evaluate_signal
from ..numerics.vec import cross, dot, load, mul, tmul
from .interactions import evaluate_relations, find_rates


@jit
def weight_and_spin(model, work):
    """Weight m g, and the gyroscopic moment -w' x J w' (paper A eq. 5)."""
    gravity = model.info[0].gravity
    for b in range(model.info[0].bodies):
        f = work.force[b]
        body = model.body[b]
        w = load(work.kin[b].w)
        moment = cross(mul(body.J, w), w)
        for m in range(3):
            f[m] = body.mass * gravity[m]
            f[3 + m] = moment[m]


@jit
def component(model, c, m, t, work):
    """Component m of a load: a constant or a signal."""
    if c.signal[m] == NONE:
        return c.value[m]
    f, _, _ = evaluate_signal(model.signal[c.signal[m]], model.code, model.number, work.stack, t)
    return c.value[m] * 0.0 + f


@jit
def apply_loads(model, t, work):
    """Add forces and torques on bodies; return their power."""
    power = 0.0 * work.force[0, 0]
    for k in range(len(model.load)):
        c = model.load[k]
        body = work.kin[c.body]
        given = (component(model, c, 0, t, work), component(model, c, 1, t, work), component(model, c, 2, t, work))
        f = work.force[c.body]
        # the load in the axes in which it enters: force global, moment in body axes
        if c.is_torque:
            moment = given if c.in_body_axes else tmul(body.A, given)
        else:
            force = mul(body.A, given) if c.in_body_axes else given
            moment = cross(load(c.point), tmul(body.A, force))
            for m in range(3):
                f[m] += force[m]
            power += dot(force, load(body.v))
        for m in range(3):
            f[3 + m] += moment[m]
        power += dot(moment, load(body.w))
    return power


@jit
def push(model, r, lam, work):
    """Add the generalised force lam w of row r to its two bodies."""
    w = work.row[r].w
    a = work.force[model.row[r].i]
    b = work.force[model.row[r].j]
    for m in range(6):
        a[m] += lam * w[m]
        b[m] += lam * w[6 + m]


@jit
def apply_laws(model, t, memory, z, work):
    """Forces of all FORCE rows; return the power that they dissipate."""
    info = model.info[0]
    loss = 0.0 * work.force[0, 0]
    evaluate_relations(model, info.bilateral_relations, info.force_relations, memory, work)
    find_rates(model, info.bilateral, info.force, work)
    for r in range(info.bilateral, info.force):
        c = work.row[r]
        lam, _, _, _, lost = evaluate_law(model.law[model.row[r].law], c.g, c.rate, t, z)
        c.lam = lam
        loss += lost
        push(model, r, lam, work)
    return loss


@jit
def acceleration_of(model, work):
    """accel = M^-1 force for every body."""
    for b in range(1, model.info[0].bodies):
        body = model.body[b]
        f = work.force[b]
        a = work.accel[b]
        moment = mul(body.Jinv, load(f[3:6]))
        for m in range(3):
            a[m] = body.minv[m] * f[m]
            a[3 + m] = moment[m]
