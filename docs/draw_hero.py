"""The moving picture of the front page and those of the start page, from real runs: ``python docs/draw_hero.py``.

The runs are those of docs/start.md: a driven four-bar whose pin C is ideal, or has 0.2 mm of play.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, ConnectionPatch
from PIL import Image

import jointplay as jp
from jointplay import figures

FOLDER = Path(__file__).parent
BLUE, RED, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#9aa4ad"
COLOURS = {"crank": BLUE, "coupler": "#56616b", "rocker": GREEN}
PIVOTS = {"A": (0.0, 0.0), "D": (0.35, 0.0)}
ENDS = {
    "crank": ((-0.05, 0.0), (0.05, 0.0)),
    "coupler": ((-0.1, -0.1), (0.1, 0.1)),
    "rocker": ((-0.025, 0.1), (0.025, -0.1)),
}
TURN = (0.2, 0.4)  # s, the second turn of the crank
FRAMES, PAUSE = 100, 55  # pictures, and ms for each
PIN, HOLE = 0.55, 1.0  # drawn radii; the path of the pin's centre fills what is between them


def models() -> list[str]:
    """The model files of the start page."""
    page = (FOLDER / "start.md").read_text(encoding="utf-8")
    return re.findall(r'^```yaml title="[^"]+"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)


def run(text: str, folder: Path) -> jp.Solution:
    """A model of the start page, run as the page does."""
    file = folder / "model.yaml"
    file.write_text(text, encoding="utf-8")
    system = jp.load_model(file)
    file.unlink()
    return jp.simulate(system, until=0.4, save=1e-4)


def bars(sol: jp.Solution, at: int) -> dict[str, np.ndarray]:
    """End points of the three bars at a saved instant."""
    found = {}
    for name, ends in ENDS.items():
        e0, *_, e3 = sol[f"{name}.orientation"][at]
        angle = 2.0 * np.arctan2(e3, e0)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        found[name] = sol[f"{name}.position"][at, :2] + np.array(ends) @ turn.T
    return found


def draw_linkage(ax: Axes, places: dict[str, np.ndarray], *, names: bool = False) -> None:
    """The linkage with its ground."""
    for x, y in PIVOTS.values():
        ax.plot([x - 0.018, x, x + 0.018], [y - 0.03, y, y - 0.03], color="0.35", lw=1.4, zorder=1)
        ax.plot([x - 0.03, x + 0.03], [y - 0.03, y - 0.03], color="0.35", lw=1.4, zorder=1)
    for name, ends in places.items():
        ax.plot(*ends.T, color=COLOURS[name], lw=7, solid_capstyle="round", zorder=2)
        if names:
            middle, along = ends.mean(axis=0), ends[1] - ends[0]
            across = np.array([-along[1], along[0]]) / np.hypot(*along)
            slope = (np.degrees(np.arctan2(along[1], along[0])) + 90) % 180 - 90
            look = {"ha": "center", "va": "center", "rotation_mode": "anchor", "fontsize": 10, "color": COLOURS[name]}
            ax.annotate(name, middle + 0.02 * across, rotation=slope, **look)
    for point in (*PIVOTS.values(), places["coupler"][0], places["coupler"][1]):
        ax.plot(*point, "o", color="white", mec="0.2", ms=7, mew=1.4, zorder=3)
    ax.set_aspect("equal")
    ax.set_axis_off()


def sketch(sol: jp.Solution) -> None:
    """The linkage as drawn, with the coordinates of its pins."""
    figure = Figure(figsize=(5.6, 3.3), layout="constrained")
    ax = figure.subplots()
    draw_linkage(ax, bars(sol, 0), names=True)
    labels = {
        "A (0, 0)": (0, 0, -24, 8),
        "B (100, 0)": (0.1, 0, 30, -12),
        "C (300, 200)": (0.3, 0.2, 4, 12),
        "D (350, 0)": (0.35, 0, 34, 6),
    }
    for text, (x, y, right, up) in labels.items():
        ax.annotate(text, (x, y), (right, up), textcoords="offset points", ha="center", fontsize=10)
    ax.annotate("lengths in mm", (0.0, 0.2), fontsize=9, color="0.4")
    ax.set(xlim=(-0.07, 0.45), ylim=(-0.05, 0.235))
    figure.savefig(FOLDER / "assets" / "four_bar.svg", transparent=False)


def hero(ideal: jp.Solution, worn: jp.Solution) -> None:
    """Linkage, close-up of the pin in its hole, and bearing force, over one turn."""
    (orbit,) = jp.analysis.orbit(worn, "C")
    instants = np.searchsorted(worn.time, np.linspace(*TURN, FRAMES, endpoint=False))
    force, smooth = worn["|C.force|"], ideal["|C.force|"]
    pictures = []
    for at in instants:
        figure = Figure(figsize=(9.6, 3.3), dpi=100, facecolor="white")
        left = figure.add_axes((0.0, 0.02, 0.37, 0.96))
        close = figure.add_axes((0.385, 0.13, 0.225, 0.74))
        right = figure.add_axes((0.68, 0.2, 0.3, 0.62))
        places = bars(worn, at)
        draw_linkage(left, places)
        left.set(xlim=(-0.14, 0.48), ylim=(-0.13, 0.3))
        place = places["coupler"][1]
        left.add_patch(Circle(place, 0.028, fill=False, ec="0.5", lw=1.1, zorder=4))
        _close_up(close, orbit, at, worn)
        for side in (-1, 1):
            here, there = (place[0], place[1] + 0.028 * side), (-0.75, 0.9 * side)
            line = ConnectionPatch(here, there, "data", "data", axesA=left, axesB=close, color="0.75", lw=0.8)
            figure.add_artist(line)
        window = slice(instants[0], instants[-1] + 1)
        right.plot(1e3 * worn.time[window], force[window], color=RED, lw=1.0, label="0.2 mm of play")
        right.plot(1e3 * ideal.time[window], smooth[window], color="0.25", lw=1.6, label="no play")
        right.axvline(1e3 * worn.time[at], color=BLUE, lw=1.0, alpha=0.7)
        right.plot(1e3 * worn.time[at], force[at], "o", color=RED, ms=5, mec="white")
        right.set(
            xlim=(1e3 * TURN[0], 1e3 * TURN[1]), ylim=(0, None), xlabel="time [ms]", ylabel="force between impacts [N]"
        )
        right.spines[["top", "right"]].set_visible(False)
        right.legend(frameon=False, fontsize=9, loc="upper right")
        stream = BytesIO()
        figure.savefig(stream, format="png")
        pictures.append(Image.open(stream).convert("RGB"))
    first, *rest = pictures
    target = FOLDER / "assets" / "hero.webp"
    first.save(target, save_all=True, append_images=rest, duration=PAUSE, loop=0, quality=65, method=4)
    print(f"drew {target}, {target.stat().st_size / 1e3:.0f} kB")


def _close_up(ax: Axes, orbit: jp.analysis.Orbit, at: int, worn: jp.Solution) -> None:
    """The pin in its hole, the play magnified, with the path that its centre took."""
    play = HOLE - PIN
    ax.add_patch(Circle((0, 0), 1.22, fc="#dfe4e8", ec="none"))
    ax.add_patch(Circle((0, 0), HOLE, fc="white", ec="0.35", lw=1.6))
    centre = play * orbit.path[at]
    touching = orbit.eccentricity[at] > 0.999
    ax.add_patch(Circle(centre, PIN, fc="#cfe3f1" if not touching else "#f6d9c6", ec=RED if touching else BLUE, lw=1.6))
    trail = play * orbit.path[max(at - 300, 0) : at + 1]
    ax.plot(*trail.T, color="0.3", lw=0.9)
    ax.plot(*centre, "o", color="0.1", ms=3.5)
    if touching:
        outward = centre / np.hypot(*centre)
        length = 0.35 + 0.85 * float(worn["|C.force|"][at] / worn["|C.force|"].max()) ** 0.5
        look = {"arrowstyle": "-|>", "color": RED, "lw": 2.2, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", outward * HOLE, outward * (HOLE + length), arrowprops=look, annotation_clip=False)
    ax.set(xlim=(-1.9, 1.9), ylim=(-1.9, 1.9))
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title("pin C, its play magnified", fontsize=10, color="0.3")


def main() -> None:
    """Run and draw."""
    ideal, worn = (run(text, FOLDER) for text in models())
    sketch(ideal)
    figures.lines(
        [ideal, worn],
        "|C.force|",
        labels=["no play", "0.2 mm of play"],
        title="",
        path=FOLDER / "assets" / "bearing.png",
    )
    hero(ideal, worn)


if __name__ == "__main__":
    main()
