"""Play and friction of a guide from an encoder on the crank.

Subject:   choices
Question:  how worn is a guide that nobody can look into?
Answer:    140 angles of the crank with half a milliradian of noise give the play to 4 % and the friction to 2 %:
           0.943 to 1.027 mm and 0.0494 to 0.0512 with 95 % confidence, where 1 mm and 0.05 are true. Both are
           strongly correlated: more play and less friction look alike.
Number:    0.985 mm, within its interval around the truth of 1 mm; the noise is seeded.
Models:    slider_crank_clearance

Play lets the slider fly before it meets a wall, friction slows it down along the wall: both leave their trace in the
angle. Guide and slider are wet and do not rebound (restitution 0). The measurements are made here, by a run with
known play and friction plus noise, so that the answer can be judged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, GREY, ORANGE, OUT, RED, keep, panels

TRUTH = {"gap": 1e-3, "mu": 0.05}  # m on each side, and the coefficient of friction
GUESS = {"gap": "0.7 mm", "mu": 0.02}
BOUNDS = {"gap": ("0.1 mm", "3 mm"), "mu": (0.0, 0.3)}
NOISE = 5e-4  # rad
TIMES = np.linspace(0.5e-3, 70e-3, 140)  # s
SCHEME = jp.Moreau(step=5e-5)


def build(gap: float, mu: float) -> jp.System:
    """The model of the gallery with other play and friction, without rebound."""
    changes = {"gap": gap, "mu": mu, "restitution": 0.0}
    overrides = {f"parameters.{name}": value for name, value in changes.items()}
    return jp.load_model(entries()["slider_crank_clearance"], overrides=overrides)


def main(out: Path = OUT) -> float:
    """Make measurements, fit, draw, and see whether the truth is inside. Returns the play found in mm."""
    truth = jp.simulate(build(**TRUTH), TIMES[-1], SCHEME, save=TIMES, progress=True)
    noise = np.random.default_rng(2010).normal(0.0, NOISE, len(TIMES))
    data = {"A.angle": (TIMES, truth["A.angle"] + noise)}

    found = jp.fit(build, data, GUESS, bounds=BOUNDS, method=SCHEME, progress=True)
    print(found)

    figure, axes = panels(1, 3, (13.0, 3.9))
    left, middle, right = axes[0]
    blows = 1e3 * np.unique(truth.impacts["time"])
    guess = jp.simulate(build(0.7e-3, 0.02), TIMES[-1], SCHEME, save=TIMES, progress=True)
    for sol, colour, label in ((guess, GREY, "first guess"), (found.solution, RED, "fit")):
        left.plot(
            1e3 * TIMES, 1e3 * (data["A.angle"][1] - sol["A.angle"]), ".", color=colour, label=label, markersize=4
        )
    left.plot(blows, np.full(len(blows), 0.02), "|", color=BLUE, transform=left.get_xaxis_transform(), label="impacts")
    left.set(xlabel="time [ms]", ylabel="measured less computed angle [mrad]")
    left.legend(frameon=False)
    middle.plot(1e3 * TIMES, found.residuals["A.angle"] / found.sigma["A.angle"], ".", color=RED, markersize=4)
    middle.axhspan(-2.0, 2.0, color="0.94", zorder=0)
    middle.set(xlabel="time [ms]", ylabel="residual of the fit / its sigma")

    # the pair of parameters in its ellipse of 95 %: two degrees of freedom, -2 ln 0.05 = 5.99
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    root = np.linalg.cholesky(found.covariance) * np.sqrt(5.99)
    ring = np.array(list(found.parameters.values()))[:, None] + root @ [np.cos(turn), np.sin(turn)]
    right.plot(1e3 * ring[0], ring[1], color=RED, label="95 % of the pair")
    right.plot(1e3 * found.parameters["gap"], found.parameters["mu"], "o", color=RED, label="fit")
    right.plot(1e3 * TRUTH["gap"], TRUTH["mu"], "+", color=BLUE, markersize=12, markeredgewidth=2, label="truth")
    for name, draw in (("gap", right.axvspan), ("mu", right.axhspan)):
        scale = 1e3 if name == "gap" else 1.0
        draw(*(scale * end for end in found.intervals()[name]), color=ORANGE, alpha=0.12, zorder=0)
    right.set(xlabel="play [mm]", ylabel="coefficient of friction")
    right.legend(frameon=False)
    keep(figure, out, "recover_friction_and_gap", "Play and friction from the angle of a crank")

    for name, value in TRUTH.items():
        low, high = found.intervals()[name]
        print(f"{name}: {low:.5g} to {high:.5g}, truth {value:g}")
        assert low < value < high
    assert abs(found.sigma["A.angle"][0] / NOISE - 1.0) < 0.2
    return 1e3 * found.parameters["gap"]


if __name__ == "__main__":
    main()
