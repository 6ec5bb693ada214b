"""Relations that are evaluated in one go give the rows that each gives by itself."""

from __future__ import annotations

import numpy as np
import pytest

from jointplay import System, arrays
from jointplay.assemble.interactions import weigh
from jointplay.compile.build import compile_system
from jointplay.numerics.jit import jit
from jointplay.relations.registry import evaluate_rows
from jointplay.relations.together import BALL, KINDS, REGISTRY, rows_together, weighed_rows


@jit
def apart_and_together(relation, kin, body, apart, together, weighed):
    """Rows of all relations but the last, a point, one by one and in one go; M^-1 w by itself and with them."""
    last = len(relation) - 1
    for k in range(len(relation)):
        evaluate_rows(relation[k], kin[0], kin[1], (0.0, 0.0), apart)
    rows_together(relation, 0, last, kin[0], kin[1], body[0], body[1], True, together, weighed[0])
    weighed_rows(relation[last], kin[0], kin[1], body[0], body[1], True, together, weighed[0])
    for r in range(len(apart)):
        weigh(False, body[0], body[1], together[r].w, weighed[1, r])


@pytest.mark.parametrize("seed", range(20))
def test_the_same_rows(seed: int) -> None:
    random = np.random.default_rng(seed)

    def turned() -> np.ndarray:
        q, _ = np.linalg.qr(random.standard_normal((3, 3)))
        return q * np.sign(np.linalg.det(q))

    relation = np.zeros(7, dtype=arrays.relation_dtype(float))
    relation["kind"] = [*(REGISTRY.index(KINDS[k]) for k in random.integers(0, 2, 6)), BALL]
    relation["j"], relation["count"] = 1, 1
    relation["row"][:, 0] = np.arange(7)
    relation["row"][6], relation["count"][6] = (6, 7, 8), 3
    relation["ki"], relation["kj"] = random.integers(0, 3, (2, 7))
    relation["Ei"], relation["Ej"] = turned(), turned()
    relation["si"], relation["sj"] = random.standard_normal((2, 3))
    relation["g0"] = random.standard_normal((7, 3))
    kin = np.zeros(2, dtype=arrays.motion_dtype(float))
    for body in kin:
        body["A"] = turned()
        body["r"], body["v"], body["w"] = random.standard_normal((3, 3))
    body = np.zeros(2, dtype=arrays.body_dtype(float))
    body["minv"], body["Jinv"] = random.uniform(1, 2, (2, 3)), random.standard_normal((2, 3, 3))
    apart, together = (np.full(9, np.nan, dtype=arrays.row_dtype(float)) for _ in range(2))
    weighed = np.full((2, 9, 12), np.nan)
    apart_and_together(relation, kin, body, apart, together, weighed)
    assert weighed[0] == pytest.approx(weighed[1], abs=1e-14)
    for name in ("g", "bias", "w"):
        assert together[name] == pytest.approx(apart[name], abs=2e-14), name


def test_joints_say_which_of_their_relations_go_together() -> None:
    s = System("joints", gravity=(0, 0, -9.81))
    last = s.ground
    for k, kind in enumerate(("revolute", "prismatic", "spherical", "cylindrical", "universal")):
        body = s.body(f"body {k}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(k, 0, 0))
        more = {"axis_a": (1, 0, 0), "axis_b": (0, 1, 0)} if kind == "universal" else {"axis": (1, 0, 0)}
        getattr(s, kind)(kind, last, body, point=(k, 0, 0), **({} if kind == "spherical" else more))
        last = body
    model = compile_system(s).model
    relation = model.relation
    closed = relation["together"][: int(model.info[0]["bilateral_relations"])].tolist()
    assert closed == [5, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0]
    assert not relation["together"][len(closed) :].any()
