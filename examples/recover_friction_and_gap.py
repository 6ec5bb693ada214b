"""How worn is a guide that nobody can look into? Play and friction of a slider-crank from an encoder on its crank.

The slider-crank of Flores, Leine and Glocker (2010) turns freely, and an encoder reads the angle of its crank 140 times
in 70 ms, with half a milliradian of noise. Play lets the slider fly before it meets a wall, friction slows it down
along the wall: both leave their trace in the angle. Guide and slider are wet and do not rebound (restitution 0).

The measurements are made here, by a run with known play and friction plus seeded noise, so that the answer can be
judged: the truth has to lie within the intervals that the fit gives.
"""

from __future__ import annotations

import numpy as np
from drawing import BLUE, GREY, ORANGE, RED, keep, panels

import jointplay as jp
from jointplay.cli.examples import entries

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


def main() -> None:
    """Make measurements, fit, draw, and see whether the truth is inside."""
    truth = jp.simulate(build(**TRUTH), TIMES[-1], SCHEME, save=TIMES)
    noise = np.random.default_rng(2010).normal(0.0, NOISE, len(TIMES))
    data = {"A.angle": (TIMES, truth["A.angle"] + noise)}

    found = jp.fit(build, data, GUESS, bounds=BOUNDS, scheme=SCHEME)
    print(found)

    figure, axes = panels(1, 3, (13.0, 3.9))
    left, middle, right = axes[0]
    blows = 1e3 * np.unique(truth.impacts["time"])
    guess = jp.simulate(build(0.7e-3, 0.02), TIMES[-1], SCHEME, save=TIMES)
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
    keep(figure, "recover_friction_and_gap")

    for name, value in TRUTH.items():
        low, high = found.intervals()[name]
        print(f"{name}: {low:.5g} to {high:.5g}, truth {value:g}")
        assert low < value < high
    assert abs(found.sigma["A.angle"][0] / NOISE - 1.0) < 0.2


if __name__ == "__main__":
    main()
