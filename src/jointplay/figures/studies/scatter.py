"""Inputs and outputs against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..sheet import Page, Sheet
from ..style import BLUE, RED, clean
from .common import label_of, scale_for, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_INPUTS, MOST_OUTPUTS = 6, 4
DOTS = 2000
NARROW = 20  # letters of a label beside a small panel


def scatter(study: Any, of: Any = None, **page: Unpack[Page]) -> Figure:
    """Draw outputs (rows) over inputs (columns), those that contribute most first; what breaks a limit in red."""
    keys = [study._key(of)] if of is not None else study.outputs[:MOST_OUTPUTS]
    rank = {name: max(np.nan_to_num(study.contributions(key)[name]) for key in keys) for name in study.inputs}
    names = sorted(study.inputs, key=lambda name: -rank[name])[:MOST_INPUTS]
    done = study.done
    chosen = np.unique(np.linspace(0, len(done) - 1, min(DOTS, len(done))).astype(int)) if len(done) else done
    size = 2.5 if len(chosen) > 300 else 5.0
    bad = ~study.good(done)[0][chosen] if study.limits else np.zeros(len(chosen), dtype=bool)
    with Sheet(**page).figure(2.0 + 1.7 * len(names), 0.6 + 1.6 * len(keys), "", square=True) as figure:
        axes = figure.subplots(len(keys), len(names), squeeze=False, sharex="col", sharey="row")
        for n, (row, key) in enumerate(zip(axes, keys, strict=True)):
            y = study[key][chosen]
            y_scale = scale_for(study, key, y)
            for ax, name in zip(row, names, strict=True):
                x = study[name][chosen]
                x_scale = scale_for(study, name, x)
                for which, shade in ((~bad, BLUE), (bad, RED)):
                    ax.plot(x[which] / x_scale.factor, y[which] / y_scale.factor, ".", color=shade, markersize=size,
                            alpha=0.6, markeredgewidth=0, rasterized=True)  # fmt: skip
                if n == len(keys) - 1:
                    ax.set_xlabel(f"{short(name)}{x_scale.bracket}", fontsize="small")
                clean(ax)
                ax.tick_params(labelsize="small")
                ax.locator_params(nbins=3)
            row[0].set_ylabel(f"{short(label_of(key), NARROW)}{y_scale.bracket}", fontsize="small")
    return figure
