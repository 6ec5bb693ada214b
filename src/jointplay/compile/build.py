"""compile: System -> Model, State, labels. Packs, assembles, finds redundancy: one way down, each thing once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from ..arrays import Model, State, Work
from ..assemble.compliant_contacts import find_pad_gaps
from ..assemble.dynamics import derivative
from ..assemble.energy import energies
from ..assemble.interactions import evaluate_relations
from ..assemble.kinematics import place_bodies
from ..assemble.observe import remember as remember_turns
from ..assemble.rigid_contacts import evaluate_gaps
from ..errors import InputError, Problem
from ..model.system import System
from ..native.arguments import remember
from ..numerics.jit import bound
from .initial import assemble_positions, assemble_velocities
from .mobility import mobility
from .pack import Compiled, Rank, pack
from .problem_places import placing_problems
from .redundancy import LARGEST, looks_dependent, mobility_by_pivots, nearby, singular_pivot
from .senses import unsmooth_forces
from .smoothing import settle_smoothing
from .twin import ideal_twin, is_ideal
from .work import scratch

OVERLAP = 1e-9  # of the size of the mechanism: overlap at the start that is taken for rounding


def _set_drawn_values(compiled: Compiled, work: Work) -> None:
    """Coordinates that count from the drawn configuration: g0 is their value there."""
    model, state = compiled.model, compiled.state
    place_bodies(model.info[0]["bodies"], state.y, work.kin)
    evaluate_relations(model.relation, state.memory, work.kin, work.row)
    drawn = compiled.layout.drawn
    model.relation["g0"][drawn] = work.row["g"][model.relation["row"][drawn]]


def rank_of(compiled: Compiled, work: Work | None = None) -> Rank:
    """Mobility and redundancy at the assembled position and along the motion that begins there."""
    if work is None:
        with scratch(compiled) as own:
            return rank_of(compiled, own)
    model, state = compiled.model, compiled.state
    per_body = 3 if compiled.system.planar else 6
    total = per_body * (int(model.info[0]["bodies"]) - 1)
    rows = int(model.info[0]["bilateral"])
    if rows == 0:
        return Rank(total, [], [])
    if not looks_dependent(model, state.y, state, work):
        return Rank(total - rows, [], [])
    found = mobility(model, state, work) if rows <= LARGEST else mobility_by_pivots(model, state, work)
    count, redundant, singular = found
    names = compiled.row_names
    return Rank(count, [names[r] for r in redundant], [names[r] for r in singular])


@placing_problems
def compile_system(system: System, horizon: float = 1.0, *, like: Compiled | None = None) -> Compiled:
    """Everything that a run needs; raises InputError where the joints cannot be closed.

    A compiled system ``like`` this one (sensitivities vary one number at a time) makes it faster: all that both have in
    common is taken from there, and so is the pivot that counts as vanishing, which is a choice of the program.
    """
    if not system.bodies:
        raise InputError(Problem("bodies", "there are no bodies"))
    compiled = as_given(system, horizon, like)
    with scratch(compiled) as work:
        settle(compiled, work, like)
    return compiled


def as_given(system: System, horizon: float = 1.0, like: Compiled | None = None) -> Compiled:
    """Numbers as the user gave them, not assembled yet; beside them those of a twin with ideal joints, if it is needed.

    That is where velocities were left open and joints have play or give.
    """
    compiled = pack(system, horizon, like)
    if not _kept(system).all() and not all(map(is_ideal, system.joints)):
        with suppress(InputError):  # these positions or velocities suit joints with play only
            compiled.twin = ideal_twin(compiled, like)
    return compiled


def _kept(system: System) -> np.ndarray:
    """(bodies, 2): which velocities and spins were given."""
    return np.array([(body.velocity_given, body.spin_given) for body in system.bodies])


def _close_positions(compiled: Compiled, work: Work, like: Compiled | None, same: bool) -> None:
    """Joints closed, and which of their rows are redundant; raises InputError."""
    model, state = compiled.model, compiled.state
    remember(state)
    _set_drawn_values(compiled, work)
    # closed rows may be dependent before it is known: regularise while assembling
    model.info["redundant"] = 1
    bodies = [body.name for body in compiled.system.bodies]
    compiled.notes += assemble_positions(model, state, work, compiled.row_names, bodies)
    compiled.rank = like.rank if like and same else rank_of(compiled, work)
    model.info["redundant"] = int(bool(compiled.rank.redundant))
    if not compiled.rank.redundant and compiled.row_names:
        alike = like is not None and like.layout is compiled.layout and not like.rank.redundant
        pivot = float(like.model.info[0]["vanishing"]) if like and alike else None
        model.info["vanishing"] = pivot or singular_pivot(model, nearby(model, state, work), state, work)


def _close_velocities(compiled: Compiled, work: Work, keep: np.ndarray) -> None:
    """Velocities that joints allow; ``keep`` marks those that were given. Raises InputError."""
    bodies = [body.name for body in compiled.system.bodies]
    compiled.notes += assemble_velocities(compiled.model, compiled.state, work, compiled.row_names, bodies, keep)


def settle(
    compiled: Compiled, work: Work, like: Compiled | None = None, *, same: bool = False, beside: Work | None = None
) -> None:
    """What follows from numbers as given: closed joints, redundancy, velocities, gaps, rates; raises InputError.

    ``same`` means that only numbers differ from ``like``, whose redundancy holds; ``beside`` is the work of the twin.
    """
    _close_positions(compiled, work, like, same)
    keep = _kept(compiled.system)
    if _follow_ideal_joints(compiled, keep, like, same, beside):
        keep[:] = True
    _close_velocities(compiled, work, keep)
    compiled.gaps = _gaps(compiled, work)
    compiled.notes += settle_smoothing(compiled, work, like)
    compiled.notes += unsmooth_forces(compiled.system)
    start(compiled, work)


def _follow_ideal_joints(
    compiled: Compiled, keep: np.ndarray, like: Compiled | None, same: bool, beside: Work | None
) -> bool:
    """Velocities that were left open, from the twin with ideal joints, if there is one; True if they follow from it."""
    system, state, twin = compiled.system, compiled.state, compiled.twin
    if twin is None:
        return False
    if beside is None:
        with scratch(twin) as own:
            return _follow_ideal_joints(compiled, keep, like, same, own)
    try:
        _close_positions(twin, beside, like.twin if like else None, same)
        _close_velocities(twin, beside, keep)
    except InputError:  # these positions or velocities suit joints with play only
        compiled.twin = None
        return False
    n = len(system.bodies)
    for b in range(n):
        for part in range(2):
            if not keep[b, part]:
                place = slice(7 * n + 6 * b + 3 * part, 7 * n + 6 * b + 3 * part + 3)
                state.y[place] = twin.state.y[place]
    open_ones = [body.name for body, known in zip(system.bodies, keep, strict=True) if not known.all()]
    shown = ", ".join(open_ones[:6]) + (" ..." if len(open_ones) > 6 else "")
    if not twin.state.y[7 * n : 13 * n].any():
        return True
    compiled.notes.append(f"assembly: velocities of {shown} follow from the given ones as if all joints were ideal")
    return True


def _gaps(compiled: Compiled, work: Work) -> np.ndarray:
    """Gaps of all contacts at the start; raises InputError where parts overlap."""
    model, state = compiled.model, compiled.state
    place_bodies(model.info[0]["bodies"], state.y, work.kin)
    evaluate_gaps(model, state.memory, work)
    gaps = work.touch["gap"].copy()
    z = state.y[13 * len(compiled.system.bodies) :]
    find_pad_gaps(model.pad, model.relation, state.memory, z, work.kin, work.row, work.press)
    pressed = work.press["gap"].copy()
    overlap = OVERLAP * float(model.info[0]["length"])
    problems = [
        Problem(f"joints.{name}", f"the parts overlap by {-gap:.3g} m (or rad) at the start; move them apart")
        for name, gap in zip(compiled.contacts, gaps, strict=True)
        if gap < -overlap
    ]
    if problems:
        raise InputError(problems)
    compiled.notes += [
        f"{name} begins pressed in by {-gap:.3g} m (or rad)"
        for name, gap in zip(compiled.pads, pressed, strict=True)
        if gap < -overlap
    ]
    return np.concatenate([gaps, pressed])


def start(compiled: Compiled, work: Work) -> None:
    """Rates and energy at the start: fills dy and the reference of the energy ledger, and counts turns from here."""
    starter(compiled.model, compiled.state, work)()


def starter(model: Model, state: State, work: Work) -> Callable[[], None]:
    """``start`` of arrays that stay where they are while their numbers change: members of a study."""
    rates = bound(derivative, model, 0.0, state.y, state.memory, work, state.dy)
    energy = bound(energies, model, 0.0, state.y, work)
    turns = bound(remember_turns, model, state.memory, work)

    def begin() -> None:
        rates()
        state.clock["energy0"] = sum(energy())
        state.clock["spin"] = turns()

    return begin
