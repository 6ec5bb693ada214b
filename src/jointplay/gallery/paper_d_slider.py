"""A planar slider in a guide with ten micrometres of play: three points of attack of one force.

Subject:   D
Figures:   2
Question:  a force pushes the slider along its guide, at its centre, 2 mm or 30 mm below it. How does the slider come
           to lie?
Answer:    flat for the first two, each end carrying half the weight, or 20.7 and 10.7 N; with 30 mm it tilts until
           opposite ends bear with 90.7 and 59.3 N. Which end carries more shows where a guide is pushed.
Number:    90.696 N at the back end, F s/l + m g/2 with arm s and length l.
Data:      the extended abstract prints no data but the play; mass, length, force and arms are ours, and its figure
           has no case 2, which is the middle column.
Models:    guided_slider
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, OUT, RED, keep, panels

GAP = 10e-6  # m, on each side
CASES = {"0 mm": (15.696, 15.696), "2 mm": (20.696, 10.696), "30 mm": (90.696, 59.304)}  # N at back and front end


def main(out: Path = OUT) -> float:
    """Run and draw the cases; check heights and forces at rest. Returns the largest force of the last case in N."""
    figure, axes = panels(2, 3, (11.0, 5.6), sharex=True, sharey="row")
    for column, (arm, expected) in enumerate(CASES.items()):
        system = jp.load_model(entries()["guided_slider"], overrides={"parameters.arm": arm})
        sol = jp.simulate(system, until="12 ms", method=jp.Moreau(step=2e-5), save="20 us", progress=True)
        heights = sol["D.gap"][:, 2:] - GAP  # of the ends, from those at the lower wall
        forces = sol["D.normal_force"][:, 2:] + sol["D.normal_force"][:, :2]  # an end bears on one wall at a time
        for end, (name, colour, width) in enumerate((("back end", BLUE, 2.6), ("front end", RED, 1.3))):
            axes[0, column].plot(1e3 * sol.time, 1e6 * heights[:, end], color=colour, linewidth=width, label=name)
            axes[1, column].plot(1e3 * sol.time, forces[:, end], color=colour, linewidth=width, label=name)
        middle = 1e6 * sol["slider.position[1]"]
        axes[0, column].plot(1e3 * sol.time, middle, "--", color="black", linewidth=1.0, label="centre of mass")
        axes[0, column].set_title(f"force {arm} below the centre", fontsize="medium", loc="left")
        axes[1, column].set(xlabel="time [ms]", xlim=(0, 12))
        front = 1.0 if arm == "30 mm" else -1.0
        print(f"{arm:>6}: ends at {1e6 * heights[-1]} um, forces {forces[-1]} N, {len(sol.impacts)} impacts")
        assert np.allclose(heights[-1], (-GAP, front * GAP), rtol=0, atol=1e-10)
        assert np.allclose(forces[-1], expected, rtol=0, atol=1e-6)
        hardest = float(forces[-1].max())
    axes[0, 0].set_ylabel("height of the end [µm]")
    axes[1, 0].set_ylabel("contact force [N]")
    axes[0, 0].legend(frameon=False, loc="upper right")
    keep(figure, out, "paper_d_slider", f"{PAPERS['D']}, figure 2 (left: a, right: b) and case 2")
    return hardest


if __name__ == "__main__":
    main()
