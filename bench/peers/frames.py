"""Start of the slider-crank in tree coordinates, for peers that cut the loop at the spherical joint.

The trees are: crank on a hinge about x; slider on a slide along x, then the two arms of the universal joint, then the
rod. Four coordinates and three closing rows: the smallest tree this mechanism has.
"""

from __future__ import annotations

import numpy as np

from ..problems import SLIDER_CRANK, SliderCrank
from ..truth import crank_pose


def rod_rotation(data: SliderCrank = SLIDER_CRANK) -> np.ndarray:
    """Rod axes to global axes at the start: x from B to C, the arm of the cross horizontal."""
    axis = crank_pose(0.0, data).rod_axis
    normal = np.cross([0.0, 0.0, 1.0], axis)
    normal /= np.linalg.norm(normal)
    x = np.array([1.0, 0.0, 0.0])
    arm = np.array(data.rod_arm)
    there = np.column_stack((axis, normal, np.cross(axis, normal)))
    here = np.column_stack((x, arm, np.cross(x, arm)))
    return there @ here.T


def tree_speeds(data: SliderCrank = SLIDER_CRANK) -> np.ndarray:
    """Speeds at the start: crank (rad/s), slider (m/s), arm on the slider and arm on the rod (rad/s)."""
    pose = crank_pose(0.0, data)
    arms = np.column_stack(([0.0, 0.0, 1.0], rod_rotation(data) @ np.array(data.rod_arm)))
    turning = np.linalg.lstsq(arms, pose.rod_spin, rcond=None)[0]
    return data.crank_speed * np.array([1.0, pose.slider_rate, *turning])


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """Euler parameters, scalar first, of a rotation by less than half a turn."""
    scalar = 0.5 * np.sqrt(1.0 + np.trace(rotation))
    skew = rotation - rotation.T
    return np.array([scalar, skew[2, 1] / (4 * scalar), skew[0, 2] / (4 * scalar), skew[1, 0] / (4 * scalar)])
