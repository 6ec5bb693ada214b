"""Times of a run that do not suit each other."""

from __future__ import annotations

from typing import Any

import pytest

import jointplay as jp
from jointplay.errors import InputError
from jointplay.methods.base import Method


@pytest.fixture
def pendulum() -> jp.System:
    s = jp.System("pendulum", planar=True)
    body = s.body("b", mass=1, inertia=1, position=[0.5, 0])
    s.revolute("J", s.ground, body, point=[0, 0])
    return s


@pytest.mark.parametrize(
    ("method", "option"),
    [
        (jp.Moreau(step=1e18), "moreau.step"),
        (jp.Moreau(step="10"), "moreau.step"),  # type: ignore[arg-type]
        (jp.Verlet(step=0.11), "verlet.step"),
        (jp.Index1(step="1 s"), "index1.step"),  # type: ignore[arg-type]
        (jp.OptimalStep(h_min=0.2, h_max=0.3), "optimal_step.h_min"),
    ],
)
def test_a_step_longer_than_the_run(method: Method, option: str, pendulum: jp.System) -> None:
    with pytest.raises(InputError, match=rf"method\.{option}: a step of .* s is longer than the whole run of 0\.1 s"):
        jp.simulate(pendulum, 0.1, method)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            "10",
            "; '10' was read as 10 s, because a number without a unit is in seconds: did you mean '10 us' or '10 ms'?",
        ),
        (" 500 ", "; '500' was read as 500 s, because a number without a unit is in seconds: did you mean '500 us'?"),
        (10, "; a number without a unit is in seconds: did you mean '10 us' or '10 ms'?"),
        ("1e18", "; '1e18' was read as 1e+18 s, because a number without a unit is in seconds"),
        ("1 s", ""),
        ("2 min", ""),
    ],
)
def test_what_may_be_meant(step: Any, said: str, pendulum: jp.System) -> None:
    for method in (jp.Moreau(step=step), {"moreau": {"step": step}}):
        with pytest.raises(InputError) as caught:
            jp.simulate(pendulum, 0.1, method)  # type: ignore[arg-type]
        [problem] = caught.value.problems
        assert problem.message.endswith(f" s is longer than the whole run of 0.1 s{said}")


def test_saves_that_may_be_meant_otherwise(pendulum: jp.System) -> None:
    [note] = [one for one in jp.simulate(pendulum, 0.1, save="5").meta["notes"] if "interval of saves" in one]
    assert note.endswith(
        "'5' was read as 5 s, because a number without a unit is in seconds: did you mean '5 us' or '5 ms'?"
    )


@pytest.mark.parametrize("step", ["abc", "10 kg", "", "nan", "-1 s", True, None, [1], "2024-05-01"])
def test_steps_that_are_none(step: Any, pendulum: jp.System) -> None:
    with pytest.raises(InputError, match=r"method\.verlet\.step: "):
        jp.simulate(pendulum, 0.1, jp.Verlet(step=step))


def test_a_continued_run_may_end_within_a_step(pendulum: jp.System) -> None:
    """Its step was short enough for the whole."""
    method = jp.Verlet(step=0.03)
    first = jp.simulate(pendulum, 0.09, method)
    assert jp.simulate(pendulum, 0.1, method, start=first).outcome.ok


@pytest.mark.parametrize("save", [5, "5 s", 0.11])
def test_an_interval_of_saves_longer_than_the_run(save: Any, pendulum: jp.System) -> None:
    sol = jp.simulate(pendulum, 0.1, save=save)
    assert sol.time.tolist() == [0.0, 0.1]
    assert any("is longer than the run of 0.1 s" in note for note in sol.meta["notes"] if note.startswith("warning: "))


@pytest.mark.parametrize("save", [None, 0.1, "50 ms", [0.05], [0.0, 0.1]])
def test_saves_that_suit(save: Any, pendulum: jp.System) -> None:
    assert not any("longer than the run" in note for note in jp.simulate(pendulum, 0.1, save=save).meta["notes"])
