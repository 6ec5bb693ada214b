"""A latch that must not open when it is dropped: one in a million, which no sampling sees.

Subject:   choices
Question:  a pawl is held by a spring; a drop throws it up. How improbable is it that it opens?
Answer:    0.77 in a million: found with some dozens of runs with derivatives and 1,024 plain ones, where plain
           sampling would need a hundred million. The speed of the drop has most of the blame.
Number:    0.766 in a million, by runs and by the closed form of the travel.

A pawl of mass m leaves with speed v against a spring with force F at rest and stiffness k. It travels

x = sqrt((F/k)^2 + m v^2/k) - F/k.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery.drawing import BLUE, GREY, OUT, RED, keep, panels

VARY = {
    "speed": jp.Normal("1.5 m/s", sigma="0.05 m/s"),
    "force": jp.Normal("10 N", tolerance="1 N"),
    "stiffness": jp.Normal("2 N/mm", tolerance="0.1 N/mm"),
    "mass": jp.Normal("20 g", tolerance="0.3 g"),
}
DEPTH = 2.5e-3  # m of engagement
TRAVEL = jp.Peak("P.displacement")
RUN: dict[str, Any] = {"until": "4 ms", "method": jp.Index1(step=2e-5), "save": "0.1 ms"}


def build(speed: float = 1.5, force: float = 10.0, stiffness: float = 2000.0, mass: float = 0.02) -> jp.System:
    """The pawl after a drop."""
    s = jp.System("latch", gravity=(0, 0, 0))
    pawl = s.body("pawl", mass=mass, inertia=(1e-6, 1e-6, 1e-6), velocity=(speed, 0, 0))
    spring = jp.Spring(stiffness=stiffness)
    s.prismatic("P", s.ground, pawl, point=(0, 0, 0), axis=(1, 0, 0), displacement=spring)
    s.force("preload", pawl, force=(-force, 0, 0))
    return s


def travel(speed: Any, force: Any, stiffness: Any, mass: Any) -> Any:
    """The same in closed form."""
    return np.sqrt((force / stiffness) ** 2 + mass * speed**2 / stiffness) - force / stiffness


def closed_form(centre: np.ndarray, count: int = 1 << 20) -> float:
    """P by importance sampling of the closed form: a million points around the design point, no run."""
    from jointplay.studies.vary import Vary

    vary = Vary(VARY)
    z = np.random.default_rng(5).standard_normal((count, 4)) + centre
    weight = np.exp(0.5 * centre @ centre - z @ centre)
    return float(np.mean((travel(*vary.of_scores(z).T) > DEPTH) * weight))


def main(out: Path = OUT) -> float:
    """Search the design point, sample around it, draw. Returns the probability in millionths."""
    found = jp.reliability(build, VARY, jp.AtMost(TRAVEL, f"{DEPTH} m"), level=0.999, seed=1, **RUN)
    print(found)
    wanted = closed_form(found.points[0].scores)
    print(f"closed form: {wanted:.4g}; plain sampling would need some {100 / wanted:.1g} runs for 10 %")
    figure, axes = panels(1, 2, (10.5, 3.8))
    left, right = axes[0]
    for values, colour, label in (({}, GREY, "nominal"), (found.design_point, RED, "design point")):
        sol = jp.simulate(build(**values), **RUN)
        left.plot(1e3 * sol.time, 1e3 * sol["P.displacement"], color=colour, label=label)
    left.axhline(1e3 * DEPTH, color=BLUE, linestyle="--", linewidth=1.0, label="opens")
    left.set(xlabel="time [ms]", ylabel="travel [mm]")
    left.legend(frameon=False)
    shares = found.importance
    right.barh(list(shares), [100 * one for one in shares.values()], color=BLUE)
    right.set(xlabel="share in the distance to the design point [%]")
    right.invert_yaxis()
    keep(figure, out, "latch", f"A latch opens with a probability of {found.probability:.2g}")
    assert found.sampled.low <= wanted <= found.sampled.high
    assert found.gradients <= 15
    return 1e6 * wanted


if __name__ == "__main__":
    main()
