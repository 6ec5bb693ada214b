"""Algebra of small blocks, two or three rows each, held as tuples: registers instead of loops over memory.

A matrix block is a tuple of its rows one after the other. ``t`` is the unit lower triangle of a diagonal block, kept as
(t10) or (t10, t20, t21); ``d`` holds the reciprocals of its pivots. Each function exists for both sizes;
numerics/ldl.py is written once, for a ``Kit`` of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .jit import link

Function = Callable[..., Any]


class Kit(NamedTuple):
    """What the factorisation asks of blocks of one size."""

    size: int
    get: Function  # (a, at): a matrix block from an array
    put: Function  # (a, at, m)
    get_vector: Function  # (a, at)
    put_vector: Function  # (a, at, z)
    pick: Function  # (a, rows): numbers of an array at these places
    drop: Function  # (a, rows, z): and back
    reduce: Function  # (y, t): y times the inverse of the transposed triangle
    scale: Function  # (x, d): columns times d
    less_product: Function  # (s, x, y): s - x y^T
    less_times: Function  # (z, m, x): z - m x
    less_transposed: Function  # (z, m, x): z - m^T x
    ahead: Function  # (z, t): the triangle solved
    back: Function  # (z, t): its transpose
    times: Function  # (z, d): component by component


@link
def _get2(a, at):
    return a[at], a[at + 1], a[at + 2], a[at + 3]


@link
def _put2(a, at, m):
    a[at], a[at + 1], a[at + 2], a[at + 3] = m


@link
def _get_vector2(a, at):
    return a[at], a[at + 1]


@link
def _put_vector2(a, at, z):
    a[at], a[at + 1] = z


@link
def _pick2(a, rows):
    return a[rows[0]], a[rows[1]]


@link
def _drop2(a, rows, z):
    a[rows[0]], a[rows[1]] = z


@link
def _reduce2(y, t):
    return y[0], y[1] - y[0] * t[0], y[2], y[3] - y[2] * t[0]


@link
def _scale2(x, d):
    return x[0] * d[0], x[1] * d[1], x[2] * d[0], x[3] * d[1]


@link
def _less_product2(s, x, y):
    return (
        s[0] - x[0] * y[0] - x[1] * y[1],
        s[1] - x[0] * y[2] - x[1] * y[3],
        s[2] - x[2] * y[0] - x[3] * y[1],
        s[3] - x[2] * y[2] - x[3] * y[3],
    )


@link
def _less_times2(z, m, x):
    return z[0] - m[0] * x[0] - m[1] * x[1], z[1] - m[2] * x[0] - m[3] * x[1]


@link
def _less_transposed2(z, m, x):
    return z[0] - m[0] * x[0] - m[2] * x[1], z[1] - m[1] * x[0] - m[3] * x[1]


@link
def _ahead2(z, t):
    return z[0], z[1] - t[0] * z[0]


@link
def _back2(z, t):
    return z[0] - t[0] * z[1], z[1]


@link
def _times2(z, d):
    return z[0] * d[0], z[1] * d[1]


@link
def _get3(a, at):
    return a[at], a[at + 1], a[at + 2], a[at + 3], a[at + 4], a[at + 5], a[at + 6], a[at + 7], a[at + 8]


@link
def _put3(a, at, m):
    a[at], a[at + 1], a[at + 2], a[at + 3], a[at + 4], a[at + 5], a[at + 6], a[at + 7], a[at + 8] = m


@link
def _get_vector3(a, at):
    return a[at], a[at + 1], a[at + 2]


@link
def _put_vector3(a, at, z):
    a[at], a[at + 1], a[at + 2] = z


@link
def _pick3(a, rows):
    return a[rows[0]], a[rows[1]], a[rows[2]]


@link
def _drop3(a, rows, z):
    a[rows[0]], a[rows[1]], a[rows[2]] = z


@link
def _reduce3(y, t):
    p, q, r = y[1] - y[0] * t[0], y[4] - y[3] * t[0], y[7] - y[6] * t[0]
    return (
        y[0], p, y[2] - y[0] * t[1] - p * t[2],
        y[3], q, y[5] - y[3] * t[1] - q * t[2],
        y[6], r, y[8] - y[6] * t[1] - r * t[2],
    )  # fmt: skip


@link
def _scale3(x, d):
    return (
        x[0] * d[0], x[1] * d[1], x[2] * d[2],
        x[3] * d[0], x[4] * d[1], x[5] * d[2],
        x[6] * d[0], x[7] * d[1], x[8] * d[2],
    )  # fmt: skip


@link
def _less_product3(s, x, y):
    return (
        s[0] - x[0] * y[0] - x[1] * y[1] - x[2] * y[2],
        s[1] - x[0] * y[3] - x[1] * y[4] - x[2] * y[5],
        s[2] - x[0] * y[6] - x[1] * y[7] - x[2] * y[8],
        s[3] - x[3] * y[0] - x[4] * y[1] - x[5] * y[2],
        s[4] - x[3] * y[3] - x[4] * y[4] - x[5] * y[5],
        s[5] - x[3] * y[6] - x[4] * y[7] - x[5] * y[8],
        s[6] - x[6] * y[0] - x[7] * y[1] - x[8] * y[2],
        s[7] - x[6] * y[3] - x[7] * y[4] - x[8] * y[5],
        s[8] - x[6] * y[6] - x[7] * y[7] - x[8] * y[8],
    )


@link
def _less_times3(z, m, x):
    return (
        z[0] - m[0] * x[0] - m[1] * x[1] - m[2] * x[2],
        z[1] - m[3] * x[0] - m[4] * x[1] - m[5] * x[2],
        z[2] - m[6] * x[0] - m[7] * x[1] - m[8] * x[2],
    )


@link
def _less_transposed3(z, m, x):
    return (
        z[0] - m[0] * x[0] - m[3] * x[1] - m[6] * x[2],
        z[1] - m[1] * x[0] - m[4] * x[1] - m[7] * x[2],
        z[2] - m[2] * x[0] - m[5] * x[1] - m[8] * x[2],
    )


@link
def _ahead3(z, t):
    second = z[1] - t[0] * z[0]
    return z[0], second, z[2] - t[1] * z[0] - t[2] * second


@link
def _back3(z, t):
    second = z[1] - t[2] * z[2]
    return z[0] - t[0] * second - t[1] * z[2], second, z[2]


@link
def _times3(z, d):
    return z[0] * d[0], z[1] * d[1], z[2] * d[2]


TWO = Kit(
    2, _get2, _put2, _get_vector2, _put_vector2, _pick2, _drop2, _reduce2, _scale2, _less_product2, _less_times2,
    _less_transposed2, _ahead2, _back2, _times2,
)  # fmt: skip
THREE = Kit(
    3, _get3, _put3, _get_vector3, _put_vector3, _pick3, _drop3, _reduce3, _scale3, _less_product3, _less_times3,
    _less_transposed3, _ahead3, _back3, _times3,
)  # fmt: skip
