"""Identities that hold for any mechanism, on mechanisms drawn from seeds: all joint kinds, springs, loads, loops."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from mechanisms import COUPLINGS, JOINTS, SIZES, apply, coupling_arguments, product, rotation, turn

import jointplay as jp
from jointplay.joints.registry import KINDS

SEEDS = range(14)
METHOD = jp.Explicit(rtol=1e-11, atol=1e-12)
CENTRE = 0.3  # s, the instant whose neighbours are saved as well
NUDGE = 1e-4  # s
TIMES = np.unique(np.concatenate([np.linspace(0, 0.6, 13), [CENTRE - NUDGE, CENTRE, CENTRE + NUDGE]]))


class Scene:
    """Draws a mechanism at random; the whole of it may be turned by ``tilt`` and shifted."""

    def __init__(self, seed: int, tilt: Any = (1, 0, 0, 0), shift: Any = (0, 0, 0)) -> None:
        self.random = np.random.default_rng(seed)
        self.tilt, self.R, self.shift = np.array(tilt, float), rotation(tilt), np.array(shift, float)
        self.system = jp.System(f"random {seed}", gravity=self.R @ (1.0, -2.0, -9.0))
        self.bodies: list[Any] = [self.system.ground]
        self.joints: list[tuple[str, int, int]] = []  # name and the numbers of its bodies
        self.springs: list[tuple[str, int, int, np.ndarray, np.ndarray]] = []
        self.loads: list[tuple[int, np.ndarray, np.ndarray]] = []  # body, force, torque (global axes)

    def place(self, x: Any) -> np.ndarray:
        return self.R @ x + self.shift

    def vector(self, size: float = 1.0) -> np.ndarray:
        return size * self.random.uniform(-1.0, 1.0, 3)

    def body(self, centre: np.ndarray) -> None:
        J = np.diag(self.random.uniform(0.06, 0.1, 3))
        Q = rotation(turn(self.vector(), self.random.uniform(0, 3)))
        orientation = product(self.tilt, turn(self.vector(), self.random.uniform(0, 3)))
        name = f"b{len(self.bodies)}"
        given = {"mass": self.random.uniform(0.5, 2.0), "inertia": Q @ J @ Q.T, "position": self.place(centre)}
        self.bodies.append(self.system.body(name, orientation=orientation, **given))

    def joint(self, kind: str, a: int, b: int, point: np.ndarray) -> None:
        facts = KINDS[kind]
        axis = self.vector()
        given: dict[str, Any] = {}
        for key, unit in facts.arguments.items():
            if unit:
                given[key] = self.place(point + (self.vector(0.4) if key == "point_b" else 0.0))
            else:
                given[key] = self.R @ (np.cross(axis, self.vector()) if key == "axis_b" else axis)
        # one law for all displacements of a joint: the two of a planar joint lie along axes that nobody gave
        sliding = [key for key, use in facts.free.items() if use.relation.unit == "m"]
        turning = [[key] for key in facts.free if key not in sliding]
        for coordinates in (sliding, *turning):
            if self.random.uniform() < 0.6:
                k, c = self.random.uniform(1, 10), self.random.uniform(0.05, 0.5)
                free = 0.0 if len(coordinates) > 1 else self.random.uniform(-0.2, 0.2)
                given |= dict.fromkeys(coordinates, jp.Spring(stiffness=k, damping=c, free=free))
        name = f"J{len(self.joints)}"
        self.system.joint(kind, name, self.bodies[a], self.bodies[b], **given)
        self.joints.append((name, a, b))

    def couple(self, kind: str, point: np.ndarray) -> None:
        """A frame on a ball joint with two parts on hinges and guides in it, and a coupling between them."""
        first = len(self.bodies)
        for _ in range(3):
            self.body(point + self.vector(0.3))
        args = coupling_arguments(kind, point, self.vector)
        given = {key: self.place(x) if KINDS[kind].arguments[key] else self.R @ x for key, x in args.items()}
        self.add("spherical", 0, first, point=self.place(point + self.vector(0.3)))
        coupling = KINDS[kind].coupling
        assert coupling is not None
        for end in range(2):
            # what tells the hub: a hinge, or a guide; the nut of a screw has a guide along the axis
            told = {key: coordinate for key, (k, coordinate) in coupling.hubs.items() if k == end}
            turns = "angle" in told.values()
            axes = [key for key in told if not KINDS[kind].arguments[key]] or ["axis"]
            points = [key for key in told if KINDS[kind].arguments[key]] or ["point"]
            where = {"point": given.get(points[0], self.place(point)), "axis": given[axes[0]]}
            self.add("revolute" if turns else "prismatic", first, first + 1 + end, **where)
        self.add(kind, first + 1, first + 2, **given, **SIZES[kind])
        self.spring(0, first + 1)

    def add(self, kind: str, a: int, b: int, **given: Any) -> None:
        """A joint with nothing left to chance."""
        name = f"J{len(self.joints)}"
        self.system.joint(kind, name, self.bodies[a], self.bodies[b], **given)
        self.joints.append((name, a, b))

    def spring(self, a: int, b: int) -> None:
        ends = [self.place(self.vector()), self.place(self.vector())]
        given = {"stiffness": self.random.uniform(5, 50), "damping": self.random.uniform(0.1, 1.0)}
        name = f"k{len(self.springs)}"
        self.system.spring(name, self.bodies[a], self.bodies[b], point_a=ends[0], point_b=ends[1], **given)
        self.springs.append((name, a, b, *ends))

    def load(self, b: int) -> None:
        force, torque = self.R @ self.vector(4.0), self.R @ self.vector(2.0)
        self.system.force(f"f{b}", self.bodies[b], force=force)
        self.system.torque(f"t{b}", self.bodies[b], torque=torque)
        self.loads.append((b, force, torque))


def draw(seed: int, **given: Any) -> Scene:
    """A tree of four bodies, closed by a rod; springs and loads here and there."""
    scene = Scene(seed, **given)
    kinds = list(JOINTS)
    centres = [np.zeros(3)]
    for k in range(1, 5):
        parent = int(scene.random.integers(0, k))
        centres.append(centres[parent] + scene.vector())
        scene.body(centres[k])
        # the seed picks the first kind, so that all of them occur
        kind = kinds[seed % len(kinds)] if k == 1 else str(scene.random.choice(kinds))
        scene.joint(kind, parent, k, (centres[parent] + centres[k]) / 2)
    if seed % 2:
        scene.joint("distance", 0, 4, centres[4] + scene.vector(0.2))
    scene.spring(0, int(scene.random.integers(1, 5)))
    scene.spring(2, 4)
    scene.load(int(scene.random.integers(1, 5)))
    scene.couple(COUPLINGS[seed % len(COUPLINGS)], centres[0] + scene.vector())
    return scene


@cache
def motion(seed: int) -> tuple[Scene, jp.Solution]:
    scene = draw(seed)
    sol = jp.simulate(scene.system, until=TIMES[-1], method=METHOD, save=TIMES)
    assert sol.outcome.ok, sol.outcome.message
    return scene, sol


EACH = pytest.mark.parametrize("seed", SEEDS)


def test_every_kind_of_joint_is_drawn() -> None:
    assert {joint.kind.key for seed in SEEDS for joint in motion(seed)[0].system.joints} == set(KINDS)


@EACH
def test_joints_stay_closed(seed: int) -> None:
    scene, sol = motion(seed)
    assert max(np.max(sol[f"{name}.residual"]) for name, _, _ in scene.joints) <= 1e-10


@EACH
def test_energy_ledger_balances(seed: int) -> None:
    _, sol = motion(seed)
    scale = np.max(sol["energy.kinetic"]) + np.max(np.abs(sol["energy.input"])) + 1.0
    assert np.max(np.abs(sol["energy.error"])) <= 1e-9 * scale


@EACH
def test_energy_is_lost_never_won_in_dampers(seed: int) -> None:
    _, sol = motion(seed)
    assert np.all(np.diff(sol["energy.dissipated"]) >= -1e-15)


@EACH
def test_rates_are_derivatives_of_coordinates(seed: int) -> None:
    """Of joint coordinates (w . u = dg/dt), positions and velocities, by central differences along the motion."""
    _, sol = motion(seed)
    n = int(np.argmin(np.abs(sol.time - CENTRE)))
    pairs = [(name, f"{name}_rate") for name in sol.names if f"{name}_rate" in sol]
    for b in range(1, 5):
        pairs += [(f"b{b}.position", f"b{b}.velocity"), (f"b{b}.velocity", f"b{b}.acceleration")]
        pairs += [(f"b{b}.angular_velocity", f"b{b}.angular_acceleration")]
    for name, rate in pairs:
        found = (sol[name][n + 1] - sol[name][n - 1]) / (sol.time[n + 1] - sol.time[n - 1])
        size = 1.0 + np.max(np.abs(sol[rate]))
        assert np.max(np.abs(found - sol[rate][n])) <= 1e-4 * size, name


@EACH
def test_euler_parameters_turn_with_the_angular_velocity(seed: int) -> None:
    _, sol = motion(seed)
    n = int(np.argmin(np.abs(sol.time - CENTRE)))
    for b in range(1, 5):
        A = rotation(sol[f"b{b}.orientation"])
        rate = (A[n + 1] - A[n - 1]) / (sol.time[n + 1] - sol.time[n - 1])
        spin = A[n].T @ rate
        w = sol[f"b{b}.angular_velocity"][n]
        found = np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]) / 2
        assert np.max(np.abs(found - w)) <= 1e-4 * (1 + np.max(np.abs(w)))


@EACH
def test_action_is_reaction(seed: int) -> None:
    """Newton and Euler for every body: joints push its two bodies equally and oppositely at one point."""
    scene, sol = motion(seed)
    system = scene.system
    count = len(scene.bodies)
    force = {b: np.zeros((len(TIMES), 3)) for b in range(count)}
    moment = {b: np.zeros((len(TIMES), 3)) for b in range(count)}  # about the centre of mass, global axes
    pose = {b: (sol[f"b{b}.position"], rotation(sol[f"b{b}.orientation"])) for b in range(1, count)}
    pose[0] = (np.zeros((len(TIMES), 3)), np.broadcast_to(np.eye(3), (len(TIMES), 3, 3)))

    def push(b: int, F: np.ndarray, at: np.ndarray) -> None:
        force[b] += F
        moment[b] += np.cross(at - pose[b][0], F)

    for (name, a, b), element in zip(scene.joints, system.joints, strict=True):
        r, A = pose[b]
        P = r + A @ element.second.point
        push(b, sol[f"{name}.force"], P)
        push(a, -sol[f"{name}.force"], P)
        moment[b] += sol[f"{name}.torque"]
        moment[a] -= sol[f"{name}.torque"]
        for coordinate in (key for key, laws in element.free.items() if laws):
            lever(sol, name, coordinate, element, a, b, pose, push, moment)
    for name, a, b, _, _ in scene.springs:
        spring = next(one for one in system.springs if one.name == name)
        ends = [pose[k][0] + pose[k][1] @ marker.point for k, marker in ((a, spring.first), (b, spring.second))]
        n = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0], axis=1, keepdims=True)
        push(b, sol[f"{name}.force"][:, None] * n, ends[1])
        push(a, -sol[f"{name}.force"][:, None] * n, ends[0])
    for b, F, T in scene.loads:
        force[b] += F
        moment[b] += T
    for b, body in enumerate(system.bodies, start=1):
        A, w = pose[b][1], sol[f"b{b}.angular_velocity"]
        inertial = body.mass * (sol[f"b{b}.acceleration"] - system.gravity)
        spin = apply(A, sol[f"b{b}.angular_acceleration"] @ body.inertia.T + np.cross(w, w @ body.inertia.T))
        assert np.max(np.abs(inertial - force[b])) <= 1e-8 * (1 + np.max(np.abs(inertial)))
        assert np.max(np.abs(spin - moment[b])) <= 1e-8 * (1 + np.max(np.abs(spin)))


def lever(
    sol: jp.Solution, name: str, coordinate: str, element: Any, a: int, b: int, pose: Any, push: Any, moment: Any
):
    """Add the effort of a law on a free coordinate: a force along an axis of the first body, or a torque about it."""
    use = element.kind.free[coordinate]
    first, second = pose[a], pose[b]
    taken = [c for c, laws in element.free.items() if laws and element.kind.free[c].relation.unit == use.relation.unit]
    mark = "" if taken.index(coordinate) == 0 else f"_{taken.index(coordinate) + 1}"
    if use.relation.unit == "m":
        axis = first[1] @ element.first.axes[use.first_axis]
        F = sol[f"{name}.spring_force{mark}"][:, None] * axis
        P = second[0] + second[1] @ element.second.point
        push(b, F, P)
        push(a, -F, P)
        return
    # g = atan2(t.e, h.e), or minus it where the markers are swapped; its gradient with the turn of e:
    # e x (x t - y h) / (x2 + y2)
    (owner, marker), (other, far) = ((first, element.first), (second, element.second))[:: -1 if use.swapped else 1]
    h, t = owner[1] @ marker.axes[0], owner[1] @ marker.axes[1]
    e = other[1] @ far.axes[use.second_axis]
    x, y = np.sum(h * e, axis=1, keepdims=True), np.sum(t * e, axis=1, keepdims=True)
    T = sol[f"{name}.spring_torque{mark}"][:, None] * np.cross(e, x * t - y * h) / (x * x + y * y)
    moment[b] += T
    moment[a] -= T


@EACH
def test_it_does_not_matter_where_and_how_it_is_drawn(seed: int) -> None:
    _, sol = motion(seed)
    tilt = turn((1, -2, 0.5), 0.3 + 0.2 * seed)
    scene = draw(seed, tilt=tilt, shift=(0.3, -0.7, 1.1))
    moved = jp.simulate(scene.system, until=TIMES[-1], method=METHOD, save=TIMES)
    assert moved.outcome.ok, moved.outcome.message
    for b in range(1, 5):
        assert np.max(np.abs(moved[f"b{b}.position"] - sol[f"b{b}.position"] @ scene.R.T - scene.shift)) <= 1e-7
        assert np.max(np.abs(moved[f"b{b}.angular_velocity"] - sol[f"b{b}.angular_velocity"])) <= 1e-6
    assert np.max(np.abs(moved["energy.kinetic"] - sol["energy.kinetic"])) <= 1e-6 * np.max(1 + sol["energy.kinetic"])
