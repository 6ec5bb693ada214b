"""Hunt-Crossley: elastic contact with a damping in proportion to the elastic force.

    N = K x^n (1 + a rate/onset)

``form="original"``: a = 3 (1 - e)/2, from the loss of a nearly elastic impact: e = 1 - alpha v with a = 3 alpha v/2.
Good for e near 1 (0.9 prescribed, 0.909 obtained); 0.5 prescribed gives 0.663, and no impact falls below 0.488.

``form="exact"``: a is the root of a (1 + e) = ln((1 + a)/(1 - a e)), so that a free impact ends with e times its onset
speed, for every 0 < e <= 1 (laws/hysteresis.py); e = 0 would need an unbounded damping.

Range of validity: as Hertz, with a material whose loss grows with speed; e is a constant of the law here, where
experiments find it to fall with the speed of impact. Sources: K. H. Hunt, F. R. E. Crossley, Journal of Applied
Mechanics 42 (1975) 440-445; exact relation: Y. Gonthier et al., Multibody System Dynamics 11 (2004) 209-233.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import choice
from .hysteresis import Hysteresis, check_restitution, damping_for


@dataclass(frozen=True)
class HuntCrossley(Hysteresis):
    """Elastic contact with a damping of 3 (1 - e)/2 relative to the elastic force, or the one that gives e exactly."""

    key: ClassVar[str] = "hunt_crossley"

    form: str = choice("original", "exact")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form not in ("original", "exact"):
            raise ValueError(f"form must be 'original' or 'exact', is {self.form!r}")
        if self.form == "exact" and not isinstance(self.restitution, str):
            check_restitution(self.restitution, positive=True)

    def damping_factor(self) -> float:
        """3 (1 - e) / 2, or the root of the exact relation."""
        e = float(self.restitution)
        return damping_for(e) if self.form == "exact" else 1.5 * (1.0 - e)
