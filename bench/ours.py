"""Our side, through the public interface alone: ``System``, ``simulate``, a method.

``simulate`` compiles, runs and wraps; ``sol.stats["run_time"]`` is the time of the run alone, which is what the peers'
times are. Joints of P1 and P4 are ideal: every loop is closed to round-off. Contacts of P2, P3 and P5 are rigid.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import jointplay
from jointplay import Explicit, System, Verlet, simulate

from .contracts import (
    ChainEntry,
    ChainRun,
    GuideEntry,
    GuideRun,
    JournalEntry,
    JournalRun,
    Refusal,
    Setting,
    SliderCrankEntry,
    SliderCrankRun,
    step_ladder,
)
from .peers.frames import quaternion, rod_rotation
from .problems import CHAIN, GUIDE_CRANK, JOURNAL, SLIDER_CRANK
from .truth import crank_pose

COUNTS = (1, 2, 4, 5, 8, 10, 12, 16, 20, 32, 50, 80, 100, 200, 400)
TOLERANCES = tuple(float(f"{digit}e{power}") for power in range(-3, -13, -1) for digit in (3, 1))


def version() -> str:
    """Name and version."""
    return f"jointplay {getattr(jointplay, '__version__', '(no version)')}"


def slider_crank_system() -> System:
    """The spatial slider-crank of P1."""
    data = SLIDER_CRANK
    pose = crank_pose(0.0)
    rotation = rod_rotation()
    speed = data.crank_speed
    pivot, pin, end = (np.array(point) for point in (data.pivot, data.pin, data.slider))
    s = System("spatial slider-crank", gravity=(0, 0, -data.gravity))
    crank = s.body(
        "crank", mass=data.masses[0], inertia=data.crank_inertia, position=(pivot + pin) / 2,
        velocity=(0, -speed * data.crank / 2, 0), angular_velocity=(speed, 0, 0),
    )  # fmt: skip
    rod = s.body(
        "rod", mass=data.masses[1], inertia=data.rod_inertia, position=(pin + end) / 2,
        orientation=quaternion(rotation), velocity=speed * pose.rod_velocity,
        angular_velocity=rotation.T @ (speed * pose.rod_spin),
    )  # fmt: skip
    slider = s.body(
        "slider", mass=data.masses[2], inertia=data.slider_inertia, position=end,
        velocity=(speed * pose.slider_rate, 0, 0),
    )  # fmt: skip
    s.revolute("A", s.ground, crank, point=pivot, axis=(1, 0, 0))
    s.spherical("B", crank, rod, point=pin)
    s.universal("C", slider, rod, point=end, axis_a=(0, 0, 1), axis_b=rotation @ np.array(data.rod_arm))
    s.prismatic("D", s.ground, slider, point=end, axis=(1, 0, 0))
    return s


def chain_system(links: int, joint: str = "ball") -> System:
    """The chain of P4, with spherical joints ("ball") or revolute ones about y ("hinge")."""
    s = System(f"chain of {links}", gravity=(0, 0, -CHAIN.gravity))
    previous: Any = s.ground
    for k in range(links):
        centre = ((k + 0.5) * CHAIN.length, 0.0, 0.0)
        link = s.body(f"link{k}", mass=CHAIN.mass, inertia=CHAIN.inertia, position=centre)
        near = (k * CHAIN.length, 0.0, 0.0)
        if joint == "ball":
            s.spherical(f"J{k}", previous, link, point=near)
        else:
            s.revolute(f"J{k}", previous, link, point=near, axis=(0, 1, 0))
        previous = link
    return s


def _finished(solution: Any) -> Any:
    if not solution.outcome.ok:
        raise Refusal(solution.outcome.message)
    return solution


def _slider_crank_run(method: Any) -> SliderCrankRun:
    data = SLIDER_CRANK
    sol = _finished(simulate(slider_crank_system(), until=data.until, method=method, save=data.sample))
    return SliderCrankRun(sol.stats["run_time"], int(sol.stats["steps"]), np.asarray(sol["slider.position"])[:, 0])


def slider_crank() -> list[SliderCrankEntry]:
    """The error-controlled Runge-Kutta method and the fixed-step one."""
    rungs = tuple(Setting(f"rtol = {tol:.0e}", Explicit(rtol=tol, atol=1e-2 * tol)) for tol in TOLERANCES)
    steps = tuple(
        Setting(rung.label, Verlet(step=SLIDER_CRANK.sample / rung.value))
        for rung in step_ladder(COUNTS, SLIDER_CRANK.sample)
    )
    millisecond = Setting("h = 0.001 s", Verlet(step=1e-3))
    return [
        SliderCrankEntry("jointplay", "Explicit", "", rungs, _slider_crank_run, None),
        SliderCrankEntry("jointplay", "Verlet", "", steps, _slider_crank_run, millisecond),
    ]


def _chain_run(links: int, steps: int, joint: str) -> ChainRun:
    until = steps * CHAIN.step
    sol = _finished(simulate(chain_system(links, joint), until=until, method=Verlet(step=CHAIN.step), save=until))
    # Far end of a link: half a length along its x axis, the first column of the rotation matrix of e0, e1, e2, e3.
    centre = np.array([sol[f"link{k}.position"][-1] for k in range(links)])
    e0, e1, e2, e3 = np.array([sol[f"link{k}.orientation"][-1] for k in range(links)]).T
    axis = np.column_stack((1 - 2 * (e2**2 + e3**2), 2 * (e1 * e3 - e0 * e2)))
    total = sol["energy.kinetic"] + sol["energy.potential"]
    return ChainRun(
        sol.stats["run_time"], int(sol.stats["steps"]), centre[:, [0, 2]] + CHAIN.length / 2 * axis,
        float(total[0]), float(total[-1]), float(sol["energy.kinetic"][-1]),
    )  # fmt: skip


def chain() -> list[ChainEntry]:
    """The fixed-step method with ball joints and with hinges."""
    return [ChainEntry("jointplay", "Verlet", j, 2, "", partial(_chain_run, joint=j)) for j in ("ball", "hinge")]


def _public(name: str) -> Any:
    """A public name that an older version may lack."""
    try:
        return getattr(jointplay, name)
    except AttributeError:
        raise Refusal(f"this version has no {name}") from None


def _turned(orientation: np.ndarray) -> np.ndarray:
    """Angles about z from Euler parameters, turns counted."""
    return np.unwrap(2.0 * np.arctan2(orientation[:, 3], orientation[:, 0]))


def guide_system(gap: float) -> System:
    """The slider-crank of P2 with ``gap`` metres on each side of its slider."""
    data = GUIDE_CRANK
    s = System("slider-crank with clearance", planar=True, gravity=(0, -data.gravity, 0))
    bodies = [
        s.body(
            name, mass=data.masses[k], inertia=(data.inertias[k],) * 3, position=(data.centres[k], 0, 0),
            velocity=(0, data.velocities[k], 0), angular_velocity=(0, 0, data.speeds[k]),
        )
        for k, name in enumerate(("crank", "rod", "slider"))
    ]  # fmt: skip
    crank, rod, slider = bodies
    end = (data.crank + data.rod, 0, 0)
    s.revolute("A", s.ground, crank, point=(0, 0, 0))
    s.revolute("B", crank, rod, point=(data.crank, 0, 0))
    s.revolute("C", rod, slider, point=end)
    contact, friction = _public("Rigid")(restitution=data.restitution), _public("Coulomb")(data.friction)
    s.prismatic(
        "D", s.ground, slider, point=end, axis=(1, 0, 0), length=data.length, width=data.width,
        radial=_public("Clearance")(gap, contact=contact, friction=friction),
    )  # fmt: skip
    return s


def _guide_run(gap: float, every: int) -> GuideRun:
    data = GUIDE_CRANK
    method = _public("Moreau")(step=data.step)
    sol = _finished(simulate(guide_system(gap), until=data.steps * data.step, method=method, save=every * data.step))
    crank, turn = (_turned(np.asarray(sol[f"{body}.orientation"])) for body in ("crank", "slider"))
    height = np.asarray(sol["slider.position"])[:, 1]
    return GuideRun(sol.stats["run_time"], int(sol.stats["steps"]), crank, height, turn)


def guide() -> list[GuideEntry]:
    """Moreau's midpoint rule with the slider in a guide."""
    return [GuideEntry("jointplay", "Moreau", "", _guide_run, fleet=1000)]


def _guide_batch(gaps: np.ndarray, threads: int, longer: int = 1) -> tuple[float, np.ndarray]:
    """All gaps as members of one compiled model, building it included; steps so many times as long as in P2."""
    import time

    data = GUIDE_CRANK
    begin = time.perf_counter()
    of = [jointplay.Final(f"crank.orientation[{k}]") for k in (0, 3)]
    vary = {"gap": jointplay.Uniform(*data.gaps)}
    options = {
        "until": data.steps * data.step,
        "method": _public("Moreau")(step=longer * data.step),
        "threads": threads,
    }
    found = jointplay.Batch(guide_system, 1, vary, of=of, **options).run(gaps[:, None])
    seconds = time.perf_counter() - begin
    if not found.ok.all():
        raise Refusal(found.messages[0])
    return seconds, 2.0 * np.arctan2(found.values[:, 1], found.values[:, 0])


def fleet() -> list[GuideEntry]:
    """The same through Batch: one compiled model, many members.

    Impacts are located and gliding is of second order, so that steps of 16 h are still nearer to the truth than what
    peers give with h; the last column tells how near.
    """
    return [
        GuideEntry("jointplay", "Batch, h", "", _guide_run, fleet=1000, together=_guide_batch),
        GuideEntry("jointplay", "Batch, 16 h", "", _guide_run, fleet=1000, together=partial(_guide_batch, longer=16)),
    ]


def journal_system() -> System:
    """The pendulum of P3: its hole on a pin of the ground."""
    data = JOURNAL
    s = System("pendulum on a pin", planar=True, gravity=(0, -data.gravity, 0))
    pendulum = s.body("pendulum", mass=data.mass, inertia=(data.inertia,) * 3, position=(data.arm, 0, 0))
    contact, friction = _public("Rigid")(restitution=data.restitution), _public("Coulomb")(data.friction)
    s.revolute(
        "A", s.ground, pendulum, point=(0, 0, 0), radius=data.radius,
        radial=_public("Clearance")(data.gap, contact=contact, friction=friction),
    )  # fmt: skip
    return s


def _journal_run() -> JournalRun:
    data = JOURNAL
    method = _public("Moreau")(step=data.step)
    save = data.sampling * data.step
    sol = _finished(simulate(journal_system(), until=data.steps * data.step, method=method, save=save))
    angle = _turned(np.asarray(sol["pendulum.orientation"]))
    hole = np.asarray(sol["pendulum.position"])[:, :2] - data.arm * np.column_stack((np.cos(angle), np.sin(angle)))
    return JournalRun(sol.stats["run_time"], int(sol.stats["steps"]), angle, np.hypot(hole[:, 0], hole[:, 1]))


def journal() -> list[JournalEntry]:
    """Moreau's midpoint rule with a journal."""
    return [JournalEntry("jointplay", "Moreau", "", _journal_run)]
