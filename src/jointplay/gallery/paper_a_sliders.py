"""Spatial sliders with play: a sleeve on a rod and a triangular slider in its hole.

Subject:   A
Figures:   9 to 22
Question:  a slider is pushed below its centre of mass. How does a slider bear in its play while it slides away?
Answer:    it drops, tilts until opposite ends bear, and then runs on as if guided without play: 15.625 m/s2 for the
           sleeve and 12.5 m/s2 for the prism, force over mass. The sleeve bears on two points, the prism on four
           vertices. The apex of the prism keeps a gap of 1.7 um, so that not all six vertices touch.
Number:    90.696 N at the back end of the sleeve, F s/l + m g/2 with arm s and length l.
Data:      moments of inertia are missing, the edges of the prism are interchanged in table 2 and the length of the
           sliders is not named; here the inertia is that of plausible bodies and the length 20 mm.
Models:    cylindrical_slider, prismatic_slider

Solved by ``Moreau`` (lines) and by ``OptimalStep``, the scheme of the paper, with steps of 1 ms (points). With steps
between 1 and 10 ms it arrives at the same rest in few steps; what happens on the way it does not see. Its steps are
drawn in the last panel. In the paper they jump between both bounds, because the objective does not depend on the step
while contact persists; here such ties go to the longest step that pierces nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, OUT, RED, keep, panels

MOREAU = jp.Moreau(step=1e-4)
PAPER = jp.OptimalStep(h_min=1e-3, h_max=1e-3)
RANGE = jp.OptimalStep(h_min=1e-3, h_max=1e-2)
UNTIL = 0.06  # s
MASS, GRAVITY, HALF = 3.2, 9.81, 0.01  # kg, m/s2, m: half the length of both sliders


@dataclass(frozen=True)
class Slider:
    """A model of the gallery and how the paper shows it."""

    model: str
    body: str
    push: float  # N
    apex: float  # m, height of the points followed above the axis of the slider
    first: int  # number of its first figure
    words: str
    points: str


PICTURES = ("paper_a_sleeve", "paper_a_slider")
SLIDERS = (
    Slider("cylindrical_slider", "sleeve", 50.0, 0.0, 9, "sleeve on a rod", "centres of the ends"),
    Slider("prismatic_slider", "slider", 40.0, 17.32e-3 / np.sqrt(3.0), 16, "triangular slider", "upper vertices"),
)


def ends(sol: jp.Solution, one: Slider) -> np.ndarray:
    """Way in x and y of the points followed at the back and the front end, from the start: (time, end, 2)."""
    e0, e1, e2, e3 = sol[f"{one.body}.orientation"].T
    along = np.stack([2.0 * (e1 * e3 + e0 * e2), 2.0 * (e2 * e3 - e0 * e1)], axis=1)  # of the body's axes z and y
    up = np.stack([2.0 * (e1 * e2 - e0 * e3), e0 * e0 - e1 * e1 + e2 * e2 - e3 * e3], axis=1)
    centre = sol[f"{one.body}.position"][:, :2] + one.apex * (up - np.array([0.0, 1.0]))
    return centre[:, None, :] + np.array([-HALF, HALF])[:, None] * along[:, None, :]


def residual(sol: jp.Solution, one: Slider) -> np.ndarray:
    """What is left of m a = forces, in N."""
    loads = sol["D.force"] + np.array([0.0, -MASS * GRAVITY, one.push])
    return np.linalg.norm(MASS * sol[f"{one.body}.acceleration"] - loads, axis=1)


def draw(out: Path, one: Slider, fine: jp.Solution, coarse: jp.Solution, few: jp.Solution) -> None:
    """The seven figures of a case as panels."""
    figure, axes = panels(4, 2, (11.0, 11.0))
    names = ["residual of motion [N]", f"{one.points} [mm]", "contact force [N]", "speed across [m/s]"]
    names += ["speed along [m/s]", "way along [mm]", "step [ms]"]
    for k, (ax, name) in enumerate(zip(axes.flat, names, strict=False)):
        ax.set(xlabel="time [ms]", ylabel=name, xlim=(0, 1e3 * UNTIL))
        ax.set_title(f"figure {one.first + k}", fontsize="medium", loc="left")
    left, points, force, across, speed, way, steps, empty = axes.flat
    empty.remove()
    steps.set_subplotspec(steps.get_gridspec()[3, :])
    for sol, mark, words in ((fine, "-", f"Moreau, {fine.stats['steps']} steps"), (coarse, ".", "OptimalStep, 1 ms")):
        t, look = 1e3 * sol.time, {"markersize": 4, "linewidth": 1.4}
        left.semilogy(t, np.maximum(residual(sol, one), 1e-16), mark, color=GREY if mark == "-" else RED, **look)
        where = 1e3 * ends(sol, one)
        for end, colour, label in ((0, BLUE, "back"), (1, RED, "front")):
            points.plot(t, where[:, end, 1], mark, color=colour, label=f"{label}, y" if mark == "-" else None, **look)
        points.plot(t, where[:, 0, 0], mark, color=GREEN, label="back, x" if mark == "-" else None, **look)
        for axis, colour in zip(range(3), (GREEN, BLUE, RED), strict=True):
            letter = "xyz"[axis] if mark == "-" else None
            force.plot(t, sol["D.force"][:, axis], mark, color=colour, label=letter, **look)
            if axis < 2:
                across.plot(t, sol[f"{one.body}.velocity"][:, axis], mark, color=colour, label=letter, **look)
        speed.plot(t, sol[f"{one.body}.velocity[2]"], mark, color="0.2", label=words, **look)
        way.plot(t, 1e3 * sol[f"{one.body}.position[2]"], mark, color="0.2", **look)
    size = 1e3 * few["solver.step"]
    steps.plot(1e3 * few.time, size, drawstyle="steps-pre", color=BLUE, label="OptimalStep, 1 to 10 ms")
    steps.set_ylim(0, 11)
    left.set_ylim(1e-16, 1e-8)
    left.plot([], [], " ", label="0 is drawn as 1e-16")
    for ax in (left, points, force, across, speed, steps):
        ax.legend(frameon=False, fontsize="small")
    points.legend(frameon=False, fontsize="small", ncols=3, loc="lower right", bbox_to_anchor=(1.02, 0.97))
    last = one.first + 6
    keep(
        figure,
        out,
        f"paper_a_{one.body}",
        f"{PAPERS['A']}, figures {one.first} to {last}: {one.words} (lines: Moreau, points: OptimalStep)",
    )


def main(out: Path = OUT) -> float:
    """Run and draw both cases; check the forces at rest. Returns the largest force on the sleeve in N."""
    found = {}
    for one in SLIDERS:
        system = jp.load_model(entries()[one.model])
        fine = jp.simulate(system, until=UNTIL, method=MOREAU, save="0.1 ms", progress=True)
        coarse = jp.simulate(system, until=UNTIL, method=PAPER, save="1 ms", progress=True)
        few = jp.simulate(system, until=UNTIL, method=RANGE, save="0.1 ms", progress=True)
        draw(out, one, fine, coarse, few)
        found[one.model] = rest = fine["D.normal_force"][-1]
        for other in (coarse, few):
            assert np.allclose(rest, other["D.normal_force"][-1], rtol=0, atol=1e-2)
        assert abs(fine[f"{one.body}.acceleration[2]"][-1] - one.push / MASS) < 1e-9
        print(f"{one.model}: {np.count_nonzero(rest)} contacts bear, {np.round(rest[rest > 0], 4)} N;")
        steps = [sol.stats["steps"] for sol in (fine, coarse, few)]
        print(f"  {steps[0]} steps by Moreau, {steps[1]} by OptimalStep, {steps[2]} if it may choose them")
    sleeve, prism = found.values()
    assert np.allclose(
        sleeve, (50 * 0.03 / 0.02 + MASS * GRAVITY / 2, 50 * 0.03 / 0.02 - MASS * GRAVITY / 2), atol=1e-6
    )
    assert np.allclose(prism[prism > 0], (37.9075, 37.9075, 44.4230, 44.4230), rtol=0, atol=1e-4)
    return float(sleeve.max())


if __name__ == "__main__":
    main()
