"""Which kernels a run needs: a true total, and counts that only grow."""

from __future__ import annotations

import numpy as np
import pytest
from numba import typeof
from numba.core import event

from jointplay.compile.pack import pack
from jointplay.compile.work import make_record, make_work
from jointplay.methods.registry import METHODS
from jointplay.model.files import load_model
from jointplay.numerics.pieces import KERNELS
from jointplay.warmup import watch
from jointplay.warmup.names import Name, kernel_names
from jointplay.warmup.needed import _below, needed_for
from jointplay.warmup.tasks import MODEL


def test_what_is_followed_is_what_is_linked() -> None:
    """The pieces of a program, as they are on disk."""
    method = METHODS["explicit"]()
    compiled = pack(load_model(MODEL), 1.0)
    work = make_work(compiled.model, compiled.state, method.stages, implicit=method.implicit)
    record = make_record(np.zeros(1), np.empty((1, 1)))
    arguments = (compiled.model, compiled.state, work, record, method.settings(1.0))
    linked = method.run.piece(tuple(map(typeof, arguments))).code.callers_first()
    found = {(one.__module__, one.__qualname__) for one in _below([method.run])}
    assert {(one.place.module, one.place.name) for one in linked} == found & KERNELS.keys()


@pytest.mark.parametrize("method", METHODS)
def test_a_part_of_the_engine(method: str) -> None:
    needed = needed_for(method)
    run = METHODS[method]().run.py_func
    assert (run.__module__.removeprefix("jointplay."), run.__name__) in needed
    assert needed < kernel_names(derivatives=False)


def test_counts_only_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where more is needed than was thought."""
    kept: frozenset[Name] = frozenset()
    monkeypatch.setattr(watch, "compiled_names", lambda: kept)
    told: list[tuple[int, int]] = []
    needed, engine = needed_for("verlet"), kernel_names(derivatives=False)
    inside = [k for k in KERNELS.values() if (k.place[0].removeprefix("jointplay."), k.place[1]) in needed]
    outside = KERNELS["jointplay.methods.moreau", "run"]
    with watch.watching(lambda done, total, name: told.append((done, total)), "verlet"):
        for kernel in (*inside, outside, inside[0]):
            with event.trigger_event("numba:compile", data={"dispatcher": kernel}):
                pass
    assert told == sorted(told)
    assert told[0] == (0, len(needed))
    assert (len(needed), len(needed)) in told
    assert told[-1] == (len(needed) + 1, len(engine))
