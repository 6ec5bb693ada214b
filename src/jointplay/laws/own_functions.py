"""Functions that laws of users may call, as kernels that mean the same for real numbers and take imaginary steps.

A step is tiny, so that f(x + i h) = f(x) + i h f'(x) to rounding, whatever f is: the real part is that of the function
itself, and what is imaginary goes with its derivative. Where f jumps or bends (floor, %, abs, min) the derivative is
that of the side on which x lies.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from ..native.kernel import Kernel

MOST = 64  # largest whole power that is a product
LN2, LN10 = math.log(2.0), math.log(10.0)
BELL = 2.0 / math.sqrt(math.pi)
DEGREE = math.pi / 180.0


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


def _same(x):
    return x + 0.0


def _square(x):
    return x * x


def _degrees(x):
    return x / DEGREE


def _radians(x):
    return x * DEGREE


def _expm1(x):
    y, d = np.expm1(x.real), x - x.real
    return y + d * (y + 1.0) if x.imag != 0.0 else y + d


def _log1p(x):
    y, d = np.log1p(x.real), x - x.real
    return y + d / (x.real + 1.0) if x.imag != 0.0 else y + d


def _log10(x):
    y, d = np.log10(x.real), x - x.real
    return y + d / (x.real * LN10) if x.imag != 0.0 else y + d


def _log2(x):
    y, d = np.log2(x.real), x - x.real
    return y + d / (x.real * LN2) if x.imag != 0.0 else y + d


def _exp2(x):
    y, d = np.exp2(x.real), x - x.real
    return y + d * (y * LN2) if x.imag != 0.0 else y + d


def _cbrt(x):
    y, d = np.cbrt(x.real), x - x.real
    return y + d / (3.0 * y * y) if x.imag != 0.0 else y + d


def _erf(x):
    y, d = math.erf(x.real), x - x.real
    return y + d * (BELL * np.exp(-x.real * x.real)) if x.imag != 0.0 else y + d


def _erfc(x):
    y, d = math.erfc(x.real), x - x.real
    return y - d * (BELL * np.exp(-x.real * x.real)) if x.imag != 0.0 else y + d


def _floor(x):
    return np.floor(x.real) + 0.0 * (x - x.real)


def _ceil(x):
    return np.ceil(x.real) + 0.0 * (x - x.real)


def _trunc(x):
    return np.trunc(x.real) + 0.0 * (x - x.real)


def _round(x):
    return np.rint(x.real) + 0.0 * (x - x.real)


def _atan2(a, b):
    y, c, d = np.arctan2(a.real, b.real), a - a.real, b - b.real
    square = a.real * a.real + b.real * b.real
    return y + (b.real * c - a.real * d) / (square if square > 0.0 else 1.0)  # at the origin it jumps


def _copysign(a, b):
    return a * (np.copysign(1.0, a.real) * np.copysign(1.0, b.real)) + 0.0 * (b - b.real)


def _remainder(a, b):
    """With the sign of a (math.fmod)."""
    rest, d = np.fmod(a.real, b.real), b - b.real
    return rest + (a - a.real) - (d * ((a.real - rest) / b.real) if b.imag != 0.0 else d)


def _modulo(a, b):
    """With the sign of b (a % b)."""
    rest, d = np.fmod(a.real, b.real), b - b.real
    if rest * b.real < 0.0:
        rest += b.real
    return rest + (a - a.real) - (d * ((a.real - rest) / b.real) if b.imag != 0.0 else d)


def _quotient(a, b):
    """Whole, rounded down (a // b)."""
    rest = np.fmod(a.real, b.real)
    if rest * b.real < 0.0:
        rest += b.real
    return np.rint((a.real - rest) / b.real) + 0.0 * ((a - a.real) + (b - b.real))


def _heaviside(x, at_zero):
    return 0.0 * (x - x.real) + (1.0 if x.real > 0.0 else 0.0) + (at_zero if x.real == 0.0 else 0.0 * at_zero)


FUNCTIONS: tuple[Any, ...] = (
    *(_power, _absolute, _smaller, _larger, _sign, _hypot, _tanh, _real, _same, _square, _degrees, _radians),
    *(_expm1, _log1p, _log10, _log2, _exp2, _cbrt, _erf, _erfc, _floor, _ceil, _trunc, _round, _atan2, _copysign),
    *(_remainder, _modulo, _quotient, _heaviside),
)
KERNELS = {f"{function.__name__}_": Kernel(function) for function in FUNCTIONS}
POWER, REAL, MODULO, QUOTIENT, SMALLER, LARGER = "_power_", "_real_", "_modulo_", "_quotient_", "_smaller_", "_larger_"

# what functions become, by what they are
REPLACED: dict[Any, str] = {
    builtins.abs: "_absolute_",
    builtins.min: SMALLER,
    builtins.max: LARGER,
    builtins.pow: POWER,
    builtins.float: "_same_",
    builtins.round: "_round_",
    math.fabs: "_absolute_",
    math.hypot: "_hypot_",
    math.tanh: "_tanh_",
    math.erf: "_erf_",
    math.erfc: "_erfc_",
    np.abs: "_absolute_",
    np.minimum: SMALLER,
    np.maximum: LARGER,
    np.power: POWER,
    np.sign: "_sign_",
    np.square: "_square_",
    np.heaviside: "_heaviside_",
    np.rint: "_round_",
    np.round: "_round_",
    np.deg2rad: "_radians_",
    np.rad2deg: "_degrees_",
    np.mod: MODULO,
    np.floor_divide: QUOTIENT,
    math.atan2: "_atan2_",
    np.arctan2: "_atan2_",
    math.pow: POWER,
    math.fmod: "_remainder_",
    np.fmod: "_remainder_",
}
for _name in "fabs hypot tanh degrees radians expm1 log1p log10 log2 exp2 cbrt floor ceil trunc copysign".split():
    _meant = {"fabs": "absolute"}.get(_name, _name)
    REPLACED[getattr(math, _name)] = REPLACED[getattr(np, _name)] = f"_{_meant}_"

# functions of math whose names numpy has otherwise
OF_NUMPY = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}
