r"""Reference solutions for the cases of Verulkar et al. (2022), "paper E", sharing no code with the package.

Only NumPy and SciPy, one coordinate per mechanism, no multipliers: joint forces follow from Newton and Euler.

**Rabinowicz's block** (Table 1). Mass m on a table at rest, a spring k whose end moves at v; all states zero at t = 0:

.. math:: m \ddot x = k (v t - x) + F, \qquad F_n = m g

F is the friction force on the block, opposed to its velocity u. Laws, here with N for the normal force:

* ``brown_mcphee`` (eq. 4): :math:`F = -N S(u)`.
* ``gonthier`` (eq. 5-7) with :math:`s = e^{-(|u|/v_s)^2}`, :math:`\tau_{br} = \sigma_1/\sigma_0` and, below
  :math:`v_\varepsilon`, :math:`dir_\varepsilon = (u/|u|)(\tfrac32 y - \tfrac12 y^3)`, :math:`y = |u|/v_\varepsilon`.
  Bristle force and limit are affine in N: :math:`f_{br} = s (\sigma_0 z + \sigma_1 u) + (1-s) \mu_d N dir_\varepsilon`.
* ``coulomb``: set-valued, :math:`\mu_s` at rest, :math:`\mu_d` in motion; sticks and slips in closed form.

**Spatial slider-crank** (Fig. 5, Table 2), friction at the slider. Crank angle :math:`\theta` is the only coordinate:

.. math::
    B = (0,\ y_0 - a_c \sin\theta,\ z_0 + a_c \cos\theta), \quad C = (x, 0, 0), \quad x = \sqrt{l^2 - B_y^2 - B_z^2}

The universal joint at C has its arm z on the slider; the other arm n, on the rod and normal to it, is then horizontal.
So the rod's axes are an azimuth :math:`\psi` about z and an elevation :math:`\varphi`:

.. math::
    u = (C - B)/l = (\cos\varphi \cos\psi, \cos\varphi \sin\psi, \sin\varphi), \quad n = (-\sin\psi, \cos\psi, 0),
    \quad w = u \times n, \quad \omega = \dot\psi z - \dot\varphi n

Virtual work gives the motion, with :math:`M \dot\theta^2 / 2` the kinetic energy and a dash for d/d :math:`\theta`,

.. math:: M \ddot\theta + \tfrac12 M' \dot\theta^2 + V' = x' F

Euler's equations of the rod in (u, n, w) give the torque :math:`\tau` of the cross (along the horizontal part of u) and
the force of the rod on the slider but for its part along u, which Newton's law of the slider gives. Guide force and
torque on the slider at P = C are affine in F; eq. 2 with x'' = Y, y'' = Z, z'' = X and

.. math:: F_n(F) = \sum_i w_i \sqrt{(\alpha_i + \beta_i F)^2 + \epsilon^2}

leave one scalar equation, :math:`F + A + B F_n(F) = 0`, monotone while :math:`|B| \sum_i w_i |\beta_i| < 1`.
:math:`\epsilon` is the smoothing of cabs (1.5e-3 N), a parameter of its own and not :math:`v_t`.

Readings of Table 2 (g m2): along its long axis the crank has 0.01644 and across it 0.1644 (of which only that about x
matters), about its centre half-way from the pivot as printed; the rod 0.9988 along and 9.988 across. The slider does
not turn. Lengths change neither mass nor inertia; centres stay half-way; pivot, guide and start angle stay.

Starts: A, 90 degrees at rest; B, 0 degrees with 6 rad/s; inner states of the laws zero. Integration: DOP853 (Radau for
Brown-McPhee's block, where creep is stiff). Run this file to print all figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize_scalar

LAWS = ("brown_mcphee", "gonthier", "frictionless")

# --- Laws ---------------------------------------------------------------------------------------------------------


def _functions(value: Any) -> Any:
    """``math`` for numbers, which is faster, and ``numpy`` for arrays of runs."""
    return np if isinstance(value, np.ndarray) else math


def brown_mcphee(v: Any, mu_d: Any, mu_s: Any, v_t: Any) -> Any:
    """S of eq. 4, with the sign of v."""
    r = v / v_t
    return mu_d * _functions(v).tanh(4.0 * r) + (mu_s - mu_d) * r / (0.25 * r * r + 0.75) ** 2


@dataclass(frozen=True)
class Bristles:
    """Numbers of the law of Gonthier et al. (Table 1); sigma_2 = 0."""

    sigma_0: float = 1e5  # N/m
    sigma_1: float = math.sqrt(1e5)  # N s/m
    tau_dw: float = 2.0  # s
    v_s: float = 1.5e-3  # m/s
    v_e: float = 1.5e-7  # m/s

    def parts(self, u: float, z: float, s_dw: float, mu_d: float, mu_s: float) -> tuple[float, float, float]:
        """A, B and c of f_br = A + B N, held within -c N ... c N."""
        s = math.exp(-((u / self.v_s) ** 2))
        y = min(abs(u) / self.v_e, 1.0)
        direction = math.copysign(1.5 * y - 0.5 * y**3, u)
        return (
            s * (self.sigma_0 * z + self.sigma_1 * u),
            (1.0 - s) * mu_d * direction,
            mu_d + (mu_s - mu_d) * s_dw,
        )

    def rates(self, u: float, z: float, s_dw: float, mu_d: float, normal: float) -> tuple[float, float]:
        """Rates of z and s_dw, eq. 5c and 6."""
        a, b, _ = self.parts(u, z, s_dw, mu_d, mu_d)
        s = math.exp(-((u / self.v_s) ** 2))
        tau = self.tau_dw if s >= s_dw else self.sigma_1 / self.sigma_0
        return (a + b * normal - self.sigma_0 * z) / self.sigma_1, (s - s_dw) / tau


# --- Rabinowicz's block -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """Table 1."""

    m: float = 1.0
    k: float = 2.0
    g: float = 10.0
    v: float = 0.15
    mu_s: float = 0.4
    mu_d: float = 0.3
    v_t: float = 1.5e-3
    bristles: Bristles = Bristles()


SLIPPING = 0.05  # m/s, well above all tremor of a block that sticks


def rabinowicz(
    law: str = "brown_mcphee",
    *,
    until: float = 40.0,
    times: np.ndarray | None = None,
    data: Block | None = None,
    method: str | None = None,
    rtol: float = 1e-10,
) -> SimpleNamespace:
    """Time, x, velocity, friction (its resistance, positive against +x) and spring force on a grid; and of each cycle:

    ``slips``: the speed rises through v_t for the last time before it reaches 0.05 m/s (Coulomb: stick ends);
    ``sticks``: the speed falls through 0.05 m/s (Coulomb: to 0);
    ``spring_peaks`` and ``friction_peaks``: the largest forces (N) between one stick and the next.
    """
    data = data or Block()
    grid = np.linspace(0.0, until, round(100 * until) + 1) if times is None else np.asarray(times, dtype=float)
    if law == "coulomb":
        return _block_coulomb(data, grid)
    mu, weight, br = (data.mu_d, data.mu_s), data.m * data.g, data.bristles

    def friction(y: np.ndarray) -> float:
        if law == "brown_mcphee":
            return -weight * brown_mcphee(float(y[1]), *mu, data.v_t)
        a, b, c = br.parts(float(y[1]), float(y[2]), float(y[3]), *mu)
        return -max(-c * weight, min(c * weight, a + b * weight))

    def rates(t: float, y: np.ndarray) -> tuple[float, ...]:
        moving = float(y[1]), (data.k * (data.v * t - float(y[0])) + friction(y)) / data.m
        if law == "brown_mcphee":
            return moving
        return moving + br.rates(float(y[1]), float(y[2]), float(y[3]), mu[0], weight)

    def jacobian(_: float, y: np.ndarray) -> np.ndarray:
        h = 1e-5 * data.v_t  # of the law only: Radau's Newton needs no more than a good slope
        slope = (friction(y + [0.0, h]) - friction(y - [0.0, h])) / (2.0 * h)
        return np.array([[0.0, 1.0], [-data.k / data.m, slope / data.m]])

    levels = [data.v_t, SLIPPING, -SLIPPING, data.v]  # -SLIPPING: falling through SLIPPING
    events = [lambda _t, y, c=c: y[1] - abs(c) for c in levels]
    for event, c in zip(events, levels, strict=True):
        event.direction = math.copysign(1.0, c)
    smooth = law == "brown_mcphee"
    y0, atol = ([0.0, 0.0], [1e-12, 1e-13]) if smooth else ([0.0] * 4, [1e-12, 1e-13, 1e-16, 1e-12])
    chosen = method or ("Radau" if smooth else "DOP853")
    options: dict[str, Any] = {"jac": jacobian} if smooth and chosen == "Radau" else {}
    span = (0.0, float(grid[-1]))
    run = solve_ivp(
        rates, span, y0, method=chosen, t_eval=grid, events=events, dense_output=True, rtol=rtol,
        atol=np.array(atol) * (rtol / 1e-10), max_step=0.05, **options,
    )  # fmt: skip
    if not run.success:
        raise RuntimeError(run.message)
    through, fast, sticks, level = run.t_events
    slips = np.array([through[through < t][-1] for t in fast])
    out = SimpleNamespace(
        law=law, time=grid, x=run.y[0], velocity=run.y[1], friction=-np.array([friction(y) for y in run.y.T]),
        spring=data.k * (data.v * grid - run.y[0]), slips=slips, sticks=sticks, steps=len(run.sol.ts) - 1,
        spring_peaks=np.array([data.k * (data.v * t - run.sol(t)[0]) for t in (level[level > s][0] for s in slips)]),
    )  # fmt: skip
    # The force of a law peaks within some ms of the slip, on either side.
    near = np.concatenate((-np.geomspace(0.03, 1e-7, 300), np.geomspace(1e-7, 0.03, 300)))
    out.friction_peaks = np.empty(len(slips))
    for k, slip in enumerate(slips):
        top = int(np.argmin([friction(y) for y in run.sol(slip + near).T]))
        ends = near[[max(top - 1, 0), min(top + 1, len(near) - 1)]]
        best = minimize_scalar(lambda dt, t=slip: friction(run.sol(t + dt)), bounds=ends, options={"xatol": 1e-9})
        out.friction_peaks[k] = -best.fun
    return out


def _block_coulomb(data: Block, grid: np.ndarray) -> SimpleNamespace:
    r"""Sticks and slips in turn.

    Slip: :math:`y = v t - x - \mu_d m g / k` swings freely with :math:`\Omega^2 = k/m` from y = r, y' = v until y' = v
    again, at y = -r; :math:`r = (\mu_s - \mu_d) m g / k`.
    """
    rate, r = math.sqrt(data.k / data.m), (data.mu_s - data.mu_d) * data.m * data.g / data.k
    kinetic, phase = data.mu_d * data.m * data.g, math.atan2(data.v / rate, r)
    amplitude, lasting = math.hypot(r, data.v / rate), (math.pi + 2.0 * phase) / rate
    x, velocity, friction = (np.zeros_like(grid) for _ in range(3))
    slips, sticks, start, rest = [], [], 0.0, 0.0
    while start <= grid[-1]:
        slip = (rest + data.mu_s * data.m * data.g / data.k) / data.v
        still, moving = (grid >= start) & (grid <= slip), (grid > slip) & (grid < slip + lasting)
        x[still], friction[still] = rest, data.k * (data.v * grid[still] - rest)
        angle = rate * (grid[moving] - slip) - phase
        x[moving] = data.v * grid[moving] - kinetic / data.k - amplitude * np.cos(angle)
        velocity[moving], friction[moving] = data.v + amplitude * rate * np.sin(angle), kinetic
        start, rest = slip + lasting, rest + data.v * lasting + 2.0 * r
        slips.append(slip)
        sticks.append(start)
    slips, sticks = ([t for t in ends if t <= grid[-1]] for ends in (slips, sticks))
    top = np.full(len(slips), data.mu_s * data.m * data.g)
    return SimpleNamespace(
        law="coulomb", time=grid, x=x, velocity=velocity, friction=friction, spring=data.k * (data.v * grid - x),
        slips=np.array(slips), sticks=np.array(sticks), friction_peaks=top,
        spring_peaks=np.full(len(slips), kinetic + data.k * amplitude),
    )  # fmt: skip


# --- Slider-crank -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SliderCrank:
    """Tables 1 and 2 and the geometry; a field may be an array, then all runs are made at once (Brown-McPhee only)."""

    crank: Any = 0.08  # m
    rod: Any = 0.3
    length: Any = 0.05  # a, of the slider
    width: Any = 0.025  # b
    mu_d: Any = 0.4
    mu_s: Any = 0.5
    v_t: Any = 1.5e-3  # m/s
    smoothing: Any = 1.5e-3  # N
    pivot: tuple[float, float] = (0.1, 0.12)  # y and z, m
    m_crank: float = 0.0771  # kg
    m_rod: float = 1.3317
    m_slider: float = 0.2
    i_crank: float = 0.1644e-3  # kg m2, about x
    i_along: float = 0.9988e-3  # of the rod
    i_across: float = 9.988e-3
    gravity: float = 9.81
    bristles: Bristles = Bristles()


STARTS = {"A": (0.5 * math.pi, 0.0), "B": (0.0, 6.0)}  # crank angle (rad) and speed (rad/s)
PARAMETERS = ("crank", "rod", "length", "width", "mu_d", "mu_s", "v_t")


def pose(theta: Any, p: SliderCrank) -> SimpleNamespace:
    """Everything the crank angle fixes; names end in 1 or 2 for first and second derivatives by it."""
    f = _functions(theta)
    s, c = f.sin(theta), f.cos(theta)
    y, y1, y2 = p.pivot[0] - p.crank * s, -p.crank * c, p.crank * s  # pin B
    z, z1, z2 = p.pivot[1] + p.crank * c, -p.crank * s, -p.crank * c
    x = f.sqrt(p.rod**2 - y * y - z * z)
    x1 = -(y * y1 + z * z1) / x
    x2 = -(x1 * x1 + y1 * y1 + z1 * z1 + y * y2 + z * z2) / x
    h = f.sqrt(p.rod**2 - z * z)  # horizontal length of the rod
    h1 = -z * z1 / h
    sp, cp = -z / p.rod, h / p.rod  # sine and cosine of the elevation
    sa, ca = -y / h, x / h  # ... and of the azimuth
    phi1, phi2 = -z1 / h, -z2 / h + z1 * h1 / (h * h)
    psi1 = (y * x1 - y1 * x) / (h * h)
    psi2 = (y * x2 - y2 * x) / (h * h) - 2.0 * psi1 * h1 / h
    slide, centre = p.m_slider * x1, 0.25 * p.m_rod
    mass = p.i_crank + 0.25 * p.m_crank * p.crank**2 + centre * (x1 * x1 + p.crank**2) + slide * x1
    mass = mass + p.i_across * (phi1 * phi1 + (psi1 * cp) ** 2) + p.i_along * (psi1 * sp) ** 2
    mass1 = 2.0 * (centre * x1 * x2 + slide * x2 + p.i_across * (phi1 * phi2 + psi1 * psi2 * cp * cp))
    mass1 = mass1 + 2.0 * p.i_along * psi1 * psi2 * sp * sp
    mass1 = mass1 + 2.0 * (p.i_along - p.i_across) * psi1 * psi1 * sp * cp * phi1
    pull = 0.5 * p.gravity * (p.m_crank + p.m_rod)
    return SimpleNamespace(
        y=y, z=z, x=x, x1=x1, x2=x2, y1=y1, y2=y2, z1=z1, z2=z2, sp=sp, cp=cp, sa=sa, ca=ca, phi1=phi1, phi2=phi2,
        psi1=psi1, psi2=psi2, mass=mass, mass1=mass1, torque=-pull * z1,
        potential=pull * p.crank * c + p.gravity * (p.m_crank + 0.5 * p.m_rod) * p.pivot[1],
    )  # fmt: skip


def rod_forces(at: SimpleNamespace, speed: Any, turn: Any, force: Any, p: SliderCrank) -> tuple[Any, Any, Any, Any]:
    """Force of the rod on the slider (3, global) and torque tau of the cross on the slider.

    ``turn`` is the crank's acceleration; ``force`` the friction force on the slider.
    """
    w2 = speed * speed
    phi, phi_ = at.phi1 * speed, at.phi2 * w2 + at.phi1 * turn  # rates of the elevation, first and second
    psi, psi_ = at.psi1 * speed, at.psi2 * w2 + at.psi1 * turn
    x_, y_, z_ = (s * w2 + f * turn for s, f in ((at.x2, at.x1), (at.y2, at.y1), (at.z2, at.z1)))
    # Euler in (u, n, w): spins psi sin(phi), -phi, psi cos(phi); their rates end in _.
    spin, tilt, swing = psi * at.sp, -phi, psi * at.cp
    spin_, tilt_, swing_ = psi_ * at.sp + psi * phi * at.cp, -phi_, psi_ * at.cp - psi * phi * at.sp
    tau = -p.i_along * spin_ / at.cp
    moment_n = p.i_across * tilt_ + (p.i_along - p.i_across) * swing * spin
    moment_w = p.i_across * swing_ + (p.i_across - p.i_along) * spin * tilt
    # Half the rod's acceleration less gravity, times its mass, in n and w: each end carries half of it.
    ax, ay, az = 0.25 * p.m_rod * x_, 0.25 * p.m_rod * y_, 0.25 * p.m_rod * (z_ + 2.0 * p.gravity)
    across_n = (tau * at.sp - moment_w) / p.rod - (-at.sa * ax + at.ca * ay)
    across_w = moment_n / p.rod - (-at.sp * (at.ca * ax + at.sa * ay) + at.cp * az)
    # Newton of the slider along x.
    along = (p.m_slider * x_ - force + across_n * at.sa + across_w * at.sp * at.ca) / (at.cp * at.ca)
    level = along * at.cp - across_w * at.sp
    px, py, pz = level * at.ca - across_n * at.sa, level * at.sa + across_n * at.ca, along * at.sp + across_w * at.cp
    return px, py, pz, tau


def contact_forces(at: SimpleNamespace, speed: Any, turn: Any, force: Any, p: SliderCrank) -> tuple[Any, ...]:
    """f_x1, f_y1, f_x2, f_y2, f_x3 of eq. 2 from the guide's force and torque on the slider."""
    _, py, pz, tau = rod_forces(at, speed, turn, force, p)
    fy, fz = -py, p.m_slider * p.gravity - pz
    tx, ty, tz = -tau * at.ca, -tau * at.sa, 0.0
    return -fy + tz / p.length, -fz - ty / p.length, -tz / p.length, ty / p.length, tx / (2.0 * p.width)


WEIGHTS = (1.0, 1.0, 1.0, 1.0, 2.0)


@dataclass(frozen=True)
class Reply:
    """Contact forces alpha + beta F, as functions of the friction force F; all else is given."""

    alpha: tuple[Any, ...]
    beta: tuple[Any, ...]
    smoothing: Any

    def normal(self, force: Any) -> tuple[Any, Any]:
        """F_n and its derivative."""
        f = _functions(force)
        total, slope = 0.0, 0.0
        for w, a, b in zip(WEIGHTS, self.alpha, self.beta, strict=True):
            g = a + b * force
            size = f.sqrt(g * g + self.smoothing**2)
            total, slope = total + w * size, slope + w * b * g / size
        return total, slope

    def solve(self, a: Any, b: Any) -> Any:
        """F of F + a + b F_n(F) = 0, by Newton: what is sought is the root of a convex or concave function."""
        force = -(a + b * self.normal(0.0 * b)[0])
        for _ in range(50):
            normal, slope = self.normal(force)
            change = (force + a + b * normal) / (1.0 + b * slope)
            force = force - change
            if np.max(np.abs(change) - 1e-13 * np.abs(force)) <= 1e-15:
                return force
        raise RuntimeError("the friction force does not settle")

    def coupling(self, b: Any) -> Any:
        """Below 1 the equation of ``solve`` has one root."""
        return abs(b) * sum(w * abs(beta) for w, beta in zip(WEIGHTS, self.beta, strict=True))


def dynamics(theta: Any, speed: Any, inner: tuple[Any, ...], law: str, p: SliderCrank) -> SimpleNamespace:
    """Crank acceleration ``turn``, slider velocity, friction force on the slider, F_n, rates of the inner states."""
    at = pose(theta, p)
    free = (at.torque - 0.5 * at.mass1 * speed * speed) / at.mass  # without friction
    per = at.x1 / at.mass  # and what a unit of friction adds
    u = at.x1 * speed
    alpha = contact_forces(at, speed, free, 0.0, p)
    unit = contact_forces(at, speed, free + per, 1.0, p)
    reply = Reply(alpha, tuple(b - a for a, b in zip(alpha, unit, strict=True)), p.smoothing)
    rates: tuple[Any, ...] = ()
    if law == "frictionless":
        b = force = 0.0 * theta
    elif law == "brown_mcphee":
        b = brown_mcphee(u, p.mu_d, p.mu_s, p.v_t)
        force = reply.solve(0.0 * b, b)
    else:
        a, b, limit = p.bristles.parts(u, *inner, p.mu_d, p.mu_s)
        force = reply.solve(a, b)
        if abs(force) > limit * reply.normal(force)[0]:  # saturated, on the same side
            b = -math.copysign(limit, force)
            force = reply.solve(0.0, b)
        rates = p.bristles.rates(u, *inner, p.mu_d, reply.normal(force)[0])
    turn = free + per * force
    return SimpleNamespace(
        at=at, turn=turn, velocity=u, force=force, normal=reply.normal(force)[0], rates=rates,
        coupling=reply.coupling(b), torque=2.0 * p.width * (reply.alpha[4] + reply.beta[4] * force),
    )  # fmt: skip


def slider_crank(
    case: str = "A",
    *,
    mu: tuple[float, float] = (0.4, 0.5),
    law: str = "brown_mcphee",
    until: float = 1.5,
    times: np.ndarray | None = None,
    rtol: float = 1e-11,
    method: str = "DOP853",
    data: SliderCrank | None = None,
) -> SimpleNamespace:
    """A run of case "A" or "B" with (mu_d, mu_s) = ``mu``; ``data`` (its mu included) in place of the tables.

    Arrays over ``time``: angle, speed (crank), x, velocity, acceleration (slider), normal, friction (force on the
    slider), torque (of the guide about x), work (lost to friction), energy (kinetic and potential), z, s_dw, coupling
    (see ``Reply.coupling``). ``reversals``: instants at which the slider's velocity changes sign; ``turns``: the
    crank's. Bristles tremble after a stop, so that Gonthier's runs have many more of both. With arrays in ``data`` all
    have one column a run, and no such instants.
    """
    if law not in LAWS:
        raise ValueError(f"law {law!r} is none of {LAWS}")
    p = replace(SliderCrank(), mu_d=mu[0], mu_s=mu[1]) if data is None else data
    runs = max(np.size(getattr(p, name)) for name in (*PARAMETERS, "smoothing"))
    grid = np.linspace(0.0, until, round(1000 * until) + 1) if times is None else np.asarray(times, dtype=float)
    inner = 2 if law == "gonthier" else 0

    def split(y: np.ndarray) -> list[Any]:
        return [float(v) for v in y] if runs == 1 else list(y.reshape(3, runs))

    def rates(_: float, y: np.ndarray) -> Any:
        theta, speed, _work, *states = split(y)
        now = dynamics(theta, speed, tuple(states), law, p)
        out = (speed, now.turn, -now.force * now.velocity, *now.rates)
        return out if runs == 1 else np.concatenate(out)

    def reversal(_: float, y: np.ndarray) -> float:
        return pose(float(y[0]), p).x1 * float(y[1])

    def turned(_: float, y: np.ndarray) -> float:
        return float(y[1])

    start = np.repeat(np.array([*STARTS[case], 0.0] + [0.0] * inner), runs)
    atol = np.repeat(rtol * np.array([0.1, 1.0, 0.1] + [1e-5, 0.1][:inner]), runs)
    events = [reversal, turned] if runs == 1 else None
    run = solve_ivp(
        rates, (0.0, float(grid[-1])), start, method=method, t_eval=grid, events=events, rtol=rtol, atol=atol,
        max_step=0.01,
    )  # fmt: skip
    if not run.success:
        raise RuntimeError(run.message)
    rows = [dynamics(y[0], y[1], tuple(y[3:]), law, p) for y in map(split, run.y.T)]
    angle, speed, work, *states = run.y if runs == 1 else run.y.reshape(3, runs, -1).transpose(0, 2, 1)
    mass, x, x1, x2, potential, velocity, turn, normal, force, coupling, torque = (
        np.array(column)
        for column in zip(
            *((r.at.mass, r.at.x, r.at.x1, r.at.x2, r.at.potential, r.velocity, r.turn, r.normal, r.force, r.coupling,
               r.torque) for r in rows),
            strict=True,
        )
    )  # fmt: skip
    out = SimpleNamespace(
        case=case, law=law, time=grid, angle=angle, speed=speed, x=x, velocity=velocity,
        acceleration=x2 * speed**2 + x1 * turn, normal=normal, friction=force, work=work,
        energy=0.5 * mass * speed**2 + potential, coupling=coupling, torque=torque, evaluations=run.nfev,
    )  # fmt: skip
    if inner:
        out.z, out.s_dw = states
    if events:
        out.reversals, out.turns = (t[t > 0.0] for t in run.t_events)
    return out


def sensitivities(
    times: np.ndarray,
    case: str = "A",
    *,
    mu: tuple[float, float] = (0.4, 0.5),
    law: str = "brown_mcphee",
    parameters: tuple[str, ...] = PARAMETERS,
    step: float = 1e-4,
    rtol: float = 1e-12,
) -> SimpleNamespace:
    """Derivatives by Richardson's central differences, relative steps ``step`` and half of it, all runs in one batch.

    ``values[quantity]`` are arrays over time, ``derivative[quantity][parameter]`` too, and ``error`` alike is what the
    extrapolation changed the finer difference by (so an upper bound). Quantities: x, velocity, angle, normal, work.
    ``parameters`` may name "smoothing" as well.
    """
    base = replace(SliderCrank(), mu_d=mu[0], mu_s=mu[1])
    factors = np.ones((1 + 4 * len(parameters), len(parameters)))
    for k in range(len(parameters)):
        factors[1 + 4 * k : 5 + 4 * k, k] += np.array([1.0, -1.0, 0.5, -0.5]) * step
    varied = {name: getattr(base, name) * factors[:, k] for k, name in enumerate(parameters)}
    run = slider_crank(case, law=law, times=times, rtol=rtol, data=replace(base, **varied))
    out = SimpleNamespace(time=run.time, values={}, derivative={}, error={}, parameters=parameters)
    out.at = {name: getattr(base, name) for name in parameters}
    for quantity in ("x", "velocity", "angle", "normal", "work"):
        q = getattr(run, quantity)
        out.values[quantity], out.derivative[quantity], out.error[quantity] = q[:, 0], {}, {}
        for k, name in enumerate(parameters):
            h = step * out.at[name]
            wide, fine = (q[:, 1 + 4 * k] - q[:, 2 + 4 * k]) / (2 * h), (q[:, 3 + 4 * k] - q[:, 4 + 4 * k]) / h
            out.derivative[quantity][name] = (4.0 * fine - wide) / 3.0
            out.error[quantity][name] = np.abs(fine - wide) / 3.0
    return out


# --- All figures --------------------------------------------------------------------------------------------------

RABINOWICZ_INSTANTS = (5.0, 13.0, 14.0, 15.0, 18.0, 22.0, 24.0, 30.0, 33.0, 40.0)
INSTANTS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.25, 1.5)
LATER = (2.0, 3.0, 4.0, 5.0)


def _print_rabinowicz(law: str) -> None:
    grid = np.array([0.0, *RABINOWICZ_INSTANTS])
    run = rabinowicz(law, times=grid)
    print(f"== Rabinowicz, {law}: slips {run.slips}, sticks {run.sticks} s")
    print(f"   peaks of spring {run.spring_peaks}, of friction {run.friction_peaks} N")
    if law != "coulomb":
        other = rabinowicz(law, times=grid, rtol=1e-8)
        apart = {n: np.max(np.abs(getattr(run, n) - getattr(other, n))) for n in ("slips", "x", "friction")}
        print("   rtol 1e-10 vs 1e-8: " + ", ".join(f"{n} {d:.1e}" for n, d in apart.items()))
    for row in zip(grid, run.x, run.velocity, run.friction, run.spring, strict=True):
        print("   t {:6.2f}  x {:.9f}  v {:.9f}  friction {:.9f}  spring {:.9f}".format(*row))


def _print_slider_crank(case: str, mu: tuple[float, float], law: str) -> None:
    grid = np.array([0.0, *INSTANTS, *LATER])
    run, coarse = (slider_crank(case, mu=mu, law=law, times=grid, rtol=r) for r in (1e-12, 1e-9))
    balance = np.ptp(run.energy + run.work)
    print(f"== slider-crank {case}, {law}, mu_d, mu_s = {mu}: energy balance {balance:.1e} J, {run.evaluations} calls")
    apart = {n: np.max(np.abs(getattr(run, n) - getattr(coarse, n))) for n in ("x", "velocity", "normal", "work")}
    print("   rtol 1e-12 vs 1e-9: " + ", ".join(f"{n} {d:.1e}" for n, d in apart.items()))
    print(f"   slider reverses {len(run.reversals)} times, first at {run.reversals[:12]}; crank at {run.turns[:6]}")
    fine = slider_crank(case, mu=mu, law=law, times=np.linspace(0.0, 1.5, 15001))
    print(
        f"   to 1.5 s: largest F_n {fine.normal.max():.6f} N, coupling up to {fine.coupling.max():.4f}, "
        f"torque of the guide about x {np.abs(fine.torque).max():.3e} N m"
    )
    names = ("angle", "x", "velocity", "normal", "friction", "work")
    for i, t in enumerate(grid):
        print(f"   t {t:5.2f}  " + "  ".join(f"{n} {getattr(run, n)[i]:.9f}" for n in names))


def _print_sensitivities() -> None:
    grid = np.linspace(0.0, 1.5, 1501)
    for law, names in (("brown_mcphee", (*PARAMETERS, "smoothing")), ("frictionless", ("crank", "rod"))):
        fine, wide = (sensitivities(grid, law=law, parameters=names, step=h) for h in (1e-4, 2e-4))
        print(f"== d(slider velocity)/dp times p (m/s), case A, {law}, (0.4, 0.5); steps 1e-4 vs 2e-4 in brackets")
        for name in names:
            d, other = (s.derivative["velocity"][name] * s.at[name] for s in (fine, wide))
            top = int(np.argmax(np.abs(d)))
            print(f"   {name:9s} largest {d[top]:.6e} at {grid[top]:.3f} s ({np.max(np.abs(d - other)):.0e})")
            print("             " + " ".join(f"{t:g}:{d[round(1000 * t)]:.7e}" for t in INSTANTS))


def main() -> None:
    """Print everything."""
    np.set_printoptions(linewidth=160, precision=9)
    for law in ("coulomb", "brown_mcphee", "gonthier"):
        _print_rabinowicz(law)
    for case in STARTS:
        _print_slider_crank(case, (0.4, 0.5), "frictionless")
        for mu in ((0.3, 0.4), (0.4, 0.5)):
            for law in ("brown_mcphee", "gonthier"):
                _print_slider_crank(case, mu, law)
    _print_sensitivities()


if __name__ == "__main__":
    main()
