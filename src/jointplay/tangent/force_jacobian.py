"""What laws, compliant contacts, bodies, loads and bundles add to the linearised equations (tangent/linear.py)."""

from __future__ import annotations

import numpy as np

from ..arrays import NONE
from ..assemble.forces import component
from ..laws.registry import evaluate_law
from ..numerics.jit import jit
from ..numerics.vec import add, cross, load, mul, scale, tmul
from .matrices import add_block, turn_row, vary_all


@jit
def gather_laws(model, c, t, z, row, lin):
    """Forces of the rows of a FORCE relation and their partials, from laws of their own, into lin.law."""
    for m in range(7):
        for p in range(3):
            lin.law[m, p] = 0.0
    info = model.info[0]
    for p in range(c.count):
        r = c.row[p]
        if r < info.bilateral or r >= info.force:
            continue
        lin.law[0, p] = row[r].lam
        if model.row[r].law != NONE:
            s = row[r]
            _, by_g, by_v, _, _ = evaluate_law(model.law[model.row[r].law], model.constant, s.g, s.rate, t, z, True)
            lin.law[1 + p, p], lin.law[4 + p, p] = by_g, by_v


@jit
def gather_pads(model, k, press, lin):
    """Add the partials of the pads on relation k to lin.law; their forces are in row.lam already."""
    for n in range(len(model.pad)):
        c, s = model.pad[n], press[n]
        if c.relation == k:
            for p in range(1 + c.tangents):
                lin.law[1 + p, 0] += s.by_gap[p]
                for q in range(1 + c.tangents):
                    lin.law[4 + p, q] += s.by_rate[p, q]


@jit
def add_bodies(model, kin, lin):
    """Gyroscopic moments J w x w: D."""
    for b in range(1, len(model.body)):
        c, at = model.body[b], 6 * (b - 1) + 3
        w = load(kin[b].w)
        h = mul(c.J, w)
        for n in range(3):
            e = (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
            change = add(cross(mul(c.J, e), w), cross(h, e))
            for m in range(3):
                lin.D[at + m, at + n] += change[m]


@jit
def add_loads(model, t, kin, stack, lin):
    """Loads that turn with a body, or whose arm does: K."""
    for k in range(len(model.load)):
        c = model.load[k]
        A, at = kin[c.body].A, 6 * (c.body - 1)
        given = (component(model, c, 0, t, stack), component(model, c, 1, t, stack), component(model, c, 2, t, stack))
        for n in range(3):
            e = (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
            if c.in_body_axes:
                # A given in global axes turns with the body, its moment in body axes does not change
                if not c.is_torque:
                    change = mul(A, cross(e, given))
                    for m in range(3):
                        lin.K[at + m, at + 3 + n] += change[m]
            else:
                turned = scale(-1.0, cross(e, tmul(A, given)))  # d(A^T x) = -eta x A^T x
                change = turned if c.is_torque else cross(load(c.point), turned)
                for m in range(3):
                    lin.K[at + 3 + m, at + 3 + n] += change[m]


@jit
def add_bundles(model, kin, row, lin):
    """Bushings with full matrices: partials across the relations of a joint."""
    for k in range(len(model.bundle)):
        c = model.bundle[k]
        for q in range(6):
            r = c.row[q]
            if r == model.info[0].measure:
                continue
            relation = model.relation[model.row[r].relation]
            vary_all(relation, kin, lin)
            place = np.int64(0)
            for p in range(relation.count):
                if relation.row[p] == r:
                    place = np.int64(p)  # mixed signed and unsigned indices would become floats
            turn_row(place, lin)
            i, j = relation.i, relation.j
            for p in range(6):
                if c.row[p] == model.info[0].measure:
                    continue
                w = row[c.row[p]].w
                add_block(i, j, w, row[r].w, -c.stiffness[p, q], lin.K)
                add_block(i, j, w, lin.bend[place], -c.damping[p, q], lin.K)
                add_block(i, j, w, row[r].w, -c.damping[p, q], lin.D)
