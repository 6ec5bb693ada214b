"""The numbers of a report are those of the run."""

from __future__ import annotations

import numpy as np
import pytest
from report.reading import Page, value

import jointplay as jp
from jointplay import report


@pytest.fixture(scope="module")
def page(worn: jp.Solution) -> Page:
    return Page(report.page(worn))


def test_forces(page: Page, worn: jp.Solution) -> None:
    head, *rows = page.tables["Forces"]
    assert head == ["joint", "peak [N]", "at [ms]", "mean [N]", "RMS [N]"]
    assert {row[0] for row in rows} == set("ABCD")
    for joint, *cells in rows:
        size = np.sqrt((worn[f"{joint}.force"] ** 2).sum(axis=1))
        weights = np.ones(len(size))
        weights[[0, -1]] = 0.5  # equal intervals: the ends count half
        wanted = (
            size.max(),
            1e3 * worn.time[size.argmax()],
            np.average(size, weights=weights),
            np.sqrt(np.average(size**2, weights=weights)),
        )
        assert [value(cell) for cell in cells] == pytest.approx(wanted, rel=1e-3)
    peaks = [value(row[1]) for row in rows]
    assert peaks == sorted(peaks, reverse=True)


def test_uneven_instants_are_weighted(ball: jp.Solution) -> None:
    (_, _, _, mean, rms) = Page(report.page(ball)).tables["Forces"][1]
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
    assert value(row[3]) == pytest.approx(worn["C.normal_force"].max(), rel=1e-3)
    assert value(row[5]) == pytest.approx(np.ptp(worn["C.normal_impulse"]) / 0.1, rel=1e-3)


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
