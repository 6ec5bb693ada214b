"""Numbers for people: a unit of the right size, as many digits as mean something."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import floor, isfinite, log10
from typing import Any

from ..figures.prefixes import Scale, scale_of
from .markup import Markup, inner

DIGITS = 4
MINUS = "\N{MINUS SIGN}"
RAISED = str.maketrans("0123456789.", "⁰¹²³⁴⁵⁶⁷⁸⁹·")
PLAIN = range(-4, 6)  # powers of ten of numbers that are written out
ROUNDING = 1e-12  # of the largest component: a smaller one is none


class Column:
    """Numbers of one kind that stand together: one unit for all, chosen by the largest."""

    def __init__(self, word: str, values: Iterable[float], unit: str) -> None:
        self.word = word
        self.scale: Scale = scale_of(unit, max((abs(one) for one in values if isfinite(one)), default=0.0))

    @property
    def head(self) -> str:
        """Word and unit for the head of the column."""
        return f"{self.word} [{pretty(self.scale.unit)}]"

    def show(self, value: float, digits: int = DIGITS) -> Markup:
        """A number of this column."""
        return number(value / self.scale.factor, digits)


def number(value: float, digits: int = DIGITS) -> Markup:
    """With so many digits; very large and very small ones as a power of ten."""
    value = float(value)
    if not isfinite(value):
        return Markup("–")
    if value == 0.0:
        return Markup("0")
    if floor(log10(abs(value))) in PLAIN:
        text = f"{value:.{digits}g}"
        return Markup((f"{float(text):.0f}" if "e" in text else text).replace("-", MINUS))
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return Markup(f"{mantissa} × 10<sup>{int(power)}</sup>".replace("-", MINUS))


def pretty(unit: str) -> str:
    """A unit as it is printed: ``kg*m^2`` becomes kg·m²."""
    if " or " in unit:
        return unit
    raised = re.sub(r"\^?(\d+(?:\.\d+)?)", lambda found: found[1].translate(RAISED), unit)
    return raised.replace("*", "·").replace(" ", "·")


def quantity(value: Any, unit: str, digits: int = 6) -> Markup:
    """A number with its unit; what is no number stays as it is."""
    if not isinstance(value, (int, float)):
        return Markup(inner(value))
    column = Column("", [float(value)], unit.replace("*", " "))
    shown = "" if column.scale.unit in ("", "1") else f" {inner(pretty(column.scale.unit))}"
    return Markup(f"{column.show(float(value), digits)}{shown}")


def vector(values: Iterable[float], unit: str, digits: int = 5) -> Markup:
    """Components in brackets, with their unit."""
    values = [float(value) for value in values]
    column = Column("", values, unit.replace("*", " "))
    return Markup(f"{components(values, column, digits)} {inner(pretty(column.scale.unit))}")


def components(values: Iterable[float], column: Column, digits: int = 5) -> Markup:
    """Components in brackets, in the unit of their column."""
    values = [float(value) for value in values]
    least = ROUNDING * max((abs(value) for value in values), default=0.0)
    return Markup(f"({', '.join(column.show(value if abs(value) > least else 0.0, digits) for value in values)})")
