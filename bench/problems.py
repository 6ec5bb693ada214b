"""Data of the problems (SI), in one place, so that every engine is given the same numbers."""

from __future__ import annotations

from dataclasses import dataclass

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class SliderCrank:
    """P1: spatial slider-crank with ideal joints (Ambrosio and Pombo 2018, tables 1 and 2).

    Revolute at the pivot about x, spherical at B, universal at C (arm z on the slider, arm ``rod_arm`` on the rod),
    prismatic along x. The printed orientation and angular velocity of the rod are completed to all their digits.
    """

    crank: float = 0.08  # m
    rod: float = 0.3
    masses: Vector = (0.12, 0.5, 2.0)  # kg: crank, rod, slider
    crank_inertia: Vector = (1e-4, 1e-4, 1e-5)  # kg m2, principal
    rod_inertia: Vector = (4e-4, 4e-3, 4e-3)
    slider_inertia: Vector = (1e-4, 1e-4, 1e-4)
    pivot: Vector = (0.0, 0.1, 0.12)  # m
    pin: Vector = (0.0, 0.1, 0.2)  # B
    slider: Vector = (0.2, 0.0, 0.0)  # C, also the centre of mass of the slider
    rod_arm: Vector = (0.0, 0.8, 0.6)  # in the rod's axes, whose x points from B to C
    crank_speed: float = 6.0  # rad/s
    gravity: float = 9.81  # m/s2, along -z
    until: float = 5.0  # s
    sample: float = 0.02  # s, instants at which errors are read; every step size divides it


@dataclass(frozen=True)
class Chain:
    """P4: equal bars in a row along x, hung at the origin, released from rest; gravity along -z.

    A bar is a box of 0.2 m x 0.02 m x 0.02 m.
    """

    length: float = 0.2  # m
    width: float = 0.02
    mass: float = 0.1  # kg
    gravity: float = 9.81  # m/s2
    until: float = 1.0  # s
    step: float = 1e-3
    check_at: float = 0.2  # s, early enough that the motion has not become chaotic

    @property
    def inertia(self) -> Vector:
        """Principal moments about the centre of mass, kg m2; x along the bar."""
        across = self.mass * (self.length**2 + self.width**2) / 12
        return (self.mass * self.width**2 / 6, across, across)


SLIDER_CRANK = SliderCrank()
CHAIN = Chain()
