"""Poses of all bodies over the kept frames; the ground is number 0 and stands still."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.elements import GROUND, Marker
from ..model.system import System
from ..results.solution import Solution
from .frames import choose_frames
from .geometry import rotations, steady


@dataclass(frozen=True)
class Motion:
    """Where every body is at every kept instant."""

    time: np.ndarray  # (frames,) s
    kept: np.ndarray  # indices of the saved states
    names: tuple[str, ...]  # of the bodies, "ground" first
    r: np.ndarray  # (frames, bodies, 3) m
    p: np.ndarray  # (frames, bodies, 4)

    def number(self, body: str) -> int:
        """Place of a body."""
        return self.names.index(body)

    def points(self, marker: Marker) -> np.ndarray:
        """A marker's point over time, (frames, 3), global axes."""
        k = self.number(marker.body)
        return np.asarray(self.r[:, k] + rotations(self.p[:, k]) @ marker.point)

    def axes(self, marker: Marker) -> np.ndarray:
        """A marker's axes over time as rows, (frames, 3, 3), global axes."""
        return np.asarray(marker.axes @ np.swapaxes(rotations(self.p[:, self.number(marker.body)]), -1, -2))


def motion_of(result: Solution | System, system: System) -> Motion:
    """The motion of a solution, or the one frame of a system as drawn."""
    names = (GROUND, *(body.name for body in system.bodies))
    if isinstance(result, Solution):
        time = np.asarray(result.time, dtype=float)
        kept = choose_frames(time, np.asarray(result.impacts["time"], dtype=float))
        r = [result[f"{body.name}.position"][kept] for body in system.bodies]
        p = [result[f"{body.name}.orientation"][kept] for body in system.bodies]
        time = time[kept]
    else:
        time, kept = np.zeros(1), np.arange(1)
        r = [body.position[np.newaxis] for body in system.bodies]
        p = [body.orientation[np.newaxis] for body in system.bodies]
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(time), 1))
    return Motion(
        time, kept, names, np.stack([np.zeros((len(time), 3)), *r], axis=1), steady(np.stack([still, *p], axis=1))
    )
