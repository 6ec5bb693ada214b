"""A triple pendulum with end stops on a sliding pair and on a hinge, with two contact laws.

Subject:   C
Figures:   15 to 18
Question:  three bars fall from rest, in line. What do end stops bear, and what does the contact law change?
Answer:    with the law of Lankarani and Nikravesh blows are soft and return most of the speed: 25 N and 3.3 N m at
           most, 0.106 J lost in 4 s. Eq. 54, which unloads with a hundredth of its stiffness, bears 112 N and 10.4 N
           m, takes 0.273 J, and leaves the pair 0.16 to 0.29 mm inside its stop for half a second.
Number:    0.105538 J lost in ten blows, from an independent program (tests/paper_c_reference.py).
Data:      the last bar is 0.6 m long, not 0.3 m as printed, units of the stop stiffness are missing (here N/m^1.5 and
           N m/rad^1.5, for eq. 54 N/m and N m/rad), and figure 18 is for a null restitution, here c_e = 0.01.
Models:    triple_pendulum_stops

In the long run bar 1 comes nearly to rest, and from 8.6 s on the sliding pair lies against one stop. The last hinge
goes on meeting its stops, to the end of the 20 s and now and then up to 40 s; the paper finds that blows cease. The
residual deformation is not permanent: when the bars swing back the stop lets go.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, RED, keep, panels

TRAVEL, SWING = 0.25, 45.0  # m, deg
UNTIL, LONG = 4.0, 20.0  # s
SAVE = 1e-4  # s
METHOD, FINER = (jp.Explicit(rtol=tol, atol=1e-2 * tol) for tol in (1e-8, 1e-9))
STIFF = jp.Implicit(rtol=1e-8, atol=1e-10)
ELASTIC, PLASTIC = "Lankarani-Nikravesh", "eq. 54"
COORDINATES = ("A.angle", "B.displacement", "B.angle", "C.angle")
SOFT_STOPS = {
    "joints.B.displacement.stop.contact": {"kelvin_voigt": {"stiffness": "1e5 N/m", "unloading": 0.01, "v_0": 0.1}},
    "joints.C.angle.stop.contact": {"kelvin_voigt": {"stiffness": "1e3 N m/rad", "unloading": 0.01, "v_0": 0.1}},
}

# coordinates at 2 and 4 s, peaks of force (N) and moment (N m), energy lost (J), blows
REFERENCE = {
    ELASTIC: (
        (1.931214257, 0.140566137, 0.026338762, 0.258556486),
        (2.824682140, -0.117825149, 0.016479002, 0.510066849),
        (25.20396, 3.29742, 0.10553782, 10),
    ),
    PLASTIC: (
        (1.983908344, 0.250254129, 0.068184184, 0.402663394),
        (2.615329696, -0.205396105, 0.442715464, 0.750394406),
        (112.18039, 10.42949, 0.27298807, 13),
    ),
}


def solve(law: str, until: float, method: jp.Method, save: float | np.ndarray = SAVE) -> jp.Solution:
    """The model of the gallery with one law or the other in both stops."""
    model = jp.load_model(entries()["triple_pendulum_stops"], overrides=SOFT_STOPS if law == PLASTIC else {})
    sol = jp.simulate(model, until, method, save, progress=True)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def peak(law: str, sol: jp.Solution, name: str) -> float:
    """Largest value of a force, from a run that is saved closely around the largest saved one."""
    near = sol.time[np.argmax(np.abs(sol[name]))] + np.linspace(-SAVE, SAVE, 101)
    return float(np.max(np.abs(solve(law, near[-1], METHOD, near)[name])))


def bars(sol: jp.Solution, k: int) -> list[np.ndarray]:
    """Both ends (rows) of the three bars at the saved instant k."""
    found = []
    for name in ("one", "two", "three"):
        e0, e1, e2, e3 = sol[f"{name}.orientation"][k]
        along = np.array([e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3, 2 * (e1 * e2 + e0 * e3), 2 * (e1 * e3 - e0 * e2)])
        centre = sol[f"{name}.position"][k]
        found.append(np.array([centre - 0.3 * along, centre + 0.3 * along]))
    return found


def draw_snapshots(out: Path, sol: jp.Solution) -> None:
    """Figure 15: bars and, between the first two, the pin of the sliding pair; seen from the side."""
    parts = (("first swing forward", 0.0, 1.45), ("first swing back", 1.45, 2.9))
    figure, axes = panels(1, 2, (11.0, 4.2), sharex=True, sharey=True)
    for ax, (words, begin, end) in zip(axes[0], parts, strict=True):
        for fade, time in zip(np.linspace(0.25, 1.0, 9), np.linspace(begin, end, 9), strict=True):
            one, two, three = bars(sol, round(time / SAVE))
            ax.plot(*np.array([one[1], two[0]])[:, ::2].T, ":", color=GREY, alpha=fade, linewidth=1.4)
            for bar, colour in zip((one, two, three), (BLUE, ORANGE, GREEN), strict=True):
                ax.plot(*bar[:, ::2].T, "-", color=colour, alpha=fade, linewidth=2.4, solid_capstyle="round")
        ax.plot(0.0, 0.0, "o", color="black")
        ax.set_title(f"{words}: {begin:g} to {end:g} s, later is darker", fontsize="medium", loc="left")
        ax.set(xlabel="x [m]", aspect="equal")
    axes[0, 0].set_ylabel("z [m]")
    for word, colour in (("bar 1", BLUE), ("bar 2", ORANGE), ("bar 3", GREEN), ("sliding pair", GREY)):
        axes[0, 1].plot([], [], ":" if colour == GREY else "-", color=colour, linewidth=2.4, label=word)
    handles, labels = axes[0, 1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    keep(
        figure,
        out,
        "paper_c_pendulum_snapshots",
        f"{PAPERS['C']}, figure 15: triple pendulum with stops, seen from the side",
    )


def draw_stops(out: Path, runs: dict[str, jp.Solution]) -> None:
    """Figures 16 and 17: a column for each law."""
    rows = (
        ("B.displacement", 1.0, "sliding pair [m]", TRAVEL),
        ("B.stop_force", 1.0, "stop force [N]", None),
        ("C.angle", 180.0 / np.pi, "last hinge [deg]", SWING),
        ("C.stop_torque", 1.0, "stop moment [N m]", None),
    )
    figure, axes = panels(4, 2, (11.0, 8.6), sharex=True)
    for column, (law, sol) in zip(axes.T, runs.items(), strict=True):
        column[0].set_title(law, fontsize="medium", loc="left")
        for ax, (name, factor, label, limit) in zip(column, rows, strict=True):
            for wall in (-limit, limit) if limit else ():
                ax.axhline(wall, color="0.4", linewidth=1.0)
            ax.plot(sol.time, factor * sol[name], color=RED if limit is None else BLUE, linewidth=1.0)
            ax.set_ylabel(label)
        column[-1].set(xlim=(0, UNTIL), xlabel="time [s]")
    keep(
        figure,
        out,
        "paper_c_pendulum_stops",
        f"{PAPERS['C']}, figure 16 (left) and figure 17 (right): stops and what they bear",
    )


def draw_residual(out: Path, runs: dict[str, jp.Solution]) -> None:
    """How deep the sliding pair lies in its stop: blows of one law, residual deformation of the other."""
    figure, axes = panels(1, 1, (9.0, 3.6))
    ax = axes[0, 0]
    for (law, sol), colour in zip(runs.items(), (GREY, RED), strict=True):
        depth = np.maximum(np.abs(sol["B.displacement"]) - TRAVEL, 0.0)
        ax.plot(sol.time, 1e3 * depth, color=colour, linewidth=1.1, label=law)
    ax.set(xlim=(0, UNTIL), ylim=(0, 1.2), xlabel="time [s]", ylabel="depth in the stop [mm]")
    ax.set_title("blows of Lankarani-Nikravesh reach 3.8 mm, above the frame", fontsize="medium", loc="left")
    figure.legend(loc="outside lower right", ncols=2, frameon=False)
    keep(
        figure,
        out,
        "paper_c_pendulum_residual",
        f"{PAPERS['C']}, section 3.2: residual deformation of the sliding stop",
    )


def draw_long(out: Path, sol: jp.Solution) -> None:
    """Figure 18."""
    curves = (
        (sol["one.angular_velocity[1]"], "speed of bar 1 [rad/s]"),
        (sol["B.displacement"], "sliding pair [m]"),
        (np.degrees(sol["C.angle"]), "last hinge [deg]"),
    )
    figure, axes = panels(3, 1, (10.0, 6.6), sharex=True)
    for ax, (values, label) in zip(axes[:, 0], curves, strict=True):
        ax.plot(sol.time, values, color=BLUE, linewidth=1.0)
        ax.set_ylabel(label)
    axes[-1, 0].set(xlim=(0, LONG), xlabel="time [s]")
    keep(
        figure,
        out,
        "paper_c_pendulum_long",
        f"{PAPERS['C']}, figure 18: the triple pendulum in the long run, eq. 54",
    )


def main(out: Path = OUT) -> float:
    """Run, draw, and check against finer runs and the reference. Returns what blows take in 4 s, in J."""
    runs = {law: solve(law, UNTIL, METHOD) for law in (ELASTIC, PLASTIC)}
    print(
        f"{'law':>20} {'blows':>6} {'force [N]':>10} {'moment [N m]':>13} {'lost [J]':>10} {'finer':>8} {'implicit':>9}"
    )
    for law, sol in runs.items():
        finer, stiff = solve(law, UNTIL, FINER), solve(law, UNTIL, STIFF)
        moved, other = (max(np.max(np.abs(sol[q] - run[q])) for q in COORDINATES) for run in (finer, stiff))
        peaks = peak(law, sol, "B.stop_force"), peak(law, sol, "C.stop_torque")
        lost, blows = sol["energy.dissipated"][-1], sol.stats["onsets"]
        numbers = f"{blows:6.0f} {peaks[0]:10.4f} {peaks[1]:13.5f} {lost:10.7f}"
        print(f"{law:>20} {numbers} {moved:8.1e} {other:9.1e}")
        middle, end, (force, moment, loss, contacts) = REFERENCE[law]
        assert moved < 1e-4
        assert other < 1e-4
        for time, values in ((2.0, middle), (4.0, end)):
            here = [sol[q][round(time / SAVE)] for q in COORDINATES]
            assert np.max(np.abs(np.subtract(here, values))) < 1e-5, law
        assert abs(peaks[0] - force) < 1e-3 * force, law
        assert abs(peaks[1] - moment) < 1e-3 * moment, law
        assert abs(lost - loss) < 1e-6, law
        assert blows == contacts, law
        assert np.max(np.abs(sol["energy.error"])) < 1e-6, law
    draw_snapshots(out, runs[ELASTIC])
    draw_stops(out, runs)
    draw_residual(out, runs)

    rest = np.abs(runs[PLASTIC]["B.displacement"][5000:9001]) - TRAVEL  # from 0.5 to 0.9 s
    print(f"residual deformation from 0.5 to 0.9 s: {1e3 * rest.min():.3f} to {1e3 * rest.max():.3f} mm")
    assert 0.0 < rest.min() < rest.max() < 4e-4

    late = solve(PLASTIC, LONG, METHOD, 2e-3)
    draw_long(out, late)
    lost = late["energy.dissipated"]
    print(f"in {LONG:g} s: {late.stats['onsets']:.0f} blows, {lost[-1]:.4f} J lost")
    assert np.min(late["B.displacement"][late.time > 9.0]) > 0.95 * TRAVEL
    speed = np.abs(late["one.angular_velocity[1]"])
    assert np.max(speed[late.time > 15.0]) < 0.2 * np.max(speed)
    return float(runs[ELASTIC]["energy.dissipated"][-1])


if __name__ == "__main__":
    main()
