"""A spatial slider-crank whose slider rubs in its guide: Verulkar et al. 2022, figures 6 to 10.

Reaction and friction depend on each other. First it is shown how they settle at the start of a run with 1 m/s at the
slider, by the paper's fixed-point iteration and by Newton's method; then that nothing drifts in 100 s of free swinging;
then the motion from a level crank, without friction and with two laws: slider, height of the crank, forces.

The start is not in the paper's text, so that curves agree with its figures in kind; values agree with an independent
solution (tests/paper_e_reference.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from drawing import BLUE, GREEN, GREY, RED, keep, panels

import jointplay as jp
from jointplay.analysis import friction_iterations
from jointplay.cli.examples import entries

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


def draw_iterations() -> float:
    """Figure 6: changes per pass, with 25 rad/s at an upright crank, 1 m/s at the slider. Returns the rate."""
    system = model(**{"parameters.theta": "0 deg", "parameters.speed": "25 rad/s"})
    slow, fast = (friction_iterations(system, 25, way) for way in ("fixed-point", "newton"))
    figure, axes = panels(1, 2, (10.0, 4.0))
    passes = np.arange(1, 26)
    for ax, name, unit in zip(axes[0], ("multipliers", "accelerations"), ("N, N m", "m/s², rad/s²"), strict=True):
        changes = getattr(slow, name)
        ax.semilogy(passes, changes, "o", color=BLUE, markersize=4, label="fixed-point iteration")
        quick = getattr(fast, name)
        ax.semilogy(passes[quick > 0.0], quick[quick > 0.0], "s-", color=RED, markersize=4, label="Newton's method")
        ax.semilogy(passes, changes[0] * slow.rate ** (passes - 1), ":", color=GREY, label=f"{slow.rate:.4f} per pass")
        ax.set(xlabel="pass", ylabel=f"largest change of {name} [{unit}]")
    axes[0, 0].legend(frameon=False)
    keep(figure, "slider_crank_iterations")
    return slow.rate


def open_pin(sol: jp.Solution) -> tuple[np.ndarray, np.ndarray]:
    """Differences of velocity and acceleration of crank and rod at their common pin."""
    speeds, rates = [], []
    for name, arm in (("crank", (0.0, 0.0, 0.04)), ("rod", (-0.15, 0.0, 0.0))):
        e0, e = sol[f"{name}.orientation"][:, :1], sol[f"{name}.orientation"][:, 1:]
        w, dw = sol[f"{name}.angular_velocity"], sol[f"{name}.angular_acceleration"]
        for out, base, local in (
            (speeds, sol[f"{name}.velocity"], np.cross(w, arm)),
            (rates, sol[f"{name}.acceleration"], np.cross(dw, arm) + np.cross(w, np.cross(w, arm))),
        ):
            cross = 2.0 * np.cross(e, local)
            out.append(base + local + e0 * cross + np.cross(e, cross))  # the arm turned into global axes
    return tuple(np.max(np.abs(two[1] - two[0]), axis=1) for two in (speeds, rates))  # type: ignore[return-value]


def draw_drift() -> float:
    """Figure 7, for the implicit rule with projection: what the joints leave open. Returns the largest of all."""
    sol = jp.simulate(model(**NO_FRICTION), 100.0, jp.Index1(step=1e-3), save=0.05)
    assert sol.outcome.ok, sol.outcome.message
    positions = np.max([sol[f"{joint}.residual"] for joint in "ABCD"], axis=0)
    velocities, accelerations = open_pin(sol)
    figure, axes = panels(1, 1, (10.0, 3.6))
    ax = axes[0, 0]
    for values, colour, label in (
        (accelerations, RED, "accelerations at the pin [m/s²]"),
        (velocities, GREEN, "velocities at the pin [m/s]"),
        (positions, BLUE, "positions, all joints [m or rad]"),
    ):
        ax.semilogy(sol.time, np.maximum(values, 1e-18), ".", color=colour, markersize=2, label=label)
    ax.set(xlabel="time [s]", ylabel="left open", xlim=(0, 100), ylim=(1e-18, 1e-8))
    ax.legend(frameon=False, ncols=3, loc="upper center", markerscale=4)
    keep(figure, "slider_crank_drift")
    return float(max(np.max(positions), np.max(velocities), np.max(accelerations)))


def draw_motion(solutions: dict[str, jp.Solution]) -> None:
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
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    axes[-1, 0].set(xlabel="time [s]", xlim=(0, 1.5))
    keep(figure, "slider_crank_motion")


def draw_forces(solutions: dict[str, jp.Solution]) -> None:
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
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    axes[-1, 0].set(xlabel="time [s]", xlim=(0, 1.5))
    keep(figure, "slider_crank_forces")


def main() -> None:
    """Run all, draw, and check the loss."""
    rate, left = draw_iterations(), draw_drift()
    print(f"the fixed-point iteration shrinks its changes by {rate:.4f} per pass; joints stay closed to {left:.1e}")
    solutions = {}
    for law, (_, overrides) in MODELS.items():
        sol = jp.simulate(model(**overrides), 1.5, jp.Explicit(rtol=1e-9, atol=1e-11), save="1 ms")
        assert sol.outcome.ok, sol.outcome.message
        solutions[law] = sol
        peak, lost = np.max(sol["D.friction_normal"]), sol["energy.dissipated"][-1]
        print(f"{law:>14}: largest normal force {peak:.4f} N, lost {lost:.6f} J, {sol.stats['steps']} steps")
    draw_motion(solutions)
    draw_forces(solutions)
    assert left < 1e-10
    assert abs(solutions["Brown-McPhee"]["energy.dissipated"][-1] - 0.546269908) < 1e-7


if __name__ == "__main__":
    main()
