"""A pendulum on a pin with radial and axial play, its mass aside of the bearing.

Subject:   A
Figures:   23 to 30
Question:  let go from the horizontal, a pendulum first falls freely onto its pin. Does play in the pin change the
           swing of a pendulum?
Answer:    hardly. It meets its pin after 0.143 s; from then on its centre of mass stays within 0.2 m of the ideal
           one, on a swing of 60 m, and the force of the pin within a few newtons of the ideal one. What the play adds
           is a wandering of 0.5 m along the pin, where the pendulum tilts, and 1.05 J lost in impacts. The step
           matters more: with 1 to 2 ms the scheme of the paper loses 4.9 J in 10 s, with at most 1 ms 3.0 J.
Number:    0.14278 s to the first contact, sqrt(2 c/g), a free fall through the play c.
Data:      table 3 gives all lengths in m and no inertia; here metres are taken at their word, with 800 kg m2 about
           every axis.
Models:    clearance_pendulum

Shown are ``OptimalStep``, the scheme of the paper, with steps of 1 to 2 ms, ``Moreau`` with error control, and the
ideal pin by ``Explicit``. Impacts depend on those before: after the first few, single ones differ from scheme to
scheme. In figure 30 of the paper a smaller lower bound of the step helps; here the upper bound alone decides, because
steps are as long as they may be.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, PURPLE, RED, keep, panels

UNTIL, SAVE = 10.0, 0.01  # s
EXACT = jp.Moreau(rtol=1e-6, atol=1e-8)
MASS, GRAVITY = 2.0, 9.81  # kg, m/s2
RANGES = ((1.0, 2.0, BLUE), (0.5, 1.0, GREEN), (0.5, 2.0, ORANGE), (0.2, 1.0, PURPLE))  # ms


def pendulum(**changes: Any) -> jp.System:
    """The model of the gallery, changed."""
    return jp.load_model(entries()["clearance_pendulum"], overrides=changes)


def residual(sol: jp.Solution) -> np.ndarray:
    """What is left of m a = forces, in N."""
    loads = sol["P.force"] + np.array([0.0, -MASS * GRAVITY, 0.0])
    return np.linalg.norm(MASS * sol["pendulum.acceleration"] - loads, axis=1)


def draw_motion(out: Path, paper: jp.Solution, exact: jp.Solution, ideal: jp.Solution) -> None:
    """Figures 23 to 29, a panel each."""
    figure, axes = panels(4, 2, (11.0, 11.5))
    names = ["residual of motion [N]", "centres of the ends [m]", "force of the pin [N]", "velocity [m/s]"]
    names += ["centre of mass x, y [m]", "centre of mass z, along the pin [m]", "step at saved instants [ms]"]
    for k, (ax, name) in enumerate(zip(axes.flat, names, strict=False)):
        ax.set(xlabel="time [s]", ylabel=name, xlim=(0, paper.time[-1]))
        ax.set_title(f"figure {23 + k}", fontsize="medium", loc="left")
    left, offset, force, speed, place, along, steps, last = axes.flat
    last.remove()
    steps.set_subplotspec(steps.get_gridspec()[3, :])
    left.semilogy(
        paper.time, np.maximum(residual(paper), 1e-16), ".", color=RED, markersize=3, label="0 is drawn as 1e-16"
    )
    left.set_ylim(1e-16, 1e-8)
    for end, word in ((0, "back"), (1, "front")):
        for axis, colours in ((0, (BLUE, GREEN)), (1, (RED, ORANGE))):
            look = {"color": colours[end], "linewidth": 0.9, "label": f"{'xy'[axis]} {word}"}
            offset.plot(paper.time, paper["P.offset"][:, end, axis], **look)
    for axis, colour in ((0, BLUE), (1, RED), (2, GREEN)):
        look = {"color": colour, "linewidth": 0.8}
        force.plot(paper.time, paper["P.force"][:, axis], label="xyz"[axis], **look)
        force.plot(ideal.time, ideal["P.force"][:, axis], "--", color="black", linewidth=0.8)
        if axis == 2:
            continue
        for ax, name in ((speed, "pendulum.velocity"), (place, "pendulum.position")):
            ax.plot(paper.time, paper[name][:, axis], label="xyz"[axis], **look)
            ax.plot(ideal.time, ideal[name][:, axis], "--", color="black", linewidth=0.8)
    speed.plot([], [], "--", color="black", linewidth=0.8, label="ideal pin")
    start = ideal["pendulum.position[2]"][0]
    for sol, line in (
        (paper, {"color": BLUE, "label": "OptimalStep"}),
        (exact, {"color": RED, "linewidth": 0.9, "label": "Moreau"}),
        (ideal, {"color": "black", "linestyle": "--", "linewidth": 0.8, "label": "ideal pin"}),
    ):
        along.plot(sol.time, sol["pendulum.position[2]"] - start, **line)
    steps.plot(paper.time[1:], 1e3 * paper["solver.step"][1:], ".", color=BLUE, markersize=3)
    steps.set_ylim(0.8, 2.2)
    for ax in (left, force, speed):
        ax.legend(frameon=False, fontsize="small", ncols=2, loc="upper right")
    along.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(0.42, 1.0))
    offset.legend(frameon=False, fontsize="small", ncols=4, loc="lower right", bbox_to_anchor=(1.02, 0.98))
    keep(figure, out, "paper_a_revolute", f"{PAPERS['A']}, figures 23 to 29: pendulum with radial and axial play")


def draw_energy(out: Path, runs: dict[tuple[float, float, str], jp.Solution], exact: jp.Solution) -> None:
    """Figure 30."""
    figure, axes = panels(1, 1, (8.0, 4.2))
    ax = axes[0, 0]
    for k, ((low, high, colour), sol) in enumerate(runs.items()):
        broad = {"linewidth": 5.0, "alpha": 0.4} if k < 2 else {"linewidth": 1.2}  # those that others lie upon
        gone = sol["energy.total"] - sol["energy.total"][0]
        ax.plot(sol.time, gone, color=colour, label=f"{low:g} to {high:g} ms", **broad)
    ax.plot(exact.time, exact["energy.total"] - exact["energy.total"][0], "--", color=GREY, label="Moreau, rtol = 1e-6")
    ax.set(xlabel="time [s]", ylabel="mechanical energy since the start [J]", xlim=(0, exact.time[-1]))
    ax.legend(frameon=False)
    keep(figure, out, "paper_a_revolute_energy", f"{PAPERS['A']}, figure 30: energy for four ranges of the step")


def main(out: Path = OUT, until: float = UNTIL) -> float:
    """Run, draw, and check when the pendulum meets its pin. Returns that instant in s."""
    exact = jp.simulate(pendulum(), until, EXACT, SAVE, progress=True)
    ideal = jp.simulate(pendulum(**{"joints.P.radial": jp.Ideal()}), until, jp.Explicit(rtol=1e-9), SAVE, progress=True)
    runs = {}
    for low, high, colour in RANGES:
        method = jp.OptimalStep(h_min=1e-3 * low, h_max=1e-3 * high)
        runs[low, high, colour] = sol = jp.simulate(pendulum(), until, method, SAVE, progress=True)
        lost = sol["energy.total"][0] - sol["energy.total"][-1]
        print(f"steps of {low:g} to {high:g} ms: {sol.stats['steps']} steps, {lost:.2f} J lost")
    paper = runs[RANGES[0]]
    print(f"Moreau: {exact.stats['steps']} steps, {exact['energy.total'][0] - exact['energy.total'][-1]:.2f} J lost")
    apart = np.linalg.norm((exact["pendulum.position"] - ideal["pendulum.position"])[:, :2], axis=1)
    print(f"centre of mass within {apart.max():.3f} m of the ideal one; along the pin", end=" ")
    print(f"{np.ptp(exact['pendulum.position[2]']):.3f} m; strongest impact {exact.impacts['impulse'].max():.1f} N s")
    draw_motion(out, paper, exact, ideal)
    draw_energy(out, runs, exact)
    first = float(exact.impacts["time"][0])
    print(f"the pendulum meets its pin at {first:.5f} s")
    assert abs(first - np.sqrt(2 * 0.1 / GRAVITY)) < 1e-9
    for sol in (*runs.values(), exact):
        assert sol["P.gap"].min() > -1e-6
    return first


if __name__ == "__main__":
    main()
