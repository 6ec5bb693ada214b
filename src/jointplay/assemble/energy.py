"""Energy of a state: kinetic, gravity, elastic (laws), all in J."""

from __future__ import annotations

from ..arrays import NONE
from ..laws.registry import evaluate_law
from ..numerics.jit import jit
from ..numerics.vec import dot, load, mul
from .compliant_contacts import stored_in_bundles


@jit
def energies(model, t, y, work):
    """(kinetic, gravity, elastic) at a state whose forces have just been found; gravity counts from the origin."""
    info = model.info[0]
    kinetic = 0.0 * y[0]
    gravity = 0.0 * y[0]
    for b in range(1, info.bodies):
        body, k = model.body[b], work.kin[b]
        v, w = load(k.v), load(k.w)
        kinetic += 0.5 * body.mass * dot(v, v) + 0.5 * dot(w, mul(body.J, w))
        gravity -= body.mass * dot(load(info.gravity), load(k.r))
    elastic = 0.0 * y[0]
    z = y[13 * (info.bodies - 1) :]
    for r in range(info.bilateral, info.force):
        c = work.row[r]
        if model.row[r].law != NONE:
            _, _, _, stored, _ = evaluate_law(model.law[model.row[r].law], model.constant, c.g, c.rate, t, z, False)
            elastic += stored
    for k in range(len(model.pad)):
        elastic += work.press[k].stored
    elastic += stored_in_bundles(model.bundle, work.row)
    return kinetic, gravity, elastic
