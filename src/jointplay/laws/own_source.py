"""A user's function made fit for the imaginary step: what looks at size or sign looks at real parts.

``x**3`` of a negative x with a tiny imaginary part comes back, by way of the logarithm, with a rounding in its
imaginary part that is larger than the derivative; ``abs`` forgets the imaginary part; complex numbers cannot be
compared, and ``math`` does not know them. So the source of the function is read, and these are replaced by kernels that
mean the same for real numbers (own_functions.py). Plain functions that it calls are read in the same way. Where there
is no source (a function made by ``exec``) it is taken as it is.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ..native.kernel import Kernel
from .own_functions import KERNELS, LARGER, MODULO, OF_NUMPY, POWER, QUOTIENT, REAL, REPLACED, SMALLER


class _Rewriter(ast.NodeTransformer):
    """Powers, remainders, comparisons and calls as kernels."""

    def __init__(self, names: dict[str, Any], within: tuple[Any, ...]) -> None:
        self.names, self.within = names, within
        self.helpers: dict[str, Kernel] = {}  # functions of the user that it calls
        self.whole: set[str] = set()  # names that count

    def meant(self, node: ast.expr) -> Any:
        """What a name, or an attribute of a module, stands for; None if that is unknown."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute):
            return getattr(self.meant(node.value), node.attr, None)
        return None

    def counts(self, node: ast.expr) -> bool:
        """True of whole numbers: constants, counters of loops, int(...), and what is made of them."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int)
        if isinstance(node, ast.Name):
            return node.id in self.whole or isinstance(self.names.get(node.id), int)
        if isinstance(node, ast.BinOp):
            return self.counts(node.left) and self.counts(node.right)
        return isinstance(node, ast.Call) and self.meant(node.func) in (int, len)

    def visit_For(self, node: ast.For) -> Any:
        if isinstance(node.target, ast.Name):
            self.whole.add(node.target.id)
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        whole = self.counts(node.left) and self.counts(node.right)
        self.generic_visit(node)
        name = {ast.Pow: POWER, ast.Mod: MODULO, ast.FloorDiv: QUOTIENT}.get(type(node.op))
        if name is None or (whole and name != POWER):
            return node
        return _call(name, node.left, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """x **= 2 as x = x**2."""
        if isinstance(node.target, ast.Name) and isinstance(node.op, ast.Pow | ast.Mod | ast.FloorDiv):
            value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            return ast.Assign([node.target], self.visit_BinOp(value))
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        sides: list[ast.expr] = [_call(REAL, one) for one in (node.left, *node.comparators)]
        return ast.Compare(sides[0], node.ops, sides[1:])

    def visit_Call(self, node: ast.Call) -> Any:
        meant = self.meant(node.func)
        self.generic_visit(node)
        given = node.args
        try:
            name = REPLACED.get(meant)
        except TypeError:
            name = None
        if meant in (math.hypot, builtins.min, builtins.max) and len(given) > 2:  # of several: two by two
            first = given[0]
            for one in given[1:]:
                first = _call(str(name), first, one)
            return first
        if name == "_round_" and len(given) != 1:
            return node
        if name is not None:
            return ast.Call(ast.Name(name, ast.Load()), given, node.keywords)
        if meant is np.where and len(given) == 3:
            return ast.IfExp(given[0], _call("_same_", given[1]), _call("_same_", given[2]))
        if meant is np.clip and len(given) == 3:
            return _call(SMALLER, _call(LARGER, given[0], given[1]), given[2])
        if meant is math.log and len(given) == 2:
            return ast.BinOp(_call("_numpy_.log", given[0]), ast.Div(), _call("_numpy_.log", given[1]))
        if meant is int and len(given) == 1:
            return ast.Call(node.func, [_call(REAL, given[0])], [])
        own = str(getattr(meant, "__name__", ""))
        if callable(meant) and getattr(math, own, None) is meant:
            known = OF_NUMPY.get(own, own)
            if not hasattr(np, known):
                raise TypeError(f"it calls math.{own}, which laws cannot")
            node.func = _named(f"_numpy_.{known}")
        elif isinstance(meant, FunctionType) and isinstance(node.func, ast.Name) and not _foreign(meant):
            if meant in self.within:
                raise TypeError(f"'{meant.__name__}' calls itself, which laws cannot")
            name = f"_own_{node.func.id}_"
            if name not in self.helpers:
                self.helpers[name] = Kernel(for_imaginary_steps(meant, self.within))  # type: ignore[arg-type]
            node.func = _named(name)
        return node


def _named(name: str) -> ast.expr:
    first, *rest = name.split(".")
    node: ast.expr = ast.Name(first, ast.Load())
    for one in rest:
        node = ast.Attribute(node, one, ast.Load())
    return node


def _call(name: str, *given: ast.expr) -> ast.expr:
    return ast.Call(_named(name), list(given), [])


def _foreign(function: FunctionType) -> bool:
    """True of functions of numpy and of the language, which are not read."""
    return (function.__module__ or "").partition(".")[0] in ("numpy", "math", "builtins", "jointplay")


def for_imaginary_steps(function: Callable[..., Any], within: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """The same function with these kernels in place; itself where its source cannot be had.

    ``within``: functions that call it. TypeError, with a sentence, where it calls what laws cannot.
    """
    function.__module__ = function.__module__ or "__main__"  # none, if made by exec
    if not isinstance(function, FunctionType):
        return function
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return function
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or definition.name != function.__name__:
        return function
    enclosed = dict(
        zip(function.__code__.co_freevars, (c.cell_contents for c in function.__closure__ or ()), strict=True)
    )
    names = {**function.__globals__, **enclosed}
    definition.decorator_list, definition.returns = [], None
    for one in definition.args.args:
        one.annotation = None
    definition.args.defaults, definition.args.kw_defaults = [], []
    rewriter = _Rewriter(names, (*within, function))
    changed = ast.fix_missing_locations(rewriter.visit(tree))
    space = {**names, **KERNELS, **rewriter.helpers, "_numpy_": np}
    exec(compile(changed, f"<{function.__qualname__}, for imaginary steps>", "exec"), space)
    made: FunctionType = space[function.__name__]
    made.__qualname__, made.__doc__ = function.__qualname__, None
    made.text = ast.unparse(changed)  # type: ignore[attr-defined]  # what compiler/arithmetic.py reads
    return made
