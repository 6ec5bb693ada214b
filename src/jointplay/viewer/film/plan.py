"""What a film should be: its options read and checked, all problems at once, before anything is started."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import floor, isfinite
from typing import Any, TypedDict

import numpy as np

from ...errors import InputError, Problem
from ...model.names import suggest
from ...quantities.units import QuantityError, si
from ...results.solution import Solution
from .encoders import Format

LOOKS = {"front": "front", "side": "side", "top": "top", "3d": "iso"}  # and what the page calls them
SIDES = (160, 4096)  # pixels
PANEL = 800  # pixels of width that a picture with curves beside it needs
FINE = 1440  # pixels of the shorter side from which letters and lines are drawn twice as large
MOST = 36_000  # frames: 20 minutes at 30 a second
Heed = Callable[[Callable[[int], None]], Callable[[int], None]]


class FilmOptions(TypedDict, total=False):
    """Options of a film; all may be left out."""

    fps: float  # frames per second of film; 30, of a .gif 20
    size: str | tuple[int, int]  # "1280x720", pixels
    speed: float | str  # simulated seconds per second of film; as the player would choose it
    start: float | str  # s, or a text with a unit; from here
    end: float | str  # to here
    magnify: float | str  # play drawn so much larger, or "auto"
    look: str  # "front", "side", "top", "3d"
    dark: bool
    panel: bool  # close-up and curves beside the picture; shown if curves are named
    browser: str  # a program; else JOINTPLAY_BROWSER, or what is found
    progress: bool | Heed  # a bar on stderr; or also what wraps the function that moves it (cli/interrupt.py)


@dataclass(frozen=True)
class Plan:
    """A film that can be made."""

    fps: float
    size: tuple[int, int]
    speed: float | None  # None: as the player would
    start: float  # s
    end: float
    magnify: float | str
    look: str | None
    dark: bool
    panel: bool

    @property
    def scale(self) -> int:
        """Pixels of the film per pixel of the page."""
        return 2 if min(self.size) >= FINE else 1

    def instants(self, speed: float) -> np.ndarray:
        """Times of the frames (s), from the start, none behind the end."""
        count = floor((self.end - self.start) * self.fps / speed * (1.0 + 1e-12)) + 1
        if count < 2:
            most = (self.end - self.start) * self.fps
            raise InputError(Problem("speed", f"the film would have one frame only; at most {most:.3g} makes two"))
        if count > MOST:
            raise InputError(
                Problem(
                    "speed",
                    f"the film would have {count} frames, more than {MOST}; raise speed (it is {speed:.3g}), "
                    "lower fps, or take a part of the run",
                )
            )
        return np.minimum(self.start + np.arange(count) * (speed / self.fps), self.end)


def read_plan(solution: Solution, form: Format, options: Mapping[str, Any], *, curves: bool) -> Plan:
    """Check the options of a film; ``curves`` is true if any were named."""
    from ...figures.windows import seconds  # figures are many, and pages need none

    problems: list[Problem] = []
    unknown = [key for key in options if key not in FilmOptions.__annotations__]
    problems += [Problem(key, f"no such option{suggest(key, FilmOptions.__annotations__)}") for key in unknown]

    def number(field: str, usual: Any, low: float, high: float) -> Any:
        given = options.get(field)
        if given is None:
            return usual
        try:
            value = si(given, "")
        except (QuantityError, ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
            problems.append(Problem(field, str(error)))
            return usual
        if not (isfinite(value) and low <= value <= high):
            problems.append(Problem(field, f"must lie between {low:g} and {high:g}, is {value:g}"))
            return usual
        return value

    def moment(field: str, usual: float) -> float:
        try:
            found = seconds(field, options.get(field))
        except InputError as error:
            problems.extend(error.problems)
            return usual
        if found is not None and not solution.time[0] <= found <= solution.time[-1]:
            run = f"the run lasts from {solution.time[0]:g} to {solution.time[-1]:g} s"
            problems.append(Problem(field, f"{found:g} s is outside of it: {run}"))
        return usual if found is None else found

    fps = number("fps", form.fps, 1.0, form.most_fps)
    size = _size(options.get("size"), form.size, problems)
    panel = curves if options.get("panel") is None else bool(options["panel"])
    if panel and size[0] < PANEL:
        problems.append(Problem("size", f"with curves beside the picture, {PANEL} pixels of width are needed"))
    speed = number("speed", None, 1e-12, 1e12)
    start, end = moment("start", float(solution.time[0])), moment("end", float(solution.time[-1]))
    if not problems and not end > start:
        problems.append(Problem("end", f"must be later than {start:g} s, where the film starts, is {end:g} s"))
    magnify = "auto" if options.get("magnify") == "auto" else number("magnify", 1.0, 1.0, 1000.0)
    look = options.get("look")
    if look is not None and str(look).lower() not in LOOKS:
        problems.append(Problem("look", f"there is no view '{look}'; known are {', '.join(LOOKS)}"))
    if problems:
        raise InputError(problems)
    way = None if look is None else LOOKS[str(look).lower()]
    return Plan(fps, size, speed, start, end, magnify, way, bool(options.get("dark")), panel)


def _size(given: Any, usual: tuple[int, int], problems: list[Problem]) -> tuple[int, int]:
    if given is None:
        return usual
    text = given if isinstance(given, str) else "x".join(map(str, given)) if isinstance(given, (tuple, list)) else given
    found = re.fullmatch(r"\s*(\d{1,6})\s*[x×]\s*(\d{1,6})\s*", str(text))
    if not found:
        problems.append(Problem("size", f"needs width x height in pixels, such as 1280x720, not '{given}'"))
        return usual
    size = int(found[1]), int(found[2])
    if not all(SIDES[0] <= side <= SIDES[1] and side % 2 == 0 for side in size):
        problems.append(Problem("size", f"both must be even and between {SIDES[0]} and {SIDES[1]} pixels, not {text}"))
        return usual
    return size
