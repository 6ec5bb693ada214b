"""The energy ledger: where it was, where it went, and what does not add up."""

from __future__ import annotations

import numpy as np

from ..results.layout import ENERGY
from ..results.solution import Solution
from ..results.summary import figures as figures_of
from .markup import Markup, note, section, table, tag
from .numbers import Column, number, quantity


def energy_section(solution: Solution, figures: Markup) -> Markup:
    """The ledger at the start and at the end, and its residual."""
    if not len(solution.time):
        return Markup("")
    series = {part: solution[f"energy.{part}"] for part, _ in ENERGY}
    shown = {part: values for part, values in series.items() if part != "error" and np.any(values != 0.0)}
    values = [float(one) for part in shown.values() for one in (part[0], part[-1], np.max(np.abs(part)))]
    size = Column("", values, "J")
    about = dict(ENERGY)
    rows = [
        (
            tag("b", part),
            about[part],
            size.show(values[0], 5),
            size.show(values[-1], 5),
            size.show(float(values[np.argmax(np.abs(values))]), 5),
        )
        for part, values in shown.items()
    ]
    unit = size.head.strip()
    head = ("energy", "meaning", f"at the start {unit}", f"at the end {unit}", f"largest {unit}")
    return section("energy", "Energy", table(head, rows, words=2), _residual(solution), figures)


def worst_error(solution: Solution) -> float:
    """Largest residual of the ledger, J."""
    return float(np.max(np.abs(solution["energy.error"])))


def _residual(solution: Solution) -> Markup:
    worst, scale = worst_error(solution), figures_of(solution)["energy_scale"]
    relative = Markup(f", {number(worst / scale, 2)} of the largest energy at play") if scale > 0.0 else ""
    words = "Residual of the ledger (kinetic + gravity + elastic − start − input + dissipated): at most "
    return note(Markup(f"{words}{quantity(worst, 'J', 3)}{relative}. Zero would be exact."))
