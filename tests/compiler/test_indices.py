"""Kernels count from the front: machine code takes an index as it stands, so that a negative one would read elsewhere.

Constant ones are refused by the compiler. Computed ones are looked for by running kernels as plain Python on arrays
that raise where an index is negative.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.native.kernel import PLAIN, Kernel, recording
from jointplay.numerics.jit import jit
from jointplay.warmup.tasks import Lowered, tasks_for

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")


def look(key: Any) -> None:
    parts = key if isinstance(key, tuple) else (key,)
    for one in parts:
        ends = (one.start, one.stop) if isinstance(one, slice) else (one,)
        if any(isinstance(end, int | np.integer) and end < 0 for end in ends):
            raise IndexError(f"a kernel counts from the end: [{key}]")


class Numbers(np.ndarray):
    """An array that looks at its indices; what is cut out of it does so too."""

    def __getitem__(self, key: Any) -> Any:
        look(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        look(key)
        super().__setitem__(key, value)


class Records(np.recarray):
    """The same for records."""

    def __getitem__(self, key: Any) -> Any:
        look(key)
        return super().__getitem__(key)


def watched(value: Any) -> Any:
    if isinstance(value, tuple):
        items = map(watched, value)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, np.ndarray):
        return value.view(Records if value.dtype.names else Numbers)
    return value


@contextlib.contextmanager
def watching_indices(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    plainly, called = Kernel._interpret, list[str]()

    def interpret(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
        return plainly(kernel, watched(arguments) if recording.depth == 0 else arguments)

    monkeypatch.setattr(Kernel, "_interpret", interpret)
    recording.listener = lambda kernel, _: called.append(kernel.name)
    try:
        yield called
    finally:
        recording.listener = None


TASKS = [name for name, task in tasks_for(derivatives=True).items() if not isinstance(task, Lowered)]


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_kernels_of_all_tasks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with watching_indices(monkeypatch) as called:
        tasks_for(derivatives=True)[name]()
    assert called


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "until", "method"),
    [
        ("slider_crank_clearance", 1.5e-3, jp.Moreau(step=2e-5)),
        ("slider_crank_clearance", 1.5e-3, jp.Moreau()),
        ("ball_joint_play", 2e-2, jp.Moreau(step=1e-3)),
        ("slider_crank_ball_play", 2e-4, jp.Implicit()),
        ("worn_door", 2e-2, jp.Moreau()),
    ],
    ids=lambda one: str(one),
)
def test_kernels_of_contacts(model: str, until: float, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with watching_indices(monkeypatch) as called:
        assert jp.simulate(jp.load_model(GALLERY / f"{model}.yaml"), until, method, save=until).outcome.ok
    assert called


def test_watching_finds_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def before(a, n):
        return a[n - 1]

    with watching_indices(monkeypatch), pytest.raises(IndexError, match="counts from the end"):
        jit(before)(np.zeros(3), 0)


def test_a_constant_one_is_refused_by_the_compiler() -> None:
    def last(a):
        return a[-1]

    with pytest.raises(Exception, match="no index may be negative"):
        jit(last)(np.zeros(3))
