"""Small kernels that the compiler calls from Python: one place, so that each is compiled once and cached."""

from __future__ import annotations

from ..assemble.dynamics import SOFT, derivative, evaluate_closed_rows
from ..assemble.energy import energies
from ..assemble.interactions import evaluate_relations
from ..assemble.kinematics import place_bodies
from ..assemble.observe import remember
from ..assemble.projection import close_positions, close_velocities
from ..numerics.jit import jit


@jit
def closed_rows(model, t, y, memory, work):
    """Evaluate the closed rows at a state."""
    evaluate_closed_rows(model, t, y, memory, work)


@jit
def all_relations(model, y, memory, work):
    """Evaluate the geometry of every relation at a state, without targets."""
    place_bodies(model.info[0].bodies, y, work.kin)
    evaluate_relations(model.relation, memory, work.kin, work.row)


@jit
def assemble_positions(model, t, y, memory, tolerance, work):
    """Close the positions; worst residual and its row."""
    worst, which, _ = close_positions(model, t, y, memory, tolerance, work)
    return worst, which


@jit
def assemble_velocities(model, t, y, memory, work):
    """Close the velocities at positions that are already closed; worst rate left."""
    close_positions(model, t, y, memory, 1e300, work)
    worst, _ = close_velocities(model, y, SOFT, work)
    return worst


@jit
def start(model, state, work):
    """Rates and energy at the start: fills dy and the reference of the energy ledger."""
    clock = state.clock[0]
    derivative(model, clock.t, state.y, state.memory, work, state.dy)
    kinetic, gravity, elastic = energies(model, clock.t, state.y, work)
    clock.energy0 = (kinetic + gravity + elastic).real
    clock.ready = 1
    remember(model, state.memory, work)
