"""Checks of a law that a user has written, at its numbers, before it is used: by its machine code.

Arguments over many decades are tried, since it is not known where the law will be used. A law need not have a value
everywhere; where it has, partial derivatives by the imaginary step must agree with differences, and its powers must add
up if it gives them.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from ..numerics.by_address import call_at, fill_at, jet_at
from .own_code import H, Shape

PLACES = {
    "coordinate": ((-1.0, -0.03, -1e-3, 1e-4, 7e-3, 0.4), (-2.0, -0.05, 3e-3, 0.7), (0.3,)),
    "contact": ((1e-7, 3e-6, 1e-4, 2e-3), (-0.4, -1e-3, 2e-3, 0.3), (0.5,)),
    "anywhere": ((-2e-2, -1e-3, -1e-4, -1e-5, 2e-6, 2e-3), (-0.4, -1e-3, 2e-3, 0.3), (0.5,)),
    "friction": ((1e-5, 1e-3, 0.03, 0.8), (1.0, 300.0), (0.2,)),
}
SLIDES = (0.0, 1e-3, 0.4)  # m/s, sliding speeds at which a contact with states is tried
STEP = 1e-6  # relative, of differences
CLOSE = 1e-4  # relative, of a partial derivative to a difference
KINK = 1e-2  # relative, of its values on either side
EVEN = 1e-6  # relative, of powers


def places_of(shape: Shape) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Where a law is tried: values of its three arguments."""
    x, v, last = PLACES["anywhere" if shape.anywhere else shape.family]
    return (x, v, SLIDES) if _evolves(shape) else (x, v, last)


def _evolves(shape: Shape) -> bool:
    """True for a contact law with inner states."""
    return shape.family == "contact" and shape.states > 0


def check(shape: Shape, addresses: list[float], values: tuple[float, ...]) -> str:
    """What is wrong with a law, in a sentence; empty if nothing is."""
    p, z = np.array(values), np.zeros(shape.states)
    finite, sizes = False, []
    for one in product(*places_of(shape)):
        result = np.array(call_at(addresses[1], p, z, *one))
        rates = np.zeros(shape.states)
        if shape.states:
            fill_at(addresses[3], p, z, *one, rates)
        if not (np.isfinite(result[[0, 3, 4]]).all() and np.isfinite(rates).all()):
            continue
        if not np.isfinite(result).all():
            return f"it has a value, but no finite derivative by the imaginary step, at {_place(shape, one)}"
        finite = True
        sizes.append(abs(result[0]))
        message = _partials(shape, addresses, p, z, one, result) or _power(shape, addresses, p, z, one, result)
        message = message or (_evolution(shape, addresses, p, z, one, result) if _evolves(shape) else "")
        if message:
            return f"{message} (at {_place(shape, one)})"
    if not finite:
        one = next(product(*places_of(shape)))
        return f"it has no finite value anywhere it was tried, for example at {_place(shape, one)}"
    if shape.family == "friction":
        return _friction(addresses, p, z)
    return ""


TRIED = (-0.7, -0.02, 0.01, 0.3, 1.1)  # values of what a law senses, in SI
ROUNDS = 12


def check_control(shape: Shape, addresses: list[float], numbers: list[float | None], names: tuple[str, ...]) -> str:
    """What is wrong with a law that senses; ``numbers`` has None for the parameters that change with the motion."""
    draw, free = np.random.default_rng(0), [k for k, one in enumerate(numbers) if one is None]
    finite = False
    for _ in range(ROUNDS):
        place = [draw.choice(TRIED) if one is None else one for one in numbers]
        shown = ", ".join(f"{names[k]} = {place[k]:g}" for k in free)
        for address in addresses:
            value, _ = _jet(address, place, None)
            if not np.isfinite(value):
                continue
            finite = True
            for k in free:
                width = STEP * abs(place[k])
                near = [_jet(address, _moved(place, k, side * width), None)[0] for side in (-2.0, -1.0, 1.0, 2.0)]
                if message := _compare(names[k], near, width, value, _jet(address, place, k)[1]):
                    return f"{message} (at {shown})"
    return "" if finite else f"it has no finite value anywhere it was tried, for example at {shown}"


def _moved(place: list[float], k: int, by: float) -> list[float]:
    return [one + by if m == k else one for m, one in enumerate(place)]


def _jet(address: float, place: list[float], along: int | None) -> tuple[float, float]:
    """Value, and derivative by one of the parameters."""
    stack = np.zeros((len(place), 3))
    stack[:, 0] = place
    if along is not None:
        stack[along, 1] = 1.0
    jet_at(int(address), stack, 0)
    return float(stack[0, 0]), float(stack[0, 1])


def _compare(name: str, near: list[float], width: float, value: float, slope: float) -> str:
    """Where the imaginary step does not give the derivative that values at -2, -1, 1 and 2 widths show."""
    fine, wide = (near[2] - near[1]) / (2.0 * width), (near[3] - near[0]) / (4.0 * width)
    left, right = (value - near[1]) / width, (near[2] - value) / width
    noise = 1e-14 * abs(value) / width
    kink = abs(fine - wide) > CLOSE * abs(fine) + noise or abs(right - left) > KINK * abs(fine) + 10.0 * noise
    if not np.isfinite(fine + wide) or kink:
        return ""  # a kink or a jump just here: no derivative to compare with
    if not abs(slope - fine) <= CLOSE * max(abs(fine), abs(slope)) + 10.0 * noise:
        return (
            f"its derivative by {name} is {fine:.6g}, but the imaginary step gives {slope:.6g}: abs, "
            "min, max and comparisons must look at real parts (x.real), abs(x) is x if x.real >= 0 else -x"
        )
    return ""


def _partials(
    shape: Shape, addresses: list[float], p: np.ndarray, z: np.ndarray, one: tuple[float, ...], result: np.ndarray
) -> str:
    """Where the imaginary step does not give the derivative."""
    for k in range(1 if shape.family == "friction" else 2):
        width = STEP * abs(one[k])
        values = []
        for side in (-2.0, -1.0, 1.0, 2.0):
            moved = list(one)
            moved[k] += side * width
            values.append(call_at(addresses[0], p, z, *moved)[0])
        names = {"coordinate": "xv", "contact": "xv", "friction": "s"}[shape.family]
        if message := _compare(names[k], values, width, result[0], result[1 + k]):
            return message
    return ""


def _evolution(
    shape: Shape, addresses: list[float], p: np.ndarray, z: np.ndarray, one: tuple[float, ...], result: np.ndarray
) -> str:
    """What is wrong with a contact law with states: a force that follows the sliding speed, rates that bend wrongly."""
    moved = (*one[:2], one[2] + 0.1)
    if call_at(addresses[0], p, z, *moved)[0] != result[0]:
        return "its force depends on the sliding speed s; only the rates of its states may"
    rates, slopes = np.zeros(shape.states), np.zeros(shape.states, dtype=complex)
    fill_at(addresses[3], p, z, one[0], one[1], one[2], rates)
    for k, name in enumerate("xvs"):
        width = STEP * abs(one[k])
        if width == 0.0:
            continue
        near = np.zeros((4, shape.states))
        for side, line in zip((-2.0, -1.0, 1.0, 2.0), near, strict=True):
            there = list(one)
            there[k] += side * width
            fill_at(addresses[3], p, z, there[0], there[1], there[2], line)
        a, b, c = (complex(one[m], H if m == k else 0.0) for m in range(3))
        fill_at(addresses[4], p, z, a, b, c, slopes)
        for m in range(shape.states):
            slope = float(slopes[m].imag) / H
            if message := _compare(name, list(near[:, m]), width, rates[m], slope):
                return f"of the rate of a state: {message}"
    return ""


def _power(
    shape: Shape, addresses: list[float], p: np.ndarray, z: np.ndarray, one: tuple[float, ...], result: np.ndarray
) -> str:
    """Where stored energy and dissipated power do not go with the force: power taken = d(stored)/dt + dissipated."""
    if not shape.energy:
        return ""
    taken = result[0] * one[1] * (1.0 if shape.family == "contact" else -1.0)
    if result[4] < -EVEN * abs(taken):
        return f"its dissipated power is {result[4]:.6g} W, which is less than nothing"
    width = STEP * abs(one[0])
    before, after = (call_at(addresses[0], p, z, one[0] + side * width, *one[1:])[3] for side in (-1.0, 1.0))
    stored = (after - before) / (2.0 * width) * one[1]
    noise = 1e-14 * abs(result[3]) / width * abs(one[1])
    if (
        shape.states == 0
        and abs(taken - stored - result[4]) > CLOSE * max(abs(taken), abs(stored), result[4]) + 10.0 * noise
    ):
        return (
            f"it takes {taken:.6g} W, but what it stores grows by {stored:.6g} W and its dissipated power is "
            f"{result[4]:.6g} W: the powers must add up"
        )
    return ""


def _friction(addresses: list[float], p: np.ndarray, z: np.ndarray) -> str:
    """Friction must vanish at rest, with a finite slope, and oppose the motion."""
    at_rest = call_at(addresses[0], p, z, 0.0, 1.0, 0.0)
    if not abs(at_rest[0]) <= 1e-12:
        return f"mu is {at_rest[0]:.6g} at rest, and must be 0: smooth friction has no jump there"
    if not np.isfinite(at_rest[2]):
        return "mu has no finite slope at rest"
    for s in PLACES["friction"][0]:
        if call_at(addresses[0], p, z, s, 1.0, 0.0)[0] < 0.0:
            return f"mu is negative at a sliding speed of {s:g} m/s: friction would drive the motion"
    return ""


def _place(shape: Shape, one: tuple[float, ...]) -> str:
    names = {"coordinate": ("x", "v", "t"), "contact": ("x", "v", "onset"), "friction": ("s", "normal", "t")}
    if _evolves(shape):
        names["contact"] = ("x", "v", "s")
    return ", ".join(f"{name} = {value:g}" for name, value in zip(names[shape.family], one, strict=True))
