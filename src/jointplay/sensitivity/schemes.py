"""How derivatives go through the steps of each method with contacts: its kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..arrays import Model, State, Work
from ..methods.base import Method
from ..methods.moreau import Moreau
from ..methods.optimal_step import OptimalStep
from ..tangent import explicit, moreau_adjoint, nonsmooth, optimal, optimal_step_adjoint
from ..tangent.midpoint import Kit
from ..tangent.tangent_state import Tangents


@dataclass(frozen=True)
class Way:
    """Forwards ``run`` (tangent/loop.py), backwards ``trace`` and ``sweep`` (tangent/backwards.py).

    ``start(model, kit, state, work, tangents)`` makes tangents agree with the start.
    """

    run: Callable[..., int]
    trace: Callable[..., int]
    sweep: Callable[..., int]
    start: Callable[[Model, Kit, State, Work, Tangents], Any]


WAYS: dict[type[Method], Way] = {
    Moreau: Way(nonsmooth.run, moreau_adjoint.trace, moreau_adjoint.sweep, explicit.start),
    OptimalStep: Way(optimal.run, optimal_step_adjoint.trace, optimal_step_adjoint.sweep, optimal.start),
}
