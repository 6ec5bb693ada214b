"""What comes back: keys, tables, pictures, files, and what is said when a question makes no sense."""

from __future__ import annotations

import csv
import logging
from pathlib import Path

import numpy as np
import pytest
from outputs import full_disk, put, scene

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.sensitivity.result import Sensitivities

PEAK = jp.Peak("|P.force|")


@pytest.fixture(scope="module")
def result() -> Sensitivities:
    of = ["P.angle", "bar.position", PEAK]
    names = ["length", "mass", "gravity[0]"]
    return jp.sensitivities(entries()["pendulum"], names, of, "finite-difference", until=1.0, save=0.01)


def ink(path: Path) -> float:
    from matplotlib.image import imread

    return float(np.mean(np.any(imread(path)[..., :3] < 0.95, axis=-1)))


def test_keys(result: Sensitivities) -> None:
    assert result.names == ["P.angle", "bar.position", "Peak('|P.force|')"]
    assert result["P.angle"]["length"].shape == result.time.shape == (101,)
    assert result["bar.position"]["mass"].shape == (101, 3)
    assert isinstance(result[PEAK]["mass"], float)
    assert result[jp.Peak("|P.force|")]["mass"] == result["Peak('|P.force|')"]["mass"]
    assert list(result["P.angle"]) == list(result.parameters) == ["length", "mass", "gravity[0]"]
    assert result.values[PEAK] == pytest.approx(2.5 * 2.0 * 9.81, rel=1e-6)  # at the bottom, 5/2 of the weight
    assert np.max(result.solution["|P.force|"]) < result.values[PEAK]  # which lies between two saved instants
    assert abs(result[PEAK]["length"]) < 5e-3  # of the largest saved value it is 1.1
    assert result.derivative == "differences"
    assert result.method == jp.Explicit(rtol=1e-10, atol=1e-12)  # of the file
    with pytest.raises(KeyError, match=r"did you mean 'P.angle'\?"):
        result["P.angel"]
    with pytest.raises(KeyError, match=r"did you mean 'length'\?"):
        result["P.angle"]["lenght"]


def test_scaled(result: Sensitivities) -> None:
    assert result.scaled("P.angle", "mass") == pytest.approx(2.0 * result["P.angle"]["mass"])
    assert result.scaled(PEAK, "mass") == pytest.approx(
        result.values[PEAK], rel=1e-9
    )  # a force is mass times something
    with pytest.raises(jp.InputError, match=r"gravity\[0\]: is zero"):
        result.scaled("P.angle", "gravity[0]")


def test_text(result: Sensitivities) -> None:
    text = str(result)
    assert "kind      differences" in text
    assert "method    Explicit(rtol=1e-10" in text
    assert "check     none" in text
    assert "runs" in text
    lines = result.table().splitlines()
    assert len(lines) == 1 + 9
    assert lines[1].endswith("rad per m")
    assert "rho = 0" in lines[3]
    assert "N per kg" in lines[8]
    facts = result.to_json()
    assert facts["derivatives"][0]["final"] == result["P.angle"]["length"][-1]
    assert facts["derivatives"][2]["scaled"] is None
    assert facts["valid"] == [[0.0, result.time[-1]]]


def test_csv(result: Sensitivities, tmp_path: Path) -> None:
    result.to_csv(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open() as file:
        heads = next(csv.reader(file))
    table = np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1)
    assert heads[:3] == ["time [s]", "P.angle [rad]", "d(P.angle)/d(length) [rad per m]"]
    assert table.shape == (101, 1 + 4 + 4 * 3)
    assert np.array_equal(table[:, 2], result["P.angle"]["length"])  # to the last bit
    place = heads.index("d(bar.position)/d(mass)[1] [m per kg]")
    assert np.array_equal(table[:, place], result["bar.position"]["mass"][:, 1])
    with (tmp_path / "out_objectives.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert float(lines[1]["derivative"]) == result[PEAK]["mass"]
    with pytest.raises(jp.InputError, match="cannot write"):
        result.to_csv(tmp_path / "nowhere" / "out.csv")


def test_files(result: Sensitivities, tmp_path: Path) -> None:
    import xarray

    path = result.save(tmp_path / "out.nc")
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        assert np.array_equal(data["d(P.angle)"].sel(parameter="length"), result["P.angle"]["length"])
        assert data["d(bar.position)"].dims[:2] == ("parameter", "time")
        assert data["d(Peak('|P.force|'))"].sel(parameter="mass") == result[PEAK]["mass"]
        assert data.attrs["derivative"] == "differences"
        assert data["P.angle"].attrs["units"] == "rad"
        xarray.testing.assert_identical(data.load(), result.to_xarray())


def test_files_that_cannot_be_written(result: Sensitivities, tmp_path: Path) -> None:
    writers = {"out.csv": result.to_csv, "out.nc": result.save, "out.png": lambda path: result.plot(path=path)}
    for name, write in writers.items():
        write(tmp_path / name)
        before = scene(tmp_path)
        with full_disk(100), pytest.raises(jp.InputError, match=f"cannot write .*{name}: File too large"):
            write(tmp_path / name)
        put("pipe", tmp_path / f"pipe_{name}")
        with pytest.raises(jp.InputError, match="it is a pipe"):
            write(tmp_path / f"pipe_{name}")
        (tmp_path / f"pipe_{name}").unlink()
        assert scene(tmp_path) == before
    with pytest.raises(jp.InputError, match="the ending .csv"):
        result.save(tmp_path / "out.csv")


def test_pictures(result: Sensitivities, tmp_path: Path) -> None:
    figure = result.plot(path=tmp_path / "all.png")
    assert 0.01 < ink(tmp_path / "all.png") < 0.5
    angle, x, y, peak = figure.axes  # z does not move
    assert [line.get_label() for line in angle.lines] == ["length", "mass"]
    assert angle.get_ylabel() == "ρ d/dρ P.angle [rad]"
    assert y.get_ylabel() == "ρ d/dρ bar.position[1] [m]"
    assert len(peak.patches) == 2
    assert x.get_xlabel() == "time [s]"
    assert "gravity[0]" in figure.get_supxlabel()
    plain = result.plot("P.angle", scaled=False)
    assert [line.get_label() for line in plain.axes[0].lines] == ["length", "mass", "gravity[0]"]
    assert np.array_equal(plain.axes[0].lines[0].get_ydata(), result["P.angle"]["length"])
    with pytest.raises(jp.InputError, match="cannot draw"):
        result.plot(path=tmp_path / "all.bmp")


def test_questions_that_make_no_sense() -> None:
    model = entries()["pendulum"]
    with pytest.raises(jp.InputError) as caught:
        jp.sensitivities(model, ["lenght"], "P.angle", derivative="difference")
    assert [problem.field for problem in caught.value.problems] == ["derivative", "wrt: lenght"]
    with pytest.raises(jp.InputError) as caught:
        jp.sensitivities(model, "length", "P.angel", "explicitly", until=-1.0, derivative="differences")
    assert [problem.field for problem in caught.value.problems] == ["until", "method", "of: P.angel"]

    def build(mass: float = 1.0) -> jp.System:
        s = jp.System()
        s.body("a", mass=mass, inertia=1.0)
        return s

    with pytest.raises(jp.InputError, match="until: is missing"):
        jp.sensitivities(build, "mass", "a.position", "finite-difference")

    def stubborn(mass: float = 1.0) -> jp.System:
        return build(1.0) if mass == 1.0 else build(-1.0)

    with pytest.raises(jp.InputError, match="mass: cannot vary"):
        jp.sensitivities(stubborn, "mass", "a.position", "finite-difference", until=1.0)


def test_a_run_that_stops_early() -> None:
    """A pendulum whose torque becomes absurd: what was computed is kept, and the end is said."""

    def build(torque: float = 1.0) -> jp.System:
        s = jp.System("wild", planar=True)
        bar = s.body("bar", mass=1.0, inertia=0.1, position=(0.5, 0))
        s.revolute("P", s.ground, bar, point=(0, 0))
        s.torque("T", bar, torque=f"{torque}/(0.5 - t)^2")
        return s

    scheme = jp.Explicit(rtol=1e-8)
    result = jp.sensitivities(build, "torque", "P.angle", "finite-difference", until=1.0, scheme=scheme, save=0.01)
    assert 0 < len(result.time) < 101
    assert result.invalid
    assert result.invalid[0][0] == pytest.approx(0.5, abs=0.02)
    assert np.isfinite(result["P.angle"]["torque"][:40]).all()


def test_only_the_nominal_run_speaks(caplog: pytest.LogCaptureFixture) -> None:
    def build(out: float = 0.5) -> jp.System:
        s = jp.System("spoken of", planar=True)
        bar = s.body("bar", mass=1.0, inertia=0.1, position=(out, 0))
        contact = jp.Hertz(stiffness="1e5 N/m")  # a power is missing: worth a warning
        s.revolute("P", s.ground, bar, point=(0, 0), radius=0.01, radial=jp.Clearance(1e-3, contact=contact))
        return s

    with caplog.at_level(logging.WARNING, logger="jointplay"):
        jp.sensitivities(build, "out", "bar.position", "finite-difference", until=0.01, save=0.005)
        assert logging.getLogger("jointplay").level == logging.WARNING
    warnings = [record for record in caplog.records if "stiffness" in record.message]
    assert len(warnings) == 1
