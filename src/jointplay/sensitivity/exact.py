"""The exact methods: direct, adjoint and complex-step derivatives of a run, by the kernels of ``tangent``.

    direct(compiled, variations, scheme, times, columns, progress)          -> Answer
    complex_step(compiled, variations, scheme, times, columns, progress)    -> Answer
    adjoint(compiled, variations, scheme, times, columns, weigh, progress)  -> Gradient

A method takes part by recording its steps (methods/tape.py), or with an entry in ``CONTACTS``: the module that has a
function of that name for it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ..compile.pack import Compiled
from ..compile.sharing import shared_friction
from ..errors import InputError, Problem
from ..laws.clearance import Clearance
from ..laws.impacts import NEWTON
from ..methods.base import Method
from ..methods.moreau import Moreau
from ..methods.optimal_step import OptimalStep
from ..methods.registry import REGISTRY
from .answer import Answer, Gradient, Tell
from .integral_channels import compliant, ledger_of, named

DIRECT = "adjoint derivatives of sums are not available, take derivative='direct'"

RECORDED = {method: "taped" for method in REGISTRY if method.recorder is not None}
CONTACTS: dict[type[Method], str] = {Moreau: "through_contacts", OptimalStep: "through_contacts"}
ENGINES: dict[str, dict[type[Method], str]] = {
    "direct": RECORDED | CONTACTS,
    "complex_step": RECORDED,
    "adjoint": RECORDED | CONTACTS,
}


def _engine(name: str, scheme: Method) -> Callable[..., Any]:
    """The function that does it along this method; kernels are imported only now."""
    table, what = ENGINES[name], name.replace("_", "-")
    module = "taped" if scheme.recorder is not None else table.get(type(scheme))
    if module is None:
        able = ", ".join(one.__name__ for one in table)
        message = f"'{what}' derivatives are not available for {type(scheme).__name__}; take one of: {able}"
        raise InputError(Problem("method", message))
    if getattr(scheme, "reference", False):
        message = f"'{what}' derivatives are those of OptimalStep without reference=True, which takes the same steps"
        raise InputError(Problem("method", message))
    run: Callable[..., Any] = getattr(import_module(f".{module}", __package__), name)
    return run


def _refuse(name: str, compiled: Compiled, scheme: Method, columns: np.ndarray) -> None:
    """InputError where an exact method would leave something out."""
    wanted, problems = set(np.asarray(columns).tolist()), []
    soft = set(compliant(compiled))
    for public, own in named(compiled, "onset_speed"):
        if wanted & own:
            message = f"{public} is a speed at an instant in the past, of which there are no exact derivatives"
            problems.append(Problem("of", message))
    for public, own in named(compiled, "normal_impulse"):
        if wanted & own and name == "adjoint":
            problems.append(Problem("of", f"{public} is a sum over the past; {DIRECT}"))
        elif wanted & own & soft and isinstance(scheme, Moreau):
            message = f"{public} of a compliant contact has no exact derivatives along Moreau; Explicit has them"
            problems.append(Problem("of", message))
    contacts = compiled.model.contact
    if np.any((contacts["impact"] != NEWTON) & (contacts["restitution"] > 0.0)):
        message = "exact derivatives follow Newton's law of impact only; 'differences' serve impact='poisson'"
        problems.append(Problem("method", message))
    rubbing = [joint for joint in compiled.system.joints if joint.friction is not None]
    loose = [one.name for one in rubbing if any(isinstance(law, Clearance) for law in one.closed.values())]
    if loose:
        message = (
            f"'{name.replace('_', '-')}' derivatives do not follow friction of flanks with clearance "
            f"({', '.join(loose)}); 'differences' do"
        )
        problems.append(Problem("method", message))
    shared = shared_friction(compiled) if name != "complex_step" else None
    if shared is not None and shared.matters:  # the share of least norm turns with the rows, which no tangent follows
        serve = "'complex-step' and 'differences' do" if scheme.recorder is not None else "'differences' do"
        message = (
            f"'{name}' derivatives do not follow how redundant joints share a load, which the friction of "
            f"{', '.join(shared.normal)} depends on; {serve}"
        )
        problems.append(Problem("derivative", message))
    if problems:
        raise InputError(list(dict.fromkeys(problems)))


def _balance(name: str, compiled: Compiled, scheme: Method, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Channels to follow and the matrix from them to the wanted ones: losses follow from the energy balance.

    dissipated = start + input - kinetic - gravity - elastic; the column behind the last is the start. Without loads
    and drives input is zero. Where they do work, methods that record their steps follow the whole ledger.
    """
    wanted = np.asarray(columns, dtype=np.int64)
    stored, (input_, dissipated, error) = ledger_of(compiled)
    works = len(compiled.model.load) + len(compiled.model.driven) + len(compiled.model.control) > 0
    if works and not set(wanted.tolist()).isdisjoint((input_, dissipated, error)):
        if name == "adjoint":
            raise InputError(Problem("of", f"work integrals, where loads or drives do work, are sums; {DIRECT}"))
        if scheme.recorder is not None:
            return wanted, np.eye(len(wanted), len(wanted) + 1)
        if error in wanted:
            message = "energy.error is an error of the steps, of which there are no exact derivatives"
            raise InputError(Problem("of", message))
    kept = [c for c in wanted.tolist() if c not in (input_, dissipated, error)]
    needed = [*kept, *(stored if dissipated in wanted else ())]
    if works and not {input_, dissipated}.isdisjoint(wanted.tolist()):
        needed.append(input_)
    follow = np.array(list(dict.fromkeys(needed)), dtype=np.int64)
    matrix = np.zeros((len(wanted), len(follow) + 1))
    for row, column in enumerate(wanted.tolist()):
        if column == dissipated:
            matrix[row, [follow.tolist().index(c) for c in stored]] = -1.0
            matrix[row, -1] = 1.0
            if works:
                matrix[row, follow.tolist().index(input_)] = 1.0
        elif column in follow:
            matrix[row, follow.tolist().index(column)] = 1.0
    return follow, matrix


def _history(name: str, *given: Any) -> Answer:
    """Run an engine on what it can follow, and make the wanted channels of it."""
    compiled, variations, scheme, times, columns, progress = given
    run = _engine(name, scheme)
    _refuse(name, compiled, scheme, columns)
    follow, matrix = _balance(name, compiled, scheme, columns)
    answer = run(compiled, variations, scheme, times, follow, progress)
    start = np.array([one.energy0 for one in variations])[:, None, None]
    slopes = np.concatenate([answer.derivatives, np.broadcast_to(start, (*answer.derivatives.shape[:2], 1))], axis=2)
    answer.derivatives = slopes @ matrix.T
    energy = np.full((len(answer.values), 1), float(compiled.state.clock[0]["energy0"]))
    answer.values = np.concatenate([answer.values, energy], axis=1) @ matrix.T
    return answer


def direct(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    progress: Tell = None,
) -> Answer:
    """Tangent linear equations, one factorisation for all parameters."""
    return _history("direct", compiled, variations, scheme, times, columns, progress)


def complex_step(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    progress: Tell = None,
) -> Answer:
    """The same kernels on complex numbers, one run per parameter."""
    return _history("complex_step", compiled, variations, scheme, times, columns, progress)


def adjoint(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    weigh: Callable[[np.ndarray], np.ndarray],
    progress: Tell = None,
) -> Gradient:
    """Gradients of objectives at a cost that hardly depends on the number of parameters."""
    run = _engine("adjoint", scheme)
    _refuse("adjoint", compiled, scheme, columns)
    follow, matrix = _balance("adjoint", compiled, scheme, columns)
    energy0 = float(compiled.state.clock[0]["energy0"])
    weights: list[np.ndarray] = []

    def values_of(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values, np.full((len(values), 1), energy0)], axis=1) @ matrix.T

    def inner(values: np.ndarray) -> np.ndarray:
        weights.append(weigh(values_of(values)))
        return weights[0] @ matrix[:, :-1]

    gradient = run(compiled, variations, scheme, times, follow, inner, progress)
    constant = (weights[0] @ matrix[:, -1]).sum(axis=1)
    gradient.gradient = gradient.gradient + constant[:, None] * np.array([one.energy0 for one in variations])
    gradient.values = values_of(gradient.values)
    return gradient
