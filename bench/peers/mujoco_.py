"""MuJoCo: a tree in minimal coordinates; a loop is closed by a soft row.

``connect`` is a damped spring, so that the closed loop yields: its error does not vanish with the step but with the
stiffness, and the stiffness is bounded by the step. We give MuJoCo the choice: for every step three stiffnesses
k = (c / h)^2 with critical damping, the impedance almost 1. Steps are taken in C, many to a call.

A contact (P2, P3) is such a spring too. Per unit of mass r'' + 2 zeta w r' + w^2 r = 0 while it presses; a body leaves
where the force vanishes, with e = exp(-2 zeta acos(zeta) / sqrt(1 - zeta^2)) times the speed at which it came. That
gives zeta for the restitution asked for (exact only for steps that are short beside 1 / w), and w = c / h again.
"""

from __future__ import annotations

import time
from functools import partial

import mujoco
import numpy as np
from scipy.optimize import brentq

from ..contracts import (
    ChainEntry,
    ChainRun,
    GuideEntry,
    GuideRun,
    JournalEntry,
    JournalRun,
    Setting,
    SliderCrankEntry,
    SliderCrankRun,
)
from ..problems import CHAIN, GUIDE_CRANK, JOURNAL, SLIDER_CRANK
from .frames import quaternion, rod_rotation, tree_speeds

PACKAGE = "mujoco<4"
COUNTS = (1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200, 400)
STIFFNESS = (0.35, 0.6, 0.8)  # c in k = (c / h)^2
CONTACT = (0.05, 0.6)  # the same for contacts: soft enough for the restitution, and as hard as runs stably
CORNER = 1e-3  # m, radius of the spheres that stand for the corners of the slider
PLANES = 32  # that stand for a round hole

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


def damping_ratio(restitution: float) -> float:
    """Damping ratio of the contact spring that gives ``restitution``."""

    def excess(zeta: float) -> float:
        return float(np.exp(-2.0 * zeta * np.arccos(zeta) / np.sqrt(1.0 - zeta**2)) - restitution)

    return float(brentq(excess, 0.0, 0.999))


def _contact(c: float, step: float, restitution: float) -> str:
    damping = 2.0 * damping_ratio(restitution) * c / step
    return f'solref="{-((c / step) ** 2)!r} {-damping!r}" solimp="0.9999 0.9999 0.001"'


def _hinged(place: str, centre: float, mass: float, inertia: float, inner: str) -> str:
    inertial = f'<inertial pos="{centre!r} 0 0" mass="{mass!r}" diaginertia="{_text([inertia] * 3)}"/>'
    return f'<body pos="{place}"><joint type="hinge" axis="0 0 1"/>{inertial}{inner}</body>'


def _guide_model(gap: float, c: float) -> mujoco.MjModel:
    data = GUIDE_CRANK
    x, y, wall = data.length / 2, data.width / 2 - CORNER, data.width / 2 + gap
    off = 'contype="0" conaffinity="0"'  # only the pairs below touch
    faces = (("up", y), ("low", -y))
    corners = [(f"{face}{k}", along, up) for face, up in faces for k, along in enumerate((-x, x))]
    spheres = "".join(
        f'<geom name="{name}" type="sphere" size="{CORNER}" mass="0" pos="{along!r} {up!r} 0" {off}/>'
        for name, along, up in corners
    )
    law = f'condim="3" friction="{data.friction} {data.friction}" {_contact(c, data.step, data.restitution)}'
    pairs = "".join(f'<pair geom1="{name[:-1]}" geom2="{name}" {law}/>' for name, _, _ in corners)
    slider = _hinged(f"{data.rod} 0 0", 0.0, data.masses[2], data.inertias[2], spheres)
    rod = _hinged(f"{data.crank} 0 0", data.rod / 2, data.masses[1], data.inertias[1], slider)
    crank = _hinged("0 0 0", data.crank / 2, data.masses[0], data.inertias[0], rod)
    return mujoco.MjModel.from_xml_string(f"""
    <mujoco>
      <option timestep="{data.step!r}" gravity="0 {-data.gravity} 0"/>
      <worldbody>
        <geom name="up" type="plane" size="1 1 1" pos="0 {wall!r} 0" zaxis="0 -1 0" {off}/>
        <geom name="low" type="plane" size="1 1 1" pos="0 {-wall!r} 0" zaxis="0 1 0" {off}/>
        {crank}
      </worldbody>
      <contact>{pairs}</contact>
    </mujoco>""")


def _guide_run(gap: float, every: int, c: float) -> GuideRun:
    data = GUIDE_CRANK
    model = _guide_model(gap, c)
    state = mujoco.MjData(model)
    state.qvel[:] = np.diff(data.speeds, prepend=0.0)  # a hinge turns relative to the body before
    rows = data.steps // every + 1
    angles = np.zeros((rows, 3))
    begin = time.perf_counter()
    for row in range(1, rows):
        mujoco.mj_step(model, state, nstep=every)
        angles[row] = state.qpos
    seconds = time.perf_counter() - begin
    crank, rod, turn = np.cumsum(angles, axis=1).T
    return GuideRun(seconds, data.steps, crank, data.crank * np.sin(crank) + data.rod * np.sin(rod), turn)


def guide() -> list[GuideEntry]:
    """Three hinges, the corners of the slider as small spheres against two planes; soft and hard."""
    note = "soft contact, restitution by damping"
    return [
        GuideEntry("MuJoCo", f"k = ({c}/h)^2", note, partial(_guide_run, c=c), fleet=100 if c == CONTACT[-1] else 0)
        for c in CONTACT
    ]


def _journal_model(c: float) -> mujoco.MjModel:
    data = JOURNAL
    # Pin and hole change places: a ball on the body, in a ring of planes. The lever of friction is that of the hole.
    ball, ring = data.radius + data.gap, data.radius + 2 * data.gap
    off = 'contype="0" conaffinity="0"'
    angles = 2 * np.pi * np.arange(PLANES) / PLANES
    outward = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(PLANES)))
    planes = "".join(
        f'<geom name="plane{k}" type="plane" size="1 1 1" pos="{_text(ring * n)}" zaxis="{_text(-n)}" {off}/>'
        for k, n in enumerate(outward)
    )
    law = f'condim="3" friction="{data.friction} {data.friction}" {_contact(c, data.step, data.restitution)}'
    pairs = "".join(f'<pair geom1="plane{k}" geom2="ball" {law}/>' for k in range(PLANES))
    return mujoco.MjModel.from_xml_string(f"""
    <mujoco>
      <option timestep="{data.step!r}" gravity="0 {-data.gravity} 0"/>
      <worldbody>
        {planes}
        <body>
          <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>
          <inertial pos="{data.arm} 0 0" mass="{data.mass}" diaginertia="{_text([data.inertia] * 3)}"/>
          <geom name="ball" type="sphere" size="{ball!r}" mass="0" {off}/>
        </body>
      </worldbody>
      <contact>{pairs}</contact>
    </mujoco>""")


def _journal_run(c: float) -> JournalRun:
    data = JOURNAL
    model = _journal_model(c)
    state = mujoco.MjData(model)
    rows = data.steps // data.sampling + 1
    place = np.zeros((rows, 3))
    begin = time.perf_counter()
    for row in range(1, rows):
        mujoco.mj_step(model, state, nstep=data.sampling)
        place[row] = state.qpos
    seconds = time.perf_counter() - begin
    return JournalRun(seconds, data.steps, place[:, 2], np.hypot(place[:, 0], place[:, 1]))


def journal() -> list[JournalEntry]:
    """A ball on the body in a ring of planes; soft and hard."""
    note = f"soft contact, {PLANES} planes for a circle"
    return [
        JournalEntry("MuJoCo", f"k = ({c}/h)^2", note, partial(_journal_run, c=c), pin_on_body=True) for c in CONTACT
    ]
