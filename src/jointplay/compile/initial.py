"""Assembly: bring given positions and velocities onto the constraints by the smallest change, and report what changed.

Positions move by Newton steps of least kinetic norm; a mechanism that would have to move by more than a tenth of its
size, or turn by more than 0.3 rad, is refused: it is more likely a mistake than rounding. Velocities that the user left
open follow from the given ones: the projection weighs given velocities 10^4 times more, and is repeated from the given
values, so that consistent ones are kept to rounding.
"""

from __future__ import annotations

import numpy as np

from ..arrays import RHS, Model, State, Work
from ..assemble.closed import evaluate_closed_rows
from ..assemble.projection import close_positions, close_velocities
from ..errors import InputError, Problem

FAR = 0.1  # of the size of the mechanism
FAR_TURN = 0.3  # rad
NOTICE = 1e-9  # relative change below which nothing is reported
TOLERANCE = 1e-13
KEEP = 1e4  # weight of given velocities


def _worst(names: list[str], residual: np.ndarray, count: int = 4) -> str:
    order = np.argsort(-np.abs(residual))[:count]
    return ", ".join(f"{names[r]} ({residual[r]:.3g})" for r in order if residual[r] != 0.0)


def _culprit(model: Model, names: list[str], residual: np.ndarray) -> str:
    """The field to look at first: the drive that is farthest off if there are drives, else such a joint.

    Of several that are equally far off, as two drives are that contradict each other, the last one.
    """
    rows = [int(r) for r in model.driven] or list(range(len(residual)))
    far = 0.999 * max(abs(residual[r]) for r in rows)
    return f"joints.{names[max(r for r in rows if not abs(residual[r]) < far)]}"


def assemble_positions(model: Model, state: State, work: Work, names: list[str], bodies: list[str]) -> list[str]:
    """Close positions in place; return one sentence for each change of note."""
    notes: list[str] = []
    rows = int(model.info[0]["bilateral"])
    if rows == 0:
        return notes
    size = float(model.info[0]["length"])
    n = len(bodies)
    t = float(state.clock[0]["t"])
    before = state.y.copy()

    evaluate_closed_rows(model, t, state.y, state.memory, work)
    start = work.row["g"][:rows].copy()
    _look_at_drives(model, names, start)
    tolerance = TOLERANCE * size
    worst, _, _ = close_positions(model, t, state.y, state.memory, tolerance, work)
    residual = work.row["g"][:rows].copy()
    if not worst <= 1e-10 * size:
        raise InputError(
            Problem(
                _culprit(model, names, residual),
                "the joints contradict each other: no position closes them all. Left open: "
                f"{_worst(names, residual)} (m or rad); as drawn: {_worst(names, start)}",
            )
        )
    moved = np.linalg.norm((state.y - before)[: 7 * n].reshape(n, 7)[:, :3], axis=1)
    turned = 2.0 * np.linalg.norm((state.y - before)[: 7 * n].reshape(n, 7)[:, 3:], axis=1)
    far, most = int(np.argmax(moved)), int(np.argmax(turned))
    if moved[far] > FAR * size or turned[most] > FAR_TURN:
        body = bodies[far] if moved[far] > FAR * size else bodies[most]
        raise InputError(
            Problem(
                f"bodies.{body}.position",
                f"the joints do not close as given: to close them, {bodies[far]} would move by {moved[far]:.3g} m and "
                f"{bodies[most]} turn by {turned[most]:.3g} rad. Open joints: {_worst(names, start)} (m or rad)",
            )
        )
    if moved[far] > NOTICE * size or turned[most] > NOTICE:
        notes.append(
            f"assembly: positions were changed to close the joints, at most by {moved[far]:.3g} m ({bodies[far]}) "
            f"and {turned[most]:.3g} rad ({bodies[most]})"
        )
    return notes


def _look_at_drives(model: Model, names: list[str], start: np.ndarray) -> None:
    """A drive that does not start where its joint is drawn is the likeliest reason for an open mechanism: report it."""
    far = [(names[r], -start[r]) for r in model.driven if abs(start[r]) > FAR_TURN]
    if far:
        raise InputError(
            [
                Problem(
                    f"joints.{name}",
                    f"the drive starts {gap:.4g} (m or rad) away from the drawn position, which counts as zero: draw "
                    "the mechanism where the drive starts, or subtract the start value",
                )
                for name, gap in far
            ]
        )


def _close(model: Model, t: float, state: State, work: Work) -> float:
    """Close velocities at positions that are closed already; the worst rate left."""
    _, _, soft = close_positions(model, t, state.y, state.memory, np.inf, work)
    worst = np.inf
    for _ in range(20):  # badly scaled mechanisms lose digits in each solution
        before = worst
        worst, _ = close_velocities(model, state.y, max(soft, 2), work)
        if not worst < 0.5 * before:
            break
    return float(worst)


def assemble_velocities(
    model: Model, state: State, work: Work, names: list[str], bodies: list[str], keep: np.ndarray
) -> list[str]:
    """Close velocities in place; ``keep`` (bodies, 2) marks the velocities and spins that were given."""
    rows, n = int(model.info[0]["bilateral"]), len(bodies)
    if rows == 0:
        return []
    t = float(state.clock[0]["t"])
    velocity = state.y[7 * n : 13 * n]
    wanted = velocity.copy()
    kept = np.repeat(keep, 3, axis=1).ravel()
    if kept.any() and not kept.all():
        # what was given becomes heavy for the projection
        light = model.body.copy()
        for b in range(n):
            model.body[b + 1]["minv"] /= KEEP if keep[b, 0] else 1.0
            model.body[b + 1]["Jinv"] /= KEEP if keep[b, 1] else 1.0
        for _ in range(4):
            velocity[kept] = wanted[kept]
            _close(model, t, state, work)
        model.body[...] = light
    left = _close(model, t, state, work)
    size = float(model.info[0]["length"])
    weight = np.tile([1.0, 1.0, 1.0, size, size, size], n)
    found, given = (float(np.max(np.abs(part * weight), initial=0.0)) for part in (velocity, wanted))
    if not left <= 1e-8 * max(found, given, 1.0):
        rate = work.vector[RHS, :rows]
        driven = ", ".join(names[r] for r in model.driven[:4])
        hint = f"; the drives ({driven}) may move what the joints hold" if driven else ""
        raise InputError(
            Problem(
                _culprit(model, names, rate),
                "the joints and drives contradict each other: no velocities satisfy them all. Left open: "
                f"{_worst(names, rate)} (m/s or rad/s){hint}",
            )
        )
    change = np.abs((velocity - wanted) * weight)
    changes = np.where(kept, change, 0.0)
    if np.max(change) <= NOTICE * max(found, given):
        return []
    b = int(np.argmax(changes)) // 6
    if np.max(changes) > 0.5 * given and given > 0.0:
        raise InputError(
            Problem(
                f"bodies.{bodies[b]}.velocity",
                "the given velocities contradict the joints: the nearest ones that fit differ by more than half "
                f"({np.max(changes):.3g} m/s at {bodies[b]}). Leave out velocities that should follow from the others",
            )
        )
    if np.max(changes) > NOTICE * given:
        return [
            f"assembly: given velocities were changed to fit the joints, at most by {np.max(changes):.3g} m/s "
            f"({bodies[b]}; rotations count at the size of the mechanism)"
        ]
    open_bodies = [body for body, known in zip(bodies, keep, strict=True) if not known.all()]
    shown = ", ".join(open_bodies[:6]) + (" ..." if len(open_bodies) > 6 else "")
    source = "the drives" if not kept.any() else "the given ones" + (" and the drives" if len(model.driven) else "")
    return [f"assembly: velocities of {shown} follow from {source}"]
