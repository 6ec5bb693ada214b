r"""References that share no code with any engine: minimal coordinates, written out by hand, integrated by SciPy.

**Slider-crank (P1).** One degree of freedom and no loss, so that energy alone fixes the motion. With the crank angle
:math:`\theta` (zero at the start, positive about x), crank :math:`a`, rod :math:`l`, pivot :math:`(0, y_0, z_0)`,

.. math::
    B &= (0,\ y_0 - a \sin\theta,\ z_0 + a \cos\theta), \qquad x = \sqrt{l^2 - B_y^2 - B_z^2}, \qquad u = (C - B) / l,\\
    n &= z \times u / |z \times u|, \qquad
    \omega_{\theta} = u \times u_{\theta} + (n_{\theta} \cdot (u \times n))\, u,\\
    \dot\theta &= \sqrt{2 (E - V(\theta)) / \mu(\theta)}, \qquad
    \mu = J_A + m_2 |s_{\theta}|^2 + J_2\text{-norm of } \omega_{\theta}{}^2 + m_3 x_{\theta}^2 .

The cross of the universal joint turns about z on the slider; its other arm, fixed on the rod and normal to it, can
therefore only be along :math:`n`. A subscript :math:`\theta` is a derivative.

**Chain (P4).** A chain of equal bars that is released in a vertical plane stays in it, whatever the joints. With the
angle :math:`\varphi_k` of bar k below the horizontal, :math:`d_k = (\cos\varphi_k, -\sin\varphi_k)`, :math:`n_k = d_k'`
and the force :math:`F_k` at its near end,

.. math::
    m a_k = F_k - F_{k+1} + m g, \qquad J \ddot\varphi_k = -\tfrac{l}{2} n_k \cdot (F_k + F_{k+1}), \qquad
    a_k \mp \tfrac{l}{2} (n_k \ddot\varphi_k - d_k \dot\varphi_k^2) \text{ at its two ends.}

Equal accelerations at every joint are a block-tridiagonal system for the forces, solved in time linear in the number
of bars.

**Slider-crank with clearance (P2, P5).** Every impact located: ``tests/slidercrank_reference.py``.

**Pendulum on a pin with clearance (P3).** Centre of mass (x, y), angle :math:`\varphi`, hole at
:math:`e = (x, y) - l (\cos\varphi, \sin\varphi)`, gap :math:`c - |e|`. The hole touches the pin at :math:`-R n`,
:math:`n = e / |e|`, seen from the centre of the hole at :math:`-(R + c) n`:

.. math::
    \dot g = -n \cdot \dot e, \qquad \dot s = t \cdot \dot e - (R + c) \dot\varphi, \qquad t = z \times n .

With the pin on the body and the hole in the ground the lever has the other sign. Moreau's midpoint rule with a step so
small (1e-7 s) that its error does not show beside anything at 1e-4 s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.integrate import solve_ivp
from scipy.linalg import solve_banded

from tests.slidercrank_reference import Mechanism, Reference, accurate

from .problems import CHAIN, GUIDE_CRANK, JOURNAL, SLIDER_CRANK, Chain, GuideCrank, JournalPendulum, SliderCrank

Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class CrankPose:
    """Everything about the slider-crank that its crank angle fixes; rates are per unit of crank speed."""

    slider: float  # m
    slider_rate: float  # m/rad
    rod_axis: np.ndarray  # (3,) from B to C
    rod_spin: np.ndarray  # (3,) 1, angular velocity of the rod, global axes
    rod_velocity: np.ndarray  # (3,) m/rad, of its centre of mass
    inertia: float  # kg m2, twice the kinetic energy at unit crank speed
    potential: float  # J


def crank_pose(theta: float, data: SliderCrank = SLIDER_CRANK) -> CrankPose:
    """Close the loop of the slider-crank at crank angle ``theta`` (rad)."""
    _, y, z = data.pivot
    sine, cosine = np.sin(theta), np.cos(theta)
    pin = np.array([0.0, y - data.crank * sine, z + data.crank * cosine])
    pin_rate = np.array([0.0, -data.crank * cosine, -data.crank * sine])

    slider = float(np.sqrt(data.rod**2 - pin @ pin))
    slider_rate = float(-(pin @ pin_rate) / slider)
    axis = (np.array([slider, 0.0, 0.0]) - pin) / data.rod
    axis_rate = (np.array([slider_rate, 0.0, 0.0]) - pin_rate) / data.rod

    # The arm of the cross on the rod is horizontal and normal to the rod: it fixes the spin about the rod's own axis.
    normal = np.cross(Z, axis)
    length = np.linalg.norm(normal)
    normal = normal / length
    normal_rate = np.cross(Z, axis_rate) / length
    normal_rate = normal_rate - normal * (normal @ normal_rate)
    spin = np.cross(axis, axis_rate) + (normal_rate @ np.cross(axis, normal)) * axis

    centre_rate = pin_rate + 0.5 * data.rod * axis_rate
    along, across = data.rod_inertia[0], data.rod_inertia[1]  # the rod is symmetric about its axis
    turning = across * (spin @ spin) + (along - across) * (spin @ axis) ** 2
    crank = data.crank_inertia[0] + data.masses[0] * data.crank**2 / 4
    inertia = crank + data.masses[1] * (centre_rate @ centre_rate) + turning + data.masses[2] * slider_rate**2
    height = data.masses[0] * (z + 0.5 * data.crank * cosine) + data.masses[1] * 0.5 * pin[2]
    return CrankPose(slider, slider_rate, axis, spin, centre_rate, float(inertia), float(data.gravity * height))


def slider_crank(times: np.ndarray, data: SliderCrank = SLIDER_CRANK) -> tuple[np.ndarray, np.ndarray]:
    """Crank angle (rad) and slider position (m) at ``times`` (s, ascending from 0), good to about 1e-12."""
    start = crank_pose(0.0, data)
    energy = 0.5 * start.inertia * data.crank_speed**2 + start.potential

    def speed(_: float, theta: np.ndarray) -> list[float]:
        pose = crank_pose(float(theta[0]), data)
        return [float(np.sqrt(2.0 * (energy - pose.potential) / pose.inertia))]

    span = (0.0, float(times[-1]))
    solution = solve_ivp(speed, span, [0.0], method="DOP853", t_eval=times, rtol=1e-13, atol=1e-13)
    theta = solution.y[0]
    return theta, np.array([crank_pose(angle, data).slider for angle in theta])


def chain_accelerations(angle: np.ndarray, speed: np.ndarray, data: Chain = CHAIN) -> np.ndarray:
    """Angular accelerations (rad/s2) of the bars of a hanging chain."""
    links = len(angle)
    half = data.length / 2
    along = np.column_stack((np.cos(angle), -np.sin(angle)))
    normal = np.column_stack((-np.sin(angle), -np.cos(angle)))
    # Acceleration of an end by a unit force at an end: through the turning of the bar, and with its translation.
    turn = half**2 / data.inertia[1] * normal[:, :, None] * normal[:, None, :]
    own = np.eye(2) / data.mass + turn  # acceleration of an end by a force at that end
    across = np.eye(2) / data.mass - turn  # and by a force at the other end
    pull = half * along * speed[:, None] ** 2  # an end accelerates towards the centre

    # Joint k: acceleration of the near end of bar k = that of the far end of bar k - 1 (of the ground for k = 0).
    diagonal = own.copy()
    diagonal[1:] += own[:-1]
    known = -pull
    known[0, 1] += data.gravity  # gravity drops out wherever both bars fall
    known[1:] -= pull[:-1]
    banded = np.zeros((7, 2 * links))
    for row in range(2):
        for column in range(2):
            place = 3 + row - column
            banded[place, column::2] = diagonal[:, row, column]
            banded[place - 2, 2 + column :: 2] = -across[:-1, row, column]
            banded[place + 2, column : 2 * links - 2 : 2] = -across[:-1, row, column]
    force = solve_banded((3, 3), banded, known.ravel()).reshape(links, 2)
    both = force.copy()
    both[:-1] += force[1:]
    return -half / data.inertia[1] * np.einsum("kc,kc->k", normal, both)


def chain_ends(links: int, time: float, data: Chain = CHAIN) -> np.ndarray:
    """Far ends (links, 2) in m, x and z, of a chain at ``time`` (s) after its release from the horizontal."""

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate((y[links:], chain_accelerations(y[:links], y[links:], data)))

    solution = solve_ivp(rates, (0.0, time), np.zeros(2 * links), method="DOP853", rtol=1e-10, atol=1e-10)
    angle = solution.y[:links, -1]
    return data.length * np.column_stack((np.cumsum(np.cos(angle)), -np.cumsum(np.sin(angle))))


def guide_mechanism(gap: float, data: GuideCrank = GUIDE_CRANK) -> Mechanism:
    """The slider-crank of P2 for its reference."""
    return Mechanism(
        l1=data.crank, l2=data.rod, a=data.length / 2, b=data.width / 2, gap=gap,
        m1=data.masses[0], m2=data.masses[1], m3=data.masses[2],
        J1=data.inertias[0], J2=data.inertias[1], J3=data.inertias[2],
        gravity=data.gravity, restitution=data.restitution, mu=data.friction, speeds=data.speeds,
    )  # fmt: skip


def guide_crank(times: np.ndarray, gap: float) -> tuple[Reference, np.ndarray]:
    """The accurate run of P2, and the height of the slider (m) at ``times``."""
    reference = accurate(guide_mechanism(gap), times)
    height = GUIDE_CRANK.crank * np.sin(reference.q[:, 0]) + GUIDE_CRANK.rod * np.sin(reference.q[:, 1])
    return reference, height


@njit(nogil=True)
def journal_kernel(mass, inertia, arm, lever, gap, e, mu, gravity, h, every, out):
    """Fill ``out`` (n, 2) with angle and eccentricity of the pendulum of P3 every ``every`` steps; returns energy lost.

    ``lever`` is the distance of the contact from the centre of the hole, negative for a pin that moves in a fixed hole.
    """
    x, y, phi = arm, 0.0, 0.0
    vx, vy, spin = 0.0, 0.0, 0.0
    out[0] = (0.0, 0.0)
    for row in range(1, len(out)):
        for _ in range(every):
            x, y, phi = x + 0.5 * h * vx, y + 0.5 * h * vy, phi + 0.5 * h * spin
            dx, dy = arm * np.cos(phi), arm * np.sin(phi)
            ex, ey = x - dx, y - dy
            vy_free = vy - h * gravity
            distance = np.sqrt(ex * ex + ey * ey)
            if distance >= gap:
                nx, ny = ex / distance, ey / distance
                tx, ty = -ny, nx
                # Speeds of the centre of the hole are v + spin (dy, -dx); rows w = (along x, along y, about z).
                n3 = -(nx * dy - ny * dx)
                t3 = tx * dy - ty * dx - lever
                nn = 1.0 / mass + n3 * n3 / inertia
                tt = 1.0 / mass + t3 * t3 / inertia
                nt = n3 * t3 / inertia
                before = -nx * vx - ny * vy + n3 * spin
                cn = -nx * vx - ny * vy_free + n3 * spin + e * before
                ct = tx * vx + ty * vy_free + t3 * spin
                pn = pt = 0.0
                if cn < 0.0:
                    # Stick if the cone allows it, else the slip that it leaves.
                    det = nn * tt - nt * nt
                    pn, pt = (nt * ct - tt * cn) / det, (nt * cn - nn * ct) / det
                    if abs(pt) > mu * pn:
                        way = 1.0 if pt > 0.0 else -1.0
                        pn = -cn / (nn + way * mu * nt)
                        pt = way * mu * pn
                vx += (-nx * pn + tx * pt) / mass
                vy_free += (-ny * pn + ty * pt) / mass
                spin += (n3 * pn + t3 * pt) / inertia
            vy = vy_free
            x, y, phi = x + 0.5 * h * vx, y + 0.5 * h * vy, phi + 0.5 * h * spin
        out[row] = (phi, np.hypot(x - arm * np.cos(phi), y - arm * np.sin(phi)))
    return -(mass * gravity * y + 0.5 * mass * (vx * vx + vy * vy) + 0.5 * inertia * spin * spin)


def journal_pendulum(
    refine: int, *, pin_on_body: bool = False, data: JournalPendulum = JOURNAL
) -> tuple[np.ndarray, np.ndarray, float]:
    """Angle (rad) and eccentricity (m) of P3 at its samples, and energy lost (J), with steps of ``step / refine``."""
    out = np.empty((data.steps // data.sampling + 1, 2))
    lever = (data.radius + data.gap) * (-1.0 if pin_on_body else 1.0)
    lost = journal_kernel(
        data.mass, data.inertia, data.arm, lever, data.gap, data.restitution, data.friction, data.gravity,
        data.step / refine, data.sampling * refine, out,
    )  # fmt: skip
    return out[:, 0], out[:, 1], float(lost)
