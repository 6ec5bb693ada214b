"""Values of an output over all samples: how they lie between the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..sheet import Page, Sheet
from ..style import BLUE, GREY, RED, clean, legend
from .common import label_of, scale_for, well

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = (8, 60)


def histogram(study: Any, of: Any = None, **page: Unpack[Page]) -> Figure:
    """Draw a histogram of an output, what breaks a limit in red, with limits, mean, Cpk and yield."""
    key = study._key(of or study.outputs[0])
    values = well(study, key)
    scale = scale_for(study, key, values)
    x = values / scale.factor
    low, high = study.ends_of(key)
    title = label_of(key)
    with Sheet(**page).figure(8.0, 3.2, title) as figure:
        ax = figure.subplots()
        bins = int(np.clip(np.sqrt(len(x)), *BINS))
        flat = len(x) == 0 or not np.ptp(x) > 1e-9 * max(np.max(np.abs(x)), 1e-300)
        edges: Any = np.linspace(x[0] - 1.0, x[0] + 1.0, 3) if flat and len(x) else np.histogram_bin_edges(x, bins)
        good = (values >= low) & (values <= high)
        ax.hist([x[good], x[~good]], bins=edges, stacked=True, color=[BLUE, RED], label=["kept", "broken"], rwidth=0.96)
        for end in (low, high):
            if np.isfinite(end):
                ax.axvline(end / scale.factor, color=RED, linewidth=1.6, linestyle="--", label="limit")
        if len(x):
            ax.axvline(x.mean(), color=GREY, linewidth=1.2, label="mean")
        ax.set_xlabel(f"{label_of(key)}{scale.bracket}")
        ax.set_ylabel("samples")
        clean(ax)
        if np.isfinite(low) or np.isfinite(high):
            handles, labels = ax.get_legend_handles_labels()
            once = dict(zip(labels, handles, strict=True))
            if not (~good).any():
                once.pop("broken", None)
            legend(ax, figure, list(once.values()), list(once))
            ax.set_title(f"Cpk {study.cpk(key):.2f}", loc="right", fontsize="medium")
    return figure
