r"""The slider-crank of Flores, Leine and Glocker (2010) in minimal coordinates, sharing no code with the package.

Crank, rod and slider have the angles :math:`q = (\theta_1, \theta_2, \theta_3)` from x; the slider has 2a x 2b, the
guide a distance d = 2 (b + c), gravity is along -y and nothing drives. With the paper's eq. 90-97,

.. math::
    M(q) \dot u = h(q, u) + W_N \lambda_N + W_T \lambda_T, \qquad u = \dot q,

and the gaps :math:`g_N`, slips :math:`g_T` of the four corners from eq. 98-113: corners 0, 1 (left, right) of the upper
face, 2, 3 of the lower. Two ways to solve it:

**Moreau's midpoint rule** (``moreau``) as printed: :math:`q_M = q_A + \tfrac h2 u_A`, corners with
:math:`g_N(q_M) \le 0` are active, eq. 60-68 for them at :math:`q_M`, :math:`q_E = q_M + \tfrac h2 u_E`. First order.

**Located events** (``accurate``). With :math:`\theta_3 = \dot\theta_3 = 0` at the start both corners of a face always
touch together and the slider never turns (a friction force at the face is balanced by unequal corner forces, both
positive while :math:`\mu b < a`). Two coordinates and one contact remain: free flight until a gap closes; Newton's
impact law with Coulomb's friction; and, once rebounds are shorter than ``shortest`` seconds, a closed face with

.. math::
    \sin\theta_2 = (\pm c - l_1 \sin\theta_1) / l_2, \qquad \lambda_T = -\mu \lambda_N \operatorname{sgn} \dot x,

until its force vanishes. Every phase is integrated by DOP853; phases end at roots of their event functions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit
from scipy.integrate import solve_ivp

TWO_TURNS = 0.1375545  # s, time of two crank turns
FACES = {1: "upper", -1: "lower"}


@dataclass(frozen=True)
class Mechanism:
    """Table 1 of the paper, SI; ``gap`` is the clearance c on each side."""

    l1: float = 0.153
    l2: float = 0.306
    a: float = 0.05
    b: float = 0.025
    gap: float = 1e-3
    m1: float = 0.038
    m2: float = 0.038
    m3: float = 0.076
    J1: float = 7.4e-5
    J2: float = 5.9e-4
    J3: float = 2.7e-6
    gravity: float = 9.81
    restitution: float = 0.4
    mu: float = 0.01
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0)
    speeds: tuple[float, float, float] = (150.0, -75.0, 0.0)

    def constants(self) -> tuple[float, ...]:
        """What the equations need: M11, M22, J3, coupling, two weights, l1, l2, a, b, gap, restitution, mu."""
        coupling = (0.5 * self.m2 + self.m3) * self.l1 * self.l2
        return (
            self.J1 + (0.25 * self.m1 + self.m2 + self.m3) * self.l1**2,
            self.J2 + (0.25 * self.m2 + self.m3) * self.l2**2,
            self.J3,
            coupling,
            (0.5 * self.m1 + self.m2 + self.m3) * self.gravity * self.l1,
            (0.5 * self.m2 + self.m3) * self.gravity * self.l2,
            self.l1,
            self.l2,
            self.a,
            self.b,
            self.gap,
            self.restitution,
            self.mu,
        )

    def energy(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Kinetic and potential energy (J) together; q and u have angles in their first axis."""
        m11, m22, j3, k, w1, w2 = self.constants()[:6]
        kinetic = 0.5 * (m11 * u[0] ** 2 + m22 * u[1] ** 2 + j3 * u[2] ** 2) + k * np.cos(q[1] - q[0]) * u[0] * u[1]
        return np.asarray(kinetic + w1 * np.sin(q[0]) + w2 * np.sin(q[1]))


# --- Moreau's midpoint rule ---------------------------------------------------------------------------------------


@njit
def _solve_dense(A, x, n):
    """Gaussian elimination in place with row pivoting; False if singular."""
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if abs(A[best, k]) < 1e-9:  # 1/kg and 1/(kg m2) m2: entries are 10 to 1000
            return False
        if best != k:
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
            x[k], x[best] = x[best], x[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            for j in range(k, n):
                A[i, j] -= factor * A[k, j]
            x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= A[k, j] * x[j]
        x[k] /= A[k, k]
    return True


OPEN, STICK, FORTH, BACK = 0, 1, 2, 3  # FORTH slips towards +x, BACK towards -x


@njit
def _try_states(G, c, mu, states, count, P, A, x, rows):
    """Solve eq. 60-66 with the state of each contact given; True if eq. 67 and 68 hold for the result P."""
    n = 0
    for i in range(count):
        if states[i] != OPEN:
            rows[n] = 2 * i
            n += 1
        if states[i] == STICK:
            rows[n] = 2 * i + 1
            n += 1
    for r in range(n):
        x[r] = -c[rows[r]]
        for s in range(n):
            j = rows[s] // 2
            A[r, s] = G[rows[r], rows[s]]
            if states[j] == FORTH:  # the tangential impulse is -mu P_N
                A[r, s] -= mu * G[rows[r], 2 * j + 1]
            elif states[j] == BACK:
                A[r, s] += mu * G[rows[r], 2 * j + 1]
    if not _solve_dense(A, x, n):
        return False
    P[:] = 0.0
    for r in range(n):
        P[rows[r]] = x[r]
    for i in range(count):
        if states[i] == FORTH:
            P[2 * i + 1] = -mu * P[2 * i]
        elif states[i] == BACK:
            P[2 * i + 1] = mu * P[2 * i]
    for i in range(count):
        xi_n, xi_t = c[2 * i], c[2 * i + 1]
        for j in range(2 * count):
            xi_n += G[2 * i, j] * P[j]
            xi_t += G[2 * i + 1, j] * P[j]
        if P[2 * i] < -1e-14 or xi_n < -1e-12:
            return False
        if states[i] == STICK and abs(P[2 * i + 1]) > mu * P[2 * i] + 1e-14:
            return False
        if (states[i] == FORTH and xi_t < -1e-12) or (states[i] == BACK and xi_t > 1e-12):
            return False
    return True


@njit
def contact_work():
    """Scratch for ``solve_contacts``: matrix, right-hand side, rows and states."""
    return np.zeros((8, 8)), np.zeros(8), np.zeros(8, np.int64), np.zeros(4, np.int64)


@njit
def solve_contacts(G, c, mu, count, P, work):
    """Impulses P (normal, tangential, normal, ...) of ``count`` contacts with 0 <= xi_N _|_ P_N >= 0 and Coulomb's law.

    xi = c + G P. All 4^count combinations of open, stick, forth and back are tried, slip as without contact first.
    Returns False if none fits.
    """
    A, x, rows, states = work
    for i in range(count):
        states[i] = FORTH if c[2 * i + 1] >= 0.0 else BACK
    if _try_states(G, c, mu, states, count, P, A, x, rows):
        return True
    for code in range(4**count):
        rest = code
        for i in range(count):
            states[i] = rest % 4
            rest //= 4
        if _try_states(G, c, mu, states, count, P, A, x, rows):
            return True
    return False


@njit
def _rows(i, l1, l2, a, b, s1, c1, s2, c2, s3, c3):
    """Gap without d/2, and the rows w_N, w_T of corner i (eq. 98-113)."""
    up = 1.0 if i < 2 else -1.0  # face
    right = 1.0 if i % 2 else -1.0
    gap = -up * (l1 * s1 + l2 * s2 + right * a * s3) - b * c3
    normal = (-up * l1 * c1, -up * l2 * c2, -up * right * a * c3 + b * s3)
    slip = (-l1 * s1, -l2 * s2, -right * a * s3 - up * b * c3)
    return gap, normal, slip


@njit
def _inverse_times(m11, m12, m22, j3, w):
    det = m11 * m22 - m12 * m12
    return (m22 * w[0] - m12 * w[1]) / det, (m11 * w[1] - m12 * w[0]) / det, w[2] / j3


@njit
def _dot(x, y):
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@njit(nogil=True)
def moreau_kernel(constants, q, u, h, every, states, impulses):
    """Fill ``states`` (n, 6) with q, u after every ``every`` steps from row 1 on, ``impulses`` (n, 4) with sums of P_N.

    Returns the number of rows filled: fewer than n if a contact problem had no solution.
    """
    m11, m22, j3, k, weight1, weight2, l1, l2, a, b, clearance, e, mu = constants
    half = b + clearance
    q1, q2, q3 = q
    u1, u2, u3 = u
    states[0] = (q1, q2, q3, u1, u2, u3)
    impulses[0] = 0.0
    active = np.zeros(4, np.int64)
    G, c, P = np.zeros((8, 8)), np.zeros(8), np.zeros(8)
    W, V = np.zeros((8, 3)), np.zeros((8, 3))
    work = contact_work()
    for row in range(1, len(states)):
        impulses[row] = 0.0
        for _ in range(every):
            q1, q2, q3 = q1 + 0.5 * h * u1, q2 + 0.5 * h * u2, q3 + 0.5 * h * u3  # the midpoint
            s1, c1, s2, c2 = np.sin(q1), np.cos(q1), np.sin(q2), np.cos(q2)
            s3, c3 = np.sin(q3), np.cos(q3)
            sine, m12 = s2 * c1 - c2 * s1, k * (c2 * c1 + s2 * s1)
            force = (k * sine * u2 * u2 - weight1 * c1, -k * sine * u1 * u1 - weight2 * c2, 0.0)
            du = _inverse_times(m11, m12, m22, j3, force)
            f1, f2, f3 = u1 + h * du[0], u2 + h * du[1], u3  # speeds without contact
            count = 0
            height = l1 * s1 + l2 * s2
            if abs(height) + a * abs(s3) + b * c3 >= half:  # some corner touches
                for i in range(4):
                    gap, normal, slip = _rows(i, l1, l2, a, b, s1, c1, s2, c2, s3, c3)
                    if half + gap <= 0.0:
                        active[count] = i
                        for line, w in ((2 * count, normal), (2 * count + 1, slip)):
                            v = _inverse_times(m11, m12, m22, j3, w)
                            W[line, 0], W[line, 1], W[line, 2] = w
                            V[line, 0], V[line, 1], V[line, 2] = v
                            c[line] = w[0] * f1 + w[1] * f2 + w[2] * f3
                        c[2 * count] += e * (normal[0] * u1 + normal[1] * u2 + normal[2] * u3)
                        count += 1
            u1, u2, u3 = f1, f2, f3
            if count:
                for i in range(2 * count):
                    for j in range(2 * count):
                        G[i, j] = _dot(W[i], V[j])
                if not solve_contacts(G, c, mu, count, P, work):
                    return row
                for i in range(2 * count):
                    u1, u2, u3 = u1 + V[i, 0] * P[i], u2 + V[i, 1] * P[i], u3 + V[i, 2] * P[i]
                for i in range(count):
                    impulses[row, active[i]] += P[2 * i]
            q1, q2, q3 = q1 + 0.5 * h * u1, q2 + 0.5 * h * u2, q3 + 0.5 * h * u3
        states[row] = (q1, q2, q3, u1, u2, u3)
    return len(states)


@dataclass(frozen=True)
class Motion:
    """What Moreau's rule gave, at ``time``; rows are instants."""

    time: np.ndarray  # s
    q: np.ndarray  # (n, 3) rad: crank, rod, slider
    u: np.ndarray  # (n, 3) rad/s
    impulses: np.ndarray  # (n, 4) N s, normal impulses of the corners since the row before


def moreau(mechanism: Mechanism, *, step: float, steps: int, every: int = 1) -> Motion:
    """Take ``steps`` steps (a multiple of ``every``) and keep each ``every``-th."""
    if steps % every:
        raise ValueError(f"{steps} steps are not a multiple of {every}")
    rows = steps // every + 1
    states, impulses = np.empty((rows, 6)), np.empty((rows, 4))
    filled = moreau_kernel(mechanism.constants(), mechanism.angles, mechanism.speeds, step, every, states, impulses)
    if filled < rows:
        raise RuntimeError(f"no solution of the contact problem at {filled * every * step:.6f} s")
    return Motion(step * every * np.arange(rows), states[:, :3], states[:, 3:], impulses)


# --- Located events -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Impact:
    """A collision of a whole face with the guide."""

    time: float  # s
    face: str  # "upper" or "lower"
    before: float  # m/s, gap rate before (negative) ...
    after: float  # ... and after
    impulse: float  # N s, normal, both corners
    loss: float  # J


@dataclass
class Reference:
    """An accurate run: states at the times asked for, and what happened."""

    time: np.ndarray
    q: np.ndarray  # (n, 2) rad: crank, rod
    u: np.ndarray  # (n, 2) rad/s
    impacts: list[Impact] = field(default_factory=list)
    closed: list[tuple[str, float, float]] = field(default_factory=list)  # face, from, to (s): phases of sliding
    friction_work: float = 0.0  # J lost to friction while a face slides closed
    impact_loss: float = 0.0  # J lost in impacts, their friction included
    energy_start: float = 0.0
    energy_end: float = 0.0

    def first_touches(self) -> list[tuple[str, float]]:
        """Face and time of the first impact of every run of impacts on one face."""
        touches: list[tuple[str, float]] = []
        for impact in self.impacts:
            if not touches or touches[-1][0] != impact.face:
                touches.append((impact.face, impact.time))
        return touches


class _FaceModel:
    """Two coordinates; ``side`` is +1 for the upper face, -1 for the lower; the gap is c - side * y."""

    def __init__(self, mechanism: Mechanism) -> None:
        (self.m11, self.m22, _, self.k, self.w1, self.w2, self.l1, self.l2, _, _, self.gap, self.e, self.mu) = (
            mechanism.constants()
        )

    def mass(self, q: np.ndarray) -> np.ndarray:
        m12 = self.k * np.cos(q[1] - q[0])
        return np.array([[self.m11, m12], [m12, self.m22]])

    def load(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        sine = self.k * np.sin(q[1] - q[0])
        return np.array([sine * u[1] ** 2 - self.w1 * np.cos(q[0]), -sine * u[0] ** 2 - self.w2 * np.cos(q[1])])

    def height_row(self, q: np.ndarray) -> np.ndarray:
        return np.array([self.l1 * np.cos(q[0]), self.l2 * np.cos(q[1])])

    def travel_row(self, q: np.ndarray) -> np.ndarray:
        return np.array([-self.l1 * np.sin(q[0]), -self.l2 * np.sin(q[1])])

    def gap_of(self, q: np.ndarray, side: int) -> float:
        return float(self.gap - side * (self.l1 * np.sin(q[0]) + self.l2 * np.sin(q[1])))

    def free(self, _: float, y: np.ndarray) -> np.ndarray:
        """Rates of (q, u) in flight."""
        q, u = y[:2], y[2:]
        return np.concatenate((u, np.linalg.solve(self.mass(q), self.load(q, u))))

    def gap_acceleration(self, q: np.ndarray, u: np.ndarray, side: int) -> float:
        """Second derivative of the gap in flight."""
        height = self.height_row(q) @ self.free(0.0, np.concatenate((q, u)))[2:]
        bias = -(self.l1 * np.sin(q[0]) * u[0] ** 2 + self.l2 * np.sin(q[1]) * u[1] ** 2)
        return float(-side * (height + bias))

    def impact(self, q: np.ndarray, u: np.ndarray, side: int, e: float) -> tuple[np.ndarray, float]:
        """Speeds after a face impact, Newton's law with Coulomb's friction (slip as after the impact); its impulse."""
        w_n, w_t = -side * self.height_row(q), self.travel_row(q)
        inverse = np.linalg.inv(self.mass(q))
        for sign in (np.sign(w_t @ u), -np.sign(w_t @ u)):
            w = w_n - self.mu * sign * w_t
            impulse = -(1.0 + e) * (w_n @ u) / (w_n @ inverse @ w)
            after = u + inverse @ w * impulse
            if sign * (w_t @ after) >= 0.0:
                return after, float(impulse)
        both = np.array([w_n, w_t])  # the slip stops
        normal, tangential = np.linalg.solve(both @ inverse @ both.T, [-(1.0 + e) * (w_n @ u), -(w_t @ u)])
        assert abs(tangential) <= self.mu * normal
        return u + inverse @ (both.T @ np.array([normal, tangential])), float(normal)

    def on_face(self, crank: float, speed: float, side: int) -> tuple[np.ndarray, np.ndarray]:
        """Angles and speeds of crank and rod with a face closed."""
        q = np.array([crank, np.arcsin((side * self.gap - self.l1 * np.sin(crank)) / self.l2)])
        return q, np.array([speed, -self.l1 * np.cos(q[0]) * speed / (self.l2 * np.cos(q[1]))])

    def closed(self, crank: float, speed: float, side: int, slip: float) -> tuple[float, float, float]:
        """Crank acceleration, normal force and acceleration of the slider; a face is closed and slips to ``slip``."""
        q, u = self.on_face(crank, speed, side)
        n, t = self.height_row(q), self.travel_row(q)
        # y'' = n . u' - (l1 s1 u1^2 + l2 s2 u2^2) = 0 and M u' = load + w lambda
        bias = self.l1 * np.sin(q[0]) * u[0] ** 2 + self.l2 * np.sin(q[1]) * u[1] ** 2
        w = -side * n - self.mu * slip * t
        system = np.zeros((3, 3))
        system[:2, :2], system[:2, 2], system[2, :2] = self.mass(q), -w, n
        a1, a2, force = np.linalg.solve(system, [*self.load(q, u), bias])
        along = t @ [a1, a2] - (self.l1 * np.cos(q[0]) * u[0] ** 2 + self.l2 * np.cos(q[1]) * u[1] ** 2)
        return float(a1), float(force), float(along)


def accurate(
    mechanism: Mechanism, times: np.ndarray, *, rtol: float = 1e-11, shortest: float = 1e-7, longest_step: float = 1e-4
) -> Reference:
    """Run to the last of ``times`` (s, ascending from 0), locating every event; needs a slider that does not turn."""
    if mechanism.angles[2] or mechanism.speeds[2]:
        raise ValueError("the slider must start without turning")
    if shortest < 1e-8:
        raise ValueError("gaps of flights shorter than 1e-8 s drown in round-off")
    return _EventRun(mechanism, np.asarray(times, dtype=float), rtol, shortest, longest_step).run()


class _EventRun:
    """State of one accurate run: time, angles, speeds, and the reference being filled."""

    def __init__(self, mechanism: Mechanism, times: np.ndarray, rtol: float, shortest: float, longest: float) -> None:
        self.model = _FaceModel(mechanism)
        self.mechanism, self.rtol, self.shortest, self.longest = mechanism, rtol, shortest, longest
        self.t, self.end = 0.0, float(times[-1])
        self.q, self.u = np.array(mechanism.angles[:2]), np.array(mechanism.speeds[:2])
        self.out = Reference(times, np.full((len(times), 2), np.nan), np.full((len(times), 2), np.nan))

    def energy(self) -> float:
        return float(self.mechanism.energy(np.array([*self.q, 0.0]), np.array([*self.u, 0.0])))

    def run(self) -> Reference:
        self.out.energy_start = self.energy()
        side, guess = 0, np.inf  # face that is closed, 0 for none; length of the flight if it is ballistic
        while self.t < self.end:
            if side:
                side, guess = self.slide(side), np.inf
            else:
                side, guess = self.fly(guess)
        self.out.energy_end = self.energy()
        return self.out

    def integrate(self, rates: Any, y: Any, events: list[Any], first: float, save: Any) -> Any:
        first = min(first, self.longest, 0.5 * (self.end - self.t))
        solution = solve_ivp(
            rates, (self.t, self.end), y, method="DOP853", events=events, dense_output=True, rtol=self.rtol,
            atol=1e-13, max_step=self.longest, first_step=first if first > 0.0 else None,
        )  # fmt: skip
        if not solution.success:
            raise RuntimeError(solution.message)
        inside = (self.out.time >= self.t) & (self.out.time <= solution.t[-1])
        for index in np.flatnonzero(inside):
            self.out.q[index], self.out.u[index] = save(solution.sol(self.out.time[index]))
        self.t = float(solution.t[-1])
        return solution

    def fly(self, guess: float) -> tuple[int, float]:
        """Fly until a gap closes and collide; returns the face that stays closed (0 if none) and the next guess."""

        def upper(_: float, y: np.ndarray) -> float:
            return self.model.gap_of(y[:2], 1)

        def lower(_: float, y: np.ndarray) -> float:
            return self.model.gap_of(y[:2], -1)

        for event in (upper, lower):
            event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
        # A first step inside the flight: the gap is then positive at its end, and its return to zero is seen.
        solution = self.integrate(
            self.model.free, [*self.q, *self.u], [upper, lower], 0.25 * guess, lambda y: (y[:2], y[2:])
        )
        self.q, self.u = solution.y[:2, -1], solution.y[2:, -1]
        if solution.status != 1:
            return 0, np.inf
        side = 1 if len(solution.t_events[0]) else -1
        self.collide(side, self.model.e)
        rebound = -side * (self.model.height_row(self.q) @ self.u)
        pull = self.model.gap_acceleration(self.q, self.u, side)
        guess = -2.0 * rebound / pull if pull < 0.0 else np.inf
        if guess > self.shortest:
            return 0, guess
        self.close(side)
        return side, np.inf

    def collide(self, side: int, e: float) -> None:
        before = self.energy()
        rate = -side * float(self.model.height_row(self.q) @ self.u)
        self.u, impulse = self.model.impact(self.q, self.u, side, e)
        loss = before - self.energy()
        self.out.impact_loss += loss
        self.out.impacts.append(Impact(self.t, FACES[side], rate, -e * rate, impulse, loss))

    def close(self, side: int) -> None:
        """Close the contact in place of the infinitely many rebounds to come.

        Up to terms of second order in their duration they exert the impulse of a closed contact over that time, less
        what takes away the rebound now: the impact law with restitution 0, whose impulse is negative here.
        """
        before = self.energy()
        self.u, _ = self.model.impact(self.q, self.u, side, 0.0)
        self.out.impact_loss += before - self.energy()

    def slide(self, side: int) -> int:
        """Slide with a face closed until its force vanishes or the slip reverses; the face that stays closed."""
        begin = self.t
        slip = np.sign(self.model.travel_row(self.q) @ self.u)
        if abs(self.model.travel_row(self.q) @ self.u) < 1e-9:  # just at a dead centre
            slip = self.slip_after(side)

        def rates(_: float, y: np.ndarray) -> list[float]:
            acceleration, force, _along = self.model.closed(y[0], y[1], side, slip)
            q, u = self.model.on_face(y[0], y[1], side)
            return [y[1], acceleration, self.model.mu * force * abs(self.model.travel_row(q) @ u)]

        def pressed(_: float, y: np.ndarray) -> float:
            return self.model.closed(y[0], y[1], side, slip)[1]

        def slipping(_: float, y: np.ndarray) -> float:
            q, u = self.model.on_face(y[0], y[1], side)
            return float(slip * (self.model.travel_row(q) @ u))

        for event in (pressed, slipping):
            event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
        solution = self.integrate(
            rates, [self.q[0], self.u[0], 0.0], [pressed, slipping], 1e-6,
            lambda y: self.model.on_face(y[0], y[1], side),
        )  # fmt: skip
        self.q, self.u = self.model.on_face(solution.y[0, -1], solution.y[1, -1], side)
        self.out.friction_work += float(solution.y[2, -1])
        if self.out.closed and self.out.closed[-1][0] == FACES[side] and self.out.closed[-1][2] == begin:
            begin = self.out.closed.pop()[1]  # the same phase, interrupted by a reversal
        self.out.closed.append((FACES[side], begin, self.t))
        return 0 if solution.status == 1 and len(solution.t_events[0]) else side

    def slip_after(self, side: int) -> float:
        """Direction of slip after a dead centre: the one whose friction lets the slider accelerate that way."""
        for sign in (1.0, -1.0):
            if sign * self.model.closed(self.q[0], self.u[0], side, sign)[2] > 0.0:
                return sign
        raise RuntimeError(f"the slider sticks at {self.t:.6f} s, which this reference does not handle")
