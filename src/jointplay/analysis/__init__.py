"""What a run with contacts means: modes of contact, impacts, orbits, forces averaged over windows.

All of that reads a Solution and changes nothing. What a function says about the time between two saved instants rests
on the list of impacts, which is complete, and otherwise on the saved instants. ``friction_iterations`` reads a System.
"""

from __future__ import annotations

from .contacts import closed, contact_names, gap_history
from .friction import FrictionIterations, friction_iterations
from .impacts import impacts_summary
from .modes import Mode, contact_modes, mode_shares
from .orbits import Orbit, orbit
from .plots import plot_gaps, plot_modes, plot_orbit
from .windows import ImpulseParts, WindowMeans, impulse_parts, mean_force, moving_force

__all__ = [
    "FrictionIterations",
    "ImpulseParts",
    "Mode",
    "Orbit",
    "WindowMeans",
    "closed",
    "contact_modes",
    "contact_names",
    "friction_iterations",
    "gap_history",
    "impacts_summary",
    "impulse_parts",
    "mean_force",
    "mode_shares",
    "moving_force",
    "orbit",
    "plot_gaps",
    "plot_modes",
    "plot_orbit",
]
