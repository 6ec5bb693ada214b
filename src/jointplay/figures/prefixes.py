"""Units with the prefix that keeps numbers readable: 0.0002 m is 200 µm, 12000 N is 12 kN.

Between 0.1 and 10,000 a number is readable as it is. A prefix goes to the first unit of a product or quotient, never to
one with an exponent, and a quantity whose unit takes none (rad, 1, kg m2) is left alone; 10⁻³ rad are mrad.
"""

from __future__ import annotations

import math
from typing import NamedTuple

PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
LEAST, MOST = 0.1, 1e4  # readable without a prefix
SHORT = 0.2  # s: a shorter time is written in ms
BOTH = ("m", "N", "J", "W", "s", "Hz")  # first units that take any prefix
SMALL = ("m", "s", "rad")  # first units that take only small ones: km/s2 is not used


class Scale(NamedTuple):
    """Drawn value = SI value / factor, in ``unit``."""

    factor: float
    unit: str

    @property
    def bracket(self) -> str:
        """The unit as it stands at an axis: `` [mm]``; nothing for a pure number."""
        if self.unit in ("", "1"):
            return ""
        return f" [{pretty(self.unit)}]"


def pretty(unit: str) -> str:
    """A unit as print shows it: ``N m`` is N·m, ``m/s2`` is m/s²."""
    if " or " in unit or ", " in unit:
        return unit
    return unit.replace(" ", "·").replace("2", "²").replace("3", "³")


def scale_of(unit: str, largest: float, least: float | None = None) -> Scale:
    """The scale for values in ``unit`` (SI) up to ``largest``, which is written without a prefix from ``least`` on."""
    first, separator, rest = _parts(unit)
    if " or " in unit or ", " in unit or not math.isfinite(largest) or largest <= 0.0:
        return Scale(1.0, unit)
    least = least or (SHORT if unit == "s" else LEAST)
    if least <= largest < MOST:
        return Scale(1.0, unit)
    power = 3 * math.floor(math.log10(largest) / 3.0 + 1e-12)
    power = min(max(power, -9), 9)
    if first in BOTH and (power < 0 or (first not in SMALL)):
        return Scale(10.0**power, f"{PREFIXES[power]}{first}{separator}{rest}")
    if first in SMALL and power < 0:
        return Scale(10.0**power, f"{PREFIXES[power]}{first}{separator}{rest}")
    return Scale(1.0, unit)


def _parts(unit: str) -> tuple[str, str, str]:
    """First unit, what separates it from the rest, the rest."""
    for k, letter in enumerate(unit):
        if letter in " /":
            return unit[:k], letter, unit[k + 1 :]
    return unit, "", ""


def readable(value: float, unit: str, least: float | None = None) -> str:
    """A value with its unit, for titles and notes: ``100 µm``."""
    scale = scale_of(unit, abs(value), least)
    return f"{value / scale.factor:.4g} {pretty(scale.unit)}".strip()
