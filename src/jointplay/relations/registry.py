"""All relations. The number of a relation in a compiled model is its place in ``REGISTRY``."""

from __future__ import annotations

from ..numerics.jit import jit
from ..numerics.switch import switch
from .alignment import ALIGNMENT
from .angle import ANGLE
from .base import Relation
from .distance import DISTANCE
from .edge import EDGE
from .journal import JOURNAL
from .plane import PLANE
from .point import POINT
from .rim import RIM
from .separation import SEPARATION
from .socket import SOCKET
from .strip import STRIP

# a normal with its gap, two tangents without
CONTACTS: tuple[Relation, ...] = (PLANE, JOURNAL, SOCKET, EDGE, STRIP, RIM)
REGISTRY: tuple[Relation, ...] = (POINT, SEPARATION, ALIGNMENT, DISTANCE, ANGLE, *CONTACTS)

_rows = switch(tuple(relation.rows for relation in REGISTRY))
_vary = switch(tuple(relation.vary for relation in REGISTRY))


@jit
def evaluate_rows(c, bi, bj, past, row):
    """Write g, w and bias of the rows of relation record ``c`` (see relations/base.py)."""
    _rows(c.kind, c, bi, bj, past, row)


@jit
def vary_rows(c, bi, bj, eta, out):
    """Write the change of w in direction ``eta``, row by row, into ``out``."""
    _vary(c.kind, c, bi, bj, eta, out)
