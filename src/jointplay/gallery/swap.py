"""One joint, five natures: ideal, rigid play, compliant play, bushing, and a stop.

Subject:   choices
Question:  what must change in a model when a joint is no longer perfect?
Answer:    one argument. With 0.2 mm of play, hard or compliant, the crank is 34 to 47 mrad behind after 1 s and the
           joint sees blows of some 100 N; a rubber sleeve is quiet but costs 104 mrad; a stop of the slider turns the
           crank back.
Number:    0.05962 m/s at the first contact, the same for rigid and compliant play: until then both fly freely.
Models:    slider_crank

The spatial slider-crank of the gallery is read five times, each time with one argument changed. No method is named:
the log names the chosen one and the reason. The velocities of rod and slider, which the model file leaves open, follow
from that of the crank as if the joints were ideal, so that all five start alike. Both clearances let the pin of the
crank fly 0.2 mm before it meets its socket, at one and the same instant and speed; rigid walls then send it back at
once, compliant ones within a tenth of a millisecond.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, PURPLE, keep, panels

GAP, E = "0.2 mm", 0.75
RUBBER = 2e5  # N/m
SWAPS: dict[str, dict[str, Any]] = {
    "ideal": {},
    "rigid play": {"joints.B.radial": jp.Clearance(GAP, contact=jp.Rigid(restitution=E))},
    "compliant play": {
        "joints.B.radial": jp.Clearance(
            GAP, contact=jp.HuntCrossley(stiffness="5e6 N/mm^1.5", restitution=E, form="exact")
        )
    },
    "bushing": {"joints.B.radial": jp.Bushing(stiffness=RUBBER, damping="100 N s/m")},
    "stop": {
        "joints.D.displacement": jp.Stop(
            upper="60 mm", contact=jp.LankaraniNikravesh(stiffness="2e4 N/mm^1.5", restitution=E)
        )
    },
}
COLOURS = dict(zip(SWAPS, (GREY, BLUE, ORANGE, GREEN, PURPLE), strict=True))
UNTIL, FLIGHT = 1.0, 0.03  # s


def main(out: Path = OUT) -> float:
    """Run all five, draw them, check one number of each. Returns the speed of the first contact in m/s."""
    runs, instants = {}, np.union1d(np.linspace(0.0, UNTIL, 1001), np.linspace(0.0, FLIGHT, 3001))
    for name, change in SWAPS.items():
        system = jp.load_model(entries()["slider_crank"], overrides=change)
        runs[name] = sol = jp.simulate(system, UNTIL, save=instants, progress=True)
        assert sol.outcome.ok, sol.outcome.message
        why = next(note for note in sol.meta["notes"] if note.startswith("method"))
        print(f"{name:>14}: crank {sol['A.angle'][-1]:8.4f} rad, lost {sol['energy.dissipated'][-1]:.2e} J; {why}")
    figure, axes = panels(3, 1, (9.0, 9.0))
    for name, sol in runs.items():
        line = {"color": COLOURS[name], "label": name, "linewidth": 2.5 if name == "ideal" else 1.2}
        coarse = np.isin(sol.time, np.linspace(0.0, UNTIL, 1001))
        axes[0, 0].plot(sol.time, 1e3 * sol["slider.position"][:, 0], **line)
        if name not in ("ideal", "stop"):
            ideal = runs["ideal"]["A.angle"][coarse]
            axes[1, 0].plot(sol.time[coarse], 1e3 * (sol["A.angle"][coarse] - ideal), **line)
        early = sol.time <= FLIGHT
        axes[2, 0].plot(1e3 * sol.time[early], np.linalg.norm(sol["B.force"][early], axis=1), **line)
    blows = runs["rigid play"].impacts.time
    blows = 1e3 * blows[blows < FLIGHT]
    axes[2, 0].plot(blows, np.full(len(blows), 600.0), "v", color=BLUE)
    axes[0, 0].set(xlabel="time [s]", ylabel="slider [mm]")
    axes[0, 0].legend(frameon=False, ncols=5, loc="upper center", bbox_to_anchor=(0.5, 1.17))
    axes[1, 0].set(xlabel="time [s]", ylabel="crank angle\nless the ideal one [mrad]")
    axes[2, 0].set(xlabel="time [ms]", ylabel="force in the joint B [N]\n(triangles: rigid impacts)")
    axes[2, 0].set_yscale("symlog", linthresh=3.0)
    axes[2, 0].set_ylim(0.0, 900.0)
    keep(figure, out, "swap", "One joint of a slider-crank, five natures")

    assert abs(runs["ideal"]["A.angle"][-1] - 10.994497657) < 1e-6
    first = runs["rigid play"].impacts[0]
    onset = runs["compliant play"]["B.onset_speed"][:, 0]
    touch = runs["compliant play"].time[np.argmax(onset > 0.0)]
    speed = onset[onset > 0.0][0]
    print(f"first touch: rigid {1e3 * first.time:.4f} ms, {-first.speed_before:.5f} m/s; compliant {speed:.5f} m/s")
    assert abs(speed + first.speed_before) < 1e-5
    assert 0.0 <= touch - first.time <= 1.1e-5  # seen at the next saved instant
    assert abs(runs["bushing"]["A.angle"][-1] - 10.8909067) < 1e-6
    assert abs(runs["stop"]["A.angle"][-1] + 2.42944) < 1e-4
    return float(speed)


if __name__ == "__main__":
    main()
