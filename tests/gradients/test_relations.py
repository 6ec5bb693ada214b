"""Every relation of the registry against the complex step of its own kernel.

With q + i eps eta, where eta displaces positions along global axes and turns bodies about their own axes
(dp = G^T eta / 2), the imaginary parts of g and w are their derivatives in direction eta, exact to rounding:

    w . eta = Im g / eps,      (dw/dt) . u = Im w . u / eps (eta = u),      vary(eta) = Im w / eps.

Records are filled at random field by field, so a new relation is tested by being in the registry.
"""

from __future__ import annotations

import numpy as np
import pytest

from jointplay import arrays
from jointplay.numerics.jit import jit
from jointplay.numerics.vec import euler_rate, rotation
from jointplay.relations.base import Relation
from jointplay.relations.registry import CONTACTS, REGISTRY, evaluate_rows, look_at_rows, vary_rows

STEP = 1e-30
SEEDS = range(6)


@jit
def rows_at(relation, r, p, u, past, kin, row):
    """Rows of relation[0] at the poses r, p (bodies 0 and 1) and velocities u."""
    for b in range(2):
        for m in range(3):
            kin[b].r[m] = r[b, m]
            kin[b].v[m] = u[6 * b + m]
            kin[b].w[m] = u[6 * b + 3 + m]
        rotation(p[b], kin[b].A)
    evaluate_rows(relation[0], kin[0], kin[1], past, row)


@jit
def look_at(relation, kin, past, row):
    """g and its rate for relation[0], bodies where ``rows_at`` left them."""
    look_at_rows(relation[0], kin[0], kin[1], past, row)


@jit
def vary_at(relation, kin, eta, out):
    """Change of w of relation[0] in direction eta, bodies where ``rows_at`` left them."""
    vary_rows(relation[0], kin[0], kin[1], eta, out)


def orthonormal(random: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(random.standard_normal((3, 3)))
    return q * np.sign(np.linalg.det(q))


class Sample:
    """A relation between two random markers on two bodies in random motion."""

    def __init__(self, kind: Relation, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.kind = kind
        self.relation = np.zeros(1, dtype=arrays.relation_dtype(np.complex128))
        record = self.relation[0]
        for name, (dtype, *_) in self.relation.dtype.fields.items():
            if dtype.shape == (3, 3):
                record[name] = orthonormal(random)
            elif dtype.base.kind == "c":
                record[name] = random.uniform(0.5, 1.5, dtype.shape)
        record["kind"], record["j"], record["row"] = REGISTRY.index(kind), 1, (0, 1, 2)
        record["ki"], record["kj"] = random.integers(0, 3, 2)
        record["shape"][2] *= (-1.0) ** seed  # contacts: either body may carry the inner member
        record["memory"], record["sign"] = arrays.NONE, random.choice((-1.0, 1.0))
        self.r = random.standard_normal((2, 3))
        p = random.standard_normal((2, 4))
        self.p = p / np.linalg.norm(p, axis=1, keepdims=True)
        self.u = random.standard_normal(12)
        self.eta = random.standard_normal(12)
        self.kin = np.zeros(2, dtype=arrays.motion_dtype(np.complex128))

    def at(self, eta: np.ndarray) -> np.ndarray:
        """Rows at q + i eps eta."""
        row = np.zeros(4, dtype=arrays.row_dtype(np.complex128))
        turn = np.array([euler_rate(self.p[b], eta[6 * b + 3 : 6 * b + 6]) for b in range(2)])
        shift = np.array([eta[0:3], eta[6:9]])
        r, p, u = self.r + 1j * STEP * shift, self.p + 1j * STEP * turn, self.u.astype(complex)
        rows_at(self.relation, r, p, u, (0.3, -7.0), self.kin, row)
        return row[: self.kind.count]

    def along(self, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of g and of w in direction eta."""
        row = self.at(eta)
        return row["g"].imag / STEP, row["w"].imag / STEP


@pytest.fixture(params=[(k, seed) for k in REGISTRY for seed in SEEDS], ids=lambda one: f"{one[0].name}-{one[1]}")
def sample(request: pytest.FixtureRequest) -> Sample:
    return Sample(*request.param)


def near(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Equal to rounding."""
    scale = max(1.0, float(np.max(np.abs(wanted))))
    return bool(np.max(np.abs(found - wanted)) <= 1e-13 * scale)


def test_rows_are_the_gradient_of_the_coordinate(sample: Sample) -> None:
    w = sample.at(np.zeros(12))["w"].real
    gradient = np.stack([sample.along(direction)[0] for direction in np.eye(12)], axis=1)
    if sample.kind in CONTACTS:  # tangents have no coordinate: tests/relations checks them as velocities
        assert not np.any(gradient[1:])
        w, gradient = w[:1], gradient[:1]
    assert near(w, gradient)
    assert np.max(np.abs(w)) > 1e-3  # a row of zeros would pass for nothing


def test_bias_is_the_rate_of_the_rows_along_the_motion(sample: Sample) -> None:
    bias = sample.at(np.zeros(12))["bias"].real
    _, dw = sample.along(sample.u)
    assert near(bias, dw @ sample.u)


def test_vary_is_the_derivative_of_the_rows(sample: Sample) -> None:
    sample.at(np.zeros(12))
    out = np.zeros((3, 12), dtype=complex)
    vary_at(sample.relation, sample.kin, sample.eta.astype(complex), out)
    _, dw = sample.along(sample.eta)
    assert near(out[: sample.kind.count].real, dw)


def test_relations_that_rotate_alone(sample: Sample) -> None:
    """``rotates``: displacements change nothing, and only parts for angular velocities change."""
    if not sample.kind.rotates:
        return
    sample.at(np.zeros(12))
    out, turning = np.zeros((3, 12), complex), np.arange(12) % 6 >= 3
    vary_at(sample.relation, sample.kin, np.where(turning, 0.0, sample.eta).astype(complex), out)
    assert near(out.real, np.zeros((3, 12)))
    vary_at(sample.relation, sample.kin, sample.eta.astype(complex), out)
    assert np.all(out[: sample.kind.count, ~turning] == 0.0)


def test_relations_that_are_linear_in_displacements(sample: Sample) -> None:
    """``linear``: parts of w for velocities do not change with displacements, and those for turns do as these turn."""
    if not sample.kind.linear:
        return
    sample.at(np.zeros(12))
    count, turning = sample.kind.count, np.arange(12) % 6 >= 3
    V = np.zeros((12, 3, 12), complex)
    for k, eta in enumerate(np.eye(12)):
        vary_at(sample.relation, sample.kin, eta.astype(complex), V[k])
    V = V[:, :count].real.transpose(1, 0, 2)
    assert np.all(V[:, ~turning][:, :, ~turning] == 0.0)
    assert near(V[:, ~turning][:, :, turning], V[:, turning][:, :, ~turning].transpose(0, 2, 1))


def test_bias_is_vary_of_the_motion(sample: Sample) -> None:
    bias = sample.at(np.zeros(12))["bias"].real
    out = np.zeros((3, 12), dtype=complex)
    vary_at(sample.relation, sample.kin, sample.u.astype(complex), out)
    assert near(bias, out[: sample.kind.count].real @ sample.u)


def test_a_look_sees_the_coordinate_and_its_rate(sample: Sample) -> None:
    rows = sample.at(np.zeros(12))
    seen = np.zeros(4, dtype=rows.dtype)
    look_at(sample.relation, sample.kin, (0.3, -7.0), seen)
    count = 1 if sample.kind in CONTACTS else sample.kind.count
    assert near(seen["g"][:count].real, rows["g"][:count].real)
    assert near(seen["rate"][:count].real, rows["w"][:count].real @ sample.u)
    assert not np.any(seen["w"])
