"""The list of impacts: one line per contact that took part in an impact.

A contact that strikes has a normal speed before (negative: approaching) and after, impulses along its normal and two
tangents, and its share of the kinetic energy that the impact took, -sum P (u- + u+) / 2. Lines with the same ``impact``
number happened at the same instant.
"""

from __future__ import annotations

import numpy as np

from .layout import Layout

UNITS = {
    "time": "s",
    "speed_before": "m/s",
    "speed_after": "m/s",
    "impulse": "N s",
    "friction_impulse": "N s",
    "energy_loss": "J",
}


def table_of(events: np.ndarray, layout: Layout) -> np.recarray:
    """Events as kernels note them (arrays.EVENT_COLUMNS) as a table with named columns."""
    longest = max((len(name) for name in layout.contacts), default=1)
    text = f"U{longest}"
    kinds = [
        ("time", float),
        ("impact", np.int64),
        ("joint", text),
        ("contact", text),
        ("speed_before", float),
        ("speed_after", float),
        ("impulse", float),
        ("friction_impulse", float, (2,)),
        ("energy_loss", float),
    ]
    table = np.zeros(len(events), dtype=kinds).view(np.recarray)
    names = np.array(layout.contacts or ("",))
    which = events[:, 1].astype(int)
    table["time"], table["impact"] = events[:, 0], events[:, 2].astype(int)
    table["contact"] = names[which]
    table["joint"] = [name.split(".")[0] for name in names[which]]
    table["speed_before"], table["speed_after"] = events[:, 3], events[:, 4]
    table["impulse"], table["friction_impulse"] = events[:, 5], events[:, 6:8]
    table["energy_loss"] = events[:, 8]
    return table
