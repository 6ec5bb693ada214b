"""How sure is it by now: the estimate over the number of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..prefixes import scale_of
from ..sheet import Page, Sheet
from ..style import BLUE, clean
from .common import label_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRST = 16


def estimates(study: Any, of: Any = None, **page: Unpack[Page]) -> Figure:
    """Draw the yield (or the mean of an output, if there are no limits or one is named) at doubling sizes."""
    count = len(study.done)
    sizes = [FIRST * 2**k for k in range(40) if FIRST * 2**k < count] + [count]
    by_yield = bool(study.limits) and of is None
    key = study._key(of or study.outputs[0])
    found = [study.yield_(size=n) if by_yield else study.mean(key, size=n) for n in sizes]
    scale = scale_of(study.units[key], max(abs(one.value) for one in found))
    factor = 0.01 if by_yield else scale.factor
    what = "yield [%]" if by_yield else f"mean of {label_of(key)}{scale.bracket}"
    with Sheet(**page).figure(8.0, 2.8, "") as figure:
        ax = figure.subplots()
        low, high = (np.array([getattr(one, side) for one in found]) / factor for side in ("low", "high"))
        values = np.array([one.value for one in found]) / factor
        spread = np.isfinite(low) & np.isfinite(high)
        ax.fill_between(np.array(sizes)[spread], low[spread], high[spread], color=BLUE, alpha=0.18, linewidth=0)
        ax.plot(sizes, values, "o-", color=BLUE, markersize=4, linewidth=1.4)
        ax.set_xscale("log", base=2)
        ax.set_xticks(sizes, [str(n) for n in sizes])
        ax.minorticks_off()
        ax.set_xlabel("samples")
        ax.set_ylabel(what)
        clean(ax)
    return figure
