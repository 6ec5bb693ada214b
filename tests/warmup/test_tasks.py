"""Tasks of the warm-up: what is registered is warmed."""

from __future__ import annotations

import pytest

from jointplay.methods.registry import METHODS
from jointplay.native.arguments import signature_hash
from jointplay.native.kernel import recording
from jointplay.sensitivity.exact import ENGINES
from jointplay.warmup.record import calls_in
from jointplay.warmup.tasks import FIRST, tasks_for


def test_every_method_is_a_task() -> None:
    tasks = tasks_for(derivatives=False)
    assert set(METHODS) <= set(tasks)
    assert set(FIRST) <= set(tasks_for(derivatives=True))
    assert len(FIRST) == len(set(FIRST))


def test_every_kind_of_derivative_is_a_task() -> None:
    more = set(tasks_for(derivatives=True)) - set(tasks_for(derivatives=False))
    assert more >= {"direct index1", "direct moreau", "adjoint index1", "complex-step index1"}
    assert len(more) == sum(map(len, ENGINES.values()))


def test_calls_are_recorded_without_a_compiler() -> None:
    """What a task calls, and with what; kernels that only kernels call are not told."""
    found = calls_in(tasks_for(derivatives=False)["verlet"])
    names = {name for name, _ in found}
    assert "methods.verlet.run" in names and "assemble.projection.close_positions" in names
    assert "assemble.dynamics.accelerate" not in names
    assert recording.listener is None
    for (_, signature), (_, arguments) in found.items():
        assert signature_hash(arguments) == signature


def test_recording_ends_with_a_task_that_fails() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        calls_in(fail)
    assert recording.listener is None
