"""Meshes in STL, written by hand for tests."""

from __future__ import annotations

import struct

import numpy as np

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
TETRAHEDRON = CORNERS[FACES]


def binary(triangles: np.ndarray, head: bytes = b"") -> bytes:
    """A binary STL file."""
    out = head.ljust(80, b"\0") + struct.pack("<I", len(triangles))
    return out + b"".join(struct.pack("<12fH", 0, 0, 0, *one.ravel(), 0) for one in triangles)


def text(triangles: np.ndarray) -> str:
    """A text STL file."""
    facets = []
    for one in triangles:
        corners = "".join(f"      vertex {x:g} {y:g} {z:g}\n" for x, y, z in one)
        facets.append(f"  facet normal 0 0 0\n    outer loop\n{corners}    endloop\n  endfacet\n")
    return "solid part\n" + "".join(facets) + "endsolid part\n"
