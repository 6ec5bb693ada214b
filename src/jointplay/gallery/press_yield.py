"""How many presses strike hard enough, and not too hard, when their parts scatter.

Subject:   stories
Question:  a press must strike its die with 95 to 105 kN. How many of the presses that we build do so, and which
           tolerance has to shrink?
Answer:    four of five. The height of the die makes three quarters of the scatter: with half its tolerance 95 % are
           good.
Number:    80.2 % of presses are good, by a closed form; runs agree within their interval.
Models:    press

The die yields by its squeeze s against a stiffness k, so that the force is nearly k s, whatever flywheel and speed are.
Of the product of two normal variables 80.2 % lie between the limits.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, OUT, RED, keep, panels

FORCE = jp.Peak("D.stop_force")
VARY = {
    "squeeze": "0.5 mm +- 0.05 mm",
    "stiffness": jp.Normal("200 kN/mm", tolerance="12 kN/mm"),
    "flywheel": jp.Normal("4 kg*m^2", tolerance="0.2 kg*m^2"),
    "speed": jp.Uniform("9.8 rad/s", "10.2 rad/s"),
}
LIMITS = [jp.Between(FORCE, "95 kN", "105 kN")]


def main(out: Path = OUT) -> float:
    """Run the study, write its page, and compare with the closed form. Returns the yield of that in per cent."""
    save = np.concatenate([[0.0], np.linspace(0.297, 0.321, 961)])  # the force ends sharply at the lowest point
    study = jp.study(
        entries()["press"],
        VARY,
        [FORCE],
        LIMITS,
        jp.Sobol(256, seed=1),
        until=0.321,
        method=jp.Explicit(rtol=1e-6, atol=1e-9),
        save=save,
        progress=True,
    )
    print(study)
    half = study.halved()["squeeze"]
    print(f"with half the tolerance of the squeeze {100 * half.yield_:.3g} % are good")
    figure, axes = panels(1, 2, (10.5, 3.8))
    left, right = axes[0]
    left.hist(1e-3 * study[FORCE], bins=24, color=BLUE)
    for limit in (95.0, 105.0):
        left.axvline(limit, color=RED, linestyle="--", linewidth=1.2)
    left.set(xlabel="force on the die [kN]", ylabel="presses")
    shares = study.contributions()
    right.barh(list(shares), [100 * max(one, 0.0) for one in shares.values()], color=BLUE)
    right.set(xlabel="share of the variance [%]")
    right.invert_yaxis()
    keep(figure, out, "press_yield", "Force on the die of 256 presses, and what makes its scatter")

    # closed form: force = c k s, with c from one run
    c = float(np.median(study[FORCE] / (study["stiffness"] * study["squeeze"])))
    assert np.max(np.abs(study[FORCE] / (c * study["stiffness"] * study["squeeze"]) - 1.0)) < 3e-3
    points = jp.Sobol(1 << 16, seed=3).points(study.vary, 0, 1 << 16)
    force = c * points[:, 0] * points[:, 1]
    wanted = 100.0 * float(np.mean((force > 95e3) & (force < 105e3)))
    found = study.yield_(level=0.999)
    print(f"good: {100 * found.value:.2f} % by runs, {wanted:.2f} % by closed form")
    assert 100 * found.low <= wanted <= 100 * found.high
    assert max(study.contributions(), key=lambda name: study.contributions()[name]) == "squeeze"
    return wanted


if __name__ == "__main__":
    main()
