"""Two pendulums of the Modelica Standard Library, computed by Dymola. Tolerance: three times the agreement stated."""

from __future__ import annotations

import numpy as np
from benchmarks import double_pendulum, spring_pendulum
from refs import columns, reference

import jointplay as jp

FOLDER = "modelica_reference_results"


def history(file: str) -> dict[str, np.ndarray]:
    """The columns of a file, each instant once (the last one is written twice)."""
    table = columns(reference(FOLDER) / file)
    _, once = np.unique(table["t"], return_index=True)
    return {name: column[once] for name, column in table.items()}


def test_double_pendulum() -> None:
    table = history("multibody_double_pendulum.csv")
    sol = jp.simulate(
        double_pendulum(), until=table["t"][-1], save=table["t"], method=jp.Explicit(rtol=1e-10, atol=1e-12)
    )
    assert sol.outcome.ok, sol.outcome.message
    for name, column, tolerance in (
        ("A.angle", "phi1", 1.2e-4),
        ("B.angle", "phi2", 1.2e-4),
        ("A.angle_rate", "w1", 6e-4),
        ("B.angle_rate", "w2", 6e-4),
    ):
        assert np.max(np.abs(sol[name] - table[column])) <= tolerance, name


def test_spring_pendulum() -> None:
    table = history("multibody_spring_pendulum.csv")
    sol = jp.simulate(
        spring_pendulum(), until=table["t"][-1], save=table["t"], method=jp.Explicit(rtol=1e-10, atol=1e-12)
    )
    assert sol.outcome.ok, sol.outcome.message
    for name, column, offset, tolerance in (
        ("B.displacement", "s", 0.5, 4.5e-5),
        ("A.angle", "phi", 0.0, 4.5e-5),
        ("B.displacement_rate", "v", 0.0, 1.5e-4),
        ("A.angle_rate", "w", 0.0, 1.5e-4),
    ):
        assert np.max(np.abs(sol[name] + offset - table[column])) <= tolerance, name
