"""Friction of joints that share loads in a way that rigid parts leave open: which joints, and how much it matters.

Where closed rows are redundant, multipliers lam + Z a carry the same loads for every a (W^T Z = 0). Reactions of least
norm are one choice. The motion does not depend on it, unless a joint rubs under a reaction that changes with a: then
friction, and with it the motion, is a matter of fits and stiffnesses that the model does not have.

Ranges are shown, at the start and without friction: over all ways to make the joints statically determinate, each of
which releases as many rows as are redundant (the vertices lam_S = 0 with det Z_S != 0); they are listed if there are at
most MOST of them, else drawn by lot. It is no bound: parts forced together press with any force.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ..arrays import Model, State, Work
from ..assemble.interactions import evaluate_relations
from .pack import Compiled
from .reactions import normal_force, reaction_map, soft_reaction, without_friction
from .redundancy import DEPENDENT, LARGEST, scaled_rows
from .work import scratch

MOST = 2000  # ways of release that are all looked at
DRAWN = 300  # else so many
REGULAR = 1e-6  # least singular value of Z_S, relative: below, a release leaves the mechanism as good as loose


class Sharing(NamedTuple):
    """What friction depends on the sharing of loads, and how far."""

    normal: dict[str, tuple[float, float, float]]  # N of each joint it concerns: least, taken, most
    whole: tuple[float, float]  # friction power of all joints, least and most, relative to what is taken

    @property
    def matters(self) -> bool:
        """False if the joints rub as much together, however they share the load."""
        return self.whole[1] - self.whole[0] > DEPENDENT

    def note(self) -> str:
        """One sentence; a warning where the motion depends on it."""
        ranges = "; ".join(f"{name} {a:.4g} to {c:.4g} N, taken {b:.4g} N" for name, (a, b, c) in self.normal.items())
        least, most = (f"{100.0 * one:.0f}" for one in self.whole)
        cause = (
            f"friction of {', '.join(self.normal)} depends on how redundant joints share the load, which rigid parts"
        )
        cause += " leave open (least norm is taken)"
        if not self.matters:
            return f"{cause}; at the start their sum does not. Normal forces, by what is released: {ranges}"
        total = f"; friction as a whole {least} to {most} % of what is taken" if np.isfinite(self.whole[1]) else ""
        ranges = f"Normal forces at the start, by what is released: {ranges}{total}"
        return f"warning: the motion is not unique: {cause}. {ranges}"


def shared_friction(compiled: Compiled) -> Sharing | None:
    """Joints whose friction depends on how redundant joints share the loads; None if there are none."""
    if not compiled.rank.redundant or not len(compiled.model.rub) or len(compiled.row_names) > LARGEST:
        return None
    with scratch(compiled) as work:
        return _shared(compiled, work)


def _shared(compiled: Compiled, work: Work) -> Sharing | None:
    model, state = compiled.model, compiled.state
    lam = without_friction(model, float(state.clock[0]["t"]), state, work)
    closed = scaled_rows(model, work)
    stress = _self_stresses(closed)
    concerned = [n for n in range(len(model.rub)) if _feels(model, work, n, stress)]
    if not concerned:
        return None
    ways = lam[:, None] + np.insert(stress @ _releases(lam, stress), 0, 0.0, axis=1)  # the first one: as taken
    power: np.ndarray = np.zeros((1, ways.shape[1]))
    normal: dict[str, tuple[float, float, float]] = {}
    speeds = _speeds(model, state, work, closed)
    for n, rub in enumerate(model.rub):
        k = int(rub["joint"])
        friction = compiled.system.joints[k].friction
        assert friction is not None
        forces = normal_force(rub, reaction_map(model, work, k) @ ways + soft_reaction(model, work, k)[:, None])
        mu = getattr(friction.law, "mu_d", None)
        power = power + float(getattr(friction.law, "mu", 0.0) if mu is None else mu) * speeds[:, n, None] * forces
        if n in concerned:
            least, most = float(np.min(forces)), float(np.max(forces))
            name = compiled.joints[k]
            normal[name] = (0.0 if least <= DEPENDENT * most else least, float(forces[0]), most)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = power / power[:, :1]
    whole = whole[np.isfinite(whole).all(axis=1)]
    return Sharing(normal, (float(np.min(whole)), float(np.max(whole))) if len(whole) else (0.0, np.inf))


def sharing_notes(compiled: Compiled) -> list[str]:
    """One sentence if friction depends on how loads are shared."""
    found = shared_friction(compiled)
    return [found.note()] if found else []


def _feels(model: Model, work: Work, n: int, stress: np.ndarray) -> bool:
    """Whether the normal force of a joint that rubs changes with self-stress."""
    rub = model.rub[n]
    to_forces = rub["form"][: int(rub["terms"])].reshape(-1, 6) @ reaction_map(model, work, int(rub["joint"]))
    each = np.linalg.norm(to_forces, axis=0)  # how strongly the joint feels each row
    return bool(np.linalg.norm(to_forces @ stress) > DEPENDENT * np.linalg.norm(each[:, None] * stress))


def _self_stresses(rows: np.ndarray) -> np.ndarray:
    """Z, (rows, redundant): an orthonormal basis in rows of unit size, in units of the multipliers."""
    size = np.linalg.norm(rows, axis=1)
    size[size == 0.0] = 1.0
    left, values, _ = np.linalg.svd(rows / size[:, None])
    rank = int(np.sum(values > DEPENDENT * np.max(values, initial=0.0)))
    return np.asarray(left[:, rank:] / size[:, None])


def _releases(lam: np.ndarray, stress: np.ndarray) -> np.ndarray:
    """Amounts a of self-stress, (redundant, ways), each of which frees as many rows from load as are redundant."""
    from scipy.linalg import qr

    size = np.linalg.norm(stress, axis=1)
    free = np.flatnonzero(size > DEPENDENT * np.max(size))  # rows that can give load away
    count = stress.shape[1]
    scaled = stress[free] / size[free, None]
    if comb(len(free), count) <= MOST:
        chosen = np.array(list(combinations(range(len(free)), count)))
    else:  # a random order of preference; elimination skips what would leave the mechanism loose
        random = np.random.default_rng(20240229)
        weights = np.exp(random.uniform(-10.0, 10.0, (DRAWN, len(free))))
        chosen = np.array([qr((w[:, None] * scaled).T, mode="r", pivoting=True)[1][:count] for w in weights])
    values = np.linalg.svd(scaled[chosen], compute_uv=False)
    rows = free[chosen[values[:, -1] > REGULAR * values[:, 0]]]
    return np.asarray(np.linalg.solve(stress[rows], -lam[rows][:, :, None])[:, :, 0].T)


def _speeds(model: Model, state: State, work: Work, closed: np.ndarray) -> np.ndarray:
    """Sliding speeds of all joints that rub, (motions, joints): at the start, or in some motions that joints allow."""
    evaluate_relations(model.relation, state.memory, work.kin, work.row)
    bodies = len(model.body) - 1
    u = np.concatenate([np.zeros(6), state.y[7 * bodies : 13 * bodies]]).reshape(-1, 6)
    slides = [
        (n, int(rub["row"][m]), float(rub["lever"][m])) for n, rub in enumerate(model.rub) for m in range(rub["count"])
    ]
    rates = np.array(
        [work.row["w"][r] @ u[[int(model.row[r]["i"]), int(model.row[r]["j"])]].ravel() for _, r, _ in slides]
    )
    found = rates[None, :]
    if not rates.any():
        _, values, right = np.linalg.svd(closed)
        rank = int(np.sum(values > DEPENDENT * np.max(values, initial=0.0)))
        allowed = np.random.default_rng(20240229).standard_normal((3, len(right) - rank)) @ right[rank:]
        found = allowed @ scaled_rows(model, work, [r for _, r, _ in slides]).T
    speeds = np.zeros((len(found), len(model.rub)))
    for (n, _, lever), rate in zip(slides, found.T, strict=True):
        speeds[:, n] = np.hypot(speeds[:, n], lever * rate)
    return speeds
