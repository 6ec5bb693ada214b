"""The pages: each is one ``div`` with a style of its own that fits light and dark notebooks."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from .. import figures
from ..analysis import orbit
from ..errors import InputError
from ..figures.curves import default_names
from ..figures.kinds import joints_with_clearance
from ..report.markup import Markup, folded, join, table, tag
from ..report.model import bodies_table, joints_table
from ..report.numbers import number, quantity
from ..report.pictures import embedded
from ..results.summary import figures as facts_of
from ..results.summary import summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..compile.check import CheckReport
    from ..model.system import System
    from ..results.solution import Solution
    from ..sensitivity.result import Sensitivities

STYLE = """
.jointplay table{border-collapse:collapse;margin:.4em 0;font-size:inherit}
.jointplay caption{text-align:left;font-weight:600;padding:.2em 0}
.jointplay th,.jointplay td{padding:.15em .7em .15em 0;vertical-align:top;border-bottom:1px solid rgba(128,128,128,.3)}
.jointplay .text,.jointplay th.text{text-align:left}
.jointplay .number{text-align:right}
.jointplay svg,.jointplay img{max-width:100%;height:auto;background:#fff}
.jointplay pre{line-height:1.3;overflow-x:auto}
.jointplay .mark{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.5em}
"""
GOOD, BAD, DOUBT = figures.COLOURS[2], figures.COLOURS[1], figures.COLOURS[5]
MOST_ROWS = 6
WIDTH = "160 mm"
_counter = count(1)


def _page(*pieces: Any) -> str:
    return str(
        tag("div", join([Markup(f"<style>{STYLE}</style>"), *(one for one in pieces if one)]), class_="jointplay")
    )


def _head(colour: str, name: str, text: str) -> Markup:
    mark = Markup(f'<span class="mark" style="background:{colour}"></span>')
    return tag("p", join([mark, tag("b", name), f": {text}" if text else ""], ""))


def _picture(figure: Figure) -> Markup:
    """With names of its own: a notebook is one page."""
    return embedded(figure, next(_counter))


def system_html(system: System) -> str:
    """Counts, bodies, joints with their laws, and a sketch of the mechanism."""
    kind = "planar" if system.planar else "spatial"
    text = f"{kind}, {len(system.bodies)} bodies, {len(system.joints)} joints"
    for word, things in (("springs", system.springs), ("loads", system.loads)):
        text += f", {len(things)} {word}" if things else ""
    if not system.bodies:
        return _page(_head(DOUBT, system.name or "System", "empty"))
    report = system.check()
    colour = BAD if report.problems else DOUBT if report.warnings else GOOD
    freedom = "s.check() lists the problems" if report.mobility is None else f"{report.mobility} degrees of freedom"
    head = _head(colour, system.name or "System", f"{text}; {freedom}")
    return _page(
        head, _picture(figures.schematic(system, title="", width="120 mm")), joints_table(system), bodies_table(system)
    )


def default_figure(solution: Solution) -> Figure:
    """What to look at first: a clearance from the inside, or the joint forces."""
    for joint in joints_with_clearance(solution):
        try:
            orbit(solution, joint)  # a round one
            return figures.orbit(solution, joint, title="")
        except InputError:
            return figures.gaps(solution, joint, title="", width=WIDTH)
    return figures.lines(solution, *default_names(solution), title="", width=WIDTH)


def solution_html(solution: Solution) -> str:
    """Outcome, the numbers that matter, a picture, and the whole summary on demand."""
    facts = facts_of(solution)
    head = _head(GOOD if facts["ok"] else BAD, facts["name"] or "Solution", facts["outcome"]["message"])
    rows: list[tuple[Any, Any]] = [("method", facts["method"]), ("saved states", str(facts["saved"]))]
    if "steps" in facts["stats"]:
        rows.append(("steps", f"{facts['stats']['steps']} accepted, {facts['stats']['rejections']} rejected"))
    if facts["energy"]:
        rows.append(("error of the energy ledger", quantity(facts["energy"]["error"], "J", 3)))
    if facts["worst_residual"]:
        rows.append(("joints closed to", join([number(facts["worst_residual"]["value"], 2), " m or rad"], "")))
    if facts["impacts"]:
        rows.append(("impacts", f"{facts['impacts']['count']}"))
    peaks = [
        (tag("b", one["joint"]), quantity(one["force"], "N", 4), quantity(one["torque"], "N*m", 4))
        for one in facts["peaks"][:MOST_ROWS]
    ]
    if facts["impacts"] and facts["impacts"]["strongest"]:
        strongest = facts["impacts"]["strongest"]
        rows.append(
            (
                "largest impulse",
                join([quantity(strongest["impulse"], strongest["unit"], 4), f" at {strongest['contact']}"], ""),
            )
        )
    if not len(solution.time):
        return _page(head, table(("run", ""), rows, words=2))
    return _page(
        head,
        table(("run", ""), rows, words=2),
        table(("joint", "peak force", "peak torque"), peaks),
        _mean_table(facts["mean_forces"]),
        _picture(default_figure(solution)),
        folded("summary", tag("pre", summary(solution))),
    )


def _mean_table(facts: dict[str, Any] | None) -> Markup | None:
    """In place of peaks, where contacts are rigid."""
    if facts is None:
        return None
    rows = [
        (tag("b", one["name"]), quantity(one["force"], one["unit"], 4), "with" if one["impacts"] else "between")
        for one in facts["loads"][:MOST_ROWS]
    ]
    head = ("joint", f"largest mean force over {facts['window']:.3g} s", "impacts")
    return join([table(head, rows), tag("p", f"No peaks, because {facts['why']}.")])


def check_html(report: CheckReport) -> str:
    """The report of a check: a verdict, then its lines, warnings and errors first."""
    colour = BAD if report.problems else DOUBT if report.warnings else GOOD
    lines = report.text().splitlines()
    name, _, rest = lines[0].partition(": ")
    loud = [one for one in lines[1:] if one.startswith(("error: ", "warning: "))]
    plain = [one for one in lines[1:-1] if one not in loud]
    items = join(tag("li", join([tag("b", one.partition(": ")[0] + ": "), one.partition(": ")[2]], "")) for one in loud)
    items = join([items, join(tag("li", one.strip()) for one in plain)])
    return _page(_head(colour, name, f"{rest}; {'it can run' if report.ok else lines[-1]}"), tag("ul", items))


def sensitivities_html(result: Sensitivities) -> str:
    """The table of derivatives and their picture."""
    from ..sensitivity.tables import lines

    rows = [
        (
            tag("code", one["of"]),
            one["parameter"],
            number(one["value"]),
            number(one["largest"]),
            one["unit"],
            _scaled(one),
        )
        for one in lines(result)
    ]
    head = ("of", "by", "value", "largest derivative", "unit", "scaled")
    try:
        picture: Markup | None = _picture(result.plot())
    except InputError:  # too many panels for one picture
        picture = None
    limits = "; ".join(f"from {time:.4g} s on: {why}" for time, why in result.invalid[:3])
    text = f"{result.derivative}, {type(result.method).__name__}" + (f"; not valid {limits}" if limits else "")
    return _page(
        _head(DOUBT if limits else GOOD, result.name or "Sensitivities", text), table(head, rows, words=2), picture
    )


def _scaled(one: dict[str, Any]) -> Markup:
    if one["scaled"] is None:
        return Markup("–")
    return quantity(one["scaled"], one["scaled_unit"] or "1", 4)
