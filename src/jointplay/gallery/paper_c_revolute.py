"""A spatial slider-crank with play in the bearing of its crank.

Subject:   C
Figures:   11 to 13
Question:  how much play may the bearing of a crank have before the mechanism stops running?
Answer:    a micrometre is not felt: 1.4 ms of delay after eight strokes. With 0.1 mm the slider is 12 ms late at its
           second end of stroke and impacts have taken 0.09 J after 2.5 s; with 1 mm the crank does not complete a
           turn (two in the paper, whose bearing is another). Damping in the contact keeps a bearing without play
           quiet: undamped, its force is fifteen times as far from the ideal one.
Number:    0.0789 ms late at the second end of stroke without play, by damping alone.
Data:      the paper gives neither sizes nor stiffness of this bearing, so that its figures cannot be repeated; here a
           pin of 10 mm radius, 20 mm long, in four strips of 1e11 N/m^1.5 in all, e = 0.75, the same play at each
           flange.
Models:    slider_crank_journal_play

One law (Lankarani and Nikravesh) serves all sizes of play, also none at all, where a stiffness from radii (eq. 43,
44) would be infinite. Two remarks:

* This order holds because the bearing is stiff. With 1e10 N/m^1.5 a joint without play loses more than one with 1 um:
  slow contacts of eq. 43 are damped in proportion to the force, and a soft joint moves more.
* With 0.1 and 1 mm the pin rattles askew between the edges of its bearing. Single blows are not repeatable from one
  tolerance to the next; the delay is, roughly, and only its order is asserted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, RED, keep, panels

SAVE = 5e-4  # s
STIFFNESS = "1e11 N/m^1.5"
UNTIL = 2.5  # s
TOLERANCE = {"0 mm": 1e-5, "1e-3 mm": 1e-5, "0.1 mm": 1e-6, "1 mm": 1e-6}  # rtol for each play
COLOURS = dict(zip(TOLERANCE, (BLUE, GREEN, ORANGE, RED), strict=True))
UNDAMPED = 0.6  # s: without damping the joint rings, and every ring is followed


def solve(gap: str, until: float, restitution: float = 0.75) -> jp.Solution:
    """The model of the gallery with a law that knows its stiffness."""
    contact = {"lankarani_nikravesh": {"stiffness": STIFFNESS, "exponent": 1.5, "restitution": restitution}}
    bearing = {"clearance": gap, "axial": "2*gap", "strips": 4, "contact": contact}
    values = {"parameters.gap": gap, "joints.A.radial": bearing}
    model = jp.load_model(entries()["slider_crank_journal_play"], overrides=values)
    rtol = TOLERANCE[gap]
    sol = jp.simulate(model, until, jp.Implicit(rtol=rtol, atol=1e-2 * rtol), SAVE, progress=True)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def strokes(sol: jp.Solution) -> np.ndarray:
    """Instants at which the slider turns around, far out or far in."""
    rate = sol["D.displacement_rate"]
    k = np.flatnonzero((rate[:-1] * rate[1:] < 0.0) & (sol.time[1:] > 0.05))
    found = sol.time[k] - rate[k] * np.diff(sol.time)[k] / np.diff(rate)[k]
    return found[np.diff(found, prepend=-1.0) > 0.05]  # a blow may turn the slider back for a moment


def draw_motion(out: Path, ideal: jp.Solution, runs: dict[str, jp.Solution]) -> None:
    """Figure 11."""
    figure, axes = panels(2, 1, (10.0, 6.4), sharex=True)
    for ax, name, label in (
        (axes[0, 0], "slider.position[0]", "slider x [m]"),
        (axes[1, 0], "A.angle", "crank angle [rad]"),
    ):
        ax.plot(ideal.time, ideal[name], color=GREY, linewidth=3.0, alpha=0.5, label="ideal")
        for gap, sol in runs.items():
            ax.plot(sol.time, sol[name], color=COLOURS[gap], linewidth=1.1, label=gap)
        ax.set_ylabel(label)
    axes[1, 0].legend(frameon=False, loc="upper left", title="play")
    axes[1, 0].set(xlim=(0, ideal.time[-1]), xlabel="time [s]")
    keep(
        figure,
        out,
        "paper_c_motion_of_journal_play",
        f"{PAPERS['C']}, figure 11: play in the bearing of the crank, (a) slider, (b) crank",
    )


def draw_forces(out: Path, ideal: jp.Solution, runs: dict[str, jp.Solution]) -> None:
    """Figure 12: a row for each component, small play on the left."""
    figure, axes = panels(2, 2, (11.0, 6.4), sharex=True, sharey=True)
    for row, (component, letter) in zip(axes, ((0, "x"), (2, "z")), strict=True):
        for ax, gaps in zip(row, (("1e-3 mm", "0 mm"), ("1 mm", "0.1 mm")), strict=True):
            ax.plot(ideal.time, ideal["A.force"][:, component], color=GREY, linewidth=3.0, alpha=0.5, label="ideal")
            for gap in gaps:
                force = runs[gap]["A.force"][:, component]
                ax.plot(runs[gap].time, force, color=COLOURS[gap], linewidth=0.8, label=gap)
        row[0].set_ylabel(f"force on the crank at A, {letter} [N]")
    for ax in axes[0]:
        ax.legend(frameon=False, ncols=3, loc="upper left")
        ax.set(xlim=(0, 1.2), ylim=(-160, 160))
    axes[0, 1].set_title("blows cut off", fontsize="medium", loc="left")
    for ax in axes[1]:
        ax.set_xlabel("time [s]")
    keep(
        figure,
        out,
        "paper_c_forces_of_journal_play",
        f"{PAPERS['C']}, figure 12: force in the bearing, (a) x, (b) z",
    )


def draw_damping(out: Path, ideal: jp.Solution, damped: jp.Solution, ringing: jp.Solution) -> None:
    """Figure 13."""
    figure, axes = panels(2, 1, (10.0, 6.0), sharex=True)
    for ax, (component, letter) in zip(axes[:, 0], ((0, "x"), (2, "z")), strict=True):
        for sol, label, look in (
            (ringing, "no play, e = 1", {"color": RED, "linewidth": 0.6}),
            (damped, "no play, e = 0.75", {"color": BLUE, "linewidth": 1.2}),
            (ideal, "ideal", {"color": "black", "linewidth": 1.0, "linestyle": ":"}),
        ):
            ax.plot(sol.time, sol["A.force"][:, component], label=label, **look)
        ax.set_ylabel(f"force on the crank at A, {letter} [N]")
    axes[0, 0].legend(frameon=False, loc="upper left")
    axes[1, 0].set(xlim=(0, UNDAMPED), xlabel="time [s]")
    keep(
        figure,
        out,
        "paper_c_damping_of_journal_play",
        f"{PAPERS['C']}, figure 13: force in a bearing without play, damped or not",
    )


def main(out: Path = OUT, until: float = UNTIL) -> float:
    """Run, draw, and check the order of the delays. Returns that without play at the second end of stroke, in ms."""
    ideal = jp.simulate(jp.load_model(entries()["slider_crank"]), until, jp.Explicit(rtol=1e-9), SAVE, progress=True)
    runs = {gap: solve(gap, until) for gap in TOLERANCE}
    ringing = solve("0 mm", UNDAMPED, restitution=1.0)

    wanted = strokes(ideal)
    print(
        f"{'play':>8} {'turns':>6} {'lost [J]':>9} {'blows':>6} {'ledger [J]':>11}  delay at the ends of strokes [ms]"
    )
    delays = {}
    for gap, sol in runs.items():
        turns = np.max(sol["A.angle"]) / (2 * np.pi)
        met = strokes(sol)[: int(2 * turns)]  # two ends in each turn; what comes later is another motion
        delays[gap] = 1e3 * (met[: len(wanted)] - wanted[: len(met)])
        lost, error = sol["energy.dissipated"][-1], np.max(np.abs(sol["energy.error"]))
        numbers = f"{turns:6.2f} {lost:9.2g} {sol.stats['onsets']:6.0f} {error:11.1e}"
        print(f"{gap:>8} {numbers}  {' '.join(f'{d:.3g}' for d in delays[gap])}")
    draw_motion(out, ideal, runs)
    draw_forces(out, ideal, runs)
    draw_damping(out, ideal, runs["0 mm"], ringing)

    behind = ideal["A.angle"][-1] - runs["0 mm"]["A.angle"][-1]
    rows = len(ringing.time)
    exact, damped = ideal["A.force"][:rows], runs["0 mm"]["A.force"][:rows]
    off, rings = (np.sqrt(np.mean((force - exact) ** 2)) for force in (damped, ringing["A.force"]))
    print(f"without play the crank is {behind:.4f} rad behind the ideal one after {until:g} s")
    print(f"its bearing force differs by {off:.3f} N from the ideal one (root mean square), undamped by {rings:.3f} N")
    assert 0.0 < behind < 0.01
    assert rings > 5.0 * off
    null, small, large, huge = delays.values()
    assert 0.0 < null[1] < small[1] < 0.1 * large[1]
    assert small[0] < large[0] < huge[0]
    assert np.max(runs["1 mm"]["A.angle"]) < 4 * np.pi
    return float(null[1])


if __name__ == "__main__":
    main()
