"""Phase portraits, sections, spectra, energy, steps, convergence: against answers known beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.signal

import jointplay as jp
from jointplay.analysis import crossings, order, spectrum, strokes
from jointplay.figures import convergence, energy, phase, poincare, steps
from jointplay.figures import spectrum as draw_spectrum
from jointplay.figures.pen import path
from jointplay.figures.steps import mean_steps

OMEGA = 4.0 * np.pi  # rad/s, of the oscillator at 2 Hz


def test_phase_portrait_of_an_oscillator(swing: jp.Solution) -> None:
    """An ellipse: (x / a)^2 + (v / a omega)^2 = 1."""
    (ax,) = phase(swing, "b.position[0]").axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("b.position[0] [m]", "b.velocity[0] [m/s]")
    x, v = ax.lines[0].get_data()
    assert (x / 0.1) ** 2 + (v / (0.1 * OMEGA)) ** 2 == pytest.approx(1.0, abs=1e-6)
    assert ax.lines[1].get_xydata()[0] == pytest.approx([0.1, 0.0])  # start
    (ax,) = phase(swing, "T.displacement").axes
    assert ax.get_ylabel() == "T.displacement_rate [m/s]"
    with pytest.raises(jp.InputError, match="has no rate"):
        phase(swing, "energy.kinetic")


def test_section_by_the_period(swing: jp.Solution) -> None:
    """Once per period an oscillator is where it was."""
    (ax,) = poincare(swing, "b.position[0]", every="0.5 s").axes
    x, v = ax.lines[0].get_data()
    assert len(x) == 9
    assert x == pytest.approx(0.1, abs=1e-6) and v == pytest.approx(0.0, abs=1e-5)
    low, high = ax.get_ylim()
    assert high - low > 0.9e-2 * 2 * 0.1 * OMEGA  # not a cloud of rounding


def test_section_by_a_crossing(swing: jp.Solution) -> None:
    """x rises through zero at 3/4 of each period with the largest speed."""
    (ax,) = poincare(swing, "time", "b.velocity[0]", when="b.position[0]").axes
    at, v = ax.lines[0].get_data()
    assert at == pytest.approx(0.375 + 0.5 * np.arange(8), abs=1e-4)
    assert v == pytest.approx(0.1 * OMEGA, rel=3e-3)  # read off a straight line between saves
    (ax,) = poincare(swing, "time", "b.velocity[0]", when="b.position[0]", level="5 cm", direction="both").axes
    assert len(ax.lines[0].get_xdata()) == 16
    with pytest.raises(jp.InputError, match="never crosses 2 up"):
        poincare(swing, "b.position[0]", when="b.position[0]", level=2)
    with pytest.raises(jp.InputError, match="needs a quantity to cross"):
        poincare(swing, "b.position[0]")
    with pytest.raises(jp.InputError, match="level"):
        poincare(swing, "b.position[0]", when="b.position[0]", level="3 kg")


def test_crossings_of_turns() -> None:
    time = np.linspace(0.0, 1.0, 101)
    angle = 20.0 * time
    assert crossings(time, angle, every=2 * np.pi) == pytest.approx(np.arange(1, 4) * 2 * np.pi / 20.0)
    assert crossings(time, -angle, every=2 * np.pi, direction="down") == pytest.approx(np.arange(4) * 2 * np.pi / 20.0)
    assert len(crossings(time, -angle, every=2 * np.pi)) == 0
    assert strokes(time, 0.25) == pytest.approx([0, 0.25, 0.5, 0.75, 1.0])
    assert strokes(time, 0.3, 0.5) == pytest.approx([0.2, 0.5, 0.8])


def test_angles_are_brought_into_one_turn() -> None:
    s = jp.System("wheel", gravity=(0, 0, 0), planar=True)
    wheel = s.body("wheel", mass=1.0, inertia=1.0, angular_velocity=10.0)
    s.revolute("A", s.ground, wheel, point=(0, 0))
    sol = jp.simulate(s, 3.0, jp.Explicit(), 1e-2)
    (ax,) = phase(sol, "A.angle").axes
    x = ax.lines[0].get_xdata()
    assert np.nanmax(np.abs(x)) <= np.pi + 1e-12 and np.isnan(x).sum() == 5  # lifted where it jumps


def test_a_slip_in_a_name_is_answered_with_the_nearest(swing: jp.Solution) -> None:
    with pytest.raises(KeyError, match=r"did you mean .*T\.displacement"):
        phase(swing, "T.displacment")


def drawn(line: Any) -> int:
    """Lengths of a line that are drawn: between two points that are both there."""
    whole = np.isfinite(line.get_xydata()).all(axis=1)
    return int((whole[1:] & whole[:-1]).sum())


@pytest.mark.parametrize("speed", [10.0, 300.0, -1e4])
def test_no_speed_lifts_the_pen(speed: float) -> None:
    """However fast: a circle at 1e4 rad/s with 20 saves a turn changes by 3 km/s from one to the next."""
    s = jp.System("wheel", gravity=(0, 0, 0), planar=True)
    wheel = s.body("wheel", mass=1.0, inertia=1.0, position=(1, 0), velocity=(0, speed), angular_velocity=speed)
    s.revolute("A", s.ground, wheel, point=(0, 0))
    turn = 2 * np.pi / abs(speed)
    sol = jp.simulate(s, 3 * turn, save=turn / 20)
    (ax,) = phase(sol, "wheel.position[0]").axes
    assert drawn(ax.lines[0]) == len(sol.time) - 1
    (ax,) = phase(sol, "A.angle", "wheel.velocity[0]").axes
    assert drawn(ax.lines[0]) == len(sol.time) - 1 + 3  # lifted at the edge, three times, and nothing left out
    assert np.nanmax(ax.lines[0].get_xdata()) == pytest.approx(np.pi)
    assert np.nanmin(ax.lines[0].get_xdata()) == pytest.approx(-np.pi)


def test_more_than_a_turn_from_save_to_save() -> None:
    turns = np.column_stack([np.arange(6) * 1.7 * np.pi * 2, np.arange(6.0)])
    line = path(turns, (True, False), np.zeros(5, dtype=bool)).line
    assert np.abs(np.nan_to_num(line[:, 0])).max() <= np.pi + 1e-12
    assert np.isnan(line[:, 0]).sum() == 5 and len(line) == 6 + 5 * 3
    assert np.all(np.diff(line[~np.isnan(line[:, 1]), 1]) >= 0.0)


def test_jumps_at_impacts_are_led_across_apart() -> None:
    """A ball that bounces: velocities jump at its impacts, and only there."""
    s = jp.System("ball", planar=True)
    ball = s.body("ball", mass=1.0, inertia=1.0, position=(0, 1))
    stop = jp.Stop(lower=-1.0, contact=jp.Rigid(restitution=0.8))
    s.prismatic("z", s.ground, ball, point=(0, 1), axis=(0, 1), displacement=stop)
    sol = jp.simulate(s, 2.0, save=1e-2)
    (ax,) = phase(sol, "ball.position[1]").axes
    line, _, jumps = ax.lines
    struck = len(np.unique(np.searchsorted(sol.time, sol.impacts["time"])))
    assert struck > 2
    assert drawn(line) == len(sol.time) - 1 - struck and drawn(jumps) == struck
    assert np.all(np.diff(jumps.get_ydata().reshape(-1, 3)[:, :2]) > 3.0)  # up again
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["start", "impact"]
    (ax,) = phase(sol, "ball.position[1]", "energy.gravity").axes  # no velocity: nothing jumps, one line
    assert len(ax.lines) == 2


# --- spectra ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", ["hann", "flattop", "none"])
def test_amplitude_of_a_sine(window: str) -> None:
    time = np.arange(1000) * 1e-3
    found = spectrum(time, 3.0 * np.sin(2 * np.pi * 50.0 * time) + 7.0, window=window)
    assert found.frequency[np.argmax(found.amplitude)] == pytest.approx(50.0)
    assert found.amplitude.max() == pytest.approx(3.0, rel=1e-9)
    assert not found.resampled and found.rate == pytest.approx(1000.0)


def test_flattop_between_two_frequencies() -> None:
    time = np.arange(1000) * 1e-3
    values = 3.0 * np.sin(2 * np.pi * 50.5 * time)
    assert spectrum(time, values, window="flattop").amplitude.max() == pytest.approx(3.0, rel=2e-3)
    assert spectrum(time, values, window="hann").amplitude.max() < 2.6


@pytest.mark.parametrize("segments", [1, 3, 7])
def test_density_agrees_with_scipy(segments: int) -> None:
    rng = np.random.default_rng(7)
    time, values = np.arange(4096) / 512.0, rng.normal(size=4096)
    found = spectrum(time, values, segments=segments)
    length = int(2 * len(time) / (segments + 1))
    f, p = scipy.signal.welch(values - values.mean(), 512.0, "hann", length, detrend=False)
    assert found.frequency == pytest.approx(f)
    assert found.density == pytest.approx(p, rel=1e-9)
    assert found.density.sum() * found.resolution == pytest.approx(1.0, rel=0.1)  # the mean square


def test_saves_that_are_not_equally_far_apart() -> None:
    rng = np.random.default_rng(3)
    time = np.sort(rng.uniform(0.0, 2.0, 4000))
    found = spectrum(time, np.sin(2 * np.pi * 20.0 * time))
    assert found.resampled
    assert found.frequency[np.argmax(found.amplitude)] == pytest.approx(20.0, abs=0.6)
    ragged = np.append(np.arange(1000) * 1e-3, 0.9993)  # the end of a run is no multiple of the interval
    assert not spectrum(ragged, np.sin(ragged)).resampled


def test_spectrum_of_a_run(swing: jp.Solution) -> None:
    (ax,) = draw_spectrum(swing, "b.acceleration[0]", end="3.995 s").axes
    f, a = ax.lines[0].get_data()
    assert f[np.argmax(a)] == pytest.approx(2.0)
    assert a.max() == pytest.approx(0.1 * OMEGA**2, rel=1e-6)
    assert ax.get_xlabel() == "frequency [Hz]"
    assert ax.get_ylabel() == "b.acceleration[0]\namplitude [m/s²]"
    assert ax.get_xlim()[0] == 0.0 and 2.0 < ax.get_xlim()[1] < 10.0
    assert "hann window, resolution 0.25 Hz" in ax.figure.get_suptitle()
    (ax,) = draw_spectrum(swing, "b.acceleration[0]", show="density", most="50 Hz").axes
    assert ax.get_ylabel() == "b.acceleration[0]\ndensity [(m/s²)²/Hz]"
    assert ax.get_yscale() == "log" and ax.get_xlim()[1] == 50.0
    for wrong in ({"show": "power"}, {"window": "hamming"}, {"segments": 0}, {"most": "3 m"}, {"segments": 500}):
        with pytest.raises(jp.InputError):
            draw_spectrum(swing, "b.acceleration[0]", **wrong)  # type: ignore[arg-type]
    with pytest.raises(jp.InputError, match="3 components"):
        draw_spectrum(swing, "b.acceleration")


# --- energy -----------------------------------------------------------------------------------------------------------


def test_ledger_of_a_bouncing_ball(bounces: jp.Solution) -> None:
    """Kinetic, weight and impacts fill what the start gave; nothing else is lost."""
    upper, lower = energy(bounces).axes
    labels = [text.get_text() for text in upper.get_legend().get_texts()]
    assert labels == ["lost in impacts", "weight", "kinetic", "start + input"]  # as they lie
    line = upper.lines[-1].get_ydata()
    assert line == pytest.approx(line[0])
    areas = {c.get_label(): c.get_paths()[0].vertices for c in upper.collections}
    assert areas["lost in impacts"][:, 1].max() == pytest.approx(line[0], rel=1e-4)  # the top of the stack
    before = bounces.impacts["energy_loss"][bounces.impacts["time"] <= bounces.time[-1]].sum()
    at_end = areas["lost in impacts"][areas["lost in impacts"][:, 0] >= bounces.time[-1] - 1e-9, 1]
    assert np.ptp(at_end) == pytest.approx(before, rel=1e-6)
    assert lower.get_ylabel().startswith("error [")
    assert len(lower.lines[0].get_xdata()) == len(bounces.time)
    assert upper.get_ylim()[0] == 0.0


def test_ledger_of_an_oscillator(swing: jp.Solution) -> None:
    upper, _ = energy(swing, start=1.0).axes
    labels = [text.get_text() for text in upper.get_legend().get_texts()]
    assert labels == ["elastic", "kinetic", "start + input"]
    total = 0.5 * (0.1 * OMEGA) ** 2
    assert upper.lines[-1].get_ydata() == pytest.approx(total, rel=1e-6)
    assert upper.get_xlim()[0] == 1.0


# --- steps and convergence --------------------------------------------------------------------------------------------


def test_mean_steps() -> None:
    time = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    count = np.array([0, 2, 2, 3, 7, 8])  # the step that began at 1 s ended at 3 s
    assert mean_steps(time, count) == pytest.approx([0.5, 2.0, 2.0, 0.25, 1.0])


def test_steps_of_a_fixed_step_method(crank: jp.Solution) -> None:
    (ax,) = steps(crank).axes
    assert ax.get_yscale() == "log"
    assert ax.get_ylabel() == "step [µs]"
    assert ax.lines[0].get_ydata() == pytest.approx(10.0, rel=0.5)
    assert f"{crank.stats['steps']} steps of Moreau(step=1e-05)" in ax.figure.get_suptitle()
    marks = ax.lines[1]
    assert marks.get_label() == "impact"
    assert len(marks.get_xdata()) == len(np.unique(crank.impacts["time"]))


def test_steps_of_a_run_that_chose_them(swing: jp.Solution) -> None:
    (ax, *_) = steps(swing).axes
    size = ax.lines[0].get_ydata()
    assert size.min() > 0.0
    assert swing.stats["steps"] == pytest.approx(float(swing["solver.steps"][-1]), abs=1)
    assert swing["solver.step"].max() < 0.1
    assert np.all(np.diff(swing["solver.steps"]) >= 0)


def test_order_of_given_numbers() -> None:
    h = np.array([1.0, 0.5, 0.25, 0.125, 0.0625])
    found = order(h, 3.0 * h**2)
    assert found is not None
    assert (found.slope, found.constant) == pytest.approx((2.0, 3.0))
    floor = order(h, np.maximum(3.0 * h**2, 0.15))  # rounding, or the error of the reference
    assert floor is not None and floor.slope == pytest.approx(2.0) and list(floor.used) == [0, 1, 2]
    assert order(h[:1], h[:1]) is None
    assert order(h, np.zeros(5)) is None


def test_convergence_figure() -> None:
    h = np.array([1e-2, 1e-3, 1e-4])
    figure = convergence({"first": (h, h), "second": (h, h**2)}, unit="m")
    (ax,) = figure.axes
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["first: order 1.00", "second: order 2.00"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step [ms]", "error [m]")
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert ax.lines[1].get_xydata() == pytest.approx(np.array([[0.1, 1e-4], [10.0, 1e-2]]))


def test_verlet_converges_with_order_two(verlet_runs: list[jp.Solution]) -> None:
    figure = convergence(verlet_runs, "b.position[0]", norm="end")
    (label,) = [text.get_text() for text in figure.legends[0].get_texts()]
    assert float(label.rpartition(" ")[2]) == pytest.approx(2.0, abs=0.1)
    assert figure.axes[0].get_ylabel() == "error, end [m]"
    assert len(figure.axes[0].lines[0].get_xdata()) == 3  # the finest is the reference
    with pytest.raises(jp.InputError, match="name the quantities"):
        convergence(verlet_runs)
    with pytest.raises(jp.InputError, match="at least two runs"):
        convergence(verlet_runs[:1], "b.position[0]")
    with pytest.raises(jp.InputError, match="no norm 'most'"):
        convergence(verlet_runs, "b.position[0]", norm="most")
