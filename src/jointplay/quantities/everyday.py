"""Units that nearly every model is written in: pint, which takes half a second to start, is used for rare ones only.

Powers are those of kg, m, s, rad. The numbers are pint's own, bit by bit (tests/quantities/test_units.py).
"""

from __future__ import annotations

from math import pi, tau

from .dimension import Dimension

BASES = ("kg", "m", "s", "rad")
LENGTH, MASS, TIME, ANGLE = (0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)
FORCE, TORQUE, PRESSURE, POWER = (1, 1, -2, 0), (1, 2, -2, 0), (1, -1, -2, 0), (1, 2, -3, 0)

_UNITS: dict[tuple[int, ...], dict[str, float]] = {
    LENGTH: {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3, "um": 1e-6, "µm": 1e-6, "nm": 1e-9, "inch": 0.0254},
    MASS: {"kg": 1.0, "g": 1e-3, "t": 1e3},
    TIME: {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "min": 60.0, "h": 3600.0},
    ANGLE: {"rad": 1.0, "mrad": 1e-3, "deg": pi / 180.0, "turn": tau, "rev": tau},
    (0, 0, -1, 1): {"rpm": tau / 60.0},
    (0, 0, -1, 0): {"Hz": 1.0, "kHz": 1e3},
    FORCE: {"N": 1.0, "kN": 1e3, "MN": 1e6, "mN": 1e-3},
    TORQUE: {"Nm": 1.0, "Nmm": 1e-3, "J": 1.0, "kJ": 1e3},
    PRESSURE: {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "bar": 1e5},
    POWER: {"W": 1.0, "kW": 1e3},
    (0, 0, 0, 0): {"percent": 1e-2},
}


def _facts() -> dict[str, tuple[float, Dimension | None]]:
    found: dict[str, tuple[float, Dimension | None]] = {}
    for powers, units in _UNITS.items():
        dimension = Dimension.of(dict(zip(BASES, map(float, powers), strict=True)))
        found |= {name: (factor, dimension) for name, factor in units.items()}
    return found


EVERYDAY = _facts()  # factor to SI and dimension, by name
