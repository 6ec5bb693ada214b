"""Variation: the derivative of everything compiled with respect to one parameter.

Most numbers of a model are straight lines over a parameter, or one over a straight line (1/m). Where each of them is so
at rho - h, rho, rho + h and rho + 2h to rounding, three models are enough: second differences of x or of 1/x vanish,
which leaves no room for a bend in between. Else models are compiled at rho +- h, rho +- 2h and rho +- 3h; central
differences of order 2, 4 and 6 follow,

    D2 = d1,    D4 = (4 d1 - d2)/3,    D6 = (15 d1 - 6 d2 + d3)/10,    d_k = (x(rho + k h) - x(rho - k h))/(2 k h).

These numbers are polynomials or simple quotients of the parameter as a rule, so that with h = rho/200 D6 is exact to
rounding; D6 - D4, reduced by the rate at which the orders converge, estimates the error. A bend at rho itself is hidden
from central differences, and found by second ones, s_k = x(rho + k h) - 2 x(rho) + x(rho - k h): 15 s1 - 6 s2 + s3 is
of order h^6 for a smooth number, and 12 h times half the change of slope for one with a bend. Initial positions and
velocities follow the constraints because each model is assembled anew (paper E eq. 16). Where values on one side are
not allowed (restitution above 1), a one-sided formula of order 6 takes the place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Model
from ..compile.build import compile_system
from ..compile.pack import Compiled
from ..errors import InputError, Problem
from ..model.reuse import following
from .model_vector import labels, reals, structure, with_reals
from .source import Parameter, Source

STEP = 5e-3  # relative
SHRINK = 0.1
LEAST = 1e-7  # smallest relative step that is tried
EXACT = 1e-11  # estimated relative error at which no more models are compiled
GOOD = 1e-9  # estimated relative error at which no other step is tried
BEND = 1e-6  # change of slope, relative, beyond what a smooth number can show
BAD = 1e-4  # estimated relative error of what is no derivative any more
FLOOR = 1e-3  # of the largest number of a field, or of the mechanism: smaller ones may be rounding
MIXED = ("constant", "code.arg", "number")  # numbers of all kinds side by side, each computed on its own
PLACES = ("relation.g0", "relation.si", "relation.sj", "joint.sj", "marker.s")  # differences of places in space
NOISE = 1e-9  # relative change that counts as none, if it is not far above its own error
CENTRAL = np.array([[1.0, 0.0, 0.0], [4.0 / 3.0, -1.0 / 3.0, 0.0], [1.5, -0.6, 0.1]])  # D2, D4, D6 of d1, d2, d3
# forward differences of order 4, 5 and 6 over x(0), x(h), ..., x(6h)
FORWARD = np.array(
    [
        [-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -0.25, 0.0, 0.0],
        [-137.0 / 60.0, 5.0, -5.0, 10.0 / 3.0, -1.25, 0.2, 0.0],
        [-2.45, 6.0, -7.5, 20.0 / 3.0, -3.75, 1.2, -1.0 / 6.0],
    ]
)


@dataclass(frozen=True, eq=False)
class Variation:
    """Derivatives with respect to one parameter, all at its nominal value."""

    name: str
    value: float  # of the parameter, SI
    model: Model  # d/d rho of all real fields; zeros in index fields and in choices of the program
    y: np.ndarray  # of State.y at the start
    energy0: float  # of the energy at the start
    memory: np.ndarray  # of State.memory at the start
    error: float  # estimated error of all this, relative


def size_of(parameter: Parameter, length: float) -> float:
    """What steps are relative to: the value, or where it is zero the size of the mechanism (at most 1)."""
    return abs(parameter.value) if parameter.value != 0.0 else min(1.0, length)


def failure(name: str, value: float, error: InputError) -> InputError:
    """Why a parameter cannot take a nearby value."""
    return InputError(
        [Problem(f"wrt: {name}", f"cannot vary: at {value:.9g}, {problem}") for problem in error.problems]
    )


def vary(source: Source, compiled: Compiled, horizon: float) -> list[Variation]:
    """Variations for all parameters of a source; raises InputError with all problems."""
    found: list[Variation] = []
    problems: list[Problem] = []
    nominal = Nominal.of(compiled)

    def make(changed: dict[str, float]) -> Compiled:
        with following(compiled.system.readings):
            system = source.system(changed)
        return compile_system(system, horizon, like=compiled)

    for parameter in source.parameters:
        try:
            found.append(variation(parameter.name, parameter.value, size_of(parameter, nominal.length), nominal, make))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def _numbers(compiled: Compiled) -> np.ndarray:
    """Model, start, energy and memory as one vector."""
    state = compiled.state
    return np.concatenate([reals(compiled.model), state.y, [float(state.clock[0]["energy0"])], state.memory])


@dataclass(frozen=True, eq=False)
class Nominal:
    """What all parameters vary from."""

    compiled: Compiled
    numbers: np.ndarray
    skeleton: list[Any]  # all that is not a real number
    scale: np.ndarray  # size of each number

    @staticmethod
    def of(compiled: Compiled) -> Nominal:
        """Of a model that is compiled."""
        numbers = _numbers(compiled)
        return Nominal(compiled, numbers, structure(compiled.model), _scales(compiled, numbers))

    @property
    def length(self) -> float:
        """Size of the mechanism in m."""
        return float(self.compiled.model.info[0]["length"])


def variation(
    name: str,
    value: float,
    size: float,
    start: Nominal,
    make: Callable[[dict[str, float]], Compiled],
    *,
    relative: float = STEP,
    alike: bool = False,
) -> Variation:
    """The variation for one parameter by models that ``make`` gives at other values; raises InputError.

    ``size`` is what steps and errors are relative to, ``relative`` the first step that is tried; ``alike`` says that
    all models that are made differ in numbers only.
    """
    compiled, nominal, scale = start.compiled, start.numbers, start.scale
    y, memory = compiled.state.y, compiled.state.memory
    bodies, first = len(compiled.system.bodies), len(nominal) - len(y) - 1 - len(memory)

    def at(value: float) -> np.ndarray:
        try:
            other = make({name: value})
        except InputError as error:
            raise failure(name, value, error) from None
        pairs = () if alike else zip(start.skeleton, structure(other.model), strict=True)
        changed = [one[0] for one, new in pairs if one != new]
        if changed or len(other.state.y) != len(y):
            where = changed[0] if changed else "state"
            message = (
                f"changes the structure of the model ({where} differs at {value:.9g}), so there is no derivative; "
                "keep it away from the value at which something appears or vanishes"
            )
            raise InputError(Problem(f"wrt: {name}", message))
        numbers = _numbers(other)
        # p and -p are the same orientation: stay on one side
        p, drawn = (x[first : first + 7 * bodies].reshape(bodies, 7)[:, 3:] for x in (numbers, nominal))
        p[np.einsum("bk,bk->b", p, drawn) < 0.0] *= -1.0
        return numbers

    def enough(slope: np.ndarray, error: np.ndarray) -> bool:
        return _relative(slope, error, size, scale) <= EXACT

    def bent(slope: np.ndarray, bend: np.ndarray) -> bool:
        return _relative(slope, bend, size, scale) > BEND

    best: tuple[float, np.ndarray] | None = None
    refused: InputError | None = None
    while relative >= LEAST:
        try:
            slope, rough = difference(at, value, relative * size, nominal, enough, bent)
            slope[(np.abs(slope) <= 10.0 * rough) & (size * np.abs(slope) <= NOISE * scale)] = 0.0
        except InputError as problem:
            refused = refused or problem
            relative *= SHRINK
            continue
        error_here = _relative(slope, rough, size, scale)
        if best is None or error_here < best[0]:
            best = (error_here, slope)
        if error_here <= GOOD or best[0] < error_here:
            break  # good enough, or smaller steps only bring rounding
        relative *= SHRINK
    if best is None:
        assert refused is not None
        raise refused
    error, slope = best
    if error > BAD:
        message = (
            f"the model does not depend smoothly on it near {value:.6g} (estimated error {error:.1g}); "
            "take derivative='differences', or another value"
        )
        raise InputError(Problem(f"wrt: {name}", message))
    model, of_y, energy, of_memory = np.split(slope, np.cumsum([first, len(y), 1]))
    return Variation(name, value, with_reals(compiled.model, model), of_y, float(energy[0]), of_memory, error)


def difference(
    at: Callable[[float], np.ndarray],
    value: float,
    h: float,
    nominal: np.ndarray,
    enough: Callable[[np.ndarray, np.ndarray], bool],
    bent: Callable[[np.ndarray, np.ndarray], bool],
) -> tuple[np.ndarray, np.ndarray]:
    """Derivative of order 6 (less, if its error is ``enough``), and its error entry by entry."""
    nodes = {0: nominal}

    def node(k: int) -> np.ndarray:
        if k not in nodes:
            nodes[k] = at(value + k * h)
        return nodes[k]

    try:
        slope, off = _line(np.array([node(k) for k in (-1, 0, 1, 2)]), h)
        if enough(slope, off):
            return slope, off
        d, s = _around(node, h, (1, 2))
        off = np.maximum(np.abs(d[1] - d[0]), np.abs(s[1] - 4.0 * s[0]) / (4.0 * h))
        if enough(d[0], off):  # parabolas need no more
            return d[0], off
        last = _around(node, h, (3,))
        orders = np.tensordot(CENTRAL, np.concatenate([d, last[0]]), 1)
        bend = np.abs(15.0 * s[0] - 6.0 * s[1] + last[1][0]) / (12.0 * h)
        if bent(orders[2], bend):
            return orders[2], bend
    except InputError:
        for side in (1.0, -1.0):
            try:
                along = np.array([node(int(side) * k) for k in range(7)])
                break
            except InputError:
                if side < 0.0:
                    raise
        orders = np.tensordot(FORWARD, along - nominal, 1) / (side * h)
    low, high = np.abs(orders[1] - orders[0]), np.abs(orders[2] - orders[1])
    # errors of successive orders fall by the same factor, unless rounding holds them up
    fall = np.divide(high, low, out=np.ones_like(high), where=low > 0.0)
    return orders[2], high * np.minimum(fall, 1.0)


def _line(nodes: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Slope of x at 0 from its values at -h, 0, h, 2h; and how far x, or else 1/x, is from a straight line."""
    slope, off = _straight(nodes, h)
    bent = np.flatnonzero((off > 0.0) & (np.all(nodes > 0.0, axis=0) | np.all(nodes < 0.0, axis=0)))
    if len(bent):
        with np.errstate(over="ignore", invalid="ignore"):  # 1/x of what hardly differs from zero
            square = nodes[1, bent] ** 2
            inverse, apart = _straight(1.0 / nodes[:, bent], h)
            nearer = square * apart < off[bent]
            slope[bent[nearer]] = (-square * inverse)[nearer]
            off[bent[nearer]] = (square * apart)[nearer]
    return slope, off


def _straight(nodes: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Slope at 0 of values at -h, 0, h, 2h; and its change from node to node, zero for straight lines only."""
    return (nodes[2] - nodes[0]) / (2.0 * h), np.max(np.abs(np.diff(nodes, 2, axis=0)), axis=0) / h


def _around(node: Callable[[int], np.ndarray], h: float, steps: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """d_k and s_k."""
    ends = [(node(k), node(-k)) for k in steps]
    first = [(up - down) / (2.0 * k * h) for k, (up, down) in zip(steps, ends, strict=True)]
    return np.array(first), np.array([up - 2.0 * node(0) + down for up, down in ends])


def _scales(compiled: Compiled, nominal: np.ndarray) -> np.ndarray:
    """Size of each number: its own, and not far below the largest of its kind, where rounding is of that size."""
    scale = np.abs(nominal)
    length = float(compiled.model.info[0]["length"])
    n, first = len(compiled.system.bodies), len(reals(compiled.model))
    kinds = [(span, name in PLACES) for name, span in labels(compiled.model) if name not in MIXED]
    kinds += [(slice(first, first + 7 * n), True), (slice(first + 7 * n, first + 13 * n), False)]
    memory = slice(len(scale) - len(compiled.state.memory), len(scale))
    scale[memory] = np.maximum(scale[memory], FLOOR)  # angles: their size is 1
    for span, is_place in kinds:
        most = float(np.max(scale[span], initial=min(1.0, length) if is_place else 0.0))
        scale[span] = np.maximum(scale[span], FLOOR * most)
    return scale


def _relative(slope: np.ndarray, error: np.ndarray, size: float, scale: np.ndarray) -> float:
    """Worst error of a relative change: error rho / max(|x|, |rho dx/drho|)."""
    reference = np.maximum(scale, size * np.abs(slope))
    return float(np.max(np.divide(size * error, reference, out=np.zeros_like(error), where=reference > 0.0)))
