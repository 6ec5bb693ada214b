"""Figures, ready for a screen, a page of a journal or a notebook; public as ``jointplay.figures``.

    lines          any quantities over time or over each other, several runs
    orbit          a journal, ball or slider inside its clearance
    modes, gaps    contact modes over time; gaps, impulses and modes together
    phase, poincare, spectrum
    energy         the ledger as stacked areas, its error below
    steps          how long the steps were
    sensitivities  derivatives as curves and bars
    convergence    errors over steps, with the order they show
    schematic      a mechanism as drawn, in sticks
    studies        histogram, tornado, estimates, scatter, worst runs of a study

Every function returns a matplotlib Figure, and takes ``path``, ``width`` ("89 mm", "column", "page", "slide"),
``height``, ``dpi`` and ``title``. ``svg(figure)`` and ``png(figure)`` give what a page embeds. Figures are made without
pyplot: no window, no global state, the same picture on a server as on a desk.
"""

from __future__ import annotations

from . import studies
from .convergence import convergence
from .energy import energy
from .gaps import gaps
from .lines import lines
from .modes import modes
from .orbit import orbit
from .phase import phase, poincare
from .saving import png, svg
from .schematic import schematic
from .sensitivities import sensitivities
from .spectrum import spectrum
from .steps import steps
from .style import COLOURS

__all__ = [
    "COLOURS",
    "convergence",
    "energy",
    "gaps",
    "lines",
    "modes",
    "orbit",
    "phase",
    "png",
    "poincare",
    "schematic",
    "sensitivities",
    "spectrum",
    "steps",
    "studies",
    "svg",
]
