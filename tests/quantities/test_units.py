"""Numbers with units, and the errors a user reads."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from jointplay.quantities.everyday import EVERYDAY
from jointplay.quantities.registry import of_pint
from jointplay.quantities.units import QuantityError, Value, dimension_of, si, unit_factor, value_of

GAP = {"gap": Value(1e-4, dimension_of("m")), "n": Value(3.0)}


@pytest.mark.parametrize(
    ("raw", "unit", "value"),
    [
        (5, "m", 5.0),
        (2.5, "", 2.5),
        (np.float32(0.5), "m", 0.5),
        (np.int64(2), "m", 2.0),
        (np.array(3.0), "m", 3.0),
        (Fraction(1, 4), "m", 0.25),
        ("0.1 mm", "m", 1e-4),
        ("0.3 mm", "m", 3e-4),
        ("7 um", "m", 7e-6),
        ("15 N/mm", "N/m", 15e3),
        ("5e6 N/m^1.5", "N/m^1.5", 5e6),
        ("1 inch", "m", 0.0254),
        ("2 kg*m^2", "kg*m^2", 2.0),
        ("2 kg·m²", "kg*m^2", 2.0),
        ("90 deg", "rad", math.pi / 2),
        ("90°", "rad", math.pi / 2),
        ("1 rev", "rad", 2 * math.pi),
        ("60 rpm", "rad/s", 2 * math.pi),
        ("10 s^-1", "rad/s", 10.0),
        ("3 Nm", "N*m", 3.0),
        ("3 kNm", "N m", 3000.0),
        ("5 N*m", "N*m/rad", 5.0),
        ("5 N*m/rad", "N*m/rad", 5.0),
        ("50 %", "", 0.5),
        ("1 ms", "s", 1e-3),
        ("12", "m", 12.0),
        ("1e-4", "m", 1e-4),
        ("gap", "m", 1e-4),
        ("n*gap + 1 mm", "m", 1.3e-3),
        ("gap/gap", "m", 1.0),
        ("6 rad/s*2 m", "m/s", 12.0),
        (Value(2.0, None), "m", 2.0),
    ],
)
def test_si(raw: Any, unit: str, value: float) -> None:
    found = si(raw, unit, GAP)
    assert type(found) is float
    assert found == pytest.approx(value, rel=1e-15)


def test_fractions_of_si_are_rounded_once() -> None:
    assert all(si(f"{k / 10} mm", "m") == k / 10 / 1000 for k in range(1, 1000))
    assert si("0.3 mm", "m") == 3e-4  # 0.3 * 0.001 is another number


@pytest.mark.parametrize(
    ("raw", "unit", "message"),
    [
        ("5 kg", "m", r"expected a length \(m\), got 5 kg \(mass\)"),
        ("45 deg", "m", r"expected a length \(m\), got 45 deg \(angle\)"),
        ("1 m", "rad", r"expected an angle \(rad\), got 1 m \(length\)"),
        ("5 N*m/rad", "N*m", "rotational stiffness"),
        ("-5 N*m/rad", "N*m", "rotational stiffness"),
        ("5 m", "", r"expected a plain number, got 5 m \(length\)"),
        ("gap*gap", "m", "area"),
        ("50 Hz", "rad/s", "write 50 turn/s or 50 rad/s"),
        ("20 degC", "K", "offset"),
        ("3 dB", "", "logarithmic"),
        ("5 kgg", "kg", "did you mean 'kg'"),
        ("2 kg*m2", "kg*m^2", r"m\^2"),
        (True, "m", "got True"),
        (np.True_, "m", "got"),
        (float("nan"), "m", "finite"),
        (float("inf"), "m", "finite"),
        (10**400, "m", "finite"),
        (1j, "m", "got 1j"),
        (None, "m", "got None"),
        ([1.0], "m", "got"),
        ("", "m", "empty"),
    ],
)
def test_what_is_refused(raw: Any, unit: str, message: str) -> None:
    with pytest.raises(QuantityError, match=message):
        si(raw, unit, GAP)


class Quantity:
    """What a quantity of another library looks like."""

    def __init__(self, magnitude: Any, units: str) -> None:
        self.magnitude, self.units = magnitude, units


def test_quantities_of_pint() -> None:
    pint = pytest.importorskip("pint")
    own = pint.UnitRegistry()
    assert si(own.Quantity(5, "mm"), "m") == 5e-3
    assert si(own.Quantity(2, "N/m**1.5"), "N/m^1.5") == 2.0
    assert si(own.Quantity(2, ""), "") == 2.0
    assert si(Quantity(3, "millimeter"), "m") == 3e-3
    with pytest.raises(QuantityError, match="mass"):
        si(own.Quantity(5, "kg"), "m")
    with pytest.raises(QuantityError):
        si(own.Quantity(20, "degC"), "K")


def test_value_of_keeps_the_dimension() -> None:
    assert value_of(3) == Value(3.0, None)
    assert value_of("0.1 mm") == Value(1e-4, dimension_of("m"))
    assert value_of("2*gap", GAP) == Value(2e-4, dimension_of("m"))


def test_dimensions_and_factors_of_units() -> None:
    assert dimension_of("") is None
    assert dimension_of("percent") is None
    assert dimension_of("N") == dimension_of("kg*m/s^2")
    assert dimension_of("J") == dimension_of("N m")
    assert dimension_of("1/s") == dimension_of("Hz")
    assert dimension_of("deg") == dimension_of("rad") != dimension_of("")
    assert hash(dimension_of("N")) == hash(dimension_of("kg*m/s^2"))
    assert str(dimension_of("N/m^1.5")) == "kg/m^0.5/s^2"
    assert unit_factor("N/mm") == pytest.approx(1000.0)
    assert unit_factor("t") == 1000.0


def test_plain_numbers_do_not_import_pint() -> None:
    script = (
        "import sys; from jointplay.quantities.units import si; "
        "assert si(5, 'm') == 5; assert si('2*3', 'm') == 6; assert 'pint' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


@pytest.mark.parametrize("name", EVERYDAY)
def test_everyday_units_are_those_of_pint(name: str) -> None:
    """To the last bit."""
    assert of_pint(name) == EVERYDAY[name]


def test_everyday_units_do_not_import_pint() -> None:
    code = (
        "import sys\nfrom jointplay.quantities.units import si\n"
        "assert si('15 N/mm', 'N/m') == 15e3 and si('5 kg*m^2', 'kg*m^2') == 5 and si('90 deg', 'rad') > 1.5\n"
        "assert 'pint' not in sys.modules\nassert si('1 furlong', 'm') > 200 and 'pint' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
