"""Poses and velocities of all bodies from the flat state, and the rates of the positions.

Bodies of planar models turn about z: of r, p, v and w' the numbers x, y, p0, p3, v_x, v_y and w_z change. ``place_in``,
``move_in``, ``set_out_in``, ``arrive_in``, ``position_rates_in``, ``displace_in``, ``normalise_in`` and ``keep_in``
take these alone where a model is planar.

``y`` holds r, p of body 1, 2, ... (7 numbers each), then v, w' (6 each), then inner states, then input and loss.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit, link
from ..numerics.vec import copy, euler_rate, rotation

SLIGHT = 1e-3  # square of half a turn (rad): its fourth power over 8! is below rounding
NEAR_UNIT = 1e-8  # of the square of a length


@jit
def place_body(b, bodies, y, kin):
    """Fill r, A, v, w of one body."""
    at, u, k = 7 * (b - 1), 7 * (bodies - 1) + 6 * (b - 1), kin[b]
    for m in range(3):
        k.r[m] = y[at + m]
        k.v[m] = y[u + m]
        k.w[m] = y[u + 3 + m]
    rotation((y[at + 3], y[at + 4], y[at + 5], y[at + 6]), k.A)


@jit
def place_bodies(bodies, y, kin):
    """Fill r, A, v, w of every body but the ground."""
    for b in range(1, bodies):
        place_body(b, bodies, y, kin)


@jit
def position_rates(bodies, y, dy):
    """dr/dt = v and dp/dt = G^T w' / 2 (paper A eq. 9)."""
    shift = 7 * (bodies - 1)
    for b in range(1, bodies):
        at, u = 7 * (b - 1), shift + 6 * (b - 1)
        for m in range(3):
            dy[at + m] = y[u + m]
        rate = euler_rate((y[at + 3], y[at + 4], y[at + 5], y[at + 6]), (y[u + 3], y[u + 4], y[u + 5]))
        for m in range(4):
            dy[at + 3 + m] = rate[m]


@jit
def normalise(bodies, y):
    """Scale the Euler parameters of every body back to unit length."""
    for b in range(1, bodies):
        at = 7 * b - 4
        size = np.sqrt(y[at] * y[at] + y[at + 1] * y[at + 1] + y[at + 2] * y[at + 2] + y[at + 3] * y[at + 3])
        for m in range(4):
            y[at + m] /= size


@link
def scale_of(q):
    """Factor that gives unit length to what has the square q of its length."""
    off = q - 1.0
    if abs(off) < NEAR_UNIT:  # the square of this is below rounding
        return 1.0 - 0.5 * off
    return 1.0 / np.sqrt(q)


@jit
def displace(y, kin):
    """Take back the shifts: positions minus kin.shift (3 displacements and 3 small body-axes rotations each)."""
    for b in range(1, len(kin)):
        at, s = 7 * (b - 1), kin[b].shift
        p = (y[at + 3], y[at + 4], y[at + 5], y[at + 6])
        turn = euler_rate(p, (s[3], s[4], s[5]))
        for m in range(3):
            y[at + m] -= s[m]
        e0, e1, e2, e3 = p[0] - turn[0], p[1] - turn[1], p[2] - turn[2], p[3] - turn[3]
        f = scale_of(e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
        y[at + 3], y[at + 4], y[at + 5], y[at + 6] = f * e0, f * e1, f * e2, f * e3


@jit
def turned(p, w, h):
    """p times the quaternion of the rotation vector h w (body axes); four numbers."""
    a0, a1, a2 = 0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]
    q = a0 * a0 + a1 * a1 + a2 * a2
    if abs(q) < SLIGHT:  # series to rounding: most steps turn a body by little, and need no cosine
        c = 1.0 - q * (0.5 - q * (1.0 / 24.0 - q / 720.0))
        s = 1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q / 5040.0))
    elif abs(q) < 0.01:
        c = 1.0 - q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0 - q * (1.0 / 40320.0 - q / 3628800.0))))
        s = 1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0 - q * (1.0 / 362880.0 - q / 39916800.0))))
    else:
        half = np.sqrt(q)
        c = np.cos(half)
        s = np.sin(half) / half
    x, y, z = s * a0, s * a1, s * a2
    if p[1] == 0.0 and p[2] == 0.0 and w[0] == 0.0 and w[1] == 0.0:  # about z, as in a plane
        return p[0] * c - p[3] * z, p[1] * c, p[2] * c, p[0] * z + p[3] * c
    return (
        p[0] * c - p[1] * x - p[2] * y - p[3] * z,
        p[0] * x + p[1] * c + p[2] * z - p[3] * y,
        p[0] * y - p[1] * z + p[2] * c + p[3] * x,
        p[0] * z + p[1] * y - p[2] * x + p[3] * c,
    )


@jit
def move(bodies, y, u, h, new):
    """new = positions in y moved by h u, velocities u; ``u`` has six numbers per body, the ground not counted."""
    for b in range(bodies - 1):
        at, v = 7 * b, 6 * b
        for m in range(3):
            new[at + m] = y[at + m] + h * u[v + m]
        p = turned((y[at + 3], y[at + 4], y[at + 5], y[at + 6]), (u[v + 3], u[v + 4], u[v + 5]), h)
        for m in range(4):
            new[at + 3 + m] = p[m]


@link
def place_one(k, r, p0, p3, v_x, v_y, w):
    """Place and velocity of a body of a planar model."""
    c, s = 2.0 * (p0 * p0) - 1.0, 2.0 * (p0 * p3)
    k.r[0], k.r[1], k.r[2] = r
    k.v[0], k.v[1], k.w[2] = v_x, v_y, w
    A = k.A
    A[0, 0], A[1, 1], A[1, 0], A[0, 1], A[2, 2] = c, c, s, -s, 1.0


@jit
def place_in(planar, bodies, y, kin):
    """``place_bodies``, in a plane or in space."""
    if not planar:
        place_bodies(bodies, y, kin)
        return
    shift = 7 * (bodies - 1)
    for b in range(1, bodies):
        at, u, k = 7 * (b - 1), shift + 6 * (b - 1), kin[b]
        place_one(k, (y[at], y[at + 1], y[at + 2]), y[at + 3], y[at + 6], y[u], y[u + 1], y[u + 5])


@link
def half_turned(p0, p3, a):
    """Turn about z with the Euler parameters p0, p3, turned on by the angle 2 a."""
    q = a * a
    if abs(q) < SLIGHT:  # as in turned
        c = 1.0 - q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0)))
        s = a * (1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0))))
    else:
        c, s = np.cos(a), np.sin(a)
    return p0 * c - p3 * s, p0 * s + p3 * c


@jit
def move_in(planar, bodies, y, u, h, new):
    """``move``, in a plane or in space."""
    if not planar:
        move(bodies, y, u, h, new)
        return
    for b in range(bodies - 1):
        at, v = 7 * b, 6 * b
        p0, p3 = half_turned(y[at + 3], y[at + 6], 0.5 * h * u[v + 5])
        new[at], new[at + 1], new[at + 2] = y[at] + h * u[v], y[at + 1] + h * u[v + 1], y[at + 2]
        new[at + 3], new[at + 4], new[at + 5], new[at + 6] = p0, y[at + 4], y[at + 5], p3


@link
def set_out_in(planar, bodies, span, y, dy, middle, kin):
    """Half a step, into ``middle``; bodies are placed there. In a plane the numbers that change.

    span = (time by which its velocities move the positions of y, time by which its rates move the rest).
    """
    h, later = span
    shift = 7 * (bodies - 1)
    if not planar:
        move(bodies, y, y[shift:], h, middle)
        for m in range(shift, len(y)):
            middle[m] = y[m] + later * dy[m]
        place_bodies(bodies, middle, kin)
        return
    for b in range(1, bodies):
        at, n, k = 7 * (b - 1), shift + 6 * (b - 1), kin[b]
        v_x, v_y, w = y[n], y[n + 1], y[n + 5]
        x, z, p = y[at] + h * v_x, y[at + 1] + h * v_y, half_turned(y[at + 3], y[at + 6], 0.5 * h * w)
        v_x, v_y, w = v_x + later * dy[n], v_y + later * dy[n + 1], w + later * dy[n + 5]
        middle[at], middle[at + 1], middle[at + 2], middle[at + 3], middle[at + 6] = x, z, y[at + 2], p[0], p[1]
        middle[n], middle[n + 1], middle[n + 5] = v_x, v_y, w
        place_one(k, (x, z, y[at + 2]), p[0], p[1], v_x, v_y, w)
    for m in range(13 * (bodies - 1), len(y)):
        middle[m] = y[m] + later * dy[m]


@link
def arrive_in(planar, bodies, span, u, middle, kin, new, rates):
    """End of a midpoint step with the velocities in kin.unknown: these and their rates, and positions of unit length.

    span = (h, half of it); ``middle`` has the positions half a step before, ``u`` the velocities a step before.
    """
    h, rest = span
    often, shift = 1.0 / h, 7 * (bodies - 1)
    if not planar:
        for b in range(1, bodies):
            v, n, at = kin[b].unknown, 6 * (b - 1), shift + 6 * (b - 1)
            for m in range(6):
                new[at + m] = v[m]
                rates[at + m] = (v[m] - u[n + m]) * often
        move(bodies, middle, new[shift:], rest, new)
        normalise(bodies, new)
        return
    for b in range(1, bodies):
        v, n, k, at = kin[b].unknown, 6 * (b - 1), shift + 6 * (b - 1), 7 * (b - 1)
        x, y, w = v[0], v[1], v[5]
        new[k], new[k + 1], new[k + 5] = x, y, w
        rates[k], rates[k + 1], rates[k + 5] = (x - u[n]) * often, (y - u[n + 1]) * often, (w - u[n + 5]) * often
        p0, p3 = half_turned(middle[at + 3], middle[at + 6], 0.5 * rest * w)
        f = scale_of(p0 * p0 + p3 * p3)
        new[at], new[at + 1], new[at + 2] = middle[at] + rest * x, middle[at + 1] + rest * y, middle[at + 2]
        new[at + 3], new[at + 6] = f * p0, f * p3


@jit
def normalise_in(planar, bodies, y):
    """``normalise``, in a plane or in space."""
    if not planar:
        normalise(bodies, y)
        return
    for b in range(bodies - 1):
        at = 7 * b
        f = scale_of(y[at + 3] * y[at + 3] + y[at + 6] * y[at + 6])
        y[at + 3], y[at + 6] = f * y[at + 3], f * y[at + 6]


@jit
def displace_in(planar, y, kin):
    """``displace``, in a plane or in space."""
    if not planar:
        displace(y, kin)
        return
    for b in range(1, len(kin)):
        at, s = 7 * (b - 1), kin[b].shift
        p, q, a = y[at + 3], y[at + 6], 0.5 * s[5]
        p0, p3 = p + a * q, q - a * p
        f = scale_of(p0 * p0 + p3 * p3)
        y[at], y[at + 1], y[at + 3], y[at + 6] = y[at] - s[0], y[at + 1] - s[1], f * p0, f * p3


@jit
def position_rates_in(planar, bodies, y, dy):
    """``position_rates``, in a plane or in space."""
    if not planar:
        position_rates(bodies, y, dy)
        return
    shift = 7 * (bodies - 1)
    for b in range(bodies - 1):
        at, u = 7 * b, shift + 6 * b
        w = 0.5 * y[u + 5]
        dy[at], dy[at + 1], dy[at + 2] = y[u], y[u + 1], y[u + 2]
        dy[at + 3], dy[at + 6] = -(y[at + 6] * w), y[at + 3] * w
        dy[at + 4], dy[at + 5] = y[at + 5] * w, -(y[at + 4] * w)


@link
def finite_in_plane(bodies, y):
    """True if the numbers of a state, or of its rates, that change in a plane are finite."""
    p, q = 0.0, 0.0  # 0 for finite numbers, else not a number
    for b in range(bodies - 1):
        at, u = 7 * b, 7 * (bodies - 1) + 6 * b
        p += y[at] * 0.0 + y[at + 3] * 0.0 + y[u] * 0.0 + y[u + 5] * 0.0
        q += y[at + 1] * 0.0 + y[at + 6] * 0.0 + y[u + 1] * 0.0
    for m in range(13 * (bodies - 1), len(y)):
        p += y[m] * 0.0
    return p + q == 0.0


@link
def keep_in(planar, bodies, new, y):
    """A state, or its rates, into y; in a plane the numbers that change."""
    if not planar:
        copy(new, y)
        return
    for b in range(bodies - 1):
        at, u = 7 * b, 7 * (bodies - 1) + 6 * b
        y[at], y[at + 1], y[at + 3], y[at + 6] = new[at], new[at + 1], new[at + 3], new[at + 6]
        y[u], y[u + 1], y[u + 5] = new[u], new[u + 1], new[u + 5]
    for m in range(13 * (bodies - 1), len(y)):
        y[m] = new[m]
