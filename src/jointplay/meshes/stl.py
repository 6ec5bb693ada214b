"""Reading meshes in STL, binary or text: triangles as an array (n, 3, 3) of vertices.

Binary files have 80 bytes of anything, the number of triangles, and 50 bytes for each; some of them begin with the word
"solid" like text files, so that the length of the file decides.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import InputError, Problem

MOST_BYTES = 100_000_000
HEAD, EACH = 84, 50  # bytes
RECORD = np.dtype([("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(path: Path) -> np.ndarray:
    """Triangles of a file; raises InputError with one sentence."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(Problem("mesh", f"is larger than {MOST_BYTES // 1_000_000} MB; reduce it", str(path)))
        data = path.read_bytes()
    except OSError as error:
        raise InputError(Problem("mesh", f"cannot be read: {error.strerror}", str(path))) from None
    triangles = stl_triangles(data)
    if triangles is None:
        raise InputError(Problem("mesh", "is not an STL file, or is damaged", str(path)))
    if not len(triangles):
        raise InputError(Problem("mesh", "has no triangles", str(path)))
    return triangles


def stl_triangles(data: bytes) -> np.ndarray | None:
    """Triangles of the bytes of a file; None if they make no sense."""
    if len(data) >= HEAD:
        count = int.from_bytes(data[80:HEAD], "little")
        if len(data) == HEAD + EACH * count:
            found = np.frombuffer(data, RECORD, count, HEAD)["vertices"].astype(float)
            return found if np.isfinite(found).all() else None
    return _text(data)


def _text(data: bytes) -> np.ndarray | None:
    """Every three lines ``vertex x y z`` are a triangle."""
    if not data.lstrip()[:5].lower() == b"solid":
        return None
    rows = [line.split()[1:] for line in data.decode("ascii", "replace").splitlines() if line.split()[:1] == ["vertex"]]
    try:
        found = np.array(rows, dtype=float)
    except ValueError:
        return None
    if found.ndim != 2 or found.shape[1] != 3 or len(found) % 3 or not np.isfinite(found).all():
        return None if len(rows) else np.zeros((0, 3, 3))
    return found.reshape(-1, 3, 3)
