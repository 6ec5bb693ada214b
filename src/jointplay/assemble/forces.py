"""Applied forces on every body: gravity, gyroscopic moments, loads, and the laws of FORCE rows.

``kin[b].force`` holds the force in global axes and the moment about the centre of mass in body axes. The sums of input
power (loads) and of dissipated power (laws) are returned for the energy ledger.
"""

from __future__ import annotations

from ..arrays import NONE
from ..laws.registry import evaluate_law, evaluate_rates
from ..numerics.jit import jit
from ..numerics.signals import evaluate_signal
from ..numerics.vec import cross, dot, load, mul, tmul


@jit
def weight_and_spin(planar, gravity, body, kin):
    """Weight m g, and the gyroscopic moment -w' x J w' (paper A eq. 5), which in a plane moves nothing."""
    for b in range(len(body)):
        f = kin[b].force
        c = body[b]
        if planar:
            f[0], f[1], f[2] = c.mass * gravity[0], c.mass * gravity[1], c.mass * gravity[2]
            f[3], f[4], f[5] = 0.0, 0.0, 0.0
            continue
        w = load(kin[b].w)
        moment = cross(mul(c.J, w), w)
        for m in range(3):
            f[m] = c.mass * gravity[m]
            f[3 + m] = moment[m]


@jit
def component(model, c, m, t, stack):
    """Component m of a load: a constant or a signal."""
    if c.signal[m] == NONE:
        return c.value[m]
    f, _, _ = evaluate_signal(model.signal[c.signal[m]], model.code, model.number, stack, t)
    return c.value[m] * 0.0 + f


@jit
def apply_loads(model, t, kin, stack):
    """Add forces and torques on bodies; return their power."""
    power = 0.0 * kin[0].force[0]
    for k in range(len(model.load)):
        c = model.load[k]
        body = kin[c.body]
        given = (component(model, c, 0, t, stack), component(model, c, 1, t, stack), component(model, c, 2, t, stack))
        f = body.force
        # the load in the axes in which it enters: force global, moment in body axes
        if c.is_torque:
            moment = given if c.in_body_axes else tmul(body.A, given)
        else:
            pushed = mul(body.A, given) if c.in_body_axes else given
            moment = cross(load(c.point), tmul(body.A, pushed))
            for m in range(3):
                f[m] += pushed[m]
            power += dot(pushed, load(body.v))
        for m in range(3):
            f[3 + m] += moment[m]
        power += dot(moment, load(body.w))
    return power


@jit
def find_law_forces(fact, law, constant, t, z, row, rates):
    """Lam of a slice of FORCE rows by their own laws (0 where pads or bundles act); return the power they dissipate.

    ``rates`` of the inner states of these laws are filled.
    """
    loss = 0.0 * row[0].g
    for r in range(len(fact)):
        c = row[r]
        c.lam = 0.0
        if fact[r].law != NONE:
            lam, _, _, _, lost = evaluate_law(law[fact[r].law], constant, c.g, c.rate, t, z, False)
            c.lam = lam
            if law[fact[r].law].states > 0:
                evaluate_rates(law[fact[r].law], constant, c.g, c.rate, t, z, rates)
            loss += lost
    return loss


@jit
def apply_forces(fact, row, kin):
    """Add lam w of a slice of rows to the forces on their bodies."""
    for r in range(len(fact)):
        c = row[r]
        if c.lam != 0.0:
            a = kin[fact[r].i].force
            b = kin[fact[r].j].force
            for m in range(6):
                a[m] += c.lam * c.w[m]
                b[m] += c.lam * c.w[6 + m]


@jit
def acceleration_of(planar, body, kin):
    """Accel = M^-1 force for every body; in a plane three components, the others stay zero."""
    for b in range(len(body)):
        c = body[b]
        f = kin[b].force
        a = kin[b].unknown
        if planar:
            a[0], a[1], a[5] = c.minv[0] * f[0], c.minv[1] * f[1], c.Jinv[2, 2] * f[5]
            continue
        moment = mul(c.Jinv, load(f[3:6]))
        for m in range(3):
            a[m] = c.minv[m] * f[m]
            a[3 + m] = moment[m]
