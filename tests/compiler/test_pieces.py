"""Kernels in pieces: what is compiled, what is linked, and who may call whom."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_int64

import numba
import numpy as np
import pytest
from llvmlite import binding as llvm

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.compile.pack import pack
from jointplay.compiler.lowering import keep_to_itself
from jointplay.compiler.store import store
from jointplay.laws.registry import evaluate_contact
from jointplay.native.kernel import PLAIN
from jointplay.numerics.jit import jit, link

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
