"""Where all links stand and how they move at the start, from values and rates of the coordinates.

A hinge turns the frame of the child about a line fixed in what lies before it, a slide moves it along one; the frame
carries its velocity v (of the origin) and spin w along, all in global axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.geometry import rotation_matrix, turn
from .robot import BALL, SLIDE, Connection


@dataclass(frozen=True)
class Frame:
    """A frame that moves, in global axes."""

    x: np.ndarray  # (3,) m
    R: np.ndarray  # (3, 3), columns are its axes
    v: np.ndarray  # (3,) m/s
    w: np.ndarray  # (3,) rad/s

    def point(self, inside: np.ndarray) -> np.ndarray:
        """A point of the frame, in global axes."""
        return np.asarray(self.x + self.R @ inside)

    def velocity(self, point: np.ndarray) -> np.ndarray:
        """Velocity of the frame at a global point."""
        return np.asarray(self.v + np.cross(self.w, point - self.x))

    def placed(self, position: np.ndarray, rotation: np.ndarray) -> Frame:
        """A frame that stands still in this one."""
        x = self.point(position)
        return Frame(x, self.R @ rotation, self.velocity(x), self.w)


GROUND_FRAME = Frame(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))


@dataclass(frozen=True)
class Line:
    """Where a freedom acts: a point and a direction in global axes."""

    point: np.ndarray
    axis: np.ndarray


def moved(
    frame: Frame, connection: Connection, q: list[np.ndarray], rate: list[np.ndarray]
) -> tuple[Frame, list[Line]]:
    """The frame of the child of a connection, and the lines of its freedoms; ``frame`` is that of the parent link.

    A floating child takes its position and Euler parameters from q[0] (7,), its velocity and body spin from rate[0].
    """
    frame = frame.placed(connection.position, connection.rotation)
    if connection.floating:
        frame = frame.placed(q[0][:3], rotation_matrix(q[0][3:]))
        return Frame(frame.x, frame.R, frame.v + rate[0][:3], frame.w + frame.R @ rate[0][3:]), []
    lines = []
    for freedom, value, speed in zip(connection.freedoms, q, rate, strict=True):
        anchor, axis = frame.point(freedom.point), frame.R @ freedom.axis
        at_anchor = frame.velocity(anchor)
        if freedom.kind == SLIDE:
            x = frame.x + axis * (value[0] - freedom.zero)
            frame = Frame(x, frame.R, frame.velocity(x) + axis * speed[0], frame.w)
            anchor = frame.point(freedom.point)
        else:
            if freedom.kind == BALL:
                R = frame.R @ rotation_matrix(value)
                w = frame.w + R @ speed
            else:
                R = rotation_matrix(turn(axis, value[0] - freedom.zero)) @ frame.R
                w = frame.w + axis * speed[0]
            x = anchor - R @ freedom.point
            frame = Frame(x, R, at_anchor + np.cross(w, x - anchor), w)
        lines.append(Line(anchor, axis))
    return frame, lines
