"""Servo: a PID controller on a coordinate, with a limit of its force, anti-windup and a filter of its rate.

    e = target - x,   d = target' - v,   u = kp e + I + kd d,   lambda = clip(u, -limit, limit)
    I' = ki e + (lambda - u)/tracking

x and v are the coordinate and its rate, lambda acts on it in F. target' is the field ``target_rate``, 0 unless given:
then the derivative acts on the motion alone, and a target that jumps gives no pulse.

Anti-windup by back-calculation: while the force is at its limit, I follows what can be delivered within the time
``tracking``. Without a limit the second term vanishes. Unless given, tracking = kp/ki, the integral time of the
controller; between kd/kp and kp/ki is usual.

With a filter of the time constant T, d is the state T d' = target' - v - d, which starts at 0: the transfer function of
the derivative is kd s/(1 + T s).

States: ``integral`` (I, in F), ``error_rate`` (d, in X/s, with a filter only).
Source: K. J. Astrom, T. Hagglund, Advanced PID Control, ISA (2006), chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from .base import quantity
from .expressed import Actuator, OwnState


@dataclass(frozen=True)
class Servo(Actuator):
    """A PID controller of a coordinate: ``Servo("30 deg", kp=40, ki=15, kd=3, limit="12 N*m")``."""

    key: ClassVar[str] = "servo"
    effort: ClassVar[str] = "servo"

    target: Any = field(metadata={"signal": "X", "senses": True})
    kp: Any = quantity("F/X")
    ki: Any = quantity("F/(X*s)", None)
    kd: Any = quantity("F*s/X", None)
    limit: Any = quantity("F", None, above=0.0)
    tracking: Any = quantity("s", None, above=0.0)
    filter: Any = quantity("s", None, above=0.0)
    target_rate: Any = field(default=None, metadata={"signal": "X/s", "senses": True})
    start: Any = quantity("F", None)

    def expressions(self) -> tuple[str, dict[str, OwnState]]:
        """Force and states; see the text above."""
        self._check()
        states = {}
        rate = "(target_rate - v)" if self.target_rate is not None else "(-v)"
        terms = ["kp*(target - x)"]
        if self.ki is not None:
            terms.append("integral")
        if self.kd is not None:
            terms.append("kd*error_rate" if self.filter is not None else f"kd*{rate}")
        wanted = " + ".join(terms)
        force = wanted if self.limit is None else f"clip({wanted}, -limit, limit)"
        if self.ki is not None:
            follow = "ki/kp*" if self.tracking is None else "1/tracking*"
            back = "" if self.limit is None else f" + {follow}({force} - ({wanted}))"
            states["integral"] = OwnState("F", f"ki*(target - x){back}", self.start or 0.0)
        if self.filter is not None:
            states["error_rate"] = OwnState("X/s", f"({rate} - error_rate)/filter")
        return force, states

    def _check(self) -> None:
        """ValueError for fields that have no effect, or are not enough."""
        if self.start is not None and self.ki is None:
            raise ValueError("'start' is the integral part at the start; give 'ki' as well")
        if self.tracking is not None and (self.ki is None or self.limit is None):
            raise ValueError("'tracking' is how the integral part follows a limited force; give 'ki' and 'limit'")
        if self.filter is not None and self.kd is None:
            raise ValueError("'filter' smooths the rate that 'kd' multiplies; give 'kd' as well")
        if self.target_rate is not None and self.kd is None:
            raise ValueError("'target_rate' is what 'kd' compares the rate with; give 'kd' as well")
        if self.ki is not None and self.limit is not None and self.tracking is None and not self.kp * self.ki > 0.0:
            raise ValueError("'tracking' is kp/ki unless given, which needs both above zero; give it as a time")
