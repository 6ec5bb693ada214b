"""The arrays that compile fills and kernels read: Model (constant), State (what a restart needs), Work (scratch).

Records are NumPy structured arrays, gathered in NamedTuples at the entry points. ``scalar`` is float64 in production
and complex128 in the gradient tests, where an imaginary step through the same kernels is the oracle of every
derivative. Index fields are uint32: signed ones cost a wrap test at each access.

Body 0 is the ground. Rows are ordered BILATERAL, FORCE, SET, MEASURE; one more row at the end is a bin for rows that a
planar or frictionless model drops. A contact points to a normal row and up to two tangent rows: a rigid one
(``contact``) to SET rows, a compliant one (``pad``) to FORCE rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

INDEX = np.uint32
NONE = np.uint32(0xFFFFFFFF)  # "no such thing" in an index field


def body_dtype(scalar: Any) -> np.dtype:
    """Constants of a body. Ground and the blocked directions of planar models have zero inverse mass."""
    return np.dtype(
        [
            ("mass", scalar),  # kg
            ("J", scalar, (3, 3)),  # kg m2, about the centre of mass, body axes
            ("minv", scalar, (3,)),  # 1/kg per global direction
            ("Jinv", scalar, (3, 3)),  # 1/(kg m2), body axes
        ],
        align=True,
    )


def relation_dtype(scalar: Any) -> np.dtype:
    """A relation between a marker on body i and a marker on body j (points and axes in body axes)."""
    return np.dtype(
        [
            ("kind", INDEX),  # place in relations.REGISTRY
            ("i", INDEX),
            ("j", INDEX),
            ("count", INDEX),  # components
            ("together", INDEX),  # relations from here on that are evaluated in one go (relations/together.py); or 0
            ("row", INDEX, (3,)),  # row of each component; the bin for dropped ones
            ("ki", INDEX),  # which axis of marker i the relation uses (0, 1, 2 = h, t, b)
            ("kj", INDEX),  # which axis of marker j
            ("memory", INDEX),  # slot in State.memory (turns counted), or NONE
            ("turns", INDEX),  # angles that it counts: so many slots, one after the other
            ("sign", scalar),  # +1, or -1 where the markers stand in swapped order
            ("g0", scalar, (3,)),  # value of the coordinate that counts as zero
            ("si", scalar, (3,)),  # m
            ("sj", scalar, (3,)),  # m
            ("Ei", scalar, (3, 3)),  # rows h, t, b
            ("Ej", scalar, (3, 3)),
            # contacts: clearance (m), radius of the inner member (m), side; couplings: coefficients (see relations)
            ("shape", scalar, (3,)),
            ("period", np.float64),  # rad, after which a driven coordinate is the same again: of angles; else 0
        ],
        align=True,
    )


def law_dtype(scalar: Any) -> np.dtype:
    """A law: its kernel, its inner states (of contacts: how many a pad has), and where its numbers stand."""
    names = ("kind", "inner", "states", "first", "count")  # inner states: inner .. inner + states
    return np.dtype([(name, INDEX) for name in names], align=True)


# Constants of a row: its bodies, its law (FORCE; NONE where a pad, a bundle or a signal acts on it) and the signal that
# is its target (BILATERAL drives) or its force (FORCE rows in Model.control).
row_fact_dtype = np.dtype(
    [
        ("i", INDEX),
        ("j", INDEX),
        ("law", INDEX),
        ("target", INDEX),
        ("relation", INDEX),
        ("scale", np.float64),  # m per unit of the coordinate: 1, or the size of the mechanism for an angle
    ],
    align=True,
)


def contact_dtype(scalar: Any) -> np.dtype:
    """A wall: gap = sign (g - limit) of its normal row, two tangents, and what an impact and friction do there."""
    return np.dtype(
        [
            ("i", INDEX),
            ("j", INDEX),
            ("relation", INDEX),
            ("row", INDEX, (3,)),  # normal, tangents; the bin for absent ones
            ("brake", INDEX),  # 1: no wall, friction on row[1] under a constant load or the reaction of a joint
            ("bounded", INDEX),  # 1: its rebound is lessened where an impact would make energy
            ("impact", INDEX),  # law of impact (laws/impacts.py)
            ("rub", INDEX),  # of a brake: record in Model.rub whose normal force presses, or NONE
            ("sign", scalar),
            ("limit", scalar),  # m or rad
            ("restitution", scalar),
            ("tangential", scalar),
            ("mu", scalar),
            ("static", scalar),  # coefficient of a brake at rest
            ("load", scalar),  # N
            ("lever", scalar, (2,)),  # m, distance of its points from the centres of its bodies; huge: not known
            ("steady", INDEX),  # 1: its normal does not move at all
            ("scale", np.float64),  # m per unit of the gap: 1, or the size of the mechanism for an angle
        ],
        align=True,
    )


def pad_dtype(scalar: Any) -> np.dtype:
    """A compliant wall: gap = sign (g - limit) of its normal row + recess, two tangents, contact law and friction."""
    return np.dtype(
        [
            ("i", INDEX),
            ("j", INDEX),
            ("relation", INDEX),
            ("row", INDEX, (3,)),  # normal, tangents; the bin for absent ones
            ("tangents", INDEX),  # how many of the tangents there are
            ("law", INDEX),  # of the contact
            ("friction", INDEX),  # law of friction, or NONE
            ("anywhere", INDEX),  # 1: its law acts at any gap, and nothing begins or ends
            ("inner", INDEX),  # inner states of its law at this wall: inner .. inner + states
            ("states", INDEX),
            ("recess", INDEX),  # the one of them by which the wall recedes, or NONE
            ("sign", scalar),
            ("limit", scalar),  # m or rad
        ],
        align=True,
    )


def bundle_dtype(scalar: Any) -> np.dtype:
    """A bushing that couples the six directions of a joint: lam = preload - K g - C rate."""
    return np.dtype(
        [
            ("row", INDEX, (6,)),
            ("stiffness", scalar, (6, 6)),
            ("damping", scalar, (6, 6)),
            ("preload", scalar, (6,)),
        ],
        align=True,
    )


TERMS = 5  # most terms of an effective normal force


def rub_dtype(scalar: Any) -> np.dtype:
    """Friction of a joint under its own reaction R = (F, T) in joint axes (assemble/joint_friction.py).

    N = sum factor_k sqrt((form_k0 . R)^2 + (form_k1 . R)^2 + smoothing^2).
    """
    return np.dtype(
        [
            ("joint", INDEX),
            ("row", INDEX, (2,)),  # of the coordinates that slide; the bin for an absent one
            ("count", INDEX),  # how many there are
            ("law", INDEX),
            ("states", INDEX),  # inner states of the law
            ("terms", INDEX),
            ("lever", scalar, (2,)),  # sliding speed = lever times rate: 1, or the effective radius (m)
            ("factor", scalar, (TERMS,)),
            ("form", scalar, (TERMS, 2, 6)),
            ("smoothing", scalar),  # N
        ],
        align=True,
    )


def load_dtype(scalar: Any) -> np.dtype:
    """A force or torque on one body; a component with signal NONE is the constant in ``value``."""
    return np.dtype(
        [
            ("body", INDEX),
            ("is_torque", INDEX),
            ("in_body_axes", INDEX),
            ("signal", INDEX, (3,)),
            ("value", scalar, (3,)),  # N or N m
            ("point", scalar, (3,)),  # m, body axes
        ],
        align=True,
    )


# What programs sense (assemble/sensing.py): the coordinate or rate of a MEASURE row, or a component of the position (m,
# global), velocity (m/s, global) or angular velocity (rad/s, body axes) of a body, or an inner state.
COORDINATE, RATE, POSITION, VELOCITY, SPIN, STATE = range(6)
sense_dtype = np.dtype([("kind", INDEX), ("at", INDEX), ("m", INDEX)], align=True)


# An inner state that has a name: its place among the inner states, and the signal that is its rate, or NONE where a law
# with a kernel of its own gives the rate (assemble/states.py).
state_dtype = np.dtype([("inner", INDEX), ("rate", INDEX)], align=True)


# A condition to be watched (methods/events.py): the signal that becomes positive, and 1 if the run ends there.
watch_dtype = np.dtype([("signal", INDEX), ("stops", INDEX)], align=True)


# A function of time: PROGRAM (stack machine, exact derivatives) or PIECEWISE (polynomials), see numerics/signals.py.
signal_dtype = np.dtype([("kind", INDEX), ("start", INDEX), ("count", INDEX), ("degree", INDEX)], align=True)


def code_dtype(scalar: Any) -> np.dtype:
    """An instruction of a program."""
    return np.dtype([("op", INDEX), ("arg", scalar)], align=True)


# One block of the lower triangle of N = W M^-1 W^T (numerics/ldl.py): places r and s of its rows and columns in the
# elimination order, and the halves of w that share a body. Small on purpose: long chains are limited by memory traffic.
ABSENT = np.uint8(255)
pair_dtype = np.dtype(
    [
        ("r", INDEX),
        ("s", INDEX),
        ("ra", np.uint8),  # offset (0 or 6) of the shared body in rows r, and in rows s
        ("sa", np.uint8),
        ("rb", np.uint8),  # second shared body, or ABSENT
        ("sb", np.uint8),
    ],
    align=True,
)


# One block of the factorised matrix that belongs to a hub, a body whose velocity is an unknown beside the multipliers:
# components of the rows of a joint on it, or, where ``rows`` is NONE, a block of minus its matrix of masses.
hub_dtype = np.dtype(
    [
        ("entry", INDEX),  # place among the blocks
        ("body", INDEX),
        ("rows", INDEX),  # place of the rows
        ("turned", np.uint8),  # 1 if the rows of the joint are the columns of the block
        ("m", np.uint8),  # first component of the rows (0 .. 11), or of the velocity of the body
        ("n", np.uint8),  # first component of the other velocity
    ],
    align=True,
)


def joint_dtype(scalar: Any) -> np.dtype:
    """What is recorded of a joint: its closed rows and the place and axes of its reaction."""
    return np.dtype(
        [
            ("i", INDEX),
            ("j", INDEX),
            ("first", INDEX),  # its BILATERAL rows on closed directions: first .. first + count
            ("count", INDEX),
            ("soft_first", INDEX),  # its FORCE rows on closed directions
            ("soft_count", INDEX),
            ("set_first", INDEX),  # its SET rows on closed directions (contacts)
            ("set_count", INDEX),
            ("contact_first", INDEX),  # and the contacts that they belong to
            ("contact_count", INDEX),
            ("sj", scalar, (3,)),  # m, point of the reaction on the second body
            ("Ei", scalar, (3, 3)),  # joint axes on the first body
        ],
        align=True,
    )


def marker_dtype(scalar: Any) -> np.dtype:
    """A recorded point of a body."""
    return np.dtype([("body", INDEX), ("s", scalar, (3,))], align=True)


def info_dtype(scalar: Any) -> np.dtype:
    """Sizes and global constants."""
    return np.dtype(
        [
            ("bodies", INDEX),  # including the ground
            ("bilateral", INDEX),  # rows 0 .. bilateral
            ("force", INDEX),  # rows bilateral .. force
            ("set", INDEX),  # rows force .. set
            ("measure", INDEX),  # rows set .. measure; row number `measure` is the bin
            ("bilateral_relations", INDEX),
            ("force_relations", INDEX),
            ("set_relations", INDEX),
            ("relations", INDEX),
            ("contacts", INDEX),
            ("recorded", INDEX),  # contacts 0 .. recorded belong to clearances; the others to stops and brakes
            ("dim", INDEX),  # components of a contact: 1 without friction, 2 in a plane, 3 in space
            ("turns", INDEX),  # slots of State.memory that count turns; those of contacts follow
            ("pads", INDEX),  # first slot of State.memory that belongs to pads
            ("recorded_pads", INDEX),  # pads 0 .. recorded_pads belong to clearances; the others to stops
            ("inner", INDEX),  # inner states of laws
            ("integrals", INDEX),  # last entries of y: impulses of pads, input, loss
            ("redundant", INDEX),  # 1 if the closed rows depend on each other
            ("planar", INDEX),
            ("block", INDEX),  # rows in a block of N: 2 in a plane, 3 in space
            ("plain", INDEX),  # 1: planar, with closed rows, and L has the blocks of N alone (assemble/plane_rows.py)
            ("rubs", INDEX),  # joints that rub by a law of force; in Model.rub those that stick follow
            ("fixed_point", INDEX),  # 1: friction of joints by fixed-point iteration (paper E) instead of Newton's
            ("rub_iterations", INDEX),  # most iterations of that
            ("vanishing", np.float64),  # relative pivot of N that marks a singular position
            ("length", np.float64),  # m, size of the mechanism: scale of residuals
            ("clearance", np.float64),  # m, smallest of its clearances; huge if there is none
            ("gravity", scalar, (3,)),  # m/s2
        ],
        align=True,
    )


# One block of rows in the elimination order of N, and one block of its factor L (numerics/ldl.py).
place_dtype = np.dtype(
    [
        ("row", INDEX, (5,)),  # rows of N at this place; a spare one, which is zero, where there is none
        ("count", INDEX),  # how many there are
        ("hub", INDEX),  # 1 if it holds velocities of a hub instead
        ("light", INDEX),  # 1 if its rows behind the third only turn bodies
        ("entry", INDEX),  # its blocks of N start here; the diagonal comes last
        ("column", INDEX),  # its column of L starts here
        ("line", INDEX),  # its row of L starts here
        ("plain", INDEX),  # 1 if that has the blocks of N as they are: nothing was added to them before
    ],
    align=True,
)
link_dtype = np.dtype(
    [
        ("below", INDEX),  # column by column: place of the row of this entry
        ("above", INDEX),  # and of its column
        ("left", INDEX),  # row by row: the column met
        ("at", INDEX),  # row by row: where in that column the entry lies
    ],
    align=True,
)


class Model(NamedTuple):
    """Compiled constants of a mechanism."""

    info: np.ndarray
    body: np.ndarray
    relation: np.ndarray
    row: np.ndarray
    law: np.ndarray
    constant: np.ndarray  # numbers of laws
    contact: np.ndarray
    pad: np.ndarray
    bundle: np.ndarray
    rub: np.ndarray
    load: np.ndarray
    signal: np.ndarray
    code: np.ndarray
    number: np.ndarray
    breaks: np.ndarray  # s, instants at which a signal is not smooth
    pair: np.ndarray
    column: np.ndarray  # place s of each pair
    place: np.ndarray
    link: np.ndarray
    hub: np.ndarray
    joint: np.ndarray
    marker: np.ndarray
    driven: np.ndarray  # closed rows that follow a target
    tap: np.ndarray  # rows whose coordinate, rate and force are recorded
    sense: np.ndarray
    control: np.ndarray  # FORCE rows whose force is a signal
    watch: np.ndarray
    state: np.ndarray


# The clock of a run: time, the method's own memory, and the work integrals of the energy ledger live in State.
clock_dtype = np.dtype(
    [
        ("t", np.float64),  # s
        ("h", np.float64),  # s, step to try (0: not chosen yet)
        ("last", np.float64),  # s, size of the last step
        ("drift", np.float64),  # m, what a step of this size adds to the residual of joints; after an impact all of it
        ("speed", np.float64),  # m/s, largest speed so far, and
        ("pull", np.float64),  # m/s2, largest acceleration: how long a velocity lasts
        ("step", np.int64),  # accepted steps since the start, or since the origin
        ("origin", np.float64),  # s, t = origin + step h in fixed-step methods
        ("spin", np.float64),  # rad/s, largest rate of the angles that count turns
        ("turned", np.float64),  # rad, most that an angle may have turned since its turns were counted last
        ("energy0", np.float64),  # J, energy at the start, for the error of the ledger
        ("reached", np.float64),  # s, last saved time: a continued run saves after it
    ],
    align=True,
)


class State(NamedTuple):
    """What a restart needs.

    ``y`` holds r, p of all bodies (7 each), v, w' (6 each), inner states, and then integrals that nothing depends on:
    the normal impulse of each pad, input and loss.
    """

    clock: np.ndarray
    y: np.ndarray
    dy: np.ndarray  # rates of y at t
    memory: np.ndarray  # last accepted value of coordinates that count turns; then slots of contacts and pads


# Slots of a contact in State.memory: 1 while it is held closed, its force over the last step (N), the impulse that it
# has passed on since the start (N s), when and how fast it rebounded last (s, m/s), its highest flight and its fastest
# approach so far (m, m/s), and how many of its last flights were too low to be seen.
HOLD, FORCE_N, FORCE_T, FORCE_S, IMPULSE, STRUCK_AT, STRUCK_SPEED, HIGHEST, FASTEST, REPEATS = range(10)
SLOTS = 10

# Slots of a pad: the speed at which its present contact began (m/s or rad/s; 0: follow the depth, -1: held open until
# the method defines another one), and its gap and rate of the gap at the accepted state.
ONSET, PAD_GAP, PAD_RATE = range(3)
PAD_SLOTS = 3


def motion_dtype(scalar: Any) -> np.dtype:
    """Pose, velocity, forces and acceleration of a body while a state is evaluated."""
    return np.dtype(
        [
            ("r", scalar, (3,)),  # m, global
            ("A", scalar, (3, 3)),  # body to global
            ("v", scalar, (3,)),  # m/s, global
            ("w", scalar, (3,)),  # rad/s, body axes
            ("force", scalar, (6,)),  # N global, N m in body axes
            (
                "unknown",
                scalar,
                (6,),
            ),  # what is solved for, global and in body axes: accelerations, or velocities after a step
            ("shift", scalar, (6,)),  # a correction of positions or velocities
        ],
        align=True,
    )


def row_dtype(scalar: Any) -> np.dtype:
    """A row while it is evaluated."""
    return np.dtype(
        [
            ("g", scalar),  # coordinate (m or rad)
            ("rate", scalar),  # dg/dt
            ("drift", scalar),  # partial dg/dt at fixed q (drives)
            ("bias", scalar),  # second derivative at zero acceleration
            ("lam", scalar),  # force on the coordinate (N or N m)
            ("w", scalar, (12,)),  # dg/dt = w . (v_i, w_i', v_j, w_j') + drift
        ],
        align=True,
    )


def touch_dtype(scalar: Any) -> np.dtype:
    """A contact while a step is taken."""
    return np.dtype(
        [
            ("gap", scalar),  # m or rad, at the latest positions; or a lower bound of it, while it is far from zero
            ("rate", scalar),  # of the gap
            ("slack", scalar),  # m, what the gap is at least; used up by the motion, then the gap is evaluated again
            ("pace", scalar),  # m/s, what its rate is at most in the meantime
            ("seen", INDEX),  # 1 if ``gap`` is the gap itself, 0 if it is a bound
            ("before", scalar),  # gap at the start of the step
            ("rise", scalar),  # rate of the gap there
            ("known", INDEX),  # 1 if these two are known
            ("floor", scalar),  # depth below which it has gone through its wall in this step
            ("middle", scalar),  # gap between the two halves of a controlled step
            ("middle_rise", scalar),
            ("middle_known", INDEX),
            (
                "far",
                scalar,
            ),  # gap at the far end of the bracket while an impact is located; 0: none looked for
            ("was_met", INDEX),  # ``met``, while impacts at the start of a step are dealt with
            ("apart", scalar),  # m/s, normal velocity before its impulse: constant of its row, or end of compression
            ("last", scalar),  # gap at the end of the pending step
            ("met", INDEX),  # 1 if the pending step ends at its wall
            ("held", INDEX),  # 1 if it is closed in this step
            ("joins", INDEX),  # 1 if a step without rebound takes it along
            ("place", INDEX),  # in the contact problem, or NONE
            ("cluster", INDEX),  # label that contacts share whose impulses move each other
            ("impulse", scalar, (3,)),  # N s, answer of the last contact problem
            ("force", scalar, (3,)),  # N, over the pending step
            ("total", scalar),  # N s, normal, over the pending step
            ("amount", scalar),  # N s, normal, since the step began
            ("stay", INDEX),  # 1 if it stays closed after the pending step
            ("carry", INDEX),  # 1 if it was closed and passed a force on throughout the pending step
            ("rebound", scalar),  # factor of its restitution: below 1 where it would make energy
            ("slides", INDEX),  # 1 if friction acts against the mean sliding velocity of the step
            ("mode", INDEX),  # what it did in the whole step that the two halves of a controlled step are compared with
            ("rough", scalar),  # gap at the end of that one
            ("rough_known", INDEX),
            ("rough_amount", scalar),  # N s, normal, over that step
            ("early", scalar, (3,)),  # N s, over the first half
            ("load", scalar),  # N, that presses on a brake
            ("stuck", INDEX),  # 1 if a brake does not slide
            ("leeway", scalar),  # m/s, speed at which an open contact may approach in a step that takes it along
        ],
        align=True,
    )


def press_dtype(scalar: Any) -> np.dtype:
    """A pad while a state is evaluated."""
    return np.dtype(
        [
            ("gap", scalar),  # m or rad
            ("rate", scalar),  # of the coordinate: of the gap but for its recess
            ("closed", INDEX),  # 1 if its law acts
            ("onset", scalar),  # speed of onset that the law was given
            ("fresh", INDEX),  # 1 if that is the rate of the moment
            ("force", scalar, (3,)),  # N, normal (>= 0) and friction
            ("stored", scalar),  # J
            ("by_gap", scalar, (3,)),  # d lam / d g of its normal row, for its three rows
            ("by_rate", scalar, (3, 3)),  # d lam of each row / d rate of each row
            ("end", scalar),  # gap at the end of the pending step
            ("hint", np.float64),  # fraction of that step at which it may have changed over; -1: nowhere
        ],
        align=True,
    )


def slide_dtype(scalar: Any) -> np.dtype:
    """A joint that rubs while a state is evaluated; components as in rub_dtype."""
    return np.dtype(
        [
            ("speed", scalar, (2,)),  # m/s, sliding velocity
            ("normal", scalar),  # N
            ("force", scalar, (2,)),  # N, friction
            ("law", scalar, (2,)),  # N, friction by the law at the present normal force
            ("by_normal", scalar, (2,)),  # d law / d normal
            ("gradient", scalar, (6,)),  # d normal / d R
            ("bare", scalar, (6,)),  # R without friction
            ("rates", scalar, (3,)),  # of the inner states
        ],
        align=True,
    )


class Work(NamedTuple):
    """Scratch of a run; never read by a restart."""

    kin: np.ndarray
    row: np.ndarray
    weighed: np.ndarray  # (rows, 12), M^-1 w of closed ones; apart, because most passes need only one of them
    entry: np.ndarray  # values of N, block by block
    lower: np.ndarray  # L
    vector: np.ndarray  # (6, closed rows and more), see below
    stage: np.ndarray  # (lines + stages, len(y)), see below
    stack: np.ndarray  # (64 + 1 + senses, 3), for programs of signals
    tally: np.ndarray  # counters and worst residuals, see below
    touch: np.ndarray  # contacts while a step is taken
    reply: np.ndarray  # (contact rows, 6 bodies), velocities that a unit impulse of each row causes
    echo: np.ndarray  # (contact rows + 1, closed rows), impulses of the joints that go with it; without contacts
    delassus: np.ndarray  # (contact rows, contact rows), W of the contact problem
    problem: np.ndarray  # (4, contact rows), see below
    pivot: np.ndarray  # scratch of the contact solver
    event: np.ndarray  # impacts since Python last looked, see below
    press: np.ndarray  # pads while a state is evaluated
    gradient: np.ndarray  # (6,) scratch of normal forces
    slide: np.ndarray  # joints that rub while a state is evaluated
    reflex: np.ndarray  # answers of the multipliers to friction, see assemble/joint_friction.py
    dense: np.ndarray  # (n + 1, n) matrix of implicit methods, and its right-hand side
    slot: np.ndarray  # first unknown of each body, then of each closed row
    band: np.ndarray  # (6, n) its pivots and envelope (numerics/lu.py)
    mark: np.ndarray  # (marks, 2) time and number of conditions that became true since Python last looked
    inner: np.ndarray  # (3 + inner states, inner states), see below
    holds: np.ndarray  # 1 or 0 of each condition at the last state looked at; -1: not known


# Lines of Work.vector: right-hand side, solution, residual; of the factor 1/D, triangles inside of diagonal blocks, and
# the dense row of blocks while it is made.
RHS, LAM, LEFT, DIAGONAL, INNER, DENSE_ROW = range(6)

# Lines of Work.inner: rates of inner states at the state evaluated last, changes of them in Newton's method, rates that
# nobody wants; then the matrix of that method.
RATES, CHANGES, SPARE, INNER_MATRIX = range(4)

# Lines of Work.problem: q, r (the answer, and before it the start), friction coefficients, velocities before.
FREE, ANSWER, MU, BEFORE = range(4)

# Columns of Work.event: time, contact, number of the impact, normal speed before and after, impulses, energy lost.
EVENT_COLUMNS = 9
EVENTS = 4096

# First lines of Work.stage: end of the pending step and its rates, a saved state and its rates, a trial state.
# The stages of a method follow.
Y_NEW, DY_NEW, Y_OUT, DY_OUT, Y_TRY, STAGE = range(6)

# Places in Work.tally.
(
    STEPS,
    REJECTIONS,
    EVALUATIONS,
    FACTORISATIONS,
    WORST_POSITION,  # m or rad, over all accepted and saved states
    WORST_VELOCITY,  # m/s or rad/s
    DETAIL,  # a number for the message of an outcome
    CULPRIT,  # the row concerned, or -1
    PENDING,  # 1 while a step is done but not all its saves are
    STEP_DONE,  # s, size of that step
    STEP_NEXT,  # s, size of the step after it
    DENSE,  # 1 once its dense output is ready
    STEP_END,  # s, time at its end
    WHOLE,  # 1 if it ends on the grid of a fixed-step method (an impact ends it earlier)
    STRIKES,  # 1 if contacts strike at its end
    IMPACTS,  # impacts since the start
    EVENT_COUNT,  # lines of Work.event in use
    CONTACT_SOLVES,  # contact problems solved
    CONTACT_ITERATIONS,
    WORST_CONTACT,  # largest relative residual of a contact problem
    WORST_GAP,  # m or rad, deepest penetration of an accepted state
    HALVES,  # 1 if the pending step consists of two halves
    IMPROVED,  # 1 if these were improved by the whole step
    DEFECT,  # largest difference of their positions to Simpson's rule for the rates, in tolerances: at least,
    DEFECT_MOST,  # and at most
    RELEASE,  # fraction of the step at which the first contact begins to pull; 1: none does
    EARLY,  # the same for one that pressed, and was let go by the whole step; 1: it did not press, 2: none was let go
    CHANGES_OVER,  # the same for friction that turns back or gives way; 2: none does
    TOO_SOON,  # m/s, most that contacts may be off which let go, give way or turn back at another instant
    CAP,  # s, a step must not go beyond (a pad touches or leaves there); infinity if there is no such instant
    ONSETS,  # compliant contacts that began
    DEEPEST_ONSET,  # m or rad, deepest penetration at which one began
    NEWTONS,  # iterations of implicit stages
    JACOBIANS,  # matrices of implicit methods
    RUB_ITERATIONS,  # of friction that follows reactions
    WORST_RUB,  # largest relative residual of it
    LOCAL_ERROR,  # m or rad, largest error of a step that a method without error control can estimate
    ERROR_SUM,  # the sum of these
    RESTS,  # clusters of contacts whose rebounds, too small to be resolved, were taken out
    REST_LOSS,  # J, energy that went with them
    FORCED_RESTS,  # such clusters whose rebounds were not small: impacts at one instant that found no end
    FORCED_LOSS,  # J, energy that went with those
    LESSENED,  # impacts whose rebound was lessened so that they make no energy
    GAIN,  # J, energy that impacts made
    FORCED_STEPS,  # steps of the least size that were taken although their error was too large
    LARGEST_TURN,  # rad, most that a body turned in one step
    DRIFT,  # m, as in the clock, while a step is taken
    MOVED,  # m, how far closing the joints, after their drift had gathered, moved a body in an attempt
    MOVED_TURN,  # rad, the same for turns
    HALT,  # s, instant in the pending step at which a condition ends the run; infinity if there is none
    MARKS,  # lines of Work.mark in use
    PARTIALS,  # 1 if partial derivatives of contact laws that users have written are wanted
) = range(52)
TALLY = 52

MARK_LINES = 1024  # of Work.mark, if a condition is watched


class Record(NamedTuple):
    """Where a run kernel leaves what it saves: requested times, channels of each, and how far it is."""

    times: np.ndarray
    channels: np.ndarray  # (len(times), channels)
    next: np.ndarray  # [0]: first place not filled yet
    peaks: np.ndarray  # (5, channels) and
    norms: np.ndarray  # (2, 2 joints): extremes over all steps, see methods/peaks.py


BODY_CHANNELS = 19  # position 3, orientation 4, velocity 3, angular velocity 3, acceleration 3, angular acceleration 3
JOINT_CHANNELS = 13  # force 3, torque 3, the same in joint axes 6, residual 1
ROW_CHANNELS = 3  # coordinate, rate, force
CONTACT_CHANNELS = 9  # gap, rate, normal force, friction 2, impulse so far, place of the second member in the first 3
PAD_CHANNELS = 10  # the same, and the speed at onset
RUB_CHANNELS = 6  # normal force, sliding velocity 2, inner states 3
STATE_CHANNELS = 1  # an inner state that has a name
MARKER_CHANNELS = 9  # position, velocity, acceleration
ENERGY_CHANNELS = 6  # kinetic, gravity, elastic, input, dissipated, error
SOLVER_CHANNELS = 3  # size of the step, steps so far, rejections so far
