"""DCMotor: a motor with brushes and permanent magnets behind a gear without loss, fed by a voltage.

    lambda = n k i,      L i' = u - R i - n k v

v is the rate of the coordinate, n v that of the rotor; k (``constant``) is the torque per current, and by the same
number the voltage per speed (in SI; k of a data sheet may be two numbers, in other units). i is the state ``current``
(A). With L = 0 it follows at once, i = (u - n k v)/R, and there is no state.

On an angle lambda is a torque; on a displacement it is a force and k the force per current of a linear motor.

The inertia of the rotor is not part of the law: a law gives forces, and n^2 J would multiply an acceleration. Add it to
the inertia of the body that the motor turns, about the joint axis: exact where the stator stands on the ground.
Elsewhere make the rotor a body with a hinge on the stator, and a gear joint to what it turns
(docs/how-to/controllers.md).

Of the electric power u i, R i^2 becomes heat, d(L i^2/2)/dt is stored in the field, and lambda v reaches the mechanism.
Only this last one is in the energy ledger of the mechanism, as input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from .base import quantity
from .expressed import Actuator, OwnState


@dataclass(frozen=True)
class DCMotor(Actuator):
    """A DC motor: ``DCMotor("24 V", resistance="2 ohm", constant="0.05 N*m/A", inductance="1 mH", gear=20)``."""

    key: ClassVar[str] = "dc_motor"
    effort: ClassVar[str] = "motor"

    voltage: Any = field(metadata={"signal": "V", "senses": True})
    resistance: Any = quantity("ohm", above=0.0)
    constant: Any = quantity("F/A")
    inductance: Any = quantity("H", 0.0, least=0.0)
    gear: Any = quantity("", 1.0)
    start: Any = quantity("A", None)

    def expressions(self) -> tuple[str, dict[str, OwnState]]:
        """Force and states; see the text above."""
        if self.gear == 0.0:
            raise ValueError("'gear' is the ratio of motor speed to joint speed and must not be zero")
        if self.inductance == 0.0:
            if self.start is not None:
                raise ValueError("'start' is the current at the start; without inductance the current has none")
            return "gear*constant*(voltage - gear*constant*v)/resistance", {}
        rate = "(voltage - resistance*current - gear*constant*v)/inductance"
        return "gear*constant*current", {"current": OwnState("A", rate, self.start or 0.0)}
