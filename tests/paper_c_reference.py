r"""Reference solutions for the cases of Ambrosio and Pombo (2018), "paper C", sharing no code with the package.

Each mechanism has coordinates q without constraints and speeds u = dq/dt; contacts k with a depth :math:`d_k(q)`:

.. math::
    M(q) \dot u = h(q, u) - \sum_k N_k \, \partial d_k / \partial q, \qquad N_k = N(d_k, \dot d_k, \dot d_k^{(-)}) \ge 0

A contact begins where :math:`d_k` rises through 0, remembers its speed then, :math:`\dot d_k^{(-)}`, and ends where
:math:`d_k` falls below 0. Two laws, with the state of dissipation :math:`\dot W = \sum_k (N_k - N_k^{el}) \dot d_k`:

* ``hysteresis`` (eq. 43): :math:`N = K d^n (1 + a r)`, r = rate / max(onset, floor) held within -1 ... 1, N >= 0;
  :math:`a = 3(1 - e^2)/4` for Lankarani-Nikravesh, :math:`a(1 + e) = \ln((1 + a)/(1 - a e))` for Hunt-Crossley.
* ``kelvin_voigt`` (eq. 54): :math:`N = K d\,(c_e + (1 - c_e)(3 r^2 - 2 r^3))`, r = rate / v_0 held within 0 ... 1.
  What it stores is :math:`c_e K d^2 / 2`; the rest is lost.

Integration: DOP853 with steps that end at every beginning and end of a contact, at every turning point of a depth and
at every kink of a law (r = 1, r = -1, N = 0), each found by repeating the step with other lengths. What is integrated
within a step is smooth but for :math:`d^{3/2}` where a contact begins. The energy balance is an independent check.

The mechanisms:

* ``SliderCrank``: Tables 1 and 2, the spherical joint B with a clearance (also ``ideal_slider_crank``).
* ``TriplePendulum``: Table 3, stops on the translation between bodies 1 and 2 and the rotation between 2 and 3.
* ``CompliantGuide``: the planar slider-crank of Flores, Leine and Glocker (2010) with compliant corners.

Run this file to print all figures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from scipy.integrate import DOP853, solve_ivp
from scipy.optimize import brentq
from slidercrank_reference import TWO_TURNS, Mechanism, _inverse_times, _rows, accurate

SOFT = 5e6  # N/m^1.5, the stiffness of paper C as printed
STIFF = 5e6 * 1000**1.5  # N/m^1.5, the same read as N/mm^1.5

# --- Laws ---------------------------------------------------------------------------------------------------------

HYSTERESIS, KELVIN_VOIGT = 0.0, 1.0


def lankarani_nikravesh(stiffness: float, restitution: float, *, floor: float = 1e-3) -> tuple[float, ...]:
    """Eq. 43 with n = 1.5."""
    return HYSTERESIS, stiffness, 1.5, 0.75 * (1.0 - restitution**2), floor


def hunt_crossley(stiffness: float, restitution: float, *, floor: float = 1e-3) -> tuple[float, ...]:
    """n = 1.5 and the damping that returns exactly ``restitution`` (0 < e < 1) in a free impact."""
    e = restitution
    a = brentq(lambda a: a * (1.0 + e) - np.log((1.0 + a) / (1.0 - a * e)), 0.5 * (1.0 - e * e), (1.0 - 1e-15) / e)
    return HYSTERESIS, stiffness, 1.5, float(a), floor


def kelvin_voigt(stiffness: float, restitution: float, speed: float) -> tuple[float, ...]:
    """Eq. 54 with c_e = ``restitution`` and v_0 = ``speed``."""
    return KELVIN_VOIGT, stiffness, 1.0, restitution, speed


@njit
def _normal(law, d, rate, onset):
    """Force, stored energy and dissipated power of a contact."""
    kind, K, n, a, speed = law[0], law[1], law[2], law[3], law[4]
    if d <= 0.0:
        return 0.0, 0.0, 0.0
    if kind == HYSTERESIS:
        elastic = K * d**n
        factor = max(1.0 + a * min(1.0, max(-1.0, rate / max(onset, speed))), 0.0)
        return elastic * factor, elastic * d / (n + 1.0), elastic * (factor - 1.0) * rate
    r = min(1.0, max(0.0, rate / speed))
    viscous = K * d * (1.0 - a) * (3.0 - 2.0 * r) * r * r
    return a * K * d + viscous, 0.5 * a * K * d * d, viscous * rate


@njit
def _kinks(law, onset):
    """The two rates at which the law is not smooth."""
    speed = law[4]
    if law[0] == HYSTERESIS:
        speed = max(onset, speed)
        return -speed / max(law[3], 1.0), speed
    return 0.0, speed


# --- Integration --------------------------------------------------------------------------------------------------

# Of the tableau of Dormand and Prince, stages 0-11 and the step; errors by E5 and E3 as in scipy.integrate.
_A, _B, _E5, _E3 = (np.ascontiguousarray(x) for x in (DOP853.A[:12, :12], DOP853.B, DOP853.E5[:12], DOP853.E3[:12]))


@njit
def _rates(gaps, dynamics, p, y, touching, onsets, laws, d, speed, force, out):
    """Out = dy/dt for y = (q, u, W), and depths, their rates and the forces of the contacts on the way."""
    n = (len(y) - 1) // 2
    gaps(y, p, d, speed)
    loss = 0.0
    for k in range(len(d)):
        force[k] = 0.0
        if touching[k]:
            force[k], _, power = _normal(laws[k], d[k], speed[k], onsets[k])
            loss += power
    for i in range(n):
        out[i] = y[n + i]
    dynamics(y, p, force, out)
    out[2 * n] = loss


@njit
def _step(gaps, dynamics, p, y, h, touching, onsets, laws, scale, stages, d, speed, force, new):
    """A step of length h from y to ``new``; stages[0] holds the rates at y, stages[12] gets those at ``new``.

    Returns the error in units of ``scale``.
    """
    for s in range(1, 13):
        weights = _A[s] if s < 12 else _B
        for i in range(len(y)):
            total = 0.0
            for j in range(min(s, 12)):
                total += weights[j] * stages[j, i]
            new[i] = y[i] + h * total
        _rates(gaps, dynamics, p, new, touching, onsets, laws, d, speed, force, stages[s])
    sum5, sum3 = 0.0, 0.0
    for i in range(len(y)):
        e5, e3 = 0.0, 0.0
        for j in range(12):
            e5 += _E5[j] * stages[j, i]
            e3 += _E3[j] * stages[j, i]
        sum5 += (e5 / scale[i]) ** 2
        sum3 += (e3 / scale[i]) ** 2
    if sum5 == 0.0:
        return 0.0
    return abs(h) * sum5 / np.sqrt((sum5 + 0.01 * sum3) * len(y))


@njit
def _switch(which, touching, onset, law, d, rate):
    """The function of contact k whose sign tells an event: 0 touch, 1 turning point, 2 and 3 kinks of the law."""
    if which == 0:
        return d
    if which == 1:
        return rate
    if not touching:
        return 1.0
    return rate - _kinks(law, onset)[which - 2]


@njit
def _force_slope(gaps, p, y, f, onsets, laws, d, speed, other, k):
    """dN/dt of contact k: a central difference along the motion, over 2e-9 s."""
    change, eps = 0.0, 1e-9
    for sign in (1.0, -1.0):
        for i in range(len(y)):
            other[i] = y[i] + sign * eps * f[i]
        gaps(other, p, d, speed)
        change += sign * _normal(laws[k], d[k], speed[k], onsets[k])[0]
    return change / (2.0 * eps)


@njit
def _cubic_peak(h, f0, f1, g0, g1):
    """Largest value within a step of the cubic with end values f and slopes g0 > 0 > g1."""
    low, high = 0.0, 1.0
    for _ in range(40):
        x = 0.5 * (low + high)
        slope = 6.0 * x * (1.0 - x) * (f1 - f0) + h * ((1.0 - x) * (1.0 - 3.0 * x) * g0 + x * (3.0 * x - 2.0) * g1)
        if slope > 0.0:
            low = x
        else:
            high = x
    x = low
    return (1 + 2 * x) * (1 - x) ** 2 * f0 + x * x * (3 - 2 * x) * f1 + h * x * (1 - x) * ((1 - x) * g0 - x * g1)


@njit
def _note(log, row, contact, begin, end, onset, peak):
    """Write a row of the log, if there is room, and count it."""
    if row < len(log):
        log[row, 0], log[row, 1], log[row, 2], log[row, 3], log[row, 4] = contact, begin, end, onset, peak
    return row + 1


@njit(nogil=True)
def _integrate(gaps, dynamics, p, laws, y, times, scale, longest, states, forces, depths, stored, log, peaks):
    """Fill a row of states, forces, depths, stored per instant and a row of ``log`` per contact.

    Log: contact, begin, end, onset speed, peak force. Returns how many contacts there were (-1 if the step became too
    short) and how many steps.
    """
    count = len(laws)
    size = len(y)
    stages, new = np.zeros((13, size)), np.zeros(size)
    d0, r0, before = np.zeros(count), np.zeros(count), np.zeros(count)
    d, rate, force = np.zeros(count), np.zeros(count), np.zeros(count)
    other_d, other_rate, other = np.zeros(count), np.zeros(count), np.zeros(size)
    touching, onsets = np.zeros(count, np.bool_), np.zeros(count)
    started, peak = np.zeros(count), np.zeros(count)
    gaps(y, p, d0, r0)
    for k in range(count):
        touching[k] = d0[k] >= 0.0
        onsets[k] = max(r0[k], 0.0)
    t, h, logged, taken = times[0], 1e-6, 0, 0
    row = 0
    _rates(gaps, dynamics, p, y, touching, onsets, laws, d0, r0, before, stages[0])
    while True:
        if t >= times[row]:
            for i in range(size):
                states[row, i] = y[i]
            stored[row] = 0.0
            for k in range(count):
                forces[row, k], depths[row, k] = before[k], d0[k]
                if touching[k]:
                    stored[row] += _normal(laws[k], d0[k], r0[k], onsets[k])[1]
            row += 1
            if row == len(times):
                break
        left = times[row] - t
        last = h >= left
        tried = min(h, left)
        error = _step(gaps, dynamics, p, y, tried, touching, onsets, laws, scale, stages, d, rate, force, new)
        if not error <= 1.0:
            h = tried * (max(0.2, 0.9 * error ** (-1.0 / 8.0)) if error == error else 0.1)
            if h < 1e-16:
                return -1, taken
            continue
        h = min(longest, max(h if last else 0.0, tried * (5.0 if error < 1e-6 else min(5.0, 0.9 * error ** (-0.125)))))
        # Shorten the step until nothing happens before its end.
        length, searching = tried, True
        while searching:
            searching = False
            for k in range(count):
                for which in range(4):
                    g0 = _switch(which, touching[k], onsets[k], laws[k], d0[k], r0[k])
                    g1 = _switch(which, touching[k], onsets[k], laws[k], d[k], rate[k])
                    if (g0 < 0.0) == (g1 < 0.0):
                        continue
                    # Illinois between a (sign of the start) and b (sign of the end); the step ends at b.
                    a, b, ga, gb, side = 0.0, length, g0, g1, 0
                    for _ in range(100):
                        if b - a <= 1e-14 * tried or abs(g1) < 1e-17:
                            break
                        x = (a * gb - b * ga) / (gb - ga)
                        if not a < x < b:
                            x = 0.5 * (a + b)
                        _step(gaps, dynamics, p, y, x, touching, onsets, laws, scale, stages, d, rate, force, new)
                        g = _switch(which, touching[k], onsets[k], laws[k], d[k], rate[k])
                        if (g < 0.0) == (g1 < 0.0):
                            b, gb, g1 = x, g, g
                            ga = 0.5 * ga if side == 1 else ga
                            side = 1
                        else:
                            a, ga = x, g
                            gb = 0.5 * gb if side == -1 else gb
                            side = -1
                    error = _step(gaps, dynamics, p, y, b, touching, onsets, laws, scale, stages, d, rate, force, new)
                    if b < length * (1.0 - 1e-12):  # events at the same instant are found once
                        length, searching, last = b, True, False
        if error > 1.0:  # the longer step passed by chance, across a corner of the force
            h = 0.5 * length
            continue
        taken += 1
        for k in range(count):
            if touching[k]:
                highest = max(before[k], force[k])
                if 1.5 * highest > peak[k]:
                    g0 = _force_slope(gaps, p, y, stages[0], onsets, laws, other_d, other_rate, other, k)
                    g1 = _force_slope(gaps, p, new, stages[12], onsets, laws, other_d, other_rate, other, k)
                    if g0 > 0.0 > g1:
                        highest = max(highest, _cubic_peak(length, before[k], force[k], g0, g1))
                    peak[k] = max(peak[k], highest)
                    peaks[k] = max(peaks[k], peak[k])
        t = times[row] if last else t + length
        for i in range(size):
            y[i], stages[0, i] = new[i], stages[12, i]
        changed = False
        for k in range(count):
            d0[k], r0[k], before[k] = d[k], rate[k], force[k]
            if touching[k] != (d0[k] >= 0.0):
                changed = True
                if touching[k]:
                    logged = _note(log, logged, k, started[k], t, onsets[k], peak[k])
                else:
                    started[k], onsets[k], peak[k] = t, max(r0[k], 0.0), 0.0
                touching[k] = not touching[k]
        if changed:
            _rates(gaps, dynamics, p, y, touching, onsets, laws, d0, r0, before, stages[0])
            h = min(h, 1e-3 * longest)
    for k in range(count):  # contacts that last
        if touching[k]:
            logged = _note(log, logged, k, started[k], np.inf, onsets[k], peak[k])
    return logged, taken


@dataclass(frozen=True)
class History:
    """What happened, at ``time``; rows are instants."""

    time: np.ndarray  # s
    q: np.ndarray  # coordinates, see the mechanism
    u: np.ndarray  # their rates
    force: np.ndarray  # N or N m, one column per contact
    depth: np.ndarray  # m or rad, negative while open
    energy: np.ndarray  # J, kinetic and potential and what contacts store
    loss: np.ndarray  # J, dissipated since the start
    contacts: np.ndarray  # rows: contact, begin (s), end (s; inf if it lasts), onset speed, peak force
    count: int  # contacts there were (``contacts`` keeps the first 100 000)
    peak: np.ndarray  # largest force of each contact, within 1e-4 of itself
    steps: int

    @property
    def balance(self) -> float:
        """Largest error of the energy balance (J)."""
        total = self.energy + self.loss
        return float(np.max(np.abs(total - total[0])))


def integrate(mechanism: Any, times: np.ndarray, *, tol: float = 1e-12) -> History:
    """Run a mechanism of this file through ``times`` (s, ascending); ``tol`` is relative to sizes typical of it."""
    q, u = mechanism.start()
    y = np.array([*q, *u, 0.0])
    laws = np.array(mechanism.laws())
    rows, k = len(times), len(laws)
    states, stored = np.empty((rows, len(y))), np.empty(rows)
    forces, depths = np.empty((rows, k)), np.empty((rows, k))
    log, peaks = np.empty((100_000, 5)), np.zeros(k)
    gaps, dynamics = mechanism.kernels()
    times, scale = np.asarray(times, dtype=float), tol * np.array(mechanism.scales())
    count, steps = _integrate(
        gaps, dynamics, np.array(mechanism.constants()), laws, y, times, scale, mechanism.longest_step,
        states, forces, depths, stored, log, peaks,
    )  # fmt: skip
    if count < 0:
        raise RuntimeError(f"the step became too short after {steps} steps")
    n = len(q)
    q, u = states[:, :n], states[:, n : 2 * n]
    energy = stored + mechanism.energy(q.T, u.T)
    return History(times, q, u, forces, depths, energy, states[:, -1], log[:count].copy(), count, peaks, steps)


# --- Spatial slider-crank -----------------------------------------------------------------------------------------


@njit
def _crank_pin(y, p):
    """B of the rod less B of the crank, its rate, and the columns of its Jacobian for theta, psi, phi (x: (1, 0, 0)).

    B of the crank is at (0, y - r sin theta, z + r cos theta); the rod points from C = (x, 0, 0) to B along
    e = (cos phi cos psi, cos phi sin psi, sin phi): psi turns about the slider's arm z, phi about the rod's arm.
    """
    radius, length, pivot_y, pivot_z = p[0], p[1], p[2], p[3]
    s1, c1 = np.sin(y[0]), np.cos(y[0])
    sp, cp, sf, cf = np.sin(y[2]), np.cos(y[2]), np.sin(y[3]), np.cos(y[3])
    r = (y[1] + length * cf * cp, length * cf * sp - pivot_y + radius * s1, length * sf - pivot_z - radius * c1)
    theta = (0.0, radius * c1, radius * s1)
    psi = (-length * cf * sp, length * cf * cp, 0.0)
    phi = (-length * sf * cp, -length * sf * sp, length * cf)
    v = (
        y[5] + psi[0] * y[6] + phi[0] * y[7],
        theta[1] * y[4] + psi[1] * y[6] + phi[1] * y[7],
        theta[2] * y[4] + phi[2] * y[7],
    )
    return r, v, theta, psi, phi


@njit
def _crank_forces(y, p):
    """Forces h of Lagrange's equations for theta, x, psi, phi, without contact.

    With s = l/2, J = m s^2 + I_t of the rod and its inertia I_a about its own axis,
    2 T = I_1 theta'^2 + (m + m_3) x'^2 + 2 m s x' e_x' + J (phi'^2 + cos^2(phi) psi'^2) + I_a sin^2(phi) psi'^2.
    """
    crank_weight, ms, difference, rod_weight = p[6], p[8], p[9] - p[10], p[11]
    sp, cp, sf, cf = np.sin(y[2]), np.cos(y[2]), np.sin(y[3]), np.cos(y[3])
    psi, phi = y[6], y[7]
    return (
        crank_weight * np.sin(y[0]),
        ms * ((psi * psi + phi * phi) * cf * cp - 2.0 * psi * phi * sf * sp),
        2.0 * difference * sf * cf * psi * phi,
        -difference * sf * cf * psi * psi - rod_weight * cf,
    )


@njit
def _crank_masses(y, p):
    """Mass matrix: its diagonal, then M_x,psi and M_x,phi; all else is zero."""
    total, ms, J, axial = p[7], p[8], p[9], p[10]
    sp, cp, sf, cf = np.sin(y[2]), np.cos(y[2]), np.sin(y[3]), np.cos(y[3])
    return p[5], total, J * cf * cf + axial * sf * sf, J, -ms * cf * sp, -ms * sf * cp


@njit
def _crank_gaps(y, p, d, rate):
    """Depth |r| - c of the ball in its socket."""
    r, v, _, _, _ = _crank_pin(y, p)
    distance = np.sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2)
    d[0] = distance - p[4]
    rate[0] = (r[0] * v[0] + r[1] * v[1] + r[2] * v[2]) / distance if distance > 0.0 else 0.0


@njit
def _crank_dynamics(y, p, force, rates):
    """Accelerations; the contact pulls the two centres together along their line."""
    h1, h2, h3, h4 = _crank_forces(y, p)
    if force[0] > 0.0:
        r, _, theta, psi, phi = _crank_pin(y, p)
        f = -force[0] / np.sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2)
        h1 += f * (r[1] * theta[1] + r[2] * theta[2])
        h2 += f * r[0]
        h3 += f * (r[0] * psi[0] + r[1] * psi[1])
        h4 += f * (r[0] * phi[0] + r[1] * phi[1] + r[2] * phi[2])
    m1, m2, m3, m4, m23, m24 = _crank_masses(y, p)
    x = (h2 - m23 * h3 / m3 - m24 * h4 / m4) / (m2 - m23 * m23 / m3 - m24 * m24 / m4)
    rates[4], rates[5], rates[6], rates[7] = h1 / m1, x, (h3 - m23 * x) / m3, (h4 - m24 * x) / m4


@dataclass(frozen=True)
class SliderCrank:
    """Paper C Tables 1 and 2; q = (crank angle, position of the slider, two angles of the cross), SI.

    ``nudge`` is added to the crank angle at the start, with all of the mechanism moved along. The slider's arm of the
    cross is z and the rod's is horizontal, as the rod's speeds of Table 2 ask for. The ball starts in the middle of
    its socket. With ``clearance`` 0 it is always in contact, and its onset speed is 0.
    """

    clearance: float = 0.0
    stiffness: float = STIFF
    restitution: float = 0.75
    nudge: float = 0.0
    speed: float = 6.0
    longest_step = 2e-3

    def constants(self) -> tuple[float, ...]:
        """Numbers of the kernels: four sizes, clearance, inertias and weights."""
        radius, length, g = 0.08, 0.3, 9.81
        crank, rod, slider = 0.12, 0.5, 2.0
        s = 0.5 * length
        return (
            radius, length, 0.1, 0.12, self.clearance,
            1e-4 + crank * (0.5 * radius) ** 2, crank * g * 0.5 * radius, rod + slider, rod * s,
            rod * s**2 + 4e-3, 4e-4, rod * g * s,
        )  # fmt: skip

    def kernels(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Depths and accelerations."""
        return _crank_gaps, _crank_dynamics

    def laws(self) -> list[tuple[float, ...]]:
        """One contact, in N and m."""
        return [lankarani_nikravesh(self.stiffness, self.restitution)]

    def scales(self) -> list[float]:
        """Typical sizes of q, u and losses."""
        return [1.0, 0.1, 1.0, 1.0, 10.0, 1.0, 10.0, 10.0, 0.1]

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Closed joint: the coordinates follow from the crank angle, the speeds from that of the crank."""
        radius, length, y, z = self.constants()[:4]
        y, z = y - radius * np.sin(self.nudge), z + radius * np.cos(self.nudge)
        x = np.sqrt(length**2 - y**2 - z**2)
        q = np.array([self.nudge, x, np.arctan2(y, -x), np.arcsin(z / length)])
        J = self.pin_jacobian(q)
        u = np.array([self.speed, *np.linalg.solve(J[:, 1:], -J[:, 0] * self.speed)])
        return q, u

    def pin_jacobian(self, q: np.ndarray) -> np.ndarray:
        """Of B of the rod less B of the crank."""
        _, _, theta, psi, phi = _crank_pin(np.concatenate((q, np.zeros(4))), np.array(self.constants()))
        return np.array([theta, (1.0, 0.0, 0.0), psi, phi]).T

    def energy(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Kinetic and potential energy (J)."""
        crank_inertia, crank_weight, total, ms, J, axial, rod_weight = self.constants()[5:]
        along = -np.cos(q[3]) * np.sin(q[2]) * u[2] - np.sin(q[3]) * np.cos(q[2]) * u[3]
        turning = J * (u[3] ** 2 + (np.cos(q[3]) * u[2]) ** 2) + axial * (np.sin(q[3]) * u[2]) ** 2
        kinetic = 0.5 * (crank_inertia * u[0] ** 2 + total * u[1] ** 2 + turning) + ms * u[1] * along
        return np.asarray(kinetic + crank_weight * np.cos(q[0]) + rod_weight * np.sin(q[3]))


def ideal_slider_crank(times: np.ndarray, *, rtol: float = 1e-12) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates q and forces on the rod at B with an ideal spherical joint, one row per instant.

    Accelerations and forces from M u' = h + J^T f and J u' = -J' u; the joint is never corrected, as over 5 s it opens
    by less than 1e-9 m.
    """
    mechanism = SliderCrank()
    p = np.array(mechanism.constants())
    radius, length = p[:2]

    def solve(y: np.ndarray) -> np.ndarray:
        q, u = y[:4], y[4:]
        *diagonal, m23, m24 = _crank_masses(y, p)
        M = np.diag(diagonal)
        M[1, 2:] = M[2:, 1] = m23, m24
        J = mechanism.pin_jacobian(q)
        (s1, sp, sf), (c1, cp, cf) = np.sin(q[[0, 2, 3]]), np.cos(q[[0, 2, 3]])
        square, product = u[2] ** 2 + u[3] ** 2, 2.0 * u[2] * u[3]
        bias = length * np.array(
            [-square * cf * cp + product * sf * sp, -square * cf * sp - product * sf * cp, -(u[3] ** 2) * sf]
        )
        bias += radius * u[0] ** 2 * np.array([0.0, -s1, c1])
        system = np.block([[M, -J.T], [J, np.zeros((3, 3))]])
        return np.linalg.solve(system, np.concatenate((_crank_forces(y, p), -bias)))

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate((y[4:], solve(y)[:4]))

    start = np.concatenate(mechanism.start())
    run = solve_ivp(rates, (times[0], times[-1]), start, method="DOP853", t_eval=times, rtol=rtol, atol=1e-13)
    return run.y[:4].T, np.array([solve(y)[4:] for y in run.y.T])


# --- Triple pendulum ----------------------------------------------------------------------------------------------


@njit
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit
def _sum(f, a, g, b):
    """The vector f a + g b."""
    return f * a[0] + g * b[0], f * a[1] + g * b[1], f * a[2] + g * b[2]


@njit
def _carried(a, alpha, w, r):
    """a + alpha x r + w x (w x r): the acceleration at r from a point of the body that has the acceleration a."""
    return _sum(1.0, a, 1.0, _sum(1.0, _cross(alpha, r), 1.0, _cross(w, _cross(w, r))))


@njit
def _pendulum_bodies(y):
    """Per body: centre, direction of the bar, four columns of J_v and of J_w, accelerations a and alpha at u' = 0.

    Body 1 turns by alpha about y (down is positive), body 2 slides by s and turns by beta about body 1's z, body 3
    turns by gamma about (y_2 + z_2)/sqrt 2. All bars have half a length of 0.3 m.
    """
    half, none, root = 0.3, (0.0, 0.0, 0.0), np.sqrt(0.5)
    x1, y1, z1 = (np.cos(y[0]), 0.0, -np.sin(y[0])), (0.0, 1.0, 0.0), (np.sin(y[0]), 0.0, np.cos(y[0]))
    x2, y2 = _sum(np.cos(y[2]), x1, np.sin(y[2]), y1), _sum(-np.sin(y[2]), x1, np.cos(y[2]), y1)
    hinge, across = _sum(root, y2, root, z1), _sum(root, y2, -root, z1)
    x3 = _sum(np.cos(y[3]), x2, np.sin(y[3]), across)

    joint = _sum(2.0 * half, x1, y[1], z1)  # of the sliding pair, on its axis
    to_2, to_hinge, to_3 = _sum(half, x2, 0.0, x2), _sum(2.0 * half, x2, 0.0, x2), _sum(half, x3, 0.0, x3)
    from_joint = _sum(1.0, to_hinge, 1.0, to_3)
    c1, c2, c3 = _sum(half, x1, 0.0, x1), _sum(1.0, joint, 1.0, to_2), _sum(1.0, joint, 1.0, from_joint)

    w1 = _sum(y[4], y1, 0.0, y1)
    w2 = _sum(1.0, w1, y[6], z1)
    w3 = _sum(1.0, w2, y[7], hinge)
    alpha_2 = _cross(w1, _sum(y[6], z1, 0.0, z1))
    alpha_3 = _sum(1.0, alpha_2, y[7], _cross(w2, hinge))
    a1 = _carried(none, none, w1, c1)
    at_joint = _sum(1.0, _carried(none, none, w1, joint), 2.0 * y[5], _cross(w1, z1))
    a2 = _carried(at_joint, alpha_2, w2, to_2)
    a3 = _carried(_carried(at_joint, alpha_2, w2, to_hinge), alpha_3, w3, to_3)
    return (
        (c1, x1, (_cross(y1, c1), none, none, none), (y1, none, none, none), a1, none),
        (c2, x2, (_cross(y1, c2), z1, _cross(z1, to_2), none), (y1, none, z1, none), a2, alpha_2),
        (c3, x3, (_cross(y1, c3), z1, _cross(z1, from_joint), _cross(hinge, to_3)), (y1, none, z1, hinge), a3, alpha_3),
    )


@njit
def _pendulum_gaps(y, p, d, rate):
    """Depths |s| - limit and |gamma| - limit."""
    d[0], d[1] = abs(y[1]) - p[0], abs(y[3]) - p[1]
    rate[0], rate[1] = np.sign(y[1]) * y[5], np.sign(y[3]) * y[7]


@njit
def _pendulum_dynamics(y, p, force, rates):
    """Kane's equations, M = sum m J_v^T J_v + J_w^T I J_w, with the stops as generalized forces of s and gamma.

    The inertia of a bar along the unit vector e is I = I_t + (I_a - I_t) e e^T.
    """
    M, h = np.zeros((4, 4)), np.zeros(4)
    h[1], h[3] = -np.sign(y[1]) * force[0], -np.sign(y[3]) * force[1]
    bodies = _pendulum_bodies(y)
    for body in range(3):
        _, bar, Jv, Jw, a, alpha = bodies[body]
        mass, axial, transverse = p[3 + 3 * body], p[4 + 3 * body], p[5 + 3 * body]
        more = axial - transverse
        w = _sum(1.0, _sum(y[4], Jw[0], y[6], Jw[2]), y[7], Jw[3])
        pull = _sum(-mass, a, -mass * p[2], (0.0, 0.0, 1.0))
        gyroscopic = _sum(-transverse, alpha, -more * _dot(bar, alpha), bar)
        couple = _sum(1.0, gyroscopic, -more * _dot(bar, w), _cross(w, bar))
        for i in range(4):
            h[i] += _dot(Jv[i], pull) + _dot(Jw[i], couple)
            for j in range(4):
                M[i, j] += mass * _dot(Jv[i], Jv[j])
                M[i, j] += transverse * _dot(Jw[i], Jw[j]) + more * _dot(Jw[i], bar) * _dot(Jw[j], bar)
    # M is symmetric and positive: elimination without pivots
    for k in range(4):
        for i in range(k + 1, 4):
            factor = M[i, k] / M[k, k]
            for j in range(k + 1, 4):
                M[i, j] -= factor * M[k, j]
            h[i] -= factor * h[k]
    for k in range(3, -1, -1):
        for j in range(k + 1, 4):
            h[k] -= M[k, j] * h[j]
        h[k] /= M[k, k]
        rates[4 + k] = h[k]


@dataclass(frozen=True)
class TriplePendulum:
    """Paper C Table 3; q = (angle of body 1, translation s and rotation of the cylindrical joint, hinge angle), SI.

    Body 1 hangs on a hinge along y at the origin, body 2 on a vertical cylindrical joint at x = 0.6 m, body 3 on a
    hinge along (0, 1, 1) at x = 1.2 m. All start in line, along x, at rest. The angles are right-handed about y (bars
    fall towards positive), body 1's z and the hinge's axis; s is that of body 2, along body 1's z. Contacts: stop of s
    (N), stop of the hinge (N m). ``nudge`` is added to the angle of body 1 at the start.
    """

    law: str = "lankarani_nikravesh"  # or "kelvin_voigt"
    travel: float = 0.25
    angle: float = np.pi / 4
    nudge: float = 0.0
    longest_step = 1e-2

    def constants(self) -> tuple[float, ...]:
        """Limits, gravity, and per body mass, inertia about the bar and across it."""
        bodies = ((0.1, 3e-3, 3e-2), (0.04, 1.2e-3, 1.2e-2), (0.02, 0.6e-3, 0.6e-2))
        return (self.travel, self.angle, 9.81, *(x for body in bodies for x in body))

    def kernels(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Depths and accelerations."""
        return _pendulum_gaps, _pendulum_dynamics

    def laws(self) -> list[tuple[float, ...]]:
        """Stop of the translation, stop of the rotation."""
        if self.law == "lankarani_nikravesh":
            return [lankarani_nikravesh(1e5, 0.75), lankarani_nikravesh(1e3, 0.75)]
        return [kelvin_voigt(1e5, 0.01, 0.1), kelvin_voigt(1e3, 0.01, 0.1)]

    def scales(self) -> list[float]:
        """Typical sizes of q, u and losses."""
        return [1.0, 0.1, 1.0, 1.0, 10.0, 1.0, 10.0, 10.0, 0.1]

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """In line and at rest."""
        return np.array([self.nudge, 0.0, 0.0, 0.0]), np.zeros(4)

    def energy(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Kinetic and potential energy (J); one column per instant."""
        p = self.constants()
        out = np.zeros(q.shape[1:])
        for index in np.ndindex(out.shape):
            now = u[(slice(None), *index)]
            bodies = _pendulum_bodies(np.concatenate((q[(slice(None), *index)], now)))
            for body, (centre, bar, Jv, Jw, _, _) in enumerate(bodies):
                mass, axial, transverse = p[3 + 3 * body : 6 + 3 * body]
                v, w = now @ np.array(Jv), now @ np.array(Jw)
                spin = np.array(bar) @ w
                out[index] += 0.5 * (mass * v @ v + transverse * w @ w + (axial - transverse) * spin**2)
                out[index] += mass * p[2] * centre[2]
        return out


# --- Planar slider-crank with a compliant guide -------------------------------------------------------------------


@njit
def _guide_gaps(y, p, d, rate):
    """Depths of the four corners in the guide."""
    s1, c1, s2, c2, s3, c3 = np.sin(y[0]), np.cos(y[0]), np.sin(y[1]), np.cos(y[1]), np.sin(y[2]), np.cos(y[2])
    for i in range(4):
        gap, normal, _ = _rows(i, p[6], p[7], p[8], p[9], s1, c1, s2, c2, s3, c3)
        d[i] = -(p[9] + p[10] + gap)
        rate[i] = -(normal[0] * y[3] + normal[1] * y[4] + normal[2] * y[5])


@njit
def _guide_dynamics(y, p, force, rates):
    """Accelerations, eq. 90-97 of paper B, with the corner forces along the normals."""
    s1, c1, s2, c2, s3, c3 = np.sin(y[0]), np.cos(y[0]), np.sin(y[1]), np.cos(y[1]), np.sin(y[2]), np.cos(y[2])
    sine, cosine = s2 * c1 - c2 * s1, c2 * c1 + s2 * s1
    h1 = p[3] * sine * y[4] * y[4] - p[4] * c1
    h2 = -p[3] * sine * y[3] * y[3] - p[5] * c2
    h3 = 0.0
    for i in range(4):
        if force[i] > 0.0:
            _, normal, _ = _rows(i, p[6], p[7], p[8], p[9], s1, c1, s2, c2, s3, c3)
            h1, h2, h3 = h1 + force[i] * normal[0], h2 + force[i] * normal[1], h3 + force[i] * normal[2]
    rates[3], rates[4], rates[5] = _inverse_times(p[0], p[3] * cosine, p[1], p[2], (h1, h2, h3))


@dataclass(frozen=True)
class CompliantGuide:
    """Planar slider-crank, its guide of compliant corners without friction; q = angles of crank, rod and slider.

    Hunt-Crossley contact whose free impacts return the restitution of ``mechanism``.
    """

    stiffness: float = 1e8
    mechanism: Mechanism = Mechanism()
    longest_step = 1e-3

    def constants(self) -> tuple[float, ...]:
        """Those of the mechanism."""
        return self.mechanism.constants()

    def kernels(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Depths and accelerations."""
        return _guide_gaps, _guide_dynamics

    def laws(self) -> list[tuple[float, ...]]:
        """Of the four corners."""
        return [hunt_crossley(self.stiffness, self.mechanism.restitution)] * 4

    def scales(self) -> list[float]:
        """Typical sizes of q, u and losses."""
        return [1.0, 1.0, 1.0, 100.0, 100.0, 100.0, 1.0]

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """As the paper has it."""
        return np.array(self.mechanism.angles), np.array(self.mechanism.speeds)

    def energy(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Kinetic and potential energy (J)."""
        return self.mechanism.energy(q, u)


# --- All figures --------------------------------------------------------------------------------------------------


def agree_until(first: History, second: History, *, column: int = 0, limit: float = 1e-4) -> float:
    """The time (s) up to which a coordinate of two runs differs by no more than ``limit``."""
    apart = np.abs(first.q[:, column] - second.q[:, column]) > limit
    return float(first.time[np.argmax(apart)] if apart.any() else first.time[-1])


def _report(mechanism: Any, end: float, instants: list[float], *, contacts: int) -> None:
    """Print a case, how well it is determined and its first contacts."""
    times = np.linspace(0.0, end, round(1000 * end) + 1)
    run, coarse = integrate(mechanism, times), integrate(mechanism, times, tol=1e-10)
    nudged = integrate(replace(mechanism, nudge=1e-10), times)
    print(f"contacts {run.count}; peaks {run.peak}; lost {run.loss[-1]:.9g} J; energy balance {run.balance:.1e} J")
    print(f"deepest {np.max(run.depth, axis=0)} (at multiples of 1 ms); steps {run.steps}")
    for column in range(run.q.shape[1]):
        tolerance, start = (agree_until(run, other, column=column) for other in (coarse, nudged))
        print(f"  q[{column}] stays within 1e-4 until {tolerance:.3f} s (tol 1e-10) and {start:.3f} s (nudge 1e-10)")
    for t in instants:
        i = int(np.argmin(np.abs(times - t)))
        numbers = " ".join(f"{x:.9f}" for x in run.q[i])
        apart = np.max(np.abs([run.q[i] - coarse.q[i], run.q[i] - nudged.q[i]]), axis=1)
        print(f"  t {t:.3f}  q {numbers}  lost {run.loss[i]:.9f}  changes: tol {apart[0]:.1e}, nudge {apart[1]:.1e}")
        print(f"           force {run.force[i]}  depth {run.depth[i]}")
    for k, begin, finish, onset, peak in run.contacts[:contacts]:
        print(f"  contact {int(k)} from {begin:.9f} to {finish:.9f} s, onset {onset:.9f}, peak {peak:.6g}")


def main() -> None:
    """Print everything."""
    np.set_printoptions(linewidth=160, precision=9)
    instants = [0.5, 1.0, 2.0, 3.0, 4.0, 5.0]
    q, forces = ideal_slider_crank(np.array([0.0, *instants]))
    print("== slider-crank, ideal joints: crank angle, slider, angles of the cross; force on the rod at B")
    for t, line, force in zip([0.0, *instants], q, forces, strict=True):
        print(f"  t {t:.3f}  q {line}  force {force}")
    for stiffness in (SOFT, STIFF):
        for clearance in (0.0, 1e-6, 1e-4, 1e-3):
            print(f"== slider-crank, K = {stiffness:.9g} N/m^1.5, clearance {clearance:g} m")
            _report(SliderCrank(clearance, stiffness), 5.0, instants, contacts=6)
    for law in ("lankarani_nikravesh", "kelvin_voigt"):
        print(f"== triple pendulum, {law}")
        _report(TriplePendulum(law), 4.0, [0.5 * i for i in range(1, 9)], contacts=20)
    print("== planar slider-crank, guide of Hunt-Crossley corners without friction, and rigid")
    times = np.array([0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.11, TWO_TURNS])
    rigid = accurate(Mechanism(mu=0.0), times)
    print(f"  t {times}")
    print(f"  rigid        crank {rigid.q[:, 0]}\n               speed {rigid.u[:, 0]}")
    for stiffness in 10.0 ** np.arange(6, 13):
        run = integrate(CompliantGuide(stiffness), times)
        print(f"  K = {stiffness:.0e}  crank {run.q[:, 0]}\n               speed {run.u[:, 0]}")
        worst = np.max(np.abs(run.q[:, 0] - rigid.q[:, 0])), np.max(np.abs(run.u[:, 0] - rigid.u[:, 0]))
        print(f"    apart {worst[0]:.2e} rad, {worst[1]:.2e} rad/s; contacts {run.count}, balance {run.balance:.1e} J")
        print(f"    peaks {run.peak}; lost {run.loss[-1]:.6f} J; rigid {rigid.energy_start - rigid.energy_end:.6f} J")


if __name__ == "__main__":
    main()
