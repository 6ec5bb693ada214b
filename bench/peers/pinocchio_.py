"""Pinocchio: rigid-body algorithms in C++; the integrator is ours to write, here in NumPy.

P1: ``constraintDynamics`` with a 3-D closing contact at acceleration level, not stabilised, and classical RK4 over the
four additive tree coordinates. P4: ``aba`` and semi-implicit Euler. pip brings the Python bindings only, so that a step
includes the calls through them and NumPy's vector sums: most of a step of P1 (four bare calls take about 10 us of its
25), little of a step of a chain of 50 links.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import pinocchio as pin

from ..contracts import ChainEntry, ChainRun, Refusal, SliderCrankEntry, SliderCrankRun, step_ladder
from ..problems import CHAIN, SLIDER_CRANK
from ..timing import memory_share
from .frames import rod_rotation, tree_speeds

PACKAGE = "pin"
COUNTS = (1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 32, 50, 80, 100, 128, 160, 200)


def version() -> str:
    """Name and version."""
    return f"Pinocchio {pin.__version__}"


def _inertia(mass: float, centre: tuple[float, float, float], principal: tuple[float, float, float]) -> pin.Inertia:
    return pin.Inertia(mass, np.array(centre), np.diag(principal))


def _at(point: tuple[float, float, float]) -> pin.SE3:
    return pin.SE3(np.eye(3), np.array(point))


class _SliderCrank:
    """Model, closing constraint and the acceleration they give."""

    def __init__(self) -> None:
        data = SLIDER_CRANK
        model = pin.Model()
        model.gravity.linear = np.array([0.0, 0.0, -data.gravity])
        crank = model.addJoint(0, pin.JointModelRX(), _at(data.pivot), "crank")
        slider = model.addJoint(0, pin.JointModelPX(), _at(data.slider), "slider")
        arm = model.addJoint(slider, pin.JointModelRZ(), pin.SE3.Identity(), "arm on the slider")
        turn = pin.SE3(rod_rotation(), np.zeros(3))
        rod = model.addJoint(arm, pin.JointModelRevoluteUnaligned(np.array(data.rod_arm)), turn, "rod")
        centres = ((0.0, 0.0, data.crank / 2), (-data.rod / 2, 0.0, 0.0), (0.0, 0.0, 0.0))
        moments = (data.crank_inertia, data.rod_inertia, data.slider_inertia)
        for joint, mass, centre, principal in zip((crank, rod, slider), data.masses, centres, moments, strict=True):
            model.appendBodyToJoint(joint, _inertia(mass, centre, principal), pin.SE3.Identity())
        closing = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, crank, _at((0.0, 0.0, data.crank)), rod, _at((-data.rod, 0.0, 0.0)),
            pin.ReferenceFrame.LOCAL,
        )  # fmt: skip
        self.model = model
        self.data = model.createData()
        self.constraints = pin.StdVec_RigidConstraintModel()
        self.constraints.append(closing)
        self.constraint_data = pin.StdVec_RigidConstraintData()
        self.constraint_data.append(closing.createData())
        self.settings = pin.ProximalSettings(1e-12, 0.0, 1)  # the rows are independent: no regularisation
        self.no_torque = np.zeros(model.nv)
        pin.initConstraintDynamics(model, self.data, self.constraints, self.constraint_data)

    def acceleration(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Acceleration with the loop closed; a fresh array."""
        return np.array(
            pin.constraintDynamics(
                self.model, self.data, q, v, self.no_torque, self.constraints, self.constraint_data, self.settings
            )
        )


def _slider_crank_run(count: int) -> SliderCrankRun:
    acceleration = _SliderCrank().acceleration
    step = SLIDER_CRANK.sample / count
    half, sixth = step / 2, step / 6
    samples = round(SLIDER_CRANK.until / SLIDER_CRANK.sample)
    travel = np.zeros(samples + 1)
    q, v = np.zeros(4), tree_speeds()
    begin = time.perf_counter()
    for k in range(samples):
        for _ in range(count):
            a1 = acceleration(q, v)
            v2 = v + half * a1
            a2 = acceleration(q + half * v, v2)
            v3 = v + half * a2
            a3 = acceleration(q + half * v2, v3)
            v4 = v + step * a3
            a4 = acceleration(q + step * v3, v4)
            q = q + sixth * (v + 2.0 * (v2 + v3) + v4)
            v = v + sixth * (a1 + 2.0 * (a2 + a3) + a4)
        travel[k + 1] = q[1]
    seconds = time.perf_counter() - begin
    return SliderCrankRun(seconds, samples * count, SLIDER_CRANK.slider[0] + travel)


def slider_crank() -> list[SliderCrankEntry]:
    """Constrained dynamics with RK4."""
    ladder = step_ladder(COUNTS, SLIDER_CRANK.sample)
    millisecond = step_ladder((round(SLIDER_CRANK.sample / 1e-3),), SLIDER_CRANK.sample)[0]
    note = "no drift control; called through Python"
    return [SliderCrankEntry("Pinocchio", "RK4", note, ladder, _slider_crank_run, millisecond)]


def _chain_model(links: int, joint: str) -> tuple[pin.Model, pin.Data]:
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -CHAIN.gravity])
    kind = pin.JointModelSpherical if joint == "ball" else pin.JointModelRY
    inertia = _inertia(CHAIN.mass, (CHAIN.length / 2, 0.0, 0.0), CHAIN.inertia)
    last = 0
    for k in range(links):
        last = model.addJoint(last, kind(), _at((CHAIN.length if k else 0.0, 0.0, 0.0)), f"link {k}")
        model.appendBodyToJoint(last, inertia, pin.SE3.Identity())
    workspace = 64 * model.nv**3
    if workspace > memory_share():  # asking would end in swapping or in the kernel ending somebody's process
        raise Refusal(f"its workspace for {model.nv} coordinates is {workspace / 1e9:.0f} GB, cubic in their number")
    return model, model.createData()


def _chain_run(links: int, steps: int, joint: str) -> ChainRun:
    model, data = _chain_model(links, joint)
    q, v, no_torque = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    start = pin.computeKineticEnergy(model, data, q, v) + pin.computePotentialEnergy(model, data, q)
    step = CHAIN.step
    begin = time.perf_counter()
    for _ in range(steps):
        v = v + step * pin.aba(model, data, q, v, no_torque)
        q = pin.integrate(model, q, step * v)
    seconds = time.perf_counter() - begin
    kinetic = pin.computeKineticEnergy(model, data, q, v)
    potential = pin.computePotentialEnergy(model, data, q)
    pin.forwardKinematics(model, data, q)
    far = np.array([CHAIN.length, 0.0, 0.0])
    ends = np.array([data.oMi[k + 1].act(far) for k in range(links)])
    return ChainRun(seconds, steps, ends[:, [0, 2]], start, potential + kinetic, kinetic)


def chain() -> list[ChainEntry]:
    """Articulated-body algorithm with semi-implicit Euler."""
    return [ChainEntry("Pinocchio", "ABA + Euler", j, 1, "", partial(_chain_run, joint=j)) for j in ("ball", "hinge")]
