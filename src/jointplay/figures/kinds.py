"""Figures by name, as the command line takes them: which there are, what each needs, and what was probably meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InputError, Problem
from ..model.names import suggest
from ..results.solution import Solution
from . import convergence, energy, gaps, lines, modes, orbit, phase, poincare, spectrum, steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = ("path", "width", "height", "dpi", "title")
SPAN = ("start", "end")


@dataclass(frozen=True)
class Kind:
    """What a kind of figure needs and takes."""

    draw: Callable[..., Figure]
    meaning: str
    options: tuple[str, ...]
    joint: bool = False  # it shows a joint with clearance
    names: tuple[int, int] = (0, 0)  # fewest and most quantities
    several: bool = False  # runs in one figure


MANY = 99
KINDS: dict[str, Kind] = {
    "lines": Kind(lines, "quantities over time", ("against", "labels", *SPAN), names=(0, MANY), several=True),
    "orbit": Kind(orbit, "journal, ball or slider inside its clearance", ("contact", *SPAN), joint=True),
    "modes": Kind(modes, "which contacts are closed, over time", SPAN, joint=True),
    "gaps": Kind(gaps, "gaps, impulses and modes of a joint", SPAN, joint=True),
    "phase": Kind(phase, "a quantity against its rate", ("labels", *SPAN), names=(1, 2), several=True),
    "poincare": Kind(
        poincare,
        "the same at each period or crossing",
        ("when", "level", "every", "direction", "labels", *SPAN),
        names=(1, 2),
        several=True,
    ),
    "spectrum": Kind(
        spectrum,
        "amplitude or power density over frequency",
        ("show", "window", "segments", "most", "labels", *SPAN),
        names=(1, MANY),
        several=True,
    ),
    "energy": Kind(energy, "the energy ledger as stacked areas", SPAN),
    "steps": Kind(steps, "step sizes over time", ("labels", *SPAN), several=True),
    "convergence": Kind(
        convergence, "errors over steps; the shortest is the truth", ("norm",), names=(1, MANY), several=True
    ),
}


def joints_with_clearance(solution: Solution) -> list[str]:
    """Joints that have gaps."""
    return [name.removesuffix(".gap") for name in solution.layout.names if name.endswith(".gap")]


def draw(
    kind: str, runs: Sequence[Solution], names: Sequence[str], joint: str | None, options: Mapping[str, Any]
) -> Figure:
    """The figure that is meant; InputError with all that is wrong. Options that are None were not given."""
    if kind not in KINDS:
        raise InputError(Problem("kind", f"there is no figure of kind '{kind}'{suggest(kind, KINDS)}"))
    of = KINDS[kind]
    given = {key: value for key, value in options.items() if value not in (None, [], ())}
    problems = [
        Problem(key, f"means nothing to a figure of kind '{kind}'") for key in given if key not in (*of.options, *PAGE)
    ]
    if len(runs) > 1 and not of.several:
        problems.append(Problem("result", f"a figure of kind '{kind}' shows one run, not {len(runs)}"))
    if not of.names[0] <= len(names) <= of.names[1]:
        problems.append(Problem("name", _wanted(kind, of, names)))
    if joint is not None and not of.joint:
        problems.append(Problem("joint", f"means nothing to a figure of kind '{kind}'"))
    places = [_joint(runs[0], joint, problems)] if of.joint else []
    if problems:
        raise InputError(problems)
    return of.draw(list(runs) if of.several else runs[0], *places, *names, **given)


def _wanted(kind: str, of: Kind, names: Sequence[str]) -> str:
    if of.names[1] == 0:
        return f"a figure of kind '{kind}' takes no quantity, but {', '.join(names)} was given"
    few, many = of.names
    wanted = "at least one quantity" if many == MANY else "one or two quantities"
    return f"a figure of kind '{kind}' needs {wanted}, such as slider.position[0]; {len(names)} given"


def _joint(solution: Solution, joint: str | None, problems: list[Problem]) -> str:
    """The joint that is meant; without a word the only one there is."""
    known = joints_with_clearance(solution)
    if joint is None and len(known) == 1:
        return known[0]
    if not known:
        problems.append(Problem("joint", "no joint of this run has clearance"))
    elif joint is None:
        problems.append(Problem("joint", f"choose one: {', '.join(known)}"))
    elif joint not in known:
        problems.append(Problem("joint", f"'{joint}' has no clearance{suggest(joint, known)}"))
    return joint or ""
