"""Friction of ideal joints: the complex step through every kernel ``rub`` against central differences."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from jointplay.arrays import law_dtype
from jointplay.laws.base import Law
from jointplay.laws.on_joint import OnJoint
from jointplay.laws.registry import RUB_LAWS, evaluate_rub, kind_and_numbers

STEP = 1e-30
H = 1e-5
INPUTS = ("v0", "v1", "normal", "z0", "z1", "z2")
GEOMETRY = {f.name for f in fields(OnJoint)}


class Sample:
    """A law with constants, velocities, normal force and inner states of the order of 1."""

    def __init__(self, kind: type[Law], seed: int) -> None:
        random = np.random.default_rng(seed)
        names = [f.name for f in fields(kind) if "unit" in f.metadata and f.name not in GEOMETRY]  # type: ignore[arg-type]
        numbers = dict(zip(names, random.uniform(0.5, 2.0, len(names)), strict=True))
        numbers["mu_s"] += numbers["mu_d"]
        self.law = kind(**numbers)
        v, z = random.uniform(-1.5, 1.5, 2), random.uniform(-1.0, 1.0, 3)
        self.x = np.array([*v, random.uniform(0.5, 3.0), *z, *self.law.numbers()])

    def at(self, x: np.ndarray) -> np.ndarray:
        """Forces and rates of the inner states at the inputs and numbers ``x``."""
        v0, v1, normal, z0, z1, z2, *_ = x
        assert self.law.rub is not None
        return np.array(self.law.rub(x[6:].copy(), v0, v1, normal, 0.0, z0, z1, z2))


@pytest.fixture(params=[(k, s) for k in RUB_LAWS for s in range(12)], ids=lambda one: f"{one[0].key}-{one[1]}")
def sample(request: pytest.FixtureRequest) -> Sample:
    return Sample(*request.param)


def test_complex_step(sample: Sample) -> None:
    for k in range(len(sample.x)):
        turned, ahead, behind = sample.x.astype(complex), sample.x.copy(), sample.x.copy()
        turned[k] += 1j * STEP
        ahead[k] += H
        behind[k] -= H
        exact = sample.at(turned).imag / STEP
        near = (sample.at(ahead) - sample.at(behind)) / (2.0 * H)
        name = INPUTS[k] if k < len(INPUTS) else f"number {k - len(INPUTS)}"
        assert np.allclose(exact, near, rtol=1e-7, atol=1e-7), name


def test_real_part_is_not_touched(sample: Sample) -> None:
    assert np.allclose(sample.at(sample.x.astype(complex)).real, sample.at(sample.x), rtol=1e-13, atol=1e-15)


def test_finite_where_velocity_or_normal_force_vanish(sample: Sample) -> None:
    for zeros in ([0, 1], [2], [0, 1, 2], [0, 1, 2, 3, 4, 5]):
        for k in range(len(INPUTS)):
            x = sample.x.astype(complex)
            x[zeros] = 0.0
            x[k] += 1j * STEP
            assert np.isfinite(sample.at(x)).all()


def test_by_number(sample: Sample) -> None:
    kind, numbers = kind_and_numbers(sample.law, "rub")
    constant = np.array([7.0, *numbers])
    record = np.array([(kind, 0, 0, 1, len(numbers))], dtype=law_dtype(float)).view(np.recarray)[0]
    v0, v1, normal, z0, z1, z2, *_ = sample.x
    ours = evaluate_rub(record, constant, v0, v1, normal, 0.0, z0, z1, z2)
    assert np.allclose(ours, sample.at(sample.x), rtol=1e-14)
