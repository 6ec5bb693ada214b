"""Kernels for planar models against those for space, at random states in the plane: the same rows, gaps and rates."""

from __future__ import annotations

import numpy as np
import pytest

from jointplay import System, arrays
from jointplay.compile.build import compile_system
from jointplay.numerics.jit import jit
from jointplay.relations.base import Relation
from jointplay.relations.registry import BY_NUMBER, PLANAR, REGISTRY, evaluate_rows, look_at_rows, number_of


@jit
def both(relation, kin, row, looked):
    """Rows in full, and what a look tells."""
    evaluate_rows(relation[0], kin[0], kin[1], (0.0, 0.0), row)
    look_at_rows(relation[0], kin[0], kin[1], (0.0, 0.0), looked)


def turned(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def sample(kind: Relation, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A relation between two markers in the plane, on two bodies that move in it."""
    random = np.random.default_rng(seed)
    relation = np.zeros(1, dtype=arrays.relation_dtype(float))
    one = relation[0]
    axes = turned(random.uniform(0, 7)).T
    if seed % 2:  # the third axis may point either way
        axes = axes * np.array([[1], [-1], [-1]])
    one["Ei"], one["Ej"], one["j"], one["count"], one["row"] = axes, axes, 1, 3, (0, 1, 2)
    one["sign"], one["memory"] = random.choice([-1.0, 1.0]), arrays.NONE
    one["ki"], one["kj"] = random.integers(2, size=2)
    one["si"][:2], one["sj"][:2], one["g0"][:2] = random.standard_normal((3, 2))
    one["shape"] = 1.0, 0.5, random.choice([-1.0, 1.0])
    kin = np.zeros(2, dtype=arrays.motion_dtype(float))
    for body in kin:
        body["A"] = turned(random.uniform(0, 7))
        body["r"][:2], body["v"][:2] = random.standard_normal((2, 2))
        body["w"][2] = random.standard_normal()
    return relation, kin


@pytest.mark.parametrize("kind", PLANAR, ids=lambda one: one.name)
def test_the_same_in_the_plane(kind: Relation) -> None:
    for seed in range(50):
        relation, kin = sample(kind, seed)
        found = []
        for planar in (False, True):
            relation["kind"] = number_of(kind, planar)
            row, looked = (np.zeros(3, dtype=arrays.row_dtype(float)) for _ in range(2))
            both(relation, kin, row, looked)
            found.append((row[:2], looked[: 2 if kind.name == "point" else 1]))
        (full, full_look), (flat, flat_look) = found
        for name in ("g", "bias", "w"):
            assert flat[name] == pytest.approx(full[name], abs=1e-13), (seed, name)
        for name in ("g", "rate"):
            assert flat_look[name] == pytest.approx(full_look[name], abs=1e-13), (seed, name)


def test_numbers_are_apart() -> None:
    numbers = {number_of(kind, planar) for kind in PLANAR for planar in (False, True)}
    assert len(numbers) == 2 * len(PLANAR) > 0


@pytest.mark.parametrize(
    ("kind", "axis", "flat"),
    [
        ("cylindrical", (0, 0, 1), {"point": True, "angle": True, "separation": False}),  # along z nothing can move
        ("prismatic", (1, 0, 0), {"separation": True, "alignment": True}),
    ],
)
def test_axes_across_the_plane_go_the_general_way(kind: str, axis: tuple[int, int, int], flat: dict[str, bool]) -> None:
    s = System(kind, planar=True)
    body = s.body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0, 0.0))
    getattr(s, kind)("A", s.ground, body, point=(0.0, 0.0, 0.0), axis=axis)
    numbers = compile_system(s).model.relation["kind"].tolist()
    assert {(BY_NUMBER[k].name, k >= len(REGISTRY)) for k in numbers} == set(flat.items())
