"""Switches: inputs that change where conditions become true, against closed forms, in all methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.codes import Code
from jointplay.errors import InputError

METHODS = [
    (jp.Explicit(rtol=1e-12, atol=1e-14), 1e-11),
    (jp.Implicit(rtol=1e-10, atol=1e-12), 1e-8),
    (jp.Index1(step=1e-3), 1e-6),
    (jp.Verlet(step=1e-3), 1e-6),
    (jp.Moreau(step=1e-3), 1e-6),
    (jp.OptimalStep(h_min=1e-4, h_max=1e-4), 1e-3),  # of first order
]
ALL = pytest.mark.parametrize(("method", "bound"), METHODS, ids=lambda one: type(one).__name__)


def pushed(mass: float = 2.0, force: float = 3.0, **more: Any) -> jp.System:
    """A slider on which an input pushes."""
    inputs = {"push": {"unit": "N", "value": force}, **more}
    s = jp.System("pushed", planar=True, gravity=(0, 0, 0), inputs=inputs)
    s.body("b", mass=mass, inertia=0.1)
    s.prismatic("P", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0))
    s.force("F", "b", force=["push", 0, 0])
    return s


def relay() -> jp.System:
    """Pushed back and forth between two places."""
    s = pushed()
    s.switch("back", when="P.displacement > 0.1", set={"push": "-3 N"})
    s.switch("forth", when="P.displacement < -0.1", set={"push": 3.0})
    return s


@ALL
def test_a_motor_is_cut_off_at_a_place(method: Any, bound: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        mass, force, place = rng.uniform(1, 3), rng.uniform(1, 4), rng.uniform(0.1, 0.3)
        s = pushed(mass, force)
        s.switch("cut off", when=f"P.displacement > {place!r}", set={"push": 0})
        sol = jp.simulate(s, 1.0, method, save=0.1)
        instant = np.sqrt(2 * mass * place / force)
        speed = force / mass * instant
        assert [event.name for event in sol.events] == ["cut off"]
        assert sol.events[0].time == pytest.approx(instant, abs=bound)
        assert sol["P.displacement_rate"][-1] == pytest.approx(speed, abs=4 * bound)
        assert sol["P.displacement"][-1] == pytest.approx(place + speed * (1 - instant), abs=4 * bound)
        assert sol.meta["inputs"] == [[0.0, "push", force], [sol.events[0].time, "push", 0.0]]


@ALL
def test_a_thermostat(method: Any, bound: float) -> None:
    """dT/dt = heat - k T between 19 and 21: ln((q/k - 19)/(q/k - 21))/k up, ln(21/19)/k down."""
    k, q = 1.5, 60.0
    s = jp.System("thermostat", planar=True, gravity=(0, 0, 0), inputs={"heat": {"unit": "1/s", "value": q}})
    s.body("b", mass=1, inertia=0.1)
    s.state("T", "", rate=f"heat - {k}/1 s*T", start=19.5)
    s.switch("off", when="T > 21", set={"heat": 0})
    s.switch("on", when="T < 19", set={"heat": q})
    sol = jp.simulate(s, 0.6, method, save=0.1)
    top = q / k
    rise = np.log((top - 19) / (top - 21)) / k
    fall = np.log(21 / 19) / k
    first = np.log((top - 19.5) / (top - 21)) / k
    exact = [first + n * (rise + fall) + extra for n in range(9) for extra in (0.0, fall)]
    exact = [one for one in exact if one < 0.6]
    assert len(exact) > 6
    assert [event.time for event in sol.events] == pytest.approx(exact, abs=20 * bound)
    assert [event.name for event in sol.events][:4] == ["off", "on", "off", "on"]


@ALL
def test_continued_runs_keep_inputs_and_bits(method: Any, bound: float, tmp_path: Path) -> None:
    whole = jp.simulate(relay(), 3.0, method, save=0.1)
    twice = jp.simulate(relay(), 3.0, method, save=0.1)
    assert np.array_equal(whole["P.displacement"], twice["P.displacement"]) and whole.events == twice.events
    first = jp.simulate(relay(), 1.0, method, save=0.1, output=tmp_path / "first.nc")
    assert 0 < len(first.events) < len(whole.events)
    for start in (first, jp.load(tmp_path / "first.nc"), jp.simulate(relay(), 1.0, method, save=0.1).state):
        rest = jp.simulate(relay(), 3.0, method, save=0.1, start=start)
        assert np.array_equal(rest["P.displacement"], whole["P.displacement"][-len(rest.time) :])
        assert [*first.events, *rest.events] == whole.events


WHENS = ["t > 0.5", "t > 0.3337", "P.displacement > 0.1", "P.displacement_rate > 0.6"]


@pytest.mark.parametrize("when", WHENS)
@ALL
def test_a_run_split_at_the_instant_of_a_switch(method: Any, bound: float, when: str) -> None:
    """Whole and continued runs have the same bits, and each event is told once, wherever the run is split."""
    s = pushed()
    s.switch("back", when=when, set={"push": -3.0})
    record = {"same": when, "turned": "push < 0"}
    whole = jp.simulate(s, 1.5, method, save=0.5, record=record)
    instant = whole.events[0].time
    assert sorted(event.name for event in whole.events) == ["back", "same", "turned"]
    near = [1.0, 1 - 1e-15, 1 + 1e-15, 1 - 1e-13, 1 + 1e-13, 1 - 1e-12, 1 + 1e-12, 1 - 1e-7, 1 + 1e-7, 0.999, 1.001]
    for split in [instant * factor for factor in near]:
        first = jp.simulate(s, split, method, save=0.1, record=record)
        rest = jp.simulate(s, 1.5, method, save=0.5, record=record, start=first)
        assert rest["P.displacement"][-1] == whole["P.displacement"][-1]
        assert [*first.events, *rest.events] == whole.events


@pytest.mark.parametrize("when", WHENS)
@ALL
def test_a_run_ended_by_the_condition_of_a_switch(method: Any, bound: float, when: str, tmp_path: Path) -> None:
    """The switch has acted before the State is handed out; that goes on, from memory, from a file, to the same end."""
    s = pushed()
    s.switch("back", when=when, set={"push": -3.0})
    whole = jp.simulate(s, 1.5, method, save=0.5)
    first = jp.simulate(s, when, method, at_most=1.5, save=0.1, output=tmp_path / "first.nc")
    assert first.outcome.code is Code.HALTED and first.time[-1] == whole.events[0].time
    assert {event.name for event in first.events} == {"back", when}
    again = jp.simulate(s, when, method, at_most=1.5, save=0.1)
    assert again.meta["inputs"] == first.meta["inputs"] == whole.meta["inputs"]
    for start in (first, first.state, jp.load(tmp_path / "first.nc").state, again, again.state):
        rest = jp.simulate(s, 1.5, method, save=0.5, start=start)
        assert rest["P.displacement"][-1] == whole["P.displacement"][-1] and rest.events == []


@ALL
def test_a_chain_at_one_instant(method: Any, bound: float) -> None:
    """x = 0.1 is reached once: what that sets is not set again where another switch sets it after."""
    s = pushed(lamp={"unit": "", "value": 0.0})
    s.switch("third", when="lamp > 0.5", set={"push": -6.0})
    s.switch("second", when="push < 0", set={"lamp": 1})
    s.switch("first", when="P.displacement > 0.1", set={"push": -3.0})
    sol = jp.simulate(s, 0.5, method, save=0.1)
    assert [event.name for event in sol.events] == ["first", "second", "third"]
    assert len({event.time for event in sol.events}) == 1
    assert [value for _, name, value in sol.meta["inputs"] if name == "push"] == [3.0, -3.0, -6.0]
    instant = np.sqrt(2 * 2.0 * 0.1 / 3.0)
    assert sol["P.displacement_rate"][-1] == pytest.approx(1.5 * instant - 3.0 * (0.5 - instant), abs=10 * bound)


@ALL
def test_an_input_may_be_set_twice_at_one_instant(method: Any, bound: float) -> None:
    s = pushed()
    s.switch("first", when="P.displacement > 0.1", set={"push": -3.0})
    s.switch("second", when="push < 0", set={"push": -6.0})
    sol = jp.simulate(s, 0.5, method, save=0.1)
    assert [event.name for event in sol.events] == ["first", "second"]
    assert sol.meta["inputs"][-1] == [sol.events[1].time, "push", -6.0]


@ALL
def test_inputs_that_make_each_other_change_without_end(method: Any, bound: float) -> None:
    s = pushed(lamp={"unit": "", "value": 0.0})
    s.switch("first", when="P.displacement > 0.1", set={"lamp": 1})
    s.switch("off", when="lamp > 0.5", set={"lamp": -1})
    s.switch("on", when="lamp < -0.5", set={"lamp": 1})
    assert jp.simulate(s, 0.5, method, save=0.1).outcome.code is Code.CHATTERS


@ALL
def test_conditions_that_a_switch_makes_true(method: Any, bound: float) -> None:
    s = pushed(lamp={"unit": "", "value": 0.0})
    s.switch("lit", when="P.displacement > 0.1", set={"lamp": 1, "push": 0.0})
    record = {"on": "lamp > 0.5", "fast": "P.displacement_rate > 0.1"}
    sol = jp.simulate(s, "lamp > 0.5", method, at_most=3.0, save=0.1, record=record)
    instant = np.sqrt(2 * 2.0 * 0.1 / 3.0)
    assert sol.outcome.code is Code.HALTED and sol.outcome.time == pytest.approx(instant, abs=10 * bound)
    assert [event.name for event in sol.events] == ["fast", "lit", "on", "lamp > 0.5"]
    assert sol.time[-1] == sol.events[-1].time and np.all(np.diff(sol.time) > 0.0)
    rest = jp.simulate(s, 1.0, method, save=0.1, start=sol, record=record)
    whole = jp.simulate(s, 1.0, method, save=0.1, record=record)
    assert rest.events == [] and rest["P.displacement"][-1] == whole["P.displacement"][-1]
    assert [event.name for event in whole.events] == ["fast", "lit", "on"]


@ALL
def test_two_switches_of_one_condition(method: Any, bound: float) -> None:
    s = pushed(lamp={"unit": "", "value": 0.0})
    s.switch("back", when="P.displacement > 0.1", set={"push": -3.0})
    s.switch("lit", when="P.displacement > 0.1", set={"lamp": 3})
    sol = jp.simulate(s, 0.6, method, save=0.1)
    assert [event.name for event in sol.events] == ["back", "lit"]
    assert [name for _, name, _ in sol.meta["inputs"]] == ["push", "lamp", "push", "lamp"]


def test_states_keep_their_inputs(tmp_path: Path) -> None:
    """v = 0.6 at the cut; what a run goes on with is what the State says, with switches or without."""
    s = pushed()
    s.switch("cut off", when="P.displacement_rate > 0.6", set={"push": 0})
    first = jp.simulate(s, 0.5, jp.Explicit(), save=0.1, output=tmp_path / "first.nc")
    for start in (first, first.state, jp.load(tmp_path / "first.nc").state):
        for model in (s, pushed()):
            rest = jp.simulate(model, 1.0, jp.Explicit(), save=0.1, start=start)
            assert rest["P.displacement_rate"][-1] == pytest.approx(0.6, abs=1e-9)
            last = jp.simulate(pushed(), 1.5, jp.Explicit(), save=0.1, start=rest)
            assert last["P.displacement_rate"][-1] == pytest.approx(0.6, abs=1e-9)
    before = jp.simulate(pushed(), 0.1, jp.Explicit(), save=0.1, output=tmp_path / "before.nc")
    for start in (before, jp.load(tmp_path / "before.nc").state):  # a run without switches has inputs too
        assert jp.simulate(s, 1.0, start=start)["P.displacement_rate"][-1] == pytest.approx(0.6, abs=1e-6)
    with pytest.raises(InputError, match="start: this State does not hold the values of its inputs"):
        jp.simulate(s, 1.0, start=type(first.state).__mro__[1](*first.state))


def test_an_end_is_looked_at_with_the_inputs_of_the_state() -> None:
    s = pushed(lamp={"unit": "", "value": 0.0})
    s.switch("lit", when="P.displacement > 0.1", set={"lamp": 1})
    first = jp.simulate(s, 0.5, jp.Explicit())
    with pytest.raises(InputError, match="true at the start"):
        jp.simulate(s, "lamp > 0.5", at_most=1.0, start=first)


@ALL
def test_random_relays_split_anywhere(method: Any, bound: float) -> None:
    """Several switches, some at one instant: parts of a run have the bits and the events of the whole."""
    rng = np.random.default_rng(8)
    record = {"up": "P.displacement_rate > 0", "on": "lamp > 0.5"}
    for _ in range(4):
        right, left, slow = rng.uniform(0.05, 0.3, 3)
        s = pushed(lamp={"unit": "", "value": 0.0})
        s.switch("back", when=f"P.displacement > {right:.2f}", set={"push": -4.0, "lamp": 1})
        s.switch("forth", when=f"P.displacement < -{left:.2f}", set={"push": 4.0, "lamp": 0})
        s.switch("harder", when="lamp > 0.5", set={"push": -6.0})
        s.switch("less", when=f"P.displacement_rate < -{slow:.1f}", set={"push": -1.0})
        whole = jp.simulate(s, 2.0, method, save=0.25, record=record)
        for event in rng.choice(np.array([one.time for one in whole.events[1:] if one.time < 1.9]), 3):
            split = event * (1 + rng.choice([0, 1e-15, -1e-15, 1e-13, -1e-13, 1e-6, -1e-6, 1e-4]))
            first = jp.simulate(s, split, method, save=0.25, record=record)
            rest = jp.simulate(s, 2.0, method, save=0.25, record=record, start=first)
            assert rest["P.displacement"][-1] == whole["P.displacement"][-1]
            assert [*first.events, *rest.events] == whole.events


def test_once_and_every_time() -> None:
    s = pushed()
    s.switch("back", when="P.displacement > 0.1", set={"push": -3.0})
    s.switch("forth", when="P.displacement < -0.1", set={"push": 3.0}, once=True)
    sol = jp.simulate(s, 20.0, jp.Explicit())
    assert [event.name for event in sol.events] == ["back", "forth", "back"]
    first = jp.simulate(s, sol.events[1].time + 0.5, jp.Explicit())
    rest = jp.simulate(s, 20.0, jp.Explicit(), start=first)
    assert [event.name for event in rest.events] == ["back"]  # it was spent before


def test_a_switch_may_make_another_act_at_once() -> None:
    s = pushed(lamp={"unit": "", "value": 0.0})
    s.switch("first", when="P.displacement > 0.1", set={"push": 0})
    s.switch("second", when="push < 1", set={"lamp": 1})
    sol = jp.simulate(s, 1.0, jp.Explicit())
    assert [event.name for event in sol.events] == ["first", "second"]
    assert sol.events[0].time == sol.events[1].time
    assert sol.meta["inputs"][-1] == [sol.events[1].time, "lamp", 1.0]


def test_recorded_conditions_and_an_end_beside_switches() -> None:
    s = relay()
    same = "P.displacement > 0.1"
    sol = jp.simulate(s, "P.displacement < -0.2", jp.Index1(step=1e-3), at_most=5.0, record=[same, "t > 0.1"], save=0.1)
    names = [event.name for event in sol.events]
    assert sol.outcome.code is Code.HALTED and names[-1] == "P.displacement < -0.2"
    assert names.count(same) == names.count("back") == 1
    assert names.count("t > 0.1") == 1 and names.count("forth") == 1


@pytest.mark.parametrize("method", [one for one, _ in METHODS], ids=lambda one: type(one).__name__)
def test_chattering_ends_with_a_sentence(method: Any) -> None:
    s = pushed()
    s.switch("down", when="P.displacement_rate > 1", set={"push": -3.0})
    s.switch("up", when="P.displacement_rate < 1", set={"push": 3.0})
    sol = jp.simulate(s, 5.0, method, save=0.1)
    assert sol.outcome.code is Code.CHATTERS and "without end at t = 0.66" in sol.outcome.message
    assert sol.time[-1] == pytest.approx(0.6) and sol["P.displacement_rate"][-1] == pytest.approx(0.9, abs=1e-3)


def test_through_an_impact() -> None:
    """Pushed against a wall; where it has bounced, the push ends."""
    s = jp.System("bounce", planar=True, gravity=(0, 0, 0), inputs={"push": {"unit": "N", "value": 2.0}})
    s.body("b", mass=1, inertia=0.1)
    stop = jp.Stop(upper=0.5, contact=jp.Rigid(restitution=0.5))
    s.prismatic("P", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0), displacement=stop)
    s.force("F", "b", force=["push", 0, 0])
    s.switch("off", when="P.displacement_rate < -0.1", set={"push": 0})
    sol = jp.simulate(s, 1.2, jp.Moreau(step=1e-3), save=0.1)
    speed = np.sqrt(2 * 2.0 * 0.5)  # at the wall; back with half of it, for good
    assert sol.events[0].time == pytest.approx(speed / 2, abs=1e-6)
    assert sol["P.displacement_rate"][-1] == pytest.approx(-0.5 * speed, abs=1e-6)


MODEL = """
jointplay: 1
planar: true
inputs: {push: {unit: N, value: 3}}
bodies:
  b: {mass: 2, inertia: 0.1}
joints:
  P: {type: prismatic, between: [ground, b], point: [0, 0], axis: [1, 0]}
forces:
  F: {body: b, force: [push, 0]}
switches:
  back: {when: "P.displacement > 10 cm", set: {push: -3 N}}
  forth: {when: "P.displacement < -0.1", set: {push: 3}, once: true}
run: {until: 1 s}
"""


def test_files_have_switches(tmp_path: Path) -> None:
    path = tmp_path / "relay.yaml"
    path.write_text(MODEL)
    s = jp.load_model(path)
    again = jp.System.from_tree(s.to_tree())
    a, b, c = (jp.simulate(one, 3.0, jp.Explicit(), save=0.1) for one in (s, again, relay()))
    assert np.array_equal(a["P.displacement"], b["P.displacement"])
    assert np.array_equal(a["P.displacement"][:10], c["P.displacement"][:10])
    assert s.check().ok


def test_what_does_not_follow_switches_says_so() -> None:
    with pytest.raises(InputError, match="do not follow switches"):
        jp.sensitivities(relay(), "bodies.b.mass", jp.Final("b.position[0]"), until=1.0)
    with pytest.raises(InputError, match="studies do not carry out switches"):
        jp.study(relay(), vary={"bodies.b.mass": "2 kg +- 0.1 kg"}, of=jp.Final("b.position[0]"), until=1.0)


def test_differences_follow_switches() -> None:
    """v = sqrt(2 F x/m) after the cut, and dt/dm = t/(2 m)."""
    s = pushed()
    when = "P.displacement > 0.1"
    s.switch("cut off", when=when, set={"push": 0})
    of = [jp.Final("P.displacement_rate"), jp.Instant(when)]
    method = jp.Explicit(rtol=1e-12, atol=1e-14)
    r = jp.sensitivities(s, "bodies.b.mass", of, method, until=1.0, derivative="differences", save=0.1)
    assert r[of[0]]["bodies.b.mass"] == pytest.approx(-np.sqrt(2 * 3.0 * 0.1 / 2.0) / 4.0, rel=1e-6)
    assert r[of[1]]["bodies.b.mass"] == pytest.approx(np.sqrt(2 * 2.0 * 0.1 / 3.0) / 4.0, rel=1e-6)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"when": "P.displacment > 0", "set": {"push": 0}}, "switch 'x': when: .*did you mean 'P.displacement'"),
        ({"when": "P.displacement > 0 kg", "set": {"push": 0}}, "when: .*mixes"),
        ({"when": "P.displacement > 0", "set": {"pull": 0}}, r"there is no input 'pull'"),
        ({"when": "P.displacement > 0", "set": {"push": "1 m"}}, "set.push: "),
        ({"when": "P.displacement > 0", "set": {}}, "set: sets nothing: give inputs with their values"),
        ({"when": "P.displacement > 0", "set": None}, "switch 'x': .*set"),
        ({"when": "P.displacement > 0", "set": 3}, "needs inputs with their values.*not a number"),
        ({"when": "P.displacement > 0", "set": {"push": 0}, "once": "yes"}, "must be true or false"),
    ],
)
def test_bad_switches_get_a_sentence(given: Any, sentence: str) -> None:
    s = pushed()
    with pytest.raises(InputError, match=sentence):
        s.switch("x", **given)
    s.switch("x", when="P.displacement > 0", set={"push": 0})  # a failed call leaves no trace


def test_all_problems_of_a_file_at_once() -> None:
    """One switch that is wrong does not hide what is wrong with another; one that names a wrong entry waits for it."""
    tree = {
        "jointplay": 1,
        "inputs": {"push": "N"},
        "bodies": {"cart": {"mass": 1, "inertia": 1}, "lost": {"mass": "1 m", "inertia": 1}},
        "switches": {
            "off": {"when": "cart.velocity[0] > 1 m/s", "set": {"pusch": 0}},
            "on": {"when": "cart.speed < 1", "set": {"push": 1}},
            "later": {"when": "lost.velocity[0] > 1", "set": {"push": 1}},
        },
    }
    with pytest.raises(jp.InputError) as caught:
        jp.System.from_tree(tree)
    fields = [one.field for one in caught.value.problems]
    assert fields == ["bodies.lost.mass", "switches.off.set.pusch", "switches.on.when"]


def rattling(rng: np.random.Generator, torque: str) -> jp.System:
    """A pair of wheels with backlash and nothing else that holds them."""
    inputs = {"motor": {"unit": "N*m", "value": 0.5}, "brake": {"value": 0}}
    s = jp.System("rattle", planar=True, gravity=(0, 0), inputs=inputs)
    s.body("one", mass=0.5, inertia=2e-3)
    s.body("two", mass=0.5, inertia=rng.uniform(1e-3, 4e-3), position=(0.1, 0))
    s.revolute("A", s.ground, "one", point=(0, 0))
    s.revolute("B", s.ground, "two", point=(0.1, 0))
    mesh = jp.Clearance("0.1 mm", contact=jp.Rigid(restitution=0.5))
    s.gear("G", "one", "two", radii=(0.04, 0.06), mesh=mesh)
    s.torque("T", "one", torque=f"{torque} - 0.01*A.angle_rate*(1 + 0.5*brake)")
    return s


@pytest.mark.parametrize("seed", (2, 3, 10, 17, 28, 38))
def test_a_wall_ahead_of_a_switch(seed: int) -> None:
    """The condition is found again in the first step behind the instant, which goes up to a wall, and is taken back."""
    rng, method = np.random.default_rng(seed), jp.Moreau(rtol=1e-6)
    free = jp.simulate(rattling(rng, "motor"), 0.05, method)
    hits = free.impacts.time
    n = int(rng.integers(1, min(4, len(hits))))
    at = hits[n] - (hits[n] - hits[n - 1]) * rng.uniform(0.005, 0.08)
    place = float(np.interp(at, free.time, free["A.angle"]))
    s = rattling(np.random.default_rng(seed), "motor")
    s.switch("turn", when=f"A.angle {'>' if place > 0 else '<'} {place!r}", set={"brake": 1})
    whole = jp.simulate(s, 0.1, method, save=0.1)
    instant = whole.events[0].time
    for off in (-1e-6, -1e-12, 0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3):
        first = jp.simulate(s, instant * (1 + off), method, save=0.01)
        rest = jp.simulate(s, 0.1, method, save=0.1, start=first)
        assert rest["A.angle"][-1] == whole["A.angle"][-1] and rest["B.angle_rate"][-1] == whole["B.angle_rate"][-1]
        assert [*first.events, *rest.events] == whole.events


def test_a_run_with_backlash_split_at_a_switch() -> None:
    """The wall that the step before the switch had met is behind the instant: whole and continued runs, same bits."""
    inputs = {"motor": {"unit": "N*m", "value": 0.7131665767025845}, "mode": {"value": 1}}
    s = jp.System("rattle", planar=True, gravity=(0, 0), inputs=inputs)
    s.body("one", mass=0.7226764170676698, inertia=0.004413828423860643)
    s.body("two", mass=0.36142330755232505, inertia=0.001872074548342944, position=(0.07211761372244828, 0))
    s.body("arm", mass=0.3, inertia=0.001, position=(0.17211761372244827, 0))
    s.revolute("A", s.ground, "one", point=(0, 0))
    turning = jp.ForceLaw("-mode*0.037246308616561224*v")
    s.revolute("B", s.ground, "two", point=(0.07211761372244828, 0), angle=turning)
    mesh = jp.Clearance("0.1 mm", contact=jp.Rigid(restitution=0.5))
    s.gear("G", "one", "two", radii=(0.03643221121588181, 0.03568540250656647), mesh=mesh)
    servo = jp.ForceLaw(
        "-2.396591218870478*sin(x - z) - 0.01574683778293228*v + 0.3*motor*cos(A.angle)",
        states={"z": {"unit": "rad", "rate": "(x - z)/0.14730652645523626"}},
    )
    s.revolute("C", "two", "arm", point=(0.12211761372244828, 0), angle=servo)
    s.torque("T", "one", torque="motor*where(mode > 0.5, 1, -0.6) - 0.01*A.angle_rate")
    s.switch("brake", when="C.angle_rate > 4", set={"mode": 0})
    method = jp.Moreau(rtol=1e-6)
    whole = jp.simulate(s, 0.2, method, save=0.1)
    assert [event.name for event in whole.events][:1] == ["brake"]
    for split in whole.events[0].time * np.array([1 - 1e-7, 1 - 1e-15, 1.0, 1 + 1e-15, 1 + 1e-12, 1 + 1e-7]):
        rest = jp.simulate(s, 0.2, method, save=0.1, start=jp.simulate(s, split, method, save=0.1))
        assert rest["A.angle"][-1] == whole["A.angle"][-1] and rest["B.angle_rate"][-1] == whole["B.angle_rate"][-1]


@pytest.mark.parametrize("value", ["3 N*sin(t)", "-2 N/m*P.displacement", "0.5*push", lambda t: t])
def test_a_switch_sets_numbers(value: Any) -> None:
    with pytest.raises(InputError, match="a switch sets inputs to numbers, and .* changes"):
        pushed().switch("other", when="P.displacement > 0.1", set={"push": value})
    other = pushed()
    other.switch("other", when="P.displacement > 0.1", set={"push": "-sqrt(4)*1 N"})
    assert jp.simulate(other, 1.0, jp.Explicit()).meta["inputs"][-1][1:] == ["push", -2.0]


def test_what_follows_the_motion_is_asked_for_by_a_mode() -> None:
    """At 0.1 m a spring takes over: x'' = F/m before, then x'' = -k x/m from the speed that there is."""
    rng = np.random.default_rng(5)
    for _ in range(4):
        mass, force, k = rng.uniform(1, 3), rng.uniform(2, 5), rng.uniform(20, 60)
        s = jp.System("handed over", planar=True, gravity=(0, 0, 0), inputs={"mode": {"value": 0}})
        s.body("b", mass=mass, inertia=0.1)
        s.prismatic("P", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0))
        s.force("F", "b", force=[f"where(mode > 0.5, -{k!r} N/m*P.displacement, {force!r} N)", 0, 0])
        s.switch("over", when="P.displacement > 0.1", set={"mode": 1}, once=True)
        sol = jp.simulate(s, 1.5, jp.Explicit(rtol=1e-12, atol=1e-14), save=0.1)
        begin = np.sqrt(2 * mass * 0.1 / force)
        speed, w = force / mass * begin, np.sqrt(k / mass)
        rest = 1.5 - begin
        exact = 0.1 * np.cos(w * rest) + speed / w * np.sin(w * rest)
        assert sol.events[0].time == pytest.approx(begin, abs=1e-12)
        assert sol["P.displacement"][-1] == pytest.approx(exact, abs=1e-10)
