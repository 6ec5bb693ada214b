"""The possible contacts of a joint: their names, their gaps, and when they are closed."""

from __future__ import annotations

import numpy as np

from ..errors import InputError, Problem
from ..model.names import suggest
from ..results.solution import Solution

CLOSED = 1e-6  # of the largest gap of the joint: a smaller one is none,
LEAST = 1e-10  # m, and so is one smaller than what methods leave in a closed contact


def contact_names(solution: Solution, joint: str) -> tuple[str, ...]:
    """Names of the contacts of a joint with clearance, such as ``D.radial[0]``, in the order of the columns."""
    if not len(solution.time):
        raise InputError(Problem("solution", "there is nothing to look at: no state was saved"))
    try:
        variable, places = solution.layout.find(f"{joint}.gap")
    except KeyError:
        ending = ".gap"
        known = [name.removesuffix(ending) for name in solution.layout.names if name.endswith(ending)]
        hint = (
            suggest(joint, known).replace("known:", "the joints with clearance are")
            if known
            else "; no joint of this run has clearance"
        )
        raise InputError(Problem("joint", f"{joint!r} has no contacts{hint}")) from None
    assert isinstance(places, list)
    return tuple(variable.labels[k] for k in places)


def own_name(contact: str) -> str:
    """A contact's name within its joint: ``radial[0]`` of ``D.radial[0]``."""
    return contact.partition(".")[2]


def gap_history(solution: Solution, joint: str, *, relative: bool = False) -> dict[str, np.ndarray]:
    """Gap of every contact over ``solution.time``, in m or relative to the largest gap of the joint."""
    names = contact_names(solution, joint)
    gaps = solution[f"{joint}.gap"]
    scale = float(np.max(gaps)) if relative else 1.0
    return {name: gaps[:, k] / scale for k, name in enumerate(names)}


def closed(solution: Solution, joint: str, tolerance: float | None = None) -> np.ndarray:
    """Whether each contact is closed at each saved instant: it carries a force, or its gap is used up.

    Args:
        solution: a run with contacts.
        joint: name of a joint with clearance.
        tolerance: gap (m) that counts as none; 1e-6 of the largest gap of the joint, at least 1e-10 m, if not given.

    Returns:
        Truth values of shape (time, contacts).
    """
    contact_names(solution, joint)
    gaps = solution[f"{joint}.gap"]
    if tolerance is None:
        tolerance = max(CLOSED * float(np.max(gaps)), LEAST)
    if not tolerance >= 0.0:
        raise InputError(Problem("tolerance", f"must not be negative, is {tolerance}"))
    return np.asarray((solution[f"{joint}.normal_force"] > 0.0) | (gaps <= tolerance))
