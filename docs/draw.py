"""The picture of the front page, from a real run: ``python docs/draw.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import jointplay as jp
from jointplay.cli.examples import entries

TARGET = Path(__file__).parent / "assets" / "slider_crank.png"
BLUE, RED, GREEN = "#0072B2", "#D55E00", "#009E73"
PIVOT = np.array([0.0, 0.1, 0.12])  # m, of the crank


def main() -> None:
    """Run the example and draw it."""
    system = jp.load_model(entries()["slider_crank"])
    sol = jp.simulate(system, until=5.0, method=jp.Explicit(rtol=1e-10, atol=1e-12), save=5e-3)
    pin = 2.0 * sol["crank.position"] - PIVOT  # the far end of the crank
    slider = sol["slider.position"]

    figure = plt.figure(figsize=(11.0, 4.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(0.9, 1.1))
    axes = left.add_subplot(projection="3d", computed_zorder=False)
    turn = int(np.searchsorted(sol["A.angle"], 2.0 * np.pi))
    axes.plot(*pin[: turn + 1].T, color="0.7", lw=1)
    axes.plot((0.04, 0.31), (0, 0), (0, 0), color="0.7", lw=1)
    for k, angle in enumerate(np.linspace(0.0, 1.6 * np.pi, 5)):
        at = int(np.searchsorted(sol["A.angle"], angle))
        shade = 1.0 if k == 0 else 0.35
        axes.plot(*np.array([PIVOT, pin[at]]).T, color=BLUE, lw=3, alpha=shade, label="crank" if k == 0 else None)
        axes.plot(*np.array([pin[at], slider[at]]).T, color=RED, lw=2, alpha=shade, label="rod" if k == 0 else None)
        axes.plot(*slider[at : at + 1].T, "s", color=GREEN, ms=9, alpha=shade, label="slider" if k == 0 else None)
    axes.plot(*PIVOT.reshape(3, 1), "o", color="k", ms=5)
    axes.set(xlabel="x [m]", ylabel="y [m]", xlim=(0, 0.32), ylim=(-0.02, 0.2), zlim=(0, 0.22))
    axes.set_zlabel("z [m]")
    axes.set_aspect("equal")
    axes.locator_params(nbins=4)
    axes.view_init(elev=22, azim=-52)
    axes.legend(loc="upper right", frameon=False, fontsize=9)

    upper, lower = right.subplots(2, 1, sharex=True)
    upper.plot(sol.time, 1e3 * slider[:, 0], color=GREEN)
    upper.set(ylabel="slider x [mm]", xlim=(0, 5))
    lower.plot(sol.time, np.linalg.norm(sol["B.force"], axis=1), color=BLUE)
    lower.set(ylabel="|B.force| [N]", xlabel="time [s]", ylim=(0, None))
    for panel in (upper, lower):
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(TARGET, dpi=130)
    print(f"drew {TARGET}")


if __name__ == "__main__":
    main()
