"""How much play may a guide have? Play and friction of a slider-crank, chosen so that its bearing is not overloaded.

Small play and low friction cost money. Large play lets the slider of Flores, Leine and Glocker (2010) strike its guide
hard, and friction eats power. Sought are the cheapest play c and friction mu such that the guide never bears more than
600 N and no more than 0.08 J are lost in the first 20 ms:

    least 0.1 mm / c + 0.02 / mu      with      peak of |force| <= 600 N,      energy lost <= 0.08 J.

The contact is compliant: rigid parts would have impulses in place of forces, and no peak. Values and gradients of both
limits come from one run per point. The answer is checked by runs around it: each neighbour that is cheaper breaks a
limit.
"""

from __future__ import annotations

import numpy as np
from drawing import BLUE, GREEN, GREY, RED, keep, panels

import jointplay as jp
from jointplay.cli.examples import entries

UNTIL, STEP = 20e-3, 1e-5  # s
SCHEME = jp.Index1(step=STEP)
STRONGEST, LOSS = 600.0, 0.08  # N, J
FORCE, LOST = jp.Peak("|D.force|"), jp.Final("energy.dissipated")


def build(gap: float, mu: float) -> jp.System:
    """The model of the gallery with a compliant guide."""
    guide = jp.Clearance(
        gap,
        contact=jp.HuntCrossley(stiffness="1e9 N/m^1.5", restitution=0.4, form="exact"),
        friction=jp.Coulomb(mu, creep="0.01 m/s"),
    )
    return jp.load_model(entries()["slider_crank_clearance"], overrides={"joints.D.radial": guide})


def price(gap: float, mu: float) -> float:
    """What it costs to make the play small and the friction low."""
    return 1e-4 / gap + 0.02 / mu


def run(gap: float, mu: float) -> tuple[jp.Solution, float, float]:
    """A motion with its peak force and its loss, without any derivative."""
    sol = jp.simulate(build(gap, mu), UNTIL, SCHEME, save=STEP)
    return sol, float(sol["|D.force|"].max()), float(sol["energy.dissipated"][-1])


def main() -> None:
    """Search, draw, and try the neighbours of what was found."""
    found = jp.optimise(
        build,
        jp.Cost(price, "price"),
        {"gap": "0.5 mm", "mu": 0.05},
        {"gap": ("0.02 mm", "2 mm"), "mu": (0.005, 0.2)},
        [jp.AtMost(FORCE, STRONGEST), jp.AtMost(LOST, LOSS)],
        until=UNTIL,
        scheme=SCHEME,
        save=STEP,
    )
    print(found)
    gap, mu = found.parameters.values()
    first, _, _ = run(0.5e-3, 0.05)

    figure, axes = panels(1, 2, (11.0, 4.2))
    left, right = axes[0]
    for sol, colour, label in ((first, GREY, "start"), (found.solution, RED, "chosen")):
        left.plot(1e3 * sol.time, sol["|D.force|"], color=colour, linewidth=1.1, label=label)
    left.axhline(STRONGEST, color=BLUE, linestyle="--", linewidth=1.0, label="limit")
    left.set(xlabel="time [ms]", ylabel="force in the guide [N]", ylim=(0, None))
    left.legend(frameon=False)
    plays, rubs = np.linspace(0.15e-3, 0.6e-3, 10), np.linspace(0.02, 0.07, 6)
    peaks, losses = np.moveaxis([[run(c, m)[1:] for c in plays] for m in rubs], -1, 0)
    prices = price(plays, rubs[:, None])
    right.contour(1e3 * plays, rubs, prices, levels=12, colors="0.8", linewidths=0.8)
    right.contour(1e3 * plays, rubs, peaks, levels=[STRONGEST], colors=BLUE)
    right.contour(1e3 * plays, rubs, losses, levels=[LOSS], colors=GREEN)
    right.contourf(
        1e3 * plays, rubs, np.maximum(peaks / STRONGEST, losses / LOSS), levels=[1.0, 9.0], colors=["0.5"], alpha=0.2
    )
    way = found.history[found.history["ok"]]
    right.plot(1e3 * way["gap"], way["mu"], "o-", color=GREY, markersize=3, linewidth=0.8)
    right.plot(1e3 * gap, mu, "*", color=RED, markersize=14)
    right.set(xlabel="play [mm]", ylabel="coefficient of friction", xlim=(0.15, 0.6), ylim=(0.02, 0.07))
    right.text(0.16, 0.021, "lines of equal price; grey: a limit is broken", fontsize="small")
    keep(figure, "choose_clearance")

    for c, m in ((1.01 * gap, mu), (gap, 1.01 * mu), (1.01 * gap, 0.99 * mu), (0.99 * gap, 1.01 * mu)):
        _, peak, lost = run(c, m)
        change = 100.0 * (price(c, m) / found.value - 1.0)
        print(f"{1e3 * c:.4f} mm, mu {m:.5f}: price {change:+.2f} %, {peak:.1f} N, {lost:.5f} J")
        assert change > 0.0 or peak > STRONGEST or lost > LOSS
    print(f"chosen: {1e3 * gap:.4f} mm and mu = {mu:.5f} for {found.value:.5f}")
    assert found.ok
    assert abs(1e3 * gap - 0.288) < 2e-3


if __name__ == "__main__":
    main()
