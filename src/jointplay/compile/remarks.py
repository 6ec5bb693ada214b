"""What is worth knowing about compliant contacts before a run: their laws as they act, oddities, smooth friction."""

from __future__ import annotations

from ..laws.smooth import Smooth
from .pack import Compiled


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
            contacts[one.name] = f"contact {one.name}: {soft.contact.said(unit)}{each}"  # type: ignore[attr-defined]
            remark = getattr(soft.contact, "remark", str)()
            if remark:
                warnings[one.name] = f"warning: {one.name}: {remark}"
        rubs = soft.friction if soft else one.law
        if isinstance(rubs, Smooth):
            speed = f"{rubs.creep:.3g} {'m' if soft else unit}/s"
            friction[one.name] = f"friction of {one.name} is smooth: it creeps below {speed} instead of sticking"
    return [*contacts.values(), *warnings.values(), *friction.values()]
