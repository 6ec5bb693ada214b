"""A spatial slider-crank whose slider rubs in its guide, from a level crank.

Subject:   E
Figures:   8 to 10
Question:  reaction and friction cause each other. What does friction of the guide do to motion and forces?
Answer:    it takes 0.546 J in 1.5 s, so that the slider turns round three times and creeps from 0.66 s on, while the
           frictionless one swings for ever. Both friction laws give the same motion within 3 mm; they differ in the
           force that holds the slider at rest. The largest normal force, 16.8 N, is hardly changed by friction.
Number:    0.546270 J taken in 1.5 s, from an independent program (tests/paper_e_reference.py).
Data:      the start is not in the paper's text and its upright position is an equilibrium, so that curves agree with
           the figures in kind; friction is that of section 7.2, g = 9.81.
Models:    slider_crank_friction
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREY, OUT, RED, keep, panels

BRISTLES = (
    "{gonthier_friction: {mu_s: mu_s, mu_d: mu_d, sigma_0: 1e5, sigma_1: 316.227766, sigma_2: 0, tau_dw: 2, v_s: v_t, "
    "length: length, width: width}}"
)
NO_FRICTION = {"parameters.mu_s": 0.0, "parameters.mu_d": 0.0}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "no friction": (GREY, NO_FRICTION),
    "Brown-McPhee": (BLUE, {}),
    "Gonthier": (RED, {"joints.D.friction": BRISTLES}),
}


def model(**overrides: Any) -> jp.System:
    """The model of the gallery, changed."""
    return jp.load_model(entries()["slider_crank_friction"], overrides=overrides)


def draw_motion(out: Path, solutions: dict[str, jp.Solution]) -> None:
    """Figures 8 and 9: position, velocity and acceleration of the slider, height of the crank."""
    figure, axes = panels(4, 1, (9.0, 9.5), sharex=True)
    quantities = (
        ("slider.position[0]", "slider x [m]"),
        ("slider.velocity[0]", "slider velocity [m/s]"),
        ("slider.acceleration[0]", "slider acceleration [m/s²]"),
        ("crank.position[2]", "height of the crank's centre [m]"),
    )
    for ax, (name, label) in zip(axes[:, 0], quantities, strict=True):
        for law, sol in solutions.items():
            ax.plot(sol.time, sol[name], color=MODELS[law][0], linewidth=1.2, label=law)
        ax.set_ylabel(label)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    axes[-1, 0].set(xlabel="time [s]", xlim=(0, 1.5))
    keep(figure, out, "paper_e_motion", f"{PAPERS['E']}, figure 8 (slider) and figure 9 (crank)")


def draw_forces(out: Path, solutions: dict[str, jp.Solution]) -> None:
    """Figure 10: normal and friction force, and what friction has taken."""
    figure, axes = panels(3, 1, (9.0, 7.6), sharex=True)
    for law, sol in solutions.items():
        look = {"color": MODELS[law][0], "linewidth": 1.2, "label": law}
        axes[0, 0].plot(sol.time, sol["D.friction_normal"], **look)
        axes[1, 0].plot(sol.time, sol["D.friction_force"], **look)
        axes[2, 0].plot(sol.time, sol["energy.dissipated"], **look)
    for ax, label in zip(axes[:, 0], ("normal force [N]", "friction on the slider [N]", "lost [J]"), strict=True):
        ax.set_ylabel(label)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    axes[-1, 0].set(xlabel="time [s]", xlim=(0, 1.5))
    keep(
        figure,
        out,
        "paper_e_forces",
        f"{PAPERS['E']}, figure 10: normal force, friction, and what friction takes",
    )


def main(out: Path = OUT) -> float:
    """Run all, draw, and check the loss. Returns it in J."""
    solutions = {}
    for law, (_, overrides) in MODELS.items():
        sol = jp.simulate(model(**overrides), 1.5, jp.Explicit(rtol=1e-9, atol=1e-11), save="1 ms", progress=True)
        assert sol.outcome.ok, sol.outcome.message
        solutions[law] = sol
        peak, lost = np.max(sol["D.friction_normal"]), sol["energy.dissipated"][-1]
        print(f"{law:>14}: largest normal force {peak:.4f} N, lost {lost:.6f} J, {sol.stats['steps']} steps")
    draw_motion(out, solutions)
    draw_forces(out, solutions)
    taken = float(solutions["Brown-McPhee"]["energy.dissipated"][-1])
    assert abs(taken - 0.546269908) < 1e-7
    return taken


if __name__ == "__main__":
    main()
