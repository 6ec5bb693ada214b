"""Registry of the laws of impact: kernels that find the impulses of all contacts of an impact.

    kernel(model, count, problem, delassus, work) -> (status, residual)

Velocities before stand in problem[BEFORE], those that joints would leave without contacts in kin.unknown. A contact
rebounds with ``touch.rebound`` times its coefficient of restitution. The kernel leaves the impulses in problem[ANSWER]
(a start for them stands there), free velocities without restitution in problem[FREE], and the Delassus matrix as it
was. Without rebound (factor 0) an impact must not make energy; methods/impact.py sees to the rest. Names and facts are
in laws/impacts.py, in the order of this tuple.
"""

from __future__ import annotations

from ..numerics.switch import switch
from .newton_impact import rebound as newton
from .poisson_impact import rebound as poisson

solve_law = switch((newton, poisson))
