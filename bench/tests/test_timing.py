"""Turns and spreads."""

from __future__ import annotations

import os

import pytest

from ..contracts import Setting
from ..p1 import Rung, cheapest
from ..timing import Spread, one_core, race


def test_runs_take_turns_and_ratios_are_formed_pair_by_pair() -> None:
    """Ours before every peer, an unmeasured first round, ratio of neighbours."""
    order: list[str] = []
    own_times = iter([9.0, 9.0, 1.0, 2.0, 2.0, 1.0])
    peer_times = {"a": iter([9.0, 4.0, 8.0]), "b": iter([9.0, 6.0, 3.0])}

    def ours() -> float:
        order.append("ours")
        return next(own_times)

    def peer(name: str) -> float:
        order.append(name)
        return next(peer_times[name])

    result = race(ours, {"a": lambda: peer("a"), "b": lambda: peer("b")}, repeats=2)
    heats = result.heats
    assert order == ["ours", "a", "ours", "b"] * 3
    assert heats["a"].ratio == Spread(4.0, 4.0, 4.0)
    assert heats["b"].ratio == Spread(3.0, 3.0, 3.0)
    assert heats["a"].ours == Spread(1.0, 1.5, 2.0)
    assert result.ours == Spread(1.0, 1.5, 2.0)


def test_peers_run_without_us() -> None:
    """No ratio then, but times."""
    heat = race(None, {"a": lambda: 2.0}, repeats=3).heats["a"]
    assert heat.ratio is None and heat.ours is None and heat.peer.median == 2.0


def test_alone_drops_its_first_run() -> None:
    """The first run warms caches."""
    times = iter([50.0, 1.0, 3.0, 2.0])
    assert race(lambda: next(times), {}, repeats=3).ours == Spread(1.0, 2.0, 3.0)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin a process")
def test_one_core_is_one_core() -> None:
    """The process is pinned, and put back afterwards for the other tests."""
    before = os.sched_getaffinity(0)
    try:
        core = one_core()
        assert os.sched_getaffinity(0) == {core}
    finally:
        os.sched_setaffinity(0, before)


def test_cheapest_takes_the_fewest_steps_among_the_right() -> None:
    """Time only breaks ties, and there is none when no rung is right."""
    tried = [(10, 1.0, 1e-2), (40, 3.0, 1e-6), (20, 9.0, 1e-5), (20, 5.0, 1e-5), (80, 1.0, 1e-9)]
    rungs = [Rung(Setting("", k), seconds, steps, error) for k, (steps, seconds, error) in enumerate(tried)]
    best = cheapest(rungs, 1e-4)
    assert best is not None and best.setting.value == 3
    assert cheapest(rungs, 1e-12) is None
