"""Short runs that, all together, call for every kernel that Python calls.

Kernels take their model as data, so that what is compiled for one small mechanism serves all others. A task is known by
its name; a method, or a kind of derivative, becomes one by being registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

from ..native.sources import PACKAGE

if TYPE_CHECKING:
    from ..methods.base import Method

TOUCHING = PACKAGE / "gallery" / "slider_crank_ball_play.yaml"  # compliant contact
RUBBING = PACKAGE / "gallery" / "rabinowicz.yaml"  # friction under a reaction, and a spring
STRIKING = PACKAGE / "gallery" / "slider_crank_clearance.yaml"  # rigid contact
MODEL = PACKAGE / "gallery" / "driven_four_bar_3d.yaml"  # redundant, driven: reaches the compiler's kernels as well
PARAMETER, QUANTITY = "rho", "rocker.velocity[0]"  # of it
STEP, UNTIL = 1e-3, 2e-3  # s

# Long ones, and such as have little to do with those before them: two that need the same kernels wait for each other.
# The longest chain, moreau and its two derivatives, begins at once.
FIRST = ("moreau", "steps of moreau", "direct index1", "direct moreau", "adjoint moreau", "implicit")

Task = Callable[[], object]


class Lowered:
    """A task that is no run: kernels that another process may lower meanwhile, far from where a run begins."""

    def __init__(self, calls: Callable[[], list[tuple[Any, ...]]]) -> None:
        self._calls = calls

    def __call__(self) -> None:
        """Have the piece of each kernel, as other kernels call it with such arguments."""
        from ..compiler.entries import types_of

        for kernel, *arguments in self._calls():
            kernel.dispatcher.piece(types_of(tuple(arguments)))


def tasks_of() -> dict[str, dict[str, Task]]:
    """Tasks of each library (native/sources.py), by name, in the order in which they are best begun."""
    from ..sensitivity.exact import CONTACTS, RECORDED

    found = {
        "engine": _runs() | _parts(),
        "contact_derivatives": _derivatives(CONTACTS, "direct", "adjoint"),
        "derivatives": _derivatives(RECORDED, "direct", "adjoint"),
        "complex": _derivatives(RECORDED, "complex_step"),
    }
    return {key: {name: tasks[name] for name in FIRST if name in tasks} | tasks for key, tasks in found.items()}


def tasks_for(derivatives: bool) -> dict[str, Task]:
    """All tasks by name; or those of the engine alone."""
    found = tasks_of()
    return {name: task for key in found if derivatives or key == "engine" for name, task in found[key].items()}


def _runs() -> dict[str, Task]:
    """One per method, one for what compliant contacts need, and the contact solvers as Python calls them."""
    from ..methods.registry import METHODS

    more: dict[str, Task] = {
        "conditions": _watch,
        "choice of a method": _touch,
        "contact problems": _solve,
        "reference steps": _reference,
    }
    return {key: partial(_run, key) for key in METHODS} | more


def _parts() -> dict[str, Task]:
    return {"steps of moreau": Lowered(_advance), "saved states": Lowered(_express)}


def _advance() -> list[tuple[Any, ...]]:
    from ..methods.moreau import advance

    return [(advance, *_moreau())]


def _express() -> list[tuple[Any, ...]]:
    import numpy as np

    from ..methods.moreau_output import express

    model, state, work, settings = _moreau()
    return [(express, model, 0.0, state, settings, work, np.zeros(1))]


def _moreau() -> tuple[Any, ...]:
    """A mechanism as the kernels of Moreau see it; to make one of it takes no kernels."""
    from ..compile.pack import pack
    from ..compile.work import make_work
    from ..methods.moreau import Moreau
    from ..model.files import load_model

    compiled = pack(load_model(MODEL), UNTIL)
    model, state = compiled.model, compiled.state
    settings = Moreau().settings(float(model.info[0]["length"]))
    return model, state, make_work(model, state, Moreau.stages), settings[0]


def _derivatives(methods: Iterable[type[Method]], *kinds: str) -> dict[str, Task]:
    """One per method and kind of derivative that it has."""
    from ..sensitivity.exact import ENGINES

    have = [(kind.replace("_", "-"), one.key) for kind in kinds for one in methods if one in ENGINES[kind]]
    return {f"{kind} {key}": partial(_differentiate, kind, key) for kind, key in have}


def _run(key: str) -> None:
    from ..methods.registry import METHODS
    from ..model.files import load_model
    from ..simulation import simulate

    simulate(load_model(MODEL), UNTIL, METHODS[key](), STEP)


def _reference() -> None:
    """The steps of OptimalStep by SLSQP, which Python takes from one kernel to the next."""
    from ..methods.optimal_step import OptimalStep
    from ..model.files import load_model
    from ..model.system import System
    from ..simulation import simulate

    tree = load_model(STRIKING).to_tree()
    tree["joints"]["D"]["radial"] = {"clearance": "0.5 mm", "contact": {"rigid": {"restitution": 0}}}
    simulate(System.from_tree(tree), 4.0 * STEP, OptimalStep(h_min=STEP, h_max=STEP, reference=True), STEP)


def _touch() -> None:
    """Evaluate the stiffness of all kinds of forces, which decides on the method."""
    from ..compile.build import compile_system
    from ..model.files import load_model
    from ..model.system import System
    from ..selection import rates

    touching = load_model(TOUCHING).to_tree()
    for joint in touching["joints"].values():
        if "radial" in joint:
            joint["radius"], joint["radial"]["friction"] = "10 mm", {"coulomb": {"mu": 0.1, "creep": "1 mm/s"}}
    sensing = load_model(MODEL).to_tree()
    sensing.setdefault("forces", {})["drag"] = {"body": QUANTITY.partition(".")[0], "force": [f"-0.1*{QUANTITY}", 0, 0]}
    for system in (System.from_tree(touching), load_model(RUBBING), System.from_tree(sensing)):
        tuple(rates(compile_system(system)))


def _watch() -> None:
    """Evaluate whether a condition holds at the start, and for rates, as where a switch acts."""
    from ..assemble.dynamics import renewed
    from ..compile.build import compile_system
    from ..compile.work import scratch
    from ..model.files import load_model
    from ..stopping import refuse_true_at_start

    system = load_model(MODEL).watching({"end": f"{QUANTITY} > 1e9"}, "end")
    compiled = compile_system(system)
    refuse_true_at_start(compiled, compiled.state, {})
    with scratch(compiled) as work:
        renewed(compiled.model, 0.0, compiled.state.y, compiled.state.memory, work, compiled.state.dy)


def _solve() -> None:
    import numpy as np

    from ..numerics.contact import METHODS, contact_scratch, go_on, solve_contact

    q, mu = np.array([-1.0, 0.1]), np.array([0.3])
    for method in METHODS:
        solve_contact(np.eye(2), q, mu, dim=2, method=method)
    go_on(2, 1, np.eye(2), q, mu, np.zeros(2), contact_scratch(2, 1))  # what only hard problems need


def _differentiate(kind: str, key: str) -> None:
    from ..methods.registry import METHODS
    from ..sensitivity.objectives import Final
    from ..sensitivity.solve import solve

    of = Final(QUANTITY) if kind == "adjoint" else QUANTITY
    given = {"step": STEP} if any(one.name == "step" for one in fields(METHODS[key])) else {}  # type: ignore[arg-type]
    solve(MODEL, [PARAMETER], of, METHODS[key](**given), until=UNTIL, derivative=kind, save=STEP)
