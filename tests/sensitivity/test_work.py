"""Derivatives of sums over the past: work of drives and loads, losses, impulses of contacts.

The truth are central differences, extrapolated, of the very same runs; and formulas where there are any.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.errors import InputError
from jointplay.sensitivity import through_contacts

G = 9.81
LEDGER = ["energy.input", "energy.dissipated"]


def arm(speed: float = 3.0, length: float = 0.3, torque: float = 0.4, wave: float = 0.2) -> jp.System:
    """A driven arm with a second one on a spring, on which a torque acts."""
    s = jp.System("arm", gravity=(0, -G, 0))
    a = s.body("arm", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(length / 2, 0, 0))
    b = s.body("bob", mass=0.5, inertia=(0.02, 0.02, 0.02), position=(length + 0.2, 0, 0))
    s.revolute("A", s.ground, a, point=(0, 0, 0), axis=(0, 0, 1), angle=jp.Drive(f"{speed}*t + {wave}*sin(5*t)"))
    s.revolute("B", a, b, point=(length, 0, 0), axis=(0, 0, 1), angle=jp.Spring(stiffness=2.0, damping=0.1))
    s.torque("T", b, torque=(0, 0, f"{torque}*sin(8*t)"))
    return s


def rubbed(speed: float = 3.0, mu: float = 0.2) -> jp.System:
    """A driven arm on a bearing with friction under its own reaction."""
    s = jp.System("rubbed", gravity=(0, -G, 0))
    a = s.body("arm", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.15, 0, 0))
    law = jp.BrownMcPhee(1.5 * mu, mu, 0.05, radius=0.02, length=0.05)
    s.revolute("A", s.ground, a, point=(0, 0, 0), axis=(0, 0, 1), angle=jp.Drive(f"{speed}*t"), friction=law)
    return s


def chain(push: float = 3.0, length: float = 0.4, rate: float = 6.0) -> jp.System:
    """Two links in space, and a force that swings."""
    s = jp.System("chain", gravity=(0, 0, -G))
    a = s.body("a", mass=1.0, inertia=(0.01, 0.012, 0.013), position=(length / 2, 0, 0))
    b = s.body("b", mass=0.7, inertia=(0.02, 0.03, 0.01), position=(length + 0.15, 0, 0))
    s.spherical("A", s.ground, a, point=(0, 0, 0))
    s.revolute("B", a, b, point=(length, 0, 0), axis=(0, 1, 0), angle=jp.Spring(stiffness=1.0, damping=0.05))
    s.force("F", b, force=(0.5, f"{push}*sin({rate}*t)", "0.3*t"), point=(length + 0.3, 0, 0.02))
    return s


def free(push: float = 3.0, rate: float = 6.0, out: float = 0.1, spin: float = 2.0) -> jp.System:
    """A body that turns under forces in global axes and in its own."""
    s = jp.System("free", gravity=(0, 0, -G))
    turning = {"velocity": (0.3, 0, 0), "angular_velocity": (1, spin, 0.3)}
    b = s.body("b", mass=0.7, inertia=(0.02, 0.03, 0.01), position=(0, 0, 0), **turning)
    s.force("F", b, force=(0.5, f"{push}*sin({rate}*t)", "0.3*t"), point=(out, 0.02, 0.05))
    s.force("H", b, force=(0.2, f"cos({rate}*t)", 0.4), point=(0.02, out, 0.05), axes="body")
    s.torque("T", b, torque=(0.2, 0.1, f"0.1*sin({rate}*t)"))
    return s


def marble(
    gap: float = 0.05, e: float = 0.6, mass: float = 0.5, aside: float = 0.1, speed: float = 0.4, pull: float = 0.02
) -> jp.System:
    """A marble falls inside a cup that is drawn along; its drive feels the impacts."""
    s = jp.System("marble", gravity=(0, 0, -G))
    a = s.body("cup", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0))
    b = s.body("marble", mass=mass, inertia=(0.02, 0.02, 0.02), position=(0, 0, 0), velocity=(speed + aside, 0, 0))
    s.prismatic("A", s.ground, a, point=(0, 0, 0), axis=(1, 0, 0), displacement=jp.Drive(f"{speed}*t + {pull}*t^2"))
    s.spherical("B", a, b, point=(0, 0, 0), radial=jp.Clearance(gap, contact=jp.Rigid(restitution=e)))
    return s


def soft(gap: float = 1e-4, mass: float = 0.5, stiffness: float = 2e4) -> jp.System:
    """A bob in a compliant socket."""
    s = jp.System("soft", gravity=(0, 0, -G))
    b = s.body("bob", mass=mass, inertia=(0.02, 0.02, 0.02), position=(0, 0, 0), velocity=(0.05, 0, -0.3))
    contact = jp.KelvinVoigt(stiffness=stiffness, damping=20.0)
    s.spherical("B", s.ground, b, point=(0, 0, 0), radial=jp.Clearance(gap, contact=contact))
    return s


def truth(build: Any, wrt: dict[str, float], name: str, of: list[str], step: float, **run: Any) -> dict[str, Any]:
    """Central differences of two sizes, extrapolated."""
    slopes = []
    for h in (step * wrt[name], 0.5 * step * wrt[name]):
        ends = [jp.simulate(build(**{**wrt, name: wrt[name] + x}), **run) for x in (h, -h)]
        slopes.append({one: (ends[0][one] - ends[1][one]) / (2.0 * h) for one in of})
    return {one: (4.0 * slopes[1][one] - slopes[0][one]) / 3.0 for one in of}


def off(
    build: Any, wrt: dict[str, float], of: list[str], scheme: Any, until: float, save: float, **given: Any
) -> dict[str, float]:
    """Largest difference from the truth of each quantity, relative to its largest derivative times the parameter."""
    result = jp.sensitivities(build, wrt, of, given.get("method", "direct"), until=until, scheme=scheme, save=save)
    assert not result.invalid
    found = dict.fromkeys(of, 0.0)
    true = {
        name: truth(build, wrt, name, of, given.get("step", 1e-3), until=until, method=scheme, save=save)
        for name in wrt
    }
    for one in of:
        size = max(np.max(np.abs(true[name][one])) * wrt[name] for name in wrt)
        assert size > 0.0
        for name in wrt:
            error = np.max(np.abs(np.reshape(result[one][name], true[name][one].shape) - true[name][one]))
            found[one] = max(found[one], float(error) * wrt[name] / size)
    return found


@pytest.mark.parametrize("method", ["direct", "complex-step"])
@pytest.mark.parametrize(
    ("build", "wrt"),
    [
        (arm, {"speed": 3.0, "length": 0.3, "torque": 0.4}),
        (chain, {"push": 3.0, "length": 0.4, "rate": 6.0}),
        (rubbed, {"speed": 3.0, "mu": 0.2}),
    ],
)
def test_the_whole_ledger_of_index1(build: Any, wrt: dict[str, float], method: str) -> None:
    """Inside of steps too; even energy.error, the error of the steps, has its derivative."""
    found = off(build, wrt, [*LEDGER, "energy.error"], jp.Index1(step=5e-3), 0.1, 0.0125, method=method)
    assert found["energy.input"] < 1e-8
    assert found["energy.dissipated"] < 1e-8
    assert found["energy.error"] < 1e-5


@pytest.mark.parametrize("scheme", [jp.Index1(step=2e-3), jp.Moreau(step=2e-3), jp.OptimalStep(2e-3, 2e-3)], ids=str)
def test_work_grows_with_mass(scheme: Any) -> None:
    """All masses of this linkage are rho times a length: so is the work that its motor does."""
    final = jp.Final("energy.input")
    result = jp.sensitivities(
        entries()["driven_four_bar_3d"], ["rho"], [final], "direct", until=0.05, scheme=scheme, save=0.01
    )
    assert result[final]["rho"] == pytest.approx(result.values[final] / 1.2, rel=1e-8)


def test_an_objective_of_work() -> None:
    """The mean of the work, as an objective of a design may ask for it."""
    of, wrt = jp.Integral("energy.input"), {"speed": 3.0}
    run: dict[str, Any] = {"until": 0.1, "scheme": jp.Index1(step=5e-3), "save": 0.01}
    result = jp.sensitivities(arm, wrt, [of, "energy.input"], "direct", **run)
    series = result["energy.input"]["speed"]
    assert result[of]["speed"] == pytest.approx(np.trapezoid(series, result.time), rel=1e-9)


def test_work_of_loads_along_moreau() -> None:
    wrt = {"push": 3.0, "rate": 6.0, "out": 0.1, "spin": 2.0}
    assert off(free, wrt, ["energy.input"], jp.Moreau(step=5e-3), 0.05, 0.0125)["energy.input"] < 1e-8


def test_friction_that_follows_reactions_along_moreau() -> None:
    """What friction does to the joints counts in the step in which it acts. Work is of order two, as below."""
    found = off(rubbed, {"speed": 3.0, "mu": 0.2}, ["energy.input", "A.drive_torque"], jp.Moreau(step=2e-3), 0.1, 0.01)
    assert found["A.drive_torque"] < 1e-8
    assert found["energy.input"] < 2e-5


def test_work_along_moreau_is_of_order_two() -> None:
    """Corrections of closed joints are not differentiated; those of velocities along a drive neither."""
    wrt, of = {"speed": 3.0, "length": 0.3, "torque": 0.4}, ["energy.input", "bob.velocity[1]"]
    coarse, fine = (off(arm, wrt, of, jp.Moreau(step=h), 0.05, 0.0125) for h in (5e-3, 2.5e-3))
    for one in of:
        assert fine[one] < 1e-5
        assert fine[one] < 0.35 * coarse[one]


def test_work_and_impulses_through_impacts() -> None:
    wrt = {"gap": 0.05, "e": 0.6, "mass": 0.5, "aside": 0.1, "speed": 0.4}
    of = ["energy.input", "B.normal_impulse", "marble.velocity[0]"]
    found = off(marble, wrt, of, jp.Moreau(step=1e-2), 0.21, 0.0125, step=1e-4)
    assert max(found.values()) < 1e-7


def inelastic(gap: float = 0.05, mass: float = 0.5, speed: float = 0.4) -> jp.System:
    """The marble, which does not rebound."""
    return marble(gap, 0.0, mass, speed=speed)


def test_work_and_impulses_along_optimal_step() -> None:
    wrt, of = {"gap": 0.05, "mass": 0.5, "speed": 0.4}, ["energy.input", "B.normal_impulse"]
    found = off(inelastic, wrt, of, jp.OptimalStep(1e-2, 1e-2), 0.17, 0.005, step=1e-4)
    assert max(found.values()) < 1e-7
    found = off(arm, {"speed": 3.0, "torque": 0.4}, of[:1], jp.OptimalStep(5e-3, 5e-3), 0.05, 0.0125)
    assert found["energy.input"] < 1e-7


@pytest.mark.parametrize("scheme", [jp.Moreau(step=5e-3), jp.OptimalStep(5e-3, 5e-3)], ids=str)
def test_losses_follow_from_the_balance(scheme: Any) -> None:
    of = [*LEDGER, "energy.kinetic", "energy.gravity", "energy.elastic"]
    result = jp.sensitivities(arm, ["speed", "length"], of, "direct", until=0.05, scheme=scheme, save=0.01)
    for name in ("speed", "length"):
        given, lost, *stored = (result[one][name] for one in of)
        left = given - lost - sum(stored)
        assert np.max(np.abs(left - left[0])) < 1e-10 * np.max(np.abs(given))


def test_the_impulse_of_an_impact_by_formula() -> None:
    """m (1 + e) sqrt(2 g gap), at the first blow."""
    wrt = {"gap": 0.05, "e": 0.6, "mass": 0.5, "aside": 0.0, "pull": 0.0}
    final = jp.Final("B.normal_impulse[0]")
    result = jp.sensitivities(marble, wrt, [final], "direct", until=0.15, scheme=jp.Moreau(step=1e-2), save=0.15)
    speed = np.sqrt(2 * G * 0.05)
    assert result.values[final] == pytest.approx(0.5 * 1.6 * speed, rel=1e-6)
    assert result[final]["mass"] == pytest.approx(1.6 * speed, rel=1e-6)
    assert result[final]["e"] == pytest.approx(0.5 * speed, rel=1e-6)
    assert result[final]["gap"] == pytest.approx(0.5 * 1.6 * G / speed, rel=1e-6)


def test_the_impulse_of_weight() -> None:
    """A block on an incline: the four corners together give m g cos(slope) t."""
    of = ["S.normal_impulse"]
    result = jp.sensitivities(
        entries()["incline"],
        ["bodies.block.mass", "slope"],
        of,
        "direct",
        until=0.05,
        scheme=jp.Moreau(step=2e-3),
        save=0.013,
    )
    first, last = 1, -1
    span = result.time[last] - result.time[first]
    for name, value in (("bodies.block.mass", G * np.cos(np.radians(20))), ("slope", -2 * G * np.sin(np.radians(20)))):
        sums = np.sum(np.reshape(result[of[0]][name], (len(result.time), -1)), axis=1)
        assert (sums[last] - sums[first]) / span == pytest.approx(value, rel=1e-4), name


def test_impulses_of_compliant_contacts() -> None:
    wrt, of = {"mass": 0.5, "stiffness": 2e4}, ["B.normal_impulse"]
    for scheme in (jp.Index1(step=5e-4), jp.OptimalStep(5e-4, 5e-4)):
        assert off(soft, wrt, of, scheme, 0.01, 2.5e-3)["B.normal_impulse"] < 1e-6


def test_what_is_refused() -> None:
    def refused(build: Any, wrt: list[str], of: Any, method: str, scheme: Any) -> str:
        with pytest.raises(InputError) as told:
            jp.sensitivities(build, wrt, [of], method, until=0.05, scheme=scheme, save=0.01)
        return str(told.value)

    index1, moreau = jp.Index1(step=1e-3), jp.Moreau(step=1e-3)
    assert "take derivative='direct'" in refused(arm, ["speed"], jp.Final("energy.input"), "adjoint", index1)
    assert "take derivative='direct'" in refused(marble, ["gap"], jp.Final("B.normal_impulse[0]"), "adjoint", moreau)
    assert "error of the steps" in refused(arm, ["speed"], "energy.error", "direct", moreau)
    assert "in the past" in refused(soft, ["mass"], "B.onset_speed", "direct", index1)
    assert "Explicit has them" in refused(soft, ["mass"], "B.normal_impulse", "direct", moreau)


def test_sums_cost_nothing_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def noted(*given: Any) -> Any:
        made.append(make(*given))
        return made[-1]

    make = through_contacts.make_tangents
    monkeypatch.setattr(through_contacts, "make_tangents", noted)
    run: dict[str, Any] = {"until": 0.02, "scheme": jp.Moreau(step=1e-2), "save": 0.01}
    jp.sensitivities(marble, ["gap"], ["marble.velocity[0]"], "direct", **run)
    assert all(one.sums.shape[1] == 0 for one in made)
    jp.sensitivities(marble, ["gap"], ["B.normal_impulse"], "direct", **run)
    assert made[-1].sums.shape[1] > 0
