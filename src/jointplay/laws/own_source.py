"""A user's function made fit for the imaginary step: what looks at size or sign looks at real parts.

``x**3`` of a negative x with a tiny imaginary part comes back, by way of the logarithm, with a rounding in its
imaginary part that is larger than the derivative; ``abs`` forgets the imaginary part; complex numbers cannot be
compared, and ``math`` does not know them. So the source of the function is read, and these are replaced by kernels that
mean the same for real numbers. Where there is no source (a function made by ``exec``) it is taken as it is.
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

MOST = 64  # largest whole power that is a product


def _power(a, b):
    x, n = a * 1.0, b.real
    if n == np.floor(n) and abs(n) <= MOST and b.imag == 0.0:
        out, count = x * 0.0 + 1.0, abs(n)
        while count > 0.0:
            out = out * x
            count -= 1.0
        return out if n >= 0.0 else 1.0 / out
    return x**b


def _absolute(x):
    return x if x.real >= 0.0 else -x


def _smaller(a, b):
    return a + 0.0 * b if a.real <= b.real else b + 0.0 * a


def _larger(a, b):
    return a + 0.0 * b if a.real >= b.real else b + 0.0 * a


def _sign(x):
    return 0.0 * x + (1.0 if x.real > 0.0 else -1.0 if x.real < 0.0 else 0.0)


def _hypot(a, b):
    return np.sqrt(a * a + b * b)


def _tanh(x):
    # beyond 20 it is 1 to rounding, while that of complex numbers overflows
    return np.tanh(x) if abs(x.real) < 20.0 else 0.0 * x + (1.0 if x.real > 0.0 else -1.0)


def _real(x):
    return x.real


FUNCTIONS: tuple[Any, ...] = (_power, _absolute, _smaller, _larger, _sign, _hypot, _tanh, _real)
KERNELS = {f"{function.__name__}_": Kernel(function) for function in FUNCTIONS}
POWER, REAL = "_power_", "_real_"
# what functions become, by what they are
REPLACED: dict[Any, str] = {
    builtins.abs: "_absolute_",
    builtins.min: "_smaller_",
    builtins.max: "_larger_",
    builtins.pow: POWER,
    math.pow: POWER,
    math.fabs: "_absolute_",
    math.hypot: "_hypot_",
    np.abs: "_absolute_",
    np.fabs: "_absolute_",
    np.minimum: "_smaller_",
    np.maximum: "_larger_",
    np.power: POWER,
    np.sign: "_sign_",
    np.tanh: "_tanh_",
    math.tanh: "_tanh_",
    np.hypot: "_hypot_",
}
OF_NUMPY = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}


class _Rewriter(ast.NodeTransformer):
    """Powers, comparisons and calls as kernels."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def meant(self, node: ast.expr) -> Any:
        """What a name, or an attribute of a module, stands for; None if that cannot be told."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute):
            return getattr(self.meant(node.value), node.attr, None)
        return None

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow):
            return ast.Call(ast.Name(POWER, ast.Load()), [node.left, node.right], [])
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        sides: list[ast.expr] = [
            ast.Call(ast.Name(REAL, ast.Load()), [one], []) for one in (node.left, *node.comparators)
        ]
        return ast.Compare(sides[0], node.ops, sides[1:])

    def visit_Call(self, node: ast.Call) -> Any:
        meant = self.meant(node.func)
        self.generic_visit(node)
        try:
            name = REPLACED.get(meant)
        except TypeError:
            name = None
        if name is not None:
            if name in ("_smaller_", "_larger_") and len(node.args) > 2:  # of several: two by two
                first = node.args[0]
                for one in node.args[1:]:
                    first = ast.Call(ast.Name(name, ast.Load()), [first, one], [])
                return first
            return ast.Call(ast.Name(name, ast.Load()), node.args, node.keywords)
        if getattr(math, getattr(meant, "__name__", ""), None) is meant and callable(meant):
            node.func = ast.Attribute(
                ast.Name("_numpy_", ast.Load()), OF_NUMPY.get(meant.__name__, meant.__name__), ast.Load()
            )
        return node


def for_imaginary_steps(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with these kernels in place; itself where its source cannot be had."""
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
    changed = ast.fix_missing_locations(_Rewriter(names).visit(tree))
    space = {**names, **KERNELS, "_numpy_": np}
    exec(compile(changed, f"<{function.__qualname__}, for imaginary steps>", "exec"), space)
    made: FunctionType = space[function.__name__]
    made.__qualname__, made.__doc__ = function.__qualname__, None
    made.text = ast.unparse(changed)  # type: ignore[attr-defined]  # what compiler/arithmetic.py reads
    return made
