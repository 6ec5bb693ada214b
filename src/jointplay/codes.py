"""Numbers that kernels and Python share: law regimes and outcomes.

A kernel can return only a number; the sentence that a user reads lives beside it, here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Regime(IntEnum):
    """How a law ties a coordinate g to its force lambda (ARCHITECTURE, section 2)."""

    BILATERAL = 0  # g = 0 or g = g*(t); the multiplier is free
    SET = 1  # 0 <= g orthogonal to lambda >= 0, Coulomb's cone, relay
    FORCE = 2  # lambda = f(g, dg/dt, z)
    MEASURE = 3  # no law: the coordinate is only recorded


class Code(IntEnum):
    """What a run kernel returns."""

    DONE = 0
    CONTINUE = 1
    STEP_UNDERFLOW = 2
    NOT_FINITE = 3
    PROJECTION_FAILED = 4
    STEP_LIMIT = 5
    INTERRUPTED = 6
    OUTPUT_FAILED = 7
    CONTACT_FAILED = 8
    ENDLESS_IMPACTS = 9
    HALTED = 10
    NEVER_TRUE = 11
    CHATTERS = 12


MESSAGES: dict[Code, str] = {
    Code.DONE: "finished at t = {time:.6g} s",
    Code.CONTINUE: "still running at t = {time:.6g} s",
    Code.STEP_UNDERFLOW: (
        "the step size fell below {detail:.3g} s at t = {time:.9g} s without reaching the tolerance{where}. "
        "Look for a lock-up, a singular position, a force that jumps or an expression that has no value there; a "
        "looser rtol or atol may pass it"
    ),
    Code.NOT_FINITE: (
        "a quantity stopped being a finite number at t = {time:.9g} s{where}. "
        "Look for a force or drive that grows without bound, an expression that has no value there (the root or the "
        "logarithm of a negative number), or two points of a spring that coincide"
    ),
    Code.PROJECTION_FAILED: (
        "the joints could not be closed again at t = {time:.9g} s (worst residual {detail:.3g}{where}). "
        "The mechanism may have reached a position that it cannot pass; try a smaller step or check the drives"
    ),
    Code.CONTACT_FAILED: (
        "no contact forces were found at t = {time:.9g} s{where} (residual {detail:.3g}). Rigid friction may have no "
        "solution there (jamming): try less friction, a smaller step, or a compliant contact. The problem can be kept "
        "with sol.failed_contact and solved again with 'jointplay contact'"
    ),
    Code.ENDLESS_IMPACTS: (
        "impacts follow each other without end at t = {time:.9g} s{where}. Look for parts that are wedged between "
        "walls; a smaller restitution, a larger step or a looser atol lets them come to rest"
    ),
    Code.HALTED: "ended at t = {time:.9g} s, where {reason} became true",
    Code.NEVER_TRUE: "reached t = {time:.6g} s, but {reason} never became true",
    Code.CHATTERS: (
        "switches follow each other without end at t = {time:.9g} s{where}. Give their conditions some distance "
        "(hysteresis), so that what one of them sets does not make the other true at once"
    ),
    Code.STEP_LIMIT: "stopped after the allowed number of steps, at t = {time:.9g} s; raise max_steps to go on",
    Code.INTERRUPTED: "interrupted at t = {time:.9g} s; everything up to there is kept",
    Code.OUTPUT_FAILED: "the result could not be written at t = {time:.9g} s: {reason}. What was written is kept",
}


@dataclass(frozen=True)
class Outcome:
    """How a run ended: a code, the simulated time reached, the sentence for the user, and why to look twice.

    ``warnings`` state in what respect a result may be wrong although the run reached its end; a run that kept to what
    it promises has none.
    """

    code: Code
    time: float
    message: str
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True when the run reached the time, or the condition, that was requested."""
        return self.code in (Code.DONE, Code.HALTED)

    @staticmethod
    def of(
        code: Code,
        time: float,
        *,
        detail: float = 0.0,
        where: str = "",
        reason: str = "",
        warnings: tuple[str, ...] = (),
        own: str = "",
    ) -> Outcome:
        """Fill the sentence of ``code``; ``where`` names the body or joint concerned, ``own`` laws of users."""
        place = f", at {where}" if where else ""
        message = MESSAGES[code].format(time=time, detail=detail, where=place, reason=reason)
        if own:
            message += f". A law of your own may raise or have no finite value there: {own}"
        if warnings:
            message += f"; {len(warnings)} warning{'s' if len(warnings) > 1 else ''}: " + "; ".join(warnings)
        return Outcome(code, time, message, warnings)
