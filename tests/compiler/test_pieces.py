"""Kernels in pieces: what is compiled, what is linked, and who may call whom."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_double, c_int64

import numba
import numpy as np
import pytest
from llvmlite import binding as llvm

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.compile.pack import pack
from jointplay.compiler import lowering
from jointplay.compiler.lowering import keep_to_itself
from jointplay.compiler.module import linked
from jointplay.compiler.store import Store, store
from jointplay.laws.registry import evaluate_contact
from jointplay.native.kernel import PLAIN
from jointplay.numerics.jit import jit, link, part

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")


@link
def rest(a, i):
    """A view."""
    return a[i:]


@jit
def total(a, i):
    """Sum of all entries from i on."""
    found, b = 0.0, rest(a, i)
    for n in range(len(b)):
        found += b[n]
    return found


@jit
def both(a):
    """Two sums, asked for with constants."""
    return total(a, 1) + total(a, 2)


@numba.njit
def of_others(a):
    """A function that is no kernel."""
    return both(a) + total(a, 0)


LINE = np.arange(5.0)
EXPECTED = LINE[1:].sum() + LINE[2:].sum()


def test_constants_are_values_like_any_other() -> None:
    assert both(LINE) == EXPECTED
    calls = both.dispatcher.piece((numba.typeof(LINE),)).code.calls
    assert len(calls) == 1  # one piece for both constants
    assert store().read(calls[0]) is not None


def test_what_kernels_call_can_be_called_by_python() -> None:
    assert both(LINE) == EXPECTED
    assert total(LINE, 3) == LINE[3:].sum()


def test_functions_of_others_may_call_kernels() -> None:
    assert of_others(LINE) == EXPECTED + LINE.sum()


@numba.njit
def press(laws, k, constant, x):
    """Another one, which calls a kernel of the engine."""
    return evaluate_contact(laws[k], constant, x, 0.1, 0.1, 0.0, True)


def test_functions_of_others_do_not_meet_the_inside_of_a_program() -> None:
    """In a program the optimiser may change what a function expects; code of others must not be linked with it."""
    system = jp.load_model(GALLERY / "triple_pendulum_stops.yaml")
    model = pack(system, 1.0).model
    expected = [evaluate_contact(law, model.constant, 1e-4, 0.1, 0.1, 0.0, True) for law in model.law]
    jp.simulate(system, 1e-4)
    assert np.array(expected)[:, 0].any()
    for k, answer in enumerate(expected):
        assert press(model.law, k, model.constant, 1e-4) == pytest.approx(answer, rel=1e-14)


def test_other_types_are_other_pieces() -> None:
    whole = np.arange(5)
    assert both(whole) == EXPECTED
    assert both(LINE) == EXPECTED


def test_a_kernel_made_inside_a_function() -> None:
    def made(number):
        @jit
        def shifted(x):
            return x + number

        return shifted

    assert [made(n)(1.0) for n in (1.0, 2.0)] == [2.0, 3.0]


@jit
def quotient(a, b):
    """Complex division is a function of Numba's."""
    return a / b


@jit
def of_root(a, b):
    """And so is the root."""
    return quotient(a, b) + np.sqrt(a)


def test_helpers_of_numba_stay_inside_their_piece() -> None:
    a, b = 3.0 + 4.0j, 1.0 - 2.0j
    assert of_root(a, b) == pytest.approx(a / b + np.sqrt(a), rel=1e-15)
    assert quotient(a, b) == pytest.approx(a / b, rel=1e-15)
    for kernel in (quotient, of_root):
        code = kernel.dispatcher.piece((numba.complex128, numba.complex128)).code
        seen = [f.name for f in code.alone().functions if not f.is_declaration and f.linkage != llvm.Linkage.private]
        helpers = [f for f in code.alone().functions if not f.is_declaration and f.linkage == llvm.Linkage.private]
        assert len(seen) == 1 and kernel.__name__ in seen[0] and helpers


HELPED = """
define linkonce_odr i64 @helper() {{ ret i64 {number} }}
define i64 @entry{number}() {{ %x = call i64 @helper() ret i64 %x }}
"""


@pytest.mark.parametrize("apart", [True, False])
def test_two_helpers_of_one_name(apart: bool) -> None:
    """What a linker does with them, and that private ones are told apart."""
    one, other = (llvm.parse_assembly(HELPED.format(number=number)) for number in (1, 2))
    if apart:
        keep_to_itself(one, "entry1")
        keep_to_itself(other, "entry2")
    one.link_in(other)
    machine = llvm.Target.from_default_triple().create_target_machine()
    with llvm.create_mcjit_compiler(one, machine) as engine:
        engine.finalize_object()
        answers = [CFUNCTYPE(c_int64)(engine.get_function_address(f"entry{number}"))() for number in (1, 2)]
    assert answers == ([1, 2] if apart else [1, 1])


@jit
def power(a, b):
    """Complex powers are asked of a library of Numba's, which ours must do without."""
    return a**b


@pytest.mark.parametrize("a", [2.0 + 1e-20j, -1.5 + 0.3j, 0j, 1e-3 - 4.0j])
@pytest.mark.parametrize("b", [1.5 + 0j, 0j, -2.0 + 0.5j, 3.0 + 1e-20j])
def test_powers_of_complex_numbers(a: complex, b: complex) -> None:
    if a == 0 and (b.real < 0 or b.imag != 0):
        return  # Python raises, machine code does not
    expected = a**b
    found = power(a, b)
    assert found.real == pytest.approx(expected.real, rel=1e-14, abs=1e-300)
    assert found.imag == pytest.approx(expected.imag, rel=1e-14, abs=1e-300)


def difference_of(first, second):
    """A kernel with two callees."""

    @jit
    def difference(x):
        return first(x) - 2 * second(x)

    return difference


def shift_by(number, manner=jit):
    """A kernel that a number is enclosed in."""

    @manner
    def shifted(x):
        return x + number

    return shifted


@pytest.fixture
def lowered(tmp_path, monkeypatch):
    """Names of the kernels that are lowered, into a folder of their own."""
    kept, names = Store(tmp_path), []

    def hear(kernel, done):
        if not done:
            names.append(kernel.__name__)

    monkeypatch.setattr(lowering, "store", lambda: kept)
    monkeypatch.setattr(lowering, "listeners", [hear])
    return names


def piece_of(kernel, kind=numba.float64):
    return kernel.dispatcher.piece((kind,))


def run(kernel, kept, x=1.5):
    """What a piece gives, with all below it."""
    piece = piece_of(kernel)
    text = f'''
define double @run(double %x) {{
  %result = alloca double
  %status = call i32 @"{piece.code.entry}"(ptr %result, ptr null, double %x)
  %y = load double, ptr %result
  ret double %y
}}
declare i32 @"{piece.code.entry}"(ptr, ptr, double)
'''
    whole = linked(kept, [piece.code.key], llvm.parse_assembly(text))
    machine = llvm.Target.from_default_triple().create_target_machine()
    with llvm.create_mcjit_compiler(whole, machine) as engine:
        engine.finalize_object()
        return CFUNCTYPE(c_double, c_double)(engine.get_function_address("run"))(x)


@pytest.mark.parametrize("manner", [jit, part])
def test_only_what_was_edited_is_lowered_again(lowered, manner) -> None:
    """Callees that return what they returned: the code of the caller is taken with other names in it."""
    kept = lowering.store()
    one, two = shift_by(1.0, manner), shift_by(2.0, manner)
    first = difference_of(one, two)
    assert run(first, kept) == 2.5 - 7.0
    assert sorted(lowered) == ["difference", "shifted", "shifted"]
    lowered.clear()
    three = shift_by(3.0, manner)
    assert run(difference_of(one, three), kept) == 2.5 - 9.0
    assert lowered == ["shifted"]
    lowered.clear()
    assert run(difference_of(two, one), kept) == 3.5 - 5.0  # they change places
    assert run(difference_of(three, one), kept) == 4.5 - 5.0
    assert lowered == []
    assert run(difference_of(one, one), kept) == 2.5 - 5.0  # one callee in place of two: another function
    assert lowered == ["difference"]


def test_a_callee_that_returns_another_type(lowered) -> None:
    kept, kind = lowering.store(), numba.int64
    first = piece_of(difference_of(shift_by(1), shift_by(2)), kind)
    assert first.signature.return_type == numba.int64
    lowered.clear()
    other = piece_of(difference_of(shift_by(1), shift_by(2.5)), kind)
    assert other.signature.return_type == numba.float64
    assert sorted(lowered) == ["difference", "shifted"]
    assert kept.read(other.code.key) is not None


def test_renewed_code_is_the_code_that_would_be_lowered(lowered, tmp_path, monkeypatch) -> None:
    def code(kept):
        monkeypatch.setattr(lowering, "store", lambda: kept)
        key = piece_of(difference_of(shift_by(1.0), shift_by(4.0))).code.key
        return str(llvm.parse_bitcode(kept.bitcode(key)))

    piece_of(difference_of(shift_by(1.0), shift_by(2.0)))
    renewed = code(lowering.store())
    assert lowered.count("difference") == 1
    (tmp_path / "other").mkdir()
    assert code(Store(tmp_path / "other")) == renewed
    assert lowered.count("difference") == 2


def test_merged_kernels_are_inside_of_their_callers(lowered) -> None:
    kept = lowering.store()
    for manner, left in ((jit, False), (part, True)):
        code = piece_of(shift_by(5.0, manner)).code
        assert ("alwaysinline" in str(code.alone())) == left
    assert kept.calls(piece_of(difference_of(shift_by(1.0, link), shift_by(2.0, part))).code.key) != []


def test_two_callees_of_one_content(lowered) -> None:
    """They share a name in LLVM code, so that calls of them cannot be told apart there."""
    kept = lowering.store()
    assert run(difference_of(shift_by(1.0), shift_by(1.0)), kept) == 2.5 - 5.0
    assert run(difference_of(shift_by(3.0), shift_by(1.0)), kept) == 4.5 - 5.0
    assert run(difference_of(shift_by(2.0), shift_by(2.0)), kept) == 3.5 - 7.0
    assert lowered.count("difference") == 2


def growing_with(add):
    @jit
    def growing(x):
        total = 0
        for _ in range(3):
            total = add(total, x)
        return total

    return growing


def test_types_that_were_only_tried(lowered) -> None:
    """A sum that begins as a whole number: what the callee returned for that has widened it."""

    def adding(of):
        @jit
        def add(a, x):
            return of(a) + x

        return add

    @jit
    def as_it_is(a):
        return a

    kind = numba.int64
    assert piece_of(growing_with(adding(shift_by(0.5))), kind).signature.return_type == numba.float64
    assert piece_of(growing_with(adding(as_it_is)), kind).signature.return_type == numba.int64
    assert lowered.count("growing") == 2
