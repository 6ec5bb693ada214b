"""Derivatives with Coulomb friction of ideal joints under their own reactions, with true stick, along runs of Moreau.

Truth are central differences of the same runs with the same steps, extrapolated once; they hold while each brake slides
and sticks in the same steps.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import paper_e
import pytest
from friction_cases import TINY, G
from gradients_of_runs import compare

import jointplay as jp

SQUARE = {"function": np.square}


def block(
    mu: float = 0.3,
    mass: float = 2.0,
    length: float = 0.1,
    width: float = 0.05,
    arm: float = 0.02,
    pull: float = 5.0,
    g: float = G,
    angle: float = 0.4,
    speed: float = 0.5,
) -> jp.System:
    """On a guide downhill, pulled beside its centre: torques about all axes of the guide."""
    s = jp.System("pulled block", gravity=(0, 0, -g))
    down = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    b = s.body("block", mass=mass, inertia=(0.01, 0.02, 0.03), velocity=speed * down)
    law = jp.Coulomb(mu, length=length, width=width, smoothing=0.01)
    s.prismatic("D", s.ground, b, point=(0.03, 0, 0.01), axis=down, friction=law)
    s.force("pull", b, force=(pull, 0.7 * pull, -0.4 * pull), point=(0.01, arm, 0.03))
    return s


def stopping(mu: float = 0.4, mass: float = 2.0, length: float = 0.1, arm: float = 0.02, g: float = G) -> jp.System:
    """The same, slow on a gentle slope: it comes to rest."""
    return block(mu, mass, length, arm=arm, pull=3.0, g=g, angle=0.2, speed=0.02)


def pendulum(
    mu: float = 0.3,
    mass: float = 2.0,
    radius: float = 0.02,
    length: float = 0.1,
    reach: float = 0.3,
    side: float = 0.15,
    g: float = G,
    speed: float = 3.0,
) -> jp.System:
    """Its centre lies beyond the end of the bearing, which carries a torque across its axis."""
    s = jp.System("pendulum with friction", gravity=(0, 0, -g))
    spin = {"velocity": (0, 0, -speed * reach), "angular_velocity": (0, speed, 0)}
    b = s.body("bob", mass=mass, inertia=(0.01, 0.02, 0.03), position=(reach, side, 0), **spin)
    law = jp.Coulomb(mu, length=length, radius=radius)
    s.revolute("A", s.ground, b, point=(0, 0, 0), axis=(0, 1, 0), friction=law)
    return s


def pulled(
    mu: float = 0.2, static: float | None = None, mass: float = 2.0, rate: float = 60.0, width: float = 0.05
) -> jp.System:
    """A block at rest that a growing force draws, 1 cm beside the middle of its guide."""
    s = jp.System("drawn", gravity=(0, 0, -G))
    b = s.body("block", mass=mass, inertia=(1, 1, 1))
    law = jp.Coulomb(mu, static=static, length=0.1, width=width)
    s.prismatic("D", s.ground, b, point=(0, 0, 0), axis=(1, 0, 0), friction=law)
    s.force("pull", b, force=(f"{rate}*t", 0, 0), point=(0, 0.01, 0))
    return s


def rabinowicz(mu: float = 0.3, m: float = 1.0, k: float = 100.0, v: float = 0.27) -> jp.System:
    """The block of paper E: it gives way, slips, and is caught up after a period."""
    return paper_e.block("coulomb", replace(paper_e.BLOCK, m=m, k=k, v=v, mu_d=mu, mu_s=mu))


def crank(mu: float = 0.1, length: float = 0.1, width: float = 0.05, speed: float = 10.0) -> jp.System:
    """The spatial slider-crank of paper E."""
    return paper_e.slider_crank("A", friction=jp.Coulomb(mu, length=length, width=width), angle=0.7, speed=speed)


def shuttle(
    mu: float = 0.3, mass: float = 2.0, length: float = 0.1, gap: float = 0.0153, e: float = 0.6, speed: float = 1.5
) -> jp.System:
    """A block that strikes a stop at the end of its guide, which swings; guide and bearing rub."""
    s = jp.System("shuttle", gravity=(0, 0, -G))
    turn = {"angular_velocity": (0, 0.3, 0)}
    frame = s.body("frame", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.1, 0, 0), velocity=(0, 0, -0.03), **turn)
    b = s.body("block", mass=mass, inertia=(0.01,) * 3, position=(0.3, 0, 0), velocity=(speed, 0, -0.09), **turn)
    bearing = jp.Coulomb(mu, length=0.1, radius=0.02)
    s.revolute("A", s.ground, frame, point=(0, 0, 0), axis=(0, 1, 0), friction=bearing)
    stop = jp.Stop(upper=gap, contact=jp.Rigid(restitution=e))
    guide = jp.Coulomb(mu, length=length, width=0.05)
    s.prismatic("D", frame, b, point=(0.3, 0, 0), axis=(1, 0, 0), displacement=stop, friction=guide)
    s.force("side", b, force=(0, 5.0, 0), point=(0, 0.02, 0.02))
    return s


def bushed(
    mu: float = 0.3, stiffness: float = 2e4, damping: float = 20.0, radius: float = 0.02, mass: float = 2.0
) -> jp.System:
    """A pendulum whose bearing gives way: bushings pass on what presses."""
    s = jp.System("bushed", gravity=(0, 0, -G))
    spin = {"velocity": (0, 0, -0.9), "angular_velocity": (0, 3.0, 0)}
    b = s.body("bob", mass=mass, inertia=(0.01, 0.02, 0.03), position=(0.3, 0.05, 0), **spin)
    law, soft = jp.Coulomb(mu, length=0.1, radius=radius), jp.Bushing(stiffness, damping)
    s.revolute("A", s.ground, b, point=(0, 0, 0), axis=(0, 1, 0), friction=law, radial=soft)
    return s


def differences(build: Any, wrt: list[str], of: list[str], **run: Any) -> dict[tuple[str, str], np.ndarray]:
    """Derivatives of saved quantities by central differences with one extrapolation."""
    given = {name: one.default for name, one in inspect.signature(build).parameters.items()}
    method = run.pop("scheme")

    def at(**changed: float) -> dict[str, np.ndarray]:
        sol = jp.simulate(build(**(given | changed)), method=method, **run)
        assert sol.outcome.ok, sol.outcome.message
        return {one: np.asarray(sol[one]) for one in of}

    found = {}
    for name in wrt:
        x, d = given[name], 2e-4 * given[name]
        ends = {n: at(**{name: x + n * d}) for n in (-2, -1, 1, 2)}
        for one in of:
            near, far = (ends[1][one] - ends[-1][one]) / (2 * d), (ends[2][one] - ends[-2][one]) / (4 * d)
            found[one, name] = (4.0 * near - far) / 3.0
    return found


# what is built, parameters, quantities, step, until when, saved every, agreement: 3e-6 and more where joints turn, for
# what closes them at the ends of steps is not differentiated
CASES: list[Any] = [
    pytest.param(
        block,
        ["mu", "mass", "length", "width", "arm", "pull", "g", "angle", "speed"],
        ["block.position[0]", "D.displacement_rate", "D.friction_force"],
        1e-3,
        0.02,
        3.5e-3,
        1e-7,
        id="block",
    ),
    pytest.param(
        stopping,
        ["mu", "mass", "length", "arm", "g"],
        ["block.position[0]", "D.friction_force"],
        1e-3,
        0.03,
        3.5e-3,
        1e-7,
        id="stopping",
    ),
    pytest.param(
        pulled,
        ["mu", "mass", "rate"],
        ["block.position[0]", "D.displacement_rate", "D.friction_force"],
        5e-3,
        0.15,
        0.01,
        1e-7,
        id="pulled",
    ),
    pytest.param(
        rabinowicz,
        ["mu", "m", "k"],
        ["block.position[0]", "block.velocity[0]", "D.friction_force"],
        1e-2,
        1.0,
        0.05,
        1e-7,
        id="rabinowicz",
    ),
    pytest.param(
        pendulum,
        ["mu", "mass", "radius", "length", "reach", "side", "g", "speed"],
        ["A.angle", "A.friction_torque"],
        1e-4,
        0.1,
        0.0333,
        3e-6,
        id="pendulum",
    ),
    pytest.param(
        crank,
        ["mu", "width", "speed"],
        ["slider.position[0]", "D.friction_force"],
        1e-4,
        0.02,
        5e-3,
        1e-5,
        id="slider-crank",
    ),
    pytest.param(
        shuttle,
        ["mu", "mass", "length", "gap", "e", "speed"],
        ["D.displacement", "D.displacement_rate"],
        2.5e-4,
        0.02,
        5e-3,
        3e-6,
        id="stop",
    ),
    pytest.param(
        bushed,
        ["mu", "stiffness", "damping", "radius", "mass"],
        ["A.angle", "A.friction_torque"],
        2e-4,
        0.01,
        2.5e-3,
        1e-6,
        id="bushings",
    ),
]


@pytest.mark.parametrize(("build", "wrt", "of", "step", "until", "save", "within"), CASES)
def test_direct_against_differences(
    build: Any, wrt: list[str], of: list[str], step: float, until: float, save: float, within: float
) -> None:
    run: dict[str, Any] = {"until": until, "scheme": jp.Moreau(step=step), "save": save}
    found, truth = jp.sensitivities(build, wrt, of, **run), differences(build, wrt, of, **run)
    assert not found.invalid
    for name in wrt:
        for one in of:
            size = 1e-3 * np.max(np.abs(found.values[one])) / abs(found.parameters[name])
            off = np.max(np.abs(found[one][name] - truth[one, name])) / max(np.max(np.abs(truth[one, name])), size)
            assert off < within, (one, name)


@pytest.mark.parametrize(("build", "wrt", "of", "step", "until", "save", "within"), CASES)
def test_adjoint_against_direct(
    build: Any, wrt: list[str], of: list[str], step: float, until: float, save: float, within: float
) -> None:
    objectives = [jp.Final(of[0]), jp.Integral(of[-1], **SQUARE)]
    assert compare(build, wrt, objectives, until=until, scheme=jp.Moreau(step=step), save=save) < 1e-8


def test_with_error_control() -> None:
    """Steps of two halves."""
    run: dict[str, Any] = {"until": 0.02, "scheme": jp.Moreau(rtol=1e-6), "save": 5e-3}
    wrt, of = ["mu", "mass", "length"], ["block.position[0]", "D.friction_force"]
    found, truth = jp.sensitivities(block, wrt, of, **run), differences(block, wrt, of, **run)
    for one in of:
        for name in wrt:
            assert found[one][name] == pytest.approx(truth[one, name], rel=1e-6, abs=1e-9)
    assert compare(block, wrt, [jp.Final(one) for one in of], **run) < 1e-8


def test_a_block_on_an_incline_by_formula() -> None:
    """v = v_0 + g (sin a - mu cos a) t; the force is -mu m g cos a."""
    values = {"mu": 0.3, "g": G, "angle": 0.6, "mass": 2.0}

    def slide(mu: float, g: float, angle: float, mass: float) -> jp.System:
        s = jp.System("incline", gravity=(0, 0, -g))
        down = np.array([np.cos(angle), 0.0, -np.sin(angle)])
        b = s.body("block", mass=mass, inertia=(1, 1, 1), velocity=0.1 * down)
        law = jp.Coulomb(mu, length=0.1, width=0.05, smoothing=TINY)
        s.prismatic("D", s.ground, b, point=(0, 0, 0), axis=down, friction=law)
        return s

    of = ["D.displacement_rate", "D.friction_force"]
    found = jp.sensitivities(slide, values, of, until=0.1, scheme=jp.Moreau(step=1e-3), save=0.0105)
    for name in values:
        p: dict[str, Any] = values | {name: values[name] + 1e-30j}
        normal = p["g"] * np.cos(p["angle"])
        speed = 0.1 + (p["g"] * np.sin(p["angle"]) - p["mu"] * normal) * found.time
        force = -p["mu"] * p["mass"] * normal
        assert found[of[0]][name] == pytest.approx(speed.imag / 1e-30, rel=1e-8, abs=1e-8), name
        assert found[of[1]][name] == pytest.approx(np.full(len(found.time), force.imag / 1e-30), rel=1e-8, abs=1e-7)


# --- Rest ---------------------------------------------------------------------------------------------------------


def resting(static: float = 0.9, rate: float = 60.0) -> jp.System:
    """It holds more at rest than mu would."""
    return pulled(static=static, rate=rate)


def test_a_brake_at_rest_knows_its_own_coefficient() -> None:
    """A pull above mu and below static times the load is held: friction is the pull, whatever mu."""
    run: dict[str, Any] = {"until": 0.1, "scheme": jp.Moreau(step=5e-3), "save": 0.01}
    found = jp.sensitivities(resting, ["static", "rate"], ["D.friction_force", "D.displacement_rate"], **run)
    assert not found.invalid
    assert found["D.friction_force"]["rate"] == pytest.approx(-found.time, abs=1e-9)
    assert np.max(np.abs(found["D.friction_force"]["static"])) < 1e-9
    assert np.max(np.abs(found["D.displacement_rate"]["rate"])) < 1e-12


def test_a_brake_with_a_given_load_rests_in_space() -> None:
    def held(load: float = 30.0, rate: float = 20.0) -> jp.System:
        s = jp.System("held", gravity=(0, 0, -G))
        b = s.body("block", mass=2.0, inertia=(1, 1, 1))
        brake = jp.Coulomb(0.2, load=load)
        s.prismatic("D", s.ground, b, point=(0, 0, 0), axis=(1, 0, 0), displacement=brake)
        s.force("pull", b, force=(f"{rate}*t", 0, 0))
        return s

    found = jp.sensitivities(held, ["load", "rate"], "D.force[0]", until=0.1, scheme=jp.Moreau(step=1e-2), save=0.02)
    assert not found.invalid
    assert found["D.force[0]"]["load"] == pytest.approx(np.zeros(len(found.time)), abs=1e-9)


# --- Where there is no derivative ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_a_drop_of_the_force_is_told(method: str) -> None:
    """The pull reaches static times the load, 0.3 m g, at 0.098 s and half a step later."""
    given = {"mu": 0.2, "static": 0.3, "rate": 60.0}
    of: Any = "D.displacement_rate" if method == "direct" else [jp.Final("D.displacement_rate")]
    found = jp.sensitivities(pulled, given, of, method, until=0.15, scheme=jp.Moreau(step=5e-3), save=0.01)
    ((time, reason),) = found.invalid
    assert time == pytest.approx(0.1, abs=0.011)
    assert "breaks loose" in reason


@pytest.mark.parametrize("speed", [0.02, 0.0185])
def test_turning_back_is_told(speed: float) -> None:
    """Thrown uphill it stops and slides down at once: steps pass zero in one go, or rest for one of them."""

    def thrown(speed: float) -> jp.System:
        return block(mu=0.2, pull=0.0, angle=0.5, speed=-speed)

    step = jp.Moreau(step=1e-3)
    found = jp.sensitivities(thrown, {"speed": speed}, "D.displacement_rate", until=0.01, scheme=step, save=1e-3)
    ((time, reason),) = found.invalid
    assert time == pytest.approx(speed / (G * (np.sin(0.5) + 0.2 * np.cos(0.5))), abs=1.1e-3)
    assert "turns back" in reason


# --- Drives -------------------------------------------------------------------------------------------------------


def test_the_speed_of_a_drive() -> None:
    """What a cart that follows v t draws by a spring: x = v (t - sin(w t)/w), w = sqrt(k/m)."""

    def drawn(v: float) -> jp.System:
        return paper_e.block("frictionless", replace(paper_e.BLOCK, m=1.0, k=100.0, v=v))

    run: dict[str, Any] = {"until": 0.5, "scheme": jp.Moreau(step=1e-3), "save": 0.05}
    found = jp.sensitivities(drawn, {"v": 0.3}, "block.position[0]", **run)
    truth = found.time - np.sin(10.0 * found.time) / 10.0
    assert found["block.position[0]"]["v"] == pytest.approx(truth, abs=1e-5)
    assert compare(drawn, {"v": 0.3}, [jp.Final("block.position[0]")], **run) < 1e-8
