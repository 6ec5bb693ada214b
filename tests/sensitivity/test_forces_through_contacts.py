"""Rigid contacts beside forces that sense, remember, or depend on time: direct = adjoint = differences of runs.

A run of fixed steps is a smooth function of its parameters as long as the same contacts strike in the same steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jointplay as jp

STEP, UNTIL, SAVE = 2e-3, 0.4, 0.0371
METHODS = {"moreau": jp.Moreau(step=STEP), "optimal_step": jp.OptimalStep(h_min=STEP, h_max=STEP)}
CHANGE = 1e-4  # relative, of differences; extrapolated, they err by its fourth power and by roundings/CHANGE
OF = ["ball.position[1]", "ball.velocity[1]"]


@jp.law("coordinate", k="F/X", om="rad/s")
def shaken(x, v, t, k, om):  # type: ignore[no-untyped-def]
    """A spring whose stiffness and rest position follow time."""
    return -k * x * (1 + 0.5 * np.sin(om * t)) - 0.05 * k * np.cos(om * t)


@jp.law("coordinate", k="F/X", c="F*s/X", om="rad/s", states={"z": "X"})
def lagging(x, v, t, k, c, om, z):  # type: ignore[no-untyped-def]
    """A spring in line with a damper whose pace follows time."""
    return -k * (x - z) - c * v, (x - z) * om + 0.3 * np.sin(om * t) * x


def ball(law: Any = None, force: Any = None, h: float = 0.3, gap: float = 0.1, e: float = 0.5) -> jp.System:
    """A ball on a guide under a law, above a rigid floor."""
    s = jp.System("ball", planar=True, gravity=(0, -9.81))
    b = s.body("ball", mass=1.0, inertia=0.1, position=(0, h))
    stop = jp.Stop(lower=gap - h, contact=jp.Rigid(restitution=e))
    s.prismatic("P", s.ground, b, point=(0, 0), axis=(0, 1), displacement=[law, stop] if law else stop)
    if force:
        s.force("F", b, force=("0 N", force), point=(0, h))
    return s


def sensing(k: float = 40.0, d: float = 0.8, **more: float) -> jp.System:
    law = jp.ForceLaw(f"-{k!r}*x - {d!r}*v - 4*x^3 + 2*ball.velocity[1]^2")
    return ball(law, f"-0.1*{k!r}*P.displacement - 3*P.displacement^2*P.displacement_rate", **more)


def remembering(k: float = 40.0, ki: float = 90.0, start: float = 0.01, r: float = 0.1, **more: float) -> jp.System:
    states = {"z": {"unit": "m*s", "rate": f"x - 0.3*z + {r!r}*v", "start": start}}
    return ball(jp.ForceLaw(f"-{k!r}*x - 0.8*v - {ki!r}*z", states=states), **more)


def in_time(k: float = 40.0, om: float = 20.0, a: float = 3.0, b: float = 5.0, **more: float) -> jp.System:
    states = {"z": {"unit": "m*s", "rate": f"x + 0.1*sin({om!r}*t)"}}
    law = jp.ForceLaw(f"-{k!r}*x*(1 + 0.5*sin({om!r}*t)) + {a!r}*cos({om!r}*t) - 30*z", states=states)
    return ball(law, f"{a!r}*sin({om!r}*t) - {b!r}*t*P.displacement", **more)


def own_in_time(k: float = 40.0, om: float = 20.0, **more: float) -> jp.System:
    return ball(shaken(k, om), **more)


def own_remembering(k: float = 40.0, c: float = 0.5, om: float = 20.0, **more: float) -> jp.System:
    return ball(lagging(k, c, om), **more)


def driven(amplitude: float = 0.05, om: float = 30.0, **more: float) -> jp.System:
    """The floor moves with a drive."""
    h, gap, e = more.get("h", 0.2), more.get("gap", 0.03), more["e"]
    s = jp.System("driven", planar=True, gravity=(0, -9.81))
    plate = s.body("plate", mass=1, inertia=0.1, position=(0, 0))
    b = s.body("ball", mass=1, inertia=0.1, position=(0, h))
    s.prismatic("D", s.ground, plate, point=(0, 0), axis=(0, 1), displacement=jp.Drive(f"{amplitude!r}*sin({om!r}*t)"))
    stop = jp.Stop(lower=gap - h, contact=jp.Rigid(restitution=e))
    s.prismatic("G", plate, b, point=(0, h), axis=(0, 1), displacement=stop)
    return s


CASES: dict[Callable[..., jp.System], dict[str, float]] = {
    sensing: {"k": 40.0, "d": 0.8, "h": 0.3, "gap": 0.1},
    remembering: {"k": 40.0, "ki": 90.0, "start": 0.01, "r": 0.1, "gap": 0.1},
    in_time: {"k": 40.0, "om": 20.0, "a": 3.0, "b": 5.0, "gap": 0.1},
    own_in_time: {"k": 40.0, "om": 20.0, "gap": 0.1},
    own_remembering: {"k": 40.0, "c": 0.5, "om": 20.0, "gap": 0.1},
}


def slopes(build: Any, values: dict[str, float], of: list[str], method: Any, name: str) -> list[np.ndarray]:
    """Central differences of runs, extrapolated."""

    def difference(h: float) -> list[np.ndarray]:
        ends = [jp.simulate(build(**values | {name: values[name] * (1 + s * h)}), UNTIL, method, SAVE) for s in (1, -1)]
        return [(ends[0][one] - ends[1][one]) / (2 * h * values[name]) for one in of]

    return [(4 * b - a) / 3 for a, b in zip(difference(CHANGE), difference(CHANGE / 2), strict=True)]


def check(build: Any, values: dict[str, float], method: Any, of: list[str], within: float) -> Any:
    """Direct derivatives beside differences over time, and adjoint ones beside direct ones in the end."""
    given = {"until": UNTIL, "save": SAVE, "method": method}
    found = jp.sensitivities(build, values, of, derivative="direct", **given)
    assert not found.invalid
    assert found.stats["impacts"] > 0
    for name in values:
        truth = slopes(build, values, of, method, name)
        for k, one in enumerate(of):
            size = max(np.max(np.abs(truth[k])), 1e-6 * np.max(np.abs(found.values[one])) / values[name])
            assert np.max(np.abs(found[one][name] - truth[k])) <= within * size, (one, name)
    goals = [one for one in of if not one.startswith("energy")]
    back = jp.sensitivities(build, values, [jp.Final(one) for one in goals], derivative="adjoint", **given)
    for one in goals:
        for name in values:
            size = max(np.max(np.abs(found[one][name])), 1e-6 * np.max(np.abs(found.values[one])) / values[name])
            assert abs(back[jp.Final(one)][name] - found[one][name][-1]) <= 1e-8 * size, (one, name)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("build", CASES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("key", METHODS)
@pytest.mark.parametrize("seed", range(2))
def test_random_numbers(build: Any, key: str, seed: int) -> None:
    """Roundings of the runs divided by CHANGE are some 1e-11 of a velocity."""
    random = np.random.default_rng(seed)
    values = {name: value * random.uniform(0.95, 1.05) for name, value in CASES[build].items()}
    if key == "moreau":
        values["e"] = random.uniform(0.4, 0.6)

        def made(**numbers: float) -> jp.System:
            return build(**numbers)
    else:

        def made(**numbers: float) -> jp.System:
            return build(**numbers, e=0.0)

    check(made, values, METHODS[key], [*OF, "energy.input"], 1e-6)


def test_a_floor_that_moves() -> None:
    """Moreau closes joints at the end of a step by O(h^3), of which tangents take no part: what is left is O(h^2)."""
    values = {"amplitude": 0.05, "om": 30.0, "h": 0.2, "e": 0.6}
    for method, within in ((METHODS["moreau"], 5e-4), (jp.Moreau(step=STEP / 4), 5e-4 / 8)):
        found = jp.sensitivities(driven, values, OF, until=UNTIL, save=SAVE, method=method)
        for name in values:
            truth = slopes(driven, values, OF, method, name)
            for k, one in enumerate(OF):
                assert np.max(np.abs(found[one][name] - truth[k])) < within * np.max(np.abs(truth[k])), (one, name)


def thrown(how: str, c: float, wall: float, e: float) -> jp.System:
    """A block thrown at a wall under a force that falls with time: as a function of it, or of a state that grows."""
    s = jp.System("thrown", planar=True, gravity=(0, 0))
    b = s.body("ball", mass=1.0, inertia=0.1, velocity=(0, 1.0))
    stop = jp.Stop(upper=wall, contact=jp.Rigid(restitution=e))
    text = {"time": f"-{c!r}*t", "state": f"-{c!r}*w", "load": f"-{c!r}*t"}[how]
    law = (
        [] if how == "load" else [jp.ForceLaw(text, states={"w": {"unit": "s", "rate": "1"}} if how == "state" else {})]
    )
    s.prismatic("P", s.ground, b, point=(0, 0), axis=(0, 1), displacement=[*law, stop])
    if how == "load":
        s.force("F", b, force=("0 N", text), point=(0, 0))
    return s


def place(t: float, c: complex, wall: complex, e: complex) -> complex:
    """Where it is after it has struck: x = t - c t^3/6, then back from the wall."""
    at = complex(wall)
    for _ in range(60):
        at -= (at - c * at**3 / 6 - wall) / (1 - c * at**2 / 2)
    speed = -e * (1 - c * at**2 / 2)
    s = t - at
    return wall + speed * s - c * (at * s**2 / 2 + s**3 / 6)


@pytest.mark.parametrize("how", ["time", "state", "load"])
def test_closed_form(how: str) -> None:
    values, t = {"c": 1.3, "wall": 0.31, "e": 0.7}, 0.7

    def build(c: float, wall: float, e: float) -> jp.System:
        return thrown(how, c, wall, e)

    goal = jp.Final("ball.position[1]")
    for kind in ("direct", "adjoint"):
        found = jp.sensitivities(
            build, values, [goal], until=t, save=t, method=jp.Moreau(rtol=1e-9, extrapolate=False), derivative=kind
        )
        assert found.values[goal] == pytest.approx(place(t, **values).real, abs=1e-8)
        for name, value in values.items():
            truth = place(t, **values | {name: value + 1e-30j}).imag / 1e-30
            assert found[goal][name] == pytest.approx(truth, rel=1e-6), (kind, name)
