"""A model that is saved and loaded compiles to the same numbers, bit by bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from jointplay.compile.build import compile_system
from jointplay.model.files import load_model

MODEL = Path(__file__).parent.parent / "model" / "everything.yaml"


def values(tree: Any) -> list[Any]:
    """All arrays in nested tuples; records field by field, since bytes between fields mean nothing."""
    if isinstance(tree, np.ndarray):
        return [tree[name].tobytes() for name in tree.dtype.names] if tree.dtype.names else [tree.tobytes()]
    return [value for part in tree for value in values(part)]


def test_saved_model_compiles_to_the_same_bits(tmp_path: Path) -> None:
    """Model and state, after YAML and after JSON."""
    given = load_model(MODEL)
    first = compile_system(given)
    for name in ("copy.yaml", "copy.json"):
        given.save(tmp_path / name)
        second = compile_system(load_model(tmp_path / name))
        assert values(first.model) == values(second.model)
        assert values(first.state) == values(second.state)
