"""A mechanism as a gymnasium environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.errors import InputError

gymnasium = pytest.importorskip("gymnasium")


def swing() -> jp.System:
    s = jp.System("swing", planar=True, inputs={"motor": "N*m"})
    s.body("b", mass=1, inertia=0.1, position=(0, -0.5, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0))
    s.torque("T", "b", torque="motor")
    return s


GIVEN: dict[str, Any] = {
    "observe": ["A.angle", "A.angle_rate", "b.position"],
    "act": {"motor": ("-5 N*m", 5.0)},
    "reward": "-A.angle^2 - 0.01*motor^2",
    "span": "20 ms",
    "at_most": "1 s",
    "ends": "A.angle > 1",
    "method": jp.Explicit(),
}


def test_gymnasium_finds_nothing_wrong() -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(jp.environment(swing(), **GIVEN), skip_render_check=True)


def test_an_episode_ends_by_time_and_by_its_condition() -> None:
    env = jp.environment(swing(), **GIVEN)
    env.reset(seed=1)
    for k in range(50):
        seen, reward, over, cut, info = env.step(np.zeros(1))
        assert (over, cut) == (False, k == 49)
    assert info["time"] == pytest.approx(1.0) and reward == 0.0 and seen.shape == (5,)
    env.reset()
    over = False
    while not over:
        seen, reward, over, cut, info = env.step(np.array([5.0]))
    assert seen[0] > 1.0 and reward == pytest.approx(-(seen[0] ** 2) - 0.25)


def test_a_start_that_varies_is_repeated_by_its_seed() -> None:
    def begin(sim: jp.Stepper, random: np.random.Generator) -> None:
        sim.set("motor", float(random.uniform(-2, 2)))
        sim.advance("0.1 s")

    env = jp.environment(swing(), **GIVEN | {"begin": begin})
    first, again, other = (env.reset(seed=seed)[0] for seed in (3, 3, 4))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"observe": ["A.angel"]}, "did you mean A.angle"),
        ({"act": {"moter": (0, 1)}}, "did you mean 'motor'"),
        ({"act": {"motor": ("1 N", "2 N")}}, "expected a torque"),
        ({"act": {"motor": (2, 1)}}, "must be below"),
        ({"reward": "A.angel"}, "did you mean 'A.angle'"),
        ({"ends": "A.angle"}, "compares two sides"),
    ],
)
def test_bad_environments_get_a_sentence(given: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        jp.environment(swing(), **GIVEN | given)
