"""All joint kinds, by the name that model files and System use."""

from __future__ import annotations

from .base import JointKind
from .belt import BELT
from .bevel_gear import BEVEL_GEAR
from .cylindrical import CYLINDRICAL
from .distance import DISTANCE
from .fixed import FIXED
from .gear import GEAR
from .planar import PLANAR
from .prismatic import PRISMATIC
from .rack import RACK
from .revolute import REVOLUTE
from .revolute_spherical import REVOLUTE_SPHERICAL
from .screw import SCREW
from .spherical import SPHERICAL
from .universal import UNIVERSAL

KINDS: dict[str, JointKind] = {
    kind.key: kind
    for kind in (
        FIXED,
        REVOLUTE,
        PRISMATIC,
        CYLINDRICAL,
        SPHERICAL,
        UNIVERSAL,
        PLANAR,
        DISTANCE,
        REVOLUTE_SPHERICAL,
        GEAR,
        BEVEL_GEAR,
        RACK,
        SCREW,
        BELT,
    )
}
