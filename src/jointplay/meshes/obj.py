"""Reading meshes in OBJ: vertices and faces; polygons are cut into triangles from their first vertex."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import InputError, Problem

MOST_BYTES = 100_000_000


def read_obj(path: Path) -> np.ndarray:
    """Triangles (n, 3, 3) of a file; raises InputError with one sentence and its line."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(Problem("mesh", f"is larger than {MOST_BYTES // 1_000_000} MB; reduce it", str(path)))
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(Problem("mesh", f"cannot be read: {error.strerror}", str(path))) from None
    vertices: list[list[float]] = []
    corners: list[tuple[int, int, int]] = []
    for line, words in ((k, row.split()) for k, row in enumerate(text.splitlines(), 1)):
        try:
            if words[:1] == ["v"]:
                vertices.append([float(word) for word in words[1:4]])
                if len(vertices[-1]) != 3:
                    raise ValueError
            elif words[:1] == ["f"]:
                face = [_index(word, len(vertices)) for word in words[1:]]
                if len(face) < 3:
                    raise ValueError
                corners += [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
        except (ValueError, IndexError):
            raise InputError(Problem("mesh", "is not an OBJ file, or is damaged", str(path), line)) from None
    if not corners:
        raise InputError(Problem("mesh", "has no triangles", str(path)))
    found = np.array(vertices)[np.array(corners)]
    if not np.isfinite(found).all():
        raise InputError(Problem("mesh", "has vertices that are no numbers", str(path)))
    return found


def _index(word: str, count: int) -> int:
    """The place of a vertex from ``7``, ``7/1/2`` or ``-1`` (counted from the last)."""
    number = int(word.partition("/")[0])
    place = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= place < count:
        raise IndexError
    return place
