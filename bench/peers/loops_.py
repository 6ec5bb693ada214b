"""Loops written by hand for one mechanism each: no peers but yardsticks of what a step costs at the least.

P2, P5: three angles and at most four corners, Moreau's midpoint rule (``tests/slidercrank_reference.py``). P3: three
coordinates and one contact, the same rule (``truth.py``, where its limit of small steps is the truth). Both are
compiled by Numba, allocate nothing in a step and know their mechanism by heart: hinges cost nothing and M is inverted
on paper.
"""

from __future__ import annotations

import time

import numba
import numpy as np

from tests.slidercrank_reference import moreau_kernel

from ..contracts import GuideEntry, GuideRun, JournalEntry, JournalRun, Refusal
from ..problems import GUIDE_CRANK, JOURNAL
from ..truth import guide_mechanism, journal_kernel

PACKAGE = "numba"


def version() -> str:
    """Name and version."""
    return f"hand-written loops, Numba {numba.__version__}"


def _guide_run(gap: float, every: int) -> GuideRun:
    data = GUIDE_CRANK
    mechanism = guide_mechanism(gap)
    constants = mechanism.constants()
    rows = data.steps // every + 1
    states, impulses = np.empty((rows, 6)), np.empty((rows, 4))
    begin = time.perf_counter()
    filled = moreau_kernel(constants, mechanism.angles, mechanism.speeds, data.step, every, states, impulses)
    seconds = time.perf_counter() - begin
    if filled < rows:
        raise Refusal(f"no solution of the contact problem before {filled * every * data.step:.4f} s")
    crank, rod, turn = states[:, 0], states[:, 1], states[:, 2]
    return GuideRun(seconds, data.steps, crank, data.crank * np.sin(crank) + data.rod * np.sin(rod), turn)


def guide() -> list[GuideEntry]:
    """Moreau's midpoint rule in three angles."""
    return [GuideEntry("hand-written", "Moreau", "can do nothing else", _guide_run, fleet=1000)]


def _journal_run() -> JournalRun:
    data = JOURNAL
    out = np.empty((data.steps // data.sampling + 1, 2))
    begin = time.perf_counter()
    journal_kernel(
        data.mass, data.inertia, data.arm, data.radius + data.gap, data.gap, data.restitution, data.friction,
        data.gravity, data.step, data.sampling, out,
    )  # fmt: skip
    seconds = time.perf_counter() - begin
    return JournalRun(seconds, data.steps, out[:, 0], out[:, 1])


def journal() -> list[JournalEntry]:
    """Moreau's midpoint rule in three coordinates."""
    return [JournalEntry("hand-written", "Moreau", "can do nothing else; gap drifts", _journal_run)]
