"""All joint kinds, by the name that model files and System use."""

from __future__ import annotations

from .base import JointKind
from .cylindrical import CYLINDRICAL
from .distance import DISTANCE
from .fixed import FIXED
from .planar import PLANAR
from .prismatic import PRISMATIC
from .revolute import REVOLUTE
from .revolute_spherical import REVOLUTE_SPHERICAL
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
    )
}
