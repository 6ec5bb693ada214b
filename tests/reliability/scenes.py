"""Random scenes with known answers: each takes a generator of random numbers and draws one of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from reliability.closed_forms import G, Scene, flow, parabolas, size_of

import jointplay as jp

Draw = np.random.Generator
KINDS: dict[str, Callable[[Draw], Scene]] = {}


def kind(build: Callable[[Draw], Scene]) -> Callable[[Draw], Scene]:
    """Register a kind of scene under its name."""
    KINDS[build.__name__] = build
    return build


def rigid(e: float) -> jp.Rigid:
    """Rigid contact with restitution."""
    return jp.Rigid(restitution=float(e))


def direction(draw: Draw) -> np.ndarray:
    """A unit vector."""
    a = draw.normal(size=3)
    return a / np.linalg.norm(a)


def logarithmic(draw: Draw, low: float, high: float) -> float:
    """A number between two others, spread evenly over its magnitudes."""
    return float(np.exp(draw.uniform(np.log(low), np.log(high))))


def finish(
    name: str, s: jp.System, quantity: str, until: float, truth: object, strikes: object, *, angle: bool = False
) -> Scene:
    return Scene(name, s, quantity, until, truth, strikes, 1.0 if angle else size_of(s))  # type: ignore[arg-type]


@kind
def bouncing(draw: Draw) -> Scene:
    """A block falls on a stop and bounces: parabolas."""
    e, h, m = draw.uniform(0.2, 0.98), logarithmic(draw, 0.01, 10.0), logarithmic(draw, 0.01, 100.0)
    s = jp.System("bouncing", gravity=(0, 0, -G))
    body = s.body("block", mass=m, inertia=m * h * h / 10)
    s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=jp.Stop(lower=-h, contact=rigid(e)))
    fall = np.sqrt(2 * h / G)
    settled = fall * (1 + 2 * e / (1 - e))
    until = min(draw.uniform(0.5, 0.95) * settled, 40 * fall)
    truth, strikes = parabolas(0.0, 0.0, -G, -h, np.inf, e, until)
    return finish("bouncing", s, "D.displacement", until, truth, strikes)


@kind
def to_and_fro(draw: Draw) -> Scene:
    """A mass between two stops on an incline of any direction."""
    e, room, v = draw.uniform(0.3, 1.0), logarithmic(draw, 1e-3, 1.0), draw.uniform(0.5, 3.0)
    axis, pull = direction(draw), draw.normal(size=3) * 0.3 * v * v / room
    s = jp.System("to and fro", gravity=tuple(pull))
    lower, upper = -room * draw.uniform(0.1, 1.0), room * draw.uniform(0.1, 1.0)
    body = s.body("block", mass=2.0, inertia=0.1, position=axis * room, velocity=axis * v)
    stop = jp.Stop(lower=lower, upper=upper, contact=rigid(e))
    s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=axis, displacement=stop)
    until = 10 * room / v
    truth, strikes = parabolas(0.0, v, float(pull @ axis), lower, upper, e, until)
    return finish("to and fro", s, "D.displacement", until, truth, strikes)


@kind
def thrown_at_a_lid(draw: Draw) -> Scene:
    """A block is thrown against a stop a little below its apex: met and left again inside a long step."""
    e, apex = draw.uniform(0.1, 0.9), logarithmic(draw, 0.1, 50.0)
    below = apex * logarithmic(draw, 1e-6, 0.1)
    v = float(np.sqrt(2 * G * apex))
    s = jp.System("thrown", gravity=(0, -G, 0), planar=True)
    body = s.body("block", mass=1.0, inertia=0.1, velocity=(0, v))
    stop = jp.Stop(upper=apex - below, contact=rigid(e))
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(0, 1), displacement=stop)
    until = 1.8 * v / G
    truth, strikes = parabolas(0.0, v, -G, -np.inf, apex - below, e, until)
    return finish("thrown", s, "D.displacement", until, truth, strikes)


@kind
def mass_on_a_spring(draw: Draw) -> Scene:
    """A mass on a linear spring with damping between two stops."""
    w, zeta, e, v = logarithmic(draw, 1.0, 100.0), draw.uniform(0, 0.1), draw.uniform(0.3, 0.95), 1.0
    amplitude = v / w
    lower, upper = -amplitude * draw.uniform(0.2, 0.9), amplitude * draw.uniform(0.2, 1.5)
    m = logarithmic(draw, 0.01, 10.0)
    s = jp.System("oscillator", gravity=(0, 0, 0), planar=True)
    body = s.body("mass", mass=m, inertia=0.1, velocity=(v, 0))
    laws = [
        jp.Spring(stiffness=m * w * w, damping=2 * zeta * m * w),
        jp.Stop(lower=lower, upper=upper, contact=rigid(e)),
    ]
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), displacement=laws)
    until = 12.0 / w
    full, strikes, until = flow(
        lambda t, y: (y[1], -w * w * y[0] - 2 * zeta * w * y[1]),
        (0.0, v),
        [lambda t, y: y[0] - lower, lambda t, y: upper - y[0]],
        lambda k, t, y: np.array(((lower, upper)[k], -e * y[1])),
        until,
    )
    return finish("oscillator", s, "D.displacement", until, lambda t: full(t)[:, 0], strikes)


@kind
def pendulum_with_stop(draw: Draw) -> Scene:
    """A pendulum that swings against a stop at an angle."""
    length, e = logarithmic(draw, 0.05, 5.0), draw.uniform(0.3, 0.95)
    w0 = draw.uniform(1.0, 1.9) * np.sqrt(G / length)
    upper = draw.uniform(0.1, 0.8)
    m, moment = 1.3, 1.3 * length**2 * draw.uniform(0.05, 0.5)
    s = jp.System("pendulum", gravity=(0, -G, 0), planar=True)
    body = s.body("bob", mass=m, inertia=moment, position=(0, -length), velocity=(w0 * length, 0), angular_velocity=w0)
    s.revolute("A", s.ground, body, point=(0, 0), angle=jp.Stop(upper=upper, contact=rigid(e)))
    until = 8.0 * np.sqrt(length / G)
    k = m * G * length / (moment + m * length**2)
    full, strikes, until = flow(
        lambda t, y: (y[1], -k * np.sin(y[0])),
        (0.0, w0),
        [lambda t, y: upper - y[0]],
        lambda i, t, y: np.array((upper, -e * y[1])),
        until,
    )
    return finish("pendulum", s, "A.angle", until, lambda t: full(t)[:, 0], strikes, angle=True)


@kind
def two_masses(draw: Draw) -> Scene:
    """Two masses on one line with a spring between them; they strike each other, and a wall."""
    m1, m2, e, v, room = draw.uniform(0.5, 2), draw.uniform(0.5, 2), draw.uniform(0.3, 0.9), 1.0, 0.1
    k = 0.3 * m1 * v * v / room**2
    s = jp.System("two masses", gravity=(0, 0, 0), planar=True)
    a = s.body("a", mass=m1, inertia=0.1, position=(0, 0), velocity=(v, 0))
    b = s.body("b", mass=m2, inertia=0.1, position=(room, 0), velocity=(0, 0))
    wall = draw.uniform(0.5, 2.0) * room
    s.prismatic("A", s.ground, a, point=(0, 0), axis=(1, 0))
    s.prismatic(
        "B",
        a,
        b,
        point=(room, 0),
        axis=(1, 0),
        displacement=[jp.Spring(stiffness=k), jp.Stop(lower=-0.5 * room, contact=rigid(e))],
    )
    s.prismatic("W", s.ground, b, point=(room, 0), axis=(1, 0), displacement=jp.Stop(upper=wall, contact=rigid(e)))
    until = 6 * room / v

    def jump(i: int, t: float, y: np.ndarray) -> np.ndarray:
        x1, x2, v1, v2 = y
        if i == 1:
            return np.array((x1, x2, v1, -e * v2))
        p = (1 + e) * (v1 - v2) / (1 / m1 + 1 / m2)
        return np.array((x1, x2, v1 - p / m1, v2 + p / m2))

    full, strikes, until = flow(
        lambda t, y: (y[2], y[3], k * (y[1] - y[0]) / m1, -k * (y[1] - y[0]) / m2),
        (0.0, 0.0, v, 0.0),
        [lambda t, y: y[1] - y[0] + 0.5 * room, lambda t, y: wall - y[1]],
        jump,
        until,
    )
    return finish("two masses", s, "W.displacement", until, lambda t: full(t)[:, 1], strikes)


@kind
def brake_between_stops(draw: Draw) -> Scene:
    """A slider with dry friction of constant load between two stops, until it sticks."""
    m, mu_n, v, e = 1.5, 1.0, 2.0, draw.uniform(0.4, 0.9)
    pull = draw.uniform(0.0, 0.8) * mu_n
    way = m * v * v / (2 * (mu_n + pull))
    lower, upper = -draw.uniform(0.05, 0.3) * way, draw.uniform(0.1, 0.8) * way
    s = jp.System("brake", gravity=(-pull / m, 0, 0), planar=True)
    body = s.body("slider", mass=m, inertia=0.1, velocity=(v, 0))
    laws = [jp.Coulomb(0.25, load=4.0 * mu_n), jp.Stop(lower=lower, upper=upper, contact=rigid(e))]
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), displacement=laws)
    until = 3.0 * m * v / (mu_n + pull)
    mode = [1.0]

    def rhs(t: float, y: np.ndarray) -> tuple[float, float]:
        return y[1], (-pull - mode[0] * mu_n) / m if mode[0] else 0.0

    def stuck(t: float, y: np.ndarray) -> float:
        return mode[0] * y[1] if mode[0] else 1.0

    def jump(i: int, t: float, y: np.ndarray) -> np.ndarray:
        if i < 2:
            mode[0] = -mode[0]
            return np.array(((lower, upper)[i], -e * y[1]))
        mode[0] = 0.0  # pull < friction: it stays
        return np.array((y[0], 0.0))

    full, strikes, until = flow(
        rhs, (0.0, v), [lambda t, y: y[0] - lower, lambda t, y: upper - y[0], stuck], jump, until
    )
    return finish(
        "brake",
        s,
        "D.displacement",
        until,
        lambda t: full(t)[:, 0],
        strikes[:-1] if len(strikes) and mode[0] == 0.0 else strikes,
    )


@kind
def shaft_with_far_stop(draw: Draw) -> Scene:
    """A shaft with dry friction turns many times, meets a stop at an angle, turns back and comes to rest."""
    w, moment = logarithmic(draw, 10, 300), logarithmic(draw, 1e-4, 1.0)
    angle = draw.uniform(0.2, 0.9)
    turns = logarithmic(draw, 5, 2000)
    decel = w * w / (2 * turns)
    e = draw.uniform(0.3, 0.9)
    upper = angle * turns
    s = jp.System("shaft", gravity=(0, 0, -G))
    body = s.body("shaft", mass=8.0, inertia=(moment, moment, moment), angular_velocity=(0, w, 0))
    s.revolute(
        "A",
        s.ground,
        body,
        point=(0, 0, 0),
        axis=(0, 1, 0),
        angle=[jp.ConstantFriction(moment * decel), jp.Stop(upper=upper, contact=rigid(e))],
    )
    hit = np.sqrt(w * w - 2 * decel * upper)
    t1 = (w - hit) / decel
    back = e * hit
    t2 = t1 + back / decel
    until = 1.2 * t2

    def truth(t: np.ndarray) -> np.ndarray:
        s2 = np.clip(t - t1, 0, t2 - t1)
        return np.where(t <= t1, w * t - 0.5 * decel * t * t, upper - back * s2 + 0.5 * decel * s2 * s2)

    return finish("shaft", s, "A.angle", until, truth, np.array([t1]), angle=True)


@kind
def vibrating_table(draw: Draw) -> Scene:
    """A block on a driven table that shakes it off."""
    w, e = draw.uniform(20, 60), draw.uniform(0.1, 0.4)
    amplitude = draw.uniform(1.5, 3.0) * G / w**2
    s = jp.System("table", gravity=(0, -G, 0), planar=True)
    table = s.body("table", mass=1.0, inertia=0.1, velocity=(0, amplitude * w))
    block = s.body("block", mass=0.5, inertia=0.1, position=(0, 0.05), velocity=(0, amplitude * w))
    drop = draw.uniform(0.1, 1.0) * amplitude
    s.prismatic("T", s.ground, table, point=(0, 0), axis=(0, 1), displacement=jp.Drive(f"{amplitude!r}*sin({w!r}*t)"))
    s.prismatic("B", table, block, point=(0, 0.05), axis=(0, 1), displacement=jp.Stop(lower=-drop, contact=rigid(e)))
    until = 18.0 / w

    full, strikes, until = flow(
        lambda t, y: (y[1], -G),
        (0.0, amplitude * w),
        [lambda t, y: y[0] - amplitude * np.sin(w * t) + drop],
        lambda i, t, y: np.array((y[0], amplitude * w * np.cos(w * t) - e * (y[1] - amplitude * w * np.cos(w * t)))),
        until,
    )
    return finish("table", s, "block.position[1]", until, lambda t: 0.05 + full(t)[:, 0], strikes)


@kind
def slider_crank_with_stop(draw: Draw) -> Scene:
    """A closed loop: crank, rod and slider, which meets a stop before its dead centre."""
    a, b = 0.1, draw.uniform(0.25, 0.4)
    m1, m2, m3 = 0.4, 0.3, draw.uniform(0.2, 1.0)
    i1, i2 = m1 * a * a / 12, m2 * b * b / 12
    w0, e = draw.uniform(5, 30), draw.uniform(0.4, 0.9)
    th0 = np.pi / 2

    def places(th: Any) -> tuple[Any, Any, Any, Any]:
        ph = -np.arcsin(a * np.sin(th) / b)  # of the rod
        dph = -a * np.cos(th) / (b * np.cos(ph))  # for one rad of the crank
        x = a * np.cos(th) + b * np.cos(ph)
        dx = -a * np.sin(th) - b * np.sin(ph) * dph
        return ph, dph, x, dx

    def inertia(th: Any) -> Any:
        ph, dph, _, dx = places(th)
        vx = -a * np.sin(th) - b / 2 * np.sin(ph) * dph
        vy = a * np.cos(th) + b / 2 * np.cos(ph) * dph
        return i1 + m1 * a * a / 4 + i2 * dph**2 + m2 * (vx**2 + vy**2) + m3 * dx**2

    def rhs(t: float, y: np.ndarray) -> tuple[float, float]:
        slope = float(np.imag(inertia(y[0] + 1e-30j))) / 1e-30  # exact derivative
        return y[1], -0.5 * slope * y[1] ** 2 / inertia(y[0])

    ph, dph, x0, dx = places(th0)
    s = jp.System("slider-crank", gravity=(0, 0, 0), planar=True)
    pin = np.array((a * np.cos(th0), a * np.sin(th0)))
    crank = s.body(
        "crank",
        mass=m1,
        inertia=i1,
        position=pin / 2,
        velocity=w0 * np.array((-pin[1], pin[0])) / 2,
        angular_velocity=w0,
    )
    rod = s.body(
        "rod",
        mass=m2,
        inertia=i2,
        position=(pin + (x0, 0)) / 2,
        velocity=(w0 * np.array((-pin[1], pin[0])) + (w0 * dx, 0)) / 2,
        angular_velocity=w0 * dph,
    )
    slider = s.body("slider", mass=m3, inertia=1e-3, position=(x0, 0), velocity=(w0 * dx, 0))
    s.revolute("A", s.ground, crank, point=(0, 0))
    s.revolute("B", crank, rod, point=pin)
    s.revolute("C", rod, slider, point=(x0, 0))
    least = b - a
    lower = -(x0 - least) * draw.uniform(0.5, 0.95)
    s.prismatic("D", s.ground, slider, point=(x0, 0), axis=(1, 0), displacement=jp.Stop(lower=lower, contact=rigid(e)))
    until = 8.0 / w0
    full, strikes, until = flow(
        rhs,
        (th0, w0),
        [lambda t, y: places(y[0])[2] - x0 - lower],
        lambda i, t, y: np.array((y[0], -e * y[1])),
        until,
    )
    return finish(
        "slider-crank",
        s,
        "D.displacement",
        until,
        lambda t: np.array([places(th)[2] for th in full(t)[:, 0]]) - x0,
        strikes,
    )


@kind
def ball_in_a_ring(draw: Draw) -> Scene:
    """A pin in a journal with play: parabolas that end at a circle."""
    c, e = logarithmic(draw, 1e-6, 1e-2), draw.uniform(0.3, 0.8)
    s = jp.System("pin in a ring", gravity=(0, -G, 0), planar=True)
    body = s.body("pin", mass=1.0, inertia=1e-3, velocity=(draw.uniform(-1, 1) * np.sqrt(G * c), 0))
    s.revolute("A", s.ground, body, point=(0, 0), radial=jp.Clearance(c, contact=rigid(e)))
    v = body_velocity(s)
    fall = np.sqrt(2 * c / G)

    def jump(i: int, t: float, y: np.ndarray) -> np.ndarray:
        n = y[:2] / np.hypot(*y[:2])
        return np.array((*y[:2], *(y[2:] - (1 + e) * (y[2:] @ n) * n)))

    # in units of the play and of the time of fall
    full, strikes, end = flow(
        lambda t, y: (y[2], y[3], 0.0, -2.0),
        (0.0, 0.0, v * fall / c, 0.0),
        [lambda t, y: 1.0 - np.hypot(y[0], y[1])],
        jump,
        4.0,
    )
    scene = finish(
        "pin in a ring", s, "pin.position[1]", end * fall, lambda t: c * full(t / fall)[:, 1], strikes * fall
    )
    return scene


def body_velocity(s: jp.System) -> float:
    """Initial velocity along x of the first body."""
    return float(s.bodies[0].velocity[0])
