"""OptimalStep against the NLP (25) of paper A, and on its cases: settled values, complementarity, step sizes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from mechanisms import swing
from paper_a import CASES, PLAY, cylindrical_slider, pendulum, prismatic_slider

import jointplay as jp
from jointplay import arrays
from jointplay.codes import Code
from jointplay.compile.build import compile_system
from jointplay.compile.work import make_record, make_work
from jointplay.errors import InputError
from jointplay.methods import reference
from jointplay.methods.optimal_step import SAME, open_step, step_of
from jointplay.methods.reference import Problem, complementary, solve_nlp
from jointplay.results.layout import layout_of

JOINT = {"cylindrical slider": "C", "prismatic slider": "P", "pendulum": "R"}


def fixed(h: float, *, slow: bool = False) -> jp.OptimalStep:
    return jp.OptimalStep(h_min=h, h_max=h, reference=slow)


def run(system: jp.System, method: jp.OptimalStep, until: float, save: object = None) -> jp.Solution:
    sol = jp.simulate(system, until=until, method=method, save=until / 50 if save is None else save)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def crank_with_play() -> jp.System:
    """The slider-crank of paper B with inelastic walls without friction; its slider turns a little."""
    s = jp.System("slider-crank", planar=True, gravity=(0, -9.81, 0))
    a, b, w_a, w_b = 0.153, 0.306, 150.0, -75.0
    at = a / 2, a + b / 2
    crank = s.body(
        "crank", mass=0.038, inertia=7.4e-5, position=(at[0], 0), velocity=(0, w_a * a / 2), angular_velocity=w_a
    )
    speed = (0, w_a * a + w_b * b / 2)
    rod = s.body("rod", mass=0.038, inertia=5.9e-4, position=(at[1], 0), velocity=speed, angular_velocity=w_b)
    slider = s.body("slider", mass=0.076, inertia=2.7e-6, position=(a + b, 0), angular_velocity=5.0)
    s.revolute("A", s.ground, crank, point=(0, 0))
    s.revolute("B", crank, rod, point=(a, 0))
    s.revolute("C", rod, slider, point=(a + b, 0))
    radial = jp.Clearance("1 mm")
    s.prismatic("D", s.ground, slider, point=(a + b, 0), axis=(1, 0, 0), length=0.1, width=0.05, radial=radial)
    return s


# --- the fast path is the NLP -----------------------------------------------------------------------------------------


# SLSQP is slow with twelve contacts, and where contacts stop sliding: instants that are compared in every test run
INSTANTS = {"prismatic slider": 0, "cylindrical slider": 16}


@pytest.mark.parametrize(
    "case, instants",
    [(case, INSTANTS.get(case, 61)) for case in CASES if INSTANTS.get(case, 61)]
    + [pytest.param(case, 61, marks=pytest.mark.study) for case in INSTANTS],
)
def test_same_velocities_as_the_nlp(case: str, instants: int) -> None:
    build, h = CASES[case]
    times = h * np.arange(instants)
    fast, slow = (run(build(), fixed(h, slow=one), times[-1], times) for one in (False, True))
    body = build().bodies[-1].name
    for name in ("velocity", "angular_velocity"):
        assert np.max(np.abs(fast[f"{body}.{name}"] - slow[f"{body}.{name}"])) <= 1e-8
    joint = JOINT[build().name]
    assert np.max(slow[f"{joint}.normal_force"]) > 1.0  # something has happened by then
    assert np.max(np.abs(fast[f"{joint}.normal_force"] - slow[f"{joint}.normal_force"])) <= 1e-6
    assert slow.stats["impacts"] == fast.stats["impacts"] > 0
    assert slow.stats["worst_penetration"] <= 1e-10


def door() -> jp.System:
    """Two hinges in line, of which one would do, and a stop onto which the door falls."""
    s = jp.System("door", gravity=(0, 0, -9.81))
    body = s.body("door", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    s.revolute("low", s.ground, body, point=(0, -0.3, 0), axis=(0, 1, 0), angle=jp.Stop(upper=0.05))
    s.revolute("high", s.ground, body, point=(0, 0.3, 0), axis=(0, 1, 0))
    return s


@pytest.mark.parametrize(
    "build, h", [pytest.param(crank_with_play, 1e-4, marks=pytest.mark.study), (door, 5e-3)], ids=("crank", "door")
)
def test_same_velocities_with_joints(build, h: float) -> None:
    """Step by step from equal states: planar, with blocked directions; in space, with redundant joints."""
    fast, slow = (Stepper(build(), fixed(h, slow=one)) for one in (False, True))
    bodies = len(fast.model.body) - 1
    speeds = slice(7 * bodies, 13 * bodies)
    for _ in range(40):
        for mine, theirs in zip(slow.state, fast.state, strict=True):
            np.copyto(mine, theirs)
        fast.step()
        slow.step()
        size = max(1.0, np.max(np.abs(fast.state.y[speeds])))
        assert np.max(np.abs(fast.state.y[speeds] - slow.state.y[speeds])) <= 1e-8 * size
        assert slow.state.y[-2:] == pytest.approx(fast.state.y[-2:], abs=1e-8)
    assert fast.work.tally[arrays.IMPACTS] > 0


def test_continued_runs_repeat_the_same_bits() -> None:
    for slow in (False, True):
        method = fixed(1e-3, slow=slow)
        whole = run(cylindrical_slider(), method, 0.02, 1e-3)
        half = run(cylindrical_slider(), method, 0.01, 1e-3)
        rest = jp.simulate(cylindrical_slider(), 0.02, method, 1e-3, start=half)
        assert np.array_equal(rest["slider.position"], whole["slider.position"][11:])


# --- forces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slow", (False, True), ids=("fast", "nlp"))
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=() if INSTANTS.get(case, 1) else pytest.mark.study) for case in CASES]
)
def test_reported_forces_are_complementary(case: str, slow: bool) -> None:
    """gap . force = 0 and neither is negative, for every contact; the flanges of the pendulum face each other."""
    build, h = CASES[case]
    sol = run(build(), fixed(h, slow=slow), 40 * h, h)
    joint = JOINT[build().name]
    gap, force = sol[f"{joint}.gap"], sol[f"{joint}.normal_force"]
    assert np.min(gap) >= -1e-10
    assert np.min(force) >= 0.0
    assert np.max(force) > 1.0
    assert np.max(np.minimum(gap, force)) <= 1e-10
    assert np.max(np.abs(gap * force)) <= 1e-9


def test_walls_do_not_squeeze() -> None:
    """min l^T N l with N = [[1, -1], [-1, 1]]: (0, 0) and (1, 1) are as good; reported is the complementary one."""
    none = np.zeros((1, 0))
    slot = Problem(np.array([0.1]), np.array([[1.0, -1.0]]), np.full(2, 2.0), np.zeros(2), none, none[0], none[0])
    answer = solve_nlp(slot, 1.0, (1.0, np.array([0.3])))
    assert answer.z == pytest.approx([0.1])
    assert np.array_equal(answer.force, [0.0, 0.0])
    # against one of the walls: what presses is the other one alone
    pressed = slot._replace(pull=np.array([5.0]))
    answer = solve_nlp(pressed, 1.0, (1.0, np.array([5.0])))
    assert answer.z == pytest.approx([2.0], abs=1e-10)
    assert answer.force == pytest.approx([0.0, 3.0], abs=1e-10)
    assert answer.left <= 1e-10
    # velocities that no forces of closed contacts give are told from solutions
    assert complementary(pressed, 1.0, np.array([1.5]))[1] == pytest.approx(3.5)


@pytest.mark.parametrize("slow", (False, True), ids=("fast", "nlp"))
def test_body_between_two_stops(slow: bool) -> None:
    s = jp.System("slot", gravity=(0, 0, -9.81))
    body = s.body("b", mass=2.0, inertia=(1, 1, 1))
    stop = jp.Stop(lower=-1e-6, upper=1e-6)
    s.prismatic("T", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
    sol = run(s, fixed(1e-2, slow=slow), 0.1, 1e-2)
    assert sol["T.stop_force"][-1] == pytest.approx(19.62, abs=1e-8)
    assert sol["T.displacement"][-1] == pytest.approx(-1e-6, abs=1e-12)


# --- the cases of papers A and D --------------------------------------------------------------------------------------

METHODS = {
    "fixed": jp.OptimalStep(h_min=1e-3, h_max=1e-3),
    "bounded": jp.OptimalStep(h_min=1e-3, h_max=1e-2),
    "nlp": jp.OptimalStep(h_min=1e-3, h_max=1e-2, reference=True),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_cylindrical_slider_settles(method: jp.OptimalStep) -> None:
    sol = run(cylindrical_slider(), method, 0.2, 1e-2)
    assert sol["C.offset"][-1, :, :2] == pytest.approx(np.array([[0, -1e-4], [0, 1e-4]]), abs=1e-10)
    assert sol["C.normal_force"][-1] == pytest.approx([90.696, 59.304], abs=1e-6)
    assert sol["slider.acceleration"][-1] == pytest.approx([0, 0, 15.625], abs=1e-6)
    assert np.max(np.abs(sol["C.force"][:, 2])) <= 1e-9  # normals are perpendicular to the shaft
    assert np.max(np.abs(sol["slider.position"][:, 0])) <= 1e-12
    assert sol.stats["worst_penetration"] <= 1e-10


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.study if name == "nlp" else ()) for name in METHODS]
)
def test_prismatic_slider_settles(name: str) -> None:
    """Four contacts: two base vertices at the low end on the base plane, two at the raised end on the slanted ones."""
    sol = run(prismatic_slider(), METHODS[name], 0.1, 1e-2)
    force, gap = sol["P.normal_force"][-1], sol["P.gap"][-1]
    assert np.sort(force)[-4:] == pytest.approx([37.9075, 37.9075, 44.4230, 44.4230], abs=1e-4)
    assert np.sort(force)[:-4] == pytest.approx(np.zeros(8), abs=1e-12)
    assert np.max(np.abs(gap[force > 1.0])) <= 1e-10
    assert np.min(gap[force < 1.0]) > 1e-7
    assert sol["slider.acceleration"][-1, 2] == pytest.approx(12.5, abs=1e-6)
    assert sol.stats["worst_penetration"] <= 1e-10
    assert PLAY == pytest.approx(1.0104e-4, rel=1e-4)


@pytest.mark.parametrize(
    "lever, forces", [(0.0, (15.696, 15.696)), (2e-3, (20.696, 10.696)), (30e-3, (90.696, 59.304))]
)
def test_planar_slider_of_paper_d(lever: float, forces: tuple[float, float]) -> None:
    """Data of docs/theory/sources.md, the slider a line; in the third case its ends settle at opposite walls."""
    c = 1e-5
    s = jp.System("planar slider", planar=True, gravity=(0, -9.81, 0))
    body = s.body("slider", mass=3.2, inertia=2e-3)
    radial = jp.Clearance(c)
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0, 0), length=0.02, width=1e-9, radial=radial)
    s.force("F", body, force=(50, 0), point=(0, -lever), axes="global")
    sol = run(s, fixed(1e-3), 0.2, 1e-2)
    found = np.sort(sol["D.normal_force"][-1])[::-1]
    assert found == pytest.approx([*forces, 0.0, 0.0], abs=1e-6)
    offset, angle = sol["slider.position"][-1, 1], sol["slider.angular_velocity"][-1]
    assert np.max(np.abs(angle)) <= 1e-10
    closed = sol["D.normal_force"][-1] > 1.0
    assert np.max(np.abs(sol["D.gap"][-1, closed])) <= 1e-10
    assert offset == pytest.approx(0.0 if lever > 0.02 else -c, abs=2e-9)


@pytest.mark.parametrize("bounds", [(1e-3, 1e-3), (1e-3, 2e-3)], ids=("fixed", "bounded"))
def test_pendulum_in_its_play(bounds: tuple[float, float]) -> None:
    """Table 3: falls freely through the play, then swings; energy never grows, axial play bounds the drift."""
    sol = run(pendulum(), jp.OptimalStep(*bounds), 5.0, 0.01)
    first = np.sqrt(2 * 0.1 / 9.81)  # 0.14278 s
    assert sol.impacts["time"][0] == pytest.approx(first, abs=2.0 * bounds[1])
    energy = sol["energy.kinetic"] + sol["energy.potential"]
    assert np.max(np.diff(energy)) <= 1e-3 * np.ptp(sol["energy.kinetic"]) * bounds[1]
    assert energy[-1] < energy[0]
    assert np.min(sol["R.gap"]) >= (-1e-10 if bounds[0] == bounds[1] else -1e-6)  # inside steps: O(h^2)
    assert np.max(np.abs(sol["R.offset"][:, :, 2] - sol["R.offset"][0, :, 2])) <= 0.1 + 1e-10
    assert sol.stats["worst_penetration"] <= 1e-9


def test_ideal_pendulum_swings_ahead_of_the_one_with_play() -> None:
    ideal, loose = (run(pendulum(play=one), fixed(1e-3), 3.0, 0.1) for one in (False, True))
    lag = np.abs(ideal["R.angle"]) - np.abs(loose["R.angle"])
    assert np.all(lag[2:] > 1e-3)


# --- the step size ----------------------------------------------------------------------------------------------------


class Stepper:
    """A run of one step at a time, with J(h) of the next one."""

    def __init__(self, system: jp.System, method: jp.OptimalStep) -> None:
        compiled = compile_system(system, horizon=1.0)
        self.method, self.model, self.state = method, compiled.model, compiled.state
        self.work = make_work(self.model, self.state, method.stages)
        self.settings = method.settings(float(self.model.info[0]["length"]))
        self.settings[0]["budget"] = 1
        channels = layout_of(compiled).channels
        self.record = make_record(np.array([1e9]), np.empty((1, channels)))

    def step(self) -> float:
        """Take a step; its size."""
        code = self.method.run(self.model, self.state, self.work, self.record, self.settings)
        assert code == Code.CONTINUE
        return float(self.work.tally[arrays.STEP_DONE])

    def cost(self, h: float) -> float:
        """J of a step of size h from here."""
        soft, _ = open_step(self.model, self.state, self.work)
        code, cost, _ = step_of(self.model, h, self.state, soft, self.settings[0], self.work)
        assert code == Code.CONTINUE
        return float(cost)


@pytest.mark.parametrize("build", (cylindrical_slider, prismatic_slider))
def test_largest_step_with_the_least_cost(build) -> None:
    low, high = 1e-3, 1e-2
    stepper = Stepper(build(), jp.OptimalStep(h_min=low, h_max=high))
    grid = np.linspace(low, high, 91)
    sizes = []
    for _ in range(12):
        costs = np.array([stepper.cost(h) for h in grid])
        ends = min(costs[0], costs[-1])
        best = grid[costs <= ends * (1.0 + SAME)].max()
        h = stepper.step()
        sizes.append(h)
        assert low <= h <= high
        if best == high:
            assert h == high
        else:  # found by bisection, to 1/4096 of the range
            assert best - 3e-6 <= h < best + grid[1] - grid[0]
    assert min(sizes) < high  # a wall was met
    assert sizes[-3:] == [high] * 3  # contacts stay closed: J is flat


def test_flights_take_the_longest_step() -> None:
    stepper = Stepper(pendulum(), jp.OptimalStep(h_min=1e-3, h_max=2e-3))
    assert stepper.cost(2e-3) == 0.0
    assert [stepper.step() for _ in range(50)] == [2e-3] * 50


def test_step_ends_where_the_wall_is_met() -> None:
    """J = 0 as long as nothing is met: the step that meets a wall is cut just before it."""
    stepper = Stepper(pendulum(), jp.OptimalStep(h_min=1e-3, h_max=0.2))
    h = stepper.step()
    # semi-implicit Euler falls by g h^2 in one step
    assert h == pytest.approx(np.sqrt(0.1 / 9.81), abs=0.2 / 4096)
    assert stepper.cost(h) >= 0.0


def test_sizes_of_the_nlp_stay_within_their_bounds() -> None:
    stepper = Stepper(cylindrical_slider(), jp.OptimalStep(h_min=1e-3, h_max=1e-2, reference=True))
    sizes = [stepper.step() for _ in range(20)]
    assert 1e-3 <= min(sizes) < max(sizes) <= 1e-2
    assert stepper.work.tally[arrays.WORST_GAP] <= 1e-10


def test_no_step_passes_a_break() -> None:
    s = jp.System("table", gravity=(0, 0, 0))
    body = s.body("b", mass=1.0, inertia=(1, 1, 1))
    s.force("F", body, force=("step(t - 0.015)", 0, 0), point=(0, 0, 0))
    for slow in (False, True):
        stepper = Stepper(s, fixed(1e-2, slow=slow))
        assert [stepper.step() for _ in range(3)] == pytest.approx([0.01, 0.005, 0.01])


# --- the scheme -------------------------------------------------------------------------------------------------------


def test_order_one() -> None:
    times = np.array([0.5, 1.0])
    truth = jp.simulate(swing(), 1.0, jp.Explicit(rtol=1e-12, atol=1e-13), times)["plate.position"]
    steps = (200, 400, 800)
    errors = [np.max(np.abs(run(swing(), fixed(1.0 / n), 1.0, times)["plate.position"] - truth)) for n in steps]
    slope = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(jp.OptimalStep.order, abs=0.1)


def test_order_one_through_contact() -> None:
    """The settled motion of the pendulum in its hole, against the same scheme at a tiny step."""
    truth = run(pendulum(offset=0.0), fixed(2e-5), 1.0, [1.0])["pendulum.position"]
    steps = (250, 500, 1000, 2000)
    errors = [
        np.max(np.abs(run(pendulum(offset=0.0), fixed(1.0 / n), 1.0, [1.0])["pendulum.position"] - truth))
        for n in steps
    ]
    assert np.all(np.diff(errors) < 0.0)
    assert -np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.35)


def test_joints_closed_without_piercing_walls() -> None:
    """Closing the joints at the end of a step must not push other contacts through their walls."""
    sol = run(crank_with_play(), fixed(1e-4), 0.05)
    assert sol.stats["worst_penetration"] <= 1e-10
    assert sol.stats["worst_position_residual"] <= 1e-10


def test_drives_pay_for_what_contacts_take() -> None:
    """A driven body drags another one against dry friction of 10 N at 0.1 m/s: 1 J in 1 s."""
    s = jp.System("drag", gravity=(0, 0, 0))
    a = s.body("a", mass=1.0, inertia=(1, 1, 1))
    b = s.body("b", mass=2.0, inertia=(1, 1, 1), position=(1, 0, 0))
    s.prismatic("A", s.ground, a, point=(0, 0, 0), axis=(1, 0, 0), displacement=jp.Drive("0.1*t"))
    s.prismatic("B", s.ground, b, point=(1, 0, 0), axis=(1, 0, 0), displacement=jp.Coulomb(0.5, load=20))
    s.distance("D", a, b, point_a=(0, 0, 0), point_b=(1, 0, 0))
    sol = run(s, fixed(1e-3), 1.0, 0.1)
    assert sol["energy.input"][-1] == pytest.approx(1.0, abs=1e-6)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-9


# --- refusals and failures --------------------------------------------------------------------------------------------


def test_what_it_refuses() -> None:
    def ball(**law: object) -> jp.System:
        s = jp.System("ball")
        body, radial = s.body("b", mass=1, inertia=(1, 1, 1)), jp.Clearance(0.1, **law)
        s.spherical("S", s.ground, body, point=(0, 0, 0), radius=0.5, radial=radial)
        return s

    with pytest.raises(InputError, match="inelastic contacts only"):
        jp.simulate(ball(contact=jp.Rigid(restitution=0.5)), 0.1, jp.OptimalStep())
    with pytest.raises(InputError, match="without friction only while reference=True"):
        jp.simulate(ball(friction=jp.Coulomb(0.1)), 0.1, jp.OptimalStep(reference=True))
    assert jp.simulate(ball(friction=jp.Coulomb(0.1)), 0.1, jp.OptimalStep(), 0.05).outcome.ok
    with pytest.raises(ValueError, match="h_min must not be greater"):
        jp.OptimalStep(h_min=1e-2, h_max=1e-3)


@pytest.mark.parametrize("wrong", (np.nan, 1.0), ids=("not finite", "no solution"))
def test_failure_of_slsqp_is_an_outcome(wrong: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The contact is named, what was found before is kept."""
    good = reference.minimize
    calls = 0

    def minimize(cost, x, **options):
        nonlocal calls
        calls += 1
        return good(cost, x, **options) if calls <= 4 else SimpleNamespace(x=np.full(len(x), wrong), nit=1)

    monkeypatch.setattr(reference, "minimize", minimize)
    sol = jp.simulate(cylindrical_slider(), 0.1, fixed(1e-3, slow=True), 1e-3)
    assert sol.outcome.code is Code.CONTACT_FAILED
    assert sol.outcome.time > 0.0
    assert len(sol.time) >= 2
    assert "no contact forces were found" in sol.outcome.message
    assert "nan" not in sol.outcome.message
