"""Extremes over every step of a run, whatever is saved: a contact lasts less than the time between two saved states.

``Record.peaks`` has five lines of channels: least value and its time, greatest value and its time, and the channels of
the present step. ``Record.norms`` has the largest force and torque of each joint and their times: the extreme of a
vector is none of its components. ALL evaluates everything at the end of each step, as a saved state would be; MOTION
takes positions and velocities, which cost nothing: forces of rigid contacts are spikes as high as steps are short.
"""

from __future__ import annotations

import numpy as np

from ..arrays import BODY_CHANNELS, JOINT_CHANNELS
from ..numerics.jit import jit

NONE, ALL, MOTION = 0, 1, 2  # what is kept
LOW, LOW_AT, HIGH, HIGH_AT, NOW = range(5)  # lines of Record.peaks
LINES = 5


@jit
def keep_line(t, now, at, count, first, peaks):
    """Compare numbers of the present step, from ``at`` on, with the extremes of the channels from ``first`` on."""
    low, high = peaks[LOW], peaks[HIGH]
    for m in range(count):
        x = now[at + m]
        if x < low[first + m]:
            low[first + m], peaks[LOW_AT, first + m] = x, t
        if x > high[first + m]:
            high[first + m], peaks[HIGH_AT, first + m] = x, t


@jit
def keep_all(model, t, peaks, norms):
    """The same for all channels, and for the sizes of forces and torques of joints."""
    keep_line(t, peaks[NOW], 0, peaks.shape[1], 0, peaks)
    place = BODY_CHANNELS * (model.info[0].bodies - 1)
    for k in range(len(model.joint)):
        for half in range(2):
            a = place + JOINT_CHANNELS * k + 3 * half
            x, y, z = peaks[NOW, a], peaks[NOW, a + 1], peaks[NOW, a + 2]
            size = np.sqrt(x * x + y * y + z * z)
            if size > norms[0, 2 * k + half]:
                norms[0, 2 * k + half], norms[1, 2 * k + half] = size, t


@jit
def keep_motion(model, t, y, peaks):
    """The same for positions, orientations and velocities of the bodies at the state y."""
    bodies = model.info[0].bodies
    for b in range(bodies - 1):
        place, motion, channel = 7 * b, 7 * (bodies - 1) + 6 * b, BODY_CHANNELS * b
        if model.info[0].planar and peaks[HIGH, channel + 2] > -np.inf:  # the others are what they were
            keep_line(t, y, place, 2, channel, peaks)
            keep_line(t, y, place + 3, 1, channel + 3, peaks)
            keep_line(t, y, place + 6, 1, channel + 6, peaks)
            keep_line(t, y, motion, 2, channel + 7, peaks)
            keep_line(t, y, motion + 5, 1, channel + 12, peaks)
            continue
        keep_line(t, y, place, 7, channel, peaks)
        keep_line(t, y, motion, 6, channel + 7, peaks)
