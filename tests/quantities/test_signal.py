"""Signals: every way to give one, and what comes out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jointplay.arrays import code_dtype, signal_dtype
from jointplay.numerics.signals import PIECEWISE, PROGRAM, evaluate_signal, signal_stack
from jointplay.quantities.signal import Signal, Table, pack_signals
from jointplay.quantities.units import QuantityError, Value, dimension_of

GAP = {"gap": Value(1e-4, dimension_of("m"))}


def kernel(signal: Signal, horizon: float) -> Callable[[float], tuple[float, float, float]]:
    """The signal as the kernel sees it."""
    records, code, numbers, _ = pack_signals([signal], horizon)
    record, view, stack = records.view(np.recarray)[0], code.view(np.recarray), signal_stack(float)
    return lambda t: evaluate_signal(record, view, numbers, stack, t)


@pytest.mark.parametrize(
    ("raw", "unit", "at_2"),
    [
        (5, "N", 5.0),
        ("5 kN", "N", 5000.0),
        ("6*t", "rad", 12.0),
        ("6 rad/s*t", "rad", 12.0),
        ("90 deg", "rad", math.pi / 2),
        ("gap*t", "m", 2e-4),
        ("5 N*sin(2*pi*0.125 Hz*t)", "N", 5.0),
        ("2 mm*step(t - 1)", "m", 2e-3),
        (lambda t: 3.0, "m", 3.0),
        (lambda t: 6 * t + np.sin(3 * t), "m", 12 + math.sin(6)),
        (math.sin, "m", math.sin(2)),
        ([[0, 0], [1, "1 mm"], ["3 s", 3e-3]], "m", 2e-3),
        ({"table": [[0, 0], [4, 1]], "kind": "linear"}, "m", 0.5),
        (np.array([[0.0, 0.0], [4.0, 1.0]]), "m", 0.5),
        (Table([0, 4], [0, 1]), "m", 0.5),
    ],
)
def test_value_by_python_and_by_kernel(raw: Any, unit: str, at_2: float) -> None:
    signal = Signal.of(raw, unit, GAP)
    assert signal.value(2.0) == pytest.approx(at_2, rel=1e-14)
    assert kernel(signal, 8.0)(2.0)[0] == pytest.approx(at_2, rel=1e-12)


def test_constants_are_known_as_such() -> None:
    for raw in (5, "5 N", "2*2.5", lambda t: 5.0, lambda t: 5):
        signal = Signal.of(raw, "N")
        assert signal.is_constant
        assert signal.constant == 5.0
    moving = Signal.of("t", "N")
    assert not moving.is_constant
    with pytest.raises(ValueError, match="not constant"):
        _ = moving.constant
    assert Signal.of(moving, "N") is moving


@pytest.mark.parametrize(
    ("raw", "unit", "message"),
    [
        ("5 kg", "N", "expected a force"),
        ("6 t", "rad", r"write 6\*t"),
        ("sin(3 rad/s*t)*1 kg", "N", r"expected a force \(N\)"),
        ("6*x", "rad", "unknown name 'x'"),
        ("1 m + 1 s", "m", "mixes"),
        (None, "m", "got None"),
        (True, "m", "got True"),
        (float("nan"), "m", "finite"),
        ([], "m", "two rows"),
        ([1, 2], "m", "row 1"),
        ([[0, 0], [1]], "m", "row 2"),
        ([[0, 0], [1, "1 kg"]], "m", "row 2 of the table: expected a length"),
        ([[0, 0], [0, 1]], "m", "must increase"),
        ({"tabel": []}, "m", "a table is written"),
        ({"table": "x"}, "m", "rows"),
        ({"table": [[0, 0], [1, 1]], "kind": "spline"}, "m", "'linear' or 'cubic'"),
        (lambda: 1.0, "m", "failed at t = 0"),
        (lambda t: "1 m", "m", "no usable number"),
        (lambda t: float("nan") if t == 0 else 1.0, "m", "no usable number"),
        (lambda t: [t, t], "m", "no usable number"),
        (lambda t: t > 1, "m", "no usable number"),
    ],
)
def test_what_is_refused(raw: Any, unit: str, message: str) -> None:
    with pytest.raises(QuantityError, match=message):
        Signal.of(raw, unit)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda t: 6 * t + np.sin(3 * t), "6*t + sin(3*t)"),
        (lambda t: 2 - t / 3, "2 - t/3"),
        (lambda t: -(t**2) + abs(t), "-t^2 + abs(t)"),
        (lambda t: 2**t, "2^t"),
        (lambda t: 1 / (1 + t), "1/(1 + t)"),
        (lambda t: np.float64(2.0) * t - np.float64(1.0), "2*t - 1"),
        (lambda t: np.exp(-t) * np.cos(np.pi * t), "exp(-t)*cos(pi*t)"),
        (lambda t: np.minimum(t, 1.0) + np.maximum(2.0, t), "min(t, 1) + max(2, t)"),
        (lambda t: np.square(t) + np.sqrt(t) + np.tanh(t), "t^2 + sqrt(t) + tanh(t)"),
        (lambda t: np.heaviside(t - 1, 1.0) * np.sign(t), "step(t - 1)*sign(t)"),
        (lambda t: np.arctan2(t, 2.0) + np.arctan(t), "atan2(t, 2) + atan(t)"),
        (lambda t: sum(np.sin(k * t) for k in (1, 2)), "0 + sin(1*t) + sin(2*t)"),
    ],
)
def test_a_traced_function_is_the_expression(function: Callable[[Any], Any], text: str) -> None:
    assert Signal.of(function, "m") == Signal.of(text, "m")


@pytest.mark.parametrize(
    "function",
    [
        math.sin,
        lambda t: t if t < 1 else 1.0,
        lambda t: np.interp(t, [0, 1], [0, 1]),
        lambda t: t // 1,
        lambda t: np.where(t > 1, 1.0, 0.0),
        lambda t: 1.0 if t == 0 else 2.0,
        lambda t: float(t),
        lambda t: np.heaviside(t, 0.5),
        lambda t: 1.0 if type(t) is float else 2.0,
    ],
)
def test_functions_that_cannot_be_traced_stay_functions(function: Callable[[Any], Any]) -> None:
    signal = Signal.of(function, "m")
    assert signal.node is None
    assert signal.pack(2.0).kind == PIECEWISE
    with pytest.raises(ValueError, match="cannot be written to a file"):
        signal.to_tree()


def test_a_function_that_grows_its_tree_without_end_is_fitted() -> None:
    def squares(t: Any) -> Any:
        x = t / 10
        for _ in range(30):
            x = x * x
        return x

    assert Signal.of(squares, "m").node is None


def test_a_fitted_sine_and_its_derivatives() -> None:
    at = kernel(Signal.of(lambda t: math.sin(3 * t), "m"), 10.0)
    times = np.linspace(0, 10, 997)
    found = np.array([at(t) for t in times])
    assert np.max(np.abs(found[:, 0] - np.sin(3 * times))) < 2e-12
    assert np.max(np.abs(found[:, 1] - 3 * np.cos(3 * times))) < 1e-9
    assert np.max(np.abs(found[:, 2] + 9 * np.sin(3 * times))) < 1e-6


def test_a_large_constant_costs_no_accuracy() -> None:
    at = kernel(Signal.of(lambda t: 1e6 + math.sin(t), "m"), 10.0)
    assert max(abs(at(t)[0] - 1e6 - math.sin(t)) for t in np.linspace(0, 10, 101)) < 1e-9


def test_a_short_pulse_is_resolved() -> None:
    at = kernel(Signal.of(lambda t: math.exp(-(((t - 5) / 0.05) ** 2)), "m"), 10.0)
    assert max(abs(at(t)[0] - math.exp(-(((t - 5) / 0.05) ** 2))) for t in np.linspace(4.5, 5.5, 501)) < 1e-11


def test_a_jump_becomes_a_break() -> None:
    signal = Signal.of(lambda t: 0.0 if t < 3.3 else 1.0 + math.sin(t), "m")
    packed = signal.pack(10.0)
    assert packed.breaks == pytest.approx((3.3,), abs=1e-12)
    at = kernel(signal, 10.0)
    assert at(3.3 - 1e-9) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert at(3.3 + 1e-9)[:2] == pytest.approx((1 + math.sin(3.3), math.cos(3.3)), abs=1e-7)


@pytest.mark.parametrize("place", [2.5, math.pi, 7.123456])
def test_a_bend_becomes_a_break(place: float) -> None:
    signal = Signal.of(lambda t: max(0.0, t - place), "m")
    assert signal.node is None
    assert signal.pack(10.0).breaks == pytest.approx((place,), abs=1e-9)
    at = kernel(signal, 10.0)
    assert at(place - 1e-3) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert at(place + 1e-3) == pytest.approx((1e-3, 1.0, 0.0), abs=1e-9)


def test_many_jumps() -> None:
    signal = Signal.of(lambda t: math.copysign(1.0, math.sin(10 * math.pi * t + 0.5)), "m")
    expected = [(k - 0.5 / math.pi) / 10 for k in range(1, 31)]
    assert signal.pack(3.0).breaks == pytest.approx(expected, abs=1e-12)


def test_functions_that_are_no_functions_of_time() -> None:
    random = np.random.default_rng(1)
    with pytest.raises(QuantityError, match="different values"):
        Signal.of(lambda t: float(random.random()), "m").pack(1.0)
    with pytest.raises(QuantityError, match="at t = "):
        Signal.of(lambda t: float("nan") if t > 0.5 else 1.0, "m").pack(1.0)
    with pytest.raises(QuantityError, match="too rough"):
        Signal.of(lambda t: math.sin(1e9 * t) if t >= 0 else 0.0, "m").pack(10.0)


@pytest.mark.parametrize("horizon", [0.0, -1.0, math.nan, math.inf])
def test_a_horizon_must_be_positive(horizon: float) -> None:
    with pytest.raises(QuantityError, match="horizon"):
        Signal.of("t", "m").pack(horizon)


@pytest.mark.parametrize(
    ("raw", "breaks"),
    [
        ("step(t - 0.5)", (0.5,)),
        ("sign(1 - 2*t) + abs(t/4 - 1)", (0.5, 4.0)),
        ("min(t, 3)*max(1, 2*t)", (0.5, 3.0)),
        ("min(2, t, 3)", (2.0, 3.0)),
        ("step(sin(t))", ()),
        ("sin(t)", ()),
        (Table([0, 1, 2], [0, 1, 0], "linear"), (0.0, 1.0, 2.0)),
        (Table([0, 1, 2], [0, 1, 0]), (0.0, 2.0)),
        (Table([0, 1, 2], [1, 1, 1]), ()),
    ],
)
def test_breaks_known_beforehand(raw: Any, breaks: tuple[float, ...]) -> None:
    assert Signal.of(raw, "m").breaks == breaks


def test_breaks_found_within_the_horizon() -> None:
    found = Signal.of("sign(sin(2*t))*t", "m").pack(5.0).breaks
    assert found == pytest.approx([math.pi / 2, math.pi, 3 * math.pi / 2], abs=1e-12)


def test_linear_table() -> None:
    at = kernel(Signal.of(Table([1, 2, 4], [0, 3, -1], "linear"), "m"), 10.0)
    assert at(1.5) == pytest.approx((1.5, 3.0, 0.0))
    assert at(3.0) == pytest.approx((1.0, -2.0, 0.0))
    assert at(2.0) == pytest.approx((3.0, -2.0, 0.0))  # the piece on the right counts
    assert at(0.0) == (0.0, 0.0, 0.0)
    assert at(9.0) == pytest.approx((-1.0, 0.0, 0.0))


def test_cubic_table_reproduces_a_cubic_and_its_derivatives() -> None:
    times = np.array([0.0, 0.7, 1.0, 2.5, 3.0])
    at = kernel(Signal.of(Table(times, times**3 - 2 * times), "m"), 3.0)
    for t in np.linspace(0, 3, 31):
        assert at(t) == pytest.approx((t**3 - 2 * t, 3 * t**2 - 2, 6 * t), abs=1e-11)
    assert at(-1.0) == pytest.approx((0.0, 0.0, 0.0), abs=1e-14)
    assert at(5.0) == pytest.approx((21.0, 0.0, 0.0))


def test_python_and_kernel_agree_on_tables() -> None:
    random = np.random.default_rng(7)
    for kind in ("linear", "cubic"):
        table = Table(np.cumsum(random.uniform(0.1, 1, 12)), random.normal(size=12), kind)
        signal, at = Signal.of(table, "m"), kernel(Signal.of(table, "m"), 10.0)
        for t in (*random.uniform(-1, 12, 50), *table.times):
            assert at(t)[0] == pytest.approx(signal.value(t), abs=1e-14)


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [
        ([0, 1], [0, 1, 2], "2 times but 3 values"),
        ([0], [1], "two points"),
        ([0, 1, 1], [0, 0, 0], "must increase"),
        ([0, math.nan], [0, 0], "finite"),
        ([0, 1], [0, math.inf], "finite"),
        ([[0, 1]], [[0, 1]], "row of numbers"),
        (["a", "b"], [0, 1], "must be numbers"),
    ],
)
def test_bad_tables(times: Any, values: Any, message: str) -> None:
    with pytest.raises(QuantityError, match=message):
        Table(times, values)


def test_tables_are_values() -> None:
    table = Table([0, 1], [0, 1])
    assert table == Table((0.0, 1.0), np.array([0, 1]))
    assert hash(table) == hash(Table([0, 1], [0, 1]))
    assert table != Table([0, 1], [0, 1], "linear")
    with pytest.raises(ValueError, match="read-only"):
        table.times[0] = 5.0
    with pytest.raises(AttributeError):
        table.kind = "linear"  # type: ignore[misc]


@pytest.mark.parametrize(
    "raw",
    [
        5.0,
        "0.1 mm",
        "gap*sin(2*pi*t) - 1 mm*t^-2",
        "-(t - 1)^3^2/(2*t + -4)",
        lambda t: np.exp(-t) * (2 - t) ** 3,
        Table([0, 1, 3], [0, 1, 0]),
        Table([0, 1, 3], [0, 1, 0], "linear"),
    ],
)
def test_round_trip_through_plain_data(raw: Any) -> None:
    signal = Signal.of(raw, "m", GAP)
    tree = signal.to_tree()
    assert isinstance(tree, float | str | dict)
    assert Signal.of(tree, "m") == signal


def test_a_traced_function_too_long_for_a_file_says_so() -> None:
    signal = Signal.of(lambda t: sum(np.sin(k * 1.23456789 * t) for k in range(60)), "m")
    assert signal.pack(1.0).kind == PROGRAM
    with pytest.raises(QuantityError, match="cannot be written to a file"):
        signal.to_tree()


def test_all_signals_end_to_end() -> None:
    signals = [
        Signal.of("2*t", "m"),
        Signal.of(Table([0, 1, 2], [0, 1, 4]), "m"),
        Signal.of(7, "m"),
        Signal.of(math.cos, "m"),
        Signal.of("step(t - 0.5) + step(t - 0.25)", "m"),
        Signal.of(Table([-1, 0.5, 2], [0, 1, 4], "linear"), "m"),
    ]
    records, code, numbers, breaks = pack_signals(signals, 2.0)
    assert records.dtype == signal_dtype
    assert code.dtype == code_dtype(float)
    assert breaks.tolist() == [0.25, 0.5, 2.0]  # the last: a fitted function is known up to the horizon only
    stack = signal_stack(float)
    for record, signal in zip(records.view(np.recarray), signals, strict=True):
        for t in (0.1, 0.9, 1.7):
            found = evaluate_signal(record, code.view(np.recarray), numbers, stack, t)[0]
            assert found == pytest.approx(signal.value(t), abs=1e-12)


def test_no_signals() -> None:
    records, code, numbers, breaks = pack_signals([], 1.0)
    assert [len(x) for x in (records, code, numbers, breaks)] == [0, 0, 0, 0]
    assert breaks.dtype == np.float64
