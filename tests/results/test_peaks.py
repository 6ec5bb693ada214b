"""Extremes over every step: found whatever is saved, kept in files, and never those of rigid contacts."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipj, ellipk

import jointplay as jp
from jointplay.results.file import part_of
from jointplay.results.means import default_window, largest_mean, mean_loads
from jointplay.results.missed import missed_peaks
from jointplay.results.summary import figures, summary

G, DROP = 9.81, 0.05
SWING = G / 1.25  # 1/s^2, of a pendulum of 1 kg and 0.25 kg m^2 with its centre of mass 1 m below the pivot


def falling(name: str, system: jp.System, law: object, x: float = 0.0) -> None:
    """A body of 2 kg that falls 50 mm on to a stop."""
    body = system.body(name, mass=2.0, inertia=1e-3, position=(x, 0.1))
    stop = jp.Stop(lower=-DROP, contact=law)
    system.prismatic(f"{name}_guide", system.ground, body, point=(x, 0.1), axis=(0, 1), displacement=stop)


def dropped(law: object) -> jp.System:
    system = jp.System("dropped", planar=True, gravity=(0, -G))
    falling("block", system, law)
    return system


def deepest(stiffness: float, exponent: float) -> float:
    """Penetration where m g (h + d) = K d^(n + 1) / (n + 1)."""
    d = 0.0
    for _ in range(200):
        d = ((exponent + 1.0) * 2.0 * G * (DROP + d) / stiffness) ** (1.0 / (exponent + 1.0))
    return d


@pytest.mark.parametrize(("stiffness", "exponent", "close"), [(1e8, 1.0, 3e-2), (2e9, 1.5, 1e-2), (5e12, 2.0, 1e-2)])
def test_an_impact_between_two_saved_states(stiffness: float, exponent: float, close: float) -> None:
    """The contact is over within a hundredth of a saving interval; energy gives its peak.

    Steps are looked at where they end; a linear spring is smooth and has long ones.
    """
    law = jp.Hertz(stiffness=f"{stiffness} N/m^{exponent}", exponent=exponent)
    fall = np.sqrt(2.0 * DROP / G)
    depth = deepest(stiffness, exponent)
    speed, power = np.sqrt(2.0 * G * DROP), exponent + 1.0
    # without weight: from touch to the deepest point and back
    lasts = 2.0 * depth / speed * quad(lambda x: 1.0 / np.sqrt(1.0 - x**power), 0.0, 1.0)[0]
    sol = jp.simulate(dropped(law), fall + 60 * lasts, jp.Explicit(), save=[0.0, fall - 50 * lasts, fall + 50 * lasts])
    assert not np.any(sol["block_guide.stop_force"])
    peak = sol.peaks["block_guide.stop_force"]
    assert peak.every_step and not peak.impulsive
    assert peak.greatest == pytest.approx(stiffness * depth**exponent, rel=close)
    assert abs(peak.greatest_time - fall - 0.5 * lasts) < 0.1 * lasts
    assert sol.peaks["|block_guide.stop_force|"].greatest == peak.greatest
    assert sol.peaks["block.position[1]"].least == pytest.approx(0.05 - depth, abs=close * depth)
    (sentence,) = missed_peaks(sol)
    assert sentence.startswith("saved states show at most 0 N of the peak of ") and sentence in summary(sol)
    assert "(over every step)" in summary(sol)


def test_saves_that_show_a_peak_say_nothing() -> None:
    law, fall = jp.Hertz(stiffness="2e9 N/m^1.5"), np.sqrt(2.0 * DROP / G)
    sol = jp.simulate(dropped(law), 0.12, jp.Explicit(), save=np.arange(fall, 0.12, 2e-5))
    assert sol["block_guide.stop_force"].max() > 1000.0
    assert missed_peaks(sol) == []
    assert sol.peaks["block_guide.stop_force"].greatest >= sol["block_guide.stop_force"].max()


def pendulum() -> jp.System:
    """Let go at 2 rad."""
    system = jp.System("pendulum", planar=True, gravity=(0, -G))
    bob = system.body("bob", mass=1.0, inertia=0.25, position=(np.sin(2.0), -np.cos(2.0)))
    system.revolute("P", system.ground, bob, point=(0, 0))
    return system


@pytest.mark.parametrize("method", [jp.Explicit(), jp.Index1(step=1e-3)])
def test_a_pendulum_between_two_saved_states(method: object) -> None:
    """Over one swing it passes the lowest point with a known speed; methods of fixed step keep the motion too."""
    half = 2.0 * ellipk(np.sin(1.0) ** 2) / np.sqrt(SWING)
    sol = jp.simulate(pendulum(), 1.2 * half, method, save=[0.0, 0.2])
    position, velocity = sol.peaks["bob.position"], sol.peaks["bob.velocity[0]"]
    assert position.every_step and velocity.every_step
    assert position.least[:2] == pytest.approx([-np.sin(np.pi / 2), -1.0], abs=2e-2)
    assert velocity.least == pytest.approx(-np.sqrt(2.0 * SWING * (1.0 - np.cos(2.0))), rel=1e-2)
    assert position.greatest[1] == pytest.approx(-np.cos(2.0), abs=1e-6)
    assert velocity.least_time == pytest.approx(half / 2.0, abs=0.05 * half)
    assert sol.peaks["|bob.velocity|"].every_step is False
    assert sol.peaks["P.force"].every_step is (type(method) is jp.Explicit)


def test_the_last_step_counts_up_to_the_end() -> None:
    """Steps may end after the run; what is there is no extreme of it. Without forces, steps are as long as can be."""
    system = jp.System("thrown", gravity=(0, 0, 0))
    system.body("stone", mass=1.0, inertia=(1, 1, 1), velocity=(2, 0, 0))
    for until in (0.3, 1.0, 7.7):
        sol = jp.simulate(system, until, jp.Explicit(), save=[0.0, until])
        peak = sol.peaks["stone.position[0]"]
        assert (peak.greatest, peak.greatest_time) == (pytest.approx(2.0 * until), until)
    half = ellipk(np.sin(1.0) ** 2) / np.sqrt(SWING)
    for share in np.linspace(0.31, 0.95, 5):  # before the lowest point: the speed still grows
        sol = jp.simulate(pendulum(), share * half, jp.Explicit(), save=[0.0, share * half])
        sn = ellipj(np.sqrt(SWING) * (1.0 - share) * half, np.sin(1.0) ** 2)[0]  # theta = 2 asin(k sn) before it
        angle = 2.0 * np.arcsin(np.sin(1.0) * sn)
        assert sol.peaks["P.angle"].size == pytest.approx(2.0 - angle, rel=1e-6)


def test_unconnected_mechanisms() -> None:
    """Each keeps its own peaks, also beside one with rigid contacts; energies add up, their extremes do not."""
    system = jp.System("three", planar=True, gravity=(0, -G))
    falling("soft", system, jp.Hertz(stiffness="2e9 N/m^1.5"))
    falling("softer", system, jp.Hertz(stiffness="1e8 N/m^1.5"), x=1.0)
    alone = jp.simulate(dropped(jp.Hertz(stiffness="1e8 N/m^1.5")), 0.15, jp.Explicit(), save=0.05)
    both = jp.simulate(system, 0.15, jp.Explicit(), save=0.05)
    assert both.stats["parts"] == 2
    peak = both.peaks["softer_guide.stop_force"]
    assert peak.greatest == pytest.approx(alone.peaks["block_guide.stop_force"].greatest, rel=1e-6) and peak.every_step
    assert both.peaks["soft_guide.stop_force"].greatest > 2.0 * peak.greatest
    assert alone.peaks["energy.elastic"].every_step and not both.peaks["energy.elastic"].every_step
    falling("hard", system, jp.Rigid(restitution=0.5), x=2.0)
    mixed = jp.simulate(system, 0.15, save=0.05)
    assert mixed.peaks["hard_guide.stop_force"].impulsive
    assert [one["name"] for one in figures(mixed)["stop_peaks"]] == ["soft_guide.stop_force", "softer_guide.stop_force"]


def test_rigid_contacts_have_impulses_and_means() -> None:
    """A block that bounces and comes to rest: its mean force over a long time is its weight."""
    sol = jp.simulate(dropped(jp.Rigid(restitution=0.5)), 1.0)
    facts, text = figures(sol), summary(sol)
    assert sol.peaks["block_guide.stop_force"].impulsive and "impulses: no peak" in repr(sol.peaks)
    assert facts["peaks"] == facts["stop_peaks"] == [] and "peak" not in text
    speed = np.sqrt(2.0 * G * DROP)
    assert facts["impacts"]["strongest"]["impulse"] == pytest.approx(2.0 * 1.5 * speed, rel=1e-5)
    assert "the strongest at block_guide.displacement[lower] with 2.971 N s" in text
    means = facts["mean_forces"]
    assert f"largest mean over {means['window']:.3g} s" in text and means["why"] in text
    stop = next(one for one in mean_loads(sol, 0.5) if one.name == "block_guide.stop_force")
    assert stop.impacts and stop.force == pytest.approx((2.0 * speed + 2.0 * G * (stop.end - 0.101)) / 0.5, rel=0.2)
    rest = largest_mean(sol.time[800:], 2.0 * G * sol.time[800:], 0.1)
    assert rest[0] == pytest.approx(2.0 * G)


def test_a_rigid_stop_of_an_angle() -> None:
    system = jp.System("gate", planar=True, gravity=(0, -G))
    gate = system.body("gate", mass=1.0, inertia=0.25, position=(1.0, 0.0))
    system.revolute(
        "P", system.ground, gate, point=(0, 0), angle=jp.Stop(lower=-0.5, contact=jp.Rigid(restitution=0.2))
    )
    sol = jp.simulate(system, 1.0)
    assert sol.peaks["P.stop_torque"].impulsive and sol.peaks["|P.stop_force|"].impulsive
    assert figures(sol)["impacts"]["strongest"]["unit"] == "N m s"
    by_name = {one.name: one for one in mean_loads(sol, 0.4)}
    stop = by_name["P.stop_torque"]  # between an instant before the blow and rest: weight and what was turning
    turning = 1.25 * np.sqrt(2.0 * SWING * np.sin(0.5))
    assert (stop.unit, stop.impacts, by_name["P"].impacts) == ("N m", True, False)
    assert stop.force * (stop.end - stop.start) > turning


def test_a_window_holds_impacts_and_saves() -> None:
    sol = jp.simulate(dropped(jp.Rigid(restitution=0.5)), 1.0, save=0.1)
    assert default_window(sol) >= 0.5
    fine = jp.simulate(dropped(jp.Rigid(restitution=0.0)), 1.0, save=1e-3)
    assert default_window(fine) == pytest.approx(0.01)


def test_files_keep_them(tmp_path: Path) -> None:
    law = jp.Hertz(stiffness="2e9 N/m^1.5")
    memory = jp.simulate(dropped(law), 0.15, jp.Explicit(), save=0.05)
    streamed = jp.simulate(dropped(law), 0.15, jp.Explicit(), save=0.05, output=tmp_path / "run.nc")
    short = jp.simulate(dropped(law), 0.15, jp.Explicit(), save=0.05, output=tmp_path / "cut.nc", max_steps=15)
    copy = jp.load(streamed.save(tmp_path / "copy.nc"))
    for other in (streamed, jp.load(tmp_path / "run.nc"), copy):
        assert repr(other.peaks) == repr(memory.peaks)
        np.testing.assert_array_equal(other._extremes, memory._extremes)
    assert short.peaks["block.velocity[1]"].every_step
    assert summary(copy).splitlines()[4:9] == summary(memory).splitlines()[4:9]


def test_a_file_of_an_older_version_has_those_of_its_saved_states(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    jp.simulate(dropped(jp.Hertz(stiffness="2e9 N/m^1.5")), 0.15, jp.Explicit(), 0.05, output=path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int.from_bytes(whole[40:48], "little")])  # without its seal
    with h5py.File(path, "r+") as file:
        del file["extremes"]
    old = jp.load(path)
    peak = old.peaks["block.position[1]"]
    assert not peak.every_step and peak.least == old["block.position[1]"].min()
    assert "in saved states" in summary(old) and missed_peaks(old) == []


def test_a_run_under_way_has_those_of_its_saved_states(tmp_path: Path) -> None:
    path, seen = tmp_path / "run.nc", []

    def look(time: float, *_: float) -> None:
        running = jp.load(part_of(path))
        peak = running.peaks["block.position[1]"]
        if len(running.time):
            seen.append(not peak.every_step and peak.least == running["block.position[1]"].min())

    jp.simulate(dropped(jp.Hertz(stiffness="2e9 N/m^1.5")), 0.15, jp.Explicit(), 0.01, output=path, progress=look)
    assert seen and all(seen)


def test_reading_is_like_reading_the_solution(solution: jp.Solution) -> None:
    assert list(solution.peaks) == solution.names and len(solution.peaks) == len(solution.names)
    for name in ("slider.position", "slider.position[2]", "|B.force|", "B.force_local", "|slider.velocity[1]|", "time"):
        peak, values = solution.peaks[name], solution[name]
        assert np.shape(peak.greatest) == values.shape[1:]
        assert np.all(peak.greatest >= values.max(axis=0)) and np.all(peak.least <= values.min(axis=0))
        assert peak.unit == solution.units[name]
    assert solution.peaks["|B.force_local|"].greatest == solution.peaks["|B.force|"].greatest
    assert repr(solution.peaks["slider.position[0]"]).startswith("<Peak slider.position[0]: ")
    with pytest.raises(KeyError, match="did you mean"):
        solution.peaks["slider.positon"]
    with pytest.raises(KeyError, match="component"):
        solution.peaks["slider.position[7]"]
