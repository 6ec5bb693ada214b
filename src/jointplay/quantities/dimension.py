"""Dimensions: products of powers of the SI base units, with the angle as a base of its own.

    dimension = m^a kg^b s^c rad^d A^e ...

A plain number has no dimension (``None``) and fits everywhere: it counts as SI. The radian is kept apart so that an
angle cannot pass for a plain number (``45 deg`` is no length), but it may drop out of products, as it does in
v = omega r: two dimensions *agree* if they are equal once rad is struck out, and an angle agrees with a plain number.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

ORDER = ("kg", "m", "s", "rad", "A", "K", "mol", "cd")
ANGLE = "rad"


class QuantityError(ValueError):
    """A number, unit or expression that cannot be used; the message is a sentence for the user."""


@dataclass(frozen=True)
class Dimension:
    """Powers of base units, sorted by name, none of them zero."""

    powers: tuple[tuple[str, Fraction], ...]

    @staticmethod
    def of(powers: dict[str, Fraction | float]) -> Dimension | None:
        """Dimension with these powers; ``None``, the plain number, if all vanish."""
        exact = {base: Fraction(power).limit_denominator(120) for base, power in powers.items()}
        kept = tuple(sorted((base, power) for base, power in exact.items() if power))
        return Dimension(kept) if kept else None

    def __str__(self) -> str:
        powers = dict(self.powers)
        ranked = sorted(powers, key=lambda base: (ORDER.index(base) if base in ORDER else len(ORDER), base))
        above = [_power(base, powers[base]) for base in ranked if powers[base] > 0]
        below = [_power(base, -powers[base]) for base in ranked if powers[base] < 0]
        return "*".join(above or ["1"]) + "".join(f"/{factor}" for factor in below)


# Of a plain number times something that is sensed: "0.1*A.angle_rate" may be a torque, 0.1 being in N m s/rad.
ANY = Dimension((("any", Fraction(1)),))


def _power(base: str, power: Fraction) -> str:
    return base if power == 1 else f"{base}^{float(power):g}"


@dataclass(frozen=True)
class Value:
    """A number in SI and its dimension; dimension ``None`` is a plain number."""

    si: float
    dimension: Dimension | None = None


def product(a: Dimension | None, b: Dimension | None, power: Fraction | float = 1) -> Dimension | None:
    """The dimension of a * b^power."""
    if ANY in (a, b):
        return ANY
    powers: dict[str, Fraction | float] = dict(a.powers) if a else {}
    exponent = Fraction(power)
    for base, own in b.powers if b else ():
        powers[base] = Fraction(powers.get(base, 0)) + own * exponent
    return Dimension.of(powers)


def without_angle(a: Dimension | None) -> Dimension | None:
    """The dimension with rad struck out."""
    return Dimension.of({base: power for base, power in a.powers if base != ANGLE}) if a else None


def angle_power(a: Dimension | None) -> Fraction:
    """The power of rad in a dimension."""
    return dict(a.powers).get(ANGLE, Fraction(0)) if a else Fraction(0)


def agree(a: Dimension | None, b: Dimension | None) -> bool:
    """Can ``a`` and ``b`` be added? Plain numbers agree with everything; radians do not count."""
    return ANY in (a, b) or a is None or b is None or without_angle(a) == without_angle(b)


def _named(word: str, **powers: float) -> tuple[Dimension | None, str]:
    return Dimension.of(dict(powers)), word


# Words for people. Where two quantities share a dimension (torque and energy), the one met more often in a model wins.
WORDS: dict[Dimension | None, str] = dict(
    [
        _named("plain number"),
        _named("length", m=1),
        _named("area", m=2),
        _named("volume", m=3),
        _named("mass", kg=1),
        _named("density", kg=1, m=-3),
        _named("moment of inertia", kg=1, m=2),
        _named("time", s=1),
        _named("frequency", s=-1),
        _named("angle", rad=1),
        _named("speed", m=1, s=-1),
        _named("acceleration", m=1, s=-2),
        _named("angular velocity", rad=1, s=-1),
        _named("angular acceleration", rad=1, s=-2),
        _named("force", kg=1, m=1, s=-2),
        _named("torque", kg=1, m=2, s=-2),
        _named("power", kg=1, m=2, s=-3),
        _named("pressure", kg=1, m=-1, s=-2),
        _named("impulse", kg=1, m=1, s=-1),
        _named("stiffness", kg=1, s=-2),
        _named("damping", kg=1, s=-1),
        _named("contact stiffness", kg=1, m=-0.5, s=-2),
        _named("rotational stiffness", kg=1, m=2, s=-2, rad=-1),
        _named("rotational contact stiffness", kg=1, m=2, s=-2, rad=-1.5),
        _named("rotational damping", kg=1, m=2, s=-1, rad=-1),
        _named("electric current", A=1),
        _named("temperature", K=1),
    ]
)


def describe(dimension: Dimension | None) -> str:
    """A word for the dimension ("stiffness"), or its SI unit where there is no word."""
    return WORDS.get(dimension) or str(dimension)
