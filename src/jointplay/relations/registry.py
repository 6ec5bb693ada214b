"""All relations. The number of a relation in a compiled model is its place in ``REGISTRY``.

Behind them follow those that have kernels of their own for planar models, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..numerics.jit import jit, link
from ..numerics.switch import switch
from .alignment import ALIGNMENT
from .angle import ANGLE
from .base import Relation
from .distance import DISTANCE
from .edge import EDGE
from .helix import HELIX
from .journal import JOURNAL
from .mesh import MESH
from .plane import PLANE
from .point import POINT
from .rim import RIM
from .separation import SEPARATION
from .socket import SOCKET
from .strip import STRIP

# a normal with its gap, two tangents without
CONTACTS: tuple[Relation, ...] = (PLANE, JOURNAL, SOCKET, EDGE, STRIP, RIM)
REGISTRY: tuple[Relation, ...] = (POINT, SEPARATION, ALIGNMENT, DISTANCE, ANGLE, MESH, HELIX, *CONTACTS)


PLANAR: tuple[Relation, ...] = tuple(one for one in REGISTRY if one.planar_rows and one.planar_look)
BY_NUMBER: tuple[Relation, ...] = (*REGISTRY, *PLANAR)


def number_of(relation: Relation, planar: bool) -> int:
    """Number of a relation in a compiled model; ``planar``: both bodies and the relation lie in the x-y plane."""
    if planar and relation in PLANAR:
        return len(REGISTRY) + PLANAR.index(relation)
    return REGISTRY.index(relation)


def _looking(relation: Relation) -> Callable[..., Any]:
    """The kernel that writes g and its rate; by all of the rows where the relation has none of its own."""
    if relation.look is not None:
        return relation.look
    rows = relation.rows

    @link
    def look(c, bi, bj, past, row):
        rows(c, bi, bj, past, row)
        for k in range(c.count):
            out = row[c.row[k]]
            out.rate = 0.0 * out.g
            for m in range(3):
                out.rate += (
                    out.w[m] * bi.v[m] + out.w[3 + m] * bi.w[m] + out.w[6 + m] * bj.v[m] + out.w[9 + m] * bj.w[m]
                )

    return look


@link
def _no_angles(c, bi, bj, past, row):
    """Of relations that count no turns; with the type of the others."""
    none = 0.0 * bi.w[0]
    return none, none, none, none


_rows = switch((*(one.rows for one in REGISTRY), *(one.planar_rows for one in PLANAR if one.planar_rows)))
_look = switch((*(_looking(one) for one in REGISTRY), *(one.planar_look for one in PLANAR if one.planar_look)))
_vary = switch(tuple(one.vary for one in BY_NUMBER))
_angles = switch(tuple(one.angles or _no_angles for one in BY_NUMBER))


@jit
def evaluate_rows(c, bi, bj, past, row):
    """Write g, w and bias of the rows of relation record ``c`` (see relations/base.py)."""
    _rows(c.kind, c, bi, bj, past, row)


@jit
def look_at_rows(c, bi, bj, past, row):
    """Write g and its rate alone: for rows that no force acts on."""
    _look(c.kind, c, bi, bj, past, row)


@jit
def count_turns(c, bi, bj, past, row):
    """Angles of relation record ``c`` that count turns, and their rates: first, its rate, second, its rate."""
    return _angles(c.kind, c, bi, bj, past, row)


@jit
def vary_rows(c, bi, bj, eta, out):
    """Write the change of w in direction ``eta``, row by row, into ``out``."""
    _vary(c.kind, c, bi, bj, eta, out)
