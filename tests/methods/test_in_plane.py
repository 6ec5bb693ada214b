"""Kernels of planar models do what those of models in space do, with the numbers that change."""

from __future__ import annotations

import numpy as np
import pytest

from jointplay import Clearance, Coulomb, Rigid, System, arrays
from jointplay.arrays import ANSWER, BEFORE, CONTACT_ITERATIONS, CONTACT_SOLVES, DENSE_ROW, FREE, LAM, MU
from jointplay.assemble.closed import evaluate_closed_rows, factorise, impel
from jointplay.assemble.kinematics import (
    arrive_in,
    displace,
    displace_in,
    finite_in_plane,
    keep_in,
    move,
    move_in,
    normalise,
    normalise_in,
    place_bodies,
    place_in,
    position_rates,
    position_rates_in,
    set_out_in,
)
from jointplay.assemble.plane_contacts import build_in_plane, pose, spread_in_plane
from jointplay.assemble.rigid_contacts import (
    build_problem,
    evaluate_gaps,
    set_free,
    solve_contacts,
    solve_in_plane,
    spread,
    start_from,
    work_of_contacts,
)
from jointplay.compile.build import compile_system
from jointplay.compile.work import make_work
from jointplay.methods.moreau_midpoint import apply_impulses, find_impulses, note_before, set_off
from jointplay.numerics.jit import jit

BODIES = 4  # with the ground


def flat_state(seed: int, spin: float) -> tuple[np.ndarray, np.ndarray]:
    """A random state of bodies that move in a plane, not quite of unit length, and velocities."""
    random = np.random.default_rng(seed)
    y = np.zeros(13 * (BODIES - 1) + 2)
    for b in range(BODIES - 1):
        angle = random.uniform(-3.0, 3.0)
        y[7 * b : 7 * b + 7] = *random.standard_normal(2), 0.7, np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)
        at = 7 * (BODIES - 1) + 6 * b
        y[at : at + 6] = *random.standard_normal(2), 0.0, 0.0, 0.0, spin * random.standard_normal()
    return y, y[7 * (BODIES - 1) :]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("spin", "h"), [(1.0, 1e-4), (10.0, 1e-2), (300.0, 1e-2)])
def test_bodies_move_as_in_space(seed, spin, h):
    y, u = flat_state(seed, spin)
    ends = np.zeros_like(y), np.zeros_like(y)
    for planar in range(2):
        new = ends[planar]
        (move_in(True, BODIES, y, u, h, new) if planar else move(BODIES, y, u, h, new))
        new[7 * (BODIES - 1) :] = u if len(u) == len(new) - 7 * (BODIES - 1) else 0.0
        new[3:7] *= 1.0 + 3e-9  # and one that has to be brought back to unit length
        new[10:14] *= 1.01
        (normalise_in(True, BODIES, new) if planar else normalise(BODIES, new))
    assert ends[1] == pytest.approx(ends[0], rel=1e-14, abs=1e-15)
    dy = np.zeros_like(y), np.zeros_like(y)
    position_rates(BODIES, y, dy[0])
    position_rates_in(True, BODIES, y, dy[1])
    assert dy[1] == pytest.approx(dy[0], rel=1e-15, abs=1e-16)
    kin = [np.zeros(BODIES, dtype=arrays.motion_dtype(float)) for _ in range(2)]
    place_bodies(BODIES, y, kin[0])
    place_in(True, BODIES, y, kin[1])
    for name in ("r", "A", "v", "w"):
        assert kin[1][name] == pytest.approx(kin[0][name], rel=1e-15, abs=1e-15)
    shift = np.random.default_rng(seed).standard_normal((BODIES, 6)) * 1e-3 * np.array([1, 1, 0, 0, 0, 1])
    moved = y.copy(), y.copy()
    for k, back in enumerate((displace, lambda z, kin: displace_in(True, z, kin))):
        kin[k]["shift"] = shift
        back(moved[k], kin[k])
    assert moved[1] == pytest.approx(moved[0], rel=1e-14, abs=1e-15)


@jit
def set_out_here(planar, h, later, y, dy, middle, kin):
    """What becomes part of a step, alone."""
    set_out_in(planar, len(kin), (h, later), y, dy, middle, kin)


@jit
def arrive_here(planar, h, u, middle, kin, new, rates):
    """The same."""
    arrive_in(planar, len(kin), (h, 0.5 * h), u, middle, kin, new, rates)


@jit
def keep_here(planar, bodies, new, y):
    """The same; and whether all of it is finite, in a plane."""
    keep_in(planar, bodies, new, y)
    return finite_in_plane(bodies, y)


@pytest.mark.parametrize("seed", range(3))
def test_steps_of_bodies_as_in_space(seed):
    (y, u), (dy, _) = flat_state(seed, 30.0), flat_state(seed + 10, 30.0)
    dy[[2, 9, 16]] = 0.0
    found = []
    for planar in (False, True):
        kin = np.zeros(BODIES, dtype=arrays.motion_dtype(float))
        middle, new, rates = (np.zeros_like(y) for _ in range(3))
        set_out_here(planar, 1e-3, 2e-3, y, dy, middle, kin)
        placed = kin.copy()
        kin["unknown"] = np.random.default_rng(seed).standard_normal((BODIES, 6)) * np.array([1, 1, 0, 0, 0, 1])
        arrive_here(planar, 2e-3, u, middle, kin, new, rates)
        found.append((placed, middle, new, rates))
    for name in ("r", "A", "v", "w"):
        assert found[1][0][name] == pytest.approx(found[0][0][name], rel=1e-14, abs=1e-15)
    for flat, full in zip(found[1][1:], found[0][1:], strict=True):
        assert flat == pytest.approx(full, rel=1e-13, abs=1e-14)
    new = found[1][2]
    for planar in (False, True):
        kept = np.zeros_like(y)
        kept[[2, 9, 16]] = new[[2, 9, 16]]  # heights never change
        assert keep_here(planar, BODIES, new, kept)
        assert np.array_equal(kept, new)
    for place in (0, 4, 6, 7 * (BODIES - 1), 7 * (BODIES - 1) + 5, len(y) - 1):
        kept = new.copy()
        kept[place] = np.nan if place % 2 else np.inf
        if place != 4:  # does not change in a plane
            assert not keep_here(True, BODIES, kept, kept)


@jit
def hold_all(touch):
    """All contacts take part."""
    for c in range(len(touch)):
        touch[c].held = 1


@jit
def build_here(model, soft, work):
    """What becomes part of a step, alone."""
    return build_in_plane(model, soft, work)


@jit
def solve_here(model, count, work):
    """The same."""
    return solve_in_plane(model, count, work)


@jit
def set_off_here(model, span, u, trial, memory, work):
    """The same."""
    return set_off(model, span, u, trial, memory, work)


def guide(joints: bool) -> System:
    """A slider in a guide, alone or at the end of a crank and a rod."""
    s = System("guide", planar=True, gravity=(0.0, -9.81, 0.0))
    slider = s.body("slider", mass=0.7, inertia=0.01, position=(0.45, 0.0, 0.0), angular_velocity=0.3)
    if joints:
        crank = s.body("crank", mass=0.4, inertia=0.002, position=(0.075, 0.0, 0.0), angular_velocity=8.0)
        rod = s.body("rod", mass=0.5, inertia=0.004, position=(0.3, 0.0, 0.0))
        s.revolute("A", s.ground, crank, point=(0, 0, 0))
        s.revolute("B", crank, rod, point=(0.15, 0, 0))
        s.revolute("C", rod, slider, point=(0.45, 0, 0))
    play = Clearance(1e-3, contact=Rigid(restitution=0.3), friction=Coulomb(0.2))
    s.prismatic("G", s.ground, slider, point=(0.45, 0, 0), axis=(1, 0, 0), length=0.1, width=0.05, radial=play)
    return s


@pytest.mark.parametrize("joints", [False, True])
def test_contact_problem_in_one_pass(joints):
    compiled = compile_system(guide(joints))
    model, state = compiled.model, compiled.state
    random, h, ahead = np.random.default_rng(7), 1e-3, 5e-4
    y = state.y.copy()
    bodies = int(model.info[0]["bodies"])
    u = y[7 * (bodies - 1) :]
    for b in range(bodies - 1):
        u[6 * b : 6 * b + 6] = random.standard_normal(6) * np.array([1, 1, 0, 0, 0, 1])
    memory = random.standard_normal(len(state.memory))
    works = [make_work(model, state) for _ in range(2)]
    accel = random.standard_normal((bodies, 6)) * np.array([1, 1, 0, 0, 0, 1])
    accel[0] = 0.0
    count, answer = 0, random.standard_normal(2 * len(model.contact))
    for work in works:
        evaluate_closed_rows(model, 0.0, y, memory, work)
        evaluate_gaps(model, memory, work)
        hold_all(work.touch)
        soft = factorise(model, 0.0, work)
        count = build_problem(model, soft, work)
        work.kin["unknown"] = accel
    assert count == len(model.contact) == 4
    general, flat = works
    for name in ("reply", "echo", "delassus"):
        getattr(flat, name)[...] = np.nan
    assert build_here(model, soft, flat) == count
    for name in ("reply", "echo", "delassus"):
        assert np.array_equal(getattr(flat, name)[: 2 * count], getattr(general, name)[: 2 * count]), name
    assert np.array_equal(flat.problem[MU], general.problem[MU])
    # the Delassus matrix by its definition, from dense matrices
    mass = np.concatenate([np.concatenate([b["minv"], np.diag(b["Jinv"])]) for b in model.body])
    full = np.zeros((int(model.info[0]["bilateral"]), 6 * bodies))
    for r, line in enumerate(full):
        for half, body in ((0, model.row["i"][r]), (6, model.row["j"][r])):
            line[6 * body : 6 * body + 6] += general.row["w"][r, half : half + 6]
    walls = np.zeros((8, 6 * bodies))
    for c, k in enumerate(model.contact):
        for m in range(2):
            for half, body in ((0, k["i"]), (6, k["j"])):
                sign = k["sign"] if m == 0 else 1.0
                walls[2 * c + m, 6 * body : 6 * body + 6] += sign * general.row["w"][k["row"][m], half : half + 6]
    light = mass[:, None] * walls.T
    if joints:
        light -= mass[:, None] * full.T @ np.linalg.solve(full * mass @ full.T, full @ light)
    assert general.reply == pytest.approx(light.T, rel=1e-10, abs=1e-9)
    assert general.delassus == pytest.approx(walls @ light, rel=1e-10, abs=1e-9)
    set_free(model, h, ahead, general)
    note_before(model, u, general)
    start_from(model, memory, h, general)
    pose(model, h, ahead, u, memory, flat)
    for line in (FREE, BEFORE, ANSWER):
        assert flat.problem[line] == pytest.approx(general.problem[line], rel=1e-13, abs=1e-14)
    for work in works:
        work.problem[ANSWER] = answer
    spread(model, count, general)
    assert spread_in_plane(model, count, flat) == pytest.approx(work_of_contacts(model, 0.0, general), rel=1e-12)
    assert flat.kin["unknown"] == pytest.approx(general.kin["unknown"], rel=1e-13, abs=1e-13)
    assert flat.touch["impulse"][:, :2] == pytest.approx(general.touch["impulse"][:, :2], rel=1e-15)


@pytest.mark.parametrize("free", [(-1.0, 0.02), (-1.0, 0.9), (-1.0, -0.9), (0.3, 0.1)])
def test_one_contact_in_place(free):
    compiled = compile_system(guide(False))
    model, found = compiled.model, []
    for kernel in (solve_contacts, solve_here):
        work = make_work(model, compiled.state)
        work.delassus[:2, :2] = [[2.0, 0.3], [0.3, 1.5]]
        work.problem[FREE, :2], work.problem[MU, 0], work.problem[ANSWER, :2] = free, 0.4, (0.1, 0.0)
        status, residual = kernel(model, 1, work)
        assert (status, work.tally[CONTACT_SOLVES]) == (0, 1) and residual <= 1e-10
        found.append((*work.problem[ANSWER, :2], work.tally[CONTACT_ITERATIONS]))
    assert found[1] == pytest.approx(found[0], rel=1e-14)
    normal, drag, _ = found[1]
    u = np.array([[2.0, 0.3], [0.3, 1.5]]) @ (normal, drag) + free
    assert u[0] == pytest.approx(max(free[0], 0.0), abs=1e-14)
    assert abs(drag) <= 0.4 * normal * (1.0 + 1e-14)
    assert abs(u[1]) <= 1e-14 or drag == pytest.approx(-0.4 * normal * np.sign(u[1]), rel=1e-13)


@pytest.mark.parametrize("pulled", [False, True])
def test_bodies_fall(pulled):
    """Without reactions a velocity grows by the weight, and by what pulls: the same as in the general way."""
    system = guide(True)
    if pulled:
        system.force("pull", "slider", force=(3.0, 0.0, 0.0))
    compiled = compile_system(system)
    model, state, h = compiled.model, compiled.state, 1e-3
    work = make_work(model, state)
    u = state.y[7 * (int(model.info[0]["bodies"]) - 1) :]
    assert set_off_here(model, (0.0, h), u, state.y, state.memory, work) == 0.0
    for b in range(3):
        more = np.array([3.0 / 0.7 if pulled and b == 0 else 0.0, -9.81, 0.0, 0.0, 0.0, 0.0])
        assert work.kin["unknown"][b + 1] == pytest.approx(u[6 * b : 6 * b + 6] + h * more, rel=1e-14, abs=1e-16)
        weight = float(model.body["mass"][b + 1]) * more
        assert work.kin["force"][b + 1] == pytest.approx(weight, rel=1e-14, abs=1e-16)
    assert not work.kin["unknown"][0].any()


def linkage(kind: str) -> System:
    """Bodies in a plane with loops or without; a slide has rows that are no pin's."""
    s = System(kind, planar=True, gravity=(0.0, -9.81, 0.0))
    crank = s.body("crank", mass=0.4, inertia=0.002, position=(0.075, 0.0, 0.0))
    rod = s.body("rod", mass=0.5, inertia=0.004, position=(0.3, 0.0, 0.0))
    last = s.body("last", mass=0.7, inertia=0.01, position=(0.45, 0.0, 0.0))
    s.revolute("A", s.ground, crank, point=(0, 0, 0))
    s.revolute("B", crank, rod, point=(0.15, 0.02, 0))
    s.revolute("C", rod, last, point=(0.45, 0, 0))
    if kind == "slide":
        s.prismatic("G", s.ground, last, point=(0.45, 0, 0), axis=(1, 0, 0))
    if kind == "four-bar":
        s.revolute("D", s.ground, last, point=(0.5, 0.3, 0))
    if kind == "crossed":  # two loops on one body: L has blocks that N has not
        other = s.body("other", mass=0.2, inertia=0.001, position=(0.2, 0.3, 0.0))
        s.revolute("D", s.ground, last, point=(0.5, 0.3, 0))
        s.revolute("E", rod, other, point=(0.25, 0.1, 0))
        s.revolute("F", crank, other, point=(0.1, 0.25, 0))
    return s


@jit
def impel_here(model, now, ahead, work):
    """What becomes part of a step, alone."""
    impel(model, now, ahead, work)


@jit
def general_impulses(model, ahead, soft, work):
    """The same, step by step."""
    find_impulses(model, ahead, soft, work)
    apply_impulses(model, work)


@pytest.mark.parametrize("kind", ["chain", "slide", "four-bar", "crossed"])
@pytest.mark.parametrize("seed", range(4))
def test_joints_in_one_pass(kind: str, seed: int) -> None:
    compiled = compile_system(linkage(kind))
    model, state, random = compiled.model, compiled.state, np.random.default_rng(seed)
    assert bool(model.info[0]["plain"]) == (kind != "crossed")
    bodies, y = int(model.info[0]["bodies"]), state.y.copy()
    for b in range(bodies - 1):
        angle = random.uniform(-3.0, 3.0)
        y[7 * b : 7 * b + 7] = *random.standard_normal(2), 0.0, np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)
        at = 7 * (bodies - 1) + 6 * b
        y[at : at + 6] = random.standard_normal(6) * np.array([1, 1, 0, 0, 0, 1])
    accel = random.standard_normal((bodies, 6)) * np.array([1, 1, 0, 0, 0, 1])
    accel[0] = 0.0
    works = [make_work(model, state) for _ in range(2)]
    softs, rows = [], int(model.info[0]["bilateral"])
    for plain, work in enumerate(works):
        model.info[0]["plain"] = plain * (kind != "crossed")
        evaluate_closed_rows(model, 0.0, y, state.memory, work)
        softs.append(factorise(model, 0.0, work))
        work.kin["unknown"] = accel
        work.row["drift"][:rows] = np.linspace(-1.0, 1.0, rows)
    general, flat = works
    assert softs == [0, 0]
    # N by its definition, from dense matrices: how much worse than rounding its solutions may be
    mass = np.concatenate([np.concatenate([b["minv"], np.diag(b["Jinv"])]) for b in model.body])
    full = np.zeros((rows, 6 * bodies))
    for r, line in enumerate(full):
        for half, body in ((0, model.row["i"][r]), (6, model.row["j"][r])):
            line[6 * body : 6 * body + 6] += general.row["w"][r, half : half + 6]
    matrix = full * mass @ full.T
    loose = 1e-15 * np.linalg.cond(matrix)
    general_impulses(model, 0.3, 0, general)
    if kind == "crossed":
        general_impulses(model, 0.3, 0, flat)
    else:
        impel_here(model, 1.0, 0.3, flat)
    wanted = full @ accel.ravel() + general.row["drift"][:rows] + 0.3 * general.row["bias"][:rows]
    lam = -np.linalg.solve(matrix, wanted)
    for work in works:
        assert work.vector[LAM, :rows] == pytest.approx(lam, rel=100 * loose, abs=100 * loose * np.max(np.abs(lam)))
    size = np.max(np.abs(lam)) * np.max(mass)
    after = accel.ravel() + mass * (full.T @ lam)
    assert general.kin["unknown"].ravel() == pytest.approx(after, abs=100 * loose * size)
    assert flat.kin["unknown"].ravel() == pytest.approx(after, abs=100 * loose * size)
    assert not flat.vector[DENSE_ROW].any()
