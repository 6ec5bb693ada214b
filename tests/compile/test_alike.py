"""Neighbours of planar models are packed once, without the rows that the model has dropped: the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.compile import pack
from jointplay.compile.build import compile_system
from jointplay.compile.coordinates import stands_alike
from jointplay.gallery import entries
from jointplay.model.files import load_model
from jointplay.sensitivity.source import source_of

PLANAR = [name for name, path in entries().items() if (model := load_model(path)).planar and model.values]


def numbers(compiled):
    for array in (*compiled.model, *compiled.state):
        yield from (array[name] for name in array.dtype.names) if array.dtype.names else (array,)


@pytest.mark.parametrize("name", PLANAR)
def test_the_same_bits_as_packing_twice(name, monkeypatch):
    source = source_of(entries()[name], [key for key, one in load_model(entries()[name]).values.items() if one.si])
    nominal = compile_system(source.system())
    stream, seen = np.random.default_rng(3), 0
    for share in (1e-3, 1e-3, 0.1, 0.1):
        changed = {one.name: one.value * (1.0 + share * stream.uniform(-1.0, 1.0)) for one in source.parameters}
        found = []
        for alike in (stands_alike, lambda a, b: False):
            with monkeypatch.context() as patch:
                patch.setattr(pack, "stands_alike", alike)
                try:
                    found.append(compile_system(source.system(changed), like=nominal))
                except jp.InputError as error:
                    found.append([str(one) for one in error.problems])
        if isinstance(found[0], list) or isinstance(found[1], list):
            assert found[0] == found[1]
            continue
        seen += 1
        assert found[0].dropped == found[1].dropped
        for a, b in zip(numbers(found[0]), numbers(found[1]), strict=True):
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        assert found[0].rank == found[1].rank and found[0].notes == found[1].notes
    assert seen or name in ("planetary_gear",)
