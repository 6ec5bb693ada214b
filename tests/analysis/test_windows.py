"""Mean forces count impulses; finite forces and impacts add up to all."""

from __future__ import annotations

import numpy as np
import play_mechanisms as play
import pytest

import jointplay as jp
from jointplay.analysis import impacts_summary, impulse_parts, mean_force, moving_force

WEIGHT = 2.0 * 9.81


@pytest.fixture(scope="module")
def block() -> jp.Solution:
    """A block that falls by its play and rests."""
    return jp.simulate(play.block(), 0.1, jp.Moreau(step=1e-5), 1e-3)


def test_impulses_carry_the_weight_from_the_start_on(block: jp.Solution) -> None:
    """After the fall the block rests, so all impulses together are its weight times the time."""
    means = mean_force(block, "D", 0.1)
    assert means.force.shape == (1, 4)
    assert (means.start[0], means.end[0]) == (0.0, pytest.approx(0.1))
    assert means.force.sum() == pytest.approx(WEIGHT, rel=2e-4)
    assert means.force[0, :2].tolist() == [0.0, 0.0]
    # the curve of the finite force alone misses what the impact gave
    assert np.trapezoid(block["D.normal_force"].sum(axis=1), block.time) / 0.1 < 0.87 * WEIGHT


def test_parts_of_the_impulse(block: jp.Solution) -> None:
    parts = impulse_parts(block, "D")
    fall = np.sqrt(2 * 1e-3 / 9.81)
    assert parts.impacts[-1].sum() == pytest.approx(2.0 * 9.81 * fall, rel=1e-9)
    assert parts.impacts[:14].sum() == 0.0
    assert parts.finite[-1].sum() == pytest.approx(WEIGHT * (0.1 - fall), rel=3e-4)
    assert parts.finite + parts.impacts == pytest.approx(block["D.normal_impulse"], abs=1e-15)
    assert parts.contacts == play.CORNERS


def test_windows_state_where_they_lie(block: jp.Solution) -> None:
    means = mean_force(block, "D", "30 ms")
    assert means.start == pytest.approx([0.0, 0.03, 0.06])  # the rest of 10 ms is left out
    assert means.end == pytest.approx([0.03, 0.06, 0.09])
    assert means.time == pytest.approx([0.015, 0.045, 0.075])
    assert means.force[1:].sum(axis=1) == pytest.approx(WEIGHT, rel=1e-3)
    assert means.impacts[1:].max() == 0.0
    assert means.finite + means.impacts == pytest.approx(means.force)


def test_windows_between_saved_instants(crank: jp.Solution) -> None:
    """Windows whose edges were not saved: their impulses add up to the whole."""
    total = crank["D.normal_impulse"][-1]
    means = mean_force(crank, "D", play.TURNS / 7)
    assert (means.force * (play.TURNS / 7)).sum(axis=0) == pytest.approx(total, rel=1e-9)
    table = impacts_summary(crank)
    assert (means.impacts * (play.TURNS / 7)).sum(axis=0) == pytest.approx(table["impulse"], rel=1e-9)


def test_moving_average(crank: jp.Solution) -> None:
    means = moving_force(crank, "D", "2 ms")
    assert len(means.start) == len(crank.time)
    middle = slice(20, -20)
    assert means.end[middle] - means.start[middle] == pytest.approx(2e-3)
    assert means.time[middle] == pytest.approx(crank.time[middle])
    assert means.start[0] == 0.0
    assert means.end[-1] == crank.time[-1]
    assert means.force.min() > -1e-9
    # a window about the first impact holds its impulse
    first = crank.impacts[0]
    k = int(np.searchsorted(crank.time, first["time"]))
    assert means.force[k, 0] == pytest.approx(first["impulse"] / 2e-3, rel=1e-6)


def test_a_continued_run_counts_from_its_start(block: jp.Solution) -> None:
    rest = jp.simulate(play.block(), 0.2, jp.Moreau(step=1e-5), 1e-3, start=block)
    means = mean_force(rest, "D", "50 ms")
    assert means.force.sum() == pytest.approx(WEIGHT, rel=1e-3)
    assert impulse_parts(rest, "D").finite[0].tolist() == [0.0] * 4


@pytest.mark.parametrize(
    ("window", "message"),
    [
        ("1 m", "expected a time"),
        (0.0, "longer than 0 s"),
        (1.0, "not longer than the run"),
        ("0.1 ms", "save more often"),
    ],
)
def test_windows_that_cannot_be(block: jp.Solution, window: float | str, message: str) -> None:
    for function in (mean_force, moving_force):
        with pytest.raises(jp.InputError, match=message):
            function(block, "D", window)


def test_impacts_by_contact(crank: jp.Solution) -> None:
    table = impacts_summary(crank)
    assert tuple(table["contact"]) == play.CORNERS
    assert table["count"].sum() == len(crank.impacts)
    assert table["energy_loss"].sum() == pytest.approx(crank.impacts["energy_loss"].sum())
    assert table["energy_loss"].sum() <= crank["energy.dissipated"][-1]
    hardest = crank.impacts[np.argmin(crank.impacts["speed_before"])]
    assert table["largest_speed"].max() == -hardest["speed_before"]
    assert hardest["time"] in table["time"]


def test_walls_that_were_not_struck_and_stops(pendulum: jp.Solution) -> None:
    table = impacts_summary(pendulum)
    assert table["count"][2:].tolist() == [0, 0]
    assert np.isnan(table["time"][2:]).all()
    system = jp.System("stop", gravity=(0, 0, -9.81))
    body = system.body("b", mass=2.0, inertia=(1, 1, 1))
    stop = jp.Stop(lower=-0.1, upper=1.0, contact=jp.Rigid(restitution=0.5))
    system.prismatic("T", system.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
    table = impacts_summary(jp.simulate(system, 1.0, jp.Moreau(step=1e-3), 1e-2))
    assert table["contact"].tolist() == ["T.displacement[lower]", "T.displacement[upper]"]
    assert table["largest_speed"].tolist() == [pytest.approx(np.sqrt(2 * 9.81 * 0.1)), 0.0]
    assert table["energy_loss"][0] == pytest.approx(2.0 * 9.81 * 0.1, rel=1e-6)
