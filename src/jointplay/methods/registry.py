"""All methods, by the name that model files and the command line use."""

from __future__ import annotations

from .base import Method
from .explicit import Explicit
from .implicit import Implicit
from .index1 import Index1
from .moreau import Moreau
from .optimal_step import OptimalStep
from .verlet import Verlet

REGISTRY: tuple[type[Method], ...] = (Explicit, Implicit, Index1, Verlet, Moreau, OptimalStep)
METHODS: dict[str, type[Method]] = {method.key: method for method in REGISTRY}
