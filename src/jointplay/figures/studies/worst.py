"""What the worst runs did, over what the one in the middle did."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..prefixes import scale_of
from ..sheet import Page, Sheet
from ..style import BLACK, clean, colour, legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 3  # quantities above each other


def worst(study: Any, name: str | None = None, *, count: int = 4, runs: Any = None, **page: Unpack[Page]) -> Figure:
    """Draw a quantity of the worst runs and of the median one, which are run again.

    Args:
        study: what ``study`` returned.
        name: quantity to draw, such as ``|B.force|``; those of the limits, or of the first output, unless given.
        count: worst runs.
        runs: Solutions by sample number, if they were run again already.
        page: path, width, height, dpi, title.
    """
    numbers = [*study.worst(count).tolist()]
    middle = study.median()
    known = dict(runs or {})
    found = {i: known.get(i) or study.rerun(i) for i in dict.fromkeys([middle, *numbers])}
    quantities = [name] if name else quantities_of(study, found[middle])
    clock = scale_of("s", max(float(sol.time[-1]) for sol in found.values()))
    with Sheet(**page).figure(8.0, 0.6 + 2.3 * len(quantities), f"worst runs: {', '.join(quantities)}") as figure:
        axes = figure.subplots(len(quantities), squeeze=False, sharex=True)[:, 0]
        for ax, quantity in zip(axes, quantities, strict=True):
            histories = {i: sol[quantity] for i, sol in found.items()}
            histories = {i: x if x.ndim == 1 else np.linalg.norm(x, axis=-1) for i, x in histories.items()}
            largest = max(float(np.nanmax(np.abs(x))) for x in histories.values())
            scale = scale_of(found[middle].units[quantity], largest)
            for n, i in enumerate(numbers):
                ax.plot(found[i].time / clock.factor, histories[i] / scale.factor, color=colour(n), linewidth=1.0,
                        label=f"sample {i}")  # fmt: skip
            ax.plot(found[middle].time / clock.factor, histories[middle] / scale.factor, color=BLACK, linewidth=1.4,
                    label=f"median, sample {middle}")  # fmt: skip
            ax.set_ylabel(f"{quantity}{scale.bracket}")
            ax.margins(x=0.0)
            clean(ax)
        axes[-1].set_xlabel(f"time{clock.bracket}")
        legend(axes[0], figure)
    return figure


def quantities_of(study: Any, solution: Any) -> list[str]:
    """Quantities behind the limits, or behind the first output that has one; else the speed of the first body."""
    out: list[str] = []
    for key in [str(one.objective) for one in study.limits] + list(study.outputs):
        found = re.search(r"\('([^']+)'", key)
        limited = len(out) < min(len(study.limits), MOST)
        if found and (limited or not out) and (found[1] in solution or found[1].strip("|") in solution):
            out += [found[1]] if found[1] not in out else []
    return out or [next(name for name in solution.names if name.endswith(".velocity"))]
