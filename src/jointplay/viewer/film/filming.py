"""Making a film: a page opened, driven from instant to instant, and each picture given to an encoder."""

from __future__ import annotations

import json
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np

from ...errors import InputError, Problem
from ...progress import counting
from ...results.solution import Solution
from ...writing import refuse_place, writing
from ..page import page
from .browser import Browser, Tab, find_browser
from .encoders import FORMATS
from .pipe import BrowserError
from .plan import FilmOptions, Plan, read_plan


class Filmed(NamedTuple):
    """A film that was made."""

    path: Path
    times: np.ndarray  # s, of its frames
    fps: float
    size: tuple[int, int]  # pixels
    speed: float  # simulated seconds per second of film


def film(
    result: Solution,
    path: str | PathLike[str],
    *,
    curves: list[str] | str | None = None,
    title: str | None = None,
    **options: Unpack[FilmOptions],
) -> Filmed:
    """Write a run as .mp4, .webm or .gif.

    Args:
        result: a run with at least two saved states.
        path: the file; its ending decides on the kind of film.
        curves: a name or names to plot beside the picture.
        title: instead of the name of the model.
        options: fps, size, speed, start, end, magnify, look, dark, panel, browser, progress.
    """
    file = Path(path)
    form = FORMATS[file.suffix.lower()]
    if not isinstance(result, Solution):
        raise InputError(Problem("path", f"'{file}' would be a film, and a model as drawn does not move; write .html"))
    if len(result.time) < 2:
        raise InputError(Problem("result", f"a film needs two saved states or more, there are {len(result.time)}"))
    plan = read_plan(result, form, options, curves=bool(curves))
    refuse_place(file, "path")
    form.ready()
    program = find_browser(options.get("browser"))
    text = page(result, curves=curves, title=title)
    try:
        with Browser(program) as browser:
            tab = browser.open(
                (plan.size[0] // plan.scale, plan.size[1] // plan.scale), scale=plan.scale, dark=plan.dark
            )
            speed = _prepare(tab, text, plan)
            times = plan.instants(speed)
            wanted = options.get("progress", False)
            counted = counting("filming", len(times), "frames") if wanted else nullcontext(_quiet)
            with counted as count, writing(file, "path") as draft, form.encode(draft, plan.fps) as add:
                report = wanted(count) if callable(wanted) else count
                for k, t in enumerate(times.tolist()):
                    tab.run(f"jointplay.frame({t!r})")
                    add(tab.screenshot())
                    report(k + 1)
    except BrowserError as error:
        raise InputError(Problem("browser", str(error))) from None
    return Filmed(file, times, plan.fps, plan.size, speed)


def _quiet(done: int) -> None:
    """No progress is shown."""


def _prepare(tab: Tab, text: str, plan: Plan) -> float:
    """Open the page as a film; the speed that it plays at."""
    tab.write(text)
    if not tab.run("typeof window.jointplay === 'object'"):
        tab.drain(0.1)
        message = tab.run("document.querySelector('.failure')?.textContent ?? ''")
        raise BrowserError(message or f"the page did not start: {(tab.errors or ['no reason was given'])[0]}")
    look = {"look": plan.look, "magnify": plan.magnify, "dark": plan.dark, "panel": plan.panel}
    facts = tab.run(f"jointplay.film({json.dumps(look)})")
    if isinstance(plan.magnify, float) and facts["magnification"] < plan.magnify:
        raise InputError(Problem("magnify", _too_much(facts["limit"], bool(tab.run("jointplay.state().closeup")))))
    speed = plan.speed or float(tab.run(f"jointplay.usualSpeed({plan.end - plan.start!r})"))
    tab.run(f"jointplay.pace({speed!r})")
    return speed


def _too_much(limit: float, play: bool) -> str:
    if not play:
        return "no joint of this mechanism has play that could be drawn larger"
    return f"at most {limit:g}: with more play than that the parts could not reach each other"
