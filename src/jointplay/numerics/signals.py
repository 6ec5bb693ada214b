"""Functions of time, and of what expressions sense of a mechanism, with derivatives: f(t, x, u), df/dt, d2f/dt2.

PROGRAM: postfix code for a stack machine over second-order jets (f, f', f''), so derivatives are exact. For a function
phi of one jet u, the chain rule gives

    f = phi(u),   f' = phi'(u) u',   f'' = phi''(u) u'^2 + phi'(u) u''

Code entry ``(op, arg)``: NUMBER pushes ``arg``, TIME pushes (t, 1, 0), INPUT pushes the held input number[arg], SENSE
pushes what is sensed in line SENSED + arg of the stack, RAISE is u^arg; CALL + n calls the machine code at the address
``arg`` with n jets (a function of a user, numerics/by_address.py: f and f' only). The others take no ``arg``.

A jet knows one direction. Line STACK of the stack has the slope of time in it, the lines from SENSED on those of what
is sensed: 1 and 0 for derivatives in time, 0 and 1 for the partial derivative by one of them (``signal_partial``). A
program that senses has ``signal.degree`` 1.

PIECEWISE: ``count`` polynomials of ``degree`` d. In ``number``, from ``start`` on, stand the count + 1 knots and then
d + 1 coefficients of each piece, constant term first, in x = (t - middle)/(half width), so that -1 <= x <= 1. Outside
the knots the end values hold and the derivatives vanish. At an inner knot the piece on its right counts.

At jumps and kinks (step, sign, abs, min, max, comparisons, where) the derivative is that of the branch taken; no Dirac
pulse appears.

Numbers of a complex model, and what is sensed, carry derivatives in their imaginary parts. PIECEWISE functions are
products and quotients, which follow them; of programs, powers and logarithms of negative numbers would leave rounding
in imaginary parts, which an imaginary step cannot stand. Imaginary parts are a direction, along which the jets give the
exact change of f. That of f' and f'' by numbers is a difference of order 4 of real evaluations (error about 1e-12), in
which no branch changes: lines CHOICE of the stack keep those taken (the first CHOICES of a program). So all derivatives
are those of the branch taken; how the instant of a change moves is for those who step up to it.
"""

from __future__ import annotations

import numpy as np

from .by_address import jet_at
from .jit import jit

PROGRAM, PIECEWISE = 0, 1
STACK = 64  # jets that a program may hold at once; one more line holds the imaginary unit and the slope of time
CHOICE = STACK + 1  # first line of the branches that a program has taken
CHOICES = 96
SENSED = CHOICE + CHOICES // 3  # first line of what programs sense
REACH = 1e-3  # of the largest number that moves: step of the difference

# The one table of operations. Order: pushes, then functions of one jet, of two, of three.
NUMBER, TIME, INPUT, SENSE = range(4)
RAISE, NEGATIVE = 4, 5
SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, SQRT, ABS, SIGN, STEP = range(6, 21)
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, ATAN2, MIN, MAX, LESS, LESS_EQUAL, MORE, MORE_EQUAL = range(21, 33)
WHERE, CALL = 33, 34  # and the number of its arguments
FIRST_OF_ONE, FIRST_OF_TWO, FIRST_OF_THREE = RAISE, ADD, WHERE

# How expressions write them.
OF_ONE = {
    "sin": SIN,
    "cos": COS,
    "tan": TAN,
    "asin": ASIN,
    "acos": ACOS,
    "atan": ATAN,
    "sinh": SINH,
    "cosh": COSH,
    "tanh": TANH,
    "exp": EXP,
    "log": LOG,
    "sqrt": SQRT,
    "abs": ABS,
    "sign": SIGN,
    "step": STEP,
}
OF_TWO = {
    "+": ADD,
    "-": SUBTRACT,
    "*": MULTIPLY,
    "/": DIVIDE,
    "^": POWER,
    "atan2": ATAN2,
    "min": MIN,
    "max": MAX,
    "<": LESS,
    "<=": LESS_EQUAL,
    ">": MORE,
    ">=": MORE_EQUAL,
}


@jit
def _raise(x, n):
    """x^n and its derivatives; a derivative that is identically zero stays zero at x = 0."""
    f1 = n * x ** (n - 1.0) if n != 0.0 else 0.0
    f2 = n * (n - 1.0) * x ** (n - 2.0) if n != 0.0 and n != 1.0 else 0.0
    return x**n, f1, f2


@jit
def _side(x, y):
    """Branch that a comparison takes: -1, 0 or 1 for x below, at or above y; 2 if they cannot be compared."""
    return -1.0 if x < y else 1.0 if x > y else 0.0 if x == y else 2.0


@jit
def _chosen(stack, n, far, side):
    """The branch that choice n of a program takes: where its numbers are moved, that without."""
    if n >= CHOICES:
        return side
    line, column = CHOICE + n // 3, n % 3
    if far != 0.0:
        return stack[line, column].real
    stack[line, column] = side
    return side


@jit
def _of_one(op, arg, x, side):
    """phi, phi', phi'' at x, on the branch ``side`` where there are several."""
    if op == RAISE:
        return _raise(x, arg)
    if op == NEGATIVE:
        return -x, -1.0, 0.0
    if op == SIN:
        return np.sin(x), np.cos(x), -np.sin(x)
    if op == COS:
        return np.cos(x), -np.sin(x), -np.cos(x)
    if op == TAN:
        f = np.tan(x)
        return f, 1.0 + f * f, 2.0 * f * (1.0 + f * f)
    if op == ASIN:
        s = 1.0 - x * x
        return np.arcsin(x), 1.0 / np.sqrt(s), x / (s * np.sqrt(s))
    if op == ACOS:
        s = 1.0 - x * x
        return np.arccos(x), -1.0 / np.sqrt(s), -x / (s * np.sqrt(s))
    if op == ATAN:
        s = 1.0 + x * x
        return np.arctan(x), 1.0 / s, -2.0 * x / (s * s)
    if op == SINH:
        return np.sinh(x), np.cosh(x), np.sinh(x)
    if op == COSH:
        return np.cosh(x), np.sinh(x), np.cosh(x)
    if op == TANH:
        f = np.tanh(x)
        return f, 1.0 - f * f, -2.0 * f * (1.0 - f * f)
    if op == EXP:
        f = np.exp(x)
        return f, f, f
    if op == LOG:
        return np.log(x), 1.0 / x, -1.0 / (x * x)
    if op == SQRT:
        f = np.sqrt(x)
        return f, 0.5 / f, -0.25 / (f * x)
    if op == ABS:
        return (-x if side < 0.0 else x), (-1.0 if side < 0.0 else 1.0), 0.0
    if op == SIGN:
        return (side if side < 2.0 else x), 0.0, 0.0
    return (1.0 if side == 0.0 or side == 1.0 else 0.0), 0.0, 0.0  # STEP


@jit
def _quotient(u, u1, u2, v, v1, v2):
    """u/v: from u = f v follow u' = f' v + f v' and u'' = f'' v + 2 f' v' + f v''."""
    f = u / v
    f1 = (u1 - f * v1) / v
    return f, f1, (u2 - 2.0 * f1 * v1 - f * v2) / v


@jit
def _power(u, u1, u2, v, v1, v2):
    """u^v = exp(w) with w = v log u, for u > 0."""
    a = np.log(u)
    a1 = u1 / u
    a2 = u2 / u - a1 * a1
    w1 = v1 * a + v * a1
    w2 = v2 * a + 2.0 * v1 * a1 + v * a2
    f = u**v
    return f, f * w1, f * (w2 + w1 * w1)


@jit
def _angle(u, u1, u2, v, v1, v2):
    """The angle of the point (v, u): its rate is (v u' - u v')/(u^2 + v^2)."""
    s = u * u + v * v
    n = v * u1 - u * v1
    n1 = v * u2 - u * v2
    return np.arctan2(u, v), n / s, (n1 - 2.0 * n * (u * u1 + v * v1) / s) / s


@jit
def _of_two(op, u, u1, u2, v, v1, v2, side):
    """The jet of a function of two jets, on the branch ``side`` where there are several."""
    if op == ADD:
        return u + v, u1 + v1, u2 + v2
    if op == SUBTRACT:
        return u - v, u1 - v1, u2 - v2
    if op == MULTIPLY:
        return u * v, u1 * v + u * v1, u2 * v + 2.0 * u1 * v1 + u * v2
    if op == DIVIDE:
        return _quotient(u, u1, u2, v, v1, v2)
    if op == POWER:
        return _power(u, u1, u2, v, v1, v2)
    if op == ATAN2:
        return _angle(u, u1, u2, v, v1, v2)
    if op >= LESS:
        equal = side == 0.0 and (op == LESS_EQUAL or op == MORE_EQUAL)
        holds = equal or (side == -1.0 if op <= LESS_EQUAL else side == 1.0)
        return (1.0 if holds else 0.0), 0.0, 0.0
    if (op == MIN) == (side <= 0.0):
        return u, u1, u2
    return v, v1, v2


def signal_stack(scalar: type, senses: int = 0) -> np.ndarray:
    """Scratch of evaluate_signal: STACK jets, the imaginary unit of the scalar (0 if real), choices, what is sensed."""
    stack: np.ndarray = np.zeros((SENSED + senses, 3), dtype=scalar)
    stack[STACK, 1] = 1.0
    if stack.dtype.kind == "c":
        stack[STACK, 0] = 1j
    return stack


@jit
def _program(signal, code, number, stack, t, far, along):
    """(f, f', f'') with numbers moved by ``far`` times their imaginary parts; for ``along`` = 1 these are slopes."""
    top, choices = -1, 0  # place of the last jet pushed; branches taken so far
    start = np.int64(signal.start)  # mixed signed and unsigned indices would become floats
    for k in range(start, start + np.int64(signal.count)):
        op = code[k].op
        if op < FIRST_OF_ONE:
            top += 1
            stack[top, 1] = 0.0
            stack[top, 2] = 0.0
            if op == NUMBER:
                stack[top, 0] = code[k].arg.real + far * code[k].arg.imag
                stack[top, 1] = along * code[k].arg.imag
            elif op == TIME:
                stack[top, 0] = t
                stack[top, 1] = stack[STACK, 1].real
            elif op == INPUT:
                held = np.int64(code[k].arg.real)
                stack[top, 0] = number[held].real + far * number[held].imag
                stack[top, 1] = along * number[held].imag
            else:
                sensed = SENSED + np.int64(code[k].arg.real)
                stack[top, 0] = stack[sensed, 0].real
                stack[top, 1] = stack[sensed, 1].real
        elif op < FIRST_OF_TWO:
            u1, u2 = stack[top, 1].real, stack[top, 2].real
            side = 0.0
            if op >= ABS:
                side = _chosen(stack, choices, far, _side(stack[top, 0].real, 0.0))
                choices += 1
            x = stack[top, 0].real
            f, p1, p2 = _of_one(op, code[k].arg.real + far * code[k].arg.imag, x, side)
            stack[top, 0] = f
            # What does not move has no derivative, even where phi' is infinite.
            moves = u1 != 0.0 or u2 != 0.0
            stack[top, 1] = p1 * u1 if moves else 0.0
            stack[top, 2] = p2 * u1 * u1 + p1 * u2 if moves else 0.0
            if along != 0.0 and op == RAISE and code[k].arg.imag != 0.0 and x > 0.0:
                stack[top, 1] += f * np.log(x) * code[k].arg.imag
        elif op > CALL:
            top -= np.int64(op - CALL) - 1
            jet_at(np.int64(code[k].arg.real), stack, top)
        elif op >= FIRST_OF_THREE:  # the one that counts is taken as it is: the other may have no value
            top -= 2
            side = _chosen(stack, choices, far, _side(stack[top, 0].real, 0.0))
            choices += 1
            taken = top + 1 if side == 1.0 else top + 2
            for m in range(3):
                stack[top, m] = stack[taken, m]
        else:
            top -= 1
            u, v, side = stack[top], stack[top + 1], 0.0
            if op >= MIN:
                side = _chosen(stack, choices, far, _side(u[0].real, v[0].real))
                choices += 1
            f, f1, f2 = _of_two(op, u[0].real, u[1].real, u[2].real, v[0].real, v[1].real, v[2].real, side)
            stack[top, 0] = f
            stack[top, 1] = f1
            stack[top, 2] = f2
    return stack[0, 0].real, stack[0, 1].real, stack[0, 2].real


@jit
def _piecewise(signal, number, t):
    first = np.int64(signal.start)
    last = first + np.int64(signal.count)
    degree = np.int64(signal.degree)
    # Binary search: number[low] <= t < number[high].
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        if t < number[middle].real:
            high = middle
        else:
            low = middle
    left, right = number[first].real, number[last].real
    half = 0.5 * (number[high] - number[low])
    x = (t - number[low]) / half - 1.0
    # A hair beyond the last knot is rounding in t, not the end of the function.
    slack = 1e-9 * (right - left)
    inside = left - slack <= t <= right + slack
    none = 0.0 * number[first]
    if not inside:
        x = none + (-1.0 if t < left else 1.0)
    place = last + 1 + (low - first) * (degree + 1)
    f, f1, f2 = none, none, none
    for k in range(place + degree, place - 1, -1):
        f2 = f2 * x + 2.0 * f1
        f1 = f1 * x + f
        f = f * x + number[k]
    if not inside:
        return f, none, none
    return f, f1 / half, f2 / (half * half)


@jit
def _reach(signal, code, number):
    """Distance along the imaginary parts that moves the largest number by REACH of itself; 0 if none moves."""
    first, most, size = np.int64(signal.start), 0.0, 0.0
    for k in range(first, first + np.int64(signal.count)):
        if code[k].op == INPUT:
            one = number[np.int64(code[k].arg.real)]
            if one.imag != 0.0:
                most, size = max(most, abs(one.imag)), max(size, abs(one.real))
        elif code[k].arg.imag != 0.0:
            most, size = max(most, abs(code[k].arg.imag)), max(size, abs(code[k].arg.real))
    if most == 0.0:
        return 0.0
    return REACH * (size if size > 0.0 else 1.0) / most


@jit
def senses(signal, code, k):
    """True if a program senses line k."""
    if signal.kind != PROGRAM or signal.degree == 0:
        return False
    start = np.int64(signal.start)
    for n in range(start, start + np.int64(signal.count)):
        if code[n].op == SENSE and np.int64(code[n].arg.real) == k:
            return True
    return False


@jit
def signal_partial(signal, code, number, stack, t, k):
    """Partial derivative of a program by what is sensed in line k; exact."""
    stack[STACK, 1] = 0.0
    stack[SENSED + k, 1] = 1.0
    _, slope, _ = _program(signal, code, number, stack, t, 0.0, 0.0)
    stack[SENSED + k, 1] = 0.0
    stack[STACK, 1] = 1.0
    return slope


@jit
def _along_imaginary(signal, code, number, stack, t):
    """Derivative of a program along the imaginary parts of its numbers and of what is sensed."""
    stack[STACK, 1] = 0.0
    for n in range(SENSED, len(stack)):
        stack[n, 1] = stack[n, 0].imag
    _, slope, _ = _program(signal, code, number, stack, t, 0.0, 1.0)
    for n in range(SENSED, len(stack)):
        stack[n, 1] = 0.0
    stack[STACK, 1] = 1.0
    return slope


@jit
def evaluate_signal(signal, code, number, stack, t):
    """(f, f', f'') of one signal at time t; ``stack`` is scratch (signal_stack)."""
    unit = stack[STACK, 0]
    if signal.kind != PROGRAM:
        f, f1, f2 = _piecewise(signal, number, t)
        return f + 0.0 * unit, f1 + 0.0 * unit, f2 + 0.0 * unit
    f, f1, f2 = _program(signal, code, number, stack, t, 0.0, 0.0)
    far = _reach(signal, code, number)
    slope = 0.0 * unit
    if unit.imag != 0.0 and (far != 0.0 or signal.degree > 0):
        slope = unit * _along_imaginary(signal, code, number, stack, t)
    if far == 0.0:
        return f + slope, f1 + 0.0 * unit, f2 + 0.0 * unit
    _, a1, a2 = _program(signal, code, number, stack, t, far, 0.0)
    _, b1, b2 = _program(signal, code, number, stack, t, -far, 0.0)
    _, c1, c2 = _program(signal, code, number, stack, t, 2.0 * far, 0.0)
    _, d1, d2 = _program(signal, code, number, stack, t, -2.0 * far, 0.0)
    scale = unit / (12.0 * far)
    return (
        f + slope,
        f1 + scale * (8.0 * (a1 - b1) - (c1 - d1)),
        f2 + scale * (8.0 * (a2 - b2) - (c2 - d2)),
    )
