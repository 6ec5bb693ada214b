"""A robot arm from a URDF file, with play put into its elbow: how far its tip is from where it should be.

Subject:   stories
Question:  my robot is a URDF file; what does worn play in its elbow do to the tip?
Answer:    a radial play of 20 um in a bearing 60 mm long lets the forearm lean by 2 c/length; the tip, 250 mm from the
           axis, hangs down by 0.167 mm, eight times the play. It lies 100 mm below the bearing and so moves by 0.067 mm
           towards the column as well. Where the arm turns back, inertia turns the lean aside and lifts the tip a bit.
Number:    0.1667 mm, 2 c reach/length by geometry.

The file has two revolute joints with vertical axes, limits and damping, and a gripper on a fixed joint, which is one
body with the forearm. The shoulder follows a smooth quarter turn and back; the elbow is held by a servo, a spring and a
damper on its angle.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, RED, keep, panels

FILE = Path(__file__).with_suffix(".urdf")
UNTIL, PERIOD, TURN = 1.0, 0.8, np.pi / 4  # s, s, rad
LENGTH, REACH = 60e-3, 0.25  # m: of the bearing, from its axis to the tip
GAPS = {5e-6: GREEN, 10e-6: BLUE, 20e-6: ORANGE, 40e-6: RED}  # m, radial
USUAL = 20e-6
SERVO = jp.Spring(stiffness=400.0, damping=4.0)  # N m/rad, N m s/rad
MOVE = jp.Drive(f"{TURN!r}*(1 - cos({2 * np.pi / PERIOD!r}*t))^2/4")  # starts and stops without a jump of acceleration


def solve(gap: float | None) -> jp.Solution:
    """The arm with play in its elbow, or without."""
    elbow: dict[str, object] = {"angle": SERVO}
    if gap is not None:
        contact = jp.Rigid(restitution=0.0)
        elbow |= {"radial": jp.Clearance(gap, contact=contact), "length": LENGTH}
    system, report = jp.read(FILE, play={"shoulder": {"angle": MOVE}, "elbow": elbow})
    assert report.counts["refused"] == 0
    sol = jp.simulate(system, UNTIL, jp.Moreau(step=1e-4), "2 ms", progress=True)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def apart(sol: jp.Solution, ideal: jp.Solution) -> np.ndarray:
    """Of the tips, in mm."""
    return np.asarray(1e3 * (sol["tip.position"] - ideal["tip.position"]))


def main(out: Path = OUT) -> float:
    """Run the arm with several plays, draw, and check the sag of the tip. Returns it for the usual play, in mm."""
    ideal = solve(None)
    figure, axes = panels(1, 3, (13.0, 4.2))
    sag, side, growth = axes.flat
    worst = {}
    for gap, colour in GAPS.items():
        sol = solve(gap)
        off = apart(sol, ideal)
        across = np.linalg.norm(off[:, :2], axis=1)
        worst[gap] = -float(off[:, 2].min())
        exact = 1e3 * 2.0 * gap * REACH / LENGTH
        label = f"{1e6 * gap:g} um"
        print(f"play {label}: tip {worst[gap]:.4f} mm low, by geometry {exact:.4f} mm; sideways {across.max():.4f} mm")
        sag.plot(sol.time, off[:, 2], color=colour, linewidth=1.1, label=label)
        side.plot(sol.time, across, color=colour, linewidth=1.1, label=label)
        growth.plot(1e6 * gap, worst[gap], "o", color=colour)
        if gap == USUAL:
            sol.save(out / "scara_arm.nc")
        assert abs(worst[gap] - exact) < 0.02 * exact
    growth.plot([0, 45], [0, 1e3 * 2.0 * 45e-6 * REACH / LENGTH], ":", color=GREY, label="2 c reach/length")
    sag.set(xlabel="time [s]", ylabel="height of the tip [mm]", xlim=(0, UNTIL), ylim=(None, 0.12))
    side.set(xlabel="time [s]", ylabel="sideways [mm]", xlim=(0, UNTIL), ylim=(0, 0.19))
    growth.set(xlabel="radial play [um]", ylabel="largest sag [mm]", xlim=(0, 45), ylim=(0, None))
    for ax, columns in ((sag, 2), (side, 2), (growth, 1)):
        ax.legend(frameon=False, fontsize="small", loc="upper left", ncols=columns)
    keep(figure, out, "scara_arm", "A robot arm with play in its elbow, beside the same with ideal joints")
    return worst[USUAL]


if __name__ == "__main__":
    main()
