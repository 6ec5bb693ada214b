"""A sweep of the play in the guide of a slider-crank over two decades.

Subject:   choices
Question:  how hard do parts strike when a guide wears?
Answer:    from 0.02 to 2 mm of play the first impact grows from 0.095 to 1.10 m/s and the energy lost in two turns
           from 1.7 to 7.2 %. Ten times the play is about four times the speed of impact while the play is small, less
           later.
Number:    0.841 m/s at 1 mm, between two points of the sweep; the case itself has 0.8416 m/s.
Models:    slider_crank_clearance

At the start crank and rod are in line, so that the slider's acceleration across the guide begins at nothing and grows
with time: height as t^3, speed as t^2. Hence the speed of the first impact grows as the play to the power of 2/3,
while the play is small. A perfect guide would lose energy too, by friction alone.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, GREY, OUT, RED, keep, panels

GAPS = np.geomspace(20e-6, 2e-3, 17)  # m


def main(out: Path = OUT) -> float:
    """Run the sweep, draw it, and check the point that is known. Returns the speed there in m/s."""
    first, hardest, lost = [], [], []
    for gap in GAPS:
        system = jp.load_model(entries()["slider_crank_clearance"], overrides={"parameters.gap": float(gap)})
        sol = jp.simulate(system, until=0.1375545, method=jp.Moreau(step=1e-5), save="1 ms", progress=True)
        assert sol.outcome.ok, sol.outcome.message
        speeds = -sol.impacts["speed_before"]
        first.append(speeds[0])
        hardest.append(speeds.max())
        lost.append(sol["energy.dissipated"][-1] / sol["energy.kinetic"][0])
    figure, axes = panels(1, 2, (10.0, 4.0))
    left, right = axes[0]
    left.loglog(1e3 * GAPS, hardest, "o-", color=RED, label="hardest of two turns")
    left.loglog(1e3 * GAPS, first, "o-", color=BLUE, label="first")
    left.loglog(1e3 * GAPS, first[0] * (GAPS / GAPS[0]) ** (2 / 3), ":", color=GREY, label="power 2/3")
    left.set(xlabel="play on each side [mm]", ylabel="speed of impact [m/s]")
    left.legend(frameon=False)
    right.semilogx(1e3 * GAPS, 100 * np.array(lost), "o-", color=BLUE)
    right.set(xlabel="play on each side [mm]", ylabel="energy lost in two turns [%]", ylim=(0, None))
    keep(figure, out, "clearance_sweep", "Impacts and losses over the play of a slider-crank")
    print("play [mm]  first [m/s]  hardest [m/s]  lost [%]")
    for line in zip(1e3 * GAPS, first, hardest, 100 * np.array(lost), strict=True):
        print("{:9.3f} {:12.4f} {:14.4f} {:9.3f}".format(*line))
    at_one = float(np.exp(np.interp(np.log(1e-3), np.log(GAPS), np.log(first))))
    print(f"first impact with 1 mm: {at_one:.3f} m/s")
    assert abs(at_one - 0.8416) < 5e-3
    return at_one


if __name__ == "__main__":
    main()
