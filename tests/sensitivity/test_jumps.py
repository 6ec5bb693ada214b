"""Forces that jump at instants which move with a parameter: derivatives against closed forms, or told to be wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jointplay as jp

VALUES = {"T": 0.3, "F": 2.0, "m": 1.5}
TIMES = np.linspace(0.0, 1.0, 9)  # none where something jumps
OF = ["b.position[0]", "b.velocity[0]"]


def pushed(force: Callable[[float, float], Any]) -> Callable[..., jp.System]:
    def build(T: float = 0.3, F: float = 2.0, m: float = 1.5) -> jp.System:
        s = jp.System("pushed", planar=True, gravity=(0, 0))
        body = s.body("b", mass=m, inertia=0.1, position=(0, 0), velocity=(0.1, 0))
        s.force("push", body, force=(force(T, F), 0))
        return s

    return build


def late(T: float, power: int) -> np.ndarray:
    """(t - T)^power from T on."""
    return np.where(T < TIMES, np.maximum(TIMES - T, 0.0) ** power, 0.0)


def switched(T: float, F: float, m: float) -> tuple[np.ndarray, np.ndarray]:
    """Changes of place and velocity by F from T on."""
    return F / m * late(T, 2) / 2, F / m * late(T, 1)


def turned(T: float, F: float, m: float) -> tuple[np.ndarray, np.ndarray]:
    """By -F until T, F from there on."""
    x, v = switched(T, 2 * F, m)
    return x - F / m * TIMES**2 / 2, v - F / m * TIMES


def ramp(T: float, F: float, m: float) -> tuple[np.ndarray, np.ndarray]:
    """By F (t - T) from T on."""
    return F / m * late(T, 3) / 6, F / m * late(T, 2) / 2


def root(T: float, F: float, m: float) -> tuple[np.ndarray, np.ndarray]:
    """By F (t - T)^1.5 from T on: before that there is no number."""
    return F / m * late(T, 1) ** 3.5 / 8.75, F / m * late(T, 1) ** 2.5 / 2.5


def wave(T: float, F: float, m: float) -> tuple[np.ndarray, np.ndarray]:
    """By F and not, in turns."""
    parts = [switched(k * T, (-1) ** k * F, m) for k in range(6)]
    return sum(x for x, _ in parts), sum(v for _, v in parts)  # type: ignore[return-value]


FORCES: dict[str, tuple[Callable[[float, float], Any], Any]] = {
    "more": (lambda T, F: f"where(t > {T!r}, {F!r}, 0)", switched),
    "less": (lambda T, F: f"where({T!r} - t >= 0, 0, {F!r})", switched),
    "step": (lambda T, F: f"{F!r}*step(t - {T!r})", switched),
    "sign": (lambda T, F: f"{F!r}*sign(t - {T!r})", turned),
    "ramp": (lambda T, F: f"{F!r}*max(t - {T!r}, 0)", ramp),
    "root": (lambda T, F: f"where(t > {T!r}, {F!r}*(t - {T!r})^1.5, 0)", root),
    "function": (lambda T, F: lambda t: F if t > T else 0.0, switched),
    "wave": (lambda T, F: f"where(sin({np.pi!r}/{T!r}*t) > 0, {F!r}, 0)", wave),
    "table": (lambda T, F: {"table": [[0, 0], [T, 0], [T + 1, F], [T + 9, 9 * F]], "kind": "linear"}, ramp),
}


def truth(motion: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by central differences of the formula; a polynomial in T, F and 1/m."""
    h = 1e-5
    up, down = (motion(**(VALUES | {name: VALUES[name] + way * h})) for way in (1, -1))
    return tuple((a - b) / (2 * h) for a, b in zip(up, down, strict=True))  # type: ignore[return-value]


@pytest.mark.parametrize("derivative", ["direct", "adjoint", "complex-step", "differences"])
@pytest.mark.parametrize("kind", FORCES)
def test_instants_that_move(kind: str, derivative: str) -> None:
    """Steps of Explicit end where forces are not smooth.

    Differences of formulas and runs err by 1e-8. Of the root only the motion is known to rtol: its change by T goes by
    (t - T)^0.5, which no step of the motion had to resolve, and errs by rtol^0.6.
    """
    force, motion = FORCES[kind]
    of: list[Any] = [jp.Final(one) for one in OF] if derivative == "adjoint" else OF
    found = jp.sensitivities(
        pushed(force), list(VALUES), of, jp.Explicit(rtol=1e-9), until=1.0, save=TIMES, derivative=derivative
    )
    assert not found.invalid
    for name in VALUES:
        for one, right in zip(of, truth(motion, name), strict=True):
            right = right[-1] if derivative == "adjoint" else right
            assert np.abs(found[one][name] - right).max() < (1e-4 if kind == "root" else 1e-5), (name, one)


@pytest.mark.parametrize("derivative", ["direct", "complex-step", "differences"])
def test_steps_that_pass_over_a_jump_say_so(derivative: str) -> None:
    """They are wrong by as much as the derivative is."""
    found = jp.sensitivities(
        pushed(FORCES["more"][0]), list(VALUES), OF, jp.Index1(step=1e-3), until=1.0, derivative=derivative
    )
    assert [instant for instant, _ in found.invalid] == [0.3]
    assert found.invalid[0][1].startswith("T: a force jumps at an instant that moves with it, and Index1 does not end")
    kink = jp.sensitivities(
        pushed(FORCES["ramp"][0]), ["T"], OF, jp.Index1(step=1e-3), until=1.0, derivative=derivative
    )
    assert not kink.invalid


@pytest.mark.parametrize("derivative", ["direct", "differences"])
def test_impulses_that_pass_over_a_jump_say_so(derivative: str) -> None:
    found = jp.sensitivities(
        pushed(FORCES["more"][0]), ["T"], OF, jp.Moreau(step=1e-3), until=1.0, derivative=derivative
    )
    assert found.invalid and "T: a force jumps at an instant that moves with it" in found.invalid[0][1]
    still = jp.sensitivities(
        pushed(FORCES["more"][0]), ["F", "m"], OF, jp.Moreau(step=1e-3), until=1.0, derivative=derivative
    )
    assert not still.invalid


def test_a_drive_whose_speed_jumps_says_so() -> None:
    """Its acceleration may jump where it moves; of speeds, differences along Explicit know."""

    def build(T: float = 0.3, power: int = 1) -> jp.System:
        s = jp.System("driven", planar=True, gravity=(0, 0))
        body = s.body("b", mass=1.0, inertia=0.2, position=(0, 0))
        s.revolute("A", s.ground, body, point=(0, 0), angle=jp.Drive(f"where(t > {T!r}, (t - {T!r})^{power}, 0)"))
        return s

    given: dict[str, Any] = {"method": jp.Explicit(), "until": 1.0, "save": TIMES, "derivative": "direct"}
    smooth = jp.sensitivities(lambda T=0.3: build(T, 2), ["T"], "A.angle", **given)
    assert not smooth.invalid and np.abs(smooth["A.angle"]["T"] + 2 * late(0.3, 1)).max() < 1e-12
    sudden = jp.sensitivities(build, ["T"], "A.angle", **given)
    assert "T: the speed of a drive jumps at an instant that moves with it" in sudden.invalid[0][1]
    assert sudden.invalid[0][1].endswith("'differences' along Explicit do")


def test_a_force_that_begins_behind_an_instant_costs_no_rejected_steps() -> None:
    """At 0.3 itself t > 0.3 does not hold: the step that begins there took the force before it."""
    strict, loose = (
        jp.simulate(pushed(lambda T, F, op=op: f"where(t {op} {T!r}, {F!r}, 0)")(), 1.0, jp.Explicit(), save=TIMES)
        for op in (">", ">=")
    )
    assert strict.stats["rejections"] == 0
    assert strict["b.position"].tobytes() == loose["b.position"].tobytes()


def test_steps_with_contacts_begin_behind_a_jump_too() -> None:
    """`OptimalStep` ends its steps at jumps, and takes forces at their starts."""
    strict, loose = (
        jp.simulate(
            pushed(lambda T, F, op=op: f"where(t {op} {T!r}, {F!r}, 0)")(), 1.0, jp.OptimalStep(0.01, 0.07), save=TIMES
        )
        for op in (">", ">=")
    )
    assert strict["b.position"].tobytes() == loose["b.position"].tobytes()
    _, velocity = switched(0.3, 2.0, 1.5)
    assert strict["b.velocity[0]"] == pytest.approx(0.1 + velocity, abs=1e-12)
