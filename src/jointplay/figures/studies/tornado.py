"""Which tolerance makes the scatter: shares of the variance, the largest on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..sheet import Page, Sheet
from ..style import BLUE, PALE, clean, legend
from .common import label_of, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 20
TINY = 1e-4  # share that is not written as a number


def tornado(study: Any, of: Any = None, **page: Unpack[Page]) -> Figure:
    """Draw bars of the shares of all inputs: by a straight line, and by correlation ratios behind."""
    key = study._key(of or study.outputs[0])
    shares = {name: max(0.0, float(np.nan_to_num(share))) for name, share in study.contributions(key).items()}
    ratios = study.ratios(key) if study.plan.samples else {}
    names = sorted(shares, key=lambda name: -shares[name])[:MOST]
    with Sheet(**page).figure(8.0, 1.2 + 0.38 * len(names), f"what makes the scatter of {label_of(key)}") as figure:
        ax = figure.subplots()
        place = np.arange(len(names))
        if ratios:
            ax.barh(place, [100 * np.nan_to_num(ratios[name].value) for name in names], color=PALE, height=0.8,
                    label="by itself, however curved")  # fmt: skip
        bars = ax.barh(place, [100 * shares[name] for name in names], color=BLUE, height=0.45,
                       label="by a straight line")  # fmt: skip
        ax.bar_label(bars, [_percent(shares[name]) for name in names], padding=4, fontsize="small")
        ax.set_yticks(place, [short(name) for name in names])
        ax.invert_yaxis()
        ax.set_xlabel(f"share of the variance [%]; a straight line explains {100 * study.linearity(key):.3g} %")
        ax.set_xlim(0, max(115.0, ax.get_xlim()[1]))
        clean(ax)
        ax.grid(False, axis="y")
        legend(ax, figure)
    return figure


def _percent(share: float) -> str:
    """As many digits as mean something."""
    return f"{100 * share:.3g} %" if share >= TINY else f"below {100 * TINY:g} %"
