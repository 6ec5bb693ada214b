"""A door on worn hinges with dry friction: how far it hangs down, and what friction does to its swing.

Subject:   stories
Question:  how much does a door on worn hinges hang down, and what does friction in them change?
Answer:    with 1 mm of radial play in hinges 1.6 m apart the far edge hangs down by 1.6 mm, of which 1.1 mm because
           the door leans. Friction brakes the swing: of 0.8 rad/s the door has 0.74 left at its stop with mu = 0.15,
           0.75 by the friction of two pins alone. Above mu = width/(2 apart) = 0.28 the collar under the door holds
           its foot by friction; the lower pin never touches its hole and the door hangs down less.
Number:    1.625 mm at most, half the axial play and 2 c width/apart by geometry.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, PURPLE, RED, keep, panels

UNTIL = 2.5  # s
WIDTH, APART, RADIUS, MASS, SPEED = 0.9, 1.6, 8e-3, 25.0, 0.8  # SI
AXIAL = 0.5e-3  # m, half the axial play
GAPS = {0.25e-3: GREEN, 0.5e-3: BLUE, 1e-3: ORANGE, 2e-3: RED}  # m
FRICTION = {0.0: GREY, 0.1: GREEN, 0.15: ORANGE, 0.25: BLUE, 0.3: PURPLE}
LOCKED = WIDTH / (2.0 * APART)  # from here on friction of the collar bears what presses on the lower pin
USUAL = (1e-3, 0.15)  # play and friction of the model


def solve(gap: float, mu: float) -> jp.Solution:
    """The model with another play or friction."""
    changes = {"parameters.gap": gap, "joints.H.radial.friction.coulomb": mu}
    system = jp.load_model(entries()["worn_door"], overrides=changes)
    sol = jp.simulate(system, UNTIL, jp.Moreau(step=2e-4), "5 ms", progress=True)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def sag(sol: jp.Solution) -> np.ndarray:
    """Of the far edge, in mm."""
    return np.asarray(1e3 * (sol["edge.position[2]"][0] - sol["edge.position[2]"]))


def arrival(sol: jp.Solution) -> float:
    """Speed with which the door meets its stop, in rad/s."""
    stops = [row for row in sol.impacts if row["contact"].startswith("H.angle")]
    return -float(stops[0]["speed_before"])


def estimate(mu: float) -> float:
    """The same by the friction of two pins that bear the couple of the weight, in rad/s."""
    torque = mu * RADIUS * 2.0 * MASS * 9.81 * (WIDTH / 2.0) / APART
    return float(np.sqrt(SPEED**2 - 2.0 * torque * (np.pi / 2.0) / (MASS * WIDTH**2 / 3.0)))


def main(out: Path = OUT) -> float:
    """Run doors with other plays and other friction, draw, and check the sag. Returns it for 1 mm in mm."""
    loose = {gap: solve(gap, USUAL[1]) for gap in GAPS}
    rough = {mu: loose[USUAL[0]] if mu == USUAL[1] else solve(USUAL[0], mu) for mu in FRICTION}
    figure, axes = panels(2, 2, (11.0, 7.2))
    time, growth, swing, stop = axes.flat
    for gap, sol in loose.items():
        exact = 1e3 * (AXIAL + 2.0 * gap * WIDTH / APART)
        print(f"play {1e3 * gap:g} mm: sag {sag(sol).max():.4f} mm, by geometry {exact:.4f} mm")
        time.plot(sol.time, sag(sol), color=GAPS[gap], linewidth=1.1, label=f"{1e3 * gap:g} mm")
        growth.plot(1e3 * gap, sag(sol).max(), "o", color=GAPS[gap])
        assert abs(sag(sol).max() - exact) < 5e-3
    growth.plot([0, 2.2], [1e3 * AXIAL, 1e3 * AXIAL + 4.4 * WIDTH / APART], ":", color=GREY, label="geometry")
    for mu, sol in rough.items():
        print(f"mu = {mu:g}: meets the stop with {arrival(sol):.4f} rad/s, {estimate(mu):.4f} by two pins;", end=" ")
        print(f"sag {sag(sol).max():.3f} mm")
        swing.plot(sol.time, np.degrees(sol["H.angle"]), color=FRICTION[mu], linewidth=1.1, label=f"mu = {mu:g}")
        stop.plot(mu, arrival(sol), "o", color=FRICTION[mu])
        assert mu > LOCKED or abs(arrival(sol) - estimate(mu)) < 0.01
    grid = np.linspace(0.0, 0.32, 50)
    stop.plot(grid, [estimate(mu) for mu in grid], ":", color=GREY, label="friction of two pins")
    stop.axvline(LOCKED, color=GREY, linestyle="--", linewidth=1.0, label="the collar holds the foot")
    swing.axhline(90.0, color=GREY, linewidth=1.0)
    time.set(xlabel="time [s]", ylabel="sag of the far edge [mm]", xlim=(0, 1.9), ylim=(0, 3.0))
    growth.set(xlabel="radial play [mm]", ylabel="largest sag [mm]", xlim=(0, 2.2), ylim=(0, None))
    swing.set(xlabel="time [s]", ylabel="angle of the door [deg]", xlim=(0, UNTIL))
    stop.set(xlabel="coefficient of friction", ylabel="speed at the stop [rad/s]", xlim=(-0.01, 0.33))
    for ax, place in zip(axes.flat, ("center right", "upper left", "lower right", "lower left"), strict=True):
        ax.legend(frameon=False, fontsize="small", loc=place)
    keep(figure, out, "worn_door", "A door on worn hinges: play (above) and friction (below)")
    loose[USUAL[0]].save(out / "worn_door.nc")
    assert not rough[0.3]["H.normal_force"][100:300, 0].any()  # the lower pin, from 0.5 to 1.5 s
    return float(sag(loose[USUAL[0]]).max())


if __name__ == "__main__":
    main()
