"""Derivatives of instants at which conditions become true, and of runs that end there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import jointplay as jp
from jointplay.compile.build import compile_system
from jointplay.errors import InputError
from jointplay.results.layout import layout_of
from jointplay.sensitivity.targets import targets_of

G = 9.81


def ball(height: float = 2.0, speed: float = 0.3, level: float = 0.5) -> jp.System:
    s = jp.System("ball", planar=True, parameters={"level": level})
    s.body("b", mass=1, inertia=0.1, position=(0, height, 0), velocity=(1, speed, 0))
    return s


def oscillator(k: float = 18.0, m: float = 2.0, v: float = 3.0, x0: float = 0.3) -> jp.System:
    """x = v/w sin(w t), w^2 = k/m."""
    s = jp.System("oscillator", planar=True, gravity=(0, 0, 0), parameters={"x0": x0})
    s.body("b", mass=m, inertia=0.1, velocity=(v, 0, 0))
    s.prismatic("P", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0), displacement=jp.Spring(k))
    return s


def pendulum(length: float = 1.0, angle: float = 1.0) -> jp.System:
    """At rest at an angle from below; 0.1 kg m2 about its centre of mass."""
    s = jp.System("pendulum", planar=True)
    place = (length * np.sin(angle), -length * np.cos(angle), 0.0)
    s.body("b", mass=1.0, inertia=0.1, position=place)
    s.revolute("P", s.ground, "b", point=(0, 0, 0))
    return s


def gradient(result: Any, of: Any) -> np.ndarray:
    return np.array([result[of][name] for name in result.parameters])


EXACT = ["direct", "adjoint", "complex-step"]


@pytest.mark.parametrize("kind", EXACT)
def test_a_ball_that_falls_through_a_level(kind: str) -> None:
    rng = np.random.default_rng(5)
    when = "b.position[1] < level"
    of = [jp.Instant(when), jp.Final("b.position[0]"), jp.Final("b.velocity[1]"), jp.Integral("b.velocity[0]")]
    for _ in range(5):
        height, speed, level = rng.uniform(1, 3), rng.uniform(-1, 1), rng.uniform(0, 0.8)
        wrt = {"height": height, "speed": speed, "level": level}
        r = jp.sensitivities(ball, wrt, of, jp.Explicit(), until=when, at_most=5, derivative=kind, save=0.1)
        below = np.sqrt(speed**2 + 2 * G * (height - level))  # speed at the level
        exact = np.array([1 / below, (1 + speed / below) / G, -1 / below])
        assert not r.invalid
        assert r.values[of[0]] == pytest.approx((speed + below) / G, abs=1e-12)
        # rounding of the rates, which are slopes over a sixteenth of a step
        assert gradient(r, of[0]) == pytest.approx(exact, abs=1e-11)
        assert gradient(r, of[1]) == pytest.approx(exact, abs=1e-11)  # at 1 m/s
        assert gradient(r, of[2]) == pytest.approx(np.array([0, 1, 0]) - G * exact, abs=1e-10)
        assert gradient(r, of[3]) == pytest.approx(exact, abs=1e-11)  # the end of the integral moves


def test_a_quarter_of_a_swing() -> None:
    """t = K(sin(a/2)) sqrt((l^2 + 0.1)/(l g)): its derivatives as differences of high order."""
    when = "b.position[0] < 0"
    for length, angle in ((1.0, 1.0), (0.4, 2.0)):
        r = jp.sensitivities(
            pendulum,
            {"length": length, "angle": angle},
            jp.Instant(when),
            jp.Explicit(rtol=1e-12, atol=1e-13),
            until=when,
            at_most=5,
        )

        def time(radius: float, a: float) -> float:
            return float(np.sqrt((radius**2 + 0.1) / (radius * G)) * ellipk(np.sin(a / 2) ** 2))

        def slope(f: Any, h: float = 1e-3) -> float:
            return float((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h))

        exact = [
            slope(lambda h, r=length, a=angle: time(r + h, a)),
            slope(lambda h, r=length, a=angle: time(r, a + h)),
        ]
        assert r.values[jp.Instant(when)] == pytest.approx(time(length, angle), rel=1e-10)  # rtol over the run
        assert gradient(r, jp.Instant(when)) == pytest.approx(exact, rel=1e-9)


METHODS = [
    jp.Explicit(rtol=1e-11, atol=1e-13),
    jp.Implicit(rtol=1e-10, atol=1e-12),
    jp.Index1(step=1e-3),
    jp.Verlet(step=1e-3),
    jp.Moreau(step=1e-3),
    jp.OptimalStep(h_min=1e-3, h_max=1e-3),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
def test_all_methods_against_differences_of_their_runs(method: Any) -> None:
    ends = "P.displacement_rate < -2"
    of = [
        jp.Instant("P.displacement > x0"),
        jp.Instant(ends),
        jp.Final("P.displacement") + 2 * jp.Instant(ends),
        jp.Integral("P.displacement", function=np.square),
        jp.Peak("P.displacement"),
        jp.Mean("P.displacement"),
    ]
    found = {}
    for kind in ("direct", "adjoint", "differences"):
        r = jp.sensitivities(
            oscillator, ["k", "m", "v", "x0"], of, method, until=ends, at_most=2, derivative=kind, save=0.1
        )
        assert not r.invalid and not r.notes
        found[kind] = np.array([gradient(r, one) for one in of])
    size = np.abs(found["direct"]).max(axis=1, keepdims=True)
    assert np.abs(found["direct"] - found["adjoint"]).max() < 1e-13 * size.max()
    # the bar; measured 1e-9, which is rounding over the steps of the differences
    assert (np.abs(found["direct"] - found["differences"]) < 1e-6 * size).all()


def test_the_second_instant_of_a_run_that_ends_at_a_time() -> None:
    second = jp.Instant("P.displacement > x0", number=2)
    r = jp.sensitivities(
        oscillator,
        ["k", "v", "x0"],
        [second, "P.displacement"],
        jp.Explicit(rtol=1e-12, atol=1e-14),
        until=2.6,
        save=0.1,
    )
    x0, w, v = 0.3, 3.0, 3.0
    t = (np.arcsin(x0 * w / v) + 2 * np.pi) / w
    cos = np.sqrt(1 - (x0 * w / v) ** 2)
    by_w = -t / w + x0 / v / cos / w
    exact = [by_w * w / (2 * 18.0), -x0 / v**2 / cos, 1 / (v * cos)]
    assert r.values[second] == pytest.approx(t, abs=1e-11)
    assert gradient(r, second) == pytest.approx(exact, rel=1e-9)  # rtol over the run
    assert np.array_equal(r.time, r.solution.time)  # instants of events are not shown
    assert r["P.displacement"]["k"].shape == r.time.shape
    exact_x = -v / w**2 * np.sin(w * r.time) / 12.0 + v / w * np.cos(w * r.time) * r.time / 12.0
    assert r["P.displacement"]["k"] == pytest.approx(exact_x, abs=1e-9)


def test_through_an_impact() -> None:
    """A ball bounces with e and rises through y: t = v/g + (e v - sqrt(e^2 v^2 - 2 g y))/g, v = sqrt(2 g h)."""

    # the coordinate counts from the place at the start: the wall is at -height, by its own number
    def falls(height: float = 1.0, e: float = 0.8) -> jp.System:
        s = jp.System("bounce", planar=True)
        s.body("b", mass=1, inertia=0.1, position=(0, height, 0))
        stop = jp.Stop(lower=-height, contact=jp.Rigid(restitution=e))
        s.prismatic("P", s.ground, "b", point=(0, height, 0), axis=(0, 1, 0), displacement=stop)
        return s

    y = 0.4
    rising = jp.Instant(f"b.position[1] > {y}", number=1)
    for kind in ("direct", "adjoint"):
        r = jp.sensitivities(
            falls, ["height", "e"], rising, jp.Moreau(step=1e-3), until=1.0, derivative=kind, save=0.01
        )

        def time(h: float, e: float) -> float:
            v = np.sqrt(2 * G * h)
            return float(v / G + (e * v - np.sqrt((e * v) ** 2 - 2 * G * y)) / G)

        d = 1e-5
        exact = [(time(1 + d, 0.8) - time(1 - d, 0.8)) / (2 * d), (time(1, 0.8 + d) - time(1, 0.8 - d)) / (2 * d)]
        assert not r.invalid
        assert r.values[rising] == pytest.approx(time(1.0, 0.8), abs=1e-6)
        assert gradient(r, rising) == pytest.approx(exact, rel=1e-6)


def test_what_has_no_derivative_says_why() -> None:
    graze = jp.Instant("(b.position[0] - 0.5)^3 > 0")  # passes zero without a slope
    never = jp.Instant("b.position[1] > 5")
    twice = jp.Instant("b.position[1] < 1", number=2)
    fine = jp.Instant("b.position[1] < 1")
    for kind in ("direct", "adjoint"):
        r = jp.sensitivities(
            ball, "height", [graze, never, twice, fine], jp.Explicit(), until=1.0, save=0.1, derivative=kind
        )
        reasons = " | ".join(why for _, why in r.invalid)
        assert "only touched" in reasons and "never became true" in reasons and "became true 1 times, not 2" in reasons
        assert all(np.isnan(r[one]["height"]) for one in (graze, never, twice))
        assert np.isnan(r.values[never])
        assert np.isfinite(r[fine]["height"])
    waits = jp.sensitivities(ball, "height", jp.Final("b.position[1]"), until="b.position[1] > 5", at_most=0.5)
    assert waits.time[-1] == 0.5 and "never became true" in waits.invalid[0][1]
    assert waits[jp.Final("b.position[1]")]["height"] == pytest.approx(1.0)  # of the state at at_most: nothing is lost


def glider(level: float = 0.5, v: float = 1.0) -> jp.System:
    s = jp.System("glider", planar=True, gravity=(0, 0), parameters={"level": f"{level!r} m"})
    s.body("b", mass=1, inertia=0.1, velocity=(v, 0))
    s.prismatic("P", s.ground, "b", point=(0, 0), axis=(1, 0))
    return s


@pytest.mark.parametrize("level", [0.5, 0.5 + 1e-12, 0.5 + 1e-7, 0.53])
@pytest.mark.parametrize("kind", ["direct", "adjoint"])
def test_means_of_a_run_that_ends_just_behind_a_saved_instant(level: float, kind: str) -> None:
    """x = v t until x = level: the integral is level^2/(2 v), the mean level/2."""
    area, mean = jp.Integral("P.displacement"), jp.Mean("P.displacement")
    r = jp.sensitivities(
        glider,
        {"level": level, "v": 1.0},
        [area, mean],
        jp.Explicit(rtol=1e-10),
        until="P.displacement > level",
        at_most=2.0,
        save=0.1,
        derivative=kind,
    )
    assert not r.invalid
    assert [r[area]["level"], r[area]["v"]] == pytest.approx([level, -0.5 * level**2], rel=1e-9)
    assert [r[mean]["level"], r[mean]["v"]] == pytest.approx([0.5, 0.0], abs=1e-9)


@pytest.mark.parametrize("text", ["(x - level)^3 > 0", "(x - level)*abs(x - level) > 0"])
def test_conditions_without_a_slope(text: str) -> None:
    instant = jp.Instant(text.replace("x", "P.displacement"))
    r = jp.sensitivities(glider, "v", instant, jp.Explicit(rtol=1e-10), until=1.0)
    assert np.isnan(r[instant]["v"]) and "no derivative" in r.invalid[0][1]


def test_an_instant_that_a_jump_makes_is_refused_by_name() -> None:
    def falls(height: float = 1.0) -> jp.System:
        s = jp.System("bounce", planar=True)
        s.body("b", mass=1, inertia=0.1, position=(0, height, 0))
        stop = jp.Stop(lower=-height, contact=jp.Rigid(restitution=0.5))
        s.prismatic("P", s.ground, "b", point=(0, height, 0), axis=(0, 1, 0), displacement=stop)
        return s

    jump = jp.Instant("P.displacement_rate > 1")
    r = jp.sensitivities(falls, "height", jump, jp.Moreau(step=1e-3), until=1.0)
    assert np.isnan(r[jump]["height"]) and "by a jump" in r.invalid[0][1]


@pytest.mark.parametrize(
    ("of", "given", "sentence"),
    [
        (jp.Final("b.position[0]"), {"until": "b.position[1] < 0.5"}, "at_most: is missing"),
        (jp.Final("b.position[0]"), {"until": 1, "at_most": 1}, "goes with a condition"),
        (jp.Instant("b.positon[1] < 0.5"), {"until": 1}, r"of: Instant\('b.positon.*did you mean"),
        (jp.Instant("b.position[1] < 0.5 kg"), {"until": 1}, "mixes"),
        (jp.Final("b.position[0]"), {"until": "b.position[1] < 0.5 kg", "at_most": 1}, "until: .*mixes"),
        (jp.Final("b.position[0]"), {"until": "b.position[1] < 5", "at_most": 1}, "true at the start"),
    ],
)
def test_bad_questions_get_a_sentence(of: Any, given: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        jp.sensitivities(ball, "height", of, **given)


def test_bad_instants_get_a_sentence() -> None:
    with pytest.raises(InputError, match="needs a condition"):
        jp.Instant(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="whole number from 1"):
        jp.Instant("t > 1", 0)
    with pytest.raises(InputError, match=r"jp\.sensitivities alone"):
        targets_of(layout_of(compile_system(ball())), jp.Instant("t > 1"))
