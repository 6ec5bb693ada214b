"""A slider over time: the mechanism in sticks at that instant, curves with a cursor there, and their values.

Pictures are drawn here, in Python; the notebook only shows them. So a place of the slider shows a saved state as it is,
without rounding or interpolation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..extras import needed
from ..figures import lines, png
from ..figures.curves import curves, default_names
from ..figures.lines import time_axis
from ..figures.schematic import draw_sticks, eye, markers_of
from ..figures.style import new_figure
from ..model.geometry import Pose
from ..model.system import System
from ..report.markup import Markup, table, tag
from ..report.numbers import quantity
from ..results.solution import Solution
from ..viewer.geometry import rotations
from ..viewer.motion import Motion, motion_of
from ..viewer.source import system_of

DPI = 80  # of pictures that follow a hand
WIDE, LEAST, MOST = 6.0, 1.6, 5.0  # inches: width of the mechanism, bounds of its height
ROOM = 0.12  # of the size, around
STEPS, INTERVAL = 100, 200  # pictures of a whole run that plays by itself, ms between them


def explore(solution: Solution, *names: str) -> Explorer:
    """A slider over the saved states of a run; ``names`` are drawn over time, the joint forces if there are none."""
    system = system_of(solution)
    return Explorer(solution, system, list(names) or default_names(solution))


class Explorer:
    """The widgets ``slider`` (number of a saved state), ``mechanism``, ``curves`` and ``values``, all in ``box``."""

    def __init__(self, solution: Solution, system: System, names: list[str]) -> None:
        widgets = _widgets()
        self.solution, self.names = solution, names
        self._system, self._motion = system, motion_of(solution, system)
        self._lines = lines(solution, *names, title="")
        factor = time_axis([solution.time])[0].factor
        self._times = solution.time / factor
        self._cursors = [ax.axvline(self._times[0], color="0.2", linewidth=1.0) for ax in self._lines.axes]
        self._sticks, self._room = new_figure(WIDE, 1.0), _room(system, self._motion)
        last = len(self._motion.time) - 1
        look = {"description": "time", "continuous_update": True, "readout": False}
        self.slider = widgets.IntSlider(0, 0, last, **look, layout=widgets.Layout(width="60%"))
        self.play = widgets.Play(value=0, min=0, max=last, step=max(1, last // STEPS), interval=INTERVAL)
        self._link = widgets.jslink((self.play, "value"), (self.slider, "value"))
        self.mechanism, self.curves = widgets.Image(format="png"), widgets.Image(format="png")
        self.values = widgets.HTML()
        head, middle = widgets.HBox([self.play, self.slider]), widgets.HBox([self.mechanism, self.values])
        self.box = widgets.VBox([head, middle, self.curves])
        self.slider.observe(lambda change: self.show(change["new"]), "value")
        self.show(0)

    @property
    def time(self) -> float:
        """The instant that is shown, s."""
        return float(self._motion.time[self.slider.value])

    def show(self, frame: int) -> None:
        """Draw a saved state."""
        state = int(self._motion.kept[frame])
        self.mechanism.value = png(self._draw(frame), DPI)
        for cursor in self._cursors:
            cursor.set_xdata([self._times[state]] * 2)
        self.curves.value = png(self._lines, DPI)
        self.values.value = str(self._table(state))

    def _draw(self, frame: int) -> Any:
        """The mechanism, in the same room at all times."""
        poses = {
            name: Pose(self._motion.r[frame, b], rotations(self._motion.p[frame, b]))
            for b, name in enumerate(self._motion.names)
        }
        figure, (low, high) = self._sticks, self._room
        figure.clear()
        wide, tall = high - low
        figure.set_size_inches(WIDE, float(np.clip(WIDE * tall / wide, LEAST, MOST)))
        ax = figure.subplots()
        draw_sticks(ax, self._system, poses)
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        return figure

    def _table(self, state: int) -> Markup:
        rows = [
            (tag("code", f"{panel.quantity} {label}".strip()), quantity(float(values[state]), panel.unit, 5))
            for name in self.names
            for label, panel, values in curves(self.solution, name)
        ]
        return table(("time", quantity(float(self.solution.time[state]), "s", 6)), rows)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """What a notebook shows."""
        return self.box._repr_mimebundle_(**options)


def _room(system: System, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest coordinates in the picture over the whole run, with some room around."""
    seen = [eye(system, motion.points(marker).T) for marker in markers_of(system)]
    seen += [eye(system, motion.r[:, b].T) for b in range(1, len(motion.names))]
    points = np.concatenate(seen, axis=1)
    low, high = points.min(axis=1), points.max(axis=1)
    room = ROOM * max(float(np.max(high - low)), 1e-9)
    return low - room, high + room


def _widgets() -> Any:
    return needed("ipywidgets", "a slider in a notebook", "notebook", "explore")
