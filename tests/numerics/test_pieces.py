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
from jointplay.laws.registry import evaluate_contact
from jointplay.numerics.jit import jit, link
from jointplay.numerics.pieces import KERNELS, keep_to_itself

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


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


def test_what_only_kernels_call_is_a_piece_and_no_program() -> None:
    assert both(LINE) == EXPECTED
    assert (len(both.overloads), len(total.overloads)) == (1, 0)
    calls = both.piece((numba.typeof(LINE),)).code.calls
    assert [place.name for place in calls] == ["total"]  # one piece for both constants


def test_a_piece_becomes_a_program_when_python_calls_it() -> None:
    assert both(LINE) == EXPECTED
    assert total(LINE, 3) == LINE[3:].sum()
    assert len(total.overloads) == 1


def test_functions_of_others_may_call_kernels() -> None:
    assert of_others(LINE) == EXPECTED + LINE.sum()


@numba.njit
def press(laws, k, constant, x):
    """Another one, which calls a kernel of the engine."""
    return evaluate_contact(laws[k], constant, x, 0.1, 0.1, 0.0)


def test_functions_of_others_do_not_meet_the_inside_of_a_program() -> None:
    """In a program the optimiser may change what a function expects; code of others must not be linked with it."""
    system = jp.load_model(GALLERY / "triple_pendulum_stops.yaml")
    model = pack(system, 1.0).model
    expected = [evaluate_contact(law, model.constant, 1e-4, 0.1, 0.1, 0.0) for law in model.law]
    jp.simulate(system, 1e-4)
    assert np.array(expected)[:, 0].any()
    for k, answer in enumerate(expected):
        assert press(model.law, k, model.constant, 1e-4) == pytest.approx(answer, rel=1e-14)


def test_other_types_are_other_pieces() -> None:
    whole = np.arange(5)
    assert both(whole) == EXPECTED
    assert both(LINE) == EXPECTED


def test_a_kernel_is_known_by_its_name() -> None:
    assert KERNELS[both.py_func.__module__, "both"] is both
    with pytest.raises(TypeError, match="a kernel is found by its name, so it must stand by itself"):

        @jit
        def nameless(a):
            return a


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
        code = kernel.piece((numba.complex128, numba.complex128)).code
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
