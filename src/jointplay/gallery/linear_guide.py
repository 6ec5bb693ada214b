"""A carriage on a linear guide with play: how much preload stops the rattle, and what the drive pays for it.

Subject:   stories
Question:  how much preload keeps a carriage from rattling in its play, and what does it cost?
Answer:    666 N for a tool that pulls with 400 N, 50 mm ahead of the carriage: a little less and the front corner
           lifts, which costs 7 um at the tip with 1 % too little and all of the 70 um that the play allows with 10 %
           too little. More preload than that buys no accuracy; it costs drive force, 5 N for every 100 N, and wear.
Number:    666.34 N, from statics: F + 2 F a/(l + mu w) - m g; the runs rattle with 1 % less and are still with 1 %
           more.

The carriage is rigid, with 20 um of play on each side; arm a, length l and width w as in the model. The preload is a
force, as of spring-loaded rollers. Friction acts below the drive and presses the nose down, hence mu w beside l.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, OUT, RED, keep, panels

UNTIL, SETTLED = 0.3, 0.1  # s: six periods of the tool, two for the carriage to settle
LOAD, ARM, LENGTH, WIDTH, MU, WEIGHT = 400.0, 0.05, 0.12, 0.06, 0.05, 6.0 * 9.81  # SI
NEEDED = LOAD + 2.0 * LOAD * ARM / (LENGTH + MU * WIDTH) - WEIGHT  # N
SHARES = (0.3, 0.6, 0.9, 0.97, 0.99, 1.01, 1.1, 1.3, 1.6)
SHOWN = {0.6: RED, 0.97: BLUE, 1.1: GREEN}


def solve(preload: float) -> jp.Solution:
    """The model with another preload (N)."""
    system = jp.load_model(entries()["linear_guide"], overrides={"parameters.preload": f"{preload} N"})
    sol = jp.simulate(system, UNTIL, jp.Moreau(step=2e-5), "0.2 ms", progress=True)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def main(out: Path = OUT) -> float:
    """Run a range of preloads, draw, and check that rattling ends where statics predicts. Returns that preload in N."""
    figure, axes = panels(1, 3, (13.0, 4.2))
    motion, tip, drive = axes[0]
    wandering, pulls = [], []
    print(f"needed by statics: {NEEDED:.2f} N")
    print(f"{'preload [N]':>12} {'tip moves [um]':>15} {'lifts [um]':>11} {'drive [N]':>10}")
    for share in SHARES:
        sol = solve(share * NEEDED)
        late = (sol.time >= SETTLED) & (sol.time < UNTIL - 1e-9)  # whole periods
        height = 1e6 * sol["tip.position[1]"][late]
        wandering.append(np.ptp(height))
        pulls.append(sol["D.drive_force"][late].mean())
        lift = 1e6 * sol["D.gap"][late][:, 2:].max()
        print(f"{share * NEEDED:12.1f} {wandering[-1]:15.4f} {lift:11.4f} {pulls[-1]:10.3f}")
        assert lift < 1e-3 if share > 1.0 else lift > 1.0
        if share in SHOWN:
            label = f"{share * NEEDED:.0f} N"
            motion.plot(1e3 * sol.time[late], height, color=SHOWN[share], linewidth=1.1, label=label)
        if share == 1.1:
            sol.save(out / "linear_guide.nc")
    forces = NEEDED * np.array(SHARES)
    tip.plot(forces, wandering, "o-", color=BLUE, markersize=4)
    tip.axvline(NEEDED, color=GREY, linestyle="--", label=f"statics: {NEEDED:.0f} N")
    drive.plot(forces, pulls, "o", color=BLUE, markersize=4, label="runs")
    drive.plot(forces, MU * (forces + WEIGHT), ":", color=GREY, label="friction x (preload + weight)")
    motion.set(xlabel="time [ms]", ylabel="height of the tip of the tool [µm]", xlim=(100, 200))
    tip.set(xlabel="preload [N]", ylabel="range of the tip [µm]", ylim=(-2, None))
    drive.set(xlabel="preload [N]", ylabel="mean force of the drive [N]", ylim=(0, None))
    for ax in axes[0]:
        ax.legend(frameon=False, fontsize="small")
    keep(figure, out, "linear_guide", "A carriage with 20 µm of play on each side, shaken by its tool at 20 Hz")
    still = forces > NEEDED
    assert np.allclose(np.array(pulls)[still], MU * (forces + WEIGHT)[still], rtol=1e-6)
    return NEEDED


if __name__ == "__main__":
    main()
