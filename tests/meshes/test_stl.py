"""Meshes: both kinds of STL files, and files that are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stl_files import TETRAHEDRON, binary, text

from jointplay.errors import InputError
from jointplay.meshes.stl import read_stl
from jointplay.viewer.given import welded


@pytest.mark.parametrize("data", [binary(TETRAHEDRON), binary(TETRAHEDRON, b"solid x"), text(TETRAHEDRON).encode()])
def test_reads(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.stl"
    file.write_bytes(data)
    assert np.array_equal(read_stl(file), TETRAHEDRON)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not an STL file"),
        (b"\x89PNG and more", "not an STL file"),
        (binary(TETRAHEDRON)[:-7], "not an STL file"),
        (binary(np.full((1, 3, 3), np.nan)), "not an STL file"),
        (b"solid x\nfacet\nvertex 0 0\nendsolid", "not an STL file"),
        (binary(np.zeros((0, 3, 3))), "no triangles"),
        (b"solid x\nendsolid x\n", "no triangles"),
    ],
)
def test_refuses_with_a_sentence(data: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / "a.stl"
    file.write_bytes(data)
    with pytest.raises(InputError, match=words):
        read_stl(file)


def test_vertices_are_shared() -> None:
    vertices, faces = welded(TETRAHEDRON)
    assert len(vertices) == 4
    assert np.allclose(vertices[faces], TETRAHEDRON)


def test_a_mesh_too_fine_is_thinned_and_keeps_its_size() -> None:
    n = 100
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    points = np.stack([x, y, np.sin(5 * x)], axis=-1)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    triangles = np.concatenate(
        [np.stack([a, b, c], axis=-2).reshape(-1, 3, 3), np.stack([a, c, d], -2).reshape(-1, 3, 3)]
    )
    vertices, faces = welded(triangles, most=3000)
    assert 500 < len(faces) <= 3000
    assert np.allclose(np.ptp(vertices, axis=0), np.ptp(points.reshape(-1, 3), axis=0), atol=0.05)
