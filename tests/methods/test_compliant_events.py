"""Where compliant contacts begin and end in time: none starts deep, none is jumped over, none chatters.

Everything is looked at from outside: ``stats["deepest_onset"]``, the forces and gaps that are saved, and closed
formulas for single impacts. A contact counts as overlooked where a saved gap lies below the threshold without a force.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bits import bits
from mechanisms import slider_crank

import jointplay as jp

EXPLICIT, IMPLICIT = jp.Explicit(), jp.Implicit()
BOTH = pytest.mark.parametrize("method", (EXPLICIT, IMPLICIT), ids=("explicit", "implicit"))
THRESHOLD = 1e-9
CONTACTS = (
    jp.Hertz(stiffness=1e8),
    jp.LankaraniNikravesh(stiffness=1e9, restitution=0.7),
    jp.HuntCrossley(stiffness=1e7, restitution=0.4, form="exact"),
    jp.KelvinVoigt(stiffness=1e7, damping=300.0),
    jp.KelvinVoigt(stiffness=1e6, unloading=0.5, v_0=0.1),
    jp.Bushing(stiffness=1e6, damping=100.0),
)


def ball(contact: Any, *, speed: float = 0.0, height: float = 0.1, gravity: float = 9.81, **stop: Any) -> jp.System:
    """1 kg above a compliant floor, ``height`` below it; a ceiling if ``upper`` is given."""
    s = jp.System("ball", planar=True, gravity=(0, -gravity, 0))
    body = s.body("ball", mass=1.0, inertia=1.0, position=(0, height), velocity=(0, speed))
    law = jp.Stop(lower=-height, contact=contact, **stop)
    s.prismatic("J", s.ground, body, point=(0, height), axis=(0, 1), displacement=law)
    return s


def in_socket(
    contact: Any, *, velocity: Any, gap: float = 1e-3, gravity: Any = (0, 0, -9.81), friction: Any = None
) -> jp.System:
    """A ball of 1 kg in a socket."""
    s = jp.System("ball in socket", gravity=gravity)
    body = s.body("ball", mass=1.0, inertia=(1e-3,) * 3, velocity=velocity)
    law = jp.Clearance(gap, contact=contact, friction=friction)
    s.spherical("S", s.ground, body, point=(0, 0, 0), radius=0.01, radial=law)
    return s


def in_guide(contact: Any, **given: Any) -> jp.System:
    """A planar block with four corners between two walls, 1 mm away."""
    s = jp.System("block", planar=True, gravity=(0, -9.81, 0))
    body = s.body("block", mass=2.0, inertia=1e-2, **given)
    play = jp.Clearance("1 mm", contact=contact)
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), length=0.1, width=0.05, radial=play)
    return s


def sound(sol: jp.Solution) -> None:
    """The run finished, no contact began deep, and no force pulls."""
    assert sol.outcome.ok, sol.outcome.message
    assert sol.stats["deepest_onset"] <= THRESHOLD
    for name in sol.names:
        if name.endswith("normal_force"):
            assert np.min(sol[name]) >= 0.0


# --- depth --------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("seed", range(10))
def test_no_contact_begins_deep(method: Any, seed: int) -> None:
    """Random throws against walls of all laws: in a socket, between two walls, onto a floor from 1 mm/s to 10 m/s."""
    random = np.random.default_rng(seed)
    for contact in CONTACTS:
        throw = 10.0 ** random.uniform(-3, 1) * random.standard_normal(3)
        for system in (
            in_socket(contact, velocity=throw, gap=float(10.0 ** random.uniform(-5, -2.5))),
            in_guide(contact, velocity=(throw[0], throw[1]), angular_velocity=float(throw[2])),
            ball(contact, speed=-abs(throw[0]), height=0.01, upper=0.002),
        ):
            sol = jp.simulate(system, until=0.02, method=method, save=1e-4)
            sound(sol)
            assert sol.stats["onsets"] >= (1 if abs(throw[0]) > 1.0 else 0)


@pytest.mark.parametrize("threshold", (1e-6, 1e-9, 1e-12))
@pytest.mark.parametrize("method", (jp.Explicit, jp.Implicit))
def test_the_threshold_is_what_was_asked(method: Any, threshold: float) -> None:
    sol = jp.simulate(ball(CONTACTS[0], speed=-3.0), until=0.5, method=method(threshold=threshold), save=1e-3)
    assert sol.outcome.ok
    assert 0.0 <= sol.stats["deepest_onset"] <= threshold


@pytest.mark.parametrize("rtol", (1e-3, 1e-4, 1e-6, 1e-8, 1e-10))
@pytest.mark.parametrize("method", (jp.Explicit, jp.Implicit))
def test_a_dip_inside_a_step_is_seen(method: Any, rtol: float) -> None:
    """An oscillator that passes its lowest point a little below a wall, in steps of up to a radian.

    Whatever the error of the motion: where the saved gap is below the threshold there is a force. Implicit saves a
    state that differs from the cubic in which contacts are searched, within its tolerance.
    """
    w, A = 10.0, 0.1
    least = THRESHOLD if method is jp.Explicit else max(THRESHOLD, 20.0 * rtol)
    for phase in np.linspace(0.0, 2 * np.pi, 12, endpoint=False):
        start = A * np.cos(phase)
        for dip in (2e-3, 1e-4, 1e-6, 1e-8):
            s = jp.System("oscillator", planar=True, gravity=(0, 0, 0))
            body = s.body("m", mass=1.0, inertia=1.0, position=(start, 0), velocity=(-A * w * np.sin(phase), 0))
            spring = jp.Spring(stiffness=w * w, free=-start)
            stop = jp.Stop(lower=dip - A - start, contact=jp.Hertz(stiffness=1e5))
            s.prismatic("J", s.ground, body, point=(start, 0), axis=(1, 0), displacement=[spring, stop])
            sol = jp.simulate(s, until=0.8, method=method(rtol=rtol, atol=rtol), save=1e-3)
            gap = sol["J.displacement"] - (dip - A - start)
            unseen = (gap < -1.01 * least) & (sol["J.stop_force"] == 0.0)
            assert not unseen.any(), f"{-np.min(gap[unseen]):.1e} m at phase {phase:.2f}, dip {dip:g} m"
            assert sol.stats["deepest_onset"] <= THRESHOLD


@pytest.mark.parametrize("method", (EXPLICIT, jp.Implicit(rtol=1e-9, atol=1e-11)), ids=("explicit", "implicit"))
def test_a_graze_agrees_with_a_fine_run(method: Any) -> None:
    """A crank turns a slider whose stop lies 20 um before its dead centre: one short contact per turn."""

    def build() -> jp.System:
        s = jp.System("crank", planar=True, gravity=(0, 0, 0))
        crank = s.body("crank", mass=1.0, inertia=1.0, angular_velocity=10.0)
        rod = s.body("rod", mass=0.1, inertia=1e-3, position=(0.25, 0))
        slider = s.body("slider", mass=0.1, inertia=1e-3, position=(0.4, 0))
        s.revolute("A", s.ground, crank, point=(0, 0))
        s.revolute("B", crank, rod, point=(0.1, 0))
        s.revolute("C", rod, slider, point=(0.4, 0))
        stop = jp.Stop(lower=-0.2 + 2e-5, contact=jp.HuntCrossley(stiffness=1e8, restitution=0.5, form="exact"))
        s.prismatic("D", s.ground, slider, point=(0.4, 0), axis=(1, 0), displacement=stop)
        return s

    fine = jp.simulate(build(), until=2.0, method=jp.Explicit(rtol=1e-11, atol=1e-13, h_max=1e-3), save=[2.0])
    sol = jp.simulate(build(), until=2.0, method=method, save=[2.0])
    sound(sol)
    assert fine.stats["onsets"] == sol.stats["onsets"] == 3
    assert sol["energy.dissipated"][-1] == pytest.approx(fine["energy.dissipated"][-1], rel=1e-2)
    assert sol["A.angle"][-1] == pytest.approx(fine["A.angle"][-1], abs=1e-4)


# --- onset speed --------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("speed", (1e-3, 0.1, 5.0))
def test_the_speed_at_onset_is_recorded(method: Any, speed: float) -> None:
    """A ball crosses a socket without weight, and meets its wall with the speed it was given, again and again."""
    e = 0.8
    contact = jp.HuntCrossley(stiffness=4e12 * speed**2, restitution=e, form="exact", v_floor=1e-9)
    free = 1e-3 / speed
    system = in_socket(contact, velocity=(speed, 0, 0), gravity=(0, 0, 0))
    sol = jp.simulate(system, until=4.0 * free, method=method, save=free / 2000)
    sound(sol)
    onset = sol["S.onset_speed"][:, 0]
    gap = sol["S.gap"][:, 0]
    touching = gap < -THRESHOLD
    assert sol.stats["onsets"] == 2
    assert np.all(onset[touching] > 0.0)
    assert np.all(onset[gap > THRESHOLD] == 0.0)
    first, second = np.unique(onset[touching])[::-1][:2]
    assert first == pytest.approx(speed, rel=1e-6)
    assert second == pytest.approx(e * speed, rel=1e-3)


@BOTH
@pytest.mark.parametrize("e", (0.2, 0.5, 0.9))
def test_the_rebound_of_located_contacts(method: Any, e: float) -> None:
    """Restitution of a whole series of impacts, which would not come out if any began late."""
    contact = jp.HuntCrossley(stiffness=1e9, restitution=e, form="exact", v_floor=1e-9)
    system = in_socket(contact, velocity=(0, 2.0, 0), gap=5e-3, gravity=(0, 0, 0))
    sol = jp.simulate(system, until=0.02, method=method, save=[0.02])
    sound(sol)
    speed = abs(sol["ball.velocity[1]"][-1])
    assert np.log(speed / 2.0) / np.log(e) == pytest.approx(sol.stats["onsets"], abs=1e-2)


# --- together, at the start, at rest ------------------------------------------------------------------------------


@BOTH
def test_corners_that_touch_at_once(method: Any) -> None:
    """A block that falls flat: both lower corners begin in the same step and share the force."""
    sol = jp.simulate(in_guide(jp.Hertz(stiffness=1e7)), until=0.1, method=method, save=1e-4)
    sound(sol)
    force = sol["D.normal_force"]
    assert np.max(np.abs(force[:, 2] - force[:, 3])) <= 1e-4 * np.max(force)
    assert np.max(force[:, 2]) > 10.0
    assert np.max(np.abs(sol["block.angular_velocity"])) < 1e-6
    assert np.max(np.abs(sol["energy.error"])) < 1e-5


@BOTH
def test_many_pads(method: Any) -> None:
    """A pin in a bearing of 40 strips with flanges: all of them are met at most the threshold deep."""
    s = jp.System("bearing", gravity=(0, 0, -9.81))
    body = s.body(
        "rotor", mass=1.0, inertia=(2e-3, 2e-3, 1e-3), velocity=(0.02, 0.01, -0.03), angular_velocity=(1, -2, 20)
    )
    law = jp.Clearance("0.1 mm", axial="0.2 mm", contact=jp.Hertz(stiffness=1e8), strips=40)
    s.revolute("R", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), length=0.04, radius=0.01, radial=law)
    sol = jp.simulate(s, until=0.02, method=method, save=1e-4)
    sound(sol)
    assert sol.stats["onsets"] > 40
    touched = np.any(sol["R.normal_force"] > 0.0, axis=0)
    assert touched.sum() > 20
    assert np.max(np.abs(sol["energy.error"])) <= 1e-4 * np.max(sol["energy.kinetic"])


@BOTH
@pytest.mark.parametrize("start", (0.0, -1e-5, -1e-12))
@pytest.mark.parametrize("speed", (0.0, -0.1, 0.1))
def test_contact_at_the_start(method: Any, start: float, speed: float) -> None:
    """Touching exactly or pressed in at t = 0, at rest, approaching and leaving."""
    s = jp.System("ball", planar=True, gravity=(0, -9.81, 0))
    body = s.body("ball", mass=1.0, inertia=1.0, velocity=(0, speed))
    stop = jp.Stop(lower=-start, contact=jp.KelvinVoigt(stiffness=1e6, damping=200.0))
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(0, 1), displacement=stop)
    sol = jp.simulate(s, until=0.5, method=method, save=0.01)
    assert sol.outcome.ok, sol.outcome.message
    assert sol["J.displacement"][-1] == pytest.approx(-start - 9.81 / 1e6, abs=1e-8)
    assert sol["J.stop_force"][-1] == pytest.approx(9.81, rel=1e-4)
    assert sol.stats["onsets"] <= 30


@BOTH
@pytest.mark.parametrize("contact", CONTACTS[1:], ids=lambda law: law.key)
def test_a_contact_at_rest_does_not_chatter(method: Any, contact: Any) -> None:
    """A ball that comes to rest stays in touch: 20 s more add no onset (eq. 54 rings on for long)."""
    runs = [jp.simulate(ball(contact, height=0.01), until=end, method=method, save=[end]) for end in (5.0, 25.0)]
    for sol in runs:
        sound(sol)
    assert runs[1].stats["onsets"] == runs[0].stats["onsets"] < 300
    rings = getattr(contact, "unloading", None) is not None
    assert runs[1]["J.stop_force"][-1] == pytest.approx(9.81, rel=1e-2 if rings else 1e-6)


@BOTH
def test_a_wall_that_is_left_lets_go(method: Any) -> None:
    """Pressed for 0.1 s, then pulled away: no force, no energy left behind, and a free flight."""
    s = jp.System("ball", planar=True, gravity=(0, 0, 0))
    body = s.body("ball", mass=1.0, inertia=1.0)
    s.force("pull", body, force=(0, "-50 + 100*step(t - 0.1)"))
    contact = jp.KelvinVoigt(stiffness=1e6, damping=500.0)
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(0, 1), displacement=jp.Stop(lower=0.0, contact=contact))
    sol = jp.simulate(s, until=0.3, method=method, save=1e-3)
    sound(sol)
    assert sol["J.stop_force"][sol.time < 0.0995][-1] == pytest.approx(50.0, rel=1e-4)
    assert np.all(sol["J.stop_force"][sol.time > 0.11] == 0.0)
    assert sol["energy.elastic"][-1] == 0.0
    assert sol["J.displacement_rate"][-1] == pytest.approx(50.0 * 0.2, abs=0.05)


@BOTH
def test_stops_at_both_ends(method: Any) -> None:
    """Elastic walls 0.2 m apart, without weight: the time between touches is that of the free flight plus a contact."""
    speed, K = 2.0, 1e6
    contact = jp.KelvinVoigt(stiffness=K)
    sol = jp.simulate(
        ball(contact, speed=-speed, height=0.1, gravity=0.0, upper=0.1), until=2.0, method=method, save=1e-3
    )
    sound(sol)
    period = 2 * (0.2 / speed + np.pi / np.sqrt(K))
    assert sol.stats["onsets"] == int((2.0 - 0.1 / speed) / (period / 2)) + 1
    assert np.abs(sol["J.displacement_rate"][sol["J.stop_force"] == 0.0]) == pytest.approx(speed, rel=1e-4)
    assert np.any(sol["J.stop_force"] > 0.0)
    assert np.any(sol["J.stop_force"] < 0.0)


# --- runs that go on ----------------------------------------------------------------------------------------------


def loose_pin() -> jp.System:
    """The spatial slider-crank with a compliant ball joint; its first contact lasts from 4.8 to 12.6 ms."""
    tree = slider_crank().to_tree()
    law = {"lankarani_nikravesh": {"stiffness": 5e6, "restitution": 0.75}}
    tree["joints"]["B"] |= {"radius": 0.01, "radial": {"clearance": 1e-4, "contact": law}}
    return jp.System.from_tree(tree)


@BOTH
def test_what_is_saved_does_not_change_the_motion(method: Any) -> None:
    often = jp.simulate(loose_pin(), 0.05, method, save=1e-4)
    once = jp.simulate(loose_pin(), 0.05, method, save=[0.05])
    assert bits(often, 1) == bits(once, 1)
    assert often.stats["onsets"] == once.stats["onsets"]


@BOTH
@pytest.mark.parametrize("stop", (0.004, 0.0065, 0.0126, 0.03))
def test_a_run_goes_on_from_inside_a_contact(method: Any, stop: float) -> None:
    """The same bits as without the interruption: the onset speed is part of the State."""
    times = np.linspace(0.0, 0.05, 51)
    whole = jp.simulate(loose_pin(), 0.05, method, save=times)
    after = times[times > stop]
    half = jp.simulate(loose_pin(), stop, method, save=[stop])
    rest = jp.simulate(loose_pin(), 0.05, method, save=after, start=half.state)
    assert bits(rest) == bits(whole, len(after))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (EXPLICIT, IMPLICIT),
        (IMPLICIT, EXPLICIT),
        (jp.Verlet(step=1e-6), EXPLICIT),
        (EXPLICIT, jp.Verlet(step=1e-6)),
        (jp.Moreau(step=1e-6), IMPLICIT),
        (jp.Explicit(step=2e-6), EXPLICIT),
    ],
    ids=str,
)
@pytest.mark.parametrize("stop", (0.0065, 0.014))
def test_another_method_goes_on(first: Any, then: Any, stop: float) -> None:
    """From inside a contact and from a free flight: force and motion go on as in one run."""
    truth = jp.simulate(loose_pin(), 0.02, jp.Explicit(rtol=1e-11, atol=1e-13), save=[stop, 0.02])
    half = jp.simulate(loose_pin(), stop, first, save=[stop])
    rest = jp.simulate(loose_pin(), 0.02, then, save=[0.02], start=half.state)
    assert rest.outcome.ok
    assert half["B.normal_force"][-1] == pytest.approx(truth["B.normal_force"][0], rel=2e-3, abs=2e-3)
    assert rest["rod.position"][-1] == pytest.approx(truth["rod.position"][-1], abs=1e-6)
    assert rest["B.normal_force"][-1] == pytest.approx(truth["B.normal_force"][-1], rel=1e-2)
    assert rest["B.onset_speed"][-1] == pytest.approx(truth["B.onset_speed"][-1], rel=1e-2)
