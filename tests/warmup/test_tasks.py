"""Tasks of the warm-up: what is registered is warmed."""

from __future__ import annotations

from jointplay.methods.registry import METHODS
from jointplay.sensitivity.exact import ENGINES
from jointplay.warmup.tasks import FIRST, tasks_for


def test_every_method_is_a_task() -> None:
    tasks = tasks_for(derivatives=False)
    assert set(METHODS) <= set(tasks)
    assert set(FIRST) <= set(tasks_for(derivatives=True))
    assert len(FIRST) == len(set(FIRST))


def test_a_method_alone() -> None:
    few = tasks_for(derivatives=False, method="moreau")
    assert "moreau" in few and "explicit" not in few
    assert set(few) <= set(tasks_for(derivatives=True)), "workers look tasks up by name"
    assert list(tasks_for(derivatives=False, method="verlet")) == ["verlet"]


def test_every_kind_of_derivative_is_a_task() -> None:
    more = set(tasks_for(derivatives=True)) - set(tasks_for(derivatives=False))
    assert more >= {"direct index1", "direct moreau", "adjoint index1", "complex-step index1"}
    assert len(more) == sum(map(len, ENGINES.values()))
