"""The measured order of every method is its declared one, on closed spatial loops in smooth motion.

The error at common instants over all positions, orientations and velocities falls like h^order: the slope of its
logarithm over a range of h in which it stays far above rounding is the order.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from mechanisms import swing

import jointplay as jp
from jointplay.methods.base import Method
from jointplay.methods.registry import REGISTRY

UNTIL = 2.0
ENDS = (0.5, 1.0, 1.5, 2.0)
BODIES = ("plate", "hanger")
REFERENCE = jp.Explicit(rtol=1e-13, atol=1e-14)
FIXED_STEP = [method for method in REGISTRY if "step" in method.__dataclass_fields__]


def state(method: Method, times: tuple[float, ...]) -> np.ndarray:
    sol = jp.simulate(swing(), until=UNTIL, method=method, save=np.array(times))
    assert sol.outcome.ok, sol.outcome.message
    quantities = ("position", "orientation", "velocity", "angular_velocity")
    return np.concatenate([sol[f"{body}.{name}"] for body in BODIES for name in quantities], axis=1)


@cache
def reference(times: tuple[float, ...]) -> np.ndarray:
    return state(REFERENCE, times)


def error(method: Method, times: tuple[float, ...]) -> float:
    return float(np.sqrt(np.mean((state(method, times) - reference(times)) ** 2)))


def slope(steps: tuple[int, ...], errors: list[float]) -> float:
    return float(-np.polyfit(np.log(steps), np.log(errors), 1)[0])


def test_the_reference_can_be_trusted() -> None:
    """Fixed steps far inside the range of rounding give the same state."""
    assert error(jp.Explicit(step=UNTIL / 200), ENDS) <= 1e-12


@pytest.mark.parametrize("method", FIXED_STEP, ids=lambda method: method.key)
def test_measured_order_is_the_declared_one(method) -> None:
    steps = (16, 20, 24, 32, 40, 48) if method.order > 4 else (80, 120, 160, 240, 320)
    errors = [error(method(step=UNTIL / n), ENDS) for n in steps]
    assert min(errors) > 1e-13
    assert slope(steps, errors) == pytest.approx(method.order, abs=0.1)


@pytest.mark.parametrize("method", FIXED_STEP, ids=lambda method: method.key)
def test_what_is_saved_inside_a_step_is_nearly_as_good_as_its_end(method) -> None:
    n = 24 if method.order > 4 else 160
    h = UNTIL / n
    inside = tuple(h * (k + x) for k in range(3, n - 1, 5) for x in (0.21, 0.5, 0.83))
    ends = tuple(h * k for k in range(4, n, 5))
    assert error(method(step=h), inside) <= 10.0 * error(method(step=h), ends)


def test_dense_output_of_controlled_steps() -> None:
    """Between its own steps, which are long, the solution is within the tolerance."""
    times = tuple(np.linspace(0.0, UNTIL, 501))
    for rtol in (1e-6, 1e-9, 1e-11):
        sol = jp.simulate(swing(), until=UNTIL, method=jp.Explicit(rtol=rtol, atol=rtol), save=[UNTIL])
        assert sol.stats["steps"] < 100
        found = state(jp.Explicit(rtol=rtol, atol=rtol), times)
        assert np.max(np.abs(found - reference(times))) <= 30 * rtol


def test_saved_states_satisfy_the_joints() -> None:
    """Dense output is projected: residuals inside a step are those of a step end, and velocities fit the joints."""
    sol = jp.simulate(swing(), until=UNTIL, method=jp.Explicit(rtol=1e-5, atol=1e-5), save=0.003)
    for joint in ("top", "foot", "rod1", "rod2"):
        assert np.max(sol[f"{joint}.residual"]) <= 1e-11
    assert sol.stats["worst_velocity_residual"] <= 1e-10
