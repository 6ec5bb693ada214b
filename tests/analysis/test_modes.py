"""Modes of contact: the corners of paper B, other joints, tolerances."""

from __future__ import annotations

import play_mechanisms as play
import pytest

import jointplay as jp
from jointplay.analysis import Mode, closed, contact_modes, contact_names, gap_history, mode_shares
from jointplay.analysis.modes import _corners


def test_slider_that_does_not_turn_touches_with_whole_faces(crank: jp.Solution) -> None:
    modes = contact_modes(crank, "D")
    assert {mode.label for mode in modes} == {"none", "two adjacent corners"}
    assert {mode.contacts for mode in modes} == {(), play.CORNERS[:2], play.CORNERS[2:]}
    # the first rebounds die out at 9.15 ms (independent solution of the benchmark)
    assert modes[0].label == "none"
    assert modes[1].start == pytest.approx(9.15e-3, abs=1e-5)
    assert modes[1].contacts == play.CORNERS[:2]


def test_modes_follow_each_other_without_holes(crank: jp.Solution) -> None:
    modes = contact_modes(crank, "D")
    assert modes[0].start == crank.time[0]
    assert modes[-1].end == crank.time[-1]
    for one, two in zip(modes, modes[1:], strict=False):
        assert one.end == two.start
        assert one.contacts != two.contacts
    assert sum(mode_shares(modes).values()) == pytest.approx(1.0)
    assert mode_shares(modes)["none"] == pytest.approx(0.856, abs=5e-3)


def test_a_mode_begins_with_its_impact(crank: jp.Solution) -> None:
    """To rounding, not to the interval of saved states."""
    times = set(crank.impacts["time"])
    shut = [mode for mode in contact_modes(crank, "D") if mode.contacts]
    assert len(shut) == 5
    assert all(mode.start in times for mode in shut)


def test_two_opposite_corners() -> None:
    """A force up at one end of a block lifts that end: the other end rests below, this one is held above."""
    solution = jp.simulate(play.block(force=60.0), 0.2, jp.Moreau(step=1e-4), 1e-3)
    last = contact_modes(solution, "D")[-1]
    assert last.label == "two opposite corners"
    assert last.contacts == ("D.radial[1]", "D.radial[2]")
    assert closed(solution, "D")[-1].tolist() == [False, True, True, False]


def test_names_of_corner_sets() -> None:
    assert _corners([]) == "none"
    assert _corners([3]) == "one corner"
    assert _corners([0, 1]) == _corners([2, 3]) == "two adjacent corners"
    assert _corners([0, 3]) == _corners([1, 2]) == "two opposite corners"
    assert _corners([0, 2]) == "two corners"
    assert _corners([0, 1, 2]) == "three corners"
    assert _corners([0, 1, 2, 3]) == "four corners"


def test_other_joints_name_their_contacts(pendulum: jp.Solution) -> None:
    modes = contact_modes(pendulum, "R")
    assert [mode.label for mode in modes[:2]] == ["none", "radial[0], radial[1]"]
    assert {mode.label for mode in modes} == {"none", "radial[0], radial[1]"}
    assert modes[1].contacts == ("R.radial[0]", "R.radial[1]")
    assert isinstance(modes[1], Mode)
    assert modes[1].duration == modes[1].end - modes[1].start > 0.0
    assert contact_names(pendulum, "R") == ("R.radial[0]", "R.radial[1]", "R.axial[0]", "R.axial[1]")


def test_tolerance(crank: jp.Solution) -> None:
    """A wider tolerance closes more, and one as wide as the play closes everything."""
    usual, wide = closed(crank, "D"), closed(crank, "D", 1e-5)
    assert (wide | usual == wide).all()
    assert wide.sum() > usual.sum()
    assert [mode.label for mode in contact_modes(crank, "D", 3e-3)] == ["four corners"]
    with pytest.raises(jp.InputError, match="tolerance"):
        closed(crank, "D", -1.0)


def test_gap_history(crank: jp.Solution) -> None:
    gaps = gap_history(crank, "D")
    assert tuple(gaps) == play.CORNERS
    # opposite corners share the width of the guide
    assert gaps["D.radial[0]"] + gaps["D.radial[2]"] == pytest.approx(2e-3, abs=1e-9)
    assert max(gap.max() for gap in gap_history(crank, "D", relative=True).values()) == 1.0


def test_joints_without_contacts(crank: jp.Solution) -> None:
    with pytest.raises(jp.InputError, match="'A' has no contacts; the joints with clearance are D"):
        contact_modes(crank, "A")
    system = jp.System("stone")
    system.body("stone", mass=1, inertia=(1, 1, 1))
    with pytest.raises(jp.InputError, match="no joint of this run has clearance"):
        contact_modes(jp.simulate(system, 1.0, save=0.5), "A")
