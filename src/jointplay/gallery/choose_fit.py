"""Which fit to order for the pin of a slider, when ten thousand of them must run quietly.

Subject:   choices
Question:  the pin of a slider may strike its hole with 0.1 m/s at most. Which fit of 12 mm do I order?
Answer:    H7/g6: every machine is quiet. With the cheaper H7/f7 one in thirty is too loud, with H8/e8 nearly all.
Number:    96.65 % of machines with H7/f7 keep the limit, by closed form and by runs.

The pin crosses its play under a force that hardly changes meanwhile, so that the speed of the blow grows as the root of
the play. With the two diameters of an H7/f7 the radial play has a mean of 17 and a standard deviation of 2.12
micrometres; the limit is reached at 20.9 micrometres. Of a normal variable 96.65 % lie below.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery.drawing import BLUE, GREEN, OUT, RED, keep, panels

FITS = ("12 H7/g6", "12 H7/f7", "12 H8/e8")
LOUD = "0.1 m/s"
BLOW = jp.HardestImpact("C")


def build(pin: float = 10e-6) -> jp.System:
    """A crank of 50 mm, turning with 60 rad/s, and a slider with play in its pin."""
    s = jp.System("slider-crank with play in its pin", planar=True, gravity=(0, -9.81, 0))
    move: Any = {"velocity": (0, 1.5, 0)}
    crank = s.body("crank", mass=0.3, inertia=2e-4, position=(0.025, 0), angular_velocity=60.0, **move)
    rod = s.body("rod", mass=0.2, inertia=4e-4, position=(0.125, 0), angular_velocity=-20.0, **move)
    slider = s.body("slider", mass=0.4, inertia=1e-4, position=(0.2, 0))
    play = jp.Clearance(pin, contact=jp.Rigid(restitution=0.6), friction=jp.Coulomb(0.02))
    s.revolute("A", s.ground, crank, point=(0, 0))
    s.revolute("B", crank, rod, point=(0.05, 0))
    s.revolute("C", rod, slider, point=(0.2, 0), radius="6 mm", radial=play)
    s.prismatic("D", s.ground, slider, point=(0.2, 0), axis=(1, 0))
    return s


def main(out: Path = OUT) -> float:
    """Run a study of each fit and draw them. Returns the yield of H7/f7 in per cent."""
    from scipy.special import ndtr

    figure, axes = panels(1, 1, (9.0, 4.0))
    ax, found = axes[0, 0], {}
    for fit, colour in zip(FITS, (GREEN, BLUE, RED), strict=True):
        study = jp.study(
            build,
            {"pin": jp.Fit(fit)},
            limits=[jp.AtMost(BLOW, LOUD)],
            plan=jp.Sobol(256, seed=1),
            until="0.1 s",
            method=jp.Moreau(step=2e-5),
            progress=True,
        )
        found[fit] = study
        low, high = (1e6 * one for one in jp.Fit(fit).limits)
        print(f"{fit}: clearance {low:.0f} to {high:.0f} um; {study.yield_()} are quiet, Cpk {study.cpk():.2f}")
        ax.hist(study[BLOW], bins=24, color=colour, alpha=0.7, label=f"{fit}: {100 * study.yield_().value:.3g} % quiet")
    ax.axvline(0.1, color="black", linestyle="--", linewidth=1.2, label="limit")
    ax.set(xlabel="speed of the hardest blow [m/s]", ylabel="machines")
    ax.legend(frameon=False)
    keep(figure, out, "choose_fit", "Blows of the pin in its hole, 256 machines of each fit")

    loose = found["12 H7/f7"]
    pin, blow = loose["pin"], loose[BLOW]
    root = float(np.median(blow / np.sqrt(pin)))
    assert np.max(np.abs(blow / (root * np.sqrt(pin)) - 1.0)) < 0.01  # the blow grows as the root of the play
    gap = jp.Fit("12 H7/f7")
    wanted = 100.0 * float(ndtr(((0.1 / root) ** 2 - gap.mean) / gap.sigma))
    got = 100.0 * loose.yield_().value
    print(f"H7/f7: {got:.2f} % by runs, {wanted:.2f} % by closed form")
    assert abs(got - wanted) < 1.0 and found["12 H7/g6"].yield_().value == 1.0
    return wanted


if __name__ == "__main__":
    main()
