"""Key figures of a run, chosen by what there is to see, and how they go into a page."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import figures
from ..errors import InputError
from ..results.impulsive import walls
from ..results.solution import Solution
from .contacts import clearance_joints
from .forces import joint_loads
from .markup import Markup, join, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LINES = 6
MOST_JOINTS = 3  # clearances that are drawn
LARGE = 250_000  # characters of an SVG: a larger picture is a PNG
STILL = 1e-9  # m or rad: a coordinate that moves less is not drawn


class Picture(NamedTuple):
    """A figure to draw: the section where it belongs, what it shows, and who draws it."""

    place: str
    caption: str
    draw: Callable[[], Figure]


def pictures(solution: Solution) -> Iterator[Picture]:
    """The figures worth having for this run."""
    if len(solution.time) < 2:
        return
    forces = [joint for joint, loads in joint_loads(solution).items() if loads["force"].mean > 0.0][:MOST_LINES]
    if forces:
        names = [f"|{joint}.force|" for joint in forces]
        caption = "Magnitudes of the joint forces at the saved instants."
        if walls(solution.layout):
            caption += " Where contacts are rigid, the height of a spike has no meaning."
        yield Picture("forces", caption, lambda: figures.lines(solution, *names, title=""))
    for joint in busiest(solution)[:MOST_JOINTS]:
        yield from _clearance(solution, joint)
    moving = _moving(solution)
    if moving:
        yield Picture(
            "motion", "Coordinates that the joints leave free.", lambda: figures.lines(solution, *moving, title="")
        )
    efforts = [name for v in solution.layout.variables if v.name == "effort" for name in v.publics][:MOST_LINES]
    if efforts:
        caption = "Forces and torques of laws on free coordinates."
        yield Picture("motion", caption, lambda: figures.lines(solution, *efforts, title=""))
    if not moving:
        bodies = [name for name in solution.layout.names if name.endswith(".position")][:3]
        yield Picture("motion", "Centres of mass.", lambda: figures.lines(solution, *bodies, title=""))
    yield Picture("energy", "Energy ledger.", lambda: figures.energy(solution, title=""))


def _clearance(solution: Solution, joint: str) -> Iterator[Picture]:
    caption = f"Path of the centre of {joint} in its clearance."
    yield Picture("contacts", caption, lambda: figures.orbit(solution, joint))
    caption = f"Gaps of {joint}, impulses or forces of its contacts, and when they are closed."
    yield Picture("contacts", caption, lambda: figures.gaps(solution, joint))


def busiest(solution: Solution) -> list[str]:
    """Joints with clearance, those that carried most first."""
    size = {joint: float(np.max(solution[f"{joint}.normal_impulse"][-1])) for joint in clearance_joints(solution)}
    return sorted(size, key=lambda joint: -size[joint])


def _moving(solution: Solution) -> list[str]:
    """Free coordinates of joints that move, those in m after those in rad."""
    found = [v for v in solution.layout.variables if v.name == "coordinate_value"]
    names = [name for v in found for name in v.publics if np.ptp(solution[name]) > STILL]
    return sorted(names, key=lambda name: solution.units[name] != "rad")[:MOST_LINES]


def drawn(solution: Solution) -> dict[str, Markup]:
    """All figures as HTML, by section."""
    found: dict[str, list[Markup]] = {}
    for k, picture in enumerate(pictures(solution)):
        try:
            figure = picture.draw()
        except InputError:  # a flat contact has no orbit
            continue
        caption = tag("figcaption", picture.caption)
        found.setdefault(picture.place, []).append(tag("figure", join([embedded(figure, k), caption])))
    return {place: join(some) for place, some in found.items()}


def embedded(figure: Figure, ident: int) -> Markup:
    """A figure as vectors, or as dots where the vectors are many."""
    text = figures.svg(figure)
    if len(text) > LARGE:
        data = b64encode(figures.png(figure)).decode()
        return Markup(f'<img alt="" src="data:image/png;base64,{data}">')
    return Markup(own_names(text, f"p{ident}-"))


def own_names(svg: str, prefix: str) -> str:
    """Names inside a picture made its own: several stand on one page."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', svg)
    return re.sub(r'(url\(#|href="#)', rf"\1{prefix}", svg)
