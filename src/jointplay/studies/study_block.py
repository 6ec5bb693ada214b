"""Studies as data: inputs, plans, outputs and limits from the ``study:`` block of a model file, or from a study file.

    study:
      vary: {pin: {fit: 12 H7/g6, cp: 1.33}, mu: {uniform: [0.05, 0.15]}, rod: 153 mm +- 0.05 mm}
      correlations: [[pin, mu, 0.3]]
      of: [{peak: "|B.force|"}, {quantile: ["|C.force|", 0.95]}, {impacts: {joint: D}}]
      limits: [{at_most: [{peak: "|B.force|"}, 600 N]}]
      plan: {sobol: 4096, seed: 1}
      stop: {yield_within: 0.002}
      keep: worst 10

All problems of a block are reported together, each with its field; readers of files add the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..errors import InputError, Problem
from ..model.entry import kind_of
from ..model.names import suggest
from .bell import LogNormal, Normal
from .bounded import Triangular, Uniform
from .distributions import Input
from .fits import Fit
from .keep import Keep
from .limits import WORDS as LIMITS
from .limits import AnyLimit, Between
from .measured import Measured
from .outputs import WORDS as OBJECTIVES
from .outputs import HardestImpact, Impacts, Quantile
from .plans import PLANS, Corners, Grid, Plan, Points
from .until import Until
from .vary import Vary, input_of

Report = Callable[[tuple[Any, ...], str], None]

FIELDS = ("vary", "correlations", "of", "limits", "plan", "stop", "gradients", "keep")
ARGUMENTS = {
    r"unexpected keyword argument '([^']*)'": "has no '{}'",
    r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)": "needs {}",
    r"takes (?:from )?(?:\d+ to )?\d+ positional arguments? but (\d+)": "has too many values",
}
INPUTS: dict[str, type[Input]] = {one.word: one for one in (Fit, Uniform, Normal, LogNormal, Triangular, Measured)}


def attempt(report: Report, path: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """What ``make`` gives; what is wrong with it is reported at ``path``."""
    try:
        return make()
    except InputError as error:
        for one in error.problems:
            report(path, one.message)
    except TypeError as error:  # an option that a class does not take, or has to have
        report(path, _plain(str(error)))
    except ValueError as error:
        report(path, str(error))
    return None


def _plain(text: str) -> str:
    """Python's messages about arguments, in the words of a model file."""
    for pattern, words in ARGUMENTS.items():
        found = re.search(pattern, text)
        if found:
            return words.format(found[1].replace("'", ""))
    return text


def raising() -> tuple[Report, Callable[[], None]]:
    """A report that gathers, and what raises it."""
    problems: list[Problem] = []

    def report(path: tuple[Any, ...], message: str) -> None:
        problems.append(Problem("study." + ".".join(map(str, path)), message))

    def check() -> None:
        if problems:
            raise InputError(problems)

    return report, check


def one_word(raw: Any, known: Any, what: str) -> tuple[str, Any]:
    """Word and content of ``{word: content}``; ValueError with a sentence."""
    if not isinstance(raw, Mapping) or not raw:
        such = f"{{{next(iter(known))}: ...}}"
        raise ValueError(f"needs a mapping that begins with {what}, such as {such}, not {kind_of(raw)}")
    word = next(iter(raw))
    if word not in known:
        raise ValueError(f"there is no '{word}' here{suggest(str(word), known)}; known: {', '.join(known)}")
    return word, raw[word]


def input_from(name: str, raw: Any) -> Input:
    """One input: a text, or {word: numbers, options}."""
    if isinstance(raw, str | Input):
        return input_of(name, raw)
    word, content = one_word(raw, INPUTS, "a kind of distribution")
    options = {key: value for key, value in raw.items() if key != word}
    kind: Any = INPUTS[word]
    if isinstance(content, Mapping):
        return kind(**content, **options)
    if word == "measured" or not isinstance(content, list):
        return kind(content, **options)
    return kind(*content, **options)


def vary_from(raw: Any, correlations: Any = None, report: Report | None = None) -> Vary | None:
    """All inputs, None where none can be understood; what is wrong is reported, or raised where nobody listens."""
    check = None
    if report is None:
        report, check = raising()
    found: dict[str, Input] = {}
    if not isinstance(raw, Mapping) or not raw:
        report(("vary",), f"needs a mapping from names to tolerances, not {kind_of(raw)}")
    for name, one in raw.items() if isinstance(raw, Mapping) else ():
        made = attempt(report, ("vary", name), partial(input_from, str(name), one))
        if made is not None:
            found[str(name)] = made
    pairs: dict[tuple[str, str], float] = {}
    for k, one in enumerate(correlations or ()):
        if not (isinstance(one, list | tuple) and len(one) == 3):
            report(("correlations", k), f"needs two names and a number, not {one!r}")
        else:
            pairs[str(one[0]), str(one[1])] = one[2]
    if check is not None:
        check()
    made = attempt(report, ("vary",), lambda: Vary(found, pairs)) if found else None
    if check is not None:
        check()
    return made if made is not None or not found else attempt(report, ("vary",), lambda: Vary(found))


def output_from(raw: Any) -> Any:
    """One output."""
    words = (*OBJECTIVES, "impacts", "hardest_impact")
    word, content = one_word(raw, words, "a kind of output")
    if word == "impacts":
        content = {"joint": content} if isinstance(content, str) else content or {}
        return Impacts(**content)
    if word == "hardest_impact":
        return HardestImpact(str(content or ""))
    if word == "quantile":
        if not (isinstance(content, list | tuple) and len(content) == 2):
            raise ValueError(f'quantile needs a name and a share, ["|B.force|", 0.95], not {content!r}')
        return Quantile(str(content[0]), content[1])
    if not isinstance(content, str):
        raise ValueError(f"{word} needs the name of a quantity, not {kind_of(content)}")
    return OBJECTIVES[word](content)


def several(raw: Any, field: str, make: Callable[[Any], Any], report: Report | None = None) -> list[Any]:
    """A list of entries, or one alone, each made and reported by its place; raised where nobody listens."""
    check = None
    if report is None:
        report, check = raising()
    entries = raw if isinstance(raw, list) else [raw] if raw is not None else []
    found = [attempt(report, (field, k), partial(make, one)) for k, one in enumerate(entries)]
    if check is not None:
        check()
    return [one for one in found if one is not None]


def outputs_from(raw: Any, report: Report | None = None) -> list[Any]:
    """All outputs."""
    return several(raw, "of", output_from, report)


def limit_from(raw: Any) -> AnyLimit:
    """One limit."""
    words = (*LIMITS, "between")
    word, content = one_word(raw, words, "a kind of limit")
    many = 3 if word == "between" else 2
    if not (isinstance(content, list | tuple) and len(content) == many):
        raise ValueError(f"{word} needs an output and {'two values' if many == 3 else 'a value'} in brackets")
    output = content[0] if isinstance(content[0], str) else output_from(content[0])
    return Between(output, *content[1:]) if word == "between" else LIMITS[word](output, content[1])


def limits_from(raw: Any, report: Report | None = None) -> list[AnyLimit]:
    """All limits."""
    return several(raw, "limits", limit_from, report)


def plan_from(raw: Any) -> Plan:
    """The plan."""
    word, content = one_word(raw, PLANS, "a kind of plan")
    options = {key: value for key, value in raw.items() if key != word}
    if word == "corners":
        return Corners()
    if word in ("grid", "points", "table"):
        if options:
            raise ValueError(f"{word} has no '{next(iter(options))}'")
        return Grid(content) if word == "grid" else Points(content)
    kind: Any = PLANS[word]
    return kind(content, **options)


def block_from(raw: Any, report: Report) -> dict[str, Any]:
    """Arguments of ``study`` from a block; everything wrong with it is reported."""
    if not isinstance(raw, Mapping):
        report((), f"needs a mapping with {', '.join(FIELDS)}, not {kind_of(raw)}")
        return {}
    for key in raw:
        if key not in FIELDS:
            report((key,), f"there is no '{key}' in a study{suggest(str(key), FIELDS)}")
    if "vary" not in raw:
        report((), "'vary' is missing: name what varies")
    out: dict[str, Any] = {"vary": vary_from(raw["vary"], raw.get("correlations"), report)} if "vary" in raw else {}
    out["of"] = outputs_from(raw.get("of"), report) or None
    out["limits"] = limits_from(raw.get("limits"), report)
    if "of" not in raw and "limits" not in raw:
        report((), "'of' is missing: name what to keep of a run")
    out["plan"] = attempt(report, ("plan",), lambda: plan_from(raw["plan"])) if "plan" in raw else None
    if "stop" in raw:
        content = raw["stop"]
        if isinstance(content, Mapping):
            out["stop"] = attempt(report, ("stop",), lambda: Until(**content))
        else:
            report(("stop",), f"needs a mapping, such as {{yield_within: 0.002}}, not {kind_of(content)}")
    if "gradients" in raw:
        out["gradients"] = raw["gradients"]
    if "keep" in raw:
        out["keep"] = attempt(report, ("keep",), lambda: Keep.of(raw["keep"])) or Keep()
    return out
