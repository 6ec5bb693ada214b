"""Every example of the gallery runs as it is, and the number in its header holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries, question, title
from jointplay.methods.parse import method_of


def solve(name: str) -> jp.Solution:
    """Run an example by its own settings."""
    system = jp.load_model(entries()[name])
    run = system.run
    assert run is not None
    solution = jp.simulate(system, run["until"], method_of(run["method"]), run["save"])
    assert solution.outcome.ok, solution.outcome.message
    return solution


def turn_of_crank(solution: jp.Solution) -> float:
    return float(solution["A.angle"][-1])


def period(solution: jp.Solution) -> float:
    """Time between two passages of the lowest point in the same sense, interpolated."""
    angle, time = solution["P.angle"] + np.pi / 2, solution.time
    down = np.flatnonzero((angle[:-1] > 0.0) & (angle[1:] <= 0.0))
    zeros = []
    for k in down[:2]:
        near = slice(k - 3, k + 5)
        zeros.append(float(np.interp(0.0, angle[near][::-1], time[near][::-1])))
    return zeros[1] - zeros[0]


def swing(solution: jp.Solution) -> float:
    """From parabolas through the three highest and the three lowest points."""

    def extreme(values: np.ndarray) -> float:
        k = int(np.argmax(values))
        a, b, c = values[k - 1 : k + 2]
        return float(b - (c - a) ** 2 / (8.0 * (a - 2.0 * b + c)))

    angle = solution["D.angle"]
    return extreme(angle) + extreme(-angle)


def place_at_two_seconds(solution: jp.Solution) -> float:
    return float(solution["block.position[2]"][400] - 0.3)


def deepest_lean(solution: jp.Solution) -> float:
    return float(np.degrees(np.arccos(np.min(solution["top.position[2]"]) / 0.08)))


Number = tuple[Callable[[jp.Solution], float], float, float, str]  # how, value, tolerance, as the header has it
NUMBERS: dict[str, Number] = {
    "slider_crank": (turn_of_crank, 54.72505107, 1e-5, "54.72505107 rad"),
    "pendulum": (period, 1.93333485, 1e-5, "1.93333485 s"),
    "four_bar": (swing, 0.95098329, 1e-7, "0.95098329 rad"),
    "driven_four_bar_3d": (swing, 0.95098329, 1e-7, "0.95098329 rad"),
    "spring_mass": (place_at_two_seconds, 3.95580e-3, 1e-8, "3.95580 mm"),
    "spinning_top": (deepest_lean, 72.4304, 1e-3, "72.4304 deg"),
}


def test_every_example_has_a_number() -> None:
    assert set(NUMBERS) == set(entries())


@pytest.mark.parametrize("name", NUMBERS)
def test_number(name: str) -> None:
    how, value, tolerance, _ = NUMBERS[name]
    solution = solve(name)
    assert how(solution) == pytest.approx(value, abs=tolerance)
    assert np.max(np.abs(solution["energy.error"])) < 1e-6 * np.max(solution["energy.kinetic"])


@pytest.mark.parametrize("name", NUMBERS)
def test_header(name: str) -> None:
    """Each says what it is, what it asks, and its number."""
    text = entries()[name].read_text(encoding="utf-8")
    assert title(entries()[name]).endswith(".")
    assert question(entries()[name]).endswith("?")
    assert "# Look at:" in text
    assert NUMBERS[name][3] in text


def test_space_and_plane_agree() -> None:
    """The same linkage, once planar and once spatial with redundant joints: the same motor and the same pins."""
    plane, space = solve("four_bar"), solve("driven_four_bar_3d")
    assert np.allclose(plane["A.drive_torque"], space["A.drive_torque"], rtol=0, atol=1e-6)
    assert np.allclose(plane["B.force"][:, :2], space["B.force"][:, [0, 2]], rtol=0, atol=1e-5)
    assert "least norm" in space.meta["multipliers"]
