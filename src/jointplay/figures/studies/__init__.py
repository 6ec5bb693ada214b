"""Figures of studies: what ``jointplay.study`` returns is drawn; this layer lies below and knows its attributes.

histogram    values of an output with limits, mean, Cpk and yield
tornado      shares of the inputs in the variance of an output
estimates    yield or mean over the number of samples, with its interval
scatter      inputs and outputs against each other
worst        one quantity of the worst runs over that of the median one
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import InputError, Problem
from .estimates import estimates
from .histogram import histogram
from .scatter import scatter
from .tornado import tornado
from .worst import worst

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {
    "histogram": histogram,
    "tornado": tornado,
    "convergence": estimates,
    "scatter": scatter,
    "worst": worst,
}

__all__ = ["draw", "estimates", "histogram", "scatter", "tornado", "worst"]


def draw(study: Any, kind: str, **options: Any) -> Figure:
    """A figure of a study by its name."""
    if kind not in KINDS:
        raise InputError(Problem("kind", f"there is no figure '{kind}' of a study; choose from {', '.join(KINDS)}"))
    draw_it: Any = KINDS[kind]
    figure: Figure = draw_it(study, **options)
    return figure
