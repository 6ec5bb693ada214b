"""Finite differences of runs against derivatives that are known by formula."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries

G = 9.81
EXACT = jp.Explicit(rtol=1e-11, atol=1e-13)
BY = "finite-difference"


def ball(mass: float = 2.0, speed: float = 3.0, height: float = 1.0, g: float = G) -> jp.System:
    s = jp.System("thrown ball", gravity=(0, 0, -g))
    s.body("ball", mass=mass, inertia=(0.1, 0.1, 0.1), position=(0, 0, height), velocity=(1, 0, speed))
    return s


def off(found: np.ndarray, truth: np.ndarray) -> float:
    """Largest difference, relative to the largest true one."""
    return float(np.max(np.abs(found - truth)) / np.max(np.abs(truth)))


def test_a_thrown_ball() -> None:
    result = jp.sensitivities(
        ball, ["speed", "height", "g", "mass"], ["ball.position[2]", "energy.kinetic"], BY, until=1.0, scheme=EXACT
    )
    t, z = result.time, result["ball.position[2]"]
    assert off(z["speed"], t) < 1e-10
    assert off(z["height"], np.ones_like(t)) < 1e-10
    assert off(z["g"], -t * t / 2) < 1e-10
    assert np.max(np.abs(z["mass"])) < 1e-10
    kinetic = result["energy.kinetic"]
    assert off(kinetic["speed"], 2.0 * (3.0 - G * t)) < 1e-10
    assert off(kinetic["mass"], 0.5 * (1.0 + (3.0 - G * t) ** 2)) < 1e-10
    assert off(result.values["ball.position[2]"], 1.0 + 3.0 * t - G * t * t / 2) < 1e-12


def test_objectives_of_a_thrown_ball() -> None:
    final, peak = jp.Final("ball.position[2]"), jp.Peak("ball.position[2]")
    area, both = jp.Integral("ball.velocity[2]"), jp.Final("ball.position[2]") + 2 * jp.Integral("ball.velocity[2]")
    squared = jp.Integral("ball.velocity[2]", function=np.square)
    result = jp.sensitivities(
        ball, {"speed": 3.0, "g": "9.81 m/s^2"}, [final, peak, area, both, squared], BY, until=1.0
    )
    assert result[final]["speed"] == pytest.approx(1.0, rel=1e-9)
    assert result[final]["g"] == pytest.approx(-0.5, rel=1e-9)
    # the top lies between two saved instants, at t = v/g
    assert result.values[peak] == pytest.approx(1.0 + 9.0 / (2 * G), rel=1e-12)
    assert result[peak]["speed"] == pytest.approx(3.0 / G, rel=1e-9)
    assert result[peak]["g"] == pytest.approx(-9.0 / (2 * G**2), rel=1e-9)
    assert result[area]["g"] == pytest.approx(-0.5, rel=1e-9)  # the trapezoidal rule is exact for a straight line
    assert result[both]["speed"] == pytest.approx(3.0, rel=1e-9)
    # of the square it has an error of (b - a) h^2/12 f'' = 1e-6/6 g^2, which does not depend on the speed
    assert result[squared]["speed"] == pytest.approx(2 * (3.0 - G / 2), rel=1e-9)
    assert result[squared]["g"] == pytest.approx(-3.0 + 2 * G / 3 + 1e-6 / 3 * G, rel=1e-9)
    assert result["Final('ball.position[2]')"]["speed"] == result[final]["speed"]
    assert result.values[final] == pytest.approx(1.0 + 3.0 - G / 2)
    assert result.unit(area, "g") == "m per m/s^2"


def damped(t: np.ndarray, m: complex, k: complex, c: complex, out: complex) -> np.ndarray:
    """Displacement of the damped spring and mass of the gallery, let go from ``out``."""
    b = c / m / 2
    w = np.sqrt(k / m - b * b + 0j)
    return out * np.exp(-b * t) * (np.cos(w * t) + b / w * np.sin(w * t)) - out


def test_a_damped_spring() -> None:
    names = ["mass", "stiffness", "damping", "out"]
    given = [2.0, 200.0, 4.0, 0.05]
    result = jp.sensitivities(entries()["spring_mass"], names, "D.displacement", BY, until=2.0, scheme=EXACT)
    for k, name in enumerate(names):
        values: list[complex] = list(given)
        values[k] += 1e-30j
        truth = damped(result.time, *values).imag / 1e-30
        assert off(result["D.displacement"][name], truth) < 1e-8, name
        assert result.errors["D.displacement"][name] < 1e-8
    assert not result.invalid


def test_a_pendulum_and_its_length() -> None:
    """theta depends on t and L by t/sqrt(L) only, so that dtheta/dL = -t/(2 L) dtheta/dt, through whole swings."""
    result = jp.sensitivities(
        entries()["pendulum"], ["length", "mass"], ["P.angle", "P.force"], BY, until=4.0, scheme=EXACT
    )
    truth = -result.time / 2.0 * result.solution["P.angle_rate"]
    assert off(result["P.angle"]["length"], truth) < 1e-7
    # the force is mass times a function of t/sqrt(L), so its derivative by the mass is force/mass
    assert off(result["P.force"]["mass"], result.solution["P.force"] / 2.0) < 1e-8
    assert result["P.force"]["mass"].shape == (801, 3)


def bounced(t: np.ndarray, h: complex, e: complex) -> np.ndarray:
    """Height of a ball dropped from h, over two bounces."""
    first, v = np.sqrt(2 * h / G), e * np.sqrt(2 * G * h)
    flight = 2 * v / G
    s = t - first
    falls, flies = h - G * t * t / 2, v * s - G * s * s / 2
    again = e * v * (s - flight) - G * (s - flight) ** 2 / 2
    return np.where(s.real < 0, falls, np.where(s.real < flight.real, flies, again))


def test_a_bouncing_ball() -> None:
    names = ["height", "restitution", "bodies.ball.mass"]
    of = ["ball.position[2]", "ball.velocity[2]"]
    result = jp.sensitivities(entries()["bouncing_ball"], names, of, BY, until=1.9)
    z = result["ball.position[2]"]
    assert off(z["height"], bounced(result.time, 1.0 + 1e-30j, 0.9).imag / 1e-30) < 1e-9
    assert off(z["restitution"], bounced(result.time, 1.0, 0.9 + 1e-30j).imag / 1e-30) < 1e-9
    assert np.max(np.abs(z["bodies.ball.mass"])) < 1e-9
    assert len(result.solution.impacts) == 2
    assert result.valid == [(0.0, result.time[-1])]
    # velocities jump, and still their derivative is found right up to the impacts
    assert np.isfinite(result["ball.velocity[2]"]["height"]).all()


def test_an_impact_at_the_edge_is_said() -> None:
    """A stop that the block only just reaches: a little further away it is not touched, and there is no derivative."""

    def block(reach: float = 0.2) -> jp.System:
        s = jp.System("thrown against a stop", gravity=(0, 0, -10.0))
        body = s.body("block", mass=1.0, inertia=0.1, velocity=(0, 0, 2.0))
        stop = jp.Stop(upper=reach, contact=jp.Rigid(restitution=0.5))
        s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
        return s

    result = jp.sensitivities(block, "reach", "D.displacement", BY, until=0.4, scheme=jp.Moreau(step=1e-3))
    ((time, reason),) = result.invalid
    assert time == pytest.approx(0.2, abs=1e-2)  # the top of the throw, v/g
    assert "reach: the order of impacts changes" in reason
    assert result.valid == [(0.0, time)]
    assert "valid     until 0.1999" in str(result)


def test_one_side_only() -> None:
    """A restitution of 1 cannot grow: differences go down from there, and say so."""
    result = jp.sensitivities(
        entries()["bouncing_ball"], {"restitution": 1.0}, jp.Final("ball.position[2]"), BY, until=0.8
    )
    truth = bounced(np.array([0.8]), 1.0, 1.0 + 1e-30j).imag[0] / 1e-30
    assert result["Final('ball.position[2]')"]["restitution"] == pytest.approx(truth, rel=1e-6)
    assert any("only smaller values are possible" in note for note in result.notes)
