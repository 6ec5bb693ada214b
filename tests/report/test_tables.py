"""The numbers of a report are those of the run."""

from __future__ import annotations

import numpy as np
import pytest
from report.conftest import four_bar
from report.reading import Page, value

import jointplay as jp
from jointplay import report


@pytest.fixture(scope="module")
def page(worn: jp.Solution) -> Page:
    return Page(report.page(worn))


def test_forces_of_a_run_without_contacts() -> None:
    """Peaks are over every step, at the ends of long ones: the saves of this run lie far beside the crest."""
    sol = jp.simulate(four_bar(), until=0.1, method=jp.Explicit(), save=[0.0, 0.05, 0.1])
    fine = jp.simulate(four_bar(), until=0.1, method=jp.Explicit(), save=1e-4)
    page = Page(report.page(sol))
    head, *rows = page.tables["Forces"]
    assert head == ["joint", "peak [N]", "at [ms]", "mean [N]", "RMS [N]"]
    assert {row[0] for row in rows} == set("ABCD")
    for joint, peak, *_ in rows:
        assert value(peak) == pytest.approx(np.linalg.norm(fine[f"{joint}.force"], axis=1).max(), rel=2e-2)
    peaks = [value(row[1]) for row in rows]
    assert peaks == sorted(peaks, reverse=True)
    assert "Peaks are over every step." in page.words and "Mean forces" not in page.tables
    saved = max(np.linalg.norm(sol["B.force"], axis=1))
    assert saved < 0.9 * dict((row[0], value(row[1])) for row in rows)["B"]
    assert f"Saved states show at most {saved:.4g} N of the peak" in page.words


def test_rigid_contacts_have_means_in_place_of_peaks(page: Page, worn: jp.Solution) -> None:
    assert "Forces" not in page.tables
    assert not any("peak" in cell for table in page.tables.values() for cell in table[0])
    head, *rows = page.tables["Mean forces"]
    assert head == ["joint", "largest mean over 5 ms", "from [ms]", "to [ms]", ""]
    assert {row[0] for row in rows} == set("ABCD")
    _, mean, start, end, which = next(row for row in rows if row[0] == "C")
    first, last = (int(np.argmin(np.abs(worn.time - 1e-3 * value(cell)))) for cell in (start, end))
    impulse = worn["C.normal_impulse"][[first, last], 0]
    assert which == "with impacts"
    assert value(mean) == pytest.approx(np.diff(impulse)[0] / (worn.time[last] - worn.time[first]), rel=1e-3)
    assert "as high as a step is short" in page.words
    strongest = worn.impacts[np.argmax(worn.impacts["impulse"])]
    assert f"largest impulse, {strongest['contact']}" in page.words


def test_uneven_instants_are_weighted(ball: jp.Solution) -> None:
    (_, _, _, mean, rms) = Page(report.page(ball)).tables["Forces"][1]  # over the saved instants, unlike the peak
    size, time = np.linalg.norm(ball["S.force"], axis=1), ball.time
    by_hand = sum((size[k] + size[k + 1]) / 2 * (time[k + 1] - time[k]) for k in range(4)) / 0.05
    squares = sum((size[k] ** 2 + size[k + 1] ** 2) / 2 * (time[k + 1] - time[k]) for k in range(4)) / 0.05
    assert value(mean) == pytest.approx(by_hand, rel=1e-3)
    assert value(rms) == pytest.approx(np.sqrt(squares), rel=1e-3)


def test_impacts(page: Page, worn: jp.Solution) -> None:
    impacts = worn.impacts
    assert len(impacts) > 5
    (row,) = page.tables["Impacts by contact"][1:]
    assert row[0] == "C.radial[0]"
    assert int(row[1]) == len(impacts)
    assert value(row[2]) == pytest.approx(-impacts["speed_before"].min(), rel=1e-3)
    assert value(row[4]) == pytest.approx(impacts["impulse"].sum(), rel=1e-3)
    assert 1e-3 * value(row[5]) == pytest.approx(impacts["energy_loss"].sum(), rel=1e-3)
    strongest = page.tables["The 5 strongest impacts, by impulse"][1:]
    order = np.sort(impacts["impulse"])[::-1][:5]
    assert [value(line[4]) for line in strongest] == pytest.approx(order, rel=1e-3)


def test_contacts(page: Page, worn: jp.Solution) -> None:
    (row,) = page.tables["Contacts of clearances"][1:]
    assert page.tables["Contacts of clearances"][0][3].startswith("largest mean force over 0.005 s")
    assert value(row[4]) == pytest.approx(np.ptp(worn["C.normal_impulse"]) / 0.1, rel=1e-3)


def test_energy(page: Page, worn: jp.Solution) -> None:
    rows = {row[0]: row[2:] for row in page.tables["Energy"][1:]}
    assert set(rows) == {"kinetic", "gravity", "input", "dissipated"}
    for part, cells in rows.items():
        series = worn[f"energy.{part}"]
        wanted = (series[0], series[-1], series[np.abs(series).argmax()])
        assert [value(cell) for cell in cells] == pytest.approx(wanted, rel=1e-4, abs=1e-12)
    assert "Residual of the ledger" in page.words


def test_model(page: Page) -> None:
    bodies = {row[0]: row[1:] for row in page.tables["Bodies"][1:]}
    assert value(bodies["coupler"][0]) == 1.2
    assert bodies["coupler"][1] == "0.008 kg·m²"
    assert bodies["coupler"][2] == "(0.2, 0.1)"
    joints = {row[0]: row[1:] for row in page.tables["Joints"][1:]}
    assert joints["C"][:2] == ["revolute", "coupler – rocker"]
    assert "radial: clearance gap 200 µm, contact (rigid restitution 0.3)" in joints["C"][2]
    assert joints["B"][2] == "all closed: ideal"
    assert "angle: drive 31.41593*t rad" in joints["A"][2]
    assert joints["C"][3] == "(0.3, 0.2)"
    assert "2 = 3 × 3 − 7 closed" in page.words
    parameters = {row[0]: row[1:] for row in page.tables["Joints"][1:] + page.tables["Parameters"][1:]}
    assert parameters["gap"] == ["0.2 mm", "0.0002 m"]


def test_spatial_model(ball: jp.Solution) -> None:
    page = Page(report.page(ball))
    (row,) = page.tables["Joints"][1:]
    assert "lankarani nikravesh stiffness 100 MN/m¹·⁵" in row[3]
    assert "exponent" not in row[3]  # as usual
    assert "friction (coulomb" in row[3] and "µ 0.1" in row[3] and "creep 10 mm/s" in row[3]
    assert "size: radius 10 mm" in row[3]
    assert page.tables["Bodies"][1][2] == "(0.001, 0.001, 0.002) kg·m²"
    assert page.tables["Springs along lines"][1][2].startswith("spring stiffness 200 N/m, damping 1 N·s/m")
    assert "3*sin(20*t) N" in page.tables["Forces and torques"][1][2]
    assert "6 = 6 × 1 − 0 closed" in page.words
