"""Direct sensitivities along a run of OptimalStep: the discrete motion is differentiated as it is.

Each step is taken by the method itself and then once more, round by round (tangent/rounds.py); what closes joints and
contacts at its end follows (tangent/contact_closing.py). Gaps stand in the equations of the step, so that clearances
have their derivatives and impacts need no instant of their own. Sizes of steps are taken as given.
"""

from __future__ import annotations

from ..arrays import DY_NEW, FREE, NONE, STEP_DONE, Y_NEW, Y_OUT
from ..assemble.kinematics import move, normalise
from ..codes import Code
from ..methods.moreau_output import express
from ..methods.optimal_step import (
    ROUNDS,
    OptimalStep,
    advance,
    arrive,
    begin,
    begin_contacts,
    fly,
    interpolate,
    land,
    linearise,
    open_step,
    push_apart,
    set_velocities,
)
from ..methods.stepping import commit
from ..numerics.jit import jit
from ..numerics.vec import copy
from .brakes import turns_back
from .contact_closing import LEFT, shut, take_saved
from .impact import MISSED, change_of_gap, strike_tangents
from .landing import BACK, GRAZED, LONG, PARTED, PARTS, SINGULAR, blame, close_tangents
from .loop import along, checked, named
from .parameter_columns import lift
from .rounds import round_tangents
from .saves import prepare_forces, unlift, write_wanted
from .saving import beyond_state, lift_state
from .tangent_state import copy_tangents

CONTINUE = int(Code.CONTINUE)
TORN = 1e-3  # relative change of the gap of a pressing contact that counts as opening it
_take = checked(advance)


@jit
def opens(model, kit, c, within, state, work, tan):
    """True if a parameter changes the gap of contact c by more than ``within`` of what it changes at all."""
    P, length = kit.P, model.info[0].length
    for k in range(len(P.energy0)):
        size = 1e-3 * length
        for m in range(tan.eta.shape[1]):
            size = max(size, abs(tan.eta[k, m]))
        if abs(change_of_gap(model, P, k, c, tan.eta[k], state.memory, work, kit.cw)) > within * size:
            return True
    return False


@jit
def doubt(model, kit, t, h, state, work, tan, fault):
    """Note where the active set is about to change, or where contacts press that a parameter would part."""
    least, dim, act = MISSED * model.info[0].length, model.info[0].dim, kit.act
    pressing = 0
    for c in range(len(model.contact)):
        pressing += act.on[c]
    lift(work.kin, kit.cw.kin)
    for c in range(len(model.contact)):
        k = work.touch[c]
        if turns_back(model, c, work, act):
            blame(fault, t, BACK)
        if model.contact[c].brake:
            continue
        if act.on[c]:
            if k.before > least and -h * work.problem[FREE, dim * k.place] < least:  # it would hardly be pierced
                blame(fault, t + h, GRAZED)
            if pressing > 1 and opens(model, kit, c, TORN, state, work, tan):
                blame(fault, t + h, PARTS)
            clearance = model.relation[model.contact[c].relation]["shape"][0]
            if clearance > 0.0 and abs(k.gap) > LEFT * clearance:
                blame(fault, t + h, LONG)
        elif k.before > least and k.rise < 0.0 and k.gap < least and opens(model, kit, c, PARTED, state, work, tan):
            blame(fault, t + h, GRAZED)


@jit
def note_end(model, work, rounds):
    """Keep what the pending step has left: its end, and the contacts that were closed there."""
    copy(work.stage[Y_NEW], rounds.end)
    for c in range(len(model.contact)):
        k = work.touch[c]
        rounds.shut[c] = 1 if k.held and k.place != NONE and model.contact[c].brake == 0 else 0


@jit
def start_again(model, h, state, work, half, rounds):
    """The step once more, up to its first round; returns the refinements that solutions need."""
    soft, _ = open_step(model, state, work)
    for b in range(1, model.info[0].bodies):
        for m in range(6):
            half.force[6 * (b - 1) + m] = work.kin[b].force[m]
    fly(model, h, state, soft, work)
    begin_contacts(model, h, state, work)
    copy(state.y, rounds.place)
    return soft


@jit
def solve_round(model, h, first, soft, state, work, rounds):
    """Contact problem of a round, and where it leads: rounds.new; False where it has no answer."""
    bodies, shift = model.info[0].bodies, 7 * (model.info[0].bodies - 1)
    code, _ = push_apart(model, h, first, state, soft, work)
    for b in range(1, bodies):
        for m in range(6):
            rounds.new[shift + 6 * (b - 1) + m] = work.kin[b].unknown[m]
    move(bodies, state.y, rounds.new[shift:], h, rounds.new)
    return code == CONTINUE


@jit
def go_on(model, h, state, settings, work, rounds):
    """Rows of the contacts where the round has led, for another one; False if none is needed."""
    set_velocities(rounds.new[7 * (model.info[0].bodies - 1) :], work.kin)
    if arrive(model, h, state, work) <= settings.tolerance:
        return False
    copy(rounds.new, rounds.place)
    linearise(model, h, work)
    return True


@jit
def follow(model, kit, state, settings, work, lines, spare):
    """All tangents over the pending step."""
    rounds, fault = spare.rounds, spare.fault
    old, _, tan, _ = lines
    t, h = state.clock[0].t, work.tally[STEP_DONE]
    note_end(model, work, rounds)
    soft = start_again(model, h, state, work, kit.half, rounds)
    for iteration in range(ROUNDS):
        done = solve_round(model, h, iteration == 0, soft, state, work, rounds)
        if not done or not round_tangents(model, kit, h, iteration == 0, soft, state, work, lines, rounds):
            blame(fault, t, SINGULAR)
        if not go_on(model, h, state, settings, work, rounds):
            break
    if len(model.contact) > 0:
        doubt(model, kit, t, h, state, work, tan, fault)
    copy(rounds.end, work.stage[Y_NEW])
    if not shut(model, kit, t + h, soft, True, len(kit.P.energy0), state, work, old, tan, rounds):
        blame(fault, t + h, LONG)


@jit
def tangents_between(model, kit, x, state, work, lines, room, base):
    """flat = tangents at the fraction x of the pending step, on the straight line between its ends; base: the state."""
    old, _, tan, flat = lines
    for k in range(len(kit.P.energy0)):
        lift_state(model, state.y, state.dy, old, k, room[0], room[1])
        lift_state(model, work.stage[Y_NEW], work.stage[DY_NEW], tan, k, room[2], room[3])
        for m in range(len(room[4])):
            room[4, m] = (1.0 - x) * room[0, m] + x * room[2, m]
        normalise(model.info[0].bodies, room[4])
        for m in range(len(base)):
            base[m] = room[4, m].real
        unlift(model, base, room[4], flat, k)
        for m in range(flat.sums.shape[1]):
            flat.sums[k, m] = (1.0 - x) * old.sums[k, m] + x * tan.sums[k, m]


@jit
def save(model, kit, t, state, settings, work, lines, scratch, spare, channels, out):
    """Channels of a state on the straight line between the ends of the step, closed; derivatives of the wanted ones."""
    old, flat = lines[0], lines[3]
    room, _, columns = scratch
    rounds = spare.rounds
    x, y, shift = (t - state.clock[0].t) / work.tally[STEP_DONE], work.stage[Y_OUT], 7 * (model.info[0].bodies - 1)
    code = express(model, t, state, settings, work, channels)
    if code != CONTINUE:
        return code
    tangents_between(model, kit, x, state, work, lines, room, rounds.new)
    take_saved(model, t, settings.tolerance, state, work, rounds)
    shut(model, kit, t, 0, False, len(kit.P.energy0), state, work, old, flat, rounds)
    pressed = -1
    if beyond_state(model, columns):
        copy(rounds.new, y)
        express(model, t, state, settings, work, channels)
        pressed = prepare_forces(model, kit, t, state, work)
    for m in range(shift):
        rounds.new[m] = rounds.end[m]
    for m in range(len(rounds.place)):
        rounds.place[m] = 0.0  # rates, which nothing is made of
    for k in range(len(kit.P.energy0)):
        lift_state(model, rounds.new, rounds.place, flat, k, room[4], room[1])
        write_wanted(model, kit, k, x, t, pressed, state, work, lines, scratch, out)
    return CONTINUE


@jit
def jumps(model, state, work, before):
    """True if velocities have changed where the step ended; ``before`` = those of the step. No contact takes part."""
    shift, found = 7 * (model.info[0].bodies - 1), False
    for m in range(len(before)):
        before[m] = work.stage[Y_NEW, shift + m]
        found = found or state.y[shift + m] != before[m]
    if found:
        for c in range(len(model.contact)):
            work.touch[c].place = NONE
    return found


@jit
def jump(model, kit, state, work, tan, spare):
    """Velocities that a drive has changed at once, where its signal is not smooth: an impact of the joints alone."""
    before, fault = spare.before, spare.fault
    if not jumps(model, state, work, before):
        return
    if not strike_tangents(model, kit, False, state.clock[0].t, before, state.y, state.memory, work, tan):
        blame(fault, state.clock[0].t, SINGULAR)


@jit
def start(model, kit, state, work, tan):
    """Tangents at the start, closed."""
    close_tangents(model, kit, state.clock[0].t, state.y, state.memory, work, tan)


@jit
def first(model, kit, state, settings, work, lines, spare):
    """Tangents at the start."""
    state.clock[0].h = begin(model, state, work, settings)
    start(model, kit, state, work, lines[0])
    return CONTINUE


@jit
def step(model, kit, state, settings, work, lines, spare):
    """A step, with all tangents."""
    code = _take(model, state, work, settings)
    if code == CONTINUE:
        follow(model, kit, state, settings, work, lines, spare)
    return code


@jit
def land_tangents(model, kit, state, settings, work, lines, spare):
    """Make the pending step the state."""
    commit(model, state, work, settings)
    copy_tangents(lines[2], lines[0])
    jump(model, kit, state, work, lines[0], spare)
    return land(model, state, work, settings)


run = named(along(first, step, interpolate, save, land_tangents), OptimalStep)
