"""Stick and slip of a block that a spring draws over a table: Verulkar et al. 2022, figure 4, with three friction laws.

Brown-McPhee's law is a curve of the speed: it never rests, and all slips are alike. Gonthier's law has bristles, which
hold the block, the firmer the longer it has rested: after the first, longest rest the peaks of its force decrease.
Coulomb's law with two coefficients truly rests; its cycle is known in closed form, and the last picture shows how the
block gets away from rest in each of the three.
"""

from __future__ import annotations

import numpy as np
from drawing import BLUE, GREEN, RED, keep, panels

import jointplay as jp
from jointplay.cli.examples import entries

SIZES = "length: 1, width: 1, smoothing: 1e-6"
LAWS = {  # colour, law in place of that of the model, method
    "Brown-McPhee": (BLUE, None, jp.Implicit(rtol=1e-9, atol=1e-11)),
    "Gonthier": (
        RED,
        "{gonthier_friction: {mu_s: mu_s, mu_d: mu_d, sigma_0: 1e5, sigma_1: 316.227766, sigma_2: 0, tau_dw: 2, "
        f"v_s: v_t, {SIZES}}}}}",
        jp.Explicit(rtol=1e-9, atol=1e-11),
    ),
    "Coulomb, set-valued": (GREEN, f"{{coulomb: {{mu: mu_d, static: mu_s, {SIZES}}}}}", jp.Moreau(step=2e-4)),
}
LOOKS = {"Brown-McPhee": "-", "Gonthier": "-", "Coulomb, set-valued": "--"}


def run(law: str | None, method: object) -> jp.Solution:
    """The model of the gallery with another law."""
    overrides = {} if law is None else {"joints.D.friction": law}
    system = jp.load_model(entries()["rabinowicz"], overrides=overrides)
    sol = jp.simulate(system, 40.0, method, save="5 ms")
    assert sol.outcome.ok, sol.outcome.message
    return sol


def slips(sol: jp.Solution) -> list[tuple[float, float, float]]:
    """Of each slip: when it begins (the speed passes 0.05 m/s), its largest speed, and the largest force before it."""
    time, v, resistance = sol.time, sol["block.velocity[0]"], -sol["D.friction_force"]
    found = []
    for k in np.flatnonzero((v[:-1] < 0.05) & (v[1:] >= 0.05)):
        instant = float(np.interp(0.05, v[k : k + 2], time[k : k + 2]))
        found.append((instant, float(np.max(v[k : k + 500])), float(np.max(resistance[k - 200 : k + 1]))))
    return found


def draw(solutions: dict[str, jp.Solution]) -> None:
    """Figure 4: position, velocity and friction force over 40 s; beside it the first slip."""
    figure, axes = panels(3, 2, (11.0, 8.0), sharex="col", width_ratios=(2, 1))
    names = (("position [m]", "block.position[0]"), ("velocity [m/s]", "block.velocity[0]"))
    for label, sol in solutions.items():
        curves = [(axis, sol[name]) for axis, name in names] + [("friction force [N]", -sol["D.friction_force"])]
        for row, (axis, values) in enumerate(curves):
            for ax in axes[row]:
                ax.plot(sol.time, values, LOOKS[label], color=LAWS[label][0], linewidth=1.2, label=label)
            axes[row, 0].set_ylabel(axis)
    axes[0, 0].plot([0, 40], [0, 6], ":", color="0.6", linewidth=1.0, label="end of the spring")
    axes[0, 0].legend(frameon=False, fontsize="small")
    axes[2, 0].set(xlabel="time [s]", xlim=(0, 40))
    axes[2, 1].set(xlabel="time [s]", xlim=(13.2, 13.6))
    for row, limits in enumerate(((-0.002, 0.03), (-0.005, 0.15), (2.9, 4.05))):
        axes[row, 1].set_ylim(*limits)
    axes[0, 1].set_title("the first slip", fontsize="medium", loc="left")
    keep(figure, "rabinowicz")


def main() -> None:
    """Run the three laws, print their slips, draw, and check the closed form of the third."""
    solutions = {label: run(law, method) for label, (_, law, method) in LAWS.items()}
    table = {label: slips(sol) for label, sol in solutions.items()}
    for label, found in table.items():
        for k, (instant, speed, force) in enumerate(found):
            print(f"{label if k == 0 else '':>20}  slip {k + 1}: {instant:8.4f} s, {speed:.4f} m/s, {force:.4f} N")
    draw(solutions)
    peaks = [force for _, _, force in table["Gonthier"]]
    assert len(peaks) == 3 and peaks[0] > peaks[1] > peaks[2]
    # a cycle: 20/3 s of rest, and a slip of 2 (pi - atan a)/w with w = sqrt(k/m), a = (mu_s - mu_d) m g w/(k V)
    w = np.sqrt(2.0)
    period = 20.0 / 3.0 + 2.0 * (np.pi - np.arctan(w / (2.0 * 0.15))) / w
    starts = np.array([instant for instant, _, _ in table["Coulomb, set-valued"]])
    assert np.allclose(np.diff(starts), period, rtol=0, atol=2e-3)


if __name__ == "__main__":
    main()
