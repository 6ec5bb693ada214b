"""Two numerical matters of a slider-crank with friction: how forces settle, and whether the joints stay closed.

Subject:   E
Figures:   6, 7
Question:  friction follows from reactions and reactions from friction. How fast do friction and reactions settle, and
           do joints drift?
Answer:    the fixed-point iteration of the paper shrinks its changes by 0.565 at each pass, ten passes for three
           digits; Newton's method is done after three. Forward Euler lets the pin of crank and rod open without end,
           by 85 mm after 3 s. The implicit rule, whose state is led back to the closed joints after each step, keeps
           place, velocity and acceleration to 1e-12.
Number:    0.5647 for each pass, the spectral radius of the iteration; the changes are measured and agree.
Data:      neither the state with 1 m/s at the slider nor the steps are given; here the crank is upright at 25 rad/s,
           and both rules take steps of 0.1 ms. The paper's implicit rule has no projection, so that its errors are
           larger.
Models:    slider_crank_friction

Forward Euler is no method of this package, for the reason that figure 7 shows. Here it is a loop over the compiled
right-hand side.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.analysis import friction_iterations
from jointplay.assemble.dynamics import derivative
from jointplay.compile.build import compile_system
from jointplay.compile.work import make_work
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREY, OUT, RED, keep, panels

UNTIL, STEP, PASSES = 3.0, 1e-4, 25  # s, s
NO_FRICTION = {"parameters.mu_s": 0.0, "parameters.mu_d": 0.0}
ARMS = {"crank": (0.0, 0.0, 0.04), "rod": (-0.15, 0.0, 0.0)}  # m, from the mass centres to their common pin

Motion = dict[str, np.ndarray]  # quantities of crank and rod by name, as results have them


def model(**overrides: Any) -> jp.System:
    """The model of the gallery, changed."""
    return jp.load_model(entries()["slider_crank_friction"], overrides=overrides)


def draw_iterations(out: Path) -> float:
    """Figure 6: changes per pass, with 25 rad/s at an upright crank, 1 m/s at the slider. Returns the measured rate."""
    system = model(**{"parameters.theta": "0 deg", "parameters.speed": "25 rad/s"})
    slow, fast = (friction_iterations(system, PASSES, way) for way in ("fixed-point", "newton"))
    figure, axes = panels(1, 2, (10.0, 4.0))
    passes = np.arange(1, PASSES + 1)
    for ax, name, unit in zip(axes[0], ("multipliers", "accelerations"), ("N, N m", "m/s², rad/s²"), strict=True):
        changes = getattr(slow, name)
        ax.semilogy(passes, changes, "o", color=BLUE, markersize=4, label="fixed-point iteration")
        quick = getattr(fast, name)
        ax.semilogy(passes[quick > 0.0], quick[quick > 0.0], "s-", color=RED, markersize=4, label="Newton's method")
        ax.semilogy(passes, changes[0] * slow.rate ** (passes - 1), ":", color=GREY, label=f"{slow.rate:.4f} per pass")
        ax.set(xlabel="pass", ylabel=f"largest change of {name} [{unit}]")
    axes[0, 0].legend(frameon=False)
    keep(figure, out, "paper_e_iterations", f"{PAPERS['E']}, figure 6: how friction and reactions settle")
    measured = float((slow.multipliers[-1] / slow.multipliers[0]) ** (1.0 / (PASSES - 1)))
    assert abs(measured - slow.rate) < 5e-3
    return slow.rate


def forward_euler(system: jp.System, until: float, save: int) -> tuple[np.ndarray, Motion]:
    """y <- y + h f(y), every ``save``-th state of it."""
    compiled = compile_system(system)
    packed, state = compiled.model, compiled.state
    work, y = make_work(packed, state), state.y.copy()
    dy, kept = np.zeros_like(y), []
    for k in range(round(until / STEP) + 1):
        derivative(packed, k * STEP, y, state.memory, work, dy)
        if k % save == 0:
            kept.append((y.copy(), dy.copy()))
        y += STEP * dy
    values, rates = (np.array(part) for part in zip(*kept, strict=True))
    motion = {}
    for k, name in enumerate(("crank", "rod")):  # places of all three bodies come first, then their velocities
        p, u = 7 * k, 21 + 6 * k
        motion[f"{name}.position"], motion[f"{name}.orientation"] = values[:, p : p + 3], values[:, p + 3 : p + 7]
        motion[f"{name}.velocity"], motion[f"{name}.angular_velocity"] = values[:, u : u + 3], values[:, u + 3 : u + 6]
        motion[f"{name}.acceleration"] = rates[:, u : u + 3]
        motion[f"{name}.angular_acceleration"] = rates[:, u + 3 : u + 6]
    return STEP * save * np.arange(len(kept)), motion


def opened(motion: Motion | jp.Solution) -> list[np.ndarray]:
    """How far place, velocity and acceleration of crank and rod differ at their common pin."""
    found: list[list[np.ndarray]] = [[], [], []]
    for name, arm in ARMS.items():
        e0, e = motion[f"{name}.orientation"][:, :1], motion[f"{name}.orientation"][:, 1:]
        w, dw = motion[f"{name}.angular_velocity"], motion[f"{name}.angular_acceleration"]
        locals_ = (np.broadcast_to(arm, e.shape), np.cross(w, arm), np.cross(dw, arm) + np.cross(w, np.cross(w, arm)))
        for kind, base, local in zip(found, ("position", "velocity", "acceleration"), locals_, strict=True):
            cross = 2.0 * np.cross(e, local)
            kind.append(motion[f"{name}.{base}"] + local + e0 * cross + np.cross(e, cross))  # turned into global axes
    return [np.linalg.norm(rod - crank, axis=1) for crank, rod in found]


def draw_drift(out: Path, until: float) -> tuple[float, float]:
    """Figure 7. Returns how far the pin is open at the end with forward Euler, and at most with the implicit rule."""
    system = model(**NO_FRICTION)
    implicit = jp.simulate(system, until, jp.Index1(step=STEP), save=0.01, progress=True)
    assert implicit.outcome.ok, implicit.outcome.message
    time, euler = forward_euler(system, until, 100)
    gaps, tight = opened(euler), opened(implicit)
    figure, axes = panels(1, 3, (12.0, 4.0))
    for ax, loose, closed, label in zip(
        axes[0], gaps, tight, ("place [m]", "velocity [m/s]", "acceleration [m/s²]"), strict=True
    ):
        ax.semilogy(time, np.maximum(loose, 1e-18), color=RED, label="forward Euler")
        ax.semilogy(
            implicit.time, np.maximum(closed, 1e-18), ".", color=BLUE, markersize=2, label="implicit, projected"
        )
        ax.set(xlabel="time [s]", ylabel=f"pin left open: {label}", xlim=(0, until), ylim=(1e-18, 1e2))
    axes[0, 0].legend(frameon=False, loc="center right")
    keep(figure, out, "paper_e_drift", f"{PAPERS['E']}, figure 7: what two rules with steps of 0.1 ms leave open")
    return float(gaps[0][-1]), float(max(values.max() for values in tight))


def main(out: Path = OUT, until: float = UNTIL) -> float:
    """Draw both figures and check. Returns the rate of the fixed-point iteration."""
    rate = draw_iterations(out)
    loose, tight = draw_drift(out, until)
    print(f"the fixed-point iteration shrinks its changes by {rate:.4f} per pass")
    print(f"after {until:g} s forward Euler leaves {1e3 * loose:.2f} mm open, the implicit rule at most {tight:.1e}")
    assert tight < 1e-10
    assert loose > 1e6 * tight
    assert abs(rate - 0.5647) < 1e-4
    return rate


if __name__ == "__main__":
    main()
