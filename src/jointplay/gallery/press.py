"""An excenter press that strikes its die near the bottom of the stroke and lives on its flywheel.

Subject:   stories
Question:  what does a die that stands a little too high do to a press?
Answer:    force grows with the squeeze and work with its square: 100 kN and 22.5 J a stroke at 0.5 mm, 200 kN and 90
           J at 1 mm. Of the 200 J of the flywheel three strokes at 0.5 mm take a third. At 1 mm two strokes take nine
           tenths; the third does not reach the bottom, and the press is thrown back. Half a millimetre decides
           between a part and a jammed press.
Number:    22.5 J lost in a stroke at 0.5 mm, (1 - c_e) K s^2/2 with the part c_e of the work given back.

The motor is off; what a stroke takes is missing in the speed. The upper stop of the ram is not reached in any run.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, RED, keep, panels

UNTIL = 3.0  # s
STIFFNESS, BACK = 2e8, 0.1  # N/m of the die, and the part of the work that it gives back
SQUEEZES = {0.25e-3: GREEN, 0.5e-3: BLUE, 0.75e-3: ORANGE, 1.0e-3: RED}  # m


def solve(squeeze: float) -> jp.Solution:
    """The model with a die that stands higher or lower."""
    system = jp.load_model(entries()["press"], overrides={"parameters.squeeze": squeeze})
    sol = jp.simulate(system, UNTIL, jp.Explicit(rtol=1e-8, atol=1e-10), "0.5 ms", progress=True)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def first_stroke(sol: jp.Solution) -> tuple[float, float]:
    """Largest force (N) and energy lost (J) in the first turn of the crank."""
    first = sol["A.angle"] < 1.8 * np.pi
    return float(np.abs(sol["D.stop_force"][first]).max()), float(sol["energy.dissipated"][first][-1])


def main(out: Path = OUT) -> float:
    """Run four heights of the die, draw, and check force and work. Returns the work at 0.5 mm in J."""
    runs = {squeeze: solve(squeeze) for squeeze in SQUEEZES}
    strokes = {squeeze: first_stroke(sol) for squeeze, sol in runs.items()}
    figure, axes = panels(2, 2, (11.0, 7.0))
    force, speed, peak, work = axes.flat
    print(f"{'squeeze [mm]':>13} {'peak [kN]':>10} {'K s [kN]':>9} {'work [J]':>9} {'by formula':>11} {'strokes':>8}")
    for squeeze, sol in runs.items():
        look = {"color": SQUEEZES[squeeze], "linewidth": 1.1, "label": f"{1e3 * squeeze:g} mm"}
        force.plot(sol.time, 1e-3 * np.abs(sol["D.stop_force"]), **look)
        speed.plot(sol.time, sol["crank.angular_velocity[2]"], **look)
        high, lost = strokes[squeeze]
        exact = 0.5 * (1.0 - BACK) * STIFFNESS * squeeze**2
        print(f"{1e3 * squeeze:13.2f} {1e-3 * high:10.2f} {1e-3 * STIFFNESS * squeeze:9.2f}", end=" ")
        print(f"{lost:9.3f} {exact:11.3f} {sol.stats['onsets']:8.0f}")
        assert abs(lost - exact) < 2e-3 * exact
        assert abs(high - STIFFNESS * squeeze) < 5e-3 * high
        assert sol["D.displacement"].max() < 1e-6
    plays = np.linspace(0.0, 1.1e-3, 50)
    for ax, curve, k, scale in (
        (peak, STIFFNESS * plays, 0, 1e-3),
        (work, 0.5 * (1.0 - BACK) * STIFFNESS * plays**2, 1, 1.0),
    ):
        ax.plot(1e3 * plays, scale * curve, ":", color=GREY, label=("K s", "(1 - c_e) K s²/2")[k])
        for squeeze, values in strokes.items():
            ax.plot(1e3 * squeeze, scale * values[k], "o", color=SQUEEZES[squeeze])
        ax.set(xlabel="squeeze s [mm]", xlim=(0, 1.1), ylim=(0, None))
    force.set(xlabel="time [s]", ylabel="force on the die [kN]", xlim=(0, UNTIL), ylim=(0, None))
    speed.set(xlabel="time [s]", ylabel="speed of the flywheel [rad/s]", xlim=(0, UNTIL))
    peak.set_ylabel("largest force of a stroke [kN]")
    work.set_ylabel("work of a stroke [J]")
    for ax in axes.flat:
        ax.legend(frameon=False, fontsize="small")
    keep(figure, out, "press", "An excenter press and the height of its die")
    runs[0.5e-3].save(out / "press.nc")
    return strokes[0.5e-3][1]


if __name__ == "__main__":
    main()
