"""Laws of impact of rigid contacts, by name: which kernel solves them, and whether they are bounded by energy.

A law of impact is a kernel file in methods/ (methods/rebounds.py defines what it has to do), its place there, and an
entry here.

    bounded   Newton's law; restitutions are lessened where an impact would make energy
    newton    Newton's law as it stands; what it makes is reported
    poisson   Poisson's law, compression and expansion with Coulomb friction in each; bounded likewise
"""

from __future__ import annotations

from typing import NamedTuple

NEWTON, POISSON = range(2)  # places in methods/rebounds.py


class ImpactLaw(NamedTuple):
    """Facts about a law of impact."""

    kernel: int
    bounded: bool
    tangential: bool  # takes a restitution along the wall


IMPACT_LAWS = {
    "bounded": ImpactLaw(NEWTON, bounded=True, tangential=True),
    "newton": ImpactLaw(NEWTON, bounded=False, tangential=True),
    "poisson": ImpactLaw(POISSON, bounded=True, tangential=False),
}
