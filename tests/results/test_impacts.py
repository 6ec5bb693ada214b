"""Impacts in results: kept in files, told in summaries, marked in pictures; quantities of contacts in all formats."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import play_mechanisms as play
import pytest

import jointplay as jp
from jointplay.results.summary import figures, summary

METHOD = jp.Moreau(step=1e-5)
UNTIL = 0.06  # s: impacts at both walls, accumulations included


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> jp.Solution:
    """Paper B's slider-crank, in memory."""
    return jp.simulate(play.crank_with_play(), UNTIL, METHOD, 1e-4)


@pytest.fixture(scope="module")
def streamed(tmp_path_factory: pytest.TempPathFactory) -> jp.Solution:
    """The same, written while running."""
    path = tmp_path_factory.mktemp("impacts") / "run.nc"
    jp.simulate(play.crank_with_play(), UNTIL, METHOD, 1e-4, output=path)
    return jp.load(path)


def same(one: np.recarray, two: np.recarray) -> bool:
    """Same columns, same bits."""
    assert one.dtype.names is not None
    return one.dtype == two.dtype and all(np.array_equal(one[name], two[name]) for name in one.dtype.names)


# --- the list itself --------------------------------------------------------------------------------------------------


def test_first_impact_of_paper_b(kept: jp.Solution) -> None:
    first = kept.impacts[0]
    assert first["time"] == pytest.approx(2.6925e-3, abs=2e-7)
    assert first["speed_before"] == pytest.approx(-0.8416, abs=1e-4)
    assert first["speed_after"] == pytest.approx(-0.4 * first["speed_before"])
    assert first["joint"] == "D"
    assert kept.impacts[1]["impact"] == first["impact"] == 1  # both corners of the face at once
    assert kept.impacts[1]["time"] == first["time"]


def test_lines_are_in_order_and_physical(kept: jp.Solution) -> None:
    table = kept.impacts
    assert len(table) == 2 * kept.stats["impacts"] > 40
    assert np.all(np.diff(table["time"]) >= 0.0)
    assert np.all(np.diff(table["impact"]) >= 0)
    assert np.all(table["impulse"] >= 0.0)
    assert np.all(np.linalg.norm(table["friction_impulse"], axis=1) <= 0.01 * table["impulse"] * (1 + 1e-9) + 1e-15)
    assert table["energy_loss"].sum() > 0.0
    assert set(table["contact"]) == set(play.CORNERS)


# --- files ------------------------------------------------------------------------------------------------------------


def test_file_and_memory_hold_the_same_impacts(kept: jp.Solution, streamed: jp.Solution, tmp_path: Path) -> None:
    assert same(streamed.impacts, kept.impacts)
    assert same(jp.load(kept.save(tmp_path / "saved.nc")).impacts, kept.impacts)
    assert same(jp.load(streamed.save(tmp_path / "again.nc")).impacts, kept.impacts)


def test_a_run_that_stops_early_keeps_its_impacts(kept: jp.Solution, tmp_path: Path) -> None:
    stopped = jp.simulate(play.crank_with_play(), UNTIL, METHOD, 1e-4, output=tmp_path / "short.nc", max_steps=3000)
    assert not stopped.outcome.ok
    count = len(stopped.impacts)
    assert 10 < count < len(kept.impacts)
    assert same(stopped.impacts, kept.impacts[:count])


def test_a_run_without_contacts_has_an_empty_table(solution: jp.Solution) -> None:
    assert len(solution.impacts) == 0
    assert solution.impacts["speed_before"].shape == (0,)


KILLED = """
import sys
import jointplay as jp
import play_mechanisms as play

system = play.crank_with_play()
jp.simulate(system, 2000.0, jp.Moreau(step=1e-5), 1e-3, output=sys.argv[1])
"""


@pytest.mark.slow
def test_a_killed_run_keeps_its_impacts(kept: jp.Solution, tmp_path: Path) -> None:
    """kill -9: what was written by then is in the .part, impacts included, in order and right."""
    import h5py

    part = tmp_path / "run.nc.part"
    words = [sys.executable, "-c", KILLED, str(tmp_path / "run.nc")]
    environment = {"PYTHONPATH": f"{Path(play.__file__).parent}:{Path(jp.__file__).parent.parent}"}
    process = subprocess.Popen(words, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300.0
    counted = 0
    while counted < 200:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, "the run did not get going"
        time.sleep(0.05)
        try:
            with h5py.File(part, "r", locking=False) as file:
                counted = int(file["impact_count"][0])
        except (OSError, KeyError):
            continue
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    found = jp.load(part)
    assert found.outcome.code.name == "INTERRUPTED"
    assert len(found.impacts) >= counted
    assert np.all(np.diff(found.impacts["time"]) >= 0.0)
    early = found.impacts[found.impacts["time"] <= UNTIL]
    assert same(early, kept.impacts)
    # the count of a killed run comes from its list
    facts = figures(found)["impacts"]
    assert facts["count"] == len(np.unique(found.impacts["impact"]))
    assert "impacts   " in summary(found)


# --- other formats ----------------------------------------------------------------------------------------------------


def test_csv_has_a_column_for_each_contact_and_component(kept: jp.Solution, tmp_path: Path) -> None:
    path = kept.to_csv(tmp_path / "run.csv", ["D.gap", "D.friction_force", "D.offset"])
    with path.open() as stream:
        head, *rows = csv.reader(stream)
    assert head[1:5] == [f"D.gap[{k}] [m]" for k in range(4)]
    assert "D.friction_force[3][1] [N]" in head
    assert len(head) == 1 + 4 + 8 + 12
    table = np.array(rows, dtype=float)
    assert np.array_equal(table[:, head.index("D.gap[2] [m]")], kept["D.gap[2]"])
    assert np.array_equal(table[:, head.index("D.offset[1][0] [m]")], kept["D.offset"][:, 1, 0])


def test_dataset_labels_contacts(kept: jp.Solution, streamed: jp.Solution) -> None:
    xarray = pytest.importorskip("xarray")
    data = kept.to_xarray()
    assert data.gap.dims == ("time", "contact")
    assert data.friction_force.dims == ("time", "contact", "tangent")
    assert list(data.contact.values) == list(play.CORNERS)
    assert np.array_equal(data.normal_force.sel(contact="D.radial[3]"), kept["D.normal_force[3]"])
    assert data.gap.attrs["units"] == "m"
    with xarray.open_dataset(streamed.path, engine="h5netcdf") as opened:
        assert np.array_equal(opened.gap, data.gap)
        assert list(opened.contact.values) == list(play.CORNERS)


# --- summaries --------------------------------------------------------------------------------------------------------


def test_numbers_of_the_summary(kept: jp.Solution) -> None:
    facts = json.loads(json.dumps(figures(kept)))["impacts"]
    assert facts["count"] == kept.stats["impacts"]
    hardest = kept.impacts[np.argmin(kept.impacts["speed_before"])]
    assert facts["hardest"]["speed"] == -hardest["speed_before"]
    assert facts["hardest"]["time"] == hardest["time"]
    assert facts["hardest"]["joint"] == "D"
    lost = kept["energy.dissipated"][-1]
    assert facts["energy_loss"] + facts["other_loss"] == pytest.approx(lost)
    assert facts["energy_loss"] == pytest.approx(kept.impacts["energy_loss"].sum())
    assert 0.0 < facts["other_loss"] < facts["energy_loss"]
    assert 0.0 <= facts["worst_penetration"] < 1e-9


def test_lines_of_the_summary(kept: jp.Solution) -> None:
    text = summary(kept)
    speed = -kept.impacts["speed_before"].min()
    assert f"impacts   {kept.stats['impacts']}, the hardest at D.radial[0] with {speed:.4g} m/s at t = " in text
    assert "losses    impacts 0." in text
    assert "contacts  pierced by" in text


def test_a_continued_run_tells_only_of_itself(kept: jp.Solution) -> None:
    rest = jp.simulate(play.crank_with_play(), 0.1, METHOD, 1e-4, start=kept)
    facts = figures(rest)["impacts"]
    assert facts["count"] == rest.stats["impacts"] == len(np.unique(rest.impacts["impact"]))
    assert facts["energy_loss"] + facts["other_loss"] < rest["energy.dissipated"][-1]
    assert facts["other_loss"] >= 0.0


def test_no_impacts_and_no_contacts(solution: jp.Solution) -> None:
    assert figures(solution)["impacts"] is None
    assert "impacts" not in summary(solution)
    early = jp.simulate(play.crank_with_play(), 1e-3, METHOD, 1e-4)
    assert figures(early)["impacts"]["hardest"] is None
    assert "impacts   none" in summary(early)


# --- pictures ---------------------------------------------------------------------------------------------------------


def labels_of(ax: object) -> list[str]:
    return [line.get_label() for line in ax.lines]  # type: ignore[attr-defined]


def test_a_panel_for_each_quantity_of_contacts(kept: jp.Solution, tmp_path: Path) -> None:
    names = ("D.gap", "D.normal_force", "D.offset", "slider.position")
    figure = kept.plot(*names, path=tmp_path / "contacts.png")
    # the third component of the offset vanishes in a plane
    heads = ["gap [mm]", "normal force [N]", "offset h [mm]", "offset t [m]", "position [m]"]
    assert [ax.get_ylabel() for ax in figure.axes] == heads
    assert labels_of(figure.axes[0]) == [*play.CORNERS, "impact"]
    assert labels_of(figure.axes[4]) == ["slider.position x", "slider.position y", "slider.position z"]
    assert figure.axes[0].lines[2].get_ydata() == pytest.approx(1e3 * kept["D.gap[2]"], rel=1e-12)
    assert (tmp_path / "contacts.png").stat().st_size > 20_000


def test_one_contact_and_magnitudes(kept: jp.Solution) -> None:
    (ax,) = kept.plot("D.gap[0]").axes
    assert labels_of(ax) == ["D.radial[0]", "impact"]
    marks = ax.lines[-1].get_xdata()
    assert marks[0] == pytest.approx(1e3 * kept.impacts["time"][0], abs=UNTIL)
    (ax,) = kept.plot("|D.friction_force|").axes
    assert ax.get_ylabel() == "|friction force| [N]"
    size = np.linalg.norm(kept["D.friction_force"][:, 2], axis=1)
    assert np.array_equal(ax.lines[2].get_ydata(), size)
    with pytest.raises(KeyError, match="4 component"):
        kept.plot("D.gap[4]")


def test_several_solutions_have_no_marks(kept: jp.Solution, streamed: jp.Solution) -> None:
    (ax,) = jp.figures.lines([kept, streamed], "D.gap").axes
    assert len(ax.lines) == 8
    assert [label for label in labels_of(ax) if not label.startswith("_")] == list(play.CORNERS)


def test_stops_are_marked() -> None:
    system = jp.System("stop", gravity=(0, 0, -9.81))
    body = system.body("b", mass=2.0, inertia=(1, 1, 1))
    stop = jp.Stop(lower=-0.1, contact=jp.Rigid(restitution=0.5))
    system.prismatic("T", system.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
    figure = jp.simulate(system, 1.0, jp.Moreau(step=1e-3), 1e-2).plot("T.stop_force", "T.displacement")
    assert labels_of(figure.axes[0]) == ["T.stop_force", "impact"]
    assert labels_of(figure.axes[1]) == ["T.displacement"]
