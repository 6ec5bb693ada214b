"""The equations of motion linearised at a state: matrices that tangents (forwards) and adjoints (backwards) share.

Bodies move by eta (three displacements in global axes, three rotations in body axes, per body) and change their
velocities by du. Forces F = f(q, u, z, t) + W^T lam + friction and rows c = W x + alpha bias answer, x being fixed,

    dF = K eta + D du + Z dz + (W^T + L) dlam,      dc_r = Cq eta + Cu du
    dz' = Hq eta + Hu du + Hz dz + Hl dlam,         d(W u) = W du + T eta

x is the acceleration and alpha = 1 in index-1 equations, the new velocity and alpha = h/2 in Moreau's step, the
velocity that a law of impact speaks of and alpha = 0 in an impact.

With Dw[eta] = vary(eta), D_xi D_zeta g = vary(xi) . zeta, and left-invariant turns, whose commutator is the cross
product, the third derivatives in d bias follow from one more derivative of vary(u) along u (by a complex step):

    bias = vary(u) . u
    d bias / du = vary(.) . u + vary(u),      d bias / d eta = D_u vary(u) + (vary(u) + vary(.) . u) [eta, u]

where [eta, u] = (0, eta x w') per body. Directions that a planar model blocks are left to the solver of the system.
"""

from __future__ import annotations

from ..arrays import LAM
from ..assemble.sensing import add_sensed
from ..assemble.states import add_states
from ..numerics.jit import jit
from .force_jacobian import add_bodies, add_bundles, add_loads, gather_laws, gather_pads
from .friction_jacobian import add_rubs
from .matrices import add_all_closed, add_forces, clear, vary_all
from .own import add_law_states
from .products import clear_blocks
from .wall_states import add_wall_states


@jit
def linearise(model, t, y, x, alpha, work, lin):
    """Fill all matrices at a state just evaluated (dynamics.derivative), or at rows and forces in place.

    Multipliers of the closed rows stand in work.vector[LAM]; forces of FORCE rows in row.lam.
    """
    info = model.info[0]
    z = y[13 * (info.bodies - 1) :]
    clear(model, lin)
    if lin.fixed[0]:
        clear_blocks(lin.pair, lin.Kfix[0])
        clear_blocks(lin.pair, lin.Kfix[1])
    add_all_closed(model, x, alpha, work.vector[LAM], work.kin, lin)
    for k in range(info.bilateral_relations, info.force_relations):
        c = model.relation[k]
        vary_all(c, work.kin, lin)
        gather_laws(model, c, t, z, work.row, lin)
        gather_pads(model, k, work.press, lin)
        add_forces(c, work.row, lin)
    add_bodies(model, work.kin, lin)
    add_loads(model, t, work.kin, work.stack, lin)
    if len(model.sense) > 0:
        add_sensed(model, t, work.kin, work.row, work.stack, lin.sensed, (1.0, 1.0), lin.slot, lin.K, lin.D)
    if len(model.state) > 0:
        add_states(model, t, work.kin, work.row, work.stack, lin)
        add_law_states(model, t, z, work, lin)
        add_wall_states(model, t, z, work, lin)
    add_bundles(model, work.kin, work.row, lin)
    add_rubs(model, t, z, work, lin)
