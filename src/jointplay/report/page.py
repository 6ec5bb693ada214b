"""One page about one run, complete in itself: nothing is fetched, it can be mailed, opened from disk and printed."""

from __future__ import annotations

from importlib.resources import files
from math import isfinite
from typing import Any

from ..results.solution import Solution
from ..results.summary import figures as figures_of
from ..results.summary import impact_figures
from .contacts import contacts_section
from .energy import energy_section, worst_error
from .forces import forces_section, joint_loads
from .markup import Markup, inner, join, note, section, tag
from .model import model_section, system_of
from .numbers import number, quantity
from .pictures import drawn
from .reproduce import reproduce_section, settings_section

NAVIGATION = {
    "outcome": "Outcome",
    "animation": "Animation",
    "forces": "Forces",
    "contacts": "Contacts",
    "motion": "Motion",
    "energy": "Energy",
    "model": "Model",
    "settings": "Settings",
    "reproduce": "Reproduce",
}
TOGGLE = (
    "const r=document.documentElement,q=matchMedia('(prefers-color-scheme: dark)');"
    "r.dataset.theme=(r.dataset.theme||(q.matches?'dark':'light'))==='dark'?'light':'dark'"
)


def page(solution: Solution) -> str:
    """The report of a run as the text of an HTML file."""
    system = system_of(solution)
    shown = drawn(solution)
    nothing = Markup("")
    sections = {
        "outcome": _outcome(solution),
        "animation": _animation(solution),
        "forces": forces_section(solution, shown.get("forces", nothing)),
        "contacts": contacts_section(solution, shown.get("contacts", nothing)),
        "motion": section("motion", "Motion", shown["motion"]) if "motion" in shown else nothing,
        "energy": energy_section(solution, shown.get("energy", nothing)),
        "model": model_section(solution, system),
        "settings": settings_section(solution),
        "reproduce": reproduce_section(solution, system),
    }
    links = join(tag("a", NAVIGATION[key], href=f"#{key}") for key, content in sections.items() if content)
    title = str(solution.meta.get("name") or "Run")
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="jointplay"><title>{inner(title)}: report</title><style>{style}</style>'
    )
    button = f'<button type="button" title="light or dark" onclick="{inner(TOGGLE)}">◐</button>'
    top = tag("header", join([tag("p", "jointplay report", class_="kind"), tag("h1", title)]))
    body = join([top, tag("nav", Markup(links + button)), tag("main", join(one for one in sections.values() if one))])
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{body}\n</body>\n</html>\n'


def _outcome(solution: Solution) -> Markup:
    """How it ended, large; and the most important figures."""
    outcome, end = solution.outcome, solution.meta.get("until")
    if outcome.ok:
        verdict = tag("p", Markup(f"Finished at t = {quantity(outcome.time, 's')}"), class_="verdict ok")
        why: Any = ""
    else:
        of = Markup(f" of {quantity(float(end), 's')}") if end is not None else ""
        words = Markup(f"Stopped at t = {quantity(outcome.time, 's')}{of}")
        verdict = tag("p", words, class_="verdict stopped")
        kept = f"{len(solution.time)} states were saved before that; everything below is about them."
        why = join([tag("p", outcome.message, class_="why"), note(f"Outcome {outcome.code.name}. {kept}")])
    tiles = join(
        tag("div", join([tag("b", value), tag("span", word)]), class_="tile") for word, value in _tiles(solution)
    )
    return section("outcome", "Outcome", verdict, why, tag("div", tiles, class_="tiles"))


def _tiles(solution: Solution) -> list[tuple[str, Any]]:
    stats = solution.stats
    tiles: list[tuple[str, Any]] = []
    loads = joint_loads(solution)
    if loads:
        joint, most = next(iter(loads.items()))
        if isfinite(most["force"].peak):
            tiles.append((f"largest joint force, {joint}", quantity(most["force"].peak, "N", 4)))
    strongest = (impact_figures(solution) or {}).get("strongest")
    if strongest:
        impulse = quantity(strongest["impulse"], strongest["unit"], 4)
        tiles.append((f"largest impulse, {strongest['contact']}", impulse))
    if solution.layout.contacts:
        tiles.append(("impacts", str(stats.get("impacts", len(set(solution.impacts["impact"].tolist()))))))
        tiles.append(("lost in impacts", quantity(float(solution.impacts["energy_loss"].sum()), "J", 4)))
    if len(solution.time):
        scale = figures_of(solution)["energy_scale"]
        if scale > 0.0:
            tiles.append(("energy error, relative", number(worst_error(solution) / scale, 2)))
    if "steps" in stats:
        tiles.append(("steps", str(stats["steps"])))
    if "run_time" in stats:
        tiles.append(("to compute", quantity(stats["run_time"], "s", 3)))
    return tiles


def _animation(solution: Solution) -> Markup:
    """The viewer's page in a frame of its own."""
    if len(solution.time) < 2:
        return Markup("")
    from .. import viewer

    frame = tag("iframe", "", srcdoc=viewer.page(solution), title="animation")
    paper = tag("p", "The animation is in the HTML file of this report.", class_="paper")
    return section("animation", "Animation", frame, paper)
