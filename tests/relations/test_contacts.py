"""Contacts against geometry done by hand or by NumPy: gaps, normals, contact points, rates, action and reaction.

Derivatives are in tests/gradients; here nothing is believed that the kernels say about themselves. A contact point is
read off the moment arms: for orthonormal directions a_k and arms s x a_k,  s = sum_k a_k x (s x a_k) / 2.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from jointplay import arrays
from jointplay.numerics.jit import jit
from jointplay.numerics.vec import rotation
from jointplay.relations.base import Relation
from jointplay.relations.edge import EDGE
from jointplay.relations.journal import JOURNAL
from jointplay.relations.plane import PLANE
from jointplay.relations.registry import CONTACTS, REGISTRY, evaluate_rows, vary_rows
from jointplay.relations.separation import SEPARATION
from jointplay.relations.socket import SOCKET

EYE = np.eye(3)
REST = np.zeros(12)
ROUND = (JOURNAL, SOCKET)
PIN_ON_I, PIN_ON_J = 1.0, -1.0


@jit
def rows_of(relation, kin, row):
    evaluate_rows(relation[0], kin[0], kin[1], (0.0, 0.0), row)


@jit
def changes_of(relation, kin, eta, out):
    vary_rows(relation[0], kin[0], kin[1], eta, out)


class Rows(NamedTuple):
    """The three rows of a contact: coordinates, w, bias."""

    g: np.ndarray
    w: np.ndarray
    bias: np.ndarray


class Pair:
    """Two bodies and a contact between them."""

    def __init__(self, kind: Relation, *, si=(0, 0, 0), sj=(0, 0, 0), Ei=EYE, Ej=EYE, g0=0.0, shape=(0, 0, 0)) -> None:
        self.relation = np.zeros(1, dtype=arrays.relation_dtype(np.float64))
        record = self.relation[0]
        record["kind"], record["row"], record["j"] = REGISTRY.index(kind), (0, 1, 2), 1
        record["si"], record["sj"], record["Ei"], record["Ej"] = si, sj, Ei, Ej
        record["shape"], record["g0"], record["sign"] = shape, g0, 1.0
        self.kin = np.zeros(2, dtype=arrays.motion_dtype(np.float64))
        self.kin["A"] = EYE

    def at(self, r, A, u=REST) -> Rows:
        """Rows with the bodies at r, A and velocities u."""
        self.kin["r"], self.kin["A"] = r, A
        self.kin["v"], self.kin["w"] = (u[0:3], u[6:9]), (u[3:6], u[9:12])
        row = np.zeros(4, dtype=arrays.row_dtype(np.float64))
        row["g"] = row["bias"] = row["w"] = 777.0  # what is not written shows
        rows_of(self.relation, self.kin, row)
        return Rows(row["g"][:3].copy(), row["w"][:3].copy(), row["bias"][:3].copy())

    def places(self, found: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Contact point in global axes, by the arms on body i and by the arms on body j."""
        (ri, rj), (Ai, Aj) = self.kin["r"], self.kin["A"]
        size = np.linalg.norm(found.w[:, 6:9], axis=1)[:, None]
        a = found.w[:, 6:9] / size
        on_i = -np.cross(a @ Ai, found.w[:, 3:6] / size).sum(axis=0) / 2
        on_j = np.cross(a @ Aj, found.w[:, 9:12] / size).sum(axis=0) / 2
        return ri + Ai @ on_i, rj + Aj @ on_j


def turn(p: np.ndarray) -> np.ndarray:
    """Rotation matrix of Euler parameters."""
    A = np.zeros((3, 3))
    rotation(np.asarray(p) / np.linalg.norm(p), A)
    return A


def exponential(w: np.ndarray) -> np.ndarray:
    """Rotation by the vector w."""
    angle = float(np.linalg.norm(w))
    return turn(np.array([math.cos(angle / 2), *(np.sinc(angle / (2 * np.pi)) / 2 * w)]))


class Scene(NamedTuple):
    """A contact in a random position, in random motion."""

    pair: Pair
    r: np.ndarray
    A: np.ndarray
    u: np.ndarray

    def after(self, time: float) -> Rows:
        """Rows after a motion at constant u."""
        v, w = self.u.reshape(2, 6)[:, 0:3], self.u.reshape(2, 6)[:, 3:6]
        A = np.array([self.A[k] @ exponential(w[k] * time) for k in range(2)]) if time else self.A
        return self.pair.at(self.r + v * time, A, self.u)


def scene(kind: Relation, seed: int) -> Scene:
    random = np.random.default_rng([seed, REGISTRY.index(kind)])
    # half a metre apart at most, the edge tilted by less than a right angle
    A = turn(random.standard_normal(4))
    pair = Pair(
        kind,
        si=random.uniform(-1, 1, 3),
        sj=random.uniform(-1, 1, 3),
        Ei=turn(random.standard_normal(4)),
        Ej=turn(random.standard_normal(4)),
        g0=random.uniform(-0.1, 0.1),
        shape=(0.5, 0.3, (-1.0) ** seed),
    )
    record = pair.relation[0]
    tilt = exponential(random.uniform(-0.4, 0.4, 3))
    Aj = A @ record["Ei"].T @ tilt @ record["Ej"]  # the axes of the two markers differ by the tilt
    ri = random.uniform(-2, 2, 3)
    rj = ri + A @ (record["si"] + record["Ei"].T @ random.uniform(0.1, 0.3, 3)) - Aj @ record["sj"]
    return Scene(pair, np.array([ri, rj]), np.array([A, Aj]), random.standard_normal(12))


every = pytest.mark.parametrize("kind", CONTACTS, ids=lambda kind: kind.name)
seeds = pytest.mark.parametrize("seed", range(4))


# --- by hand -------------------------------------------------------------------------------------------------------


def test_plane_by_hand() -> None:
    # a floor at height 0.1 under a point 0.3 below the centre of a body that is turned by 90 degrees about z
    Aj = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    pair = Pair(PLANE, si=(0, 0, 0.1), sj=(0.2, 0, -0.3), Ei=EYE[[2, 0, 1]])
    found = pair.at([(0, 0, 0), (1, 2, 0.45)], [EYE, Aj])
    assert found.g == pytest.approx([0.05, 0, 0], abs=1e-16)
    assert found.w[0] == pytest.approx([0, 0, -1, -2.2, 1, 0, 0, 0, 1, 0, -0.2, 0])
    assert found.w[1] == pytest.approx([-1, 0, 0, 0, -0.15, 2.2, 1, 0, 0, -0.3, 0, -0.2])
    for place in pair.places(found):
        assert place == pytest.approx([1, 2.2, 0.15])


@seeds
def test_plane_rows_are_separations(seed: int) -> None:
    one = scene(PLANE, seed)
    found = one.after(0.0)
    record = one.pair.relation[0]
    record["kind"] = REGISTRY.index(SEPARATION)
    for k in range(3):
        record["ki"] = k
        wanted = one.after(0.0)
        assert found.w[k] == pytest.approx(wanted.w[0], abs=1e-14)
        assert found.bias[k] == pytest.approx(wanted.bias[0], abs=1e-13)
        assert found.g[k] == pytest.approx(wanted.g[0] if k == 0 else 0.0, abs=1e-15)


@pytest.mark.parametrize(("side", "place"), [(PIN_ON_I, -5e-3), (PIN_ON_J, 5e-3 + 5e-5)])
def test_journal_by_hand(side: float, place: float) -> None:
    # centre of the circle at (30, 40) micrometres: 50 of the 100 of clearance are left, e' = (0.6, 0.8, 0)
    pair = Pair(JOURNAL, si=(0, 0, 0.1), sj=(0, 0, -0.4), shape=(1e-4, 5e-3, side))
    found = pair.at([(0, 0, 0), (3e-5, 4e-5, 0.6)], [EYE, EYE])
    assert found.g == pytest.approx([5e-5, 0, 0], abs=1e-19)
    assert found.w[:, 6:9] == pytest.approx(np.array([[-0.6, -0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]]))
    for point in pair.places(found):
        assert point == pytest.approx([0.6 * place, 0.8 * place, 0.2], abs=1e-16)


@pytest.mark.parametrize(("side", "place"), [(PIN_ON_I, -0.02), (PIN_ON_J, 0.02 + 3e-4)])
def test_socket_by_hand(side: float, place: float) -> None:
    e = np.array([1, 2, 2]) / 3
    pair = Pair(SOCKET, si=(0, 0, 0.1), sj=(0, 0.5, 0), shape=(1e-3, 0.02, side))
    found = pair.at([(0, 0, 0), 3e-4 * e + (0, -0.5, 0.1)], [EYE, EYE])
    assert found.g == pytest.approx([7e-4, 0, 0], abs=1e-16)
    around = np.array([-2, 1, 0]) / math.sqrt(5)
    assert found.w[:, 6:9] == pytest.approx(np.array([-e, around, np.cross(e, around)]), abs=1e-12)
    for point in pair.places(found):
        assert point == pytest.approx(place * e + (0, 0, 0.1), abs=1e-14)


def test_socket_tangents_near_the_axis() -> None:
    pair = Pair(SOCKET, shape=(1.0, 0.1, PIN_ON_J))
    for e in np.array([[0, 0, 1.0], [0.1, -0.2, -0.9], [0.3, 0.3, 0.8], [0.5, 0.5, 0.7]]):
        a = pair.at([(0, 0, 0), e / 2], [EYE, EYE]).w[:, 6:9]
        assert a @ a.T == pytest.approx(EYE, abs=1e-15)
        assert a[0] == pytest.approx(-e / np.linalg.norm(e))


def test_edge_by_hand() -> None:
    # the guide ends at z = 0.1 with a wall x = -0.01; the prism is tilted by 3-4-5 in the plane of x and z
    Aj = np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]])
    pair = Pair(EDGE, si=(-0.01, 0.5, 0.1), sj=(0, 0, 0.2))
    found = pair.at([(0, 0, 0), (0.03, 0.02, -0.1)], [EYE, Aj])
    # edge: (0.03, 0.02, -0.1) + s (0.6, 0, 0.8) reaches z = 0.1 at s = 0.25, x = 0.18
    assert found.g == pytest.approx([0.19, 0, 0], abs=1e-16)
    assert found.w[:, 6:9] == pytest.approx(np.array([[1, 0, -0.75], [0.6, 0, 0.8], [0, 1, 0]]))
    for point in pair.places(found):
        assert point == pytest.approx([0.18, 0.02, 0.1])
    # the distance to the wall itself, g0 off
    pair.relation[0]["g0"] = 0.04
    assert pair.at([(0, 0, 0), (0.03, 0.02, -0.1)], [EYE, Aj]).g[0] == pytest.approx(0.15)


def test_edge_is_a_plane_when_untilted() -> None:
    axes = turn(np.array([0.3, -0.5, 0.2, 0.7]))
    si, point = np.array([0.1, 0.2, -0.3]), np.array([1e-5, 0.04, 0.0])  # over the rim: no part along b
    r = [(1, 2, 3), np.array([1, 2, 3]) + si + axes.T @ point]
    u = np.array([0.1, -0.4, 0.2, 0, 0, 0, 0.5, 0.3, -0.6, 0, 0, 0])
    plane = Pair(PLANE, si=si, Ei=axes, Ej=axes).at(r, [EYE, EYE], u)
    edge = Pair(EDGE, si=si, Ei=axes, Ej=axes).at(r, [EYE, EYE], u)
    assert edge.g[0] == pytest.approx(plane.g[0], abs=1e-16)
    assert edge.w == pytest.approx(plane.w[[0, 2, 1]], abs=1e-15)  # tangents: l' = b, then t
    assert edge.bias == pytest.approx(plane.bias[[0, 2, 1]], abs=1e-15)


@seeds
def test_edge_is_a_line(seed: int) -> None:
    """Any point of the edge may stand for it."""
    one = scene(EDGE, seed)
    found = one.after(0.0)
    record = one.pair.relation[0]
    record["sj"] += 0.37 * record["Ej"][2]
    moved = one.after(0.0)
    assert moved.g == pytest.approx(found.g, abs=1e-14)
    assert moved.w == pytest.approx(found.w, abs=1e-13)
    assert moved.bias == pytest.approx(found.bias, abs=1e-12)


def test_printed_equation_34_is_not_used() -> None:
    # d - d (d.b)/(|d||b|) of paper A is parallel to d; the part across the axis is d - b (d.b)/(b.b)
    d = np.array([0.3, -0.2, 0.9])
    printed = d - d * d[2] / np.linalg.norm(d)
    assert np.linalg.norm(printed) == pytest.approx(0.0695, abs=5e-5)
    found = Pair(JOURNAL, shape=(1.0, 0.1, PIN_ON_J)).at([(0, 0, 0), d], [EYE, EYE])
    assert 1.0 - found.g[0] == pytest.approx(math.hypot(0.3, 0.2), abs=1e-15)
    assert found.w[0, 8] == 0.0
    assert found.w[0, 6:8] == pytest.approx(-d[:2] / math.hypot(0.3, 0.2))


# --- motion --------------------------------------------------------------------------------------------------------


@every
@seeds
def test_gap_changes_at_the_rate_of_its_row(kind: Relation, seed: int) -> None:
    one = scene(kind, seed)
    found = one.after(0.0)
    h = 1e-5
    rate = (one.after(h).g - one.after(-h).g) / (2 * h)
    assert found.w[0] @ one.u == pytest.approx(rate[0], abs=1e-7)
    # the rate of any row, at constant u, is its bias
    rate = (one.after(h).w - one.after(-h).w) @ one.u / (2 * h)
    assert found.bias == pytest.approx(rate, abs=1e-6, rel=1e-6)


@every
@seeds
def test_rows_are_relative_velocities_at_the_contact_point(kind: Relation, seed: int) -> None:
    one = scene(kind, seed)
    found = one.after(0.0)
    on_i, on_j = one.pair.places(found)
    assert on_i == pytest.approx(on_j, abs=1e-13)
    (v_i, w_i, v_j, w_j), (A_i, A_j), (r_i, r_j) = one.u.reshape(4, 3), one.A, one.r
    slip = v_j + np.cross(A_j @ w_j, on_i - r_j) - v_i - np.cross(A_i @ w_i, on_i - r_i)
    assert found.w @ one.u == pytest.approx(found.w[:, 6:9] @ slip, abs=1e-13)
    directions = found.w[:, 6:9] / np.linalg.norm(found.w[:, 6:9], axis=1)[:, None]
    assert directions @ directions.T == pytest.approx(EYE, abs=1e-14)


@every
def test_positive_force_opens_the_gap(kind: Relation) -> None:
    one = scene(kind, 0)
    found = one.after(0.0)
    u = np.zeros(12)
    u[6:9] = found.w[0, 6:9]
    assert one._replace(u=u).after(1e-3).g[0] > found.g[0] + 0.9e-3


@every
@seeds
def test_action_is_reaction(kind: Relation, seed: int) -> None:
    """No row feels a motion of both bodies as one: its forces and moments about the origin cancel."""
    one = scene(kind, seed)
    w = one.after(0.0).w
    force_i, moment_i, force_j, moment_j = w[:, 0:3], w[:, 3:6], w[:, 6:9], w[:, 9:12]
    moment = np.cross(one.r[0], force_i) + moment_i @ one.A[0].T + np.cross(one.r[1], force_j) + moment_j @ one.A[1].T
    assert not np.any(force_i + force_j)
    assert np.max(np.abs(moment)) < 1e-14


@every
@seeds
def test_common_displacement_changes_nothing(kind: Relation, seed: int) -> None:
    one = scene(kind, seed)
    found = one.after(0.0)
    Q, shift = turn(np.array([0.4, -0.3, 0.8, 0.1])), np.array([3.0, -1.0, 2.0])
    u = one.u.copy()
    u[0:3], u[6:9] = Q @ u[0:3], Q @ u[6:9]
    moved = Scene(one.pair, one.r @ Q.T + shift, Q @ one.A, u).after(0.0)
    assert moved.g == pytest.approx(found.g, abs=2e-15)
    assert moved.bias == pytest.approx(found.bias, abs=1e-12)
    assert moved.w[:, 0:3] == pytest.approx(found.w[:, 0:3] @ Q.T, abs=1e-14)
    assert moved.w[:, 3:6] == pytest.approx(found.w[:, 3:6], abs=1e-14)
    assert moved.w[:, 9:12] == pytest.approx(found.w[:, 9:12], abs=1e-14)


@pytest.mark.parametrize("kind", (JOURNAL, SOCKET, EDGE), ids=lambda kind: kind.name)
def test_planar_models_keep_the_first_tangent_in_their_plane(kind: Relation) -> None:
    axes = EYE if kind in ROUND else np.array([[0, 1.0, 0], [0, 0, 1], [1, 0, 0]])  # a guide along x, its wall below
    Aj = exponential(np.array([0, 0, 0.02]))
    a = Pair(kind, Ei=axes, Ej=axes, shape=(1e-3, 0.1, PIN_ON_I)).at([(0, 0, 0), (3e-4, 4e-4, 0)], [EYE, Aj]).w[:, 6:9]
    assert not np.any(a[0:2, 2])
    assert abs(a[2, 2]) == pytest.approx(1.0)


# --- corners -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ROUND, ids=lambda kind: kind.name)
@pytest.mark.parametrize("side", (PIN_ON_I, PIN_ON_J))
def test_centred(kind: Relation, side: float) -> None:
    """On the axis there is no normal: the gap is the clearance and the rows are zero."""
    u = np.random.default_rng(1).standard_normal(12)
    along = (0, 0, 0.25) if kind is JOURNAL else (0, 0, 0)
    pair = Pair(kind, si=(0.5, 0, 0), sj=(0, 0.25, 0), shape=(1e-4, 5e-3, side))
    found = pair.at([(0, 0, 0), np.array([0.5, -0.25, 0]) + along], [EYE, EYE], u)
    assert found.g.tolist() == [1e-4, 0, 0]
    assert not np.any(found.w)
    assert not np.any(found.bias)
    out = np.full((3, 12), 777.0)
    changes_of(pair.relation, pair.kin, u, out)
    assert not np.any(out)


@pytest.mark.parametrize("kind", ROUND, ids=lambda kind: kind.name)
def test_nearly_centred_is_finite(kind: Relation) -> None:
    u = np.random.default_rng(2).standard_normal(12)
    for offset in (1e-18, 1e-100, 1e-300):
        found = Pair(kind, shape=(1e-4, 5e-3, PIN_ON_I)).at([(0, 0, 0), (offset, 0, 0)], [EYE, EYE], u)
        assert all(np.all(np.isfinite(part)) for part in found)
        assert found.g[0] == pytest.approx(1e-4, abs=1e-17)


@pytest.mark.parametrize("kind", (PLANE, JOURNAL, SOCKET, EDGE), ids=lambda kind: kind.name)
@seeds
def test_micrometre_gaps_ten_metres_away(kind: Relation, seed: int) -> None:
    """The gap agrees to 1e-15 m with exact arithmetic on the same numbers (the exact part is d' = A_i^T d)."""
    one = scene(kind, seed)
    random = np.random.default_rng(seed)
    record = one.pair.relation[0]
    record["g0"], record["shape"][0] = 0.0, 5e-6
    Ai, Aj = one.A
    ri = random.uniform(8, 12, 3)
    rj = ri + Ai @ record["si"] - Aj @ record["sj"] + Ai @ record["Ei"].T @ [1e-6, 2e-6, 0 if kind is EDGE else 3e-6]
    found = one.pair.at([ri, rj], [Ai, Aj]).g[0]

    def exact(A, x):
        return [sum((Fraction(a) * Fraction(b) for a, b in zip(line, x, strict=True)), Fraction(0)) for line in A]

    arm_i, arm_j = exact(Ai, record["si"]), exact(Aj, record["sj"])
    d = [Fraction(rj[m]) + arm_j[m] - Fraction(ri[m]) - arm_i[m] for m in range(3)]
    d = np.array([float(x) for x in exact(record["Ei"], exact(Ai.T, d))])  # in the axes h, t, b of the marker
    line = record["Ei"] @ Ai.T @ Aj @ record["Ej"][2]
    wanted = {
        PLANE: d[0],
        JOURNAL: 5e-6 - math.hypot(d[0], d[1]),
        SOCKET: 5e-6 - math.hypot(*d),
        EDGE: d[0] - d[2] * line[0] / line[2],
    }[kind]
    assert 1e-7 < wanted < 1e-5
    assert abs(found - wanted) <= 1e-15


@every
def test_dropped_tangents_share_the_bin(kind: Relation) -> None:
    one = scene(kind, 3)
    found = one.after(0.0)
    one.pair.relation[0]["row"] = (1, 3, 3)
    dropped = one.after(0.0)
    assert dropped.g[1] == found.g[0]
    assert np.array_equal(dropped.w[1], found.w[0])
    assert np.all(dropped.w[[0, 2]] == 777.0)


SCRIPT = """
import json, sys
import numpy as np
from jointplay import arrays
from jointplay.relations.registry import evaluate_rows
given = json.load(sys.stdin)
relation = np.zeros(1, arrays.relation_dtype(float)).view(np.recarray)
kin = np.zeros(2, arrays.motion_dtype(float)).view(np.recarray)
row = np.zeros(4, arrays.row_dtype(float)).view(np.recarray)
for one in given:
    for name, value in one["relation"].items():
        relation[0][name] = value
    for name, value in one["kin"].items():
        kin[name] = value
    evaluate_rows(relation[0], kin[0], kin[1], (0.0, 0.0), row)
    print(json.dumps([row["g"][:3].tolist(), row["w"][:3].tolist(), row["bias"][:3].tolist()]))
"""


def test_plain_python_gives_the_same_digits() -> None:
    """NumPy has a ``shape`` of its own: the field must be found when nothing is compiled, too."""
    scenes = [scene(kind, seed) for kind in CONTACTS for seed in (0, 1)]
    compiled = [one.after(0.0) for one in scenes]
    given = [
        {
            "relation": {n: one.pair.relation[0][n].tolist() for n in one.pair.relation.dtype.names},
            "kin": {n: one.pair.kin[n].tolist() for n in ("r", "A", "v", "w")},
        }
        for one in scenes
    ]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for line, found in zip(done.stdout.splitlines(), compiled, strict=True):
        for plain, part in zip(json.loads(line), found, strict=True):
            assert np.array(plain) == pytest.approx(part, abs=1e-13)
