"""A planar slider in a guide with ten micrometres of play: the three cases of Chaturvedi, Sandu and Sandu 2023.

A force pushes the slider along its guide, at the centre of mass, 2 mm below it, or 30 mm below it. The slider drops
onto the lower wall and comes to lie flat, or tilts until two opposite ends bear. The extended abstract prints no data
but the play; those here are of the gallery's ``guided_slider``.
"""

from __future__ import annotations

import numpy as np
from drawing import BLUE, RED, keep, panels

import jointplay as jp
from jointplay.cli.examples import entries

GAP = 10e-6  # m, on each side
CASES = {"0 mm": (15.696, 15.696), "2 mm": (20.696, 10.696), "30 mm": (90.696, 59.304)}  # N at back and front end


def main() -> None:
    """Run and draw the cases; check heights and forces of both ends at rest."""
    figure, axes = panels(2, 3, (11.0, 5.6), sharex=True, sharey="row")
    for column, (arm, expected) in enumerate(CASES.items()):
        system = jp.load_model(entries()["guided_slider"], overrides={"parameters.arm": arm})
        sol = jp.simulate(system, until="12 ms", method=jp.Moreau(step=2e-5), save="20 us")
        heights = sol["D.gap"][:, 2:] - GAP  # of the ends, from those at the lower wall
        forces = sol["D.normal_force"][:, 2:] + sol["D.normal_force"][:, :2]  # an end bears on one wall at a time
        for end, (name, colour, width) in enumerate((("back end", BLUE, 2.6), ("front end", RED, 1.3))):
            axes[0, column].plot(1e3 * sol.time, 1e6 * heights[:, end], color=colour, linewidth=width, label=name)
            axes[1, column].plot(1e3 * sol.time, forces[:, end], color=colour, linewidth=width, label=name)
        axes[0, column].set_title(f"force {arm} below the centre", fontsize="medium", loc="left")
        axes[1, column].set(xlabel="time [ms]", xlim=(0, 12))
        front = 1.0 if arm == "30 mm" else -1.0
        print(f"{arm:>6}: ends at {1e6 * heights[-1]} um, forces {forces[-1]} N, {len(sol.impacts)} impacts")
        assert np.allclose(heights[-1], (-GAP, front * GAP), rtol=0, atol=1e-10)
        assert np.allclose(forces[-1], expected, rtol=0, atol=1e-6)
    axes[0, 0].set_ylabel("height of the end [µm]")
    axes[1, 0].set_ylabel("contact force [N]")
    axes[1, 0].legend(frameon=False, loc="upper left")
    keep(figure, "paper_d_slider")


if __name__ == "__main__":
    main()
