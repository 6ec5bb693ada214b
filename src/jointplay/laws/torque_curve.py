"""TorqueCurve: a force or torque that is a given function of the rate, times a throttle.

    lambda = throttle f(v)

f goes through the points (v_k, f_k) in straight lines; beyond the first and the last it keeps their values. Speeds are
signed: a curve from 0 on keeps its torque at standstill for a joint that is turned backwards. With s_k = (f_(k+1) -
f_k)/(v_(k+1) - v_k),

    f(v) = f_0 + sum_k s_k (clip(v, v_k, v_(k+1)) - v_k)

so f is exact, continuous, and not smooth at its points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from .expressed import Actuator, OwnState

MOST_POINTS = 100  # each is evaluated whenever the force is


@dataclass(frozen=True)
class TorqueCurve(Actuator):
    """Torque over speed: ``TorqueCurve([[0, 40], ["1500 rpm", "55 N*m"], ["3000 rpm", 0]], throttle="pedal")``."""

    key: ClassVar[str] = "torque_curve"
    effort: ClassVar[str] = "curve"

    points: Any = field(metadata={"pairs": ("X/s", "F")})
    throttle: Any = field(default=None, metadata={"signal": "", "senses": True})

    def expressions(self) -> tuple[str, dict[str, OwnState]]:
        """Force; see the text above."""
        points = self.points
        if not 2 <= len(points) <= MOST_POINTS:
            raise ValueError(f"needs 2 to {MOST_POINTS} points [speed, force], has {len(points)}")
        for k, ((v, _), (then, _)) in enumerate(zip(points[:-1], points[1:], strict=True), 2):
            if not then > v:
                raise ValueError(f"speeds must rise from point to point, but go from {v:g} to {then:g} at point {k}")
        terms = [_literal(points[0][1])]
        for (v, f), (then, other) in zip(points[:-1], points[1:], strict=True):
            slope = (other - f) / (then - v)
            terms.append(f"{_literal(slope)}*(clip(v, {_literal(v)}, {_literal(then)}) - {_literal(v)})")
        curve = f"({' + '.join(terms)})"
        return (curve if self.throttle is None else f"throttle*{curve}"), {}


def _literal(value: float) -> str:
    """A number as expressions read it, to the last digit."""
    return f"({float(value)!r})"
