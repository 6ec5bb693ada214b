"""What a unit is worth: the only place that meets pint, and only for units that are not met every day (everyday.py).

    1 unit = factor * (SI base units of its dimension)

Pint serves as a dictionary of single names ("mm", "lbf", "rpm"); products and powers are ours (grammar.py), so no text
of a user ever reaches pint's own parser.
"""

from __future__ import annotations

import difflib
import re
from fractions import Fraction
from functools import cache
from typing import Any

from .dimension import Dimension, QuantityError, product
from .everyday import EVERYDAY
from .grammar import parse_unit

# pint writes base units in full.
BASES = {
    "kilogram": "kg",
    "meter": "m",
    "second": "s",
    "radian": "rad",
    "ampere": "A",
    "kelvin": "K",
    "mole": "mol",
    "candela": "cd",
}
# Ways of writing that pint does not know, or reads as something else.
ADDED = ("newton_meter = newton * meter = Nm", "newton_millimeter = newton * millimeter = Nmm", "@alias turn = rev")
COMMON = (
    "m mm cm km um nm inch ft kg g t lb s ms us min h rad mrad deg turn rev rpm Hz kHz N kN MN mN lbf "
    "N*m Nm Nmm Pa kPa MPa GPa bar psi J kJ W kW percent A K"
).split()


@cache
def _pint() -> Any:
    import pint

    registry: Any = pint.UnitRegistry(cache_folder=None)
    for line in ADDED:
        registry.define(line)
    return registry


@cache
def _single(name: str) -> tuple[float, Dimension | None]:
    return EVERYDAY[name] if name in EVERYDAY else of_pint(name)


def of_pint(name: str) -> tuple[float, Dimension | None]:
    """The factor to SI and the dimension of a single unit, as pint has them."""
    registry = _pint()
    try:
        quantity = registry.Quantity(1.0, registry.Unit(registry.UnitsContainer({registry.get_name(name): 1})))
        multiplies = quantity._is_multiplicative
        factor, base = registry.get_base_units(quantity.units)
    except Exception as error:
        raise QuantityError(unknown_unit(name)) from error
    if not multiplies:
        raise QuantityError(f"the unit {name!r} has an offset or is logarithmic and cannot be used here")
    powers = {BASES.get(unit, unit): Fraction(power).limit_denominator(120) for unit, power in base._units.items()}
    return float(factor), Dimension.of(dict(powers))


def unknown_unit(name: str) -> str:
    """The sentence about a unit nobody knows, with the nearest one."""
    if power := re.fullmatch(r"([^\W\d]+)(\d)", name):
        return f"unknown unit {name!r}; a power is written {power[1]}^{power[2]}"
    near = difflib.get_close_matches(name, COMMON, n=1, cutoff=0.6) or [u for u in COMMON if u.lower() == name.lower()]
    return f"unknown unit {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")


@cache
def unit_facts(unit: str) -> tuple[float, Dimension | None]:
    """The factor to SI and the dimension of a unit such as "N/mm" ("" is a plain number)."""
    factor, dimension = 1.0, None
    for name, power in parse_unit(unit):
        own, base = _single(name)
        try:
            factor *= own ** float(power)
        except OverflowError as error:
            raise QuantityError(f"the unit {unit!r} is too large to be used") from error
        dimension = product(dimension, base, power)
    return factor, dimension


def in_si(number: float, unit: str) -> float:
    """``number`` units in SI; correctly rounded where a unit is 1/n of SI, so that "0.3 mm" is 0.0003."""
    factor, _ = unit_facts(unit)
    below = round(1.0 / factor) if 1e-15 < factor < 1.0 else 0
    exact = below > 1 and abs(below * factor - 1.0) < 1e-12
    return number / below if exact else number * factor
