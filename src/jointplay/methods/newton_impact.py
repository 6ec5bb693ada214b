"""Newton's law of impact with friction (paper B eq. 32 to 35).

    0 <= u_N+ + e_N u_N-  orthogonal to  Lambda_N >= 0,      Lambda_T in Coulomb's cone against u_T+ + e_T u_T-

One contact problem, with e u- added to the free velocities.
"""

from __future__ import annotations

from ..arrays import BEFORE, FREE, NONE
from ..assemble.rigid_contacts import set_free, solve_contacts
from ..numerics.jit import jit
from .moreau_midpoint import restitute


@jit
def rebound(model, count, problem, delassus, work):
    """Impulses into problem[ANSWER]; returns status and residual."""
    dim = model.info[0].dim
    set_free(model, 0.0, 0.0, work)
    restitute(model, work)
    status, residual = solve_contacts(model, count, work)
    for c in range(len(model.contact)):
        t, law = work.touch[c], model.contact[c]
        if t.place != NONE and law.brake == 0:
            for m in range(dim):
                e = t.rebound * (law.restitution if m == 0 else law.tangential)
                problem[FREE, dim * t.place + m] -= e * problem[BEFORE, dim * t.place + m]
    return status, residual
