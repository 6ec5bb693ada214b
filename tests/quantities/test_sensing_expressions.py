"""Expressions that name what is sensed and inputs: grammar, dimensions, sentences; their programs against Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jointplay.numerics import signals as ops
from jointplay.numerics.signals import SENSED, evaluate_signal, signal_partial, signal_stack
from jointplay.quantities.expression import Name, evaluate, parse, resolve, sample, to_text
from jointplay.quantities.signal import Free, Signal, pack_signals
from jointplay.quantities.units import QuantityError, Value, dimension_of

FREE = Free(
    {"A.angle": dimension_of("rad"), "A.angle_rate": dimension_of("rad/s"), "left knee.angle": dimension_of("rad")},
    {"motor": dimension_of("N*m"), "gain": None},
)
VALUES = {"k": Value(4.0, dimension_of("N*m/rad")), "d": Value(0.1), "ref": Value(0.5, dimension_of("rad"))}


@pytest.mark.parametrize(
    ("text", "name"),
    [("A.angle", "A.angle"), ("slider.position[2]", "slider.position[2]"), ("'left knee'.angle", "left knee.angle")],
)
def test_names_of_two_parts_are_read_and_written(text: str, name: str) -> None:
    assert parse(text) == Name(name)
    assert to_text(parse(text)) == text
    assert parse(to_text(parse(f"2*{text} + 1"))) == parse(f"2*{text} + 1")


def test_a_unit_ends_before_a_sensed_name() -> None:
    signal = Signal.of("2 N*m*A.angle", "N*m", {}, FREE)
    assert signal.value(0.0, {"A.angle": 3.0}) == 6.0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 < 2", 1.0),
        ("2 <= 1", 0.0),
        ("1 + 1 > 1", 1.0),
        ("3*(2 >= 2)", 3.0),
        ("clip(5, -1, 2)", 2.0),
        ("clip(-5, -1, 2)", -1.0),
        ("where(1 > 2, 7, 8)", 8.0),
        ("where(3, 7, 8)", 7.0),
        ("where(0, 7, 8)", 8.0),
    ],
)
def test_conditionals_of_numbers(text: str, value: float) -> None:
    assert evaluate(parse(text), {}).si == value
    assert parse(to_text(parse(text))) == parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "-k*(A.angle - ref) - d*A.angle_rate",  # k has a unit, d has none
        "-k*A.angle + motor",
        "-4*A.angle - 0.1*A.angle_rate + 3*t",
        "clip(-k*A.angle, -3 N*m, 3 N*m)",
        "where(A.angle > 0.2 rad, -k*A.angle, motor)",
        "gain*motor",
    ],
)
def test_dimensions_that_are_right(text: str) -> None:
    assert Signal.of(text, "N*m", VALUES, FREE).names


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("5 N*A.angle", "expected a torque"),
        ("-k*A.angle*motor", "expected a torque"),
        ("motor + 3 m", "mixes a torque"),
        ("A.angel*k", "did you mean 'A.angle'"),
        ("A.velocity", "of 'A' there are A.angle, A.angle_rate"),
        ("moter", "did you mean 'motor'"),
        ("where(A.angle > 2 m, 1 N*m, 0)", "mixes"),
        ("where(A.angle, 1 N*m, 2 m)", "mixes"),
        ("A.angle >", "ends where"),
    ],
)
def test_what_is_wrong_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(QuantityError, match=sentence):
        Signal.of(text, "N*m", VALUES, FREE)


def test_parts_that_are_not_smooth_are_named() -> None:
    text = "2*clip(A.angle, -1, 1) + abs(t - 2) + where(motor > 0, 1, 2) + sign(A.angle_rate)"
    signal = Signal.of(text, "N*m", {}, FREE)
    assert signal.bends == ["clip(A.angle, -1, 1)", "motor > 0", "sign(A.angle_rate)"]
    assert signal.breaks == (2.0,)
    assert Signal.of("sin(A.angle)", "N*m", {}, FREE).bends == []


EXPRESSIONS = [
    "-4*(x - 0.3) - 0.2*v",
    "x^3*v + sin(x*t) - u",
    "clip(x, -0.2, 0.2) + max(v, x*u)",
    "where(x > v, x^2, v/0.7) + u*x",
    "atan2(x, v + 2) * exp(-abs(v)) + sqrt(1 + x^2)",
    "where(x < 5, 1, log(x - 5))*x",  # the branch that is not taken has no value
]


def packed(text: str) -> tuple[Any, ...]:
    free = Free({"x": None, "v": None}, {"u": None})
    signal = Signal.of(text, "", {}, free)
    pushes = {"x": (ops.SENSE, 0.0), "v": (ops.SENSE, 1.0), "u": (ops.INPUT, 0.0)}
    own = {name: push for name, push in pushes.items() if name in signal.names}
    records, code, number, _ = pack_signals([signal], 1.0, [own], [1.3])
    return signal, records[0], code, number


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_programs_agree_with_python_and_have_exact_partials(text: str) -> None:
    signal, record, code, number = packed(text)
    stack = signal_stack(float, 2)
    t, x, v, h = 0.4, 0.31, -0.22, 1e-6
    stack[SENSED, 0], stack[SENSED + 1, 0] = x, v

    def python(x: float, v: float) -> float:
        return float(sample(signal.node, {"t": t, "x": x, "v": v, "u": 1.3}))

    found, by_t, _ = evaluate_signal(record, code, number, stack, t)
    assert found == pytest.approx(python(x, v), rel=1e-14)
    for k, (a, b) in enumerate([(h, 0.0), (0.0, h)]):
        slope = signal_partial(record, code, number, stack, t, k)
        assert slope == pytest.approx((python(x + a, v + b) - python(x - a, v - b)) / (2 * h), abs=2e-9)
    again, by_t_again, _ = evaluate_signal(record, code, number, stack, t)
    assert (again, by_t_again) == (found, by_t)  # partials leave nothing behind


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_imaginary_parts_follow_partials_exactly(text: str) -> None:
    _, record, code, number = packed(text)
    real, stack = signal_stack(float, 2), signal_stack(complex, 2)
    from jointplay.arrays import code_dtype

    lifted = np.zeros(len(code), code_dtype(complex))
    lifted["op"], lifted["arg"] = code["op"], code["arg"]
    x, v, step = 0.31, -0.22, 1e-50
    real[SENSED, 0], real[SENSED + 1, 0] = x, v
    stack[SENSED, 0], stack[SENSED + 1, 0] = x + 2j * step, v - 3j * step
    f, _, _ = evaluate_signal(record, lifted, number.astype(complex), stack, 0.4)
    partials = [signal_partial(record, code, number, real, 0.4, k) for k in range(2)]
    assert f.imag / step == pytest.approx(2 * partials[0] - 3 * partials[1], rel=1e-13, abs=1e-14)


def test_names_need_values() -> None:
    with pytest.raises(QuantityError, match="unknown name"):
        resolve(parse("A.angle"), {})
