"""Accuracy over the number of steps for four methods, through an impact and a sliding contact.

Subject:   choices
Question:  which method, which step?
Answer:    ``Moreau`` with located impacts has order 2; as printed in the literature, with impacts spread over steps,
           and ``OptimalStep`` have order 1. Error control has order 3: for an error of 2.5e-8 rad it needs 291 steps
           where a fixed step needs 5,000, and each costs as much as four.
Number:    order 1.94 of ``Moreau``, measured over the last five of nine step sizes.
Models:    slider_crank_clearance

The slider-crank with play, inelastic so that all methods can take it, until 20 ms: flight, one impact, sliding with
friction. Steps are not work: one with error control is taken once whole and once in halves, with a projection between
them, and rejected ones cost as much. The second panel counts that.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, RED, keep, panels
from jointplay.methods.base import Method

UNTIL = 0.02  # s
STEPS = np.geomspace(4e-4, 4e-6, 9)  # s
TOLERANCES = np.geomspace(1e-4, 1e-9, 9)
FINE = 1e-11  # tolerance of the reference


def angle(method: Method) -> tuple[int, int, float]:
    """Number of steps, of steps weighed by their work, and the angle of the crank at the end, in rad."""
    overrides = {"parameters.restitution": 0.0}
    system = jp.load_model(entries()["slider_crank_clearance"], overrides=overrides)
    sol = jp.simulate(system, UNTIL, method, save=[UNTIL], progress=True)
    assert sol.outcome.ok, sol.outcome.message
    controlled = isinstance(method, jp.Moreau) and not method.step
    work = 4 * (sol.stats["steps"] + sol.stats["rejections"]) if controlled else sol.stats["steps"]
    return sol.stats["steps"], work, float(sol["A.angle"][-1])


def main(out: Path = OUT) -> float:
    """Run all, draw, and check the measured orders. Returns that of Moreau with located impacts."""
    exact = angle(jp.Moreau(rtol=FINE))[-1]
    families: dict[str, tuple[str, list[Method]]] = {
        "OptimalStep": (RED, [jp.OptimalStep(h_min=h, h_max=h) for h in STEPS]),
        "Moreau, stepped": (ORANGE, [jp.Moreau(step=h, impacts="stepped") for h in STEPS]),
        "Moreau, located": (BLUE, [jp.Moreau(step=h) for h in STEPS]),
        "Moreau, rtol": (GREEN, [jp.Moreau(rtol=r, atol=1e-2 * r) for r in TOLERANCES]),
    }
    figure, axes = panels(1, 2, (12.0, 5.0), sharey=True)
    orders = {}
    for label, (colour, methods) in families.items():
        steps, work, angles = np.array([angle(method) for method in methods]).T
        errors = np.abs(angles - exact)
        orders[label] = -float(np.polyfit(np.log(steps[-5:]), np.log(errors[-5:]), 1)[0])
        print(f"{label:>16}: order {orders[label]:.2f}, errors {errors[0]:.1e} to {errors[-1]:.1e} rad")
        for ax, count in zip(axes[0], (steps, work), strict=True):
            ax.loglog(count, errors, "o-", color=colour, label=f"{label}: order {orders[label]:.2f}")
    reach = np.array([60.0, 5000.0])
    for ax, label in zip(axes[0], ("steps for 20 ms", "steps for 20 ms, weighed by their work"), strict=True):
        for order, start in ((1, 2e-2), (2, 4e-4), (3, 2e-6)):
            line = start * (reach / reach[0]) ** -order
            ax.loglog(reach, line, ":", color=GREY)
            ax.annotate(f"{order}", (reach[1], line[1]), color=GREY, xytext=(4, -4), textcoords="offset points")
        ax.set_xlabel(label)
    axes[0, 0].set_ylabel("error of the crank angle [rad]")
    axes[0, 0].legend(frameon=False, loc="lower left")
    keep(figure, out, "choose_method", "Accuracy over steps and over work, through an impact and a sliding contact")
    assert abs(orders["Moreau, located"] - 2.0) < 0.2
    assert orders["Moreau, rtol"] > 2.6
    return orders["Moreau, located"]


if __name__ == "__main__":
    main()
