"""Mass properties of the solid that triangles enclose, by sums over tetrahedra to the origin (divergence theorem).

For a triangle a, b, c with outward normal, V = a . (b x c)/6 is the signed volume of the tetrahedron (0, a, b, c); with
s = a + b + c its first moment is V s/4 and its second moments are V (a a^T + b b^T + c c^T + s s^T)/20.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SAME = 1e-7  # of the size of the mesh: vertices nearer to each other are one


@dataclass(frozen=True)
class Solid:
    """A solid of density 1."""

    volume: float
    centre: np.ndarray  # (3,)
    inertia: np.ndarray  # (3, 3) about the centre


def solid(triangles: np.ndarray) -> Solid:
    """Mass properties of closed triangles (n, 3, 3); raises ValueError with a sentence if they enclose no solid."""
    points = np.asarray(triangles, dtype=float)
    size = float(np.ptp(points.reshape(-1, 3), axis=0).max()) if len(points) else 0.0
    if not size > 0.0:
        raise ValueError("has no extent")
    middle = 0.5 * (points.reshape(-1, 3).min(axis=0) + points.reshape(-1, 3).max(axis=0))
    points = points - middle  # near the origin little cancels
    open_edges, odd_edges = _edges(points, size)
    if open_edges:
        raise ValueError(f"is not closed: {open_edges} edges belong to one triangle only")
    if odd_edges:
        raise ValueError(f"is no surface of a solid: {odd_edges} edges belong to triangles that turn differently")
    a, b, c = points[:, 0], points[:, 1], points[:, 2]
    six = np.einsum("nk,nk->n", a, np.cross(b, c))
    total = six.sum() / 6.0
    if abs(total) < 1e-12 * size**3:
        raise ValueError("encloses no volume")
    volumes = np.sign(total) * six / 6.0  # all triangles may be turned inside out
    s = a + b + c
    volume = float(volumes.sum())
    centre = np.einsum("n,nk->k", volumes, s) / (4.0 * volume)
    second = sum(np.einsum("n,ni,nj->ij", volumes, x, x) for x in (a, b, c, s)) / 20.0
    second = second - volume * np.outer(centre, centre)
    return Solid(volume, centre + middle, np.trace(second) * np.eye(3) - second)


def _edges(points: np.ndarray, size: float) -> tuple[int, int]:
    """How many edges have no partner, and how many a partner that runs the same way."""
    cell = np.rint((points.reshape(-1, 3) - points.reshape(-1, 3).min(axis=0)) / (SAME * size)).astype(np.int64)
    _, number = np.unique(cell, axis=0, return_inverse=True)
    faces = number.reshape(-1, 3)
    whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[whole]
    ways = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there, back = ({tuple(way): n for way, n in zip(*np.unique(w, axis=0, return_counts=True), strict=True)}
                   for w in (ways, ways[:, ::-1]))  # fmt: skip
    alone = sum(1 for way in there if way not in back and there[way] == 1)
    odd = sum(1 for way, n in there.items() if back.get(way, 0) != n) - alone
    return alone, odd
