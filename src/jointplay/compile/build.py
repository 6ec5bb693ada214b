"""compile: System -> Model, State, labels. Packs, drops rows that cannot change, assembles, finds redundancy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..assemble.dynamics import derivative, evaluate_closed_rows
from ..assemble.energy import energies
from ..assemble.interactions import evaluate_relations
from ..assemble.kinematics import place_bodies
from ..assemble.observe import remember
from ..model.system import System
from .initial import assemble
from .pack import Compiled, Place, pack
from .redundancy import dependent_rows, nearby
from .work import make_work


@dataclass(frozen=True)
class Rank:
    """Mobility of the closed rows."""

    mobility: int
    redundant: list[str]  # rows that repeat others everywhere
    singular: list[str]  # rows that repeat others only in this position


def _set_drawn_values(compiled: Compiled) -> None:
    """Coordinates that count from the drawn configuration: g0 is their value there."""
    model, state = compiled.model, compiled.state
    work = make_work(model, state)
    place_bodies(model.info[0]["bodies"], state.y, work.kin)
    evaluate_relations(model.relation, state.memory, work.kin, work.row)
    for k, interaction in enumerate(compiled.interactions):
        if interaction.as_drawn:
            for c in range(interaction.use.relation.count):
                model.relation["g0"][k][c] = work.row["g"][model.relation["row"][k][c]]


def _vanishing(compiled: Compiled) -> frozenset[Place]:
    """Closed components that no motion of a planar model can change."""
    model, state = compiled.model, compiled.state
    rows = int(model.info[0]["bilateral"])
    work = make_work(model, state)
    random = np.random.default_rng(7)
    mobile = np.zeros(rows)
    for _ in range(3):
        y = state.y.copy()
        for b in range(int(model.info[0]["bodies"]) - 1):
            y[7 * b : 7 * b + 2] += random.standard_normal(2)
            half = random.uniform(-1.5, 1.5)
            y[7 * b + 3 : 7 * b + 7] = (np.cos(half), 0.0, 0.0, np.sin(half))
        evaluate_closed_rows(model, 0.0, y, state.memory, work)
        mobile = np.maximum(mobile, np.einsum("rk,rk->r", work.row["w"][:rows], work.weighed))
    still = set(np.flatnonzero(mobile <= 1e-24 * np.max(mobile, initial=0.0)).tolist())
    return frozenset(
        (k, c)
        for k in range(int(model.info[0]["bilateral_relations"]))
        for c in range(compiled.interactions[k].use.relation.count)
        if int(model.relation[k]["row"][c]) in still
    )


def rank_of(compiled: Compiled) -> Rank:
    """Mobility and redundancy at the assembled position, compared with a nearby one."""
    model, state = compiled.model, compiled.state
    work = make_work(model, state)
    per_body = 3 if compiled.system.planar else 6
    total = per_body * (int(model.info[0]["bodies"]) - 1)
    rows = int(model.info[0]["bilateral"])
    if rows == 0:
        return Rank(total, [], [])
    here = dependent_rows(model, state.y, state, work)
    if not here:
        return Rank(total - rows, [], [])
    there = dependent_rows(model, nearby(model, state, work), state, work)
    always = [r for r in here if r in there] if len(there) >= len(here) else there
    names = compiled.row_names
    return Rank(total - rows + len(there), [names[r] for r in there], [names[r] for r in here if r not in always])


def compile_system(system: System, horizon: float = 1.0) -> Compiled:
    """Everything that a run needs; raises InputError where the joints cannot be closed."""
    compiled = pack(system, horizon)
    if system.planar:
        compiled = pack(system, horizon, _vanishing(compiled))
    _set_drawn_values(compiled)
    model, state = compiled.model, compiled.state
    work = make_work(model, state)
    # closed rows may be dependent before it is known: regularise while assembling
    model.info["redundant"] = 1
    given = [body.velocity_given for body in system.bodies]
    compiled.notes += assemble(model, state, work, compiled.row_names, [b.name for b in system.bodies], given)
    rank = rank_of(compiled)
    model.info["redundant"] = int(bool(rank.redundant))
    compiled.redundant_rows = rank.redundant
    if rank.redundant:
        compiled.notes.append(
            f"redundant constraints ({len(rank.redundant)}): {', '.join(rank.redundant)}; "
            "reactions are those of least norm"
        )
    _start(compiled)
    return compiled


def _start(compiled: Compiled) -> None:
    """Rates and energy at the start: fills dy and the reference of the energy ledger, and counts turns from here."""
    model, state = compiled.model, compiled.state
    work = make_work(model, state)
    derivative(model, 0.0, state.y, state.memory, work, state.dy)
    state.clock["energy0"] = sum(energies(model, 0.0, state.y, work))
    remember(model, state.memory, work)
