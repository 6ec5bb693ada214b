"""One quantity of the worst runs, over that of the one in the middle."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..prefixes import scale_of
from ..sheet import Page, Sheet
from ..style import BLACK, clean, colour, legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def worst(study: Any, name: str | None = None, *, count: int = 4, runs: Any = None, **page: Unpack[Page]) -> Figure:
    """Draw a quantity of the worst runs and of the median one, which are run again.

    Args:
        study: what ``study`` returned.
        name: quantity to draw, such as ``|B.force|``; that of the first limit or output unless given.
        count: worst runs.
        runs: Solutions by sample number, if they were run again already.
        page: path, width, height, dpi, title.
    """
    numbers = [*study.worst(count).tolist()]
    middle = study.median()
    known = dict(runs or {})
    found = {i: known.get(i) or study.rerun(i) for i in dict.fromkeys([middle, *numbers])}
    quantity = name or quantity_of(study, found[middle])
    histories = {i: sol[quantity] for i, sol in found.items()}
    histories = {i: x if x.ndim == 1 else np.linalg.norm(x, axis=-1) for i, x in histories.items()}
    scale = scale_of(found[middle].units[quantity], max(float(np.nanmax(np.abs(x))) for x in histories.values()))
    clock = scale_of("s", max(float(sol.time[-1]) for sol in found.values()))
    with Sheet(**page).figure(8.0, 3.0, f"worst runs: {quantity}") as figure:
        ax = figure.subplots()
        for n, i in enumerate(numbers):
            ax.plot(found[i].time / clock.factor, histories[i] / scale.factor, color=colour(n), linewidth=1.0,
                    label=f"sample {i}")  # fmt: skip
        ax.plot(found[middle].time / clock.factor, histories[middle] / scale.factor, color=BLACK, linewidth=1.4,
                label=f"median, sample {middle}")  # fmt: skip
        ax.set_xlabel(f"time{clock.bracket}")
        ax.set_ylabel(f"{quantity}{scale.bracket}")
        ax.margins(x=0.0)
        clean(ax)
        legend(ax, figure)
    return figure


def quantity_of(study: Any, solution: Any) -> str:
    """The quantity behind a limit or an output; the speed of the first body where there is none."""
    for key in [str(one.objective) for one in study.limits] + list(study.outputs):
        found = re.search(r"\('([^']+)'", key)
        if found and (found[1] in solution or found[1].strip("|") in solution):
            return found[1]
    return next(name for name in solution.names if name.endswith(".velocity"))
