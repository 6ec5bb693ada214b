"""Impacts by contact: how many, how hard, and what they took."""

from __future__ import annotations

import numpy as np

from ..results.solution import Solution


def impacts_summary(solution: Solution) -> np.recarray:
    """One line for every wall of the run, of clearances and stops, whether it was struck or not.

    Columns: ``joint``, ``contact``, ``count``, ``largest_speed`` (m/s or rad/s, of approach) and its ``time`` (s, not a
    number if there was no impact), ``impulse`` (N s or N m s, the sum) and ``energy_loss`` (J, the sum).
    """
    walls = [name for name in solution.layout.contacts if name.endswith("]")]  # brakes have no wall
    text = f"U{max(map(len, walls), default=1)}"
    kinds = [
        ("joint", text),
        ("contact", text),
        ("count", np.int64),
        ("largest_speed", float),
        ("time", float),
        ("impulse", float),
        ("energy_loss", float),
    ]
    table = np.zeros(len(walls), dtype=kinds).view(np.recarray)
    impacts = solution.impacts
    for line, name in zip(table, walls, strict=True):
        mine = impacts[impacts["contact"] == name]
        line["joint"], line["contact"], line["count"], line["time"] = name.partition(".")[0], name, len(mine), np.nan
        if len(mine):
            hardest = mine[np.argmin(mine["speed_before"])]
            line["largest_speed"], line["time"] = max(-hardest["speed_before"], 0.0), hardest["time"]
            line["impulse"], line["energy_loss"] = mine["impulse"].sum(), mine["energy_loss"].sum()
    return table
