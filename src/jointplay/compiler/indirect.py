"""The instructions behind numerics/by_address.py: a call of an entry whose address is a number."""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

ANSWERS = 5
WORD, DOUBLE = ir.IntType(64), ir.DoubleType()
ARRAY = 7  # slots of an array (native/arguments.py)


class Slots:
    """Arguments of an entry, one after the other, in memory of the caller."""

    def __init__(self, builder: Any, size: int) -> None:
        self.builder, self.count = builder, 0
        self.room = cgutils.alloca_once(builder, WORD, size=size)

    def put(self, value: Any) -> None:
        """A word, a double or a pointer."""
        place = cgutils.gep_inbounds(self.builder, self.room, self.count)
        self.builder.store(value, self.builder.bitcast(place, value.type.as_pointer()))
        self.count += 1

    def number(self, context: Any, value: Any, kind: Any, scalar: Any) -> None:
        """A real or complex number."""
        value = context.cast(self.builder, value, kind, scalar)
        if isinstance(scalar, types.Complex):
            parts = context.make_complex(self.builder, scalar, value=value)
            self.put(parts.real)
            self.put(parts.imag)
        else:
            self.put(value)

    def doubles(self, context: Any, value: Any, kind: Any, with_step: bool = True) -> None:
        """An array of numbers, as one of doubles, and how many of these make a number."""
        array, step = context.make_array(kind)(context, self.builder, value), 1 + isinstance(kind.dtype, types.Complex)
        entries = self.builder.mul(array.nitems, ir.Constant(WORD, step))
        data = self.builder.bitcast(array.data, cgutils.voidptr_t)
        for one in (0, 0, entries, 8, data, entries, 8):
            self.put(ir.Constant(WORD, one) if isinstance(one, int) else one)
        if with_step:
            self.put(ir.Constant(WORD, step))


def _call(context: Any, builder: Any, address: Any, kind: Any, slots: Slots, result: Any) -> Any:
    """Call the entry; its status."""
    function = ir.FunctionType(ir.IntType(32), [cgutils.voidptr_t, cgutils.voidptr_t])
    target = builder.inttoptr(context.cast(builder, address, kind, types.int64), function.as_pointer())
    return builder.call(target, [builder.bitcast(one, cgutils.voidptr_t) for one in (slots.room, result)])


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def call_at(typing: Any, address: Any, p: Any, z: Any, a: Any, b: Any, c: Any) -> Any:
    """Five answers; not numbers where the entry fails."""
    scalar = types.complex128 if any(isinstance(one, types.Complex) for one in (a, b, c)) else types.float64
    signature = types.UniTuple(scalar, ANSWERS)(address, p, z, a, b, c)

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        width = 2 if isinstance(scalar, types.Complex) else 1
        slots = Slots(builder, 2 * (ARRAY + 1) + 3 * width)
        for value, kind in zip(values[1:3], signature.args[1:3], strict=True):
            slots.doubles(context, value, kind)
        for value, kind in zip(values[3:6], signature.args[3:6], strict=True):
            slots.number(context, value, kind, scalar)
        out = cgutils.alloca_once(builder, DOUBLE, size=ANSWERS * width + 1)
        status = _call(context, builder, values[0], signature.args[0], slots, out)
        failed = builder.icmp_signed("!=", status, ir.Constant(status.type, 0))
        nan = ir.Constant(DOUBLE, float("nan"))
        found = []
        for k in range(ANSWERS):
            parts = [
                builder.select(failed, nan, builder.load(cgutils.gep_inbounds(builder, out, width * k + m)))
                for m in range(width)
            ]
            if width == 2:
                made = context.make_complex(builder, scalar)
                made.real, made.imag = parts
                found.append(made._getvalue())
            else:
                found.append(parts[0])
        return context.make_tuple(builder, signature.return_type, found)

    return signature, emit


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def fill_at(typing: Any, address: Any, p: Any, z: Any, a: Any, b: Any, c: Any, out: Any) -> Any:
    """Answers in an array."""
    signature = types.void(address, p, z, a, b, c, out)

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        scalar = signature.args[6].dtype
        slots = Slots(builder, 3 * (ARRAY + 1) + 6)
        for value, kind in zip(values[1:3], signature.args[1:3], strict=True):
            slots.doubles(context, value, kind)
        for value, kind in zip(values[3:6], signature.args[3:6], strict=True):
            slots.number(context, value, kind, scalar)
        slots.doubles(context, values[6], signature.args[6], with_step=False)
        result = cgutils.alloca_once(builder, DOUBLE, size=2)
        _call(context, builder, values[0], signature.args[0], slots, result)
        return context.get_dummy_value()

    return signature, emit


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def jet_at(typing: Any, address: Any, stack: Any, top: Any) -> Any:
    """A jet in place of those of its arguments."""
    signature = types.void(address, stack, top)

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        slots = Slots(builder, ARRAY + 2)
        slots.doubles(context, values[1], signature.args[1])
        slots.put(context.cast(builder, values[2], signature.args[2], types.int64))
        result = cgutils.alloca_once(builder, DOUBLE, size=2)
        _call(context, builder, values[0], signature.args[0], slots, result)
        return context.get_dummy_value()

    return signature, emit


INSTRUCTIONS = {"call_at": call_at, "fill_at": fill_at, "jet_at": jet_at}


@cache
def instruction(name: str) -> Any:
    """The type under which Numba knows an instruction."""
    cpu_target.typing_context.refresh()  # it learns of new ones only here
    cpu_target.target_context.refresh()
    return cpu_target.typing_context.resolve_value_type(INSTRUCTIONS[name])
