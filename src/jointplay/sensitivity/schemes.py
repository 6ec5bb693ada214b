"""How derivatives go through the steps of each method with contacts: its kernels, and the scratch that they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Model, State, Work
from ..methods.base import Method
from ..methods.moreau import Moreau
from ..methods.optimal_step import OptimalStep
from ..tangent import moreau_adjoint, nonsmooth, optimal, optimal_step_adjoint
from ..tangent.explicit import start
from ..tangent.landing import close_tangents
from ..tangent.midpoint import Kit
from ..tangent.rounds import make_rounds
from ..tangent.tangent_state import Tangents, make_tangents


@dataclass(frozen=True)
class Way:
    """Forwards ``run`` (tangent/loop.py), backwards ``trace`` and ``sweep`` (tangent/backwards.py).

    ``start(model, kit, state, work, tangents)`` makes tangents agree with the start; ``spare(model, parameters,
    size of the state)`` is scratch of ``run``; ``rooms(model, objectives, size)`` further bars, and the rooms of
    ``sweep``.
    """

    run: Callable[..., int]
    trace: Callable[..., int]
    sweep: Callable[..., int]
    start: Callable[[Model, Kit, State, Work, Tangents], Any]
    spare: Callable[[Model, int, int], tuple[Any, ...]]
    rooms: Callable[[Model, int, int], tuple[tuple[Any, ...], tuple[Any, ...]]]


def _start_moreau(model: Model, kit: Kit, state: State, work: Work, tan: Tangents) -> None:
    start(model, kit, state, work, tan, np.zeros(len(state.y)))


def _spare_moreau(model: Model, count: int, size: int) -> tuple[Any, ...]:
    return np.zeros(6 * (len(model.body) - 1)), np.zeros((len(model.contact), count)), make_rounds(model, size)


def _rooms_moreau(model: Model, objectives: int, size: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (), (np.zeros(6 * (len(model.body) - 1)), make_rounds(model, size))


def _start_optimal(model: Model, kit: Kit, state: State, work: Work, tan: Tangents) -> None:
    close_tangents(model, kit, float(state.clock[0]["t"]), state.y, state.memory, work, tan)


def _spare_optimal(model: Model, count: int, size: int) -> tuple[Any, ...]:
    return (make_rounds(model, size),)


def _rooms_optimal(model: Model, objectives: int, size: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    rooms = np.zeros(6 * (len(model.body) - 1)), make_rounds(model, size), make_rounds(model, size)
    return (make_tangents(model, objectives),), rooms


WAYS: dict[type[Method], Way] = {
    Moreau: Way(
        *(nonsmooth.run, moreau_adjoint.trace, moreau_adjoint.sweep, _start_moreau),
        *(_spare_moreau, _rooms_moreau),
    ),
    OptimalStep: Way(
        *(optimal.run, optimal_step_adjoint.trace, optimal_step_adjoint.sweep, _start_optimal),
        *(_spare_optimal, _rooms_optimal),
    ),
}
