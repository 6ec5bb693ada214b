"""What a name draws: lines with labels, and the panel each belongs to.

A name draws all its components; ``crank.position[2]`` draws one, ``|B.force|`` the magnitude. A quantity of contacts,
``D.gap``, has a line for each contact and a panel of its own, or one for each component that does not vanish. All other
lines share a panel with their unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..errors import InputError, Problem
from ..results.solution import Solution
from ..results.store import AXES
from .style import COLOURS, words

JOINT_AXES = ("h", "t", "b")
MOST_DEFAULTS = len(COLOURS)


class Panel(NamedTuple):
    """What the lines of a panel have in common."""

    unit: str
    quantity: str = ""  # of contacts, which share a panel only with their like: "gap", "offset h"


def default_names(solution: Solution) -> list[str]:
    """Magnitudes of the joint forces, the largest if there are many; without joints, positions or energies."""
    forces = [
        name for v in solution.layout.variables if v.dimension == "joint" and v.name == "force" for name in v.publics
    ]
    if forces:
        peaks = {name: float(np.max(np.linalg.norm(solution[name], axis=1), initial=0.0)) for name in forces}
        largest = sorted(forces, key=lambda name: -peaks[name])[:MOST_DEFAULTS]
        return [f"|{name}|" for name in forces if name in largest]
    return ["energy.kinetic", "energy.potential"]


def curves(solution: Solution, name: str) -> Iterator[tuple[str, Panel, np.ndarray]]:
    """Label, panel and values of each line that ``name`` stands for; KeyError if there is no such quantity."""
    values, unit = solution[name], solution.units[name]
    contacts = _contacts_of(solution, name)
    if contacts:
        yield from _contact_curves(name, unit, contacts, solution[name.strip("|")])
        return
    panel = Panel(unit)
    if values.ndim == 1:
        yield name, panel, values
        return
    components = {len(axes): axes for axes in AXES.values()}[values.shape[1]]
    if name.endswith("_local"):
        components = JOINT_AXES
    for k, component in enumerate(components):
        yield f"{name} {component}", panel, values[:, k]


def single(solution: Solution, name: str) -> np.ndarray:
    """Values of a name that must mean one series: a scalar, a component or a magnitude."""
    values = solution[name]
    if values.ndim == 1:
        return values
    base = name.strip("|")
    hint = f"take a component such as {base}[0], or the magnitude |{base}|"
    raise InputError(Problem(name, f"has {values.shape[1]} components where one is needed; {hint}"))


def _contacts_of(solution: Solution, name: str) -> list[str]:
    """The contacts whose quantity ``name`` is, such as ``D.radial[0]``; none for other quantities."""
    base, component = solution._split(name.strip("|"))
    try:
        variable, places = solution.layout.find(base)
    except KeyError:
        return []
    if not isinstance(places, list):
        return []
    labels = [variable.labels[k] for k in places]
    return labels if component is None else [labels[component]]


def _contact_curves(
    name: str, unit: str, contacts: list[str], values: np.ndarray
) -> Iterator[tuple[str, Panel, np.ndarray]]:
    """Lines of a quantity of contacts, one panel for each component; those that vanish at all contacts are left out."""
    quantity = words(name)
    blocks = values.reshape(len(values), len(contacts), -1)
    if name.startswith("|"):
        quantity, blocks = f"|{quantity}|", np.linalg.norm(blocks, axis=2, keepdims=True)  # of each contact
    axes = {1: ("",), 2: ("1", "2"), 3: JOINT_AXES}[blocks.shape[2]]
    shown = [k for k in range(len(axes)) if np.any(blocks[:, :, k] != 0.0)] or [0]
    for k in shown:
        for n, contact in enumerate(contacts):
            yield contact, Panel(unit, f"{quantity} {axes[k]}".rstrip()), blocks[:, n, k]
