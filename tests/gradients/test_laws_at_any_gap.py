"""Every contact law of the registry that acts at any gap: partials by complex step, balance of power, strips.

N rate = dV/dx rate + loss,      loss >= 0,      at depths x of either sign
"""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from typing import Any

import numpy as np
import pytest

from jointplay.laws.compliant import Sizes
from jointplay.laws.registry import CONTACT_LAWS

STEP = 1e-30
FILMS = [law for law in CONTACT_LAWS if law.anywhere]


def made(kind: Any, seed: int) -> Any:
    """A law with random constants inside their declared ranges and each of its choices in turn."""
    random = np.random.default_rng(seed)
    numbers = {f.name: random.uniform(1.0, 2.0) for f in fields(kind) if "unit" in f.metadata}
    words = [[(f.name, word) for word in f.metadata["choice"]] for f in fields(kind) if "choice" in f.metadata]
    combinations = list(product(*words))
    return kind(**numbers, **dict(combinations[seed % len(combinations)]))


def at(law: Any, x: float, rate: float, dx: float = 0.0, drate: float = 0.0) -> np.ndarray:
    p = np.array(law.numbers(), dtype=complex)
    return np.array(law.normal(p, complex(x, STEP * dx), complex(rate, STEP * drate), 1.0, 0.0))


@pytest.fixture(params=[(k, s) for k in FILMS for s in range(8)], ids=lambda one: f"{one[0].key}-{one[1]}")
def law(request: pytest.FixtureRequest) -> Any:
    return made(*request.param)


def places(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform((-4.0, -2.0), (0.5, 2.0), (100, 2))


def test_partials(law: Any) -> None:
    for x, rate in places(1):
        told = at(law, x, rate).real
        assert told[1] == pytest.approx(at(law, x, rate, dx=1.0)[0].imag / STEP, rel=1e-12, abs=1e-12)
        assert told[2] == pytest.approx(at(law, x, rate, drate=1.0)[0].imag / STEP, rel=1e-12, abs=1e-12)


def test_balance_of_power(law: Any) -> None:
    for x, rate in places(2):
        force, _, _, stored, loss = at(law, x, rate).real
        slope = at(law, x, rate, dx=1.0)[3].imag / STEP
        assert force * rate == pytest.approx(slope * rate + loss, rel=1e-12, abs=1e-12)
        assert stored >= 0.0
        assert loss >= 0.0


def test_real_and_complex_agree(law: Any) -> None:
    for x, rate in places(3):
        told = law.normal(np.array(law.numbers()), x, rate, 1.0, 0.0)
        assert np.allclose(told, at(law, x, rate).real, rtol=1e-14, atol=1e-14)


def test_strips_share_the_force(law: Any) -> None:
    whole, strip = law.resolved(Sizes()), law.resolved(Sizes(strips=5))
    for x, rate in places(4):
        assert np.allclose(5.0 * at(strip, x, rate), at(whole, x, rate), rtol=1e-13)


def test_acts_where_the_gap_is_open(law: Any) -> None:
    assert any(at(law, x, 1.0)[0].real > 0.0 for x in (-4.0, -1.0, -0.1))
    assert law.summary().startswith(type(law).key)
