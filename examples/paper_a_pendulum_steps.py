"""Fixed and bounded steps on a pendulum with play: after Chaturvedi, Sandu and Sandu 2024, figures 30 to 37.

A pendulum of 30.9 m (table 4, read in metres) on a pin with 0.1 m of radial play, and the same on an ideal pin. The
paper's scheme, ``OptimalStep``, runs with two fixed steps and two ranges; ``Moreau`` and, for the ideal pin,
``Explicit`` say what is exact. The pendulum can only lose energy in the impact at 0.143 s; all that a scheme loses
later is its own damping, and grows with the step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from drawing import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, keep, panels

import jointplay as jp

UNTIL, SAVE = 10.0, 0.01  # s
SCHEMES: tuple[tuple[str, jp.OptimalStep, str], ...] = (
    ("h = 0.2 ms", jp.OptimalStep(h_min=2e-4, h_max=2e-4), BLUE),
    ("h = 1 ms", jp.OptimalStep(h_min=1e-3, h_max=1e-3), GREEN),
    ("0.2 to 1 ms", jp.OptimalStep(h_min=2e-4, h_max=1e-3), ORANGE),
    ("1 to 2 ms", jp.OptimalStep(h_min=1e-3, h_max=2e-3), PURPLE),
)


def pendulum(play: bool) -> jp.System:
    """The pendulum, drawn horizontal and at rest."""
    s = jp.System("pendulum with play" if play else "ideal pendulum", gravity=(0, -9.81, 0))
    bob = s.body("bob", mass="2 kg", inertia=(800.0, 800.0, 800.0), position=(30.9, 0, 0))
    law = jp.Clearance("0.1 m") if play else jp.Ideal()
    s.revolute("P", s.ground, bob, point=(0, 0, 0), axis=(0, 0, 1), length="20 m", radius="5 m", radial=law)
    return s


def lost(sol: jp.Solution) -> np.ndarray:
    """Mechanical energy that is gone since the start, in J."""
    return sol["energy.total"][0] - sol["energy.total"]


def main() -> None:
    """Run all, draw, and check when the pendulum meets its pin."""
    exact = jp.simulate(pendulum(True), UNTIL, jp.Moreau(rtol=1e-8, atol=1e-10), SAVE)
    ideal = jp.simulate(pendulum(False), UNTIL, jp.Explicit(rtol=1e-10, atol=1e-12), SAVE)
    figure, axes = panels(2, 2, (11.0, 7.0))
    energy, force, speed, cost = axes.flat

    rows: list[tuple[str, str, jp.Solution, jp.Solution]] = []
    for label, method, colour in SCHEMES:
        with_play, without = (jp.simulate(pendulum(play), UNTIL, method, SAVE) for play in (True, False))
        rows.append((label, colour, with_play, without))
    print(f"{'pin':>6} {'steps':>12} {'number':>8} {'run [ms]':>9} {'lost [J]':>9} {'bob off by [mm]':>16}")
    for play, truth in ((True, exact), (False, ideal)):
        for label, _, *sols in rows:
            report("play" if play else "ideal", label, sols[0 if play else 1], truth)
    report("play", "Moreau rtol", exact, exact)

    for label, colour, sol, _ in rows:
        broad = {"linewidth": 4.0, "alpha": 0.5} if label == "h = 1 ms" else {"linewidth": 1.4}  # the next one hides it
        energy.plot(sol.time, lost(sol), color=colour, label=f"OptimalStep, {label}", **broad)
        force.plot(sol.time, sol["P.force[1]"], color=colour, linewidth=1.0)
    energy.plot(exact.time, lost(exact), color="k", linestyle="--", label="Moreau, rtol = 1e-8")
    energy.set(xlabel="time [s]", ylabel="energy lost [J]", xlim=(0, UNTIL))
    energy.legend(frameon=False, fontsize="small")
    force.plot(ideal.time, ideal["P.force[1]"], color=GREY, linewidth=3.5, alpha=0.5, zorder=0, label="ideal pin")
    force.plot(exact.time, exact["P.force[1]"], color="k", linestyle="--", linewidth=1.0, label="play, Moreau")
    force.set(xlabel="time [s]", ylabel="force of the pin, upwards [N]", xlim=(0, UNTIL), ylim=(-2, 62))
    force.legend(frameon=False, fontsize="small", loc="upper right")
    early = exact.time <= 1.0
    speed.plot(ideal.time[early], ideal["bob.velocity[1]"][early], color=GREY, label="ideal pin")
    speed.plot(exact.time[early], exact["bob.velocity[1]"][early], color=RED, label="play, Moreau")
    speed.set(xlabel="time [s]", ylabel="speed of the centre of mass, upwards [m/s]", xlim=(0, 1))
    speed.legend(frameon=False, fontsize="small")
    draw_cost(cost, rows, exact)
    keep(figure, "paper_a_pendulum_steps")

    first = float(exact.impacts["time"][0])
    print(f"the pendulum meets its pin at {first:.5f} s")
    assert abs(first - np.sqrt(2 * 0.1 / 9.81)) < 1e-9


def report(pin: str, label: str, sol: jp.Solution, truth: jp.Solution) -> None:
    """A line of the table: cost, loss, and how far the bob is from the exact solution at the end."""
    off = 1e3 * float(np.linalg.norm(sol["bob.position"][-1] - truth["bob.position"][-1]))
    cost = f"{sol.stats['steps']:8d} {1e3 * sol.stats['run_time']:9.1f}"
    print(f"{pin:>6} {label:>12} {cost} {lost(sol)[-1]:9.3f} {off:16.3f}")


def draw_cost(ax: Any, rows: list[tuple[str, str, jp.Solution, jp.Solution]], exact: jp.Solution) -> None:
    """Steps as bars."""
    names = [label for label, *_ in rows]
    place = np.arange(len(rows))
    ax.bar(place - 0.2, [sol.stats["steps"] for _, _, sol, _ in rows], 0.38, color=RED, label="play")
    ax.bar(place + 0.2, [sol.stats["steps"] for *_, sol in rows], 0.38, color=GREY, label="ideal pin")
    ax.bar([len(rows)], [exact.stats["steps"]], 0.38, color="k", label="Moreau, play")
    ax.set_xticks(range(len(rows) + 1), [*names, "rtol = 1e-8"])
    ax.set_ylabel("steps for 10 s")
    ax.legend(frameon=False, fontsize="small")


if __name__ == "__main__":
    main()
