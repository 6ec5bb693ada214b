"""Reactions of joints at a state, as linear maps of the multipliers, and the normal force with which they press.

What assemble/joint_friction.py finds step by step, for a look at one state: R = (F, T) on the second body at the joint
point, in joint axes of the first body, and N = sum factor |form R| without smoothing.
"""

from __future__ import annotations

import numpy as np

from ..arrays import LAM, Model, State, Work
from ..assemble.dynamics import derivative


def without_friction(model: Model, t: float, state: State, work: Work) -> np.ndarray:
    """Multipliers of the closed rows at time t as if joints did not rub; ``work`` then holds that state."""
    info = model.info.copy()
    info["rubs"] = 0
    derivative(model._replace(info=info), t, state.y, state.memory, work, np.zeros_like(state.y))
    return np.array(work.vector[LAM, : int(info[0]["bilateral"])])


def _wrenches(model: Model, work: Work, joint: int, rows: slice) -> np.ndarray:
    """Reactions of a joint to a unit multiplier on each of its rows, (6, rows)."""
    c = model.joint[joint]
    A, B = work.kin["A"][int(c["i"])], work.kin["A"][int(c["j"])]
    second = (model.row["j"][rows] == c["j"])[:, None]
    w = work.row["w"][rows]
    w = np.where(second, w[:, 6:], w[:, :6])
    force, moment = w[:, :3], w[:, 3:]
    torque = (moment - np.cross(c["sj"], force @ B)) @ B.T
    turn = (c["Ei"] @ A.T).T  # global axes to joint axes
    return np.hstack([force @ turn, torque @ turn]).T


def reaction_map(model: Model, work: Work, joint: int) -> np.ndarray:
    """(6, closed rows): reaction of a joint to the multipliers, at the state that ``work`` holds."""
    c = model.joint[joint]
    found = np.zeros((6, int(model.info[0]["bilateral"])))
    own = slice(int(c["first"]), int(c["first"]) + int(c["count"]))
    found[:, own] = _wrenches(model, work, joint, own)
    return found


def soft_reaction(model: Model, work: Work, joint: int) -> np.ndarray:
    """The part of the reaction that bushings on closed directions give."""
    c = model.joint[joint]
    own = slice(int(c["soft_first"]), int(c["soft_first"]) + int(c["soft_count"]))
    return np.asarray(_wrenches(model, work, joint, own) @ work.row["lam"][own])


def normal_force(rub: np.void, reaction: np.ndarray) -> np.ndarray:
    """Effective normal force of a record of Model.rub under reactions (6, ...)."""
    terms = int(rub["terms"])
    sizes = np.linalg.norm(np.tensordot(rub["form"][:terms], reaction, axes=(2, 0)), axis=1)
    return np.asarray(np.tensordot(rub["factor"][:terms], sizes, axes=(0, 0)))
