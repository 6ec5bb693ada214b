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
from ..tangent.closing_adjoint import make_unshut
from ..tangent.explicit import start
from ..tangent.landing import close_tangents
from ..tangent.midpoint_tangent import Kit
from ..tangent.rounds import make_rounds
from ..tangent.tangent_state import Tangents, make_tangents


@dataclass(frozen=True)
class Way:
    """Forwards ``run`` (tangent/loop.py), backwards ``trace`` and ``sweep`` (tangent/backwards.py).

    ``start(model, kit, state, work, tangents)`` makes tangents agree with the start; ``spare(model, parameters,
    unknowns, size of the state)`` is scratch of ``run``; ``rooms(model, objectives, unknowns, size)`` the last part of
    the bars and the rooms of ``sweep``.
    """

    run: Callable[..., int]
    trace: Callable[..., int]
    sweep: Callable[..., int]
    start: Callable[[Model, Kit, State, Work, Tangents], Any]
    spare: Callable[[Model, int, int, int], tuple[Any, ...]]
    rooms: Callable[[Model, int, int, int], tuple[Any, tuple[Any, ...]]]


def _answers(model: Model, objectives: int, unknowns: int) -> tuple[np.ndarray, ...]:
    """Solutions of transposed systems, bars of contacts and of rates of inner states."""
    inner, z = int(model.info[0]["inner"]), np.zeros
    return z((objectives, unknowns)), z((objectives, len(model.contact), 3)), z((objectives, inner))


def _start_moreau(model: Model, kit: Kit, state: State, work: Work, tan: Tangents) -> None:
    start(model, kit, state, work, tan, np.zeros(len(state.y)))


def _spare_moreau(model: Model, count: int, unknowns: int, size: int) -> tuple[Any, ...]:
    rounds = make_rounds(model, count, unknowns, size)
    return np.zeros(6 * (len(model.body) - 1)), np.zeros((len(model.contact), count)), rounds


def _rooms_moreau(model: Model, objectives: int, unknowns: int, size: int) -> tuple[Any, tuple[Any, ...]]:
    sizes = tuple(make_tangents(model, 1) for _ in range(3))
    closed = np.zeros((objectives, 2, int(model.info[0]["bilateral"])))
    glides = (
        *(make_rounds(model, 1, unknowns, size), make_unshut(model, objectives, unknowns)),
        _answers(model, objectives, unknowns),
    )
    return sizes, (np.zeros(6 * (len(model.body) - 1)), closed, glides)


def _start_optimal(model: Model, kit: Kit, state: State, work: Work, tan: Tangents) -> None:
    close_tangents(model, kit, float(state.clock[0]["t"]), state.y, state.memory, work, tan)


def _spare_optimal(model: Model, count: int, unknowns: int, size: int) -> tuple[Any, ...]:
    return (make_rounds(model, count, unknowns, size),)


def _rooms_optimal(model: Model, objectives: int, unknowns: int, size: int) -> tuple[Any, tuple[Any, ...]]:
    rooms = (
        np.zeros(6 * (len(model.body) - 1)),
        *(make_rounds(model, 1, unknowns, size), make_rounds(model, 1, unknowns, size)),
        *(_answers(model, objectives, unknowns), make_unshut(model, objectives, unknowns)),
    )
    return make_tangents(model, objectives), rooms


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
