"""What a run means: modes of contact, impacts, orbits, forces averaged over windows; spectra, sections, convergence.

All of that reads a Solution and changes nothing. What a function gives for the time between two saved instants rests
on the list of impacts, which is complete, and otherwise on the saved instants. ``friction_iterations`` reads a System.
"""

from __future__ import annotations

from .contacts import closed, contact_names, gap_history
from .convergence import Order, errors, order, step_of
from .friction import FrictionIterations, friction_iterations
from .impacts import impacts_summary
from .mean_forces import ImpulseParts, WindowMeans, impulse_parts, mean_force, moving_force
from .modes import Mode, contact_modes, mode_shares
from .orbits import Orbit, orbit
from .sections import crossings, strokes
from .sliders import SliderPath, slider_path
from .spectra import Spectrum, spectrum

__all__ = [
    "FrictionIterations",
    "ImpulseParts",
    "Mode",
    "Orbit",
    "Order",
    "SliderPath",
    "Spectrum",
    "WindowMeans",
    "closed",
    "contact_modes",
    "contact_names",
    "crossings",
    "errors",
    "friction_iterations",
    "gap_history",
    "impacts_summary",
    "impulse_parts",
    "mean_force",
    "mode_shares",
    "moving_force",
    "orbit",
    "order",
    "slider_path",
    "spectrum",
    "step_of",
    "strokes",
]
