"""What may be a slip, or was left open: it can be meant, so it is reported and not refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..laws.clearance import Clearance
from ..laws.stop import Stop
from ..model.system import System
from ..quantities.units import value_of
from .extent import size_of

WIDE = 0.05  # of the size of the mechanism; in machines play is some thousandths of it


def doubtful_clearances(system: System, size: float | None = None) -> list[str]:
    """One sentence for each clearance that is wide beside a mechanism of this size, and was given without a unit."""
    size = size_of(system) if size is None else size
    given = system.given("joints")
    found = []
    for joint in system.joints:
        for group, law in joint.closed.items():
            if not isinstance(law, Clearance) or float(law.gap) <= WIDE * size:
                continue
            raw = _gap(given[joint.name].get(group))
            if raw is not None and value_of(raw, system.values).dimension is None:
                wide = f"the clearance of {joint.name}.{group} is {law.gap:.4g} m in a mechanism of {size:.3g} m"
                found.append(f"{wide}: did you mean '{law.gap:.4g} mm'?")
    return found


def open_contacts(system: System) -> list[str]:
    """A sentence about clearances and stops whose contact is not given."""
    given = system.given("joints")
    left_open = []
    for joint in system.joints:
        laws = [(group, given[joint.name].get(group)) for group in joint.closed]
        for coordinate in joint.free:
            raw = given[joint.name].get(coordinate)
            laws += [(coordinate, one) for one in (raw if isinstance(raw, list) else [raw])]
        left_open += [
            f"{joint.name}.{place}" for place, raw in laws if any(_left_open(raw, law) for law in (Clearance, Stop))
        ]
    if not left_open:
        return []
    return [f"no contact is given for {', '.join(left_open)}: it is rigid and does not rebound (restitution 0)"]


def _left_open(raw: Any, law: type[Clearance] | type[Stop]) -> bool:
    """True if ``raw`` is such a law without a contact."""
    if isinstance(raw, law):
        return raw.contact is law.contact
    if not isinstance(raw, Mapping) or law.key not in raw:
        return False
    head = raw[law.key]
    return "contact" not in raw and not (isinstance(head, Mapping) and "contact" in head)


def _gap(raw: Any) -> Any:
    """The gap of a clearance as it was given."""
    if isinstance(raw, Clearance):
        return raw.gap
    head = raw.get("clearance") if isinstance(raw, Mapping) else None
    return head.get("gap") if isinstance(head, Mapping) else head
