"""sensitivities: derivatives of a run with respect to numbers of its model."""

from __future__ import annotations

import logging
import time as clock
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compile.build import compile_system
from ..compile.pack import Compiled
from ..compile.senses import unsmooth_forces
from ..errors import InputError, Problem
from ..methods.base import Method
from ..methods.parse import method_of
from ..model.system import System
from ..quantities.units import si
from ..results.layout import layout_of
from ..results.solution import Solution
from ..selection import choose_method
from ..simulation import Progress, refuse_unsuitable, save_times, seconds, simulate
from ..stopping import is_condition
from . import differences, engine
from .agreement import Agreement, compare
from .conditions import Condition, condition_of
from .jumps import jumps_until, not_followed, steps_to_breaks
from .locating import locate, quietly
from .moving import Moving
from .objectives import Integral
from .quantity import Names
from .raw_result import Found
from .result import Sensitivities
from .source import Build, Source, Wanted, source_of, unvaried
from .targets import Of, Targets, conditions_in, targets_of
from .variation import Variation, size_of, vary
from .words import DIFFERENCES, understood

log = logging.getLogger("jointplay")

USUAL_RUNS = 11  # of finite differences, per parameter: for the bar only
ROUGH = 1e-8  # error of a variation worth a note


def sensitivities(
    build: Build,
    wrt: Wanted,
    of: Of | Sequence[Of],
    method: Method | str | None = None,
    *,
    until: float | str | None = None,
    derivative: str | None = None,
    save: Any = None,
    check: bool = False,
    progress: bool | Progress = False,
    at_most: float | str | None = None,
    scheme: Method | str | None = None,
) -> Sensitivities:
    """Derivatives of quantities and objectives of a run with respect to parameters.

    Args:
        build: a function ``build(**parameters)`` that makes a System, a model file, or a System.
        wrt: names of parameters, or a mapping from names to values (SI, or texts with a unit). In a file or a System a
            name is a parameter or the dotted path of any number, such as ``bodies.slider.mass``.
        of: names as in ``sol.names``, with an index or bars for the magnitude, and objectives (``Integral``, ``Final``,
            ``Peak``, ``Instant``); one or several.
        method: how to integrate; the run section's method, or the one chosen for the model, unless given.
        until: end time (s, or a text with a unit), or a condition such as "P.angle < 0", with whose instant the end of
            all objectives moves; that of the model's run section unless given.
        derivative: "direct" (the usual one), "adjoint" (objectives only), "complex-step" or "differences".
        save: interval or list of saved instants; as for ``simulate``.
        check: compare with finite differences, and with complex steps where there are such, and print the agreement.
        progress: True for a bar on stderr, or a function of (time, end, wall time).
        at_most: latest end (s, or a text with a unit) of a run until a condition.
        scheme: earlier name of ``method``; ``method`` was the kind of derivative then, and is still understood so.
    """
    try:
        method, kind = understood(method, derivative, scheme)
    except InputError as error:
        raise InputError([*error.problems, *_problems_of(build, wrt, of, until, save, at_most)]) from None
    given = {"until": until, "derivative": kind, "save": save, "check": check, "progress": progress}
    result = solve(build, wrt, of, method, **given, at_most=at_most)
    if result.check is not None:
        print(result.check.table())
    return result


@dataclass(frozen=True)
class Task:
    """A request whose parts are found and checked."""

    source: Source
    system: System
    compiled: Compiled
    targets: Targets
    method: Method
    times: np.ndarray  # at which derivatives are taken
    saves: np.ndarray  # that a run is to give
    end: float  # s, or the latest end of a run until a condition
    ends: str | None = None  # that condition

    def run(self, changed: dict[str, float]) -> Solution:
        """Simulate with changed parameters; only the nominal run writes to the log."""
        system = self.source.system(changed)
        record = [text for text in self.targets.conditions if text != self.ends] or None
        with quietly() if changed else nullcontext():
            if self.ends is None:
                return simulate(system, self.end, self.method, self.saves, record=record)
            return simulate(system, self.ends, self.method, self.saves, at_most=self.end, record=record)

    @property
    def last(self) -> float:
        """The last instant, s, that anything depends on."""
        return float(self.times[-1]) if len(self.times) else 0.0

    @property
    def length(self) -> float:
        """Size of the mechanism in m."""
        return float(self.compiled.model.info[0]["length"])


def solve(
    build: Build,
    wrt: Wanted,
    of: Of | Sequence[Of],
    method: Method | str | None = None,
    *,
    until: float | str | None = None,
    derivative: str = "direct",
    save: Any = None,
    check: bool = False,
    progress: bool | Progress = False,
    at_most: float | str | None = None,
) -> Sensitivities:
    """``sensitivities`` that prints nothing."""
    began = clock.perf_counter()
    try:
        source = source_of(build, wrt)
    except InputError as error:
        others = _other_problems(build, of, until, method, save, at_most)
        raise InputError(list(dict.fromkeys([*error.problems, *others]))) from None
    task = _understand(source, of, until, method, save, at_most)
    found, variations = _differentiate(task, derivative, progress)
    found.stats["wall_time"] = clock.perf_counter() - began
    found.notes += _remarks(task, found, variations)
    result = Sensitivities(
        found=found,
        targets=task.targets,
        parameters=source.parameters,
        derivative=derivative,
        method=task.method,
        nominal=lambda: task.run({}),
        name=task.system.name,
    )
    if check:
        result.check = _check(task, derivative, found, variations, progress)
        result.notes += [f"check: {doubt}" for doubt in result.check.doubts]
    for note in result.notes:
        log.warning(note)
    for instant, reason in result.invalid:
        log.warning("derivatives are not valid from %.6g s on: %s", instant, reason)
    return result


def _problems_of(
    build: Build, wrt: Wanted, of: Of | Sequence[Of], until: Any, save: Any, most: Any
) -> Sequence[Problem]:
    """What is wrong beside the words for methods and derivatives."""
    try:
        _understand(source_of(build, wrt), of, until, None, save, most)
    except InputError as error:
        return error.problems
    return []


def _other_problems(build: Build, *given: Any) -> Sequence[Problem]:
    """What is wrong beside the parameters, as far as that is known without them."""
    source = unvaried(build)
    try:
        if source is not None:
            _understand(source, *given)
    except InputError as error:
        return error.problems
    return []


def _understand(source: Source, of: Of | Sequence[Of], until: Any, method: Any, save: Any, at_most: Any = None) -> Task:
    """Everything that is needed, or an InputError with all that is wrong."""
    system = source.system()
    own = system.run or {}
    problems: list[Problem] = []

    def attempt(read: Callable[[], Any]) -> Any:
        try:
            return read()
        except InputError as error:
            problems.extend(error.problems)
            return None

    given, ends, field = until, None, "until"
    if until is None:
        given, at_most = (own["ends"], at_most or own.get("until")) if "ends" in own else (own.get("until"), at_most)
    if is_condition(given):
        ends, given, field = str(given).strip(), at_most, "at_most"
        if at_most is None:
            message = f"is missing: give the longest time to wait until {ends!r} is true, such as at_most='5 s'"
            problems.append(Problem("at_most", message))
    elif at_most is not None:
        problems.append(Problem("at_most", "goes with a condition in 'until', which is a time here"))
    end = 0.0
    if given is None:
        if ends is None:
            problems.append(Problem("until", "is missing: give the length of the run"))
    else:
        end = attempt(lambda: seconds(field, given)) or 0.0
        if not problems and not end > 0.0:
            problems.append(Problem(field, f"the end must lie after the start at 0 s, got {end:g} s"))
    wanted = own.get("method") if method is None else method
    reader = method_of if wanted is not None else None
    chosen = attempt(lambda: reader(wanted, lambda raw, unit: si(raw, unit, system.values))) if reader else None
    compiled = compile_system(system, horizon=end if end > 0.0 else 1.0)
    layout = layout_of(compiled)
    conditions = _conditions(system, Names(layout), ends, of, problems)
    targets = attempt(lambda: targets_of(layout, of, conditions))
    interval = own.get("save") if save is None else save
    times = attempt(lambda: save_times(interval, 0.0, end)) if end > 0.0 else None
    if problems or times is None:
        raise InputError(problems)
    if chosen is None:
        chosen, why = choose_method(compiled, end)
        log.info("method: %s, because %s", chosen, why)
    if not conditions:
        return Task(source, system, compiled, targets, chosen, times, times, end)
    refuse_unsuitable(chosen, compiled)
    moving = locate(source, system, targets, chosen, times, end, ends)
    return Task(source, system, compiled, moving, chosen, moving.times, times, end, ends)


def _conditions(
    system: System, names: Names, ends: str | None, of: Of | Sequence[Of], problems: list[Problem]
) -> dict[str, Condition]:
    """All conditions that the run looks for, by text."""
    found: dict[str, Condition] = {}
    for text in dict.fromkeys([*([ends] if ends else []), *conditions_in(of)]):
        try:
            found[text] = condition_of(text, system, names)
        except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
            problems.append(Problem("until" if text == ends else f"of: Instant({text!r})", str(error)))
    return found


def _differentiate(
    task: Task, derivative: str, progress: bool | Progress, variations: list[Variation] | None = None
) -> tuple[Found, list[Variation]]:
    if derivative == DIFFERENCES:
        found = _by_differences(task, progress)
        found.invalid += task.targets.flaws if isinstance(task.targets, Moving) else []
        found.invalid += _jumps_passed(task)
        return found, []
    if task.system.switches:
        message = "exact derivatives do not follow switches; derivative='differences' does"
        raise InputError(Problem("derivative", message))
    engine.load(derivative)  # refuse before the work of variations
    refuse_unsuitable(task.method, task.compiled)
    variations = variations or vary(task.source, task.compiled, task.end)
    with _reporting(progress, task.end) as report:
        found = engine.differentiate(
            derivative, task.compiled, variations, task.method, task.times, task.targets, report
        )
    found.invalid += task.targets.flaws if isinstance(task.targets, Moving) else []
    found.invalid += not_followed(task.compiled, variations, task.method, task.last, exact=True)
    return found, variations


def _jumps_passed(task: Task) -> list[tuple[float, str]]:
    """What runs with changed parameters do not know of jumps that move, as their steps pass over them."""
    if steps_to_breaks(task.method, task.length) or not jumps_until(task.compiled, task.last):
        return []
    try:
        variations = vary(task.source, task.compiled, task.end)
    except InputError:  # numbers of the model have no derivative, and none is requested
        return []
    return not_followed(task.compiled, variations, task.method, task.last, exact=False)


def differentiated(task: Task, derivative: str, variations: list[Variation]) -> Found:
    """Derivatives of a request whose variations are known, and what limits them; writes nothing to the log."""
    found, _ = _differentiate(task, derivative, False, variations)
    found.notes += _remarks(task, found, variations)
    return found


def _by_differences(task: Task, progress: bool | Progress) -> Found:
    total = (1 + USUAL_RUNS * len(task.source.parameters)) * task.end
    began, done = clock.perf_counter(), 0.0
    with _reporting(progress, total) as report:

        def one_more() -> None:
            nonlocal done
            done += task.end
            if report is not None:
                report(done, max(total, done), clock.perf_counter() - began)

        return differences.differentiate(task.source, task.targets, task.run, task.length, one_more)


@contextmanager
def _reporting(progress: bool | Progress, end: float) -> Iterator[Any]:
    """The function to call with progress, or None."""
    if progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        from ..progress import bar

        with bar(end) as report:
            yield report


def _remarks(task: Task, found: Found, variations: list[Variation]) -> list[str]:
    """What limits the answer beyond the notes of its method."""
    out = [
        f"{one.name}: numbers of the model depend on it with an estimated relative error of {one.error:.1g}"
        for one in variations
        if one.error > ROUGH
    ]
    out += unsmooth_forces(task.system)
    located = task.method.settings(task.length)[0]["threshold"] > 0.0
    if np.any(task.compiled.model.pad["anywhere"] == 0) and found.solution is None and not located:
        out.append(
            f"compliant contacts: {type(task.method).__name__} does not locate where they begin and end, so these are "
            "derivatives of the steps taken; they may differ from those of the motion at each onset"
        )
    impacts = found.solution.stats.get("impacts", 0) if found.solution else found.stats.get("impacts", 0)
    integrals = [one.key for one in task.targets.objectives if any(isinstance(t, Integral) for _, t, _ in one.terms)]
    if impacts and integrals:
        out.append(
            f"{', '.join(integrals)}: the derivative is that of a sum over saved instants; where the integrand jumps "
            "at an impact, the motion of that instant is not in it"
        )
    return out


def _check(
    task: Task, derivative: str, found: Found, variations: list[Variation], progress: bool | Progress
) -> Agreement:
    """Compare with all other independent kinds of derivative that can be taken."""
    others = [one for one in (DIFFERENCES, "complex-step") if one != derivative]
    if derivative == DIFFERENCES:
        others.append("direct")
    sizes = {one.name: size_of(one, task.length) for one in task.source.parameters}
    pairs, skipped = [], []
    for other in others:
        try:
            answer, _ = _differentiate(task, other, progress, variations)
        except InputError as error:
            skipped.append(f"not compared with {other}: {error.problems[0].message}")
            continue
        pairs += compare(found, answer, other, sizes)
    return Agreement(derivative, tuple(pairs), tuple(skipped))
