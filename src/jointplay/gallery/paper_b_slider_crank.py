"""A slider-crank with play in its guide, left to itself at 150 rad/s.

Subject:   B
Figures:   10, 11
Question:  crank and rod are given their speeds and left to themselves. When and how hard does a slider with play
           strike?
Answer:    the upper corners strike first, at 2.69 ms with 0.84 m/s; in two turns 76 impacts take 0.340 J and friction
           0.014 J of 7.5 J. The crank speed swings between 70 and 150 rad/s, so that two turns last 137.55 ms.
Number:    2.6925 ms to the first impact, as from an independent solution of the free flight in minimal coordinates.
Data:      the width of the guide is not in table 1 and the clearance may be meant in all or on each side; here 1 mm
           lies on each side, so that corners move between -1 and 1.
Models:    slider_crank_clearance

With the printed initial state the slider never turns: both corners of a face strike at once. A slider that turns
however slowly at the start behaves otherwise; the red line of the first picture shows it. The last picture is not in
the paper: what becomes of the energy for several step sizes, with impacts located in time and with the scheme as
printed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREY, OUT, RED, keep, panels

GAP = 1e-3  # m, on each side
UNTIL = 0.1375545  # s: two turns of the crank
WHOLE = 0.1376  # s: a little more, a multiple of all steps below, so that nothing is interpolated
STEPS = (1.6e-4, 8e-5, 4e-5, 2e-5, 1e-5, 5e-6)  # s


def crank(spin: str = "0 rad/s") -> jp.System:
    """The model of the gallery; ``spin`` is the angular velocity of the slider at the start."""
    return jp.load_model(entries()["slider_crank_clearance"], overrides={"bodies.slider.angular_velocity": spin})


def corners(sol: jp.Solution) -> np.ndarray:
    """Heights of the corners in units of the play: 1 at the upper wall, -1 at the lower one."""
    return (1.0 - sol["D.gap"] / GAP) * np.array([1, 1, -1, -1])


def draw_corners(out: Path, still: jp.Solution, turning: jp.Solution) -> None:
    """Figure 10: a panel for each corner over the turns of the crank."""
    names = ("upper back", "upper front", "lower back", "lower front")
    figure, axes = panels(2, 2, (10.0, 5.6), sharex=True, sharey=True)
    for k, (ax, name) in enumerate(zip(axes.flat, names, strict=True)):
        for wall in (-1.0, 1.0):
            ax.axhline(wall, color="0.4", linewidth=1.0)
        for sol, label, look in (
            (still, "not turning", {"color": BLUE, "linewidth": 3.0, "alpha": 0.45}),
            (turning, "turning at 0.01 rad/s", {"color": RED, "linewidth": 1.0}),
        ):
            ax.plot(sol["A.angle"] / (2 * np.pi), corners(sol)[:, k], label=label, **look)
        ax.set_title(f"corner {k + 1}, {name}", fontsize="medium", loc="left")
        ax.set(xlim=(0, 2), ylim=(-1.12, 1.12))
    for ax in axes[:, 0]:
        ax.set_ylabel("height / play")
    for ax in axes[1]:
        ax.set_xlabel("turns of the crank")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=2, frameon=False, title="slider at the start")
    keep(figure, out, "paper_b_corners", f"{PAPERS['B']}, figure 10: motion of the slider's corners")


def draw_speeds(out: Path, sol: jp.Solution) -> None:
    """Figure 11: speeds of crank and rod, portraits of rod and slider."""
    rod = np.unwrap(2.0 * np.arctan2(sol["rod.orientation[3]"], sol["rod.orientation[0]"]))
    time, jumps = 1e3 * sol.time, 1e3 * np.unique(sol.impacts["time"])
    curves = (
        (time, sol["crank.angular_velocity[2]"], "time [ms]", "crank speed [rad/s]"),
        (time, sol["rod.angular_velocity[2]"], "time [ms]", "rod speed [rad/s]"),
        (rod, sol["rod.angular_velocity[2]"], "rod angle [rad]", "rod speed [rad/s]"),
        (1e3 * sol["slider.position[0]"], sol["slider.velocity[0]"], "slider x [mm]", "slider speed [m/s]"),
    )
    figure, axes = panels(2, 2, (10.0, 6.2))
    for ax, (x, y, x_label, y_label) in zip(axes.flat, curves, strict=True):
        ax.plot(x, y, color=BLUE, linewidth=1.1)
        ax.set(xlabel=x_label, ylabel=y_label)
    for ax in axes[0]:
        ax.plot(jumps, np.full(len(jumps), 0.02), "|", color=RED, transform=ax.get_xaxis_transform(), label="impact")
        ax.set_xlim(0, time[-1])
    axes[0, 1].legend(loc="upper right", frameon=False)
    keep(
        figure,
        out,
        "paper_b_speeds",
        f"{PAPERS['B']}, figure 11: speeds of crank and rod, portraits of rod and slider",
    )


def balance() -> np.ndarray:
    """The ledger after two turns: initial - final = impacts + the rest + error of the scheme. Returns the errors.

    The rest is friction. The scheme as printed cannot separate impacts from forces.
    """
    print(f"{'impacts':>8} {'step [s]':>9} {'lost [J]':>9} {'impacts':>8} {'the rest':>9} {'scheme':>10}")
    errors = []
    for impacts in ("stepped", "located"):
        for step in STEPS:
            sol = jp.simulate(crank(), WHOLE, jp.Moreau(step=step, impacts=impacts), save=[WHOLE], progress=True)
            struck, booked = float(sol.impacts["energy_loss"].sum()), float(sol["energy.dissipated"][-1])
            error = float(sol["energy.error"][-1])
            errors.append(error)
            parts = f"{struck:8.5f} {booked - struck:9.5f}" if impacts == "located" else f"{booked:18.5f}"
            print(f"{impacts:>8} {step:9.1e} {booked - error:9.5f} {parts} {-error:10.2e}")
    return np.array(errors).reshape(2, -1)


def draw_errors(out: Path, errors: np.ndarray) -> None:
    """Error of the energy over the step."""
    figure, axes = panels(1, 1, (6.0, 4.0))
    ax = axes[0, 0]
    for values, colour, label in zip(errors, (RED, BLUE), ("as printed", "impacts located"), strict=True):
        ax.loglog(STEPS, np.abs(values), "o-", color=colour, label=label)
    guide = abs(errors[1, 0]) * (np.array(STEPS) / STEPS[0]) ** 3
    ax.loglog(STEPS, guide, ":", color=GREY, label="order 3")
    ax.set(xlabel="step [s]", ylabel="error of the energy after two turns [J]")
    ax.legend(frameon=False)
    keep(figure, out, "paper_b_energy", f"{PAPERS['B']}: error of the energy over the step")


def main(out: Path = OUT) -> float:
    """Run, draw, and check the first impact. Returns its instant in ms."""
    still, turning = (
        jp.simulate(crank(spin), UNTIL, jp.Moreau(step=1e-5), save="50 us", progress=True)
        for spin in ("0 rad/s", "0.01 rad/s")
    )
    print(still.summary())
    draw_corners(out, still, turning)
    draw_speeds(out, still)
    draw_errors(out, balance())
    first = still.impacts[0]
    print(f"first impact at {1e3 * first['time']:.4f} ms with {-first['speed_before']:.4f} m/s")
    assert abs(first["time"] - 2.6925e-3) < 1e-7
    assert abs(first["speed_before"] + 0.8416) < 1e-4
    return 1e3 * float(first["time"])


if __name__ == "__main__":
    main()
