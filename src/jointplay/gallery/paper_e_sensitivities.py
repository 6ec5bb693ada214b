"""Which of seven numbers of a slider-crank with friction matters, and how sure and how dear are the derivatives?

Subject:   E
Figures:   11 to 13
Question:  which number governs the velocity of the slider: a length, friction, or the size of the slider?
Answer:    by the length of the rod (2.43 m/s for a change of 100 %), then the crank (0.85) and both coefficients of
           friction (0.79 and 0.61); width, length and v_t of the slider matter a hundred times less. Direct
           derivatives agree with the complex step to 1e-8 % and cost eight plain runs, of which half prepare them;
           the complex step costs fifty.
Number:    0.6051 m/s, the largest scaled derivative by mu_d, from an independent program, differenced
           (tests/paper_e_reference.py).
Data:      the start is not in the paper's text, so that curves agree with its figures in kind; that mu_d matters most
           and the width not at all depends on it and does not hold here.
Models:    slider_crank_friction

Derivatives are scaled by the parameters, so that lengths and coefficients can be compared, and checked by a run on
complex numbers for each parameter, which knows nothing of the tangent equations. The width of the slider is not
without effect, because the universal joint passes on the torque that spins the rod.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery import PAPERS, entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, PURPLE, RED, keep, panels

MODEL = entries()["slider_crank_friction"]
STEP = 1e-4  # s: within a millisecond the slider passes from rest to v_t
VELOCITY, PLACE = "slider.velocity[0]", "slider.position[0]"
LOOKS = {"crank": BLUE, "rod": RED, "mu_d": GREEN, "mu_s": ORANGE, "length": BLUE, "width": RED, "v_t": PURPLE}
LARGE, SMALL = ("crank", "rod", "mu_d", "mu_s"), ("length", "width", "v_t")


def derivatives(kind: str, until: float = 1.5, save: float = 1e-3) -> jp.Sensitivities:
    """By all seven parameters."""
    method = jp.Index1(step=STEP)
    return jp.sensitivities(
        MODEL, list(LOOKS), [VELOCITY, PLACE], method, until=until, derivative=kind, save=save, progress=True
    )


def draw_scaled(out: Path, found: jp.Sensitivities) -> None:
    """Figure 11: what a change of each parameter by 100 % would do, if nothing bent."""
    figure, axes = panels(3, 1, (9.0, 8.6), sharex=True)
    axes[0, 0].plot(found.time, found.values[VELOCITY], color=GREY)
    axes[0, 0].set_ylabel("slider velocity [m/s]")
    for ax, names in ((axes[1, 0], LARGE), (axes[2, 0], SMALL)):
        for name in names:
            ax.plot(found.time, found.scaled(VELOCITY, name), color=LOOKS[name], linewidth=1.2, label=name)
        ax.set_ylabel("scaled derivative of it [m/s]")
        ax.legend(frameon=False, ncols=len(names), loc="upper right")
    axes[-1, 0].set(xlabel="time [s]", xlim=(0, 1.5))
    keep(
        figure,
        out,
        "paper_e_scaled",
        f"{PAPERS['E']}, figure 11: scaled sensitivities of the slider's velocity",
    )


def percent_off(found: jp.Sensitivities, check: jp.Sensitivities, name: str) -> float:
    """Root mean square of the deviation over that of the derivative, of the slider's place, as long as both go on."""
    b = check[PLACE][name]
    a = found[PLACE][name][: len(b)]
    return float(100.0 * np.sqrt(np.mean((a - b) ** 2) / np.mean(b**2)))


def measure() -> dict[str, tuple[float, int]]:
    """Seconds and runs for the first 0.3 s; of a few repeats, the shortest."""
    system = jp.load_model(MODEL)
    found: dict[str, tuple[float, int]] = {}

    def shortest(run: Any, repeats: int) -> float:
        times = []
        for _ in range(repeats):
            began = perf_counter()
            run()
            times.append(perf_counter() - began)
        return min(times)

    found["plain run"] = shortest(lambda: jp.simulate(system, 0.3, jp.Index1(step=STEP), save=1e-2), 3), 1
    for kind, runs, repeats in (("direct", 1, 3), ("complex-step", 7, 1)):
        found[kind] = shortest(lambda kind=kind: derivatives(kind, 0.3, 1e-2), repeats), runs
    began = perf_counter()
    runs = int(derivatives("differences", 0.3, 1e-2).stats["runs"])
    found["differences"] = perf_counter() - began, runs
    return found


def draw_checks(
    out: Path, found: jp.Sensitivities, check: jp.Sensitivities, cost: dict[str, tuple[float, int]]
) -> float:
    """Figures 12 and 13: deviation from the complex step, and cost. Returns the largest deviation in per cent."""
    figure, axes = panels(1, 2, (10.0, 4.0))
    left, right = axes[0]
    off = {name: percent_off(found, check, name) for name in LOOKS}
    left.bar(list(off), list(off.values()), color=BLUE)
    left.set(yscale="log", ylabel="deviation from the complex step, RMS [%]", ylim=(1e-10, 1e-4))
    plain = cost["plain run"][0]
    ratios = [seconds / plain for seconds, _ in cost.values()]
    bars = right.barh(list(cost), ratios, color=[GREY, BLUE, GREEN, ORANGE])
    right.bar_label(bars, [f"{r:.1f}" for r in ratios], padding=3)
    right.invert_yaxis()
    right.set(xlabel="time beside a plain run, seven parameters", xscale="log", xlim=(0.7, 3.0 * max(ratios)))
    keep(
        figure,
        out,
        "paper_e_checks",
        f"{PAPERS['E']}, figure 12 (deviation from the complex step) and figure 13 (cost)",
    )
    return max(off.values())


def main(out: Path = OUT) -> float:
    """Run all, draw, and check derivatives. Returns the largest scaled one by mu_d in m/s."""
    found = derivatives("direct")
    assert not found.invalid
    check = derivatives("complex-step", 0.5)
    cost = measure()
    draw_scaled(out, found)
    worst = draw_checks(out, found, check, cost)
    print(f"{'parameter':>10} {'largest scaled derivative':>26} {'at':>8} {'off by, %':>10}")
    for name in LOOKS:
        scaled = np.abs(found.scaled(VELOCITY, name))
        at = found.time[int(np.argmax(scaled))]
        print(f"{name:>10} {np.max(scaled):22.5f} m/s {at:6.3f} s {percent_off(found, check, name):10.1e}")
    for name, (seconds, runs) in cost.items():
        print(f"{name:>18}: {seconds / cost['plain run'][0]:6.1f} times a plain run, {runs} runs")
    assert worst < 1e-6
    # an independent program, differenced, has 0.6051 (tests/paper_e_reference.py)
    by_friction = float(np.max(np.abs(found.scaled(VELOCITY, "mu_d"))))
    assert abs(by_friction - 0.6051) < 1e-3
    return by_friction


if __name__ == "__main__":
    main()
