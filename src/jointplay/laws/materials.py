"""What surfaces are made of, and the stiffness of two spheres that touch (paper C eq. 43).

    K = 4/3 E* sqrt(R),      1/E* = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2,      1/R = 1/R_1 + 1/R_2

K in N/m^1.5, for the force K x^1.5 of Hertz. For equal materials E* = E / (2 (1 - nu^2)). The radius of a hollow is
negative; a plane has none. A ball of radius R_i in a socket with the radial play gap: R = R_i (R_i + gap) / gap.

Range of validity: small strains, a patch of contact that is small against both radii (a ball that fits its socket
closely leaves it soon), no yielding, no friction, quasistatic. Source: K. L. Johnson, Contact Mechanics, Cambridge
University Press 1985, sect. 4.2.

``MATERIALS`` has rounded typical values at room temperature, after W. D. Callister, D. G. Rethwisch, Materials Science
and Engineering, appendix B, and J. M. Gere, Mechanics of Materials, appendix H (about the middle of a range).
Meant are plain carbon steel, stainless 304, grey iron, 6061, cartridge brass, bearing bronze, electrolytic copper,
Ti-6Al-4V, soda-lime glass, nylon 6,6 (dry); and, as makers of bearings state them, tungsten carbide with 6 % cobalt and
acetal homopolymer. Single grades of metals differ by several per cent, cast iron and plastics by much more: give E and
nu where you know them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .compliant import Sizes


class Material(NamedTuple):
    """Elastic constants of an isotropic material."""

    E: float  # Young's modulus, Pa
    nu: float  # Poisson's ratio


MATERIALS: dict[str, Material] = {
    "steel": Material(207e9, 0.30),
    "stainless_steel": Material(193e9, 0.30),
    "cast_iron": Material(100e9, 0.26),
    "aluminium": Material(69e9, 0.33),
    "brass": Material(110e9, 0.35),
    "bronze": Material(100e9, 0.34),
    "copper": Material(115e9, 0.33),
    "titanium": Material(114e9, 0.34),
    "tungsten_carbide": Material(600e9, 0.22),
    "glass": Material(69e9, 0.23),
    "nylon": Material(2.7e9, 0.39),
    "ptfe": Material(0.48e9, 0.46),
    "acetal": Material(3.1e9, 0.35),
}

Pair = tuple[Material, Material]
Number = Callable[[Any, str], float]


def plain_number(value: Any, unit: str) -> float:
    """``value`` as a number in SI; the reader of models passes a converter that knows units instead."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"needs a number in {unit or 'no unit'}, not {value!r}")
    return float(value)


def read_material(raw: Any, number: Number = plain_number) -> Pair:
    """The two materials of a contact: ``raw`` is one for both surfaces, or a list of two.

    A material is a name of ``MATERIALS``, {E: ..., nu: ...}, or (E, nu) as numbers. ``number(value, unit)`` converts to
    SI. A ValueError explains what is wrong.
    """
    if isinstance(raw, Sequence) and not isinstance(raw, str) and not _numeric(raw):
        if len(raw) != 2:
            raise ValueError(f"needs one material for both surfaces or a list of two, not {len(raw)}")
        return _one(raw[0], number), _one(raw[1], number)
    both = _one(raw, number)
    return both, both


def _numeric(raw: Sequence[Any]) -> bool:
    return len(raw) == 2 and all(isinstance(value, (int, float)) for value in raw)


def _one(raw: Any, number: Number) -> Material:
    if isinstance(raw, str):
        return _named(raw)
    if isinstance(raw, Mapping):
        for key in raw:
            if key not in Material._fields:
                raise ValueError(f"a material has 'E' and 'nu', not '{key}'")
        for key in Material._fields:
            if key not in raw:
                raise ValueError(f"the material needs '{key}' as well")
        found = Material(number(raw["E"], "Pa"), number(raw["nu"], ""))
    elif isinstance(raw, Sequence) and _numeric(raw):
        found = Material(float(raw[0]), float(raw[1]))
    else:
        raise ValueError(f"needs the name of a material or {{E: ..., nu: ...}}, not {raw!r}")
    if not (found.E > 0.0 and isfinite(found.E)):
        raise ValueError(f"E must be greater than 0, is {found.E:g} Pa")
    if not 0.0 <= found.nu <= 0.5:
        raise ValueError(f"nu must lie between 0 and 0.5, is {found.nu:g}")
    return found


def _named(name: str) -> Material:
    key = name.strip().lower().replace(" ", "_").replace("-", "_")
    if key in MATERIALS:
        return MATERIALS[key]
    near = get_close_matches(key, MATERIALS, n=1)
    hint = (
        f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(MATERIALS)}, or give {{E: ..., nu: ...}}"
    )
    raise ValueError(f"there is no material '{name}'{hint}")


def composite_modulus(pair: Pair) -> float:
    """E* in Pa: 1/E* = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2."""
    return 1.0 / sum((1.0 - nu * nu) / E for E, nu in pair)


def composite_radius(radii: float | Sequence[float]) -> float:
    """R in m: 1/R = 1/R_1 + 1/R_2; one radius alone lies against a plane."""
    values = [float(radii)] if isinstance(radii, (int, float)) else [float(radius) for radius in radii]
    if not 1 <= len(values) <= 2:
        raise ValueError(f"'radii' needs one radius (against a plane) or two, not {len(values)}")
    if any(value == 0.0 or not isfinite(value) for value in values):
        raise ValueError("'radii' must not be 0; leave the second one out for a plane")
    curvature = sum(1.0 / value for value in values)
    if len(values) == 2 and values[0] == -values[1]:
        raise ValueError("'radii' are equal and opposite: such surfaces touch everywhere; give 'stiffness' instead")
    if curvature < 0.0:
        raise ValueError("'radii' do not touch at a point: the hollow (negative) must be the larger one")
    return 1.0 / curvature


def stiffness_of(material: Any, radii: float | Sequence[float] | None, sizes: Sizes) -> float:
    """K in N/m^1.5 of two spheres, from ``radii``, or from the radius and the play of a ball in its socket (eq. 43)."""
    if radii is not None:
        R = composite_radius(radii)
    elif sizes.radius is None or sizes.gap is None:
        raise ValueError("the stiffness from 'material' needs 'radii' here, or the radius of a joint with clearance")
    elif sizes.radius <= 0.0:
        raise ValueError(f"the radius must be greater than 0, is {sizes.radius:g} m")
    elif sizes.gap <= 0.0:
        raise ValueError(
            "the stiffness from 'material' grows without bound where the gap is 0: give 'stiffness' instead"
        )
    else:
        R = sizes.radius * (sizes.radius + sizes.gap) / sizes.gap
    return 4.0 / 3.0 * composite_modulus(read_material(material)) * sqrt(R)
