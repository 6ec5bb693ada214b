"""The stack machine against complex step and finite differences, operation by operation."""

from __future__ import annotations

import cmath
from collections.abc import Callable

import numpy as np
import pytest

from jointplay.arrays import code_dtype, signal_dtype
from jointplay.numerics import signals as ops
from jointplay.numerics.signals import PIECEWISE, PROGRAM, STACK, evaluate_signal, signal_stack

Code = list[tuple[int, float]]


def run(code: Code, t: float) -> tuple[float, float, float]:
    """Run code at t."""
    record = np.array([(PROGRAM, 0, len(code), 0)], signal_dtype).view(np.recarray)[0]
    return evaluate_signal(
        record, np.array(code, code_dtype(float)).view(np.recarray), np.empty(0), signal_stack(float), t
    )


# u(t) = 0.2 + 0.3 t^2 and v(t) = 0.4 + t^3 have first and second derivatives that vanish nowhere on (0, 1].
U: Code = [(ops.NUMBER, 0.2), (ops.NUMBER, 0.3), (ops.TIME, 0), (ops.RAISE, 2), (ops.MULTIPLY, 0), (ops.ADD, 0)]
V: Code = [(ops.NUMBER, 0.4), (ops.TIME, 0), (ops.RAISE, 3), (ops.ADD, 0)]


def u(t: complex) -> complex:
    return 0.2 + 0.3 * t**2


def v(t: complex) -> complex:
    return 0.4 + t**3


ONE: dict[int, Callable[[complex], complex]] = {
    ops.NEGATIVE: lambda x: -x,
    ops.SIN: cmath.sin,
    ops.COS: cmath.cos,
    ops.TAN: cmath.tan,
    ops.ASIN: cmath.asin,
    ops.ACOS: cmath.acos,
    ops.ATAN: cmath.atan,
    ops.SINH: cmath.sinh,
    ops.COSH: cmath.cosh,
    ops.TANH: cmath.tanh,
    ops.EXP: cmath.exp,
    ops.LOG: cmath.log,
    ops.SQRT: cmath.sqrt,
    ops.ABS: lambda x: x if x.real > 0 else -x,
    ops.SIGN: lambda x: complex(np.sign(x.real)),
    ops.STEP: lambda x: complex(x.real >= 0),
}
TWO: dict[int, Callable[[complex, complex], complex]] = {
    ops.ADD: lambda x, y: x + y,
    ops.SUBTRACT: lambda x, y: x - y,
    ops.MULTIPLY: lambda x, y: x * y,
    ops.DIVIDE: lambda x, y: x / y,
    ops.POWER: lambda x, y: x**y,
    ops.ATAN2: lambda x, y: cmath.atan(x / y),  # in the first quadrant
    ops.MIN: lambda x, y: x if x.real <= y.real else y,
    ops.MAX: lambda x, y: x if x.real > y.real else y,
    ops.LESS: lambda x, y: complex(x.real < y.real),
    ops.LESS_EQUAL: lambda x, y: complex(x.real <= y.real),
    ops.MORE: lambda x, y: complex(x.real > y.real),
    ops.MORE_EQUAL: lambda x, y: complex(x.real >= y.real),
}


def check(code: Code, f: Callable[[complex], complex], t: float) -> None:
    """Value, slope by complex step, and curvature by differences of the kernel's own slope."""
    found, slope, curvature = run(code, t)
    h = 1e-5
    assert found == pytest.approx(f(t).real, rel=1e-14, abs=1e-15)
    assert slope == pytest.approx((f(t + 1e-30j) / 1e-30).imag, rel=1e-12, abs=1e-14)
    assert curvature == pytest.approx((run(code, t + h)[1] - run(code, t - h)[1]) / (2 * h), rel=1e-7, abs=1e-7)


def test_the_table_of_operations_is_complete() -> None:
    pushes = [ops.NUMBER, ops.TIME, ops.INPUT, ops.SENSE]
    assert sorted([*pushes, ops.RAISE, *ONE, *TWO, ops.WHERE]) == list(range(ops.WHERE + 1))
    assert {*ops.OF_ONE.values()} == {*ONE} - {ops.NEGATIVE}
    assert {*ops.OF_TWO.values()} == {*TWO}


@pytest.mark.parametrize("t", [0.35, 0.8])
@pytest.mark.parametrize("op", ONE)
def test_functions_of_one(op: int, t: float) -> None:
    check([*U, (op, 0.0)], lambda z: ONE[op](u(z)), t)


@pytest.mark.parametrize("op", [ops.NEGATIVE, ops.SIN, ops.ATAN, ops.ASIN, ops.ABS, ops.SIGN, ops.STEP, ops.TANH])
def test_functions_of_one_at_negative_arguments(op: int) -> None:
    check([*U, (ops.NEGATIVE, 0), (op, 0.0)], lambda z: ONE[op](-u(z)), 0.6)


@pytest.mark.parametrize("t", [0.35, 0.8])
@pytest.mark.parametrize("op", TWO)
def test_functions_of_two(op: int, t: float) -> None:
    check([*U, *V, (op, 0.0)], lambda z: TWO[op](u(z), v(z)), t)
    check([*V, *U, (op, 0.0)], lambda z: TWO[op](v(z), u(z)), t)


@pytest.mark.parametrize("power", [-2.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0])
def test_constant_powers(power: float) -> None:
    check([*U, (ops.RAISE, power)], lambda z: u(z) ** power, 0.6)


@pytest.mark.parametrize(("power", "expected"), [(0, (1, 0, 0)), (1, (0, 1, 0)), (2, (0, 0, 2)), (3, (0, 0, 0))])
def test_powers_of_zero(power: float, expected: tuple[float, float, float]) -> None:
    assert run([(ops.TIME, 0), (ops.RAISE, power)], 0.0) == expected


def test_powers_of_negative_numbers() -> None:
    assert run([(ops.TIME, 0), (ops.RAISE, 3)], -2.0) == (-8.0, 12.0, -12.0)


def test_what_does_not_move_has_no_derivative() -> None:
    assert run([(ops.NUMBER, 0.0), (ops.SQRT, 0)], 1.0) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("angle", [0.5, 2.0, -2.0, -0.5])
def test_atan2_in_all_quadrants(angle: float) -> None:
    # The point (cos, sin)(angle + t) turns at unit rate.
    turned: Code = [(ops.TIME, 0), (ops.NUMBER, angle), (ops.ADD, 0)]
    code = [*turned, (ops.SIN, 0.0), *turned, (ops.COS, 0.0), (ops.ATAN2, 0.0)]
    assert run(code, 0.1) == pytest.approx((angle + 0.1, 1.0, 0.0), abs=1e-14)


def test_a_longer_program_by_hand() -> None:
    # f = t sin(3 t): f' = sin 3t + 3t cos 3t, f'' = 6 cos 3t - 9t sin 3t
    code: Code = [(ops.TIME, 0), (ops.TIME, 0), (ops.NUMBER, 3), (ops.MULTIPLY, 0), (ops.SIN, 0), (ops.MULTIPLY, 0)]
    t = 0.7
    expected = (
        t * np.sin(3 * t),
        np.sin(3 * t) + 3 * t * np.cos(3 * t),
        6 * np.cos(3 * t) - 9 * t * np.sin(3 * t),
    )
    assert run(code, t) == pytest.approx(expected, rel=1e-14)


def test_the_full_stack_can_be_used() -> None:
    code = [(ops.TIME, 0.0)] * STACK + [(ops.ADD, 0.0)] * (STACK - 1)
    assert run(code, 0.5) == (0.5 * STACK, STACK, 0.0)


def piecewise(knots: list[float], rows: list[list[float]], t: float, *, offset: int = 3) -> tuple[float, float, float]:
    """Evaluate pieces that stand behind ``offset`` foreign numbers."""
    numbers = np.array([9.9] * offset + knots + [c for row in rows for c in row])
    record = np.array([(PIECEWISE, offset, len(rows), len(rows[0]) - 1)], signal_dtype).view(np.recarray)[0]
    return evaluate_signal(record, np.empty(0, code_dtype(float)).view(np.recarray), numbers, signal_stack(float), t)


def test_pieces_by_hand() -> None:
    knots, rows = [0.0, 2.0, 3.0, 7.0], [[1.0, 2.0, 3.0], [4.0, 0.0, 0.0], [0.0, 1.0, -1.0]]
    # Piece 0: x = t - 1; piece 2: x = (t - 5)/2.
    assert piecewise(knots, rows, 1.5) == pytest.approx((1 + 2 * 0.5 + 3 * 0.25, 2 + 6 * 0.5, 6.0))
    assert piecewise(knots, rows, 2.0) == (4.0, 0.0, 0.0)
    assert piecewise(knots, rows, 6.0) == pytest.approx((0.5 - 0.25, (1 - 2 * 0.5) / 2, -2 / 4))
    assert piecewise(knots, rows, 7.0) == pytest.approx((0.0, (1 - 2) / 2, -0.5))  # the end still belongs to its piece


def test_pieces_hold_their_ends() -> None:
    knots, rows = [1.0, 2.0, 4.0], [[1.0, 2.0], [5.0, 2.0]]
    assert piecewise(knots, rows, 0.0) == (-1.0, 0.0, 0.0)
    assert piecewise(knots, rows, 9.0) == (7.0, 0.0, 0.0)
    assert piecewise(knots, rows, np.nextafter(4.0, 5.0))[1] == 2.0  # rounding in t is not the end of the function


def test_the_search_finds_every_piece() -> None:
    rng = np.random.default_rng(3)
    knots = np.cumsum(rng.uniform(0.01, 1, 40))
    rows = [[float(k)] for k in range(39)]
    for k in range(39):
        inside = 0.5 * (knots[k] + knots[k + 1])
        assert piecewise(knots.tolist(), rows, inside)[0] == k
        assert piecewise(knots.tolist(), rows, knots[k])[0] == k
