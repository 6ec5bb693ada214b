"""A guide that rubs under its own reaction: cases with a closed form (docs/theory/joint_friction.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from friction_cases import EXPLICIT, FIXED, SMOOTH, STICKS, STILL, TINY, G, dry, run

import jointplay as jp


def incline(angle: float, friction: Any, *, planar: bool = False, velocity: float = 0.0, pull: Any = None) -> jp.System:
    """2 kg on a guide that falls off at ``angle`` (deg), downhill along +x; ``pull`` in N, along x."""
    a = np.radians(angle)
    down = np.array([np.cos(a), -np.sin(a), 0.0]) if planar else np.array([np.cos(a), 0.0, -np.sin(a)])
    s = jp.System("incline", planar=planar, gravity=(0, -G, 0) if planar else (0, 0, -G))
    inertia = 1.0 if planar else (1.0, 1.0, 1.0)
    body = s.body("block", mass=2.0, inertia=inertia, velocity=velocity * (down[:2] if planar else down))
    s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=down, friction=friction)
    if pull is not None:
        s.force("pull", body, force=(pull, 0, 0))
    return s


@pytest.mark.parametrize("planar", [False, True], ids=["space", "plane"])
@pytest.mark.parametrize(("mu", "angle"), [(0.3, 16.6), (0.3, 16.8), (0.5, 45.0), (0.8, 38.0), (0.0, 5.0)])
def test_a_block_holds_or_slides(mu: float, angle: float, planar: bool) -> None:
    """It sticks below atan(mu), 16.699 degrees for 0.3, without creep, and slides above with g (sin - mu cos)."""
    a, sizes = np.radians(angle), {"length": 0.1} | ({} if planar else {"width": 0.05})
    sol = run(incline(angle, jp.Coulomb(mu, smoothing=TINY, **sizes), planar=planar), 1.0, STICKS)
    slides = max(0.0, G * (np.sin(a) - mu * np.cos(a)))
    assert sol["D.displacement_rate"] == pytest.approx(slides * sol.time, abs=1e-7)
    if slides == 0.0:
        assert np.max(np.abs(sol["block.velocity"])) <= STILL
        assert sol["energy.dissipated"][-1] <= 1e-12


def test_a_joint_at_rest_holds_more() -> None:
    """With 0.3 in motion and 0.4 at rest an incline of 20 degrees, tan = 0.364, holds a block, but stops none."""
    law = jp.Coulomb(0.3, static=0.4, length=0.1, width=0.05, smoothing=TINY)
    rest, slides = (run(incline(20.0, law, velocity=v), 1.0, STICKS) for v in (0.0, 0.01))
    assert np.max(np.abs(rest["block.velocity"])) <= STILL
    a = np.radians(20.0)
    assert slides["D.displacement_rate"][-1] == pytest.approx(0.01 + G * (np.sin(a) - 0.3 * np.cos(a)), abs=1e-9)


def test_a_growing_pull_breaks_loose_at_the_static_limit() -> None:
    r"""F = 10 t: rest until t_0 = mu_s m g/10, then m v = 5 (t^2 - t_0^2) - mu m g (t - t_0)."""
    law = jp.Coulomb(0.2, static=0.3, length=0.1, width=0.05, smoothing=TINY)
    s = incline(0.0, law, pull="10*t")
    start, t = 0.3 * 2.0 * G / 10.0, np.array([0.2, 0.5, 0.7, 1.0])
    errors = []
    for h in (2e-3, 2e-4):
        sol = run(s, 1.0, jp.Moreau(step=h), t)
        exact = np.where(t < start, 0.0, (5.0 * (t**2 - start**2) - 0.2 * 2.0 * G * (t - start)) / 2.0)
        errors.append(np.max(np.abs(sol["D.displacement_rate"] - exact)))
        assert sol["D.friction_force"][:2] == pytest.approx([-2.0, -5.0], rel=1e-9)
    assert errors[0] < 2e-3 and errors[1] < 2e-4  # the slip begins with a step


@SMOOTH
def test_smooth_friction_slides_alike(method: Any) -> None:
    a = np.radians(30.0)
    sol = run(incline(30.0, dry(0.3, 1e-3, length=0.1, width=0.05), velocity=1.0), 0.5, method)
    exact = 1.0 + G * (np.sin(a) - 0.3 * np.cos(a)) * sol.time
    assert sol["D.displacement_rate"] == pytest.approx(exact, abs=1e-9)
    assert sol["D.friction_normal"] == pytest.approx(2.0 * G * np.cos(a), rel=1e-9)


def test_moreau_is_of_order_two_with_smooth_friction() -> None:
    """A pendulum: friction changes the reaction, which presses the bearing, within one step."""
    s = jp.System("pendulum", gravity=(0, -G, 0))
    bob = s.body("bob", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.3, 0, 0), angular_velocity=(0, 0, 2.0))
    law = jp.BrownMcPhee(0.5, 0.4, 0.05, radius=0.05, length=0.05)
    s.revolute("A", s.ground, bob, point=(0, 0, 0), axis=(0, 0, 1), friction=law)
    truth = jp.simulate(s, 0.1, jp.Explicit(rtol=1e-11, atol=1e-13), 0.02)["bob.angular_velocity"][:, 2]
    off = [
        np.max(np.abs(jp.simulate(s, 0.1, jp.Moreau(step=h), 0.02)["bob.angular_velocity"][:, 2] - truth))
        for h in (2e-3, 1e-3)
    ]
    assert off[0] < 1e-3
    assert off[0] > 3.0 * off[1]


def test_the_smoothing_counts_once_for_each_force() -> None:
    """Of six forces one is the weight: N = sqrt(w^2 + s^2) + 5 s."""
    s = incline(0.0, jp.BrownMcPhee(0.3, 0.3, 1e-3, length=0.1, width=0.05, smoothing=0.5), velocity=1.0)
    sol = run(s, 0.1, EXPLICIT)
    assert sol["D.friction_normal"] == pytest.approx(np.hypot(2.0 * G, 0.5) + 2.5, rel=1e-12)


@pytest.mark.parametrize("beyond", [-0.3, -0.1, -0.04, 0.0, 0.02, 0.2])
def test_a_load_beside_the_ends_presses_harder(beyond: float) -> None:
    """Ends at 0 and a = 0.1, weight at ``beyond``: both carry it together between the ends, against each other else."""
    s = jp.System("overhung", gravity=(0, 0, -G))
    body = s.body("block", mass=2.0, inertia=(1, 1, 1), position=(beyond, 0, 0), velocity=(3, 0, 0))
    s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), friction=dry(0.1, length=0.1, width=0.05))
    sol = run(s, 0.2, EXPLICIT)
    share = beyond / 0.1  # of the weight, at the far end
    normal = 2.0 * G * (abs(1.0 - share) + abs(share))
    assert sol["D.friction_normal"] == pytest.approx(normal, rel=1e-9)
    assert sol["D.displacement_rate"] == pytest.approx(3.0 - 0.1 * normal / 2.0 * sol.time, abs=1e-9)


@pytest.mark.parametrize("arm", [0.1, 0.124, 0.126, 0.3])
def test_a_drawer_jams_when_drawn_too_far_beside(arm: float) -> None:
    """N = 2 F e/a: with mu = 0.4 and a = 0.1 the drawer is stuck, however strong the pull, from e = a/(2 mu) on."""
    for pull in (1.0, 1000.0):
        s = jp.System("drawer", gravity=(0, 0, 0))
        body = s.body("drawer", mass=2.0, inertia=(1, 1, 1))
        law = jp.Coulomb(0.4, length=0.1, width=0.05, smoothing=TINY)
        s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), friction=law)
        s.force("pull", body, force=(pull, 0, 0), point=(0, arm, 0))
        sol = run(s, 0.1, STICKS)
        gain = max(0.0, 1.0 - 0.4 * 2.0 * arm / 0.1) * pull / 2.0
        assert sol["D.displacement_rate"] == pytest.approx(gain * sol.time, abs=1e-9 * pull)


@SMOOTH
def test_a_torque_about_the_guide_rubs_on_its_width(method: Any) -> None:
    """2 |T/(2 b)|."""
    s = jp.System("twisted", gravity=(0, 0, 0))
    body = s.body("block", mass=2.0, inertia=(1, 1, 1), velocity=(3, 0, 0))
    s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), friction=dry(0.2, 1e-3, length=0.1, width=0.05))
    s.torque("T", body, torque=(-0.7, 0, 0))
    sol = run(s, 0.2, method)
    assert sol["D.friction_force"] == pytest.approx(-0.2 * 0.7 / 0.05, rel=1e-8)
    assert sol["D.displacement_rate"] == pytest.approx(3.0 - 1.4 * sol.time, abs=1e-8)


def tube(friction: Any) -> jp.System:
    """A bead of 0.3 kg, 0.2 m out and 0.5 m/s fast, in a tube that turns at 4 rad/s."""
    s = jp.System("tube", gravity=(0, 0, 0))
    pipe = s.body("tube", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 4))
    bead = s.body("bead", mass=0.3, inertia=(0.1, 0.1, 0.1), position=(0.2, 0, 0), velocity=(0.5, 0.8, 0))
    s.revolute("A", s.ground, pipe, point=(0, 0, 0), axis=(0, 0, 1), angle=jp.Drive("4*t"))
    s.prismatic("D", pipe, bead, point=(0.2, 0, 0), axis=(1, 0, 0), friction=friction)
    return s


@SMOOTH
@pytest.mark.parametrize("mu", [0.1, 0.5])
def test_bead_in_a_turning_tube(mu: float, method: Any) -> None:
    r"""The tube turns at w: N = 2 m w x', so x'' = w^2 x - 2 mu w x' and x grows with w (-mu +- sqrt(1 + mu^2))."""
    w, x0, v0 = 4.0, 0.2, 0.5
    s = tube(dry(mu, 1e-3, length=0.1, width=0.05))
    sol = run(s, 0.5, method)
    up, down = w * (np.sqrt(1.0 + mu**2) - mu), -w * (np.sqrt(1.0 + mu**2) + mu)
    a = (v0 - down * x0) / (up - down)
    exact = a * np.exp(up * sol.time) + (x0 - a) * np.exp(down * sol.time)
    tolerance = 1e-5 if method is FIXED else 1e-8
    assert sol["D.displacement"] + x0 == pytest.approx(exact, abs=tolerance)
    speed = sol["D.displacement_rate"]
    assert sol["D.friction_force"] == pytest.approx(-mu * 2.0 * 0.3 * w * speed, rel=1e-4)
    # D.force is the reaction on the bead in global axes, without friction
    assert np.linalg.norm(sol["D.force"], axis=1) == pytest.approx(2.0 * 0.3 * w * speed, rel=1e-4)


def test_friction_of_a_turning_tube_is_recorded_at_its_instant() -> None:
    """The same bead with true stick; its normal force grows, and what is saved belongs to the saved instant."""
    s = tube(jp.Coulomb(0.3, length=0.1, width=0.05, smoothing=TINY))
    sol = run(s, 0.5, STICKS, 0.05)
    assert sol["D.friction_force"] == pytest.approx(-0.3 * 2.0 * 0.3 * 4.0 * sol["D.displacement_rate"], rel=1e-5)


@pytest.mark.parametrize("law", [dry, jp.Coulomb], ids=["smooth", "sticks"])
def test_a_guide_on_bushings_rubs_alike(law: Any) -> None:
    """The bushings carry the weight; what they pass on is the reaction of the joint."""
    s = jp.System("soft guide", gravity=(0, 0, -G))
    body = s.body("block", mass=2.0, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(1, 0, 0))
    soft = jp.Bushing(stiffness=1e5, damping=2e3, preload=0.0)
    s.prismatic(
        "D", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), radial=soft, friction=law(0.3, length=0.1, width=0.05)
    )
    sol = run(s, 0.3, jp.Moreau(step=1e-4) if law is jp.Coulomb else EXPLICIT, [0.2, 0.3])
    # once the weight has settled on its bushings, by then at the latest
    assert np.diff(sol["D.displacement_rate"]) == pytest.approx(-0.3 * G * 0.1, rel=2e-3)


def rod_driven(mu: float, beta: float = np.radians(40.0)) -> jp.System:
    """A slider of 0.5 kg on x that a massless link of 1 m pushes at the angle ``beta``; a drive moves the other end."""
    s = jp.System("toggle", gravity=(0, 0, 0))
    x, y = np.cos(beta), np.sin(beta)
    slider = s.body("slider", mass=0.5, inertia=(1, 1, 1), position=(x, 0, 0))
    cart = s.body("cart", mass=1.0, inertia=(1, 1, 1), position=(0, y, 0))
    law = dry(mu, 1e-3, length=0.1, width=0.05)
    s.prismatic("D", s.ground, slider, point=(x, 0, 0), axis=(1, 0, 0), friction=law)
    drive = jp.Drive("-0.5*t - 3*t^2")
    s.prismatic("P", s.ground, cart, point=(0, y, 0), axis=(0, 1, 0), displacement=drive)
    s.distance("L", slider, cart, point_a=(x, 0, 0), point_b=(0, y, 0))
    return s


@pytest.mark.parametrize("mu", [0.2, 0.8, 1.15])
def test_friction_that_presses_on_its_own_cause(mu: float) -> None:
    r"""N = (m x'' + phi) tan(beta), so phi = mu tan(beta) m x''/(1 - mu tan(beta)): jams at mu tan(beta) = 1."""
    beta = np.radians(40.0)
    sol = run(rod_driven(mu, beta), 0.02, EXPLICIT, 1e-3)
    y = np.sin(beta) - 0.5 * sol.time - 3.0 * sol.time**2
    x, rate = np.sqrt(1.0 - y**2), -0.5 - 6.0 * sol.time
    second = -(rate**2 - 6.0 * y + (y * rate / x) ** 2) / x  # of x^2 + y^2 = 1
    slope = mu * y / x
    assert np.max(slope) < 1.0
    assert sol["D.friction_force"] == pytest.approx(-slope * 0.5 * second / (1.0 - slope), rel=1e-6)
    assert np.min(second) > 0.0


@pytest.mark.parametrize("mu", [0.2, 0.8, 1.15])
def test_the_fixed_point_shrinks_by_mu_tan_beta(mu: float) -> None:
    slow, fast = (jp.analysis.friction_iterations(rod_driven(mu), 12, way) for way in ("fixed-point", "newton"))
    gain = mu * np.tan(np.radians(40.0))
    assert slow.rate == pytest.approx(gain, rel=1e-6)
    assert slow.multipliers[1:] / slow.multipliers[:-1] == pytest.approx(gain, rel=1e-5)
    assert np.max(fast.multipliers[4:]) <= 1e-9 * fast.multipliers[0]


def test_a_smooth_method_refuses_true_stick() -> None:
    with pytest.raises(jp.InputError, match=r"Explicit cannot take Coulomb on D.displacement; those that can: Moreau"):
        jp.simulate(incline(10.0, jp.Coulomb(0.3, length=0.1, width=0.05)), until=1.0, method=jp.Explicit())


@pytest.mark.parametrize(
    ("law", "name"),
    [(jp.Coulomb(0.3), "Moreau"), (dry(0.3, 1e-2), "Explicit"), (dry(0.3, 1e-12), "Implicit")],
    ids=["sticks", "smooth", "stiff"],
)
def test_the_method_is_chosen_by_the_law(law: Any, name: str) -> None:
    sol = jp.simulate(incline(10.0, replace(law, length=0.1, width=0.05)), until=0.1, max_steps=100)
    assert any(note.startswith(f"method: {name}, because") for note in sol.meta["notes"])
