"""Strip and rim against geometry done without them: brute force over the circle, closed forms, limits, symmetry.

Body i stands still at the origin with its axis b along z unless said otherwise; body j is placed by the offset d of its
circle's centre and a rotation vector. Derivatives are in tests/gradients.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from jointplay import arrays
from jointplay.numerics.jit import jit
from jointplay.numerics.vec import rotation
from jointplay.relations.base import Relation
from jointplay.relations.journal import JOURNAL
from jointplay.relations.plane import PLANE
from jointplay.relations.registry import REGISTRY, evaluate_rows, vary_rows
from jointplay.relations.rim import RIM
from jointplay.relations.strip import STRIP, search

EYE = np.eye(3)
ORIGIN = np.zeros(3)
FLOOR = EYE[[2, 0, 1]]  # rows h, t, b with the normal h along z
PIN_ON_I, PIN_ON_J = 1.0, -1.0
R, C = 0.01, 1e-4

sides = pytest.mark.parametrize("side", (PIN_ON_I, PIN_ON_J), ids=("pin on i", "pin on j"))
seeds = pytest.mark.parametrize("seed", range(20))


@jit
def rows_of(relation, kin, row):
    evaluate_rows(relation[0], kin[0], kin[1], (0.0, 0.0), row)


@jit
def changes_of(relation, kin, eta, out):
    vary_rows(relation[0], kin[0], kin[1], eta, out)


def exponential(w) -> np.ndarray:
    """Rotation by the vector w."""
    angle = float(np.linalg.norm(w))
    A = np.zeros((3, 3))
    rotation(np.array([math.cos(angle / 2), *(np.sinc(angle / (2 * np.pi)) / 2 * np.asarray(w))]), A)
    return A


class Found(NamedTuple):
    """Rows of a contact and the change of w along the motion, with the contact point by the arms of either body."""

    g: float
    w: np.ndarray
    bias: np.ndarray
    change: np.ndarray
    on_i: np.ndarray
    on_j: np.ndarray

    @property
    def axes(self) -> np.ndarray:
        """Normal and tangents, global."""
        return self.w[:, 6:9]


def contact(kind: Relation, shape, d, Aj, *, Ei=EYE, u=None, Ai=EYE, si=ORIGIN, sj=ORIGIN, Ej=EYE) -> Found:
    """The contact with the centre of the circle at the offset d (axes of body i) and body j turned to Aj."""
    relation = np.zeros(1, dtype=arrays.relation_dtype(np.float64))
    one = relation[0]
    one["kind"], one["row"], one["j"], one["sign"] = REGISTRY.index(kind), (0, 1, 2), 1, 1.0
    one["si"], one["sj"], one["Ei"], one["Ej"], one["shape"] = si, sj, Ei, Ej, shape
    u = np.zeros(12) if u is None else u
    kin = np.zeros(2, dtype=arrays.motion_dtype(np.float64))
    kin["r"][1] = Ai @ (np.asarray(si) + d) - Aj @ sj
    kin["A"], kin["v"], kin["w"] = (Ai, Aj), (u[0:3], u[6:9]), (u[3:6], u[9:12])
    row = np.zeros(4, dtype=arrays.row_dtype(np.float64))
    rows_of(relation, kin, row)
    change = np.full((3, 12), 777.0)
    changes_of(relation, kin, u, change)
    w = row["w"][:3]
    # for orthonormal a_k and arms s x a_k: s = sum_k a_k x (s x a_k) / 2
    on_i = Ai @ (-np.cross(w[:, 6:9] @ Ai, w[:, 3:6]).sum(axis=0) / 2)
    on_j = kin["r"][1] + Aj @ (np.cross(w[:, 6:9] @ Aj, w[:, 9:12]).sum(axis=0) / 2)
    return Found(float(row["g"][0]), w, row["bias"][:3], change, on_i, on_j)


def best(value, count: int = 2000) -> tuple[float, float]:
    """Angle and value of the least value(angle), by looking everywhere and then ever closer."""
    centre, half = 0.0, math.pi
    for _ in range(9):
        angles = centre + half * np.linspace(-1, 1, count)
        found = value(angles)
        centre, half = float(angles[np.argmin(found)]), 4 * half / count
        count = 200
    return centre, float(np.min(found))


def circle(normal, angles) -> np.ndarray:
    """Unit vectors across ``normal``, one row per angle."""
    first = np.cross(normal, EYE[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    return np.outer(np.cos(angles), first) + np.outer(np.sin(angles), np.cross(normal, first))


def strip_by_brute_force(shape, d, line) -> tuple[float, np.ndarray]:
    """Gap and contact point for the axis z, straight from the definition."""
    clearance, radius, side = shape
    size = radius + clearance if side > 0 else radius

    def depth(angles):
        point = d + size * circle(line, angles)
        rho = np.hypot(point[:, 0], point[:, 1])
        return rho - radius if side > 0 else radius + clearance - rho

    angle, gap = best(depth)
    return gap, d + size * circle(line, np.array([angle]))[0]


def somewhere(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Offset and rotation vector of a pin that may be nearly aligned, or tilted much more than it is offset."""
    random = np.random.default_rng(seed)
    d = random.standard_normal(3) * 10 ** random.uniform(-7, -3)
    return d, random.standard_normal(3) * 10 ** random.uniform(-6, -0.5)


# --- strip ---------------------------------------------------------------------------------------------------------


@sides
@seeds
def test_strip_by_brute_force(side: float, seed: int) -> None:
    d, turn = somewhere(seed)
    A = exponential(turn)
    shape = (C, R, side)
    found = contact(STRIP, shape, d, A)
    gap, point = strip_by_brute_force(shape, d, A[:, 2])
    assert found.g == pytest.approx(gap, abs=1e-16)
    # the gap is flat at its extreme point, so a search by values alone finds the place to half the digits
    curvature = abs(math.hypot(d[0], d[1]) + R * (A[0, 2] ** 2 + A[1, 2] ** 2))
    assert np.linalg.norm(found.on_j - point) < 1e-7 * R * math.sqrt(R / curvature)


@sides
@seeds
def test_strip_in_any_axes(side: float, seed: int) -> None:
    """Markers turned on their bodies and bodies turned in space see the same contact."""
    random = np.random.default_rng(seed)
    d, turn = somewhere(seed)
    A = exponential(turn)
    plain = contact(STRIP, (C, R, side), d, A)
    Ei, Ej, Ai = (exponential(random.standard_normal(3)) for _ in range(3))
    si, sj = random.standard_normal((2, 3))
    found = contact(STRIP, (C, R, side), Ei.T @ d, Ai @ Ei.T @ A @ Ej, Ei=Ei, Ej=Ej, Ai=Ai, si=si, sj=sj)
    assert found.g == pytest.approx(plain.g, abs=5e-15)
    assert found.axes @ found.axes.T == pytest.approx(EYE, abs=1e-14)
    assert found.on_i == pytest.approx(found.on_j, abs=1e-13)


@sides
@seeds
def test_strip_touches_on_the_circle_and_along_the_normal(side: float, seed: int) -> None:
    d, turn = somewhere(seed)
    A = exponential(turn)
    found = contact(STRIP, (C, R, side), d, A)
    size = R + C if side > 0 else R
    arm = found.on_j - d
    assert np.linalg.norm(arm) == pytest.approx(size, rel=1e-13)
    assert arm @ A[:, 2] == pytest.approx(0, abs=1e-16)
    # the foot of the contact point on the round member of body i is one gap away, along the normal
    foot = found.on_j - found.g * found.axes[0]
    assert math.hypot(foot[0], foot[1]) == pytest.approx(R if side > 0 else R + C, rel=1e-13)
    assert found.axes[0, 2] == 0.0
    outward = found.on_j[:2] / np.hypot(*found.on_j[:2])
    assert found.axes[0, :2] == pytest.approx(side * outward, abs=1e-13)
    assert found.axes[1] == pytest.approx(np.cross(found.axes[0], EYE[2]), abs=1e-15)
    assert found.axes[2] == pytest.approx(EYE[2])
    # paper C eq. 36: the tangent of the circle is normal to h_i; of its solutions the deepest is taken (eq. 37)
    tangent = np.cross(A[:, 2], arm / size)
    assert found.axes[0] @ tangent == pytest.approx(0, abs=1e-14)
    opposite = d - arm
    rho = math.hypot(opposite[0], opposite[1])
    assert found.g <= (rho - R if side > 0 else R + C - rho)


@sides
@seeds
def test_strip_without_tilt_is_a_journal(side: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    u = random.standard_normal(12)
    u[[3, 4, 9, 10]] = 0.0  # turns about z alone, which keep the axes parallel
    d = random.standard_normal(3) * 10 ** random.uniform(-9, -3)
    Aj = exponential([0, 0, random.uniform(-3, 3)])
    offset = math.hypot(d[0], d[1])
    for clearance in (C, offset):
        strip = contact(STRIP, (clearance, R, side), d, Aj, u=u)
        journal = contact(JOURNAL, (clearance, R, side), d, Aj, u=u)
        assert strip.g == pytest.approx(journal.g, abs=1e-15 * (clearance + offset))
        assert strip.axes == pytest.approx(journal.axes, abs=1e-14)
        assert strip.w[0] == pytest.approx(journal.w[0], abs=1e-14)
        assert strip.bias[0] == pytest.approx(journal.bias[0], rel=1e-9)
        # a strip has its contact point on the circle, a journal on the pin: a gap apart if the circle is the hole
        if side < 0 or clearance == offset:
            assert strip.w == pytest.approx(journal.w, abs=1e-14)


@sides
def test_strip_keeps_the_digits_of_a_nanometre(side: float) -> None:
    for offset in (1e-9, 1e-12, 1e-15):
        d = np.array([0.6, -0.8, 0]) * offset
        assert contact(STRIP, (0.0, R, side), d, EYE).g == pytest.approx(-offset, rel=1e-14)


@pytest.mark.parametrize("tilt", 10.0 ** np.arange(-12, -1))
def test_strip_in_closed_form(tilt: float) -> None:
    """Offset a in or across the plane of the tilt; with c = 0 the gap itself is the small number."""
    A = exponential([tilt, 0, 0])
    lag = 2 * R * math.sin(tilt / 2) ** 2  # R (1 - cos tilt): the short half axis of the ellipse is R cos tilt
    for a in (1e-9, 1e-6, 1e-4):
        along, across = np.array([0, a, 0]), np.array([a, 0, 0])
        near = {"rel": 1e-12, "abs": 1e-18}
        # a hole on a pin: offset in the plane of the tilt, the pin is nearest at the end of the short half axis
        assert contact(STRIP, (0.0, R, PIN_ON_I), along, A).g == pytest.approx(-a - lag, **near)
        # a pin in a hole: offset along the axis of the tilt, the end of the long half axis is farthest
        assert contact(STRIP, (0.0, R, PIN_ON_J), across, A).g == pytest.approx(-a, **near)
        tau = R * math.sin(tilt) ** 2
        if a > 1.01 * tau:  # offsets large enough to decide against the shape of the ellipse
            assert contact(STRIP, (0.0, R, PIN_ON_I), across, A).g == pytest.approx(-a, **near)
            assert contact(STRIP, (0.0, R, PIN_ON_J), along, A).g == pytest.approx(-a + lag, **near)


@sides
@pytest.mark.parametrize("tilt", 10.0 ** np.arange(-16, -2))
def test_strip_leaves_the_journal_with_the_square_of_the_tilt(side: float, tilt: float) -> None:
    random = np.random.default_rng(3)
    d, u = np.array([3e-5, -4e-5, 0.01]), random.standard_normal(12)
    A = exponential(tilt * np.array([0.6, 0.8, 0.3]))
    strip = contact(STRIP, (C, R, side), d, A, u=u)
    journal = contact(JOURNAL, (C, R, side), d, A, u=u)
    gain = side * (journal.g - strip.g)  # a tilted hole is narrower, a tilted pin is thinner
    assert -1e-19 <= gain <= 0.51 * (R + C) * tilt**2 + 1e-19
    # the normal turns by about tau over the offset
    assert strip.axes == pytest.approx(journal.axes, abs=1e-13 + 2 * R * tilt**2 / 5e-5)
    assert np.all(np.isfinite(strip.bias))
    assert strip.bias == pytest.approx(strip.change @ u, rel=1e-9)


@sides
@seeds
def test_strip_in_a_mirror(side: float, seed: int) -> None:
    d, turn = somewhere(seed)
    A = exponential(turn)
    found = contact(STRIP, (C, R, side), d, A)
    mirror = np.diag([-1.0, 1.0, 1.0])
    # the reflected circle has the axis mirror l, which a rotation about mirror turn (reversed) gives
    seen = contact(STRIP, (C, R, side), mirror @ d, mirror @ A @ mirror)
    assert seen.g == pytest.approx(found.g, abs=1e-18)
    assert seen.axes[0] == pytest.approx(mirror @ found.axes[0], abs=1e-12)
    assert seen.on_j == pytest.approx(mirror @ found.on_j, abs=1e-14)
    # the sense of the circle's axis does not matter
    flipped = contact(STRIP, (C, R, side), d, A @ np.diag([1.0, -1.0, -1.0]))
    assert flipped.g == pytest.approx(found.g, abs=1e-18)
    assert flipped.w[:, 6:9] == pytest.approx(found.w[:, 6:9], abs=1e-12)


def test_strip_by_hand() -> None:
    # a hole of radius 10 mm tilted by 3-4-5 about x on a pin of 6 mm: an ellipse of half axes 10 and 8 mm, whose near
    # end stands at y = -8 + 1 = -7 mm, 1 mm off the pin, 6 mm below the centre
    A = np.array([[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])
    found = contact(STRIP, (4e-3, 6e-3, PIN_ON_I), np.array([0, 1e-3, 0.02]), A)
    assert found.g == pytest.approx(1e-3, abs=1e-17)
    assert found.axes == pytest.approx(np.array([[0, -1, 0], [-1, 0, 0], [0, 0, 1]]), abs=1e-14)
    for point in (found.on_i, found.on_j):
        assert point == pytest.approx([0, -7e-3, 0.014], abs=1e-16)
    # a pin of 10 mm tilted alike in a hole of 12 mm: centred, it is the long half axis that comes nearest
    found = contact(STRIP, (2e-3, 10e-3, PIN_ON_J), np.array([1e-3, 0, 0]), A)
    assert found.g == pytest.approx(1e-3, abs=1e-17)
    assert found.axes[0] == pytest.approx([-1, 0, 0], abs=1e-14)


@sides
def test_strip_with_neither_offset_nor_tilt(side: float) -> None:
    u = np.random.default_rng(1).standard_normal(12)
    for turned in (0.0, 1.0):
        found = contact(STRIP, (C, R, side), np.array([0, 0, 0.25]), exponential([0, 0, turned]), u=u)
        assert found.g == C
        assert not np.any(found.w)
        assert not np.any(found.bias)
        assert not np.any(found.change)


@sides
@pytest.mark.parametrize("tilt", (1e-160, 1e-12, 1e-3, 0.1))
def test_strip_centred_and_tilted(side: float, tilt: float) -> None:
    """Two points are equally deep: one of them is taken, its rows are finite, and the gap is that of either side."""
    u = np.random.default_rng(2).standard_normal(12)
    A = exponential([tilt, 0, 0])
    found = contact(STRIP, (C, R, side), ORIGIN, A, u=u)
    assert all(np.all(np.isfinite(part)) for part in found)
    narrowed = 2 * (R + C) * math.sin(tilt / 2) ** 2 if side > 0 else 0.0
    assert found.g == pytest.approx(C - narrowed, abs=1e-18)
    if tilt >= 1e-12:
        assert np.abs(found.axes[0]) == pytest.approx([0, 1, 0] if side > 0 else [1, 0, 0], abs=1e-14)
    for offset in (1e-300, 1e-100, 1e-30, 1e-18):
        for d in ((offset, 0, 0), (0, offset, 0), (-offset, 0.3 * offset, 0)):
            beside = contact(STRIP, (C, R, side), np.array(d), A, u=u)
            assert all(np.all(np.isfinite(part)) for part in beside)
            assert beside.g == pytest.approx(found.g, abs=2e-18)


@sides
def test_strip_where_two_extreme_points_merge(side: float) -> None:
    """|p| = tau across the preferred direction: no derivative there, but numbers, and the right gap."""
    tilt = 0.2
    A = exponential([tilt, 0, 0])
    size = R + C if side > 0 else R
    tau = size * math.sin(tilt) ** 2
    hard, easy = (EYE[0], EYE[1]) if side > 0 else (EYE[1] / math.cos(tilt), EYE[0])
    for factor in (1 - 1e-9, 1 - 1e-15, 1.0, 1 + 1e-15, 1 + 1e-9):
        for nudge in (0.0, 1e-25, 1e-15):
            d = factor * tau * hard + nudge * easy
            found = contact(STRIP, (C, R, side), d, A, u=np.ones(12))
            assert all(np.all(np.isfinite(part)) for part in found)
            assert found.g == pytest.approx(strip_by_brute_force((C, R, side), d, A[:, 2])[0], abs=1e-16)
    random = np.random.default_rng(6)
    for _ in range(60):
        d = tau * (1 + random.normal() * 10 ** random.uniform(-17, -3)) * hard
        d += tau * 10 ** random.uniform(-25, -3) * easy
        found = contact(STRIP, (C, R, side), d, A, u=np.ones(12))
        assert all(np.all(np.isfinite(part)) for part in found)
        assert found.g == pytest.approx(strip_by_brute_force((C, R, side), d, A[:, 2])[0], abs=1e-16)


def test_strip_far_from_any_bearing() -> None:
    """A circle that does not surround the pin, and a pin outside its hole: still the extreme point."""
    random = np.random.default_rng(5)
    for _ in range(20):
        shape = (0.5, 0.3, random.choice((-1.0, 1.0)))
        d, A = random.uniform(-2, 2, 3), exponential(random.uniform(-2, 2, 3))
        found = contact(STRIP, shape, d, A)
        assert found.g == pytest.approx(strip_by_brute_force(shape, d, A[:, 2])[0], abs=1e-14)


def test_search_meets_its_condition_everywhere() -> None:
    """Stationary to rounding, and with mu >= tau, over all ratios of offset and tilt."""
    random = np.random.default_rng(0)
    for n in range(4000):
        radius, sine = 10 ** random.uniform(-3, 0), 10 ** random.uniform(-9, 0)
        tau = radius * sine**2
        along, across = tau * 10 ** random.uniform(-8, 8, 2)
        if n % 3 == 1:  # close to where the extreme points merge
            along, across = (
                tau * 10 ** random.uniform(-18, 0),
                tau * (1 + random.normal() * 10 ** random.uniform(-16, 0)),
            )
        elif n % 3 == 2:  # nearly undecided
            along, across = tau * 10 ** random.uniform(-30, -8), tau * random.uniform(0, 2)
        p, m = random.choice((-1, 1), 3) * (along, across, 0.0), np.array([sine, 0, 0])
        kappa = np.array(search(tuple(p), tuple(m), radius))
        assert np.linalg.norm(kappa) == pytest.approx(1, abs=1e-15)
        pull = p + radius * m * (m @ kappa)
        assert np.linalg.norm(np.cross(kappa, pull)) <= 1e-15 * np.linalg.norm(pull)
        assert kappa @ pull >= tau * (1 - 1e-14)


@sides
def test_edge_loading(side: float) -> None:
    """Strips of a pin tilted as far as its bearing lets it: the end strips touch, the gap grows towards the middle."""
    length, strips = 0.04, 9
    tilt = 2 * C / length
    A = exponential([tilt, 0, 0])
    stations = length * (np.arange(1, strips + 1) - 0.5 - strips / 2) / strips  # paper C eq. 42
    gaps = [contact(STRIP, (C, R, side), A @ [0, 0, z], A).g for z in stations]
    assert gaps == pytest.approx(gaps[::-1], abs=1e-17)
    assert np.all(np.diff(gaps[: strips // 2 + 1]) > 0)
    assert gaps == pytest.approx(C - np.abs(stations) * tilt, abs=0.6 * R * tilt**2)


# --- rim -----------------------------------------------------------------------------------------------------------


def rim_by_brute_force(d, line) -> tuple[float, np.ndarray]:
    """Height and place of the lowest point of a disc over the floor z = 0."""
    angle, gap = best(lambda angles: d[2] + R * circle(line, angles)[:, 2])
    return gap, d + R * circle(line, np.array([angle]))[0]


@seeds
def test_rim_by_brute_force(seed: int) -> None:
    d, turn = somewhere(seed)
    A = exponential(turn)
    gap, point = rim_by_brute_force(d, A[:, 2])
    found = contact(RIM, (0.0, R, 0.0), d, A, Ei=FLOOR)
    sine = math.hypot(A[0, 2], A[1, 2])
    assert found.g == pytest.approx(gap, abs=1e-17)
    assert np.linalg.norm(found.on_j - point) < 1e-7 * R / math.sqrt(sine)
    # on the rim, and as high over the plane as the gap says
    assert np.linalg.norm(found.on_j - d) == pytest.approx(R)
    assert (found.on_j - d) @ A[:, 2] == pytest.approx(0, abs=1e-17)
    assert found.on_i[2] == pytest.approx(found.g, abs=1e-16)
    for eps in (1e-6, -1e-6, 1e-4):
        rounded = contact(RIM, (0.0, R, eps), d, A, Ei=FLOOR)
        assert -1e-18 <= rounded.g - gap <= R * abs(eps) + 1e-18
        # short of the rim by R (1 - sin / sqrt(sin2 + eps2))
        assert np.linalg.norm(rounded.on_j - d) == pytest.approx(R * sine / math.hypot(sine, eps), rel=1e-9)


def test_rim_by_hand() -> None:
    # a disc of 10 mm tilted by 3-4-5 about x dips by 6 mm, 8 mm from its centre
    A = np.array([[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])
    found = contact(RIM, (0.0, R, 0.0), np.array([0.1, 0.2, 0.007]), A, Ei=FLOOR)
    assert found.g == pytest.approx(1e-3, abs=1e-17)
    assert found.axes == pytest.approx(FLOOR)
    for point in (found.on_i, found.on_j):
        assert point == pytest.approx([0.1, 0.192, 1e-3], abs=1e-16)


def test_rim_without_tilt_is_the_centre_over_a_plane() -> None:
    d, u = np.array([0.1, 0.2, 0.003]), np.random.default_rng(4).standard_normal(12)
    A = exponential([0, 0, 0.7])
    plane = contact(PLANE, (0, 0, 0), d, A, Ei=FLOOR, u=u)
    for eps in (0.0, 1e-4):
        rim = contact(RIM, (0.0, R, eps), d, A, Ei=FLOOR, u=u)
        assert rim.g == pytest.approx(plane.g, abs=1e-18)
        assert rim.w == pytest.approx(plane.w, abs=1e-15)
        assert all(np.all(np.isfinite(part)) for part in rim)
    # with eps = 0 nothing is known of the corner; with eps the point is on its way to the rim
    assert contact(RIM, (0.0, R, 0.0), d, A, Ei=FLOOR, u=u).bias == pytest.approx(plane.bias, abs=1e-13)


def test_rim_passes_smoothly_through_zero_tilt() -> None:
    eps, d, u = 1e-4, np.array([0.0, 0.0, 1e-5]), np.zeros(12)
    u[9] = 1.0  # rocking about x
    tilts = np.linspace(-5, 5, 401) * eps
    found = [contact(RIM, (0.0, R, eps), d, exponential([tilt, 0, 0]), Ei=FLOOR, u=u) for tilt in tilts]
    g = np.array([one.g for one in found])
    rate = np.array([one.w[0] @ u for one in found])
    bend = np.array([one.bias[0] for one in found])
    assert g == pytest.approx(g[::-1], abs=1e-18)
    assert rate == pytest.approx(-rate[::-1], abs=1e-15)
    step = tilts[1] - tilts[0]
    assert np.gradient(g, step)[1:-1] == pytest.approx(rate[1:-1], abs=2e-4 * R)
    assert np.gradient(rate, step)[1:-1] == pytest.approx(bend[1:-1], abs=2e-3 * R / eps)
    assert abs(rate[-1]) == pytest.approx(R * 5 / math.sqrt(26), rel=1e-6)


@seeds
def test_rim_does_not_mind_the_sense_of_its_axis(seed: int) -> None:
    d, turn = somewhere(seed)
    A, u = exponential(turn), np.random.default_rng(seed).standard_normal(12)
    flip = np.diag([1.0, -1.0, -1.0])
    one = contact(RIM, (0.0, R, 1e-4), d, A, Ei=FLOOR, u=u)
    other = contact(RIM, (0.0, R, 1e-4), d, A, Ei=FLOOR, u=u, Ej=flip)
    assert other.g == one.g
    assert np.array_equal(other.w, one.w)
    assert other.bias == pytest.approx(one.bias, rel=1e-13)


def test_two_rims_stop_the_tilt_between_flanges() -> None:
    """A sleeve between two flanges: both gaps close at the tilt where length cos + diameter sin fills the room."""
    length, room, radius = 0.02, 0.0202, 0.01
    centre = np.array([0, 0, room / 2])
    tilt = 0.0
    for _ in range(30):  # length cos(tilt) + 2 radius sin(tilt) = room
        tilt += (room - length * math.cos(tilt) - 2 * radius * math.sin(tilt)) / (2 * radius)
    A = exponential([0, tilt, 0])
    for sense in (-1.0, 1.0):
        axes = np.array([-sense * EYE[2], EYE[0], -sense * EYE[1]])
        wall = np.array([0, 0, room if sense > 0 else 0.0])
        face = centre + A @ [0, 0, sense * length / 2]
        found = contact(RIM, (0.0, radius, 0.0), face - wall, A, Ei=axes, si=wall)
        assert found.g == pytest.approx(0, abs=1e-16)
        assert found.on_j[0] == pytest.approx(face[0] - sense * radius * math.cos(tilt), abs=1e-15)
