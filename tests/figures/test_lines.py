"""Lines: what stands on the axes, several runs, another abscissa, windows of time."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.figures import lines


def test_prefixes_on_both_axes(crank: jp.Solution) -> None:
    (ax,) = lines(crank, "D.gap").axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [ms]", "gap [mm]")
    assert ax.lines[0].get_ydata() == pytest.approx(1e3 * crank["D.gap[0]"])
    assert ax.lines[0].get_xdata() == pytest.approx(1e3 * crank.time)
    assert ax.get_xlim()[1] == pytest.approx(1e3 * crank.time[-1])


def test_a_single_line_is_named_at_its_axis(crank: jp.Solution) -> None:
    figure = lines(crank, "|slider.velocity|", "slider.position[0]")
    assert [ax.get_ylabel() for ax in figure.axes] == ["|slider.velocity| [m/s]", "slider.position[0] [m]"]
    assert all(ax.get_legend() is None for ax in figure.axes)
    (ax,) = lines(crank, "|rod.velocity|", "|slider.velocity|").axes
    assert ax.get_ylabel() == "velocity [m/s]"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["|rod.velocity|", "|slider.velocity|"]


def test_forces_of_rigid_contacts_say_what_they_are_not(crank: jp.Solution, pendulum: jp.Solution) -> None:
    """Wherever forces are drawn that rigid contacts make or other joints carry: impacts marked, and a sentence."""
    sentence = "impacts of rigid contacts are impulses, not forces: see sol.impacts"
    for names in (["|B.force|"], ["D.normal_force"], ["slider.acceleration[0]"], ["D.gap", "A.torque"], []):
        figure = lines(crank, *names)
        assert figure.get_supxlabel() == sentence, names
        assert any("impact" in [t.get_text() for t in ax.get_legend().get_texts()] for ax in figure.axes), names
    assert lines([crank, pendulum], "D.normal_force").get_supxlabel() == sentence
    assert lines(crank, "D.gap", "slider.velocity").get_supxlabel() == ""


def test_forces_of_other_runs_need_no_sentence() -> None:
    smooth = jp.simulate(jp.load_model(GALLERY / "four_bar.yaml"), 0.01)
    (ax,) = (figure := lines(smooth)).axes
    assert figure.get_supxlabel() == ""
    assert "impact" not in [text.get_text() for text in ax.get_legend().get_texts()]


def test_over_another_quantity(crank: jp.Solution) -> None:
    (ax,) = lines(crank, "|B.force|", against="A.angle").axes
    assert ax.get_xlabel() == "A.angle [rad]"
    assert np.array_equal(ax.lines[0].get_xdata(), crank["A.angle"])
    with pytest.raises(jp.InputError, match="has 3 components where one is needed; take a component such as"):
        lines(crank, "|B.force|", against="slider.position")
    with pytest.raises(KeyError, match=r"did you mean A\.angle"):
        lines(crank, "|B.force|", against="A.angel")


def test_a_window_of_time(crank: jp.Solution) -> None:
    (ax,) = lines(crank, "|B.force|", start="20 ms", end=0.05).axes
    assert ax.get_xlim() == pytest.approx((20.0, 50.0))
    assert len(ax.lines[0].get_xdata()) == 301
    (ax,) = lines(crank, "D.gap", start="20 ms", end="50 ms").axes
    marks = ax.lines[-1].get_xdata()
    assert ax.lines[-1].get_label() == "impact"
    assert marks.min() >= 20.0 and marks.max() <= 50.0
    with pytest.raises(jp.InputError, match="no state was saved in it; this run has states from 0 to 0.137"):
        lines(crank, "|B.force|", start=3.0)
    with pytest.raises(jp.InputError, match="start"):
        lines(crank, "|B.force|", start="3 kg")


def test_runs_over_each_other(crank: jp.Solution, swing: jp.Solution, pendulum: jp.Solution) -> None:
    figure = lines([crank, pendulum], "energy.kinetic", "A.angle")
    first, second = figure.axes
    assert len(first.lines) == 2 and len(second.lines) == 1  # only the crank has A
    assert first.lines[0].get_color() != first.lines[1].get_color()  # a colour per run
    handles = figure.legends[0].legend_handles
    assert [one.get_color() for one in handles] == [one.get_color() for one in first.lines]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["slider-crank with clearance", "pendulum with play"]


def test_several_quantities_of_several_runs(crank: jp.Solution) -> None:
    """A colour per quantity; runs are told apart by how broad or broken their lines are."""
    (ax,) = lines([crank, crank, crank], "|B.force|", "|C.force|").axes
    looks = [(one.get_color(), one.get_linestyle(), one.get_linewidth()) for one in ax.lines]
    assert len({colour for colour, _, _ in looks}) == 2
    assert len(set(looks)) == 6


def test_names_of_runs(crank: jp.Solution, tmp_path: object) -> None:
    def legend(*runs: jp.Solution, **options: object) -> list[str]:
        figure = lines(runs, "energy.kinetic", **options)  # type: ignore[arg-type]
        return [text.get_text() for text in figure.legends[0].get_texts()]

    assert legend(crank, crank) == ["run 1", "run 2"]
    assert legend(crank, crank, labels=("coarse", "fine")) == ["coarse", "fine"]
    saved = [jp.load(crank.save(f"{tmp_path}/{name}.nc")) for name in ("loose", "tight")]
    assert legend(*saved) == ["loose", "tight"]
    with pytest.raises(jp.InputError, match="2 runs and 1 labels"):
        legend(crank, crank, labels=("one",))


def test_nothing_to_draw() -> None:
    for wrong in ([], ["run.nc"], None):
        with pytest.raises(jp.InputError if wrong is not None else (jp.InputError, TypeError)):
            lines(wrong)  # type: ignore[arg-type]
