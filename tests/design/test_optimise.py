from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from design_cases import COARSE, DIFFERENCES, FINE, G, oscillator, throw, toggle

import jointplay as jp
from jointplay.design.optimise import SOLVERS

HIT = [jp.AtLeast(jp.Final("ball.position[0]"), "5 m"), jp.AtLeast(jp.Final("ball.position[2]"), 0.0)]
SPEED = jp.Cost(lambda vx, vz: vx**2 + vz**2, "speed squared")


def search(objective: Any, wrt: Any, bounds: Any = None, constraints: Any = None, **options: Any) -> Any:
    usual = {"until": 1.0, "scheme": FINE, "save": [1.0], "method": DIFFERENCES}
    return jp.optimise(throw, objective, wrt, bounds, constraints, **usual | options)


def miss(x: Any) -> Any:
    return (x - 5.0) ** 2


@pytest.mark.parametrize("solver", ["SLSQP", "trust-constr"])
def test_slowest_throw_that_arrives(solver: str) -> None:
    found = search(SPEED, {"vx": "3 m/s", "vz": 4.0}, None, HIT, solver=solver)
    assert found.ok, found.outcome
    # in 1 s: vx = 5, vz = G/2; one more unit of each limit costs d(vx^2)/dx = 2 vx and 2 vz
    loose = 1e-7 if solver == "SLSQP" else 1e-3  # an interior-point search stops short of its limits
    assert found.parameters["vx"] == pytest.approx(5.0, rel=loose)
    assert found.parameters["vz"] == pytest.approx(G / 2, rel=loose)
    assert found.value == pytest.approx(25.0 + G**2 / 4, rel=loose)
    assert list(found.multipliers.values()) == pytest.approx([10.0, G], rel=max(loose, 1e-5))
    assert found.active == [str(limit) for limit in HIT]
    assert found.optimality < 1e-4
    assert found.solution["ball.position"][-1] == pytest.approx([5.0, 0.0, 0.0], abs=10 * loose)


def test_a_cost_alone_decides_only_with_limits() -> None:
    with pytest.raises(jp.InputError, match="nothing here depends on the motion"):
        search(SPEED, {"vx": 3.0, "vz": 4.0})


@pytest.mark.parametrize("solver", SOLVERS)
def test_best_damping(solver: str) -> None:
    # e'' + 2 zeta w e' + w^2 e = 0, e(0) = -1: the integral of e^2 is (1 + 4 zeta^2)/(4 zeta w), least at zeta = 1/2
    omega = 2.0

    def build(zeta: float) -> jp.System:
        return oscillator(omega**2, 2 * zeta * omega, speed=0.0, push=omega**2)

    found = jp.optimise(
        build,
        jp.Integral("P.displacement", lambda x: (x - 1.0) ** 2),
        {"zeta": 0.9},
        {"zeta": (0.1, 2.0)},
        until=15.0,
        scheme=FINE,
        save=0.02,
        method=DIFFERENCES,
        solver=solver,
        tolerance=1e-10,
    )
    assert found.ok, found.outcome
    assert found.parameters["zeta"] == pytest.approx(0.5, abs=1e-4)
    assert found.value == pytest.approx(1 / omega, abs=1e-6)
    assert not found.active


def test_bound_holds() -> None:
    found = search(jp.Final("ball.position[0]", miss), {"vx": 2.0, "vz": 0.0}, {"vx": (0, "4 m/s")})
    assert found.ok
    assert found.parameters["vx"] == 4.0
    assert found.value == pytest.approx(1.0, rel=1e-9)
    assert found.gradient["vx"] == pytest.approx(-2.0, rel=1e-7)
    assert found.active == ["vx: upper bound"]
    assert "upper bound" in str(found)


def test_cost_and_motion_add_up() -> None:
    # (x - 5)^2 + vx^2 with x = vx: least at 2.5
    both = jp.Final("ball.position[0]", miss) + jp.Cost(lambda vx: vx**2)
    found = jp.optimise(
        lambda vx: throw(vx, 0.0), both, {"vx": 1.0}, until=1.0, scheme=FINE, save=[1.0], method=DIFFERENCES
    )
    assert found.parameters["vx"] == pytest.approx(2.5, rel=1e-6)
    assert found.value == pytest.approx(12.5, rel=1e-9)


def test_trial_that_cannot_be_built_is_stepped_back_from() -> None:
    def build(vx: float) -> jp.System:
        if vx > 5.05:
            raise ValueError("nobody throws like that")
        return throw(vx, 0.0)

    found = jp.optimise(
        build,
        jp.Final("ball.position[0]", miss),
        {"vx": 1.0},
        {"vx": (0.0, 20.0)},  # the first step leads to the other end
        until=1.0,
        scheme=FINE,
        save=[1.0],
        method=DIFFERENCES,
    )
    assert found.ok, found.outcome
    assert found.parameters["vx"] == pytest.approx(5.0, abs=1e-3)
    failed = found.history[~found.history["ok"]]
    assert len(failed) and (failed["message"] == "build: nobody throws like that").all()
    assert np.isnan(failed["value"]).all()
    assert any("stepped back" in note for note in found.notes)


@pytest.mark.parametrize("solver", SOLVERS)
def test_trial_whose_run_stops_is_stepped_back_from(solver: str) -> None:
    # y(1 s) = 0.6 at 0.2 + speed = 0.8; beyond 1.0 the bar locks
    found = jp.optimise(
        toggle,
        jp.Final("ball.position[1]", lambda y: (y - 0.6) ** 2),
        {"speed": 0.1},
        {"speed": (0.05, 3.0)},
        until=1.0,
        scheme=COARSE,
        save=0.25,
        method=DIFFERENCES,
        solver=solver,
        tolerance=1e-12,
    )
    assert found.parameters["speed"] == pytest.approx(0.6, abs=1e-3), found.outcome
    assert not found.history["ok"].all()


def test_start_that_cannot_run_is_an_error() -> None:
    with pytest.raises(jp.InputError, match="start values cannot be used"):
        jp.optimise(
            toggle,
            jp.Final("ball.position[1]"),
            {"speed": 1.2},
            until=1.0,
            scheme=COARSE,
            save=0.25,
            method=DIFFERENCES,
        )


def test_limits_that_exclude_each_other() -> None:
    found = search(SPEED, {"vx": 2.0, "vz": 1.0}, {"vx": (0.0, 3.0)}, HIT)
    assert not found.ok
    assert "no point was found that keeps all limits" in found.outcome
    assert "Final('ball.position[0]') at least 5" in found.outcome


def test_runs_are_counted_and_never_repeated() -> None:
    found = search(jp.Final("ball.position[0]", miss), {"vx": 2.0, "vz": 0.0}, max_runs=2, tolerance=1e-14)
    assert len(found.history) == 2
    assert not found.ok and "max_runs" in found.outcome
    whole = search(SPEED, {"vx": 3.0, "vz": 4.0}, None, HIT)
    points = {(line["vx"], line["vz"]) for line in whole.history}
    assert len(points) == len(whole.history)


def test_all_mistakes_at_once() -> None:
    with pytest.raises(jp.InputError) as caught:
        search("ball.position", {"vx": 1.0, "vz": 1.0}, None, ["fast"], solver="Newton", tolerance=-1.0)
    assert [one.field for one in caught.value.problems] == ["objective", "constraints[0]", "solver", "tolerance"]
    with pytest.raises(jp.InputError) as caught:
        search(
            jp.Final("ball.position[0]"),
            {"vx": "1 m/s", "vz": 9.0},
            {"vx": (0, "2 kg"), "vz": (0.0, 5.0), "vy": (0, 1)},
        )
    fields = sorted(one.field for one in caught.value.problems)
    assert fields == ["bounds['vx']", "bounds['vy']", "wrt['vz']"]
    with pytest.raises(jp.InputError, match="L-BFGS-B takes no constraints"):
        search(SPEED, {"vx": 1.0, "vz": 1.0}, None, HIT, solver="L-BFGS-B")


def test_words_and_picture(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = search(SPEED, {"vx": "3 m/s", "vz": 4.0}, {"vx": (0, 10)}, HIT, progress=True)
    assert "run 1: speed squared = 25" in capsys.readouterr().err
    text = str(found)
    assert "speed squared = 49.059" in text
    assert "derivatives by differences" in text
    found.plot(tmp_path / "way.png")
    assert (tmp_path / "way.png").stat().st_size > 10_000


def test_exact_derivatives_are_taken_where_they_are() -> None:
    options: dict[str, Any] = {"until": 1.0, "save": [1.0]}
    wrt = {"vx": 3.0, "vz": 4.0}
    exact = jp.optimise(throw, SPEED, wrt, None, HIT, method=jp.Index1(step=0.01), **options)
    assert exact.derivative == "direct" and not exact.notes
    assert list(exact.parameters.values()) == pytest.approx([5.0, G / 2], rel=1e-9)
    slow = jp.OptimalStep(h_min=0.1, h_max=0.1, reference=True)
    other = jp.optimise(throw, SPEED, wrt, None, HIT, method=slow, **options)
    assert other.derivative == "differences"
    assert any("reference=True" in note for note in other.notes)
    with pytest.raises(jp.InputError, match="method.*reference=True"):  # asked for by name it is not replaced
        jp.optimise(throw, SPEED, wrt, None, HIT, method=slow, derivative="direct", **options)
