"""What is worth knowing before a run: compliant contacts as they act, oddities, smooth friction, play as an angle."""

from __future__ import annotations

import math

from ..joints.coupling import lever_of
from ..laws.clearance import Clearance
from ..laws.smooth import Smooth
from ..model.system import System
from .pack import Compiled


def backlash_notes(system: System) -> list[str]:
    """One sentence for each coupling with play: as a length and as an angle, whichever of them was given."""
    found = []
    for joint in system.joints:
        if joint.kind.coupling is None:
            continue
        pair = (joint.first.body, joint.second.body)
        turns, stands = pair if joint.kind.coupling.screws else pair[::-1]
        for group, law in joint.closed.items():
            if isinstance(law, Clearance):
                gap = float(law.gap)
                angle = math.degrees(gap / lever_of(joint.weights))
                found.append(
                    f"play of {joint.name}.{group}: {1e3 * gap:.6g} mm to either side of the middle, which is "
                    f"{angle:.6g} deg of {turns} while {stands} stands still"
                )
    return found


def contact_notes(compiled: Compiled) -> list[str]:
    """One sentence for each compliant contact, and one for friction that creeps where dry friction would stick."""
    contacts: dict[str, str] = {}
    friction: dict[str, str] = {}
    warnings: dict[str, str] = {}
    for one in compiled.interactions:
        soft = one.law.soft() if one.law else None
        unit = one.use.relation.unit
        if soft is not None and one.name not in contacts:
            strips = int(getattr(one.law, "strips", None) or 1)
            each = f", each of {strips} strips" if strips > 1 else ""
            contacts[one.name] = f"contact {one.name}: {soft.contact.summary(unit)}{each}"  # type: ignore[attr-defined]
            remark = getattr(soft.contact, "remark", str)()
            if remark:
                warnings[one.name] = f"warning: {one.name}: {remark}"
        rubs = soft.friction if soft else one.law
        if isinstance(rubs, Smooth):
            speed = f"{rubs.creep:.3g} {'m' if soft else unit}/s"
            friction[one.name] = f"friction of {one.name} is smooth: it creeps below {speed} instead of sticking"
    return [*contacts.values(), *warnings.values(), *friction.values()]
