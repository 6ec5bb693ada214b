"""What a relation is: pure geometry between a marker on body i and a marker on body j.

A relation file gives, for each of its rows,

    g(q)              the coordinate, m or rad
    w(q)              12 numbers with dg/dt = w . u,   u = (v_i, w_i', v_j, w_j')
    bias = (dw/dt).u  so that d2g/dt2 = w . du/dt + bias

in one kernel ``rows(c, bi, bj, past, row)``, and in a second one, ``vary(c, bi, bj, eta, out)``, the change of w in the
direction eta (12 numbers, like u): ``out[k] = D w_k [eta]``. The second holds all second derivatives; by construction
``bias = vary(u) . u``. Most of the time one only wants to know where things are. For that a third kernel,
``look(c, bi, bj, past, row)``, may write g of each row (of a contact: of its normal) and its rate w . u, without w and
bias; a relation that has none is evaluated in full. For planar models, whose third rows are dropped, ``planar_rows``
and ``planar_look`` may do the same with less (relations/in_plane.py); both or none, and ``planar_axes`` are the axes
that must lie in the plane for that. A relation that counts turns (``turns``: of one angle or of two) is given their
last accepted values as the pair ``past``, and returns them in ``angles(c, bi, bj, past, row)``: first angle, its rate,
second angle, its rate. All are checked against the complex step of the first in tests/gradients, for every entry of the
registry, without further code.

Steps for a new relation: write its file with these kernels and a ``Relation``; add it to ``REGISTRY``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Relation:
    """Facts about a relation; its number is its place in the registry."""

    name: str
    unit: str  # of the coordinate: "m" or "rad"
    rows: Callable[..., Any]
    vary: Callable[..., Any]
    look: Callable[..., Any] | None = None
    count: int = 1  # rows
    turns: int = 0  # angles that it counts the turns of; each keeps its last accepted value in State.memory
    angles: Callable[..., Any] | None = None  # of a relation that counts turns: these angles and their rates
    rotates: bool = False  # w depends on orientations alone, and so do only its parts for angular velocities
    linear: bool = False  # g is linear in displacements of either body: w for velocities depends on orientations alone
    steady: bool = False  # a contact whose normal stands still on body i
    planar_rows: Callable[..., Any] | None = None  # cheaper kernels for bodies that move in the x-y plane; of the rows
    planar_look: Callable[..., Any] | None = None  # the first two are written
    planar_axes: tuple[str, ...] = ("h", "t")  # axes that must lie in the plane for that: h and t of the first marker,
    # or "first" and "second", those of either marker that its use names


@dataclass(frozen=True)
class Use:
    """A relation as a joint uses it: with which axes (0, 1, 2 = h, t, b) of its two markers."""

    relation: Relation
    first_axis: int = 0
    second_axis: int = 0
    swapped: bool = False  # markers taken in the order second, first, and the sign turned
