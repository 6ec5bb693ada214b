"""What a run reports about itself: its statistics, and in what respect its result may be wrong.

A run that reaches its end without a warning has kept to this:

    energy       the ledger closes to LEDGER of the energies exchanged, or to what the tolerance of the method allows
    rest         rebounds too small to be resolved took no more than REST of them
    impacts      none found no end at its instant; none made energy
    error        no step of the least size was taken with an error above the tolerance
    turns        no body turned so far in one step that turns are miscounted or walls at angles passed
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import arrays
from .methods.base import Method
from .running import Running

LEDGER = 0.01  # of the energies exchanged: error of the ledger with fixed steps
BY_TOLERANCE = 1e3  # times rtol: the same with controlled steps
LEAST = 1e-6  # and at least
REST = 1e-4  # of the energies exchanged, that rest may take
GAIN = 1e-9  # of the energies exchanged, that impacts may make
HALF_TURN = 2.5  # rad
MOST = 10  # warnings of one run
COUNTS = {
    "rejections": arrays.REJECTIONS,
    "evaluations": arrays.EVALUATIONS,
    "factorisations": arrays.FACTORISATIONS,
}
WORST = {
    "worst_position_residual": arrays.WORST_POSITION,
    "worst_velocity_residual": arrays.WORST_VELOCITY,
}
OF_CONTACTS = {
    "impacts": arrays.IMPACTS,
    "contact_problems": arrays.CONTACT_SOLVES,
    "contact_iterations": arrays.CONTACT_ITERATIONS,
    "rests": arrays.RESTS,
    "forced_rests": arrays.FORCED_RESTS,
    "lessened_rebounds": arrays.LESSENED,
}
ENERGIES = {
    "rest_loss": arrays.REST_LOSS,
    "forced_rest_loss": arrays.FORCED_LOSS,
    "impact_gain": arrays.GAIN,
}


def statistics(parts: list[Running]) -> dict[str, Any]:
    """Counters and worst residuals of all parts together."""

    def total(place: int) -> float:
        return float(sum(part.work.tally[place] for part in parts))

    def worst(place: int) -> float:
        return float(max(part.work.tally[place] for part in parts))

    stats: dict[str, Any] = {"steps": sum(part.steps for part in parts), "parts": len(parts)}
    stats |= {name: int(total(place)) for name, place in COUNTS.items()}
    stats |= {name: worst(place) for name, place in WORST.items()}
    models = [part.compiled.model for part in parts]
    if any(len(model.contact) for model in models):
        stats |= {name: int(total(place)) for name, place in OF_CONTACTS.items()}
        stats |= {name: total(place) for name, place in ENERGIES.items()}
        stats |= {
            "worst_contact_residual": worst(arrays.WORST_CONTACT),
            "worst_penetration": worst(arrays.WORST_GAP),
        }
    if any(len(model.pad) for model in models):
        stats |= {"onsets": int(total(arrays.ONSETS)), "deepest_onset": worst(arrays.DEEPEST_ONSET)}
    if parts[0].method.implicit:
        stats |= {"newton_iterations": int(total(arrays.NEWTONS)), "jacobians": int(total(arrays.JACOBIANS))}
    if any(model.info[0]["rubs"] for model in models):
        stats |= {
            "friction_iterations": int(total(arrays.RUB_ITERATIONS)),
            "worst_friction_residual": worst(arrays.WORST_RUB),
        }
    if worst(arrays.LOCAL_ERROR) > 0.0:
        stats |= {
            "worst_local_error": worst(arrays.LOCAL_ERROR),
            "sum_of_local_errors": total(arrays.ERROR_SUM),
        }
    return stats


def allowed_error(method: Method) -> float:
    """Error of the ledger that counts as none, relative to the energies exchanged."""
    if float(getattr(method, "step", 0.0)) > 0.0 or not hasattr(method, "rtol"):
        return LEDGER
    return min(LEDGER, max(LEAST, BY_TOLERANCE * float(method.rtol)))


def doubts_about(parts: list[Running], method: Method) -> tuple[str, ...]:
    """Sentences on what may be wrong with a run that reached its end."""
    several = len(parts) > 1
    found = [
        f"{doubt} (in the part with {part.compiled.system.bodies[0].name})" if several else doubt
        for part in parts
        for doubt in _doubts(part, allowed_error(method))
    ]
    return tuple(found[:MOST]) + ((f"and {len(found) - MOST} more",) if len(found) > MOST else ())


def _doubts(part: Running, allowed: float) -> Iterator[str]:
    tally, scale, model = part.work.tally, part.ledger.scale, part.compiled.model
    exchanged = f"{scale:.3g} J exchanged"
    if part.ledger.error > allowed * scale:
        yield f"the energy balance is off by {part.ledger.error:.3g} J of {exchanged}: take a smaller step or tolerance"
    if tally[arrays.REST_LOSS] > REST * scale:
        loss = tally[arrays.REST_LOSS]
        yield f"rebounds too small to be resolved were taken out with {loss:.3g} J of {exchanged}"
    if tally[arrays.FORCED_RESTS] > 0.0:
        times, loss = int(tally[arrays.FORCED_RESTS]), tally[arrays.FORCED_LOSS]
        yield f"impacts at one instant found no end {times} times: rebounds were taken out by force, with {loss:.3g} J"
    if tally[arrays.GAIN] > GAIN * scale:
        gain = tally[arrays.GAIN]
        yield f"impacts made {gain:.3g} J: Newton's law with friction can, impact='bounded' does not"
    if tally[arrays.FORCED_STEPS] > 0.0:
        yield f"{int(tally[arrays.FORCED_STEPS])} steps of the least size have an error above the tolerance"
    turn = tally[arrays.LARGEST_TURN]
    if turn > HALF_TURN and (len(model.contact) or len(model.pad) or model.info[0]["turns"]):
        yield f"a body turned by {turn:.3g} rad in one step: turns may be miscounted, walls passed; take a smaller step"
