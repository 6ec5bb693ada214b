"""Fixed and bounded steps on a pendulum with play, beside an ideal one.

Subject:   A
Figures:   32 to 37
Question:  may the step of a time-stepping scheme be long where nothing happens?
Answer:    not without a price. The pendulum can lose energy only when it meets its pin, 0.579 J. The paper's scheme
           goes on losing it as long as it runs, in 10 s another 0.39 J with steps of 0.2 ms and 3.8 J with 1 to 2 ms,
           and 1.3 J with an ideal pin, where nothing can be lost. ``Moreau`` with error control loses 0.579 J.
Number:    0.5793 J lost at the first contact, m g c J/(J + m r^2), from a free fall through the play c.
Data:      table 4 gives all lengths in m and no inertia; here metres are taken at their word, with 800 kg m2 about
           every axis.

A pendulum of 30.9 m on a pin with 0.1 m of radial play, and the same on an ideal pin, run by ``OptimalStep`` with two
fixed steps and two ranges; ``Moreau`` and, for the ideal pin, ``Explicit`` give the exact answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, PURPLE, RED, keep, panels

UNTIL, SAVE = 10.0, 0.01  # s
SCHEMES: tuple[tuple[str, jp.OptimalStep, str], ...] = (
    ("h = 0.2 ms", jp.OptimalStep(h_min=2e-4, h_max=2e-4), BLUE),
    ("h = 1 ms", jp.OptimalStep(h_min=1e-3, h_max=1e-3), GREEN),
    ("0.2 to 1 ms", jp.OptimalStep(h_min=2e-4, h_max=1e-3), ORANGE),
    ("1 to 2 ms", jp.OptimalStep(h_min=1e-3, h_max=2e-3), PURPLE),
)
HIDDEN = "h = 1 ms"  # the next one lies on it, so that it is drawn broad


@dataclass(frozen=True)
class Row:
    """A scheme with its two runs."""

    label: str
    colour: str
    play: jp.Solution
    ideal: jp.Solution

    @property
    def look(self) -> dict[str, object]:
        """How its lines are drawn."""
        width = {"linewidth": 4.0, "alpha": 0.45} if self.label == HIDDEN else {"linewidth": 1.2}
        return {"color": self.colour, "label": f"OptimalStep, {self.label}", **width}


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


def draw_figures(out: Path, rows: list[Row], exact: jp.Solution, ideal: jp.Solution) -> None:
    """Figures 32 to 37."""
    figure, axes = panels(4, 2, (11.0, 12.0))
    names = ["centre of mass x, y [m]", "velocity x, y [m/s]", "energy [J]", "force of the pin [N]"]
    names += ["play: centre of an end x, y [m]", "ideal pin: left open [m or rad]"]
    for ax, number, name in zip(axes.flat, (32, 33, 34, 35, 36, 36), names, strict=False):
        ax.set(xlabel="time [s]", ylabel=name, xlim=(0, exact.time[-1]))
        ax.set_title(f"figure {number}", fontsize="medium", loc="left")
    place, speed, energy, force, end, left, steps, seconds = axes.flat
    ideal_look = {"color": GREY, "linewidth": 3.0, "alpha": 0.5, "zorder": 0}
    for axis, colour in ((0, BLUE), (1, RED)):
        for ax, name in ((place, "bob.position"), (speed, "bob.velocity"), (force, "P.force")):
            ax.plot(ideal.time, ideal[name][:, axis], **ideal_look, label="ideal pin" if axis else None)
            ax.plot(exact.time, exact[name][:, axis], color=colour, linewidth=1.0, label=f"{'xy'[axis]}, play")
        end.plot(exact.time, exact["P.offset"][:, 0, axis], color=colour, linewidth=1.0, label="xy"[axis])
    for name, colour in (("total", "black"), ("kinetic", BLUE), ("potential", RED)):
        energy.plot(ideal.time, ideal[f"energy.{name}"], **ideal_look)
        energy.plot(exact.time, exact[f"energy.{name}"], color=colour, linewidth=1.0, label=name)
    for row in rows:
        left.semilogy(row.ideal.time, np.maximum(row.ideal["P.residual"], 1e-18), ".", color=row.colour, markersize=2)
    left.set_ylim(1e-18, 1e-8)
    at = np.arange(len(rows))
    for ax, count, name in ((steps, "steps", "steps"), (seconds, "run_time", "computing time [s]")):
        ax.bar(at - 0.2, [row.play.stats[count] for row in rows], 0.38, color=RED, label="play")
        ax.bar(at + 0.2, [row.ideal.stats[count] for row in rows], 0.38, color=GREY, label="ideal pin")
        ax.bar([len(rows)], [exact.stats[count]], 0.38, color="black", label="Moreau, play")
        ax.set_xticks(range(len(rows) + 1), [*(row.label for row in rows), "rtol = 1e-8"])
        ax.set_ylabel(name)
        ax.set_title("figure 37", fontsize="medium", loc="left")
    for ax in (place, speed, energy, force, end, steps):
        ax.legend(frameon=False, fontsize="small", loc="best")
    title = f"{PAPERS['A']}, figures 32 to 37: pendulum on a pin with play (Moreau) and on an ideal one"
    keep(figure, out, "paper_a_pendulum", title)


def draw_losses(out: Path, rows: list[Row], exact: jp.Solution) -> None:
    """The energy of figure 34 for all schemes, and the forces of figure 35 while the pendulum is fast."""
    figure, axes = panels(1, 2, (11.0, 4.2))
    energy, force = axes[0]
    for row in rows:
        energy.plot(row.play.time, lost(row.play), **row.look)
        force.plot(row.play.time, row.play["P.force[0]"], **row.look)
    for ax, values in ((energy, lost(exact)), (force, exact["P.force[0]"])):
        ax.plot(exact.time, values, "--", color="black", linewidth=1.0, label="Moreau, rtol = 1e-8")
    energy.set(xlabel="time [s]", ylabel="energy lost [J]", xlim=(0, exact.time[-1]))
    force.set(xlabel="time [s]", ylabel="force of the pin, x [N]", xlim=(2.0, 5.0))
    energy.legend(frameon=False, fontsize="small")
    title = f"{PAPERS['A']}, after figures 34 and 35: a long step is a damper"
    keep(figure, out, "paper_a_pendulum_losses", title)


def report(pin: str, label: str, sol: jp.Solution, truth: jp.Solution) -> None:
    """A line of the table: cost, loss, and how far the bob is from the exact solution at the end."""
    off = 1e3 * float(np.linalg.norm(sol["bob.position"][-1] - truth["bob.position"][-1]))
    cost = f"{sol.stats['steps']:8d} {1e3 * sol.stats['run_time']:9.1f}"
    print(f"{pin:>6} {label:>12} {cost} {lost(sol)[-1]:9.3f} {off:16.3f}")


def main(out: Path = OUT, until: float = UNTIL) -> float:
    """Run all, draw, and check what the pendulum loses when it meets its pin. Returns that in J."""
    exact = jp.simulate(pendulum(True), until, jp.Moreau(rtol=1e-8, atol=1e-10), SAVE, progress=True)
    ideal = jp.simulate(pendulum(False), until, jp.Explicit(rtol=1e-10, atol=1e-12), SAVE, progress=True)
    rows = []
    for label, method, colour in SCHEMES:
        play, without = (jp.simulate(pendulum(one), until, method, SAVE, progress=True) for one in (True, False))
        rows.append(Row(label, colour, play, without))
    print(f"{'pin':>6} {'steps':>12} {'number':>8} {'run [ms]':>9} {'lost [J]':>9} {'bob off by [mm]':>16}")
    for row in rows:
        report("play", row.label, row.play, exact)
    for row in rows:
        report("ideal", row.label, row.ideal, ideal)
    report("play", "Moreau rtol", exact, exact)
    draw_figures(out, rows, exact, ideal)
    draw_losses(out, rows, exact)

    blow = exact.impacts[exact.impacts["time"] == exact.impacts["time"][0]]  # both ends of the bearing at once
    first, struck = float(blow["time"][0]), float(blow["energy_loss"].sum())
    print(f"the pendulum meets its pin at {first:.5f} s and loses {struck:.4f} J there")
    assert abs(first - np.sqrt(2 * 0.1 / 9.81)) < 1e-9
    assert abs(struck - 2.0 * 9.81 * 0.1 * 800.0 / (800.0 + 2.0 * 30.9**2)) < 1e-6
    assert all(lost(row.play)[-1] > lost(exact)[-1] for row in rows)
    return struck


if __name__ == "__main__":
    main()
