"""Everything that is recorded of a state, as one flat line of channels.

Order: bodies, joints, taps (rows), contacts, pads, joints that rub, states, markers, energy, solver; arrays.py has the
number of channels of each. Names and units are given in results/layout.py in the same order.

The reaction of a joint acts on its second body at that body's joint point P: with the generalised force Q = W^T lam on
that body, F = Q_v and T = A (Q_w - s x A^T F), whatever relations closed the joint.
"""

from __future__ import annotations

from ..arrays import (
    BODY_CHANNELS,
    CONTACT_CHANNELS,
    ENERGY_CHANNELS,
    IMPULSE,
    JOINT_CHANNELS,
    LAM,
    MARKER_CHANNELS,
    ONSET,
    PAD_CHANNELS,
    PAD_SLOTS,
    PENDING,
    REJECTIONS,
    ROW_CHANNELS,
    RUB_CHANNELS,
    SLOTS,
    STATE_CHANNELS,
    STEP_DONE,
    STEP_END,
    STEPS,
)
from ..numerics.jit import jit
from ..numerics.vec import add, cross, load, mul, scale, store, sub, tmul
from ..relations.registry import count_turns
from .energy import energies
from .interactions import evaluate_relation, find_rates, look_at_relation, past_of


@jit
def remember(model, memory, work):
    """Keep the angles of the accepted state, so that turns are counted; return the largest of their rates."""
    fastest = 0.0
    for k in range(len(model.relation)):
        c = model.relation[k]
        if c.turns > 0:
            first, rate, second, other = count_turns(c, work.kin[c.i], work.kin[c.j], past_of(c, memory), work.row)
            memory[c.memory] = first.real
            fastest = max(fastest, abs(rate))
            if c.turns > 1:
                memory[c.memory + 1] = second.real
                fastest = max(fastest, abs(other))
    return fastest


@jit
def find_coordinates(model, memory, work):
    """Coordinates and rates of all rows; those of rigid contacts and measures that pass no force on are looked at."""
    info = model.info[0]
    find_rates(model.row[: info.force], work.kin, work.row)
    for k in range(info.force_relations, len(model.relation)):
        c = model.relation[k]
        acts = False
        for m in range(c.count):
            acts = acts or (c.row[m] < info.set and work.row[c.row[m]].lam != 0.0)
        if acts:
            evaluate_relation(c, memory, work.kin, work.row)
            for m in range(c.count):
                r = c.row[m]
                find_rates(model.row[r : r + 1], work.kin, work.row[r : r + 1])
        else:
            look_at_relation(c, memory, work.kin, work.row)


@jit
def observe_bodies(model, y, work, out):
    """Pose, velocity and acceleration of every body."""
    bodies = model.info[0].bodies
    shift = 7 * (bodies - 1)
    for b in range(1, bodies):
        o = out[BODY_CHANNELS * (b - 1) : BODY_CHANNELS * b]
        for m in range(7):
            o[m] = y[7 * (b - 1) + m]
        for m in range(6):
            o[7 + m] = y[shift + 6 * (b - 1) + m]
            o[13 + m] = work.kin[b].unknown[m]


@jit
def gather(first, count, second, fact, row, total):
    """Add lam w of rows to the force and moment on the body ``second`` (total: both)."""
    force, moment = total
    for r in range(first, first + count):
        lam, w = row[r].lam, row[r].w
        half = 6 if fact[r].j == second else 0  # relations of contacts may stand the other way round
        force = add(force, scale(lam, load(w[half : half + 3])))
        moment = add(moment, scale(lam, load(w[half + 3 : half + 6])))
    return force, moment


@jit
def observe_joints(model, work, out):
    """Reaction on the second body in global and in joint axes, and the worst residual."""
    for k in range(len(model.joint)):
        c = model.joint[k]
        a, b = work.kin[c.i], work.kin[c.j]
        zero = scale(0.0, load(b.r))
        total = gather(c.first, c.count, c.j, model.row, work.row, (zero, zero))
        total = gather(c.soft_first, c.soft_count, c.j, model.row, work.row, total)
        force, moment = gather(c.set_first, c.set_count, c.j, model.row, work.row, total)
        torque = mul(b.A, sub(moment, cross(load(c.sj), tmul(b.A, force))))
        o = out[JOINT_CHANNELS * k : JOINT_CHANNELS * (k + 1)]
        store(o[0:3], force)
        store(o[3:6], torque)
        store(o[6:9], mul(c.Ei, tmul(a.A, force)))
        store(o[9:12], mul(c.Ei, tmul(a.A, torque)))
        worst = 0.0
        for r in range(c.first, c.first + c.count):
            worst = max(worst, abs(work.row[r].g))
        for n in range(c.contact_first, c.contact_first + c.contact_count):
            worst = max(worst, -work.touch[n].gap.real)
        o[12] = worst


@jit
def observe_taps(model, work, out):
    """Coordinate, rate and force of the recorded rows."""
    for k in range(len(model.tap)):
        c = work.row[model.tap[k]]
        o = out[ROW_CHANNELS * k : ROW_CHANNELS * (k + 1)]
        o[0] = c.g
        o[1] = c.rate
        o[2] = c.lam


@jit
def offset(relation, a, b):
    """Where the point of the second member stands, in axes of the first."""
    apart = sub(add(load(b.r), mul(b.A, load(relation.sj))), add(load(a.r), mul(a.A, load(relation.si))))
    return mul(relation.Ei, tmul(a.A, apart))


@jit
def observe_contacts(model, t, memory, work, out):
    """Gap, its rate, force, impulse so far, and where the second member stands in axes of the first."""
    info = model.info[0]
    # the memory is that of the start of the pending step, of which this part has passed at t
    passed = 0.0
    if work.tally[PENDING] != 0.0:
        passed = 1.0 - (work.tally[STEP_END] - t) / work.tally[STEP_DONE]
    for n in range(info.recorded):
        c = model.contact[n]
        o = out[CONTACT_CHANNELS * n : CONTACT_CHANNELS * (n + 1)]
        o[0] = work.touch[n].gap
        o[1] = work.touch[n].rate
        for m in range(3):
            o[2 + m] = work.row[c.row[m]].lam if m < info.dim else 0.0
        # two walls of one coordinate share its row, whose force is that of the wall that pushes
        push = c.sign * work.row[c.row[0]].lam
        o[2] = push
        if not push.real > 0.0:
            o[2] = 0.0
        o[5] = memory[info.turns + SLOTS * n + IMPULSE] + passed * work.touch[n].total
        store(o[6:9], offset(model.relation[c.relation], work.kin[c.i], work.kin[c.j]))


@jit
def observe_pads(model, y, memory, work, out):
    """Gap, its rate, force, impulse so far, where the second member stands in axes of the first, speed at onset."""
    info = model.info[0]
    first = len(y) - info.integrals
    for n in range(info.recorded_pads):
        c, press = model.pad[n], work.press[n]
        o = out[PAD_CHANNELS * n : PAD_CHANNELS * (n + 1)]
        o[0] = press.gap
        o[1] = press.rate
        for m in range(3):
            o[2 + m] = press.force[m]
        o[5] = y[first + n]
        o[9] = max(memory[info.pads + PAD_SLOTS * n + ONSET], 0.0)
        store(o[6:9], offset(model.relation[c.relation], work.kin[c.i], work.kin[c.j]))


@jit
def observe_rubs(model, y, work, out):
    """Normal force, sliding velocity and inner states of joints that rub."""
    first = 13 * (model.info[0].bodies - 1)
    for n in range(model.info[0].rubs):
        c, slide = model.rub[n], work.slide[n]
        o = out[RUB_CHANNELS * n : RUB_CHANNELS * (n + 1)]
        o[0], o[1], o[2] = slide.normal, slide.speed[0], slide.speed[1]
        for m in range(3):
            o[3 + m] = y[first + model.law[c.law].inner + m] if m < c.states else 0.0


@jit
def observe_states(model, y, out):
    """Inner states that have a name."""
    first = 13 * (model.info[0].bodies - 1)
    for k in range(len(model.state)):
        out[STATE_CHANNELS * k] = y[first + model.state[k].inner]


@jit
def observe_markers(model, work, out):
    """Position, velocity and acceleration of markers."""
    for k in range(len(model.marker)):
        c = model.marker[k]
        b = work.kin[c.body]
        s, w = load(c.s), load(b.w)
        a = b.unknown
        o = out[MARKER_CHANNELS * k : MARKER_CHANNELS * (k + 1)]
        store(o[0:3], add(load(b.r), mul(b.A, s)))
        store(o[3:6], add(load(b.v), mul(b.A, cross(w, s))))
        store(o[6:9], add(load(a), mul(b.A, add(cross(load(a[3:6]), s), cross(w, cross(w, s))))))


@jit
def observe(model, t, y, memory, energy0, work, out):
    """Fill ``out`` for a state whose accelerations have just been found (dynamics.accelerate)."""
    info = model.info[0]
    for r in range(info.bilateral):
        work.row[r].lam = work.vector[LAM, r]
    find_coordinates(model, memory, work)
    for n in range(len(model.contact)):
        c = model.contact[n]
        if c.brake == 0:
            work.touch[n].gap = c.sign * (work.row[c.row[0]].g - c.limit)
            work.touch[n].rate = c.sign * work.row[c.row[0]].rate
    place = BODY_CHANNELS * (info.bodies - 1)
    observe_bodies(model, y, work, out)
    observe_joints(model, work, out[place:])
    place += JOINT_CHANNELS * len(model.joint)
    observe_taps(model, work, out[place:])
    place += ROW_CHANNELS * len(model.tap)
    observe_contacts(model, t, memory, work, out[place:])
    place += CONTACT_CHANNELS * info.recorded
    observe_pads(model, y, memory, work, out[place:])
    place += PAD_CHANNELS * info.recorded_pads
    observe_rubs(model, y, work, out[place:])
    place += RUB_CHANNELS * info.rubs
    observe_states(model, y, out[place:])
    place += STATE_CHANNELS * len(model.state)
    observe_markers(model, work, out[place:])
    place += MARKER_CHANNELS * len(model.marker)
    kinetic, gravity, elastic = energies(model, t, y, work)
    given, lost = y[len(y) - 2], y[len(y) - 1]
    out[place] = kinetic
    out[place + 1] = gravity
    out[place + 2] = elastic
    out[place + 3] = given
    out[place + 4] = lost
    out[place + 5] = kinetic + gravity + elastic - energy0 - given + lost
    place += ENERGY_CHANNELS
    out[place] = work.tally[STEP_DONE]
    out[place + 1] = work.tally[STEPS] + work.tally[PENDING]
    out[place + 2] = work.tally[REJECTIONS]
