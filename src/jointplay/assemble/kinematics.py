"""Poses and velocities of all bodies from the flat state, and the rates of the positions.

Bodies of planar models turn about z: of r, p, v and w' the numbers x, y, p0, p3, v_x, v_y and w_z change. ``place_in``,
``move_in``, ``position_rates_in``, ``displace_in`` and ``normalise_in`` take these alone where a model is planar.

``y`` holds r, p of body 1, 2, ... (7 numbers each), then v, w' (6 each), then inner states, then input and loss.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit, link
from ..numerics.vec import euler_rate, rotation

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


@jit
def place_in(planar, bodies, y, kin):
    """``place_bodies``, in a plane or in space."""
    if not planar:
        place_bodies(bodies, y, kin)
        return
    shift = 7 * (bodies - 1)
    for b in range(1, bodies):
        at, u, k = 7 * (b - 1), shift + 6 * (b - 1), kin[b]
        p0, p3 = y[at + 3], y[at + 6]
        c, s = 2.0 * (p0 * p0) - 1.0, 2.0 * (p0 * p3)
        k.r[0], k.r[1], k.r[2] = y[at], y[at + 1], y[at + 2]
        k.v[0], k.v[1], k.w[2] = y[u], y[u + 1], y[u + 5]
        A = k.A
        A[0, 0], A[1, 1], A[1, 0], A[0, 1], A[2, 2] = c, c, s, -s, 1.0


@jit
def move_in(planar, bodies, y, u, h, new):
    """``move``, in a plane or in space."""
    if not planar:
        move(bodies, y, u, h, new)
        return
    for b in range(bodies - 1):
        at, v = 7 * b, 6 * b
        p0, p3, a = y[at + 3], y[at + 6], 0.5 * h * u[v + 5]
        q = a * a
        if abs(q) < SLIGHT:  # as in turned
            c = 1.0 - q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0)))
            s = a * (1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0))))
        else:
            c, s = np.cos(a), np.sin(a)
        new[at], new[at + 1], new[at + 2] = y[at] + h * u[v], y[at + 1] + h * u[v + 1], y[at + 2]
        new[at + 3], new[at + 4], new[at + 5], new[at + 6] = p0 * c - p3 * s, y[at + 4], y[at + 5], p0 * s + p3 * c


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
