"""Every contact law of the registry with inner states: partials, balance of power, strips, ledger, derivatives of runs.

N rate = dV/dx (rate - dz_r/dt) + dV/dz dz/dt + loss,      loss >= 0,      z_r: the recess, if there is one
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
import pytest

import jointplay as jp
from jointplay.arrays import law_dtype
from jointplay.compile.book import LawBook
from jointplay.laws.compliant import Sizes
from jointplay.laws.registry import EVOLVING_LAWS, evolve_contact
from jointplay.numerics.jit import readable

STEP = 1e-30
METHODS = [jp.Index1(step=2e-4), jp.Moreau(step=2e-4), jp.OptimalStep(h_min=2e-4, h_max=2e-4)]
EACH = pytest.mark.parametrize("kind", EVOLVING_LAWS, ids=lambda kind: kind.key)


def made(kind: Any, seed: int, **numbers: Any) -> Any:
    """A law with random constants inside their declared ranges; contacts inside are linear or Hertz's."""
    random = np.random.default_rng(seed)
    given: dict[str, Any] = {f.name: random.uniform(1.0, 2.0) for f in fields(kind) if "unit" in f.metadata}
    inside = jp.HuntCrossley(stiffness=random.uniform(1.0, 2.0), exponent=1.0 + 0.5 * (seed % 2), restitution=0.5)
    given |= {f.name: inside for f in fields(kind) if f.metadata.get("law") == "contact"}
    return kind(**(given | numbers))


class Records(NamedTuple):
    """As kernels read them."""

    law: np.ndarray


class At:
    """The answers of a law at a place, along a direction of the imaginary axis."""

    def __init__(self, law: Any) -> None:
        book = LawBook()
        book.add(law, "contact")
        self.law, self.count = readable(Records(np.array(book.records, dtype=law_dtype(float)))).law[0], law.inner
        self.numbers = np.array(book.numbers)

    def __call__(self, place: np.ndarray, along: int = -1) -> tuple[np.ndarray, np.ndarray]:
        """Answers and rates at (x, rate, onset, s, z ...)."""
        at = place.astype(complex)
        if along >= 0:
            at[along] += 1j * STEP
        out = np.zeros(self.count, dtype=complex)
        x, rate, onset, s = (complex(one) for one in at[:4])
        told = evolve_contact(self.law, self.numbers, x, rate, onset, s, 0.0, at[4:], out, True)
        return np.array(told, dtype=complex), out

    def slope(self, place: np.ndarray, along: int) -> tuple[np.ndarray, np.ndarray]:
        told, out = self(place, along)
        return told.imag / STEP, out.imag / STEP


def places(law: Any, seed: int, count: int = 30) -> np.ndarray:
    """Random (x, rate, onset, s, z ...); closed contacts, for laws that act anywhere open ones as well."""
    low = -1.0 if law.anywhere else 0.01
    z = law.inner
    return np.random.default_rng(seed).uniform(
        (low, -2.0, 0.5, 0.0, *[0.0] * z), (1.0, 2.0, 2.0, 2.0, *[1.0] * z), (count, 4 + z)
    )


@EACH
@pytest.mark.parametrize("seed", range(3))
def test_partials(kind: Any, seed: int) -> None:
    law = made(kind, seed)
    at = At(law)
    for place in places(law, seed):
        told = at(place)[0].real
        for along in (0, 1):
            assert told[1 + along] == pytest.approx(at.slope(place, along)[0][0], rel=1e-12, abs=1e-12)
        assert at.slope(place, 3)[0][0] == 0.0, "the force depends on the sliding speed"


@EACH
@pytest.mark.parametrize("seed", range(3))
def test_balance_of_power(kind: Any, seed: int) -> None:
    law = made(kind, seed)
    at, recess = At(law), list(law.own_states).index(law.recess) if law.recess else -1
    for place in places(law, 10 + seed):
        told, rates = at(place)
        force, _, _, stored, lost = told.real
        rate = place[1] - (rates[recess].real if recess >= 0 else 0.0)
        grows = at.slope(place, 0)[0][3] * rate
        grows += sum(at.slope(place, 4 + k)[0][3] * rates[k].real for k in range(law.inner))
        assert force * place[1] == pytest.approx(grows + lost, rel=1e-11, abs=1e-11)
        assert stored >= 0.0
        assert lost >= -1e-12 * abs(force * place[1])
        assert force >= 0.0 or law.anywhere


@EACH
def test_open_contacts_pass_nothing_on(kind: Any) -> None:
    law = made(kind, 1)
    for place in places(law, 5):
        place[0] = 0.0
        if not law.anywhere and law.recess:
            told, rates = At(law)(place)
            assert told[0] == 0.0
            assert np.isfinite(rates).all()


@EACH
def test_real_and_complex_agree(kind: Any) -> None:
    law = made(kind, 2)
    at = At(law)
    for place in places(law, 6, 10):
        out = np.zeros(law.inner)
        x, rate, onset, s = place[:4].tolist()
        told = evolve_contact(at.law, at.numbers, x, rate, onset, s, 0.0, place[4:].copy(), out, True)
        assert np.allclose(told, at(place)[0].real, rtol=1e-13, atol=1e-13)
        assert np.allclose(out, at(place)[1].real, rtol=1e-13, atol=1e-13)


@EACH
def test_strips_share_the_force(kind: Any) -> None:
    whole = made(kind, 3)
    strip = whole.resolved(Sizes(strips=5))
    whole = whole.resolved(Sizes())
    for place in places(whole, 7, 10):
        assert np.allclose(5.0 * At(strip)(place)[0], At(whole)(place)[0], rtol=1e-12)
        assert np.allclose(At(strip)(place)[1], At(whole)(place)[1], rtol=1e-12), "the same pressure, the same rates"
    assert whole.summary().startswith(kind.key)


def sized(kind: Any, scale: float, start: float) -> Any:
    """A law whose forces fit the block below: stiffnesses of 300, rates of states of 1e-2, zero where that is usual."""
    numbers = {}
    for f in fields(kind):
        unit = f.metadata.get("unit", "")
        if unit.startswith("F"):
            numbers[f.name] = 300.0 * scale
        elif "/F" in unit:
            numbers[f.name] = 1e-2
        elif "unit" in f.metadata and f.default == 0.0:
            numbers[f.name] = 0.0
    numbers |= {one.start: start for one in kind.own_states.values() if isinstance(one.start, str)}
    inside = jp.HuntCrossley(stiffness=300.0 * scale, restitution=0.5)
    return made(kind, 4, **numbers, **{f.name: inside for f in fields(kind) if f.metadata.get("law") == "contact"})


def guided(kind: Any, scale: float = 1.0, start: float = 1e-3, wall: float = 0.0, e: float = 0.0) -> jp.System:
    """A block of 1 g in a guide with play, pressed and turned; ``wall``: it strikes a rigid one after so many m."""
    s = jp.System("guided", planar=True, gravity=(0, 0))
    block = s.body("block", mass=1e-3, inertia=1e-3, velocity=(1.0, 0))
    play = jp.Clearance(0.001, contact=sized(kind, scale, start), friction=jp.Coulomb(0.1, creep=0.1))
    stop = {"displacement": jp.Stop(upper=wall, contact=jp.Rigid(restitution=e))} if wall else {}
    s.prismatic("D", s.ground, block, point=(0, 0), axis=(1, 0), length=0.2, width=0.1, radial=play, **stop)
    s.force("F", block, force=(0.0, -0.5), point=(0.03, 0.0))
    return s


@EACH
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_direct_and_adjoint_derivatives_of_a_run(kind: Any, method: Any) -> None:
    """By a number of the law and, where a field gives it, by the start of its states; beside differences of runs.

    Where the method takes rigid contacts, the block strikes a wall on its way, which moves as well.
    """
    name = next(iter(kind.own_states))
    of = [jp.Final(f"D.{name}[2]"), jp.Final("block.position[1]")]
    given = {"method": method, "until": 0.005, "save": 0.005}
    struck, rebounds = not isinstance(method, jp.Index1), isinstance(method, jp.Moreau)

    def build(scale: float = 1.0, start: float = 1e-3, wall: float = 2.31e-3) -> jp.System:
        return guided(kind, scale, start, wall if struck else 0.0, 0.5 if rebounds else 0.0)

    wrt = ["scale", "start"] if any(isinstance(one.start, str) for one in kind.own_states.values()) else ["scale"]
    wrt += ["wall"] if struck else []
    direct = jp.sensitivities(build, wrt, of, derivative="direct", **given)
    adjoint = jp.sensitivities(build, wrt, of, derivative="adjoint", **given)
    slow = jp.sensitivities(build, wrt, of, derivative="differences", **given)
    assert direct.stats.get("impacts", 0) == (1 if struck else 0)
    for one in of:
        for parameter in wrt:
            assert direct[one][parameter] != 0.0
            assert adjoint[one][parameter] == pytest.approx(direct[one][parameter], rel=1e-8)
            assert slow[one][parameter] == pytest.approx(direct[one][parameter], rel=1e-5)


@EACH
def test_ledger_of_a_run(kind: Any) -> None:
    sol = jp.simulate(guided(kind), until=0.01, method=jp.Implicit(rtol=1e-9, atol=1e-12), save=0.01)
    assert sol.outcome.ok
    assert sol["energy.dissipated"][-1] > 0.0
    assert abs(sol["energy.error"][-1]) < 1e-6 * sol["energy.kinetic"][0]
