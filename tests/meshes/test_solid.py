"""Mass properties of meshes against closed forms, and meshes that enclose no solid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jointplay as jp
from jointplay.meshes.obj import read_obj
from jointplay.meshes.solid import solid

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def box(size: tuple[float, float, float], at: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    points = CORNERS * size + np.array(at)
    return np.array([points[[f[0], f[k], f[k + 1]]] for f in FACES for k in (1, 2)])


def test_a_box_far_from_the_origin() -> None:
    a, b, c = 0.1, 0.2, 0.3
    for triangles in (box((a, b, c), (5, -3, 2)), box((a, b, c), (5, -3, 2))[:, ::-1]):  # also inside out
        found = solid(triangles)
        assert np.isclose(found.volume, a * b * c, rtol=1e-12)
        assert np.allclose(found.centre, [5 + a / 2, -3 + b / 2, 2 + c / 2], rtol=1e-14)
        moments = found.volume / 12 * np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2])
        assert np.allclose(found.inertia, np.diag(moments), atol=1e-13 * moments.max())


def test_a_tetrahedron() -> None:
    """Corners 0, x, y, z at 1: volume 1/6, second moments about the centre 1/160 and -1/480 (products)."""
    o, x, y, z = np.zeros(3), *np.eye(3)
    found = solid(np.array([[o, y, x], [o, z, y], [o, x, z], [x, y, z]]))
    S = np.full((3, 3), -1.0 / 480.0) + np.diag([1.0 / 160.0 + 1.0 / 480.0] * 3)
    assert np.isclose(found.volume, 1.0 / 6.0)
    assert np.allclose(found.centre, 0.25)
    assert np.allclose(found.inertia, np.trace(S) * np.eye(3) - S)


def test_what_is_no_solid() -> None:
    whole = box((1, 1, 1))
    cases = {
        "is not closed: 3 edges": whole[1:],
        "turn differently": np.concatenate([whole[:1, ::-1], whole[1:]]),
        "has no extent": np.zeros((4, 3, 3)),
    }
    for words, triangles in cases.items():
        with pytest.raises(ValueError, match=words):
            solid(triangles)


def test_obj(tmp_path: Path) -> None:
    file = tmp_path / "box.obj"
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    faces = "".join("f " + " ".join(f"{k + 1}/1/1" for k in face) + "\n" for face in FACES)
    file.write_text(f"# a box\n{points}{faces}")
    assert np.isclose(solid(read_obj(file)).volume, 1.0)
    file.write_text(points + "f -8 -7 -5 -6\n")
    assert np.array_equal(read_obj(file)[0], CORNERS[[0, 1, 3]])
    cases = {
        "f 1 2 3": (1, "damaged"),
        "v 1 2": (1, "damaged"),
        "v 0 0 0\nf 1 x 1": (2, "damaged"),
        "": (0, "no triang"),
    }
    for text, (line, words) in cases.items():
        file.write_text(text)
        with pytest.raises(jp.InputError, match=words) as caught:
            read_obj(file)
        assert caught.value.problems[0].line == line
