"""Every FORCE law of the registry: partials by complex step, energy and loss by the balance of power.

-lambda rate = dV/dg rate + loss,      loss >= 0      (laws without inner states)
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from jointplay.laws.base import Law
from jointplay.laws.registry import FORCE_LAWS

STEP = 1e-30


class Sample:
    """A law with random constants inside their declared ranges, at a random coordinate and rate."""

    def __init__(self, kind: type[Law], seed: int) -> None:
        random = np.random.default_rng(seed)
        self.kind = kind
        numbers = {f.name: random.uniform(0.5, 2.0) for f in fields(kind) if "unit" in f.metadata}  # type: ignore[arg-type]
        if "mu_s" in numbers:  # static friction is the larger one
            numbers["mu_s"] += numbers["mu_d"]
        self.p = np.array(kind(**numbers).numbers(), dtype=complex)
        self.z = random.uniform(-1.0, 1.0, max(1, kind.inner)).astype(complex)
        self.g, self.rate = random.uniform(-2.0, 2.0, 2)

    def at(self, dg: float = 0.0, drate: float = 0.0) -> np.ndarray:
        """lambda, its partials, energy and loss at g + i eps dg, rate + i eps drate."""
        g, rate = complex(self.g, STEP * dg), complex(self.rate, STEP * drate)
        assert self.kind.force is not None
        return np.array(self.kind.force(self.p, g, rate, 0.0, self.z))


@pytest.fixture(params=[(k, s) for k in FORCE_LAWS for s in range(8)], ids=lambda one: f"{one[0].key}-{one[1]}")
def sample(request: pytest.FixtureRequest) -> Sample:
    return Sample(*request.param)


def test_partials(sample: Sample) -> None:
    _, by_g, by_rate, _, _ = sample.at().real
    assert np.isclose(by_g, sample.at(dg=1.0)[0].imag / STEP, rtol=1e-13, atol=1e-13)
    assert np.isclose(by_rate, sample.at(drate=1.0)[0].imag / STEP, rtol=1e-13, atol=1e-13)


def test_balance_of_power(sample: Sample) -> None:
    if sample.kind.inner:
        pytest.skip("the energy of this law depends on its inner states as well")
    lam, _, _, _, loss = sample.at().real
    force = sample.at(dg=1.0)[3].imag / STEP
    assert np.isclose(-lam * sample.rate, force * sample.rate + loss, rtol=1e-12, atol=1e-12)


def test_loss_is_never_negative(sample: Sample) -> None:
    assert sample.at()[4].real >= 0.0
