"""Poses and velocities of all bodies from the flat state, and the rates of the positions.

``y`` holds r, p of body 1, 2, ... (7 numbers each), then v, w' (6 each), then inner states, then input and loss.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit
from ..numerics.vec import euler_rate, rotation


@jit
def place_bodies(bodies, y, kin):
    """Fill r, A, v, w of every body but the ground."""
    shift = 7 * (bodies - 1)
    for b in range(1, bodies):
        q = y[7 * (b - 1) : 7 * b]
        u = y[shift + 6 * (b - 1) : shift + 6 * b]
        k = kin[b]
        for m in range(3):
            k.r[m] = q[m]
            k.v[m] = u[m]
            k.w[m] = u[3 + m]
        rotation(q[3:7], k.A)


@jit
def position_rates(bodies, y, dy):
    """dr/dt = v and dp/dt = G^T w' / 2 (paper A eq. 9)."""
    shift = 7 * (bodies - 1)
    for b in range(1, bodies):
        q = y[7 * (b - 1) : 7 * b]
        u = y[shift + 6 * (b - 1) : shift + 6 * b]
        dq = dy[7 * (b - 1) : 7 * b]
        for m in range(3):
            dq[m] = u[m]
        rate = euler_rate(q[3:7], u[3:6])
        for m in range(4):
            dq[3 + m] = rate[m]


@jit
def normalise(bodies, y):
    """Scale the Euler parameters of every body back to unit length."""
    for b in range(1, bodies):
        p = y[7 * b - 4 : 7 * b]
        size = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]) ** 0.5
        for m in range(4):
            p[m] /= size


@jit
def displace(y, kin):
    """Take back the shifts: positions minus kin.shift (3 displacements and 3 small body-axes rotations each)."""
    for b in range(1, len(kin)):
        q = y[7 * (b - 1) : 7 * b]
        s = kin[b].shift
        turn = euler_rate(q[3:7], s[3:6])
        for m in range(3):
            q[m] -= s[m]
        for m in range(4):
            q[3 + m] -= turn[m]
    normalise(len(kin), y)


@jit
def turn(p, w, h, out):
    """out = p times the quaternion of the rotation vector h w (body axes)."""
    a0, a1, a2 = 0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]
    q = a0 * a0 + a1 * a1 + a2 * a2
    if abs(q) < 0.01:  # series to rounding: most steps turn a body by little, and need no cosine
        c = 1.0 - q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0 - q * (1.0 / 40320.0 - q / 3628800.0))))
        s = 1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0 - q * (1.0 / 362880.0 - q / 39916800.0))))
    else:
        half = np.sqrt(q)
        c = np.cos(half)
        s = np.sin(half) / half
    x, y, z = s * a0, s * a1, s * a2
    out[0] = p[0] * c - p[1] * x - p[2] * y - p[3] * z
    out[1] = p[0] * x + p[1] * c + p[2] * z - p[3] * y
    out[2] = p[0] * y - p[1] * z + p[2] * c + p[3] * x
    out[3] = p[0] * z + p[1] * y - p[2] * x + p[3] * c


@jit
def move(bodies, y, u, h, new):
    """new = positions in y moved by h u, velocities u; ``u`` has six numbers per body, the ground not counted."""
    for b in range(bodies - 1):
        v = u[6 * b : 6 * b + 6]
        for m in range(3):
            new[7 * b + m] = y[7 * b + m] + h * v[m]
        turn(y[7 * b + 3 : 7 * b + 7], v[3:6], h, new[7 * b + 3 : 7 * b + 7])
