"""K of a contact K x^n is in F/X^n; "N/m" beside n = 1.5 is read as N/m^1.5, and every reader is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import jointplay as jp
from jointplay.cli.app import app

MODEL = """
jointplay: 1
name: ball in socket
bodies:
  ball: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], velocity: [0.1, 0, 0]}
joints:
  S: {type: spherical, between: [ground, ball], point: [0, 0, 0], radius: 1 cm,
      radial: {clearance: 1 mm, contact: {hertz: {stiffness: 5e6 N/m}}}}
run: {until: 0.02 s}
"""
READ = "'5e6 N/m' has the unit of a linear stiffness, but the exponent is 1.5: read as 5e6 N/m^1.5"


def socket(stiffness: object, exponent: float = 1.5) -> jp.System:
    s = jp.System("ball in socket")
    ball = s.body("ball", mass=1.0, inertia=(1e-3,) * 3)
    law = jp.Clearance("1 mm", contact=jp.Hertz(stiffness=stiffness, exponent=exponent))
    s.spherical("S", s.ground, ball, point=(0, 0, 0), radius="1 cm", radial=law)
    return s


def stiffness_of(system: jp.System) -> float:
    return float(system.joints[0].closed["radial"].contact.stiffness)


@pytest.mark.parametrize(
    ("given", "exponent", "value"),
    [
        (5e6, 1.5, 5e6),
        ("5e6 N/m^1.5", 1.5, 5e6),
        ("5e6 N/mm^1.5", 1.5, 5e6 * 1000**1.5),
        ("5e3 N/mm", 1.0, 5e6),
        ("5 kN/m^1.2", 1.2, 5e3),
    ],
)
def test_units_that_fit_need_no_word(given: object, exponent: float, value: float) -> None:
    system = socket(given, exponent)
    assert stiffness_of(system) == pytest.approx(value, rel=1e-12)
    assert system.warnings == ()


@pytest.mark.parametrize(
    ("given", "exponent", "value", "read"),
    [
        ("5e6 N/m", 1.5, 5e6, "read as 5e6 N/m^1.5"),
        ("5e6 N/mm", 1.5, 5e6 * 1000**1.5, "read as 5e6 N/mm^1.5"),
        ("5e6 N/m", 2.0, 5e6, "read as 5e6 N/m^2"),
    ],
)
def test_a_linear_unit_is_read_in_one_way_and_said(given: str, exponent: float, value: float, read: str) -> None:
    system = socket(given, exponent)
    assert stiffness_of(system) == pytest.approx(value, rel=1e-12)
    (warning,) = system.warnings
    assert read in warning
    assert "radial.contact.stiffness" in warning
    report = system.check()
    assert report.ok
    assert any(read in one for one in report.warnings)
    assert read in report.text()
    sol = jp.simulate(system, until=1e-3, save=[1e-3])
    assert any(note.startswith("warning: ") and read in note for note in sol.meta["notes"])


@pytest.mark.parametrize("given", ("5e6 kg", "5e6 N/m^3", "5e6 N*m/rad", "5e6 m/N"))
def test_other_units_are_refused(given: str) -> None:
    with pytest.raises(
        jp.InputError, match=r"radial.contact.stiffness: expected a contact stiffness \(N/m\^1.5\), got"
    ):
        socket(given)


def test_the_command_line_passes_it_on(tmp_path: Path) -> None:
    """In the text for people and in the JSON of check and run."""
    file = tmp_path / "model.yaml"
    file.write_text(MODEL, encoding="utf-8")
    for command in (["check", str(file)], ["run", str(file), "-o", str(tmp_path / "out.nc")]):
        plain = CliRunner().invoke(app, command)
        assert plain.exit_code == 0
        assert READ in plain.output
        machine = CliRunner().invoke(app, [*command, "--json"])
        facts = json.loads(machine.stdout)
        said = facts["warnings"] if command[0] == "check" else facts["notes"]
        assert any(READ in one for one in said)
    assert any(READ in note for note in jp.load(tmp_path / "out.nc").meta["notes"])
