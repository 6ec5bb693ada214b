"""The page of a study: yield, outputs with limits, what makes the scatter, how sure it is, worst and median run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__, figures
from ..errors import InputError
from ..figures.studies.common import label_of
from ..studies.answers import Study
from ..studies.engine import ModelEngine
from ..writing import write_whole
from .markup import Markup, folded, inner, join, note, pairs, section, table, tag
from .numbers import number, quantity
from .page import TOGGLE
from .pictures import embedded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..results.solution import Solution

NAVIGATION = {
    "answer": "Answer",
    "outputs": "Outputs",
    "inputs": "Inputs",
    "sure": "How sure",
    "runs": "Runs",
    "failures": "Failures",
    "repeat": "Repeat",
}
MOST = 6  # outputs that are drawn
HALF = "125 mm"  # width of a figure that has another one beside it
WORST = 4  # worst runs that are laid over each other


def report(study: Study, path: Path) -> Path:
    """Write the page of a study: one HTML file that needs nothing else."""
    from . import check_target

    check_target(path)
    return write_whole(path, page(study))


class Drawer:
    """Figures as HTML, each with names of its own."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, make: Callable[[], Figure], caption: str) -> Markup:
        """One figure with its caption; nothing where it cannot be drawn."""
        try:
            figure = make()
        except (InputError, ValueError):
            return Markup("")
        self.count += 1
        return tag("figure", join([embedded(figure, 900 + self.count), tag("figcaption", caption)]))


def page(study: Study) -> str:
    """The page as a text."""
    drawn = Drawer()
    again = _again(study)
    sections = {
        "answer": _answer(study),
        "outputs": section("outputs", "Outputs", _outputs(study), *_pairs(study, drawn)),
        "inputs": section("inputs", "Inputs", _inputs(study), _halved(study), _scatter(study, drawn)),
        "sure": section("sure", "How sure it is", drawn(lambda: figures.studies.estimates(study), _caption(study))),
        "runs": _runs(study, again, drawn),
        "failures": _failures(study),
        "repeat": _repeat(study),
    }
    sections = {key: content for key, content in sections.items() if content}
    links = join(tag("a", NAVIGATION[key], href=f"#{key}") for key in sections)
    title = _title(study)
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="jointplay"><title>{inner(title)}: study</title><style>{style}</style>'
    )
    button = f'<button type="button" title="light or dark" onclick="{inner(TOGGLE)}">◐</button>'
    top = tag("header", join([tag("p", "jointplay study", class_="kind"), tag("h1", title)]))
    body = join([top, tag("nav", Markup(links + button)), tag("main", join(sections.values()))])
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{body}\n</body>\n</html>\n'


def _title(study: Study) -> str:
    if isinstance(study.engine, ModelEngine):
        return study.engine.members.system.name or "Study"
    return str(getattr(study.model, "__name__", "Study"))


def _answer(study: Study) -> Markup:
    """The yield, or the scatter, in one line; and the most important figures."""
    done, failed = len(study.done), len(study.failed)
    tiles: list[tuple[str, Any]] = [("samples", str(done)), ("inputs", str(len(study.inputs)))]
    pieces: list[Any] = []
    if study.limits and study.plan.samples and done:
        found = study.yield_()
        words = f"{100 * found.value:.4g} % keep all limits"
        pieces.append(tag("p", words, class_="verdict ok" if found.value >= 0.99 else "verdict stopped"))
        text = f"Between {100 * found.low:.4g} and {100 * found.high:.4g} % ({100 * found.level:g} % interval)."
        if failed:
            a, b = found.bounds
            text += (
                f" {failed} samples failed: {100 * a:.4g} % if all of them are bad, {100 * b:.4g} % if all are good."
            )
        pieces.append(tag("p", text, class_="why"))
        worst = min((study.cpk(key), key) for key in study.outputs)
        if np.isfinite(worst[0]):
            tiles.append((f"least Cpk, {label_of(worst[1])}", f"{worst[0]:.2f}"))
        tiles.append(("rejects per million", f"{1e6 * (1.0 - found.value):.0f}"))
    else:
        pieces.append(tag("p", f"{done} of {study.count} samples", class_="verdict ok"))
    if failed:
        tiles.append(("failed", str(failed)))
    body = join(tag("div", join([tag("b", value), tag("span", word)]), class_="tile") for word, value in tiles)
    notes = [note(one) for one in (f"Plan: {study.plan!r}.", *study.notes)]
    return section("answer", "Answer", *pieces, tag("div", body, class_="tiles"), *notes)


def _outputs(study: Study) -> Markup:
    rows = []
    for key in study.outputs if study.plan.samples else ():
        mean, sigma = study.mean(key), study.sigma(key)
        if not mean.count:
            continue
        unit = study.units[key]
        low, high = study.ends_of(key)
        limit = " to ".join(str(quantity(x, unit, 4)) if np.isfinite(x) else "–" for x in (low, high))
        cpk = study.cpk(key)
        ends = [quantity(study.quantile(q, key), unit, 4) for q in (0.00135, 0.99865)]
        rows.append(
            [label_of(key), quantity(mean.value, unit, 5), quantity(sigma.value, unit, 3), ends[0], ends[1],
             Markup(limit) if np.isfinite(low) or np.isfinite(high) else "–",
             f"{cpk:.2f}" if np.isfinite(cpk) else "–"]
        )  # fmt: skip
    return table(["output", "mean", "sigma", "0.135 %", "99.865 %", "limits", "Cpk"], rows)


def _pairs(study: Study, drawn: Drawer) -> Iterator[Markup]:
    """Of each output how it lies between its limits, and beside it what makes its scatter."""
    for key in study.outputs[:MOST]:
        caption = f"All samples: {label_of(key)}."
        pair = [drawn(partial(figures.studies.histogram, study, key, title="", width=HALF), caption)]
        if study.plan.samples and study.sigma(key).value > 0.0:
            caption = "Shares of the inputs in its variance."
            pair.append(drawn(partial(figures.studies.tornado, study, key, title="", width=HALF), caption))
        yield tag("div", join(pair), class_="pair")


def _inputs(study: Study) -> Markup:
    rows = []
    for name, one in study.vary.inputs.items():
        unit = study.units[name]
        k = study.vary.names.index(name)
        low, high = study.vary.limits()[:, k]
        text = one.words(partial(quantity, unit=unit, digits=6))
        rows.append(
            [name, Markup(text), quantity(one.mean, unit, 6), quantity(one.sigma, unit, 3),
             quantity(float(low), unit, 6), quantity(float(high), unit, 6)]
        )  # fmt: skip
    return table(["input", "as", "mean", "sigma", "least", "greatest"], rows, words=2)


def _halved(study: Study) -> Markup:
    """What if this tolerance were halved: the yield, and the sigma of each output relative to that of now."""
    if not study.plan.samples or not study.vary.independent or not len(study.done):
        return Markup("")
    keys = study.outputs[:MOST]
    found = {key: study.halved(key) for key in keys}
    rows = []
    for name in study.inputs:
        own = [found[key][name] for key in keys]
        first = own[0]
        text = f"{100 * first.yield_:.4g} % ({100 * first.low:.4g} to {100 * first.high:.4g} %)"
        kept = text if np.isfinite(first.yield_) else "–"
        ratios = [f"{100 * one.ratio:.0f} %" if np.isfinite(one.ratio) else "–" for one in own]
        rows.append([name, *([kept] if study.limits else []), *ratios, number(own[0].rows, 3)])
    head = ["tolerance halved", *(["yield then"] if study.limits else [])]
    head += [f"sigma of {label_of(key)}, to now" for key in keys]
    caption = "What if one tolerance were halved? From the same samples, weighed."
    return table([*head, "rows used"], rows, caption=caption)


def _scatter(study: Study, drawn: Drawer) -> Markup:
    caption = "Outputs over inputs, those that matter most first; orange: a limit is broken."
    return drawn(partial(figures.studies.scatter, study), caption)


def _caption(study: Study) -> str:
    what = "Yield" if study.limits else f"Mean of {label_of(study.outputs[0])}"
    return f"{what} over the number of samples, with its {100 * 0.95:g} % interval."


def _again(study: Study) -> dict[int, Solution]:
    """Worst and median runs, run again."""
    if not isinstance(study.engine, ModelEngine) or not len(study.done) or len(study.failed) == len(study.done):
        return {}
    wanted = dict.fromkeys([study.median(), *study.worst(WORST).tolist()])
    return {i: study.rerun(i) for i in wanted}


def _runs(study: Study, again: dict[int, Solution], drawn: Drawer) -> Markup:
    """Worst runs overlaid, and two animations."""
    if not again:
        return Markup("")
    from .. import viewer

    worst, middle = int(study.worst(1)[0]), study.median()
    pieces: list[Any] = [
        drawn(lambda: figures.studies.worst(study, runs=again, title=""), "The worst runs and the median one.")
    ]
    pieces.append(_values(study, list(again), middle))
    for word, i in (("The worst run", worst), ("The median run", middle)):
        frame = tag("iframe", "", srcdoc=viewer.page(again[i], title=f"{word}, sample {i}"), title=word)
        pieces += [tag("h3", f"{word}: sample {i}"), frame]
    pieces.append(tag("p", "The animations are in the HTML file of this page.", class_="paper"))
    return section("runs", "Worst and median run", *pieces)


def _values(study: Study, samples: list[int], middle: int) -> Markup:
    """Inputs and outputs of single samples, a column for each."""
    head = ["", *(f"{i} (median)" if i == middle else f"sample {i}" for i in samples)]
    rows = [
        [label_of(key), *(quantity(float(study._column(key)[i]), study.units[key], 6) for i in samples)]
        for key in (*study.inputs, *study.outputs)
    ]
    return table(head, rows)


def _failures(study: Study) -> Markup:
    failed = study.failed
    if not len(failed):
        return Markup("")
    rows = [[text, str(count)] for text, count in study.failures().items()]
    text = [note(f"Sample {i}: {study.why(int(i))}") for i in failed[:3]]
    return section("failures", "Samples that failed", table(["outcome", "samples"], rows), *text)


def _repeat(study: Study) -> Markup:
    facts: list[tuple[str, Any]] = [
        ("key", study.description.key),
        ("jointplay", __version__),
        ("file", study.path.name if study.path else "none: kept in memory"),
    ]
    lines = "\n".join(study.description.lines)
    after = note(
        "Every sample is a pure function of these lines and of its number; study.rerun(i) gives its whole run."
    )
    return section("repeat", "How to repeat it", pairs(facts), folded("Description", tag("pre", lines)), after)
