"""How a joint rubs under its own reaction: which coordinates slide, and the normal force that presses (paper E eq. 2).

The reaction (F, T) on the second body at the joint point, in joint axes h, t, b of the first body (b is the axis), is
carried by two ends a distance a apart, and a torque about the axis by two faces a distance 2 b apart:

    f_h1 = -F_h + T_t/a,   f_t1 = -F_t - T_h/a,   f_h2 = -T_t/a,   f_t2 = T_h/a,   f_b = F_b,   f_3 = T_b / (2 b)

Its effective normal force is a sum of terms factor |form|, a form being one or two of these numbers. All |x| are
smoothed as sqrt(x^2 + smoothing^2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

Term = tuple[float, tuple[np.ndarray, ...]]  # factor, one or two linear forms of (F_h, F_t, F_b, T_h, T_t, T_b)

PARABOLIC = np.pi**3 / 24.0  # of a pressure that falls off like a parabola around half a pin


def _ends(a: float) -> tuple[np.ndarray, ...]:
    """f_h1, f_t1, f_h2, f_t2 as linear forms."""
    i = np.eye(6)
    return -i[0] + i[4] / a, -i[1] - i[3] / a, -i[4] / a, i[3] / a


def translational(sizes: Mapping[str, float]) -> list[Term]:
    """A block in a guide: |f_h1| + |f_t1| + |f_h2| + |f_t2| + 2 |f_3|."""
    twist = np.eye(6)[5] / (2.0 * sizes["width"])
    return [(1.0, (form,)) for form in _ends(sizes["length"])] + [(2.0, (twist,))]


def cylindrical(sizes: Mapping[str, float]) -> list[Term]:
    """A sleeve on a rod: the pressure of both ends."""
    h1, t1, h2, t2 = _ends(sizes["length"])
    return [(PARABOLIC, (h1, t1)), (PARABOLIC, (h2, t2))]


def revolute(sizes: Mapping[str, float]) -> list[Term]:
    """A pin in a bearing: the pressure of both ends, and the thrust on its collar."""
    return [*cylindrical(sizes), (1.0, (np.eye(6)[2],))]


def flanks(sizes: Mapping[str, float]) -> list[Term]:
    """Teeth: the force on the pitch circle, along the line of action."""
    i = np.eye(6)
    return [(1.0 / np.cos(sizes["pressure_angle"]), (i[0], i[1]))]


def thread(sizes: Mapping[str, float]) -> list[Term]:
    """A thread: its axial force, across the flanks that carry it."""
    climb = np.arctan2(abs(sizes["lead"]), 2.0 * np.pi * sizes["radius"])
    slant = np.arctan(np.tan(sizes["flank"]) * np.cos(climb))
    return [(1.0 / (np.cos(climb) * np.cos(slant)), (np.eye(6)[2],))]


@dataclass(frozen=True)
class Rubbing:
    """Facts about the friction of a joint kind."""

    slides: tuple[str, ...]  # free coordinates
    normal: Callable[[Mapping[str, float]], list[Term]]
    needs: tuple[str, ...]  # sizes
    spatial: tuple[str, ...] = ()  # those of them that a planar model does without: arms of torques that it has not
    turns: tuple[str, ...] = ()  # those of ``slides`` that are angles: they slide at the effective radius
