"""Spatial sliders with play: a sleeve and a prism (Chaturvedi, Sandu and Sandu 2024, figures 10 to 22).

A sleeve on a rod and a triangular slider in its hole, each pushed below its centre of mass. They drop, tilt until their
ends bear, and slide away. Solved by ``Moreau`` (lines) and by ``OptimalStep``, the paper's own scheme, with steps of
1 ms (points). With steps between 1 and 10 ms it arrives at the same rest in a handful of steps; what happens on the way
it does not see.
"""

from __future__ import annotations

import numpy as np
from drawing import BLUE, RED, keep, panels

import jointplay as jp
from jointplay.cli.examples import entries

MOREAU = jp.Moreau(step=1e-4)
PAPER = jp.OptimalStep(h_min=1e-3, h_max=1e-3)
RANGE = jp.OptimalStep(h_min=1e-3, h_max=1e-2)


def ends(sol: jp.Solution, body: str, reach: float) -> np.ndarray:
    """Heights of the slider's back and front end, on its axis: (time, 2)."""
    e0, e1, e2, e3 = sol[f"{body}.orientation"].T
    slope = 2.0 * (e2 * e3 - e0 * e1)  # y component of the body's z axis
    return sol[f"{body}.position[1]"][:, None] + np.outer(slope, (-reach, reach))


def main() -> None:
    """Run and draw both cases; check the forces at rest."""
    figure, axes = panels(3, 2, (10.0, 8.0), sharex=True)
    for column, (name, body) in enumerate((("cylindrical_slider", "sleeve"), ("prismatic_slider", "slider"))):
        system = jp.load_model(entries()[name])
        fine = jp.simulate(system, until="60 ms", method=MOREAU, save="0.1 ms")
        coarse = jp.simulate(system, until="60 ms", method=PAPER, save="1 ms")
        few = jp.simulate(system, until="60 ms", method=RANGE, save=["60 ms"])
        top, middle, bottom = axes[:, column]
        for end, colour, label in ((0, BLUE, "back end"), (1, RED, "front end")):
            top.plot(1e3 * fine.time, 1e3 * ends(fine, body, 0.01)[:, end], color=colour, label=label)
            top.plot(1e3 * coarse.time, 1e3 * ends(coarse, body, 0.01)[:, end], ".", color=colour, markersize=4)
        half = fine["D.normal_force"].shape[1] // 2  # contacts of the back end come first
        for part, colour in ((slice(0, half), BLUE), (slice(half, None), RED)):
            middle.plot(1e3 * fine.time, fine["D.normal_force"][:, part].sum(axis=1), color=colour)
            middle.plot(
                1e3 * coarse.time, coarse["D.normal_force"][:, part].sum(axis=1), ".", color=colour, markersize=4
            )
        bottom.plot(
            1e3 * fine.time, fine[f"{body}.velocity[2]"], color="0.2", label=f"Moreau, {fine.stats['steps']} steps"
        )
        bottom.plot(
            1e3 * coarse.time,
            coarse[f"{body}.velocity[2]"],
            ".",
            color="0.2",
            markersize=4,
            label=f"OptimalStep, {coarse.stats['steps']} steps",
        )
        bottom.legend(frameon=False, loc="upper left")
        top.set_title(system.name, fontsize="medium", loc="left")
        bottom.set(xlabel="time [ms]", xlim=(0, 60))
        rest = fine["D.normal_force"][-1]
        for other in (coarse, few):
            assert np.allclose(rest, other["D.normal_force"][-1], rtol=0, atol=1e-2)
        print(f"{name}: {np.count_nonzero(rest)} contacts bear, {np.round(rest[rest > 0], 4)} N;")
        steps = [sol.stats["steps"] for sol in (fine, coarse, few)]
        print(f"  {steps[0]} steps by Moreau, {steps[1]} by OptimalStep, {steps[2]} if it may choose them")
        if name == "cylindrical_slider":
            assert np.allclose(rest, (90.696, 59.304), rtol=0, atol=1e-6)
        else:
            assert np.allclose(rest[rest > 0], (37.9075, 37.9075, 44.4230, 44.4230), rtol=0, atol=1e-4)
    axes[0, 0].set_ylabel("height of the end [mm]")
    axes[1, 0].set_ylabel("sum of normal forces [N]")
    axes[2, 0].set_ylabel("speed along the rod [m/s]")
    axes[0, 0].legend(frameon=False, loc="center right")
    keep(figure, "paper_a_sliders")


if __name__ == "__main__":
    main()
