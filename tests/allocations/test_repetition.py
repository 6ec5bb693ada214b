"""The same bits from run to run, and from a run that was continued."""

from __future__ import annotations

import numpy as np
import pytest
from bits import bits
from mechanisms import slider_crank
from rattling import wheels

import jointplay as jp

METHODS = (jp.Explicit(rtol=1e-8, atol=1e-10), jp.Explicit(step=2e-3), jp.Verlet(step=1e-3))
EACH = pytest.mark.parametrize("method", METHODS, ids=("controlled", "fixed", "verlet"))


@EACH
def test_a_run_repeats_its_bits(method) -> None:
    first, second = (jp.simulate(slider_crank(), until=0.5, method=method, save=0.01) for _ in range(2))
    assert first.outcome.ok
    assert bits(first) == bits(second)


@EACH
def test_what_is_saved_does_not_change_the_motion(method) -> None:
    """Steps are not cut at save times."""
    often = jp.simulate(slider_crank(), until=0.5, method=method, save=0.01)
    once = jp.simulate(slider_crank(), until=0.5, method=method, save=[0.5])
    assert bits(often, 1) == bits(once, 1)


@EACH
@pytest.mark.parametrize("stop", (0.1, 0.237, 0.4))
def test_a_continued_run_is_the_uninterrupted_one(method, stop: float) -> None:
    times = np.linspace(0.0, 0.5, 51)
    whole = jp.simulate(slider_crank(), until=0.5, method=method, save=times)
    before, after = times[times <= stop], times[times > stop]
    half = jp.simulate(slider_crank(), until=stop, method=method, save=np.append(before, stop))
    rest = jp.simulate(slider_crank(), until=0.5, method=method, save=after, start=half.state)
    assert half.outcome.ok and rest.outcome.ok
    assert rest.time.tolist() == after.tolist()
    assert bits(rest) == bits(whole, len(after))


JUMP = 0.0313
FORCES = {
    "expression": f"where(t > {JUMP}, -0.6, 0.7)",
    "table": jp.Table([0, 0.02, JUMP, 0.05], [0.7, 0.7, -0.6, 0.7]),
}
CONTROLLED = (jp.Explicit(rtol=1e-8), jp.Implicit(), jp.Moreau())


@pytest.mark.parametrize("torque", FORCES.values(), ids=FORCES)
@pytest.mark.parametrize("method", CONTROLLED, ids=lambda one: type(one).__name__)
def test_a_run_that_ends_before_a_force_jumps(method, torque) -> None:
    """The step that reaches beyond the end of the run ends at the jump as well."""
    s = jp.System("pendulum", planar=True)
    s.body("b", mass=1.0, inertia=0.01, position=(0.1, 0))
    s.revolute("A", s.ground, "b", point=(0, 0))
    s.torque("T", "b", torque=torque)
    whole = jp.simulate(s, 0.1, method, save=0.1)
    for split in (0.01, 0.02 * (1 - 1e-9), 0.03, JUMP * (1 - 1e-9), JUMP, JUMP * (1 + 1e-9), 0.033):
        rest = jp.simulate(s, 0.1, method, save=0.1, start=jp.simulate(s, split, method, save=split))
        assert rest["A.angle"][-1] == whole["A.angle"][-1], split


@pytest.mark.parametrize("seed", range(20))
def test_contacts_press_where_a_force_jumps(seed: int) -> None:
    """What a contact passes on there is that of the state, whatever was saved before."""
    rng, method = np.random.default_rng(seed), jp.Moreau(rtol=1e-6)
    jump = rng.uniform(0.004, 0.05)
    s = wheels(seed, f"motor*where(t > {jump!r}, -0.6, 1)")
    whole = jp.simulate(s, 0.1, method, save=0.1)
    for split in (jump * (1 - 1e-7), jump, jump * (1 + 1e-7), jump * rng.uniform(0.5, 1.5)):
        rest = jp.simulate(s, 0.1, method, save=0.1, start=jp.simulate(s, split, method, save=split))
        assert rest["A.angle"][-1] == whole["A.angle"][-1], split


def test_a_state_goes_on_many_times() -> None:
    """A State is not used up by the run that starts from it."""
    half = jp.simulate(slider_crank(), until=0.2, save=[0.2])
    runs = [jp.simulate(slider_crank(), until=0.3, save=[0.3], start=half.state) for _ in range(2)]
    assert bits(runs[0]) == bits(runs[1])


def test_a_file_of_a_model_of_several_parts_has_its_state(tmp_path) -> None:
    """Parts that nothing connects have clocks of their own."""
    s = jp.System("two pendulums", planar=True)
    for k in range(2):
        s.body(f"b{k}", mass=1.0, inertia=0.01 + 0.01 * k, position=(k + 0.3, 0))
        s.revolute(f"A{k}", s.ground, f"b{k}", point=(k, 0))
    whole = jp.simulate(s, 0.2, save=0.1)
    half = jp.simulate(s, 0.1, save=0.1, output=tmp_path / "written.nc")
    half.save(tmp_path / "saved.nc")
    for name in ("written.nc", "saved.nc"):
        rest = jp.simulate(s, 0.2, save=0.1, start=jp.load(tmp_path / name))
        assert rest.meta["notes"] == whole.meta["notes"], "no warning of a save interval as long as the rest"
        assert bits(rest, 1) == bits(whole, 1)


def test_a_state_of_another_system_is_refused() -> None:
    half = jp.simulate(slider_crank(), until=0.1, save=[0.1])
    other = jp.System()
    other.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(jp.InputError, match="other bodies or joints"):
        jp.simulate(other, until=1.0, start=half.state)
