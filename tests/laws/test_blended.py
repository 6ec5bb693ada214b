"""Blended: the zones of eq. 50 of paper C, their joints, energy and loss, for several hard contacts."""

from __future__ import annotations

import numpy as np
import pytest

from jointplay.laws.blended import Blended, make_normal
from jointplay.laws.bushing import Bushing
from jointplay.laws.compliant import Compliant, Sizes
from jointplay.laws.hertz import Hertz
from jointplay.laws.kelvin_voigt import KelvinVoigt
from jointplay.laws.lankarani_nikravesh import LankaraniNikravesh
from jointplay.laws.rigid import Rigid
from jointplay.numerics.jit import link
from jointplay.numerics.switch import switch

STEP = 1e-30
TRAVEL, EPS, ONSET = 1e-3, 2e-5, 0.2

_simple = (Bushing.normal, Hertz.normal, KelvinVoigt.normal)
_blend = make_normal(switch(_simple))


@link
def blended(p, x, rate, onset, t):
    """The kernel under test: a linked piece needs a kernel to live in."""
    return _blend(p, x, rate, onset, t)


SOFT = {
    "linear": Bushing(2e5, damping=30.0),
    "table": Bushing(curve=[(0, 0), (0.5e-3, 60.0), (1.5e-3, 400.0)], damping=30.0),
}
HARD = {
    "hertz": Hertz(5e11),
    "lankarani": LankaraniNikravesh(5e11, restitution=0.6),
    "odd power": LankaraniNikravesh(5e9, exponent=1.08, restitution=0.6),
    "kelvin": KelvinVoigt(1e9, damping=2e4),
    "unloading": KelvinVoigt(1e9, unloading=0.3),
}


def kind_of(law: Compliant) -> int:
    return _simple.index(type(law).normal)


@pytest.fixture(params=[(s, h) for s in SOFT for h in HARD], ids="-".join)
def law(request: pytest.FixtureRequest) -> Blended:
    soft, hard = request.param
    return Blended(SOFT[soft], TRAVEL, HARD[hard], EPS).resolved(Sizes())


def at(law: Blended, x: complex, rate: complex) -> np.ndarray:
    p = np.array(law.numbers_with(kind_of), dtype=complex)
    return np.array(blended(p, complex(x), complex(rate), ONSET, 0.0))


def part(law: Compliant, x: float, rate: float) -> np.ndarray:
    return np.array(type(law).normal(np.array(law.numbers()), x, rate, ONSET, 0.0))


def depths() -> np.ndarray:
    random = np.random.default_rng(8)
    zones = [(-EPS, 0.0), (0.0, TRAVEL), (TRAVEL, TRAVEL + EPS), (TRAVEL + EPS, TRAVEL + 3 * EPS)]
    return np.concatenate([random.uniform(*zone, 12) for zone in zones])


def rates() -> np.ndarray:
    return np.random.default_rng(9).uniform(-0.5, 0.5, 48)


def test_three_zones(law: Blended) -> None:
    for rate in (0.15, -0.02, 0.0):
        assert not at(law, -1e-6, rate).any()
        x = 0.7 * TRAVEL
        assert np.allclose(at(law, x, rate).real, part(law.bushing, x, rate), rtol=1e-13)
        x = TRAVEL + 1.7 * EPS
        ours, hard = at(law, x, rate).real, part(law.hard, x - TRAVEL, rate)
        assert np.allclose(ours[[0, 1, 2, 4]], hard[[0, 1, 2, 4]], rtol=1e-9)
        x = TRAVEL + 0.25 * EPS
        expected = 0.75 * part(law.bushing, x, rate) + 0.25 * part(law.hard, x - TRAVEL, rate)
        assert np.allclose(at(law, x, rate).real[[0, 2, 4]], expected[[0, 2, 4]], rtol=1e-9)


def test_continuous_at_both_ends_of_the_blend(law: Blended) -> None:
    tiny = 1e-9 * EPS
    for x in (TRAVEL, TRAVEL + EPS):
        for rate in (0.15, -0.02):
            before, after = at(law, x - tiny, rate).real, at(law, x + tiny, rate).real
            largest = np.abs(at(law, TRAVEL, rate)) + np.abs(at(law, TRAVEL + EPS, rate))
            assert np.all(np.abs(after - before)[[0, 2, 3, 4]] <= 1e-7 * largest[[0, 2, 3, 4]])


def test_partials(law: Blended) -> None:
    for x, rate in zip(depths(), rates(), strict=True):
        N, by_x, by_rate, _, _ = at(law, x, rate).real
        scale = 1e-10 * abs(N) / EPS  # slopes in the blend are differences of N over eps
        assert np.isclose(at(law, complex(x, STEP), rate)[0].imag / STEP, by_x, rtol=1e-9, atol=scale)
        assert np.isclose(at(law, x, complex(rate, STEP))[0].imag / STEP, by_rate, rtol=1e-9, atol=1e-9)


def test_balance_of_power_and_loss(law: Blended) -> None:
    for x, rate in zip(depths(), rates(), strict=True):
        N, _, _, V, loss = at(law, x, rate).real
        elastic = at(law, complex(x, STEP), rate)[3].imag / STEP
        assert N >= 0.0 and V >= 0.0 and loss >= 0.0
        assert np.isclose(N * rate, elastic * rate + loss, rtol=1e-8, atol=1e-8)


def test_energy_is_the_integral_of_the_elastic_force(law: Blended) -> None:
    for end in (TRAVEL + 0.4 * EPS, TRAVEL + EPS, TRAVEL + 2 * EPS):
        total = 0.0
        knots = [one for one in (0.0, 0.5e-3, TRAVEL, TRAVEL + EPS) if one < end] + [end]
        nodes, weights = np.polynomial.legendre.leggauss(30)
        for a, b in zip(knots[:-1], knots[1:], strict=True):
            points = a + (b - a) * (0.5 + 0.5 * nodes)
            total += 0.5 * (b - a) * sum(w * at(law, x, 0.0)[0].real for w, x in zip(weights, points, strict=True))
        assert np.isclose(at(law, end, 0.0)[3].real, total, rtol=1e-7)


def test_the_energy_is_exact_for_linear_and_hertz() -> None:
    law = Blended(SOFT["linear"], TRAVEL, HARD["hertz"], EPS).resolved(Sizes())
    k, K = 2e5, 5e11
    # integral of (1 - s/eps) k (travel + s) + s/eps K s^1.5 over the blend
    exact = 0.5 * k * TRAVEL**2 + k * (TRAVEL * EPS / 2.0 + EPS**2 / 6.0) + K * EPS**2.5 / 3.5
    assert np.isclose(at(law, TRAVEL + EPS, 0.0)[3].real, exact, rtol=1e-13)


def test_strips_share_the_force_and_the_blend_has_a_default() -> None:
    law = Blended(SOFT["linear"], TRAVEL, HARD["lankarani"])
    whole, strip = law.resolved(Sizes()), law.resolved(Sizes(strips=4))
    assert np.isclose(float(whole.blend), 0.01 * TRAVEL)  # type: ignore[arg-type]
    for x in (0.4e-3, TRAVEL + 4e-6, TRAVEL + 3e-5):
        assert np.allclose(at(strip, x, 0.1), at(whole, x, 0.1) / 4.0, rtol=1e-12)


def test_remark_says_where_the_force_falls() -> None:
    weak = Blended(SOFT["linear"], TRAVEL, Hertz(1e9), EPS).resolved(Sizes())
    assert "falls from 200 to 89.4" in weak.remark()
    assert at(weak, TRAVEL + EPS, 0.0)[0].real < at(weak, TRAVEL, 0.0)[0].real
    assert Blended(SOFT["linear"], TRAVEL, HARD["hertz"], EPS).resolved(Sizes()).remark() == ""


def test_the_dip_is_as_documented() -> None:
    k, ratio = 2e5, 1000.0
    hard = Hertz(ratio * k * TRAVEL / EPS**1.5)
    law = Blended(SOFT["linear"], TRAVEL, hard, EPS).resolved(Sizes())
    forces = [at(law, x, 0.0)[0].real for x in TRAVEL + EPS * np.linspace(0.0, 0.02, 401)]
    dip = 1.0 - min(forces) / (k * TRAVEL)
    assert np.isclose(dip, 0.326 * ratio ** (-2 / 3), rtol=0.05)


@pytest.mark.parametrize(
    ("soft", "hard", "words"),
    [
        (Hertz(1e9), Hertz(1e9), "'bushing' must be a bushing, not 'hertz'"),
        (SOFT["linear"], Rigid(), "'hard' must be a compliant contact law such as hertz, not 'rigid'"),
        (SOFT["linear"], Blended(SOFT["linear"], 1e-3, Hertz(1e9)), "not 'blended'"),
    ],
)
def test_refused_parts(soft: Compliant, hard: Compliant, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        Blended(soft, 1e-3, hard)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_constants_need_the_kernels_of_the_parts() -> None:
    law = Blended(SOFT["linear"], TRAVEL, HARD["hertz"])
    with pytest.raises(NotImplementedError, match="numbers_with"):
        law.numbers()
    with pytest.raises(ValueError, match="resolved"):
        law.numbers_with(kind_of)
