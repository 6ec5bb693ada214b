"""What a Python function of time computes, found by calling it once with a stand-in for t.

The stand-in writes down every operation, so ``lambda t: 6*t + np.sin(3*t)`` becomes the tree of "6*t + sin(3*t)":
exact derivatives, and a text that a model file can hold. A function that branches on t, or hands it to ``math.sin`` or
an interpolator, cannot be followed; then there is no tree, and the function is fitted instead (fit.py). A tree is
believed only if it gives the function's own values at a few instants.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from numbers import Real
from typing import Any

import numpy as np

from .expression import resolve, sample
from .grammar import MAX_DEPTH
from .nodes import Binary, Call, Name, Node, Number, Unary, depth

MAX_SIZE = 2000  # nodes; a tree that squares itself again and again doubles each time
PROBES = (0.0, 0.3711, 1.9173, 7.7731)  # s


class Untraceable(TypeError):
    """Raised inside a function that takes the stand-in for a number."""


class _Stand:
    """The stand-in for t, and for everything computed from it."""

    def __init__(self, node: Node, size: int = 1) -> None:
        if size > MAX_SIZE:
            raise Untraceable("too many operations")
        self.node, self.size = node, size

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> _Stand:
        if method != "__call__" or options or ufunc.__name__ not in UFUNCS:
            raise Untraceable(ufunc.__name__)
        return UFUNCS[ufunc.__name__](*[_stand(x) for x in inputs])

    def _refuse(self, *_: Any) -> Any:
        raise Untraceable("t is not known while a function is traced")

    __bool__ = __float__ = __int__ = __index__ = __complex__ = __iter__ = __len__ = __getitem__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __array__ = _refuse
    __eq__ = __ne__ = _refuse

    def __add__(self, other: Any) -> _Stand:
        return _binary("+")(self, _stand(other))

    def __radd__(self, other: Any) -> _Stand:
        return _binary("+")(_stand(other), self)

    def __sub__(self, other: Any) -> _Stand:
        return _binary("-")(self, _stand(other))

    def __rsub__(self, other: Any) -> _Stand:
        return _binary("-")(_stand(other), self)

    def __mul__(self, other: Any) -> _Stand:
        return _binary("*")(self, _stand(other))

    def __rmul__(self, other: Any) -> _Stand:
        return _binary("*")(_stand(other), self)

    def __truediv__(self, other: Any) -> _Stand:
        return _binary("/")(self, _stand(other))

    def __rtruediv__(self, other: Any) -> _Stand:
        return _binary("/")(_stand(other), self)

    def __pow__(self, other: Any) -> _Stand:
        return _binary("^")(self, _stand(other))

    def __rpow__(self, other: Any) -> _Stand:
        return _binary("^")(_stand(other), self)

    def __neg__(self) -> _Stand:
        return _Stand(Unary("-", self.node), self.size + 1)

    def __pos__(self) -> _Stand:
        return self

    def __abs__(self) -> _Stand:
        return _call("abs")(self)


def _stand(x: Any) -> _Stand:
    if isinstance(x, _Stand):
        return x
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    if isinstance(x, bool | np.bool_) or not isinstance(x, Real) or not np.isfinite(float(x)):
        raise Untraceable("not a finite number")
    return _Stand(Number(float(x)))


def _binary(op: str) -> Callable[..., _Stand]:
    return lambda a, b: _Stand(Binary(op, a.node, b.node), a.size + b.size + 1)


def _call(name: str) -> Callable[..., _Stand]:
    return lambda *args: _Stand(Call(name, tuple([a.node for a in args])), 1 + sum([a.size for a in args]))


def _heaviside(x: _Stand, at_zero: _Stand) -> _Stand:
    if at_zero.node != Number(1.0):
        raise Untraceable("step(0) is 1")
    return _call("step")(x)


# NumPy's functions by their own names.
UFUNCS: dict[str, Callable[..., _Stand]] = {
    "add": _binary("+"),
    "subtract": _binary("-"),
    "multiply": _binary("*"),
    "divide": _binary("/"),
    "power": _binary("^"),
    "float_power": _binary("^"),
    "negative": _Stand.__neg__,
    "positive": _Stand.__pos__,
    "square": lambda x: x**2,
    "reciprocal": lambda x: 1 / x,
    "deg2rad": lambda x: x * (pi / 180),
    "radians": lambda x: x * (pi / 180),
    "rad2deg": lambda x: x * (180 / pi),
    "degrees": lambda x: x * (180 / pi),
    "heaviside": _heaviside,
    "absolute": _call("abs"),
    "fabs": _call("abs"),
    "arcsin": _call("asin"),
    "arccos": _call("acos"),
    "arctan": _call("atan"),
    "arctan2": _call("atan2"),
    "minimum": _call("min"),
    "maximum": _call("max"),
    **{name: _call(name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign")},
}


def trace(function: Callable[[float], Any]) -> Node | None:
    """The tree that the function computes, or None if it cannot be followed."""
    try:
        result = _stand(function(_Stand(Name("t"))))  # type: ignore[arg-type]
        if depth(result.node) > MAX_DEPTH:
            return None
        node, _ = resolve(result.node, {}, {"t": None})
        with np.errstate(all="ignore"):
            own = [float(function(t)) for t in PROBES]
    except Exception:  # whatever the user's function does with a stand-in, it only means that there is no tree
        return None
    values = [float(sample(node, {"t": t})) for t in PROBES]
    return node if np.allclose(own, values, rtol=1e-9, atol=0.0, equal_nan=True) else None
