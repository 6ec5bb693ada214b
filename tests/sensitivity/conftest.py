"""An engine made of differences, in place of the exact ones: it perturbs compiled numbers by a Variation and runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jointplay.arrays import Model, State
from jointplay.assemble.dynamics import derivative
from jointplay.compile.work import make_work
from jointplay.results.layout import layout_of
from jointplay.results.sink import MemorySink
from jointplay.running import Running, drive

STEP = 1e-5  # of the parameter


def moved(compiled: Any, variation: Any, amount: float) -> tuple[Model, State]:
    """Model and start with all numbers moved along a variation."""
    arrays = []
    for array, change in zip(compiled.model, variation.model, strict=True):
        new = array.copy()
        for field in array.dtype.names or ():
            if np.issubdtype(array.dtype[field].base, np.floating):
                new[field] += amount * change[field]
        if not array.dtype.names and np.issubdtype(array.dtype, np.floating):
            new += amount * change
        arrays.append(new)
    model = Model(*arrays)
    state = State(*(part.copy() for part in compiled.state))
    state.y[:] += amount * variation.y
    state.memory[:] += amount * variation.memory
    state.clock["energy0"] += amount * variation.energy0
    derivative(model, 0.0, state.y, state.memory, make_work(model, state), state.dy)
    return model, state


def channels(compiled: Any, model: Model, state: State, scheme: Any, times: np.ndarray) -> np.ndarray:
    """All channels of a run of a compiled model."""
    layout = layout_of(compiled)
    sink = MemorySink(layout, times)
    part = Running(replace(compiled, model=model), state, scheme, layout, compiled.contacts)
    drive([part], state, times, float(times[-1]), sink, None, None)
    return sink._channels[: sink.saved]


def direct(
    compiled: Any, variations: list[Any], scheme: Any, times: np.ndarray, columns: np.ndarray, progress: Any
) -> Any:
    """Central differences in the space of models: exact as far as the variations are."""
    state = State(*(part.copy() for part in compiled.state))
    values = channels(compiled, compiled.model, state, scheme, times)
    found = []
    for one in variations:
        h = STEP * (abs(one.value) or 1.0)
        ends = [channels(compiled, *moved(compiled, one, sign * h), scheme, times) for sign in (1.0, -1.0)]
        found.append((ends[0] - ends[1])[:, columns] / (2.0 * h))
    return SimpleNamespace(values=values[:, columns], derivatives=np.array(found), invalid=[], stats={"steps": 7})


def adjoint(
    compiled: Any, variations: Any, scheme: Any, times: np.ndarray, columns: np.ndarray, weigh: Any, progress: Any
) -> Any:
    """Weights applied to the derivatives of channels."""
    answer = direct(compiled, variations, scheme, times, columns, progress)
    weights = weigh(answer.values)
    gradient = np.einsum("otc,ptc->op", weights, answer.derivatives)
    return SimpleNamespace(values=answer.values, gradient=gradient, invalid=answer.invalid, stats=answer.stats)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """``jointplay.sensitivity.exact`` made of differences, without complex steps."""
    module = ModuleType("jointplay.sensitivity.exact")
    module.direct, module.adjoint = direct, adjoint  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jointplay.sensitivity.exact", module)
    yield module
