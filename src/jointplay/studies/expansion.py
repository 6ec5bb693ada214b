"""Thermal expansion of materials, mean between 20 and 100 degrees Celsius, in 1/K: round figures of handbooks."""

from __future__ import annotations

EXPANSION = {
    "steel": 11.5e-6,
    "stainless steel": 16.0e-6,
    "cast iron": 10.5e-6,
    "aluminium": 23.0e-6,
    "brass": 19.0e-6,
    "bronze": 17.5e-6,
    "titanium": 8.6e-6,
    "copper": 16.5e-6,
    "magnesium": 26.0e-6,
    "zinc": 30.0e-6,
    "polyamide": 85.0e-6,
    "acetal": 110.0e-6,
}
