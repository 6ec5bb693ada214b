"""MuJoCo: a tree in minimal coordinates; a loop is closed by a soft row.

``connect`` is a damped spring, so that the closed loop yields: its error does not vanish with the step but with the
stiffness, and the stiffness is bounded by the step. We give MuJoCo the choice: for every step three stiffnesses
k = (c / h)^2 with critical damping, the impedance almost 1. Steps are taken in C, many to a call.
"""

from __future__ import annotations

import time
from functools import partial

import mujoco
import numpy as np

from ..contracts import ChainEntry, ChainRun, Setting, SliderCrankEntry, SliderCrankRun
from ..problems import CHAIN, SLIDER_CRANK
from .frames import quaternion, rod_rotation, tree_speeds

PACKAGE = "mujoco<4"
COUNTS = (1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200, 400)
STIFFNESS = (0.35, 0.6, 0.8)  # c in k = (c / h)^2

# A run that blows up is seen in its answer; by default MuJoCo would write a log file into the working directory.
mujoco.set_mju_user_warning(lambda _: None)


def version() -> str:
    """Name and version."""
    return f"MuJoCo {mujoco.__version__}"


def _text(values: np.ndarray | tuple[float, ...] | list[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def _slider_crank_model(count: int, c: float, integrator: str) -> mujoco.MjModel:
    data = SLIDER_CRANK
    step = data.sample / count
    rotation = rod_rotation()
    stiffness = (c / step) ** 2
    masses = data.masses
    return mujoco.MjModel.from_xml_string(f"""
    <mujoco>
      <option timestep="{step!r}" integrator="{integrator}" gravity="0 0 {-data.gravity}">
        <flag contact="disable"/>
      </option>
      <worldbody>
        <body name="crank" pos="{_text(data.pivot)}">
          <joint type="hinge" axis="1 0 0"/>
          <inertial pos="0 0 {data.crank / 2}" mass="{masses[0]}" diaginertia="{_text(data.crank_inertia)}"/>
        </body>
        <body name="slider" pos="{_text(data.slider)}">
          <joint type="slide" axis="1 0 0"/>
          <inertial pos="0 0 0" mass="{masses[2]}" diaginertia="{_text(data.slider_inertia)}"/>
          <body name="rod" quat="{_text(quaternion(rotation))}">
            <joint type="hinge" axis="{_text(rotation.T @ np.array([0.0, 0.0, 1.0]))}"/>
            <joint type="hinge" axis="{_text(data.rod_arm)}"/>
            <inertial pos="{-data.rod / 2} 0 0" mass="{masses[1]}" diaginertia="{_text(data.rod_inertia)}"/>
          </body>
        </body>
      </worldbody>
      <equality>
        <connect body1="crank" body2="rod" anchor="0 0 {data.crank}" solimp="0.9999 0.9999 0.001"
                 solref="{-stiffness!r} {-2 * c / step!r}"/>
      </equality>
    </mujoco>""")


def _slider_crank_run(value: tuple[int, float], integrator: str) -> SliderCrankRun:
    count, c = value
    model = _slider_crank_model(count, c, integrator)
    state = mujoco.MjData(model)
    state.qvel[:] = tree_speeds()
    mujoco.mj_forward(model, state)
    samples = round(SLIDER_CRANK.until / SLIDER_CRANK.sample)
    travel = np.zeros(samples + 1)
    begin = time.perf_counter()
    for k in range(samples):
        mujoco.mj_step(model, state, nstep=count)
        travel[k + 1] = state.qpos[1]
    seconds = time.perf_counter() - begin
    return SliderCrankRun(seconds, samples * count, SLIDER_CRANK.slider[0] + travel)


def _rungs(count: int) -> list[Setting]:
    step = SLIDER_CRANK.sample / count
    return [Setting(f"h = {step:.3g} s, k = ({c}/h)^2", (count, c)) for c in STIFFNESS]


def slider_crank() -> list[SliderCrankEntry]:
    """RK4 and the semi-implicit Euler of MuJoCo."""
    ladder = tuple(rung for count in COUNTS for rung in _rungs(count))
    millisecond = _rungs(round(SLIDER_CRANK.sample / 1e-3))[1]
    soft = "the loop is a stiff spring"
    return [
        SliderCrankEntry("MuJoCo", name, soft, ladder, partial(_slider_crank_run, integrator=name), millisecond)
        for name in ("RK4", "Euler")
    ]


def _chain_model(links: int, joint: str) -> mujoco.MjModel:
    data = CHAIN
    spec = mujoco.MjSpec()
    spec.option.timestep = data.step
    spec.option.gravity = [0.0, 0.0, -data.gravity]
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    body = spec.worldbody
    for k in range(links):
        body = body.add_body(name=f"link{k}", pos=[data.length if k else 0.0, 0.0, 0.0])
        if joint == "ball":
            body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        else:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 1.0, 0.0])
        body.mass, body.ipos, body.inertia = data.mass, [data.length / 2, 0.0, 0.0], list(data.inertia)
        body.explicitinertial = True
    return spec.compile()


def _energy(model: mujoco.MjModel, state: mujoco.MjData) -> tuple[float, float]:
    mujoco.mj_forward(model, state)
    mujoco.mj_energyPos(model, state)
    mujoco.mj_energyVel(model, state)
    return float(state.energy[0]), float(state.energy[1])


def _chain_run(links: int, steps: int, joint: str, models: dict[int, mujoco.MjModel]) -> ChainRun:
    if links not in models:  # a long chain takes seconds to compile, and the model is constant
        models[links] = _chain_model(links, joint)
    model = models[links]
    state = mujoco.MjData(model)
    potential, kinetic = _energy(model, state)
    start = potential + kinetic
    begin = time.perf_counter()
    mujoco.mj_step(model, state, nstep=steps)
    seconds = time.perf_counter() - begin
    potential, kinetic = _energy(model, state)
    turn = state.xmat[1:].reshape(links, 3, 3)
    ends = state.xpos[1:] + CHAIN.length * turn[:, :, 0]
    return ChainRun(seconds, steps, ends[:, [0, 2]].copy(), start, potential + kinetic, kinetic)


def chain() -> list[ChainEntry]:
    """Semi-implicit Euler, MuJoCo's default, with ball joints and with hinges."""
    entries = []
    for joint in ("ball", "hinge"):
        models: dict[int, mujoco.MjModel] = {}
        run = partial(_chain_run, joint=joint, models=models)
        entries.append(ChainEntry("MuJoCo", "Euler", joint, 1, "", run))
    return entries
