"""How far |force| is rounded in the friction of ideal joints (laws/on_joint.py), where the user left it open.

A corner must be rounded by far less than what presses, in grams as in tonnes: a ten-millionth of the load of the joint,

    load = max(N, least of |F_b|)      N: effective normal force at the start, without friction
                                       F_b: force on each of the two bodies that can move, weight and inertia included

rounded to a power of ten, so that a small change of a parameter does not change it. A joint that carries nothing then
is evaluated again at later instants, with the loads and drives of these, and if nothing ever acts m v^2/L stands for
the load, or m times 1 m/s2 at rest.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Model, State, Work
from ..model.elements import Joint
from .pack import Compiled
from .reactions import normal_force, reaction_map, soft_reaction, without_friction

FRACTION = 1e-7
MOST = 6  # joints that a note lists
INSTANTS = (0.0, *(10.0**k for k in range(-6, 4)))  # s: the same for every horizon, so that a run can be continued


def settle_smoothing(compiled: Compiled, work: Work, like: Compiled | None = None) -> list[str]:
    """Choose what the user left open; one sentence about it. A system ``like`` this one keeps what was chosen."""
    model, state, system = compiled.model, compiled.state, compiled.system
    joints = [system.joints[int(k)] for k in model.rub["joint"]]
    open_ones = [n for n, joint in enumerate(joints) if joint.friction and joint.friction.smoothing is None]
    if not open_ones:
        return []
    if like is not None and like.layout is compiled.layout:
        model.rub["smoothing"][open_ones] = like.model.rub["smoothing"][open_ones]
    else:
        loads = np.zeros(len(joints))
        for t in INSTANTS:
            if not loads[open_ones].all():
                loads = np.where(loads > 0.0, loads, _loads(model, t, state, work))
        for n in open_ones:
            load = loads[n] or _idle(model, state, joints[n], int(model.rub["joint"][n]))
            model.rub["smoothing"][n] = 10.0 ** np.round(np.log10(FRACTION * load))
    listed = ", ".join(f"{joints[n].name} {float(model.rub['smoothing'][n]):.0e} N" for n in open_ones[:MOST])
    listed += " ..." if len(open_ones) > MOST else ""
    return [f"friction: |force| is rounded by a smoothing of about {FRACTION:.0e} of the load of the joint: {listed}"]


def _loads(model: Model, t: float, state: State, work: Work) -> np.ndarray:
    """What presses on each joint that rubs at the start position, with loads and drives of time t; 0 if unknown."""
    lam = without_friction(model, t, state, work)
    mass = model.body["mass"]
    forces = np.linalg.norm(work.kin["force"][:, :3], axis=1) + mass * np.linalg.norm(
        work.kin["unknown"][:, :3], axis=1
    )
    found = np.zeros(len(model.rub))
    for n, rub in enumerate(model.rub):
        k = int(rub["joint"])
        own = [forces[b] for b in _moving(model, k)]
        pressed = normal_force(rub, reaction_map(model, work, k) @ lam + soft_reaction(model, work, k))
        found[n] = max(float(pressed), min(own))
    return np.where(np.isfinite(found), found, 0.0)


def _moving(model: Model, joint: int) -> list[int]:
    """Numbers of the bodies of a joint that are not the ground."""
    return [b for b in (int(model.joint[joint]["i"]), int(model.joint[joint]["j"])) if b > 0]


def _idle(model: Model, state: State, joint: Joint, number: int) -> float:
    """A force of the size of inertia forces, for a joint on which nothing acts: of its lighter body."""
    assert joint.friction is not None
    b = min(_moving(model, number), key=lambda one: float(model.body["mass"][one]))
    bodies, length = len(model.body) - 1, max(joint.friction.sizes.values())
    velocity = state.y[7 * bodies + 6 * (b - 1) : 7 * bodies + 6 * b]
    speed = float(np.linalg.norm(velocity[:3]) + length * np.linalg.norm(velocity[3:]))
    return float(model.body["mass"][b]) * (speed**2 / length or 1.0)
