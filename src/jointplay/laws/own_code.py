"""Machine code of a law that a user has written: entries of a library of its own, made once and kept.

From one Python function f follow up to five kernels (laws/own.py). They are written as text, since a kernel cannot pass
a list of arguments on whose length differs from law to law; nothing of a model file gets into that text. The library is
found by what the function does (native/contents.py): another process, and the next day, load it without a compiler.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..native.arguments import signature_hash
from ..native.kernel import Kernel, KernelError
from ..native.library import Library, single
from .own_source import for_imaginary_steps

H = 1e-30  # imaginary step of partial derivatives: f(x + i H) = f + i H f', exact to rounding
ARGUMENTS = ("a", "b", "c")
LOWERING = "2"  # changes with what compiler/arithmetic.py makes of a function


def _number(p: Any, step: int, k: int) -> complex:
    """Number k of an array of doubles, real or complex."""
    return complex(p[k * step], p[k * step + 1] if step == 2 else 0.0)


NUMBER = Kernel(_number)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Shape:
    """How a function is called and what it returns."""

    family: str  # "coordinate", "contact", "friction"; "control": on a coordinate, and it senses others
    call: tuple[tuple[str, int], ...]  # per parameter: "argument", "number", "state" or "sense", and its place
    states: int = 0
    energy: bool = False  # it returns (force, stored, dissipated, rates ...), else (force, rates ...), or the force

    @property
    def returns(self) -> int:
        """How many values the function returns."""
        return 1 + 2 * self.energy + self.states


def _call(shape: Shape, arguments: tuple[str, ...], is_complex: bool) -> str:
    """The call of the function."""
    pieces = []
    for kind, place in shape.call:
        if kind == "argument":
            pieces.append(arguments[place])
        else:
            array = "p" if kind == "number" else "z"
            pieces.append(f"number({array}, {array}s, {place})" if is_complex else f"{array}[{place}]")
    return f"f({', '.join(pieces)})"


def _answers(shape: Shape, is_complex: bool, partials: bool) -> str:
    """The text of a kernel with five answers."""
    first = "y[0]" if shape.returns > 1 else "y"
    lines = ["def answers(p, ps, z, zs, a, b, c):", f"    y = {_call(shape, ARGUMENTS, is_complex)}"]
    lines += [f"    force = {first} + 0.0 * a", "    zero = 0.0 * force", "    by_a = zero", "    by_b = zero"]
    steps = [(0, "by_a"), (1, "by_b")] if partials and shape.family != "friction" else [(0, "by_a")] if partials else []
    for place, name in steps:
        moved = tuple(f"complex({one}, {'H' if k == place else '0.0'})" for k, one in enumerate(ARGUMENTS))
        lines += [f"    d = {_call(shape, moved, False)}", f"    {name} = {first.replace('y', 'd')}.imag / H"]
    if shape.family == "friction":
        others = ("b", "c") if is_complex else ("complex(b, 0.0)", "complex(c, 0.0)")
        slope = f"({_call(shape, ('complex(0.0, H)', *others), is_complex)}).imag / H"
        at_rest = f"{slope} + zero"
        lines += ["    if a.real == 0.0:", f"        quotient = {at_rest}", "    else:", "        quotient = force / a"]
        lines += ["    return force, by_a, quotient, zero, zero"]
    elif shape.energy:
        lines += ["    return force, by_a, by_b, y[1] + zero, y[2] + zero"]
    else:  # what it takes counts as lost, what it gives is taken off
        sign = "" if shape.family == "contact" else "-"
        lines += [f"    return force, by_a, by_b, zero, {sign}force * b"]
    return "\n".join(lines)


def _rates(shape: Shape, is_complex: bool) -> str:
    """The text of a kernel that leaves the rates of states; not a number where the function fails."""
    first = shape.returns - shape.states
    lines = ["def rates(p, ps, z, zs, a, b, c, out):", "    for k in range(len(out)):", "        out[k] = np.nan"]
    lines += [f"    y = {_call(shape, ARGUMENTS, is_complex)}"]
    for k in range(shape.states):
        if is_complex:
            lines += [
                f"    r = y[{first + k}] + 0.0 * a",
                f"    out[{2 * k}] = r.real",
                f"    out[{2 * k + 1}] = r.imag",
            ]
        else:
            lines += [f"    out[{k}] = y[{first + k}]"]
    return "\n".join(lines)


def _jet(shape: Shape, k: int) -> str:
    """The text of a kernel for value k that the function returns, as expressions call it (numerics/by_address.py)."""
    count = len(shape.call)
    part = f"[{k}]" if shape.returns > 1 else ""
    lines = ["def jet(s, w, top):", "    a, n = 3 * w * top, 3 * w"]
    for m in range(count):
        lines += [f"    u{m}, d{m} = s[a + {m} * n], s[a + {m} * n + w]"]
    lines += ["    for m in range(3):", "        s[a + m * w] = np.nan"]
    still = " and ".join(f"d{m} == 0.0" for m in range(count))
    lines += [f"    if {still}:", f"        s[a] = f({', '.join(f'u{m}' for m in range(count))}){part}"]
    lines += ["        s[a + w] = 0.0", "    else:"]
    moved = ", ".join(f"complex(u{m}, H * d{m})" for m in range(count))
    lines += [f"        y = f({moved}){part} + 0j", "        s[a] = y.real", "        s[a + w] = y.imag / H"]
    return "\n".join(lines)


def _kernel(text: str, name: str, function: Kernel) -> Kernel:
    space: dict[str, Any] = {"f": function, "np": np, "number": NUMBER, "H": H, "__name__": f"jointplay.own.{name}"}
    exec(compile(text, f"<own law {name}>", "exec"), space)
    made = space[text[4 : text.index("(")]]
    made.text = text  # what compiler/arithmetic.py reads
    return Kernel(made)


def kernels_of(function: Callable[..., Any], shape: Shape) -> list[tuple[Kernel, tuple[Any, ...]]]:
    """The kernels of a law, in the order of laws/own.py, each with arguments of the kinds that it takes."""
    name = f"{function.__module__}.{function.__qualname__}"
    own, array = Kernel(for_imaginary_steps(function)), np.zeros(1)  # type: ignore[arg-type]
    if shape.family == "control":
        return [(_kernel(_jet(shape, k), f"{name}.{k}", own), (array, 1, 0)) for k in range(shape.returns)]
    real, imaginary = (array, 1, array, 1, 0.0, 0.0, 0.0), (array, 1, array, 1, 0j, 0j, 0j)
    found: list[tuple[Kernel, tuple[Any, ...]]] = [
        (_kernel(_answers(shape, False, False), f"{name}.value", own), real),
        (_kernel(_answers(shape, False, True), f"{name}.full", own), real),
        (_kernel(_answers(shape, True, False), f"{name}.complex", own), imaginary),
    ]
    if shape.states:
        found.append((_kernel(_rates(shape, False), f"{name}.rates", own), (*real, array)))
        found.append((_kernel(_rates(shape, True), f"{name}.complex_rates", own), (*imaginary, array)))
    return found


def library_of(function: Callable[..., Any], shape: Shape) -> tuple[list[float], Library]:
    """Addresses of the machine code of a law; made now if it is not kept. Raises KernelError, with a sentence."""
    try:
        kernels = kernels_of(function, shape)
        keys = [kernel.content_key() for kernel, _ in kernels]
    except TypeError as error:
        raise KernelError(str(error).replace("a kernel names", "it names")) from None
    place = single(hashlib.sha256(" ".join([LOWERING, *keys]).encode()).hexdigest(), "own")
    if not place.is_file():
        try:
            from ..compiler.own import make
        except ImportError:
            raise KernelError("laws of your own need a compiler: pip install 'jointplay[build]'") from None
        make(kernels, place)
    library = Library(place)
    addresses = []
    for kernel, arguments in kernels:
        entry = library.entry(kernel.name, signature_hash(arguments), kernel.content_key)
        assert entry is not None
        addresses.append(float(ctypes.cast(entry.function, ctypes.c_void_p).value or 0))
    if shape.family == "control":
        return addresses, library
    return addresses + [0.0] * (5 - len(addresses)), library
