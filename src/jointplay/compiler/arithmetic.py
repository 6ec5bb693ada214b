"""Functions of plain numbers as LLVM code, without Numba: laws that users write.

Numba takes most of a second before it has typed the first function of a process, whatever that function is. A law is
arithmetic on numbers: local names, branches, loops that count, functions of one or two numbers. So much is lowered here
in milliseconds; the first thing that is not of this kind raises Uncovered, and the law goes through Numba instead.

Numbers are truth values (b), whole numbers (q), doubles (d) and complex numbers (Z); of two kinds the later one in this
order holds both. A name has one kind, which holds all that is ever given to it: a function is gone through until no
kind changes any more, then once again for good. Complex functions are those of the library of C; a quotient is that of
Smith, which does not overflow on the way:

    (a + ib) / (c + id) = (a + b r + i(b - a r)) / (c + d r),     r = d/c,    if |c| >= |d|, else with both turned.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import operator
import struct
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..native.kernel import Kernel
from .helpers import HELPERS

ORDER = "bqdZ"
TYPES = {"b": ["i1"], "q": ["i64"], "d": ["double"], "Z": ["double", "double"]}
ARRAY = "[]"  # of doubles, one after the other
LARGEST = 2**63

# what functions of one number are called in the library of C: for doubles, for complex numbers
OF_ONE = {
    "sin": ("sin", "csin"),
    "cos": ("cos", "ccos"),
    "tan": ("tan", "ctan"),
    "exp": ("exp", "cexp"),
    "log": ("log", "clog"),
    "sqrt": ("llvm.sqrt.f64", "csqrt"),
    "sinh": ("sinh", "csinh"),
    "cosh": ("cosh", "ccosh"),
    "tanh": ("tanh", "ctanh"),
    "arcsin": ("asin", "casin"),
    "arccos": ("acos", "cacos"),
    "arctan": ("atan", "catan"),
    "arcsinh": ("asinh", "casinh"),
    "arccosh": ("acosh", "cacosh"),
    "arctanh": ("atanh", "catanh"),
    "expm1": ("expm1", ""),
    "log1p": ("log1p", ""),
    "log10": ("log10", ""),
    "log2": ("log2", ""),
    "exp2": ("exp2", ""),
    "cbrt": ("cbrt", ""),
    "floor": ("llvm.floor.f64", ""),
    "ceil": ("llvm.ceil.f64", ""),
    "trunc": ("llvm.trunc.f64", ""),
    "rint": ("llvm.rint.f64", ""),
}
OF_TWO = {"arctan2": "atan2", "copysign": "copysign", "fmod": "fmod"}
BY_VALUE: dict[Any, tuple[str, str]] = {getattr(np, name): found for name, found in OF_ONE.items()}
BY_VALUE[builtins.abs] = ("llvm.fabs.f64", "")
BY_VALUE |= {math.erf: ("erf", ""), math.erfc: ("erfc", "")}
OF_TWO_BY_VALUE: dict[Any, str] = {getattr(np, name): found for name, found in OF_TWO.items()}
COMPARED = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
COMBINED: dict[Any, tuple[str, str]] = {ast.Add: ("add", "fadd"), ast.Sub: ("sub", "fsub"), ast.Mult: ("mul", "fmul")}


class Uncovered(Exception):
    """Something that is not plain arithmetic."""


class Number(NamedTuple):
    """A value in LLVM code: one part, of a complex number two."""

    kind: str
    parts: list[str]


class Array(NamedTuple):
    """Doubles in memory."""

    data: str
    length: str


class Named(NamedTuple):
    """Something of Python: a function, a module."""

    value: Any


Value = Any  # Number, Array, Named, or a tuple of Numbers
Kind = Any  # a letter, ARRAY, or a tuple of letters; "" for no value


def joined(one: Kind, other: Kind) -> Kind:
    """The kind that holds both."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return tuple(map(joined, one, other))
    if isinstance(one, tuple) or isinstance(other, tuple) or not (one and other):
        if one == other:
            return one
        raise Uncovered("a name for values of different form")
    return max(one, other, key=ORDER.index)


def types_of(kind: Kind) -> list[str]:
    """Parts of a value in LLVM code."""
    if kind == ARRAY:
        return ["ptr", "i64"]
    return [name for letter in kind for name in TYPES[letter]]


def kind_of(value: Value) -> Kind:
    """Of a value."""
    if isinstance(value, Number):
        return value.kind
    if isinstance(value, Array):
        return ARRAY
    if isinstance(value, tuple) and not isinstance(value, Named):
        return tuple(kind_of(one) for one in value)
    raise Uncovered("a function or a module as a value")


def parts_of(value: Value) -> list[str]:
    """Of a value."""
    if isinstance(value, Number):
        return value.parts
    return list(value) if isinstance(value, Array) else [part for one in value for part in one.parts]


def value_of(kind: Kind, parts: list[str]) -> Value:
    """A value with these parts."""
    if kind == ARRAY:
        return Array(*parts)
    if isinstance(kind, str):
        return Number(kind, parts)
    left = iter(parts)
    return tuple(Number(letter, [next(left) for _ in TYPES[letter]]) for letter in kind)


def double(value: float) -> str:
    """A constant, by its bits."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


ZERO, ONE = double(0.0), double(1.0)


def constant(value: Any) -> Value:
    """What a constant, or the value of a global name, is."""
    if isinstance(value, bool | np.bool_):
        return Number("b", ["true" if value else "false"])
    if type(value) in (int, np.int64):
        if not -LARGEST <= value < LARGEST:
            raise Uncovered("a whole number of more than 64 bits")
        return Number("q", [str(int(value))])
    if type(value) in (float, np.float64):
        return Number("d", [double(value)])
    if type(value) in (complex, np.complex128):
        return Number("Z", [double(value.real), double(value.imag)])
    return Named(value)


@dataclass
class Kinds:
    """What is known of a function: kinds of its names and of what it returns."""

    names: dict[str, Kind] = field(default_factory=dict)
    returns: Kind | None = None


class Lowered(NamedTuple):
    """A function in LLVM code."""

    name: str
    returns: Kind


def definition(function: Any) -> ast.FunctionDef:
    """The source of a function."""
    if not isinstance(function, FunctionType) or function.__code__.co_freevars:
        raise Uncovered("not a plain function")
    try:
        tree = ast.parse(getattr(function, "text", "") or textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        raise Uncovered("no source") from None
    found = tree.body[0]
    if not isinstance(found, ast.FunctionDef) or found.name != function.__name__ or found.decorator_list:
        raise Uncovered("no source")
    given = found.args
    if given.vararg or given.kwarg or given.kwonlyargs or given.defaults:
        raise Uncovered("arguments that are not plain")
    return found


class Text:
    """LLVM code of several functions."""

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.declared: dict[str, str] = {}
        self.helpers: set[str] = set()
        self.made: dict[tuple[Any, tuple[Kind, ...]], Lowered] = {}
        self.open: list[Any] = []

    def lowered(self, function: Any, kinds: tuple[Kind, ...]) -> Lowered:
        """A function for arguments of these kinds, with all that it calls."""
        key = (function, kinds)
        if key not in self.made:
            if function in self.open:
                raise Uncovered("a function that calls itself")
            self.open.append(function)
            tree, known = definition(function), Kinds()
            if len(tree.args.args) != len(kinds):
                raise Uncovered("arguments left out")
            while True:  # until no kind changes
                before = (dict(known.names), known.returns)
                _Body(self, function, tree, kinds, known)
                if before == (known.names, known.returns):
                    break
            name = f"own{len(self.made)}"
            self.made[key] = Lowered(name, known.returns)
            self.functions.append(_Body(self, function, tree, kinds, known).text(name))
            self.open.pop()
        return self.made[key]

    def whole(self) -> str:
        """All of it."""
        helpers = [HELPERS[name] for name in sorted(self.helpers)]
        made_above = "\n".join(helpers)
        declared = [line for name, line in self.declared.items() if f"@{name}(" not in made_above]
        return "\n".join([*helpers, *declared, *self.functions])


def returned(kind: Kind) -> str:
    """The type of what a function returns."""
    types = types_of(kind)
    return "void" if not types else types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"


class _Body:
    """One function, gone through once."""

    def __init__(self, text: Text, function: Any, tree: ast.FunctionDef, kinds: tuple[Kind, ...], known: Kinds) -> None:
        self.whole, self.function, self.kinds, self.known = text, function, kinds, known
        self.rooms: list[str] = []
        self.lines: list[str] = []
        self.count = 0
        self.places: dict[str, tuple[Kind, list[str]]] = {}
        self.arrays: dict[str, Array] = {}
        names = [one.arg for one in tree.args.args]
        stores = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        self.local = {*names, *stores}
        self.given: set[str] = set()  # names that surely have a value
        self.parameters: list[str] = []
        for n, (name, kind) in enumerate(zip(names, kinds, strict=True)):
            parts = [f"%p{n}.{k}" for k in range(len(types_of(kind)))]
            self.parameters += [f"{one} {part}" for one, part in zip(types_of(kind), parts, strict=True)]
            if kind == ARRAY:
                if name in stores:
                    raise Uncovered("a name for an array, given anew")
                self.arrays[name] = Array(*parts)
            else:
                self.assign(name, value_of(kind, parts))
        if not self.block(tree.body):
            self.give_back(())

    def text(self, name: str) -> str:
        """The function in LLVM code."""
        head = f"define private {returned(self.known.returns)} @{name}({', '.join(self.parameters)}) {{"
        return "\n".join([head, *self.rooms, *self.lines, "}"])

    # instructions

    def new(self, text: str) -> str:
        """The name of the result of an instruction."""
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def room(self, kind: str) -> str:
        """Memory for one part."""
        self.count += 1
        self.rooms.append(f"  %r{self.count} = alloca {kind}")
        return f"%r{self.count}"

    def label(self) -> str:
        """A new one."""
        self.count += 1
        return f"b{self.count}"

    @contextmanager
    def apart(self) -> Iterator[list[str]]:
        """Lines that are put in their place later."""
        kept, self.lines = self.lines, []
        try:
            yield self.lines
        finally:
            self.lines = kept

    def called(self, name: str, given: list[str], result: str = "double") -> str:
        """Call a function of the library of C that takes doubles."""
        self.whole.declared[name] = f"declare {result} @{name}({', '.join(['double'] * len(given))})"
        return self.new(f"call {result} @{name}({', '.join(f'double {one}' for one in given)})")

    def to(self, kind: Kind, value: Value) -> Value:
        """A value as one of another kind that holds it."""
        if isinstance(kind, tuple):
            return tuple(self.to(*one) for one in zip(kind, value, strict=True))
        if not isinstance(value, Number) or kind == value.kind:
            return value
        part = value.parts[0]
        if value.kind == "b":
            part = self.new(f"zext i1 {part} to i64")
        if value.kind in "bq" and kind in "dZ":
            part = self.new(f"sitofp i64 {part} to double")
        return Number(kind, [part, ZERO] if kind == "Z" else [part])

    # names

    def assign(self, name: str, value: Value) -> None:
        """Give a name a value; its kind grows with it."""
        kind = kind_of(value)
        if kind == ARRAY or name in self.arrays:
            raise Uncovered("a name for an array")
        if name in self.known.names:
            kind = joined(self.known.names[name], kind)
        self.known.names[name] = kind
        if self.places.get(name, ("", []))[0] != kind:
            self.places[name] = kind, [self.room(one) for one in types_of(kind)]
        for one, place, part in zip(types_of(kind), self.places[name][1], parts_of(self.to(kind, value)), strict=True):
            self.lines.append(f"  store {one} {part}, ptr {place}")
        self.given.add(name)

    def looked_up(self, name: str) -> Value:
        """The value of a name."""
        if name in self.arrays:
            return self.arrays[name]
        if name in self.local:
            if name not in self.given:
                raise Uncovered("a name that may have no value")
            kind, places = self.places[name]
            both = zip(types_of(kind), places, strict=True)
            return value_of(kind, [self.new(f"load {one}, ptr {place}") for one, place in both])
        if name in self.function.__globals__:
            return constant(self.function.__globals__[name])
        if hasattr(builtins, name):
            return constant(getattr(builtins, name))
        raise Uncovered("a name that stands for nothing")

    # statements

    def block(self, body: list[ast.stmt]) -> bool:
        """Statements one after the other; True if it never comes to their end."""
        for one in body:
            method: Callable[[Any], bool | None] | None = getattr(self, f"do_{type(one).__name__}", None)
            if method is None:
                raise Uncovered(type(one).__name__)
            if method(one):
                return True
        return False

    def do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            raise Uncovered("a call for its effect")

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Return(self, node: ast.Return) -> bool:
        value = self.value(node.value) if node.value is not None else ()
        if node.value is not None and kind_of(value) in ("", (), ARRAY):
            raise Uncovered("what is returned")
        self.give_back(value)
        return True

    def give_back(self, value: Value) -> None:
        """Return a value."""
        kind = kind_of(value) or ""
        self.known.returns = kind = kind if self.known.returns is None else joined(self.known.returns, kind)
        types, parts = types_of(kind), parts_of(self.to(kind, value) if kind else ())
        if len(types) < 2:
            self.lines.append(f"  ret {types[0]} {parts[0]}" if types else "  ret void")
            return
        made = "undef"
        for k, (one, part) in enumerate(zip(types, parts, strict=True)):
            made = self.new(f"insertvalue {returned(kind)} {made}, {one} {part}, {k}")
        self.lines.append(f"  ret {returned(kind)} {made}")

    def do_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.put(target, value)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.put(node.target, self.value(node.value))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if not isinstance(target, ast.Name):
            raise Uncovered("an entry changed in place")
        before = self.looked_up(target.id)
        self.put(target, self.combined(node.op, before, self.value(node.value)))

    def put(self, target: ast.expr, value: Value) -> None:
        """Give a value to a name, to names, or to an entry of an array."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Tuple) and isinstance(kind_of(value), tuple) and len(value) == len(target.elts):
            for one, part in zip(target.elts, value, strict=True):
                self.put(one, part)
        elif isinstance(target, ast.Subscript):
            array, number = self.value(target.value), self.real(value)
            if not isinstance(array, Array):
                raise Uncovered("an entry of what is no array")
            self.lines.append(f"  store double {number}, ptr {self.entry(array, target.slice)}")
        else:
            raise Uncovered("what is given a value")

    def do_If(self, node: ast.If) -> bool:
        test, (yes, no, after) = self.truth(self.value(node.test)), (self.label() for _ in range(3))
        self.lines += [f"  br i1 {test}, label %{yes}, label %{no}"]
        before, ends, given = set(self.given), [], []
        for name, body in ((yes, node.body), (no, node.orelse)):
            self.lines.append(f"{name}:")
            self.given = set(before)
            ends.append(self.block(body))
            if not ends[-1]:
                given.append(self.given)
                self.lines.append(f"  br label %{after}")
        self.given = set.intersection(*given) if given else before
        if not all(ends):
            self.lines.append(f"{after}:")
        return all(ends)

    def do_While(self, node: ast.While) -> None:
        if node.orelse:
            raise Uncovered("else of a loop")
        self.loop(lambda: self.truth(self.value(node.test)), lambda: self.block(node.body))

    def do_For(self, node: ast.For) -> None:
        call = node.iter
        plain = isinstance(call, ast.Call) and not call.keywords and isinstance(node.target, ast.Name)
        if not (plain and isinstance(call, ast.Call) and not node.orelse and 1 <= len(call.args) <= 2):
            raise Uncovered("a loop that does not count")
        if self.value(call.func) != Named(range):
            raise Uncovered("a loop that does not count")
        bounds = [self.whole_number(self.value(one)) for one in call.args]
        first, last, counter = (bounds if len(bounds) == 2 else ["0", *bounds]) + [self.room("i64")]
        self.lines.append(f"  store i64 {first}, ptr {counter}")

        def test() -> str:
            at = self.new(f"load i64, ptr {counter}")
            return self.new(f"icmp slt i64 {at}, {last}")

        def body() -> bool:
            at = self.new(f"load i64, ptr {counter}")
            following = self.new(f"add i64 {at}, 1")
            self.lines.append(f"  store i64 {following}, ptr {counter}")
            self.put(node.target, Number("q", [at]))
            return self.block(node.body)

        self.loop(test, body)

    def loop(self, test: Callable[[], str], body: Callable[[], bool]) -> None:
        """Again and again while something is true."""
        again, inside, after = (self.label() for _ in range(3))
        self.lines += [f"  br label %{again}", f"{again}:"]
        self.lines.append(f"  br i1 {test()}, label %{inside}, label %{after}")
        self.lines.append(f"{inside}:")
        before = set(self.given)
        if not body():
            self.lines.append(f"  br label %{again}")
        self.given = before
        self.lines.append(f"{after}:")

    # expressions

    def value(self, node: ast.expr) -> Value:
        """What an expression is."""
        method: Callable[[Any], Value] | None = getattr(self, f"of_{type(node).__name__}", None)
        if method is None:
            raise Uncovered(type(node).__name__)
        return method(node)

    def real(self, value: Value) -> str:
        """A double."""
        if not isinstance(value, Number) or value.kind == "Z":
            raise Uncovered("a complex number where a real one is needed")
        return str(self.to("d", value).parts[0])

    def whole_number(self, value: Value) -> str:
        """A count."""
        if not isinstance(value, Number) or value.kind not in "bq":
            raise Uncovered("a number that is not whole")
        return str(self.to("q", value).parts[0])

    def truth(self, value: Value) -> str:
        """A condition."""
        if not isinstance(value, Number) or value.kind == "Z":
            raise Uncovered("a condition that is no number")
        part = value.parts[0]
        if value.kind == "q":
            return self.new(f"icmp ne i64 {part}, 0")
        return part if value.kind == "b" else self.new(f"fcmp une double {part}, {ZERO}")

    def of_Constant(self, node: ast.Constant) -> Value:
        return constant(node.value)

    def of_Name(self, node: ast.Name) -> Value:
        return self.looked_up(node.id)

    def of_Tuple(self, node: ast.Tuple) -> Value:
        found = tuple(self.value(one) for one in node.elts)
        if not found or not all(isinstance(one, Number) for one in found):
            raise Uncovered("a tuple of what is not numbers")
        return found

    def of_Attribute(self, node: ast.Attribute) -> Value:
        value = self.value(node.value)
        if isinstance(value, Named) and isinstance(value.value, ModuleType) and hasattr(value.value, node.attr):
            return constant(getattr(value.value, node.attr))
        if not isinstance(value, Number) or node.attr not in ("real", "imag"):
            raise Uncovered("an attribute")
        if value.kind == "Z":
            return Number("d", [value.parts[node.attr == "imag"]])
        value = self.to("q", value) if value.kind == "b" else value
        return value if node.attr == "real" else Number(value.kind, [ZERO if value.kind == "d" else "0"])

    def of_Subscript(self, node: ast.Subscript) -> Value:
        value = self.value(node.value)
        if isinstance(value, Array):
            return Number("d", [self.new(f"load double, ptr {self.entry(value, node.slice)}")])
        index = self.value(node.slice)
        if isinstance(value, tuple) and isinstance(kind_of(value), tuple) and isinstance(index, Number):
            try:
                return value[operator.index(int(index.parts[0]))]
            except (ValueError, IndexError):
                pass
        raise Uncovered("an entry of what has none")

    def entry(self, array: Array, index: ast.expr) -> str:
        """Where an entry of an array is; counted from the front."""
        at = self.whole_number(self.value(index))
        return self.new(f"getelementptr double, ptr {array.data}, i64 {at}")

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return Number("b", [self.new(f"xor i1 {self.truth(value)}, true")])
        if not isinstance(value, Number) or value.kind == "b":
            raise Uncovered("the negative of what is no number")
        if isinstance(node.op, ast.UAdd):
            return value
        if not isinstance(node.op, ast.USub):
            raise Uncovered("an operation on bits")
        if value.kind == "q":
            if value.parts[0].isdigit():  # a constant stays one: it may be an index of a tuple
                return Number("q", [f"-{value.parts[0]}"])
            return Number("q", [self.new(f"sub i64 0, {value.parts[0]}")])
        return Number(value.kind, [self.new(f"fneg double {part}") for part in value.parts])

    def of_BinOp(self, node: ast.BinOp) -> Value:
        left = self.value(node.left)
        return self.combined(node.op, left, self.value(node.right))

    def combined(self, op: ast.operator, a: Value, b: Value) -> Value:
        """Two numbers made one."""
        if not (isinstance(a, Number) and isinstance(b, Number)):
            raise Uncovered("arithmetic with what is no number")
        kind = max(a.kind, b.kind, "q", key=ORDER.index)
        if isinstance(op, ast.Pow):
            return self.power(a, b, kind)
        if isinstance(op, ast.Div):
            kind = max(kind, "d", key=ORDER.index)
        elif type(op) not in COMBINED:
            raise Uncovered(type(op).__name__)
        if kind == "q":
            whole = COMBINED[type(op)][0]
            return Number("q", [self.new(f"{whole} i64 {self.to('q', a).parts[0]}, {self.to('q', b).parts[0]}")])
        # a real number stays one beside a complex one: fewer operations, and no zero times infinity
        x = (a if a.kind == "Z" else self.to("d", a)).parts
        y = (b if b.kind == "Z" else self.to("d", b)).parts
        if isinstance(op, ast.Div):
            return Number(kind, self.quotient(x, y))
        if isinstance(op, ast.Mult):
            return Number(kind, self.product(x, y))
        word = COMBINED[type(op)][1]
        found = [self.f(word, x[0], y[0])]
        if kind == "Z" and len(x) == len(y):
            found.append(self.f(word, x[1], y[1]))
        elif kind == "Z":
            found.append(x[1] if len(x) == 2 else y[1] if word == "fadd" else self.new(f"fneg double {y[1]}"))
        return Number(kind, found)

    def f(self, word: str, x: str, y: str) -> str:
        """An operation on two doubles; products may be contracted with sums, as in all kernels."""
        return self.new(f"{word} contract double {x}, {y}")

    def product(self, x: list[str], y: list[str]) -> list[str]:
        if len(x) == 1 or len(y) == 1:
            one, other = (x, y) if len(x) == 1 else (y, x)
            return [self.f("fmul", one[0], part) for part in other]
        re = self.f("fsub", self.f("fmul", x[0], y[0]), self.f("fmul", x[1], y[1]))
        return [re, self.f("fadd", self.f("fmul", x[0], y[1]), self.f("fmul", x[1], y[0]))]

    def quotient(self, x: list[str], y: list[str]) -> list[str]:
        if len(y) == 1:
            return [self.f("fdiv", part, y[0]) for part in x]
        a, b = x if len(x) == 2 else (x[0], ZERO)
        sizes = [self.called("llvm.fabs.f64", [part]) for part in y]
        upright = self.new(f"fcmp oge double {sizes[0]}, {sizes[1]}")
        # where |d| is the larger one: (a + ib)/(c + id) = (b - ia)/(d - ic)
        turned = [self.new(f"fneg double {one}") for one in (a, y[0])]
        choices = ((a, b), (b, turned[0]), (y[0], y[1]), (y[1], turned[1]))
        a, b = (self.new(f"select i1 {upright}, double {choices[0][k]}, double {choices[1][k]}") for k in (0, 1))
        c, d = (self.new(f"select i1 {upright}, double {choices[2][k]}, double {choices[3][k]}") for k in (0, 1))
        r = self.f("fdiv", d, c)
        below = self.f("fadd", c, self.f("fmul", d, r))
        above = self.f("fadd", a, self.f("fmul", b, r)), self.f("fsub", b, self.f("fmul", a, r))
        return [self.f("fdiv", one, below) for one in above]

    def power(self, a: Number, b: Number, kind: str) -> Number:
        if kind == "q":
            raise Uncovered("a whole power of a whole number")
        if kind == "d":
            return Number("d", [self.called("llvm.pow.f64", [self.real(a), self.real(b)])])
        self.whole.helpers.add("numba_cpow")
        rooms = [self.room("{ double, double }") for _ in range(3)]
        seconds = [self.new(f"getelementptr double, ptr {one}, i64 1") for one in rooms]
        for value, first, second in zip((a, b), rooms, seconds, strict=False):
            for part, place in zip(self.to("Z", value).parts, (first, second), strict=True):
                self.lines.append(f"  store double {part}, ptr {place}")
        self.lines.append(f"  call void @numba_cpow(ptr {rooms[0]}, ptr {rooms[1]}, ptr {rooms[2]})")
        return Number("Z", [self.new(f"load double, ptr {place}") for place in (rooms[2], seconds[2])])

    def of_Compare(self, node: ast.Compare) -> Value:
        sides = [self.value(one) for one in (node.left, *node.comparators)]
        found = ""
        for op, a, b in zip(node.ops, sides, sides[1:], strict=False):
            if type(op) not in COMPARED or not (isinstance(a, Number) and isinstance(b, Number)):
                raise Uncovered("a comparison")
            word = COMPARED[type(op)]
            if a.kind in "bq" and b.kind in "bq":
                sign = "" if word in ("eq", "ne") else "s"
                one = self.new(f"icmp {sign}{word} i64 {self.whole_number(a)}, {self.whole_number(b)}")
            else:
                one = self.new(f"fcmp {'u' if word == 'ne' else 'o'}{word} double {self.real(a)}, {self.real(b)}")
            found = self.new(f"and i1 {found}, {one}") if found else one
        return Number("b", [found])

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        first, *others = node.values
        left = self.value(first)
        if kind_of(left) != "b":
            raise Uncovered("and, or of what are no conditions")
        if not others:
            return left
        rest = ast.BoolOp(node.op, others) if len(others) > 1 else others[0]
        settled = ast.Constant(isinstance(node.op, ast.Or))
        sides = (settled, rest) if isinstance(node.op, ast.Or) else (rest, settled)
        found = self.chosen(left, *sides)
        if kind_of(found) != "b":
            raise Uncovered("and, or of what are no conditions")
        return found

    def of_IfExp(self, node: ast.IfExp) -> Value:
        return self.chosen(self.value(node.test), node.body, node.orelse)

    def chosen(self, test: Value, yes: ast.expr, no: ast.expr) -> Value:
        """One of two expressions; the other is not evaluated."""
        labels, after, condition = (self.label(), self.label()), self.label(), self.truth(test)
        found = []
        for one in (yes, no):
            with self.apart() as lines:
                found.append((self.value(one), lines))
        kind = joined(*(kind_of(value) for value, _ in found))
        if ARRAY in kind:
            raise Uncovered("a choice of arrays")
        rooms = [self.room(one) for one in types_of(kind)]
        self.lines.append(f"  br i1 {condition}, label %{labels[0]}, label %{labels[1]}")
        for name, (value, lines) in zip(labels, found, strict=True):
            self.lines += [f"{name}:", *lines]
            for kept, place, part in zip(types_of(kind), rooms, parts_of(self.to(kind, value)), strict=True):
                self.lines.append(f"  store {kept} {part}, ptr {place}")
            self.lines.append(f"  br label %{after}")
        self.lines.append(f"{after}:")
        both = zip(types_of(kind), rooms, strict=True)
        return value_of(kind, [self.new(f"load {one}, ptr {place}") for one, place in both])

    def of_Call(self, node: ast.Call) -> Value:
        function = self.value(node.func)
        if not isinstance(function, Named) or node.keywords:
            raise Uncovered("a call")
        given, target = [self.value(one) for one in node.args], function.value
        if isinstance(target, Kernel):
            return self.of_kernel(target, given)
        if isinstance(target, ModuleType) or not all(isinstance(one, Number | Array) for one in given):
            raise Uncovered("a call")
        if target is len and len(given) == 1 and isinstance(given[0], Array):
            return Number("q", [given[0].length])
        if target is complex and given:
            return Number("Z", [self.real(given[0]), self.real(given[1]) if len(given) == 2 else ZERO])
        if target is float and len(given) == 1:
            return Number("d", [self.real(given[0])])
        if target is int and len(given) == 1 and isinstance(given[0], Number) and given[0].kind != "Z":
            whole = given[0].kind != "d"
            return (
                self.to("q", given[0])
                if whole
                else Number("q", [self.new(f"fptosi double {given[0].parts[0]} to i64")])
            )
        try:
            one, two = BY_VALUE.get(target), OF_TWO_BY_VALUE.get(target)
        except TypeError:
            raise Uncovered("a call") from None
        if two and len(given) == 2:
            return Number("d", [self.called(two, [self.real(part) for part in given])])
        if one is None or len(given) != 1 or not isinstance(given[0], Number):
            raise Uncovered("a function that is not known here")
        if given[0].kind != "Z":
            return Number("d", [self.called(one[0], [self.real(given[0])])])
        if not one[1]:
            raise Uncovered("a function that is not known of complex numbers")
        both = self.called(one[1], given[0].parts, "{ double, double }")
        return Number("Z", [self.new(f"extractvalue {{ double, double }} {both}, {k}") for k in (0, 1)])

    def of_kernel(self, kernel: Kernel, given: list[Value]) -> Value:
        """Call another function that is lowered here."""
        made = self.whole.lowered(kernel.py_func, tuple(kind_of(one) for one in given))
        types = [name for one in given for name in types_of(kind_of(one))]
        arguments = ", ".join(
            f"{name} {part}" for name, part in zip(types, [p for one in given for p in parts_of(one)], strict=True)
        )
        if not made.returns:
            raise Uncovered("a call for its effect")
        result = returned(made.returns)
        found = self.new(f"call {result} @{made.name}({arguments})")
        parts = types_of(made.returns)
        if len(parts) > 1:
            return value_of(made.returns, [self.new(f"extractvalue {result} {found}, {k}") for k in range(len(parts))])
        return value_of(made.returns, [found])


class Entry(NamedTuple):
    """A function as others call it (native/arguments.py): its name in the library, and the form of its result."""

    symbol: str
    result: str


def entry(text: Text, kernel: Kernel, arguments: tuple[Any, ...], symbol: str) -> Entry:
    """Write a kernel for such arguments, with an entry that takes them from slots."""
    kinds: list[Kind] = []
    for one in arguments:
        is_array = isinstance(one, np.ndarray) and one.dtype == np.float64 and one.ndim == 1
        kinds.append(ARRAY if is_array else {int: "q", float: "d", complex: "Z"}[type(one)])
    made = text.lowered(kernel.py_func, tuple(kinds))
    if "b" in made.returns:
        raise Uncovered("a truth value as a result")
    lines, given, slot = [f"define i32 @{symbol}(ptr %slots, ptr %result) {{"], [], 0
    for kind in kinds:
        # of the seven slots of an array, its data and its length
        for place, name in zip((4, 5) if kind == ARRAY else (0, 1), types_of(kind), strict=False):
            at = slot + place
            lines += [f"  %p{at} = getelementptr i64, ptr %slots, i64 {at}", f"  %a{at} = load {name}, ptr %p{at}"]
            given.append(f"{name} %a{at}")
        slot += 7 if kind == ARRAY else len(types_of(kind))
    result, types = returned(made.returns), types_of(made.returns)
    call = f"call {result} @{made.name}({', '.join(given)})"
    lines.append(f"  %found = {call}" if types else f"  {call}")
    for k, name in enumerate(types):
        part = f"%part{k}" if len(types) > 1 else "%found"
        if len(types) > 1:
            lines.append(f"  {part} = extractvalue {result} %found, {k}")
        lines += [f"  %out{k} = getelementptr i64, ptr %result, i64 {k}", f"  store {name} {part}, ptr %out{k}"]
    text.functions.append("\n".join([*lines, "  ret i32 0", "}"]))
    form = "".join(made.returns)
    return Entry(symbol, f"({form})" if isinstance(made.returns, tuple) else form)
