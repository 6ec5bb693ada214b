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


@dataclass(frozen=True)
class GuideCrank:
    """P2, P5: planar slider-crank with clearance in its guide (Flores, Leine and Glocker 2010, table 1).

    Crank, rod and slider in a row along x at the start; hinges about z at the origin, at the end of the crank and at
    the centre of the slider, which is also its centre of mass; gravity along -y. The guide is wider than the slider by
    ``gap`` on each side. Rigid contact with Newton's restitution and Coulomb's friction. Two turns take 0.13755 s.
    """

    crank: float = 0.153  # m
    rod: float = 0.306
    length: float = 0.1  # m, of the slider
    width: float = 0.05
    gap: float = 1e-3  # m
    masses: Vector = (0.038, 0.038, 0.076)  # kg: crank, rod, slider
    inertias: Vector = (7.4e-5, 5.9e-4, 2.7e-6)  # kg m2 about z through the centres of mass
    speeds: Vector = (150.0, -75.0, 0.0)  # rad/s
    restitution: float = 0.4
    friction: float = 0.01
    gravity: float = 9.81  # m/s2
    step: float = 1e-5  # s
    steps: int = 13750
    sampling: int = 10  # steps between two samples
    gaps: tuple[float, float] = (0.5e-3, 1.5e-3)  # m, P5 samples gaps uniformly between these

    @property
    def centres(self) -> Vector:
        """Where the centres of mass lie on the x axis at the start, m."""
        return (self.crank / 2, self.crank + self.rod / 2, self.crank + self.rod)

    @property
    def velocities(self) -> Vector:
        """Their velocities along y at the start, m/s."""
        pin = self.speeds[0] * self.crank
        return (pin / 2, pin + self.speeds[1] * self.rod / 2, pin + self.speeds[1] * self.rod)


@dataclass(frozen=True)
class JournalPendulum:
    """P3: a body with a hole hangs on a fixed pin that is thinner by ``gap`` in radius; motion in the x-y plane.

    Released at rest with its centre of mass level with the pin, on +x, and the hole centred on the pin. The source
    gives mass, arm, radius and gap; the moment of inertia is that of a slender body of about this size, and restitution
    and friction are chosen so that both matter.
    """

    mass: float = 2.0  # kg
    inertia: float = 2e-4  # kg m2 about z through the centre of mass
    arm: float = 0.0309  # m, from the centre of the hole to the centre of mass
    radius: float = 5e-3  # m, of the pin
    gap: float = 1e-4  # m
    restitution: float = 0.4
    friction: float = 0.1
    gravity: float = 9.81  # m/s2, along -y
    step: float = 1e-4  # s
    steps: int = 20000
    sampling: int = 100  # steps between two samples


SLIDER_CRANK = SliderCrank()
GUIDE_CRANK = GuideCrank()
JOURNAL = JournalPendulum()
CHAIN = Chain()
