"""A spatial slider-crank with play in its ball joint, for both readings of the printed stiffness.

Subject:   C
Figures:   8 to 10
Question:  how far does play in one ball joint set the crank back, and does its stiffness matter?
Answer:    with the stiff reading a joint with no play or 1 um runs as the ideal one, 54.72 rad in 5 s; with 0.1 mm it
           is 0.4 rad behind and peak forces are four times as high, with 1 mm 7 rad and sixteen times. With the soft
           reading the ball sinks in by half a millimetre and the crank falls behind by 9 to 24 rad whatever the play.
Number:    54.7244 rad after 5 s without play, from an independent program (tests/paper_c_reference.py).
Data:      K = 5e6 is printed in N/m for a force K x^1.5; the paper's own statements fit 5e6 N/mm^1.5, and both
           readings are drawn.
Models:    slider_crank_ball_play, slider_crank

Every blow amplifies small differences. Each case runs with two tolerances; a line is pale from where their crank
angles differ by more than 1e-4 rad.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, RED, keep, panels

UNTIL = 5.0  # s
SAVE = 1e-3  # s
CLOSE = 1e-4  # rad, two runs that differ by less agree
ROUGH, FINE = (jp.Explicit(rtol=tol, atol=1e-2 * tol, threshold=1e-12) for tol in (1e-8, 1e-9))
GAPS = ("0 mm", "1e-3 mm", "0.1 mm", "1 mm")
COLOURS = dict(zip(GAPS, (BLUE, GREEN, ORANGE, RED), strict=True))
SOFT, STIFF = "5e6 N/m^1.5", "5e6 N/mm^1.5"
HALVES = (("null or small play", GAPS[:2]), ("larger play", GAPS[2:]))

# time (s), crank angle (rad), slider (m), tolerance of both; within the time in which the case is well posed
REFERENCE = {
    (SOFT, "0 mm"): (5.0, 44.010020492, 0.201178975, 2e-6),
    (SOFT, "1e-3 mm"): (5.0, 44.091090560, 0.204609768, 2e-6),
    (SOFT, "0.1 mm"): (5.0, 45.904833688, 0.284605009, 1e-5),
    (SOFT, "1 mm"): (1.0, 10.355955291, 0.239344299, 1e-5),
    (STIFF, "0 mm"): (5.0, 54.724406065, 0.220285590, 2e-6),
    (STIFF, "1e-3 mm"): (5.0, 54.723499438, 0.220330891, 2e-6),
    (STIFF, "0.1 mm"): (0.5, 5.631741127, 0.184852415, 2e-6),
    (STIFF, "1 mm"): (0.25, 1.946215741, 0.285611121, 1e-5),
}
PEAKS = {(STIFF, "0 mm"): 79.6542, (STIFF, "1e-3 mm"): 79.6567, (SOFT, "0 mm"): 87.9097, (SOFT, "1e-3 mm"): 87.6945}

Case = tuple[jp.Solution, float]  # the finer run, and how far it can be trusted (s)


def solve(stiffness: str, gap: str) -> Case:
    """Run twice."""
    values = {"parameters.gap": gap, "parameters.stiffness": stiffness}
    runs = []
    for method in (ROUGH, FINE):
        model = jp.load_model(entries()["slider_crank_ball_play"], overrides=values)
        runs.append(jp.simulate(model, UNTIL, method, SAVE, progress=True))
        assert runs[-1].outcome.ok, runs[-1].outcome.message
    apart = np.abs(runs[0]["A.angle"] - runs[1]["A.angle"]) > CLOSE
    return runs[1], float(runs[1].time[np.argmax(apart)]) if apart.any() else UNTIL


def at(sol: jp.Solution, name: str, time: float) -> float:
    """A value at a saved instant."""
    return float(sol[name][round(time / SAVE)])


def draw(ideal: jp.Solution, cases: dict[tuple[str, str], Case], name: str, label: str) -> Figure:
    """A row for each reading of K, small play on the left, large play on the right."""
    force = name.startswith("B.force")
    figure, axes = panels(2, 2, (11.0, 6.4), sharex=True, sharey=True)
    for row, stiffness in zip(axes, (STIFF, SOFT), strict=True):
        for ax, (words, gaps) in zip(row, HALVES, strict=True):
            ax.plot(ideal.time, ideal[name], color=GREY, linewidth=2.6, alpha=0.5, label="ideal")
            for gap in reversed(gaps):
                sol, good = cases[stiffness, gap]
                known, look = sol.time <= good, {"color": COLOURS[gap], "linewidth": 0.9}
                ax.plot(sol.time[known], sol[name][known], label=gap, **look)
                ax.plot(sol.time[~known], sol[name][~known], alpha=0.35, **look)
            clipped = " (blows cut off)" if force and (stiffness, gaps) == (STIFF, GAPS[2:]) else ""
            ax.set_title(f"K = {stiffness}: {words}{clipped}", fontsize="medium", loc="left")
            ax.legend(frameon=False, ncols=3, fontsize="small", loc="upper left")
        row[0].set_ylabel(label)
    for ax in axes[1]:
        ax.set(xlim=(0, UNTIL), xlabel="time [s]")
    if force:
        axes[0, 0].set_ylim(-160, 160)  # blows with 1 mm of play are ten times as hard
    else:
        low, high = axes[0, 0].get_ylim()
        axes[0, 0].set_ylim(low, high + 0.15 * (high - low))  # room for the legend
    return figure


def main(out: Path = OUT) -> float:
    """Run, draw, and check against the reference. Returns the crank angle without play in rad."""
    ideal = jp.simulate(jp.load_model(entries()["slider_crank"]), UNTIL, FINE, SAVE, progress=True)
    cases = {(stiffness, gap): solve(stiffness, gap) for stiffness in (STIFF, SOFT) for gap in GAPS}

    print(f"{'K':>13} {'play':>8} {'angle at 5 s':>13} {'blows':>6} {'lost [J]':>10} {'peak [N]':>9}  well posed until")
    for (stiffness, gap), (sol, good) in cases.items():
        angle, lost, peak = sol["A.angle"][-1], sol["energy.dissipated"][-1], np.max(sol["B.normal_force"])
        numbers = f"{angle:13.6f} {sol.stats['onsets']:6.0f} {lost:10.3g} {peak:9.2f}"
        print(f"{stiffness:>13} {gap:>8} {numbers}  {good:.3f} s")
    print("(peaks are those of the saved instants; blows last 0.1 ms)")
    print(f"{'ideal joints':>22} {ideal['A.angle'][-1]:13.6f}")

    slider = draw(ideal, cases, "slider.position[0]", "slider x [m]")
    keep(
        slider,
        out,
        "paper_c_slider_of_ball_play",
        f"{PAPERS['C']}, figure 8: slider with play in the ball joint",
    )
    angle = draw(ideal, cases, "A.angle", "crank angle [rad]")
    keep(
        angle,
        out,
        "paper_c_crank_of_ball_play",
        f"{PAPERS['C']}, figure 9: crank angle with play in the ball joint",
    )
    force = draw(ideal, cases, "B.force[0]", "force on the rod at B, x [N]")
    keep(force, out, "paper_c_force_of_ball_play", f"{PAPERS['C']}, figure 10: force in the ball joint, x")

    assert abs(cases[STIFF, "0 mm"][0]["A.angle"][-1] - ideal["A.angle"][-1]) < 1e-3
    for case, (sol, good) in cases.items():
        time, angle, x, near = REFERENCE[case]
        assert np.max(np.abs(sol["energy.error"])) < 1e-6, case
        assert time <= good, case
        assert abs(at(sol, "A.angle", time) - angle) < near, case
        assert abs(at(sol, "slider.position[0]", time) - x) < near, case
    for case, peak in PEAKS.items():
        assert abs(np.max(cases[case][0]["B.normal_force"]) - peak) < 0.02 * peak, case
    for case in (SOFT, "0 mm"), (SOFT, "1e-3 mm"), (SOFT, "0.1 mm"), (STIFF, "0 mm"), (STIFF, "1e-3 mm"):
        assert cases[case][1] == UNTIL, case
    return float(cases[STIFF, "0 mm"][0]["A.angle"][-1])


if __name__ == "__main__":
    main()
