"""Derivatives through forces that sense: direct = complex step = adjoint, and differences agree."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp

NAMES = ["k", "d", "c", "L"]


def build() -> jp.System:
    """Two arms: a law that senses two joints and a body, a torque and a force in body axes that sense as well."""
    s = jp.System(
        "arms",
        planar=True,
        parameters={"k": "4 N*m/rad", "d": 0.1, "ref": "30 deg", "c": 0.3, "L": 0.5},
        inputs={"motor": {"unit": "N*m", "value": "1 N*m"}},
    )
    a = s.body("a", mass=1, inertia=0.1, position=("L", 0, 0))
    b = s.body("b", mass=0.5, inertia=0.05, position=("2*L + 0.2", 0, 0))
    s.revolute("A", s.ground, a, point=(0, 0, 0))
    law = jp.ForceLaw("-q*x^3 - c*v*(1 + A.angle^2) - 0.2*b.velocity[1] + 0.1*a.angular_velocity[2]", q=4.0)
    s.revolute("B", a, b, point=("2*L", 0, 0), angle=law)
    s.torque("T", a, torque="-k*(A.angle - ref) - d*A.angle_rate + motor + 0.3*sin(B.angle)")
    force = ("-0.4*b.velocity[0] + 0.1*B.angle_rate", "0.1*A.angle - 0.3*b.position[1]")
    s.force("F", b, force=force, point=("2*L + 0.3", 0.1, 0), axes="body")
    return s


GIVEN = {"until": 0.3, "scheme": jp.Index1(step=1e-3), "save": 0.1}
OF = ["B.angle", "energy.input"]


@pytest.mark.slow
def test_exact_methods_agree() -> None:
    direct = jp.sensitivities(build(), NAMES, OF, method="direct", **GIVEN)
    oracle = jp.sensitivities(build(), NAMES, OF, method="complex-step", **GIVEN)
    rough = jp.sensitivities(build(), NAMES, OF, method="finite-difference", **GIVEN)
    for of in OF:
        for name in NAMES:
            assert direct[of][name] == pytest.approx(oracle[of][name], abs=1e-11)
            assert direct[of][name] == pytest.approx(rough[of][name], abs=1e-8)
    back = jp.sensitivities(build(), NAMES, jp.Final("B.angle"), method="adjoint", **GIVEN)
    found = [float(np.ravel(back[back.names[0]][name])[-1]) for name in NAMES]
    assert found == pytest.approx([direct["B.angle"][name][-1] for name in NAMES], abs=1e-11)


@pytest.mark.slow
def test_what_is_not_smooth_is_told() -> None:
    s = jp.System("clip", planar=True, parameters={"k": 3.0})
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0), angle=jp.ForceLaw("clip(-k*x, -1, 1)"))
    found = jp.sensitivities(s, ["k"], "A.angle", method="direct", **GIVEN)
    assert any("is not smooth" in note for note in found.notes)
