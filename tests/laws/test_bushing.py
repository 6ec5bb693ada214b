"""Bushing: curves, the law on a coordinate and as a contact, matrices, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from jointplay.laws.bushing import Bushing
from jointplay.laws.compliant import Sizes
from jointplay.laws.curve import curve, polynomial_constants, slopes, table_constants

STEP = 1e-30
Z = np.zeros(1, dtype=complex)

ODD = [(0.0, 0.0), (1e-3, 200.0), (2e-3, 500.0), (2.5e-3, 500.0), (4e-3, 4000.0)]
TWO_SIDED = [(-3e-3, -900.0), (-1e-3, -150.0), (0.5e-3, 60.0), (2e-3, 1200.0)]
LAWS = {
    "linear": Bushing(2e5, damping=40.0, preload=30.0),
    "polynomial": Bushing(polynomial=(1e5, 0.0, 3e10), damping=40.0, preload=-20.0),
    "odd table": Bushing(curve=ODD, damping=40.0),
    "two-sided table": Bushing(curve=TWO_SIDED, damping=40.0, preload=5.0),
}
CURVES = {
    "linear": polynomial_constants([2e5]),
    "polynomial": polynomial_constants([1e5, -2e7, 3e10]),
    "odd table": table_constants(ODD),
    "two-sided table": table_constants(TWO_SIDED),
}


def value(constants: tuple[float, ...], x: complex) -> np.ndarray:
    """f, df/dx, F at x, with other numbers in front of the constants."""
    return np.array(curve(np.array([9.0, *constants], dtype=complex), 1, complex(x)))


def places(seed: int = 3, reach: float = 6e-3, count: int = 60) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-reach, reach, count)


@pytest.mark.parametrize("name", CURVES)
def test_slope_and_energy_of_a_curve_are_its_derivatives(name: str) -> None:
    for x in places():
        f, slope, _ = value(CURVES[name], x).real
        turned = value(CURVES[name], complex(x, STEP)).imag / STEP
        assert np.isclose(turned[0], slope, rtol=1e-12)
        assert np.isclose(turned[2], f, rtol=1e-12, atol=1e-10)
        assert slope >= -1e-9


@pytest.mark.parametrize("name", CURVES)
def test_energy_is_zero_at_zero_and_never_negative_where_the_force_is_odd(name: str) -> None:
    assert abs(value(CURVES[name], 0.0)[2]) < 1e-15
    if name != "two-sided table":
        assert all(value(CURVES[name], x)[2].real > 0.0 for x in places())


@pytest.mark.parametrize("name", ["linear", "polynomial", "odd table"])
def test_odd_continuation(name: str) -> None:
    for x in places():
        f, slope, energy = value(CURVES[name], x).real
        assert np.array_equal(value(CURVES[name], -x).real, [-f, slope, energy])


def test_polynomial() -> None:
    x = 2e-3
    f, slope, energy = value(polynomial_constants([3e4, 2e6, 1e9]), x).real
    assert np.isclose(f, 3e4 * x + 2e6 * x**2 + 1e9 * x**3, rtol=1e-14)
    assert np.isclose(slope, 3e4 + 4e6 * x + 3e9 * x**2, rtol=1e-14)
    assert np.isclose(energy, 1.5e4 * x**2 + 2e6 * x**3 / 3.0 + 2.5e8 * x**4, rtol=1e-14)


@pytest.mark.parametrize("points", [ODD, TWO_SIDED, [(0.0, 0.0), (1e-3, 5.0)], [(-1.0, -2.0), (1.0, 4.0)]])
def test_table_passes_through_its_points_with_a_continuous_slope(points: list[tuple[float, float]]) -> None:
    constants = table_constants(points)
    for x, f in points:
        assert np.isclose(value(constants, x)[0].real, f, rtol=1e-13, atol=1e-10)
        before, after = value(constants, x * (1 - 1e-9) - 1e-12), value(constants, x * (1 + 1e-9) + 1e-12)
        # continuous, and so is the slope (to what the curvature makes of the distance)
        largest = max(abs(value(constants, one[0])[1]) for one in points)
        assert abs(after[1] - before[1]) < 1e-4 * largest
        assert abs(after[2] - before[2]) < 1e-7 * (1.0 + abs(f))


def test_table_agrees_with_scipy_between_its_points() -> None:
    x, f = np.array(TWO_SIDED).T
    theirs = PchipInterpolator(x, f)
    inside = np.linspace(x[0], x[-1], 41)
    assert np.allclose([value(CURVES["two-sided table"], one)[0].real for one in inside], theirs(inside), rtol=1e-12)
    area = theirs.antiderivative()
    ours = [value(CURVES["two-sided table"], one)[2].real for one in inside]
    assert np.allclose(ours, area(inside) - area(0.0), rtol=1e-11, atol=1e-14)


def test_an_odd_table_is_the_curve_through_both_halves() -> None:
    x, f = np.array(ODD).T
    theirs = PchipInterpolator(np.concatenate([-x[:0:-1], x]), np.concatenate([-f[:0:-1], f]))
    inside = np.linspace(-x[-1], x[-1], 41)
    assert np.allclose([value(CURVES["odd table"], one)[0].real for one in inside], theirs(inside), atol=1e-9)
    assert np.isclose(value(CURVES["odd table"], 0.0)[1].real, f[1] / x[1])


def test_beyond_its_points_a_table_is_a_straight_line() -> None:
    for name, points in (("odd table", ODD), ("two-sided table", TWO_SIDED)):
        for x, far in ((points[-1][0], 9e-3), (points[0][0], -9e-3))[: 1 if name == "odd table" else 2]:
            f, slope, _ = value(CURVES[name], x).real
            assert np.isclose(value(CURVES[name], far)[0].real, f + slope * (far - x), rtol=1e-13)


def test_slopes_of_a_monotone_table_are_never_negative() -> None:
    random = np.random.default_rng(11)
    for _ in range(50):
        x, f = np.cumsum(random.exponential(1.0, 6)), np.cumsum(random.exponential(1.0, 6) ** 3)
        d, secant = slopes(x, f), np.diff(f) / np.diff(x)
        assert np.all(d >= 0.0)
        assert np.all(d[1:] <= 3.0 * secant * (1 + 1e-12)) and np.all(d[:-1] <= 3.0 * secant * (1 + 1e-12))


@pytest.mark.parametrize("name", LAWS)
def test_row_partials_balance_of_power_and_loss(name: str) -> None:
    law = LAWS[name]
    p = np.array(law.numbers(), dtype=complex)
    for g, rate in zip(places(1), places(2, reach=0.5), strict=True):
        lam, by_g, by_rate, _, loss = np.array(Bushing.force(p, complex(g), complex(rate), 0.0, Z)).real
        turned = np.array(Bushing.force(p, complex(g, STEP), complex(rate), 0.0, Z)).imag / STEP
        assert np.isclose(turned[0], by_g, rtol=1e-12)
        spun = np.array(Bushing.force(p, complex(g), complex(rate, STEP), 0.0, Z)).imag / STEP
        assert np.isclose(spun[0], by_rate, rtol=1e-13)
        assert np.isclose(-lam * rate, turned[3] * rate + loss, rtol=1e-11, atol=1e-11)
        assert loss >= 0.0


def test_row_is_preload_minus_force_minus_damper() -> None:
    lam, *_ = Bushing.force(np.array(LAWS["linear"].numbers()), 1e-3, 0.2, 0.0, np.zeros(1))
    assert np.isclose(lam, 30.0 - 200.0 - 8.0, rtol=1e-14)


CONTACTS = [
    LAWS["odd table"],
    Bushing(2e5, damping=40.0),
    Bushing(polynomial=[1e5, 1e7]),
    Bushing(curve=[(-1, 0), *ODD]),
]


@pytest.mark.parametrize("law", CONTACTS, ids=lambda one: one.summary())
def test_contact_partials_balance_of_power_and_loss(law: Bushing) -> None:
    p = np.array(law.resolved(Sizes()).numbers(), dtype=complex)
    pulled = 0
    for x, rate in zip(places(4), places(5, reach=20.0), strict=True):
        N, by_x, by_rate, V, loss = np.array(Bushing.normal(p, complex(x), complex(rate), 0.1, 0.0)).real
        turned = np.array(Bushing.normal(p, complex(x, STEP), complex(rate), 0.1, 0.0)).imag / STEP
        spun = np.array(Bushing.normal(p, complex(x), complex(rate, STEP), 0.1, 0.0)).imag / STEP
        assert N >= 0.0 and V >= 0.0 and loss >= 0.0
        assert np.isclose(turned[0], by_x, rtol=1e-12) and np.isclose(spun[0], by_rate, rtol=1e-13)
        assert np.isclose(N * rate, turned[3] * rate + loss, rtol=1e-11, atol=1e-10)
        if x <= 0.0:
            assert (N, by_x, by_rate, V, loss) == (0.0, 0.0, 0.0, 0.0, 0.0)
        pulled += x > 0.0 and N == 0.0
    assert pulled or float(law.damping) == 0.0


@pytest.mark.parametrize("law", CONTACTS, ids=lambda one: one.summary())
def test_strips_share_the_force(law: Bushing) -> None:
    whole, strip = (np.array(law.resolved(Sizes(strips=n)).numbers()) for n in (1, 8))
    for x in (0.3e-3, 2.2e-3, 7e-3):
        N = Bushing.normal(whole, x, 0.3, 0.3, 0.0)
        assert np.allclose(Bushing.normal(strip, x, 0.3, 0.3, 0.0), np.array(N) / 8.0, rtol=1e-12)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "needs one of 'stiffness', 'curve' and 'polynomial'"),
        ({"stiffness": 1.0, "polynomial": [1.0]}, "but has stiffness and polynomial"),
        ({"curve": [(0, 0)]}, "'curve': needs at least 2 points [x, force], has 1"),
        ({"curve": [(0, 0), (1, 2, 3)]}, "point 2 must be a pair"),
        ({"curve": [(0, 0), (1, 2), (1, 3)]}, "x must rise from point to point, but goes from 1 to 1 at point 3"),
        ({"curve": [(0, 0), (1, 2), (2, 1.5), (1.5, 9)]}, "never fall, but goes from 2 to 1.5 at point 3"),
        ({"curve": [(0, 0), (1, float("nan"))]}, "the force of point 2 is not a finite number"),
        ({"curve": [(0, 0), (float("inf"), 1)]}, "x of point 2 is not a finite number"),
        ({"curve": [(0, 1), (1, 2)]}, "must start at [0, 0] or at a negative x, but point 1 is [0, 1]"),
        ({"curve": [(0.5, 1), (1, 2)]}, "must start at [0, 0] or at a negative x"),
        ({"curve": [(-2, -1), (-1, 0)]}, "must reach x = 0, but ends at -1"),
        ({"polynomial": []}, "'polynomial': needs at least one coefficient"),
        ({"polynomial": [1.0, float("inf")]}, "coefficient 2 is not a finite number"),
        ({"polynomial": [-1.0]}, "the force falls from x = 0 on"),
        ({"polynomial": [3.0, 0.0, -1.0]}, "the force falls from x = 1 on"),
        ({"polynomial": [12.0, -9.0, 2.0]}, "'polynomial': the force falls from x = 1 on"),
        ({"stiffness": 1.0, "damping": [[1.0]]}, "'damping' is a list, so 'stiffness' must be a matrix"),
        ({"stiffness": 1.0, "preload": [1.0]}, "'preload' is a list, so 'stiffness' must be a matrix"),
    ],
)
def test_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as caught:
        Bushing(**fields)
    assert words in str(caught.value)


def test_a_polynomial_may_be_level_but_not_fall() -> None:
    level = Bushing(polynomial=[3.0, -3.0, 1.0])  # f' = 3 (x - 1)^2
    force, slope, *_ = Bushing.normal(np.array(level.numbers()), 1.0, 0.0, 1.0, 0.0)
    assert force == pytest.approx(1.0, rel=1e-14)
    assert abs(slope) <= 1e-14
    assert Bushing.normal(np.array(Bushing(polynomial=[0.0, 0.0]).numbers()), 0.5, 0.0, 1.0, 0.0)[0] == 0.0
    with pytest.raises(ValueError, match="polynomial"):
        Bushing(polynomial=[3.0, -3.01, 1.0])


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (Bushing(1e5, preload=2.0), "'preload' has no meaning in a contact"),
        (Bushing(np.eye(3)), "cannot be a contact"),
        (Bushing(curve=TWO_SIDED), "[0, 0] must be one of the points"),
    ],
)
def test_refused_as_a_contact(law: Bushing, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        law.resolved(Sizes())
    assert words in str(caught.value)


def test_values_with_units_are_left_for_the_model_to_read() -> None:
    law = Bushing(curve=[("0 mm", "0 N"), ("1 mm", "2 kN"), ("2 mm", "1 kN")])
    assert not law.is_matrix and not law.is_linear
    assert Bushing("15 N/mm").is_linear


def stiff() -> np.ndarray:
    """Symmetric positive semidefinite, with rows in N/m and in N m/rad and one motion that costs nothing."""
    a = np.random.default_rng(2).standard_normal((5, 6)) * np.array([1e4, 1e4, 1e4, 30.0, 30.0, 30.0])
    return np.asarray(a.T @ a)


def test_matrices() -> None:
    K, c = stiff(), np.diag([1.0, 1, 1, 0, 0, 0])
    c[0, 1], c[1, 0] = 5.0, -5.0  # a gyroscopic part takes no power
    law = Bushing(K.tolist(), damping=c, preload=[1.0, 2, 3, 4, 5, 6])
    assert law.is_matrix and law.is_linear
    ours = law.matrices(6)
    assert np.allclose(ours[0], K, rtol=1e-12) and np.array_equal(ours[0], ours[0].T)
    assert np.array_equal(ours[1], c) and np.array_equal(ours[2], [1, 2, 3, 4, 5, 6])
    assert law == Bushing(K, damping=c.tolist(), preload=(1.0, 2, 3, 4, 5, 6)) and hash(law)
    _, none, free = Bushing(K).matrices(6)
    assert not none.any() and not free.any()
    with pytest.raises(ValueError, match="acts on a whole joint"):
        law.numbers()
    with pytest.raises(ValueError, match=r"'stiffness' must be 3 x 3 for this joint, is 6 x 6"):
        law.matrices(3)
    with pytest.raises(ValueError, match="is not a matrix"):
        Bushing(5.0).matrices(6)


def changed(matrix: np.ndarray, i: int, j: int, by: float) -> np.ndarray:
    out = matrix.copy()
    out[i, j] += by
    return out


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"stiffness": changed(stiff(), 0, 4, 1.0)}, "'stiffness' must be symmetric, but row 1, column 5 is"),
        ({"stiffness": np.diag([1.0, -1.0])}, "'stiffness' must be positive semidefinite"),
        ({"stiffness": [[1.0, 2.0], [2.0, 1.0]]}, "'stiffness' must be positive semidefinite"),
        ({"stiffness": [[1e8, 101.0], [101.0, 1e-4]]}, "'stiffness' must be positive semidefinite"),
        ({"stiffness": [[1.0, 0.5], [0.5, 0.0]]}, "'stiffness' must be"),
        ({"stiffness": np.eye(2), "damping": [[1.0, 3.0], [0.0, 1.0]]}, "'damping' must be positive semidefinite"),
        ({"stiffness": np.eye(2), "damping": 3.0}, "'damping' must be given for all coordinates"),
        ({"stiffness": np.eye(2), "damping": np.eye(3)}, "'damping' must be 2 x 2 for this joint, is 3 x 3"),
        ({"stiffness": [[1.0, 0.0], [0.0]]}, "'stiffness' must be a square matrix, is 2 x 1 or 2"),
        ({"stiffness": [1.0, 2.0]}, "'stiffness' must be a square matrix, is 2 x 1"),
        ({"stiffness": np.eye(2), "preload": [1.0]}, "'preload' must be a list of 2 finite numbers"),
        ({"stiffness": np.eye(2), "preload": 4.0}, "'preload' must be given for all coordinates"),
        ({"stiffness": [[float("nan")]]}, "'stiffness' has a number that is not finite"),
    ],
)
def test_refused_matrices(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as caught:
        Bushing(**fields)
    assert words in str(caught.value)
