"""Wear of compliant contacts (laws/archard.py) against exact relations.

h = a k_w N s/A                     a shoe pressed by N that has slid by s (closed form)
A sum h = k_w integral N |v| dt     any motion; what Coulomb friction loses is mu times that integral
kinetic + ... + dissipated          the ledger, which counts V_c'(x) dh of what is worn off as dissipated
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jointplay as jp

A, KW, LOAD, SPEED, K, MASS = 1e-4, 1e-11, 400.0, 2.0, 1e7, 2.0
SIDES = [2, 3]  # contacts of the lower wall

# bounds of the worn volume and of the ledger, relative: volumes follow the impulses, which every method adds up alike;
# ledgers are those of an elastic contact of 1 ms, in steps of 20 us
METHODS: dict[str, tuple[Any, float, float]] = {
    "explicit": (jp.Explicit(), 1e-10, 1e-6),
    "implicit": (jp.Implicit(), 1e-8, 3e-5),
    "index1": (jp.Index1(step=2e-5), 1e-12, 2e-2),
    "verlet": (jp.Verlet(step=2e-5), 1e-12, 2e-2),
    "moreau": (jp.Moreau(step=2e-5), 1e-12, 2e-2),
    "optimal_step": (jp.OptimalStep(h_min=2e-5, h_max=2e-5), 1e-11, 1e-1),
}


def shoe(
    contact: Any = None,
    *,
    mu: float = 0.0,
    velocity: float = SPEED,
    force: tuple[float, float] = (0.0, -LOAD),
    coefficient: float = KW,
    **given: Any,
) -> jp.System:
    """A block in a guide with play, pressed to its lower wall; without friction it keeps its speed."""
    s = jp.System("shoe", gravity=(0, 0), planar=True)
    block = s.body("block", mass=MASS, inertia=0.02, velocity=(velocity, 0))
    law = contact or jp.Archard(jp.Hertz(stiffness=K, exponent=1.0), coefficient=coefficient, area=A, **given)
    friction = jp.Coulomb(mu, creep=1e-3) if mu else None
    play = jp.Clearance("0.1 mm", contact=law, friction=friction)
    s.prismatic("D", s.ground, block, point=(0, 0), axis=(1, 0), length=0.2, width=0.1, radial=play)
    s.force("F", block, force=force)
    return s


def worn_by_momentum(sol: jp.Solution, coefficient: float = KW) -> np.ndarray:
    """A sum h of a shoe that keeps its speed v: k_w v integral N dt, and m v_y = integral N dt - W t."""
    return coefficient * SPEED * (LOAD * sol.time + MASS * sol["block.velocity"][:, 1])


@pytest.mark.parametrize("key", METHODS)
def test_worn_volume_by_momentum(key: str) -> None:
    """A shoe that bounces on its lower wall while it slides: the worn volume at every instant, in every method."""
    method, bound, energy = METHODS[key]
    sol = jp.simulate(shoe(), until=0.2, method=method, save=0.02)
    assert sol.outcome.ok
    expected = worn_by_momentum(sol)
    assert np.abs(A * sol["D.wear"][:, SIDES].sum(axis=1) - expected).max() < bound * expected[-1]
    assert not sol["D.wear"][:, :2].any()
    assert sol.units["D.wear"] == "m"
    assert np.abs(sol["energy.error"]).max() < energy * LOAD * 1e-4  # the energy of its fall


def test_steady_sliding() -> None:
    """Pressed at rest by a contact with damping, h' = k_w p v."""
    soft = jp.KelvinVoigt(stiffness=K, damping=2e3)
    sol = jp.simulate(shoe(jp.Archard(soft, coefficient=KW, area=A)), until=0.3, method=jp.Explicit(), save=[0.2, 0.3])
    for n in SIDES:
        assert np.diff(sol["D.wear"][:, n])[0] == pytest.approx(KW * 0.5 * LOAD / A * SPEED * 0.1, rel=1e-6)


def test_acceleration_and_a_start_that_is_worn() -> None:
    fast = jp.simulate(shoe(acceleration=1000.0, worn=1e-6), until=0.1, method=jp.Index1(step=2e-5), save=0.1)
    slow = jp.simulate(shoe(coefficient=1000.0 * KW, worn=1e-6), until=0.1, method=jp.Index1(step=2e-5), save=0.1)
    assert np.array_equal(fast["D.wear"], slow["D.wear"])
    assert fast["D.wear"][0, 2] == 1e-6
    volume = A * (fast["D.wear"][:, SIDES] - 1e-6).sum(axis=1)
    assert volume == pytest.approx(worn_by_momentum(fast, 1000.0 * KW), rel=1e-6)


@pytest.mark.parametrize("method", [jp.Explicit(), jp.Implicit()], ids=["explicit", "implicit"])
def test_volume_is_the_loss_by_friction(method: Any) -> None:
    """Impacts, tilting, sliding: the worn volume of all contacts is k_w/mu times what friction loses."""
    mu, until = 0.2, 0.02
    sol = jp.simulate(shoe(mu=mu), until=until, method=method, save=until)
    assert sol["block.velocity"][-1, 0] > 0.5  # it never creeps: friction is mu N to rounding
    volume = A * sol["D.wear"][-1].sum()
    loss = sol["energy.dissipated"][-1]
    assert volume > 0.0
    # what is worn off takes its elastic energy along: h N of each contact, a part k_w N/(mu A) of the loss
    most = KW * 4.0 * LOAD / (mu * A)
    assert volume == pytest.approx(KW * loss / mu, rel=most + 1e-6)
    none = jp.simulate(shoe(mu=mu, coefficient=1e-6 * KW), until=until, method=method, save=until)
    assert A * none["D.wear"][-1].sum() == pytest.approx(1e-6 * KW * none["energy.dissipated"][-1] / mu, rel=1e-5)


def test_wear_opens_the_gap() -> None:
    """A worn wall is met later: the contact begins where the gap with the worn height in it is used up."""
    clean = jp.simulate(shoe(), until=0.005, method=jp.Explicit(), save=1e-5)
    worn = jp.simulate(shoe(worn=5e-5), until=0.005, method=jp.Explicit(), save=1e-5)
    first = [float(s.time[np.argmax(s["D.normal_force"][:, 2] > 0.0)]) for s in (clean, worn)]
    # falls from the middle by 0.1 mm and 0.15 mm under the load
    assert first == pytest.approx([np.sqrt(2.0 * g * 2.0 / LOAD) for g in (1e-4, 1.5e-4)], abs=1.01e-5)
    assert worn["D.gap"][0, 2] == pytest.approx(1.5e-4, rel=1e-12)


def test_back_and_forth_wears_by_the_way() -> None:
    """A shoe on a spring, held down by a load that it carries without bouncing: the height follows the way."""
    s, swing, rate = jp.System("swing", gravity=(0, 0), planar=True), 0.02, 40.0
    block = s.body("block", mass=MASS, inertia=0.02, velocity=(0, 0))
    law = jp.Archard(jp.KelvinVoigt(stiffness=K, damping=2e3), coefficient=KW, area=A)
    play = jp.Clearance("0.1 mm", contact=law)
    drive = jp.Drive(f"{swing}*sin({rate}*t)")
    s.prismatic("D", s.ground, block, point=(0, 0), axis=(1, 0), length=0.2, width=0.1, radial=play, displacement=drive)
    s.force("F", block, force=(0, -LOAD))
    turn = 2.0 * np.pi / rate
    sol = jp.simulate(s, until=4.0 * turn, method=jp.Explicit(), save=turn)
    worn = A * sol["D.wear"].sum(axis=1)
    assert worn[4] - worn[2] == pytest.approx(KW * LOAD * 2.0 * 4.0 * swing, rel=1e-5)


def test_a_run_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    for method in (jp.Explicit(), jp.Index1(step=2e-5)):
        whole = jp.simulate(shoe(mu=0.2), until=0.02, method=method, save=0.002)
        half = jp.simulate(shoe(mu=0.2), until=0.01, method=method, save=0.002)
        rest = jp.simulate(shoe(mu=0.2), until=0.02, method=method, save=0.002, start=half.state)
        assert np.array_equal(rest["D.wear"][-1], whole["D.wear"][-1])
        assert np.array_equal(rest.state.y, whole.state.y)
    file = tmp_path / "run.nc"
    kept = jp.simulate(shoe(mu=0.2), until=0.01, method=jp.Index1(step=2e-5), save=0.002, output=file)
    again = jp.load(file)
    assert np.array_equal(again["D.wear"], kept["D.wear"])
    on = jp.simulate(shoe(mu=0.2), until=0.02, method=jp.Index1(step=2e-5), save=0.002, start=again.state)
    assert np.array_equal(on.state.y, whole.state.y)


def test_from_a_file_and_back(tmp_path: Path) -> None:
    system = shoe(mu=0.2, worn=1e-6, acceleration=10.0)
    file = tmp_path / "shoe.yaml"
    file.write_text(system.to_yaml(), encoding="utf-8")
    assert "archard" in file.read_text(encoding="utf-8")
    runs = [
        jp.simulate(one, until=0.01, method=jp.Index1(step=2e-5), save=0.01) for one in (system, jp.load_model(file))
    ]
    assert np.array_equal(runs[0]["D.wear"], runs[1]["D.wear"])


def test_where_it_cannot_stand() -> None:
    law = jp.Archard(jp.Hertz(stiffness=K), coefficient=KW, area=A)
    s = jp.System("round", planar=True)
    b = s.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(jp.InputError, match="moves over the surface; it may stand in the guide of a prismatic joint"):
        s.revolute("A", s.ground, b, point=(0, 0), radius=0.01, radial=jp.Clearance("0.1 mm", contact=law))
    with pytest.raises(ValueError, match="nothing slides along a stop"):
        jp.Stop(lower=-0.1, contact=law)
    with pytest.raises(ValueError, match="without states, such as hertz, not 'archard'"):
        jp.Archard(law, coefficient=KW, area=A)
    with pytest.raises(ValueError, match="acts at any gap"):
        jp.Archard(jp.SqueezeFilm(constant=1.0, least=1e-5, stiffness=1.0), coefficient=KW, area=A)
