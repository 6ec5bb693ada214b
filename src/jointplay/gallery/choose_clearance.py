"""Play and friction of a slider-crank, chosen so that its bearing is not overloaded.

Subject:   choices
Question:  small play and low friction cost money, large ones bearing force and power. How much play may a guide have?
Answer:    0.286 mm and a coefficient of friction of 0.0455: there the guide just bears 600 N and just loses 0.075 J
           in the first 10 ms. Every neighbour that is cheaper breaks a limit, by runs around it.
Number:    0.2857 mm of play, found in seven runs.
Models:    slider_crank_clearance

Sought are the cheapest play c and friction mu,

least 0.1 mm / c + 0.02 / mu with peak of |force| <= 600 N, energy lost <= 0.075 J.

The contact is compliant: rigid parts would have impulses in place of forces, and no peak.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, OUT, RED, keep, panels

UNTIL = 10e-3  # s
SAVE = np.union1d(
    np.linspace(0.0, 3.2e-3, 641), np.linspace(3.2e-3, UNTIL, 137)
)  # fine where the hardest blow is, 0.1 ms
SCHEME = jp.Explicit()
STRONGEST, LOSS = 600.0, 0.075  # N, J
FORCE, LOST = jp.Peak("|D.force|"), jp.Final("energy.dissipated")


def build(gap: float, mu: float) -> jp.System:
    """The model of the gallery with a compliant guide."""
    guide = jp.Clearance(
        gap,
        contact=jp.HuntCrossley(stiffness="1e9 N/m^1.5", restitution=0.4, form="exact"),
        friction=jp.Coulomb(mu, creep="0.1 m/s"),
    )
    return jp.load_model(entries()["slider_crank_clearance"], overrides={"joints.D.radial": guide})


def price(gap: Any, mu: Any) -> Any:
    """What it costs to make the play small and the friction low."""
    return 1e-4 / gap + 0.02 / mu


def run(gap: float, mu: float) -> tuple[jp.Solution, float, float]:
    """A motion with its peak force and its loss, without any derivative."""
    sol = jp.simulate(build(gap, mu), UNTIL, SCHEME, save=SAVE, progress=True)
    return sol, float(sol["|D.force|"].max()), float(sol["energy.dissipated"][-1])


def main(out: Path = OUT) -> float:
    """Search, draw, and try the neighbours of what was found. Returns the play in mm."""
    found = jp.optimise(
        build,
        jp.Cost(price, "price"),
        {"gap": "0.4 mm", "mu": 0.05},
        {"gap": ("0.02 mm", "2 mm"), "mu": (0.005, 0.2)},
        [jp.AtMost(FORCE, STRONGEST), jp.AtMost(LOST, LOSS)],
        until=UNTIL,
        method=SCHEME,
        save=SAVE,
        tolerance=1e-6,
        progress=True,
    )
    print(found)
    gap, mu = found.parameters.values()
    first, _, _ = run(0.4e-3, 0.05)

    figure, axes = panels(1, 2, (11.0, 4.2))
    left, right = axes[0]
    for sol, colour, label in ((first, GREY, "start"), (found.solution, RED, "chosen")):
        left.plot(1e3 * sol.time, sol["|D.force|"], color=colour, linewidth=1.1, label=label)
    left.axhline(STRONGEST, color=BLUE, linestyle="--", linewidth=1.0, label="limit")
    left.set(xlabel="time [ms]", ylabel="force in the guide [N]", ylim=(0, None))
    left.legend(frameon=False)
    plays, rubs = np.linspace(0.15e-3, 0.6e-3, 7), np.linspace(0.02, 0.07, 5)
    peaks, losses = np.moveaxis(np.array([[run(c, m)[1:] for c in plays] for m in rubs]), -1, 0)
    fine = np.linspace(plays[0], plays[-1], 200), np.linspace(rubs[0], rubs[-1], 200)[:, None]
    right.contour(1e3 * fine[0], fine[1].ravel(), price(*fine), levels=14, colors="0.85", linewidths=0.8)
    for values, limit, colour, label, place in (
        (peaks, STRONGEST, BLUE, f"{STRONGEST:g} N", (0.287, 0.06)),
        (losses, LOSS, GREEN, f"{LOSS:g} J", (0.5, 0.0393)),
    ):
        line = right.contour(1e3 * plays, rubs, values, levels=[limit], colors=colour)
        right.clabel(line, fmt=label, manual=[place])
        right.contourf(1e3 * plays, rubs, values / limit, levels=[1.0, 99.0], colors=[colour], alpha=0.1)
    way = found.history[found.history["ok"]]
    right.plot(1e3 * way["gap"], way["mu"], "o-", color=GREY, markersize=3, linewidth=0.8)
    right.plot(1e3 * gap, mu, "*", color=RED, markersize=14)
    right.set(xlabel="play [mm]", ylabel="coefficient of friction", xlim=(0.15, 0.6), ylim=(0.02, 0.07))
    right.set_title("grey: lines of equal price; shaded: a limit is broken", fontsize="medium")
    keep(figure, out, "choose_clearance", "The cheapest play and friction that keep both limits")

    for c, m in ((1.01 * gap, mu), (gap, 1.01 * mu), (1.01 * gap, 0.99 * mu), (0.99 * gap, 1.01 * mu)):
        _, peak, lost = run(c, m)
        change = 100.0 * (price(c, m) / found.value - 1.0)
        print(f"{1e3 * c:.4f} mm, mu {m:.5f}: price {change:+.2f} %, {peak:.1f} N, {lost:.5f} J")
        assert change > 0.0 or peak > STRONGEST or lost > LOSS
    print(f"chosen: {1e3 * gap:.4f} mm and mu = {mu:.5f} for {found.value:.5f}")
    assert found.ok
    assert abs(1e3 * gap - 0.2857) < 1e-3
    return 1e3 * gap


if __name__ == "__main__":
    main()
