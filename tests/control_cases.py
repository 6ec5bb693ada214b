"""Closed loops whose equations are linear, with their solutions by the exponential of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import expm

import jointplay as jp

K, D, KI, J, PUSH = 20.0, 3.0, 60.0, 0.5, 1.0  # of the PI loop, in SI
START = (0.0, 0.3, 0.01, 0.0)  # angle, rate, state of the law, state of the model
NAMES = ("A.angle", "A.angle_rate", "A.z", "w")


def affine(matrix: Any, constant: Any, start: Any, t: float) -> np.ndarray:
    """Solution of y' = A y + b at time t."""
    n = len(start)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = matrix, constant
    return (expm(whole * t) @ np.append(start, 1.0))[:n]


def pi_truth(t: float) -> np.ndarray:
    """What NAMES are at time t."""
    matrix = [[0, 1, 0, 0], [-K / J, -D / J, -KI / J, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    return affine(matrix, [0, PUSH / J, 0, 0], START, t)


def pi_loop(planar: bool = True, **options: Any) -> jp.System:
    """A wheel that a PI controller with a damper holds against a push; its law has a state, the model another."""
    parameters = {"k": f"{K} N*m/rad", "ki": f"{KI} N*m/(rad*s)", "d": f"{D} N*m*s/rad"}
    s = jp.System("pi", planar=planar, gravity=(0, 0) if planar else (0, 0, 0), parameters=parameters, **options)
    # in space about an axis that is no principal direction of the axes; a ball has the same inertia about all
    axis = (0, 0, 1) if planar else (1 / 3, 2 / 3, 2 / 3)
    spin = START[1] if planar else tuple(START[1] * a for a in axis)
    b = s.body("b", mass=1.0, inertia=J if planar else (J, J, J), position=(0, 0, 0), angular_velocity=spin)
    law = jp.ForceLaw(f"-k*x - d*v - ki*z + {PUSH}", states={"z": {"unit": "rad*s", "rate": "x", "start": START[2]}})
    s.revolute("A", s.ground, b, point=(0, 0, 0), axis=axis, angle=law)
    s.state("w", "rad*s", rate="A.angle")
    return s
