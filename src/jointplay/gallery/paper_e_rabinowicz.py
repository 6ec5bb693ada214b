"""Stick and slip of a block that a spring draws over a table, with three friction laws.

Subject:   E
Figures:   3, 4
Question:  does a smooth friction law do for stick and slip, or must the block be able to rest?
Answer:    for force and motion it does: three slips in 40 s with peaks of 0.88 m/s in all laws. What differs is the
           rest. Brown-McPhee creeps, and all its slips are alike; Gonthier's bristles hold the firmer the longer the
           block has rested, so that later peaks are lower, 3.96 in place of 4.00 N; Coulomb's law with two
           coefficients truly rests, and its cycle is known in closed form.
Number:    9.1837 s from slip to slip with Coulomb's law, 20/3 s of rest and the slip of a spring and a mass.
Data:      the initial state and whether spring or belt moves are not given, here the end of the spring is drawn from
           rest; s and tau_br of Gonthier's law are not defined, here exp(-(u/v_s)^2) and sigma_1/sigma_0; the
           parameters of figure 3 are not printed, those here are of its kind.
Models:    rabinowicz
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, OUT, RED, keep, panels

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


def run(law: str | None, method: Any) -> jp.Solution:
    """The model of the gallery with another law."""
    overrides = {} if law is None else {"joints.D.friction": law}
    system = jp.load_model(entries()["rabinowicz"], overrides=overrides)
    sol = jp.simulate(system, 40.0, method, save="5 ms", progress=True)
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


def draw_motion(out: Path, solutions: dict[str, jp.Solution]) -> None:
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
    keep(figure, out, "paper_e_rabinowicz", f"{PAPERS['E']}, figure 4: stick and slip of a block on a table")


def brown_mcphee(v: np.ndarray, mu_s: float, mu_d: float, v_t: float) -> np.ndarray:
    """Coefficient of friction at the velocity v (eq. 4)."""
    y = v / v_t
    return mu_d * np.tanh(4.0 * y) + (mu_s - mu_d) * y / (0.25 * y * y + 0.75) ** 2


def draw_law(out: Path, sol: jp.Solution) -> None:
    """Figure 3: the curve for two values of each number, and where the run was on it."""
    figure, axes = panels(1, 2, (11.0, 4.0))
    v = np.linspace(-0.02, 0.02, 2001)
    for mu_s, mu_d, colour in ((0.4, 0.3, BLUE), (0.5, 0.4, RED)):
        for v_t, look in ((1.5e-3, "-"), (6e-3, "--")):
            label = f"{mu_s:g}, {mu_d:g}, {1e3 * v_t:g} mm/s"
            axes[0, 0].plot(1e3 * v, 100.0 * brown_mcphee(v, mu_s, mu_d, v_t), look, color=colour, label=label)
    axes[0, 0].set(xlabel="velocity [mm/s]", ylabel="friction for a load of 100 N [N]")
    axes[0, 0].legend(frameon=False, fontsize="small", title="mu_s, mu_d, v_t")
    reach = np.geomspace(1e-5, 1.0, 400)
    axes[0, 1].semilogx(reach, 10.0 * brown_mcphee(reach, 0.4, 0.3, 1.5e-3), color=GREY, linewidth=3.0, label="eq. 4")
    axes[0, 1].semilogx(sol["block.velocity[0]"], -sol["D.friction_force"], ".", color=BLUE, markersize=2, label="run")
    axes[0, 1].set(xlabel="velocity of the block [m/s]", ylabel="friction for a load of 10 N [N]", xlim=(1e-5, 1.0))
    axes[0, 1].legend(frameon=False, markerscale=4)
    title = f"{PAPERS['E']}, figure 3: the law of Brown and McPhee"
    keep(figure, out, "paper_e_law", title)
    moving = sol["block.velocity[0]"] > 1e-5
    curve = 10.0 * brown_mcphee(sol["block.velocity[0]"][moving], 0.4, 0.3, 1.5e-3)
    assert np.allclose(-sol["D.friction_force"][moving], curve, rtol=0, atol=1e-5)


def main(out: Path = OUT) -> float:
    """Run the three laws, print their slips, draw, and check the closed form of the third. Returns its period in s."""
    solutions = {label: run(law, method) for label, (_, law, method) in LAWS.items()}
    table = {label: slips(sol) for label, sol in solutions.items()}
    for label, found in table.items():
        for k, (instant, speed, force) in enumerate(found):
            print(f"{label if k == 0 else '':>20}  slip {k + 1}: {instant:8.4f} s, {speed:.4f} m/s, {force:.4f} N")
    draw_motion(out, solutions)
    draw_law(out, solutions["Brown-McPhee"])
    peaks = [force for _, _, force in table["Gonthier"]]
    assert len(peaks) == 3 and peaks[0] > peaks[1] > peaks[2]
    # a cycle: 20/3 s of rest, and a slip of 2 (pi - atan a)/w with w = sqrt(k/m), a = (mu_s - mu_d) m g w/(k V)
    w = np.sqrt(2.0)
    period = 20.0 / 3.0 + 2.0 * (np.pi - np.arctan(w / (2.0 * 0.15))) / w
    starts = np.array([instant for instant, _, _ in table["Coulomb, set-valued"]])
    assert np.allclose(np.diff(starts), period, rtol=0, atol=2e-3)
    return float(np.mean(np.diff(starts)))


if __name__ == "__main__":
    main()
