"""check: what a careful colleague would remark on a model before it runs.

Errors (it cannot run) and warnings (it can, but look here): mobility, redundant and contradictory constraints by joint
and direction, what the assembly changed, bodies that nothing holds, sizes that look like a wrong unit.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError
from ..model.elements import GROUND
from ..model.system import System
from .build import compile_system
from .doubts import doubtful_clearances, open_contacts
from .extent import size_of
from .remarks import backlash_notes, contact_notes
from .sharing import shared_friction

MASS_RATIO = 1e6
GYRATION = (1e-4, 1e2)  # radius of gyration relative to the size of the mechanism
GRAVITY = 100.0  # m/s2


@dataclass
class CheckReport:
    """Result of a check; ``print(report)`` shows it."""

    name: str
    planar: bool
    bodies: int
    joints: int
    springs: int
    loads: int
    mobility: int | None = None  # degrees of freedom
    closed_rows: int = 0
    redundant: list[str] = field(default_factory=list)  # "D.tilt[0]": repeats what other joints fix
    singular: list[str] = field(default_factory=list)
    sharing: dict[str, tuple[float, float, float]] = field(default_factory=dict)  # joints whose friction depends on how
    # redundant joints share loads: normal force (N) at the start, least, taken and most
    contacts: dict[str, float] = field(default_factory=dict)  # gap of each possible contact at the start
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """True if the model can run."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"ok": self.ok}

    def text(self) -> str:
        """For people."""
        kind = "planar" if self.planar else "spatial"
        counts = f"{self.bodies} bodies, {self.joints} joints, {self.springs} springs, {self.loads} loads"
        lines = [f"{self.name or 'model'}: {kind}, {counts}"]
        if self.mobility is not None:
            lines.append(
                f"degrees of freedom: {self.mobility}  ({3 if self.planar else 6} x {self.bodies} - {self.closed_rows} "
                f"constraints{f' + {len(self.redundant)} redundant' if self.redundant else ''})"
            )
        if self.redundant:
            lines.append(f"redundant (repeat what other joints fix): {', '.join(self.redundant)}")
            unique = "" if self.sharing else "the motion is unique; "
            lines.append(f"  {unique}reactions that these directions share are those of least norm")
        if self.singular:
            lines.append(f"singular position: {', '.join(self.singular)} depend on other rows here, but not nearby")
        lines += self._contact_lines()
        lines += [f"note: {note}" for note in self.notes]
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines += [f"error: {problem}" for problem in self.problems]
        lines.append("ok" if self.ok else "this model cannot run")
        return "\n".join(lines)

    def _contact_lines(self) -> list[str]:
        """Possible contacts, by joint and direction."""
        groups: dict[str, list[float]] = {}
        for name, gap in self.contacts.items():
            groups.setdefault(name.partition("[")[0], []).append(gap)
        return [
            f"contacts {name}: {len(gaps)}, gaps at the start {min(gaps):.4g} to {max(gaps):.4g} m (or rad)"
            for name, gaps in groups.items()
        ]

    def _repr_html_(self) -> str:
        from ..notebook import check_html

        return check_html(self)

    __str__ = text


def check_system(system: System) -> CheckReport:
    """Check a system; problems are collected, never raised."""
    report = CheckReport(
        name=system.name,
        planar=system.planar,
        bodies=len(system.bodies),
        joints=len(system.joints),
        springs=len(system.springs),
        loads=len(system.loads),
    )
    if not system.bodies:
        report.problems.append("there are no bodies")
        return report
    size = size_of(system)
    report.warnings += [
        *system.warnings,
        *_connections(system),
        *_scales(system, size),
        *_horizon(system),
        *doubtful_clearances(system, size),
    ]
    try:
        compiled = compile_system(system, horizon=(system.run or {}).get("until") or 1.0)
    except InputError as error:
        report.problems += [str(problem) for problem in error.problems]
        return report
    rank = compiled.rank
    report.mobility = rank.mobility
    report.closed_rows = int(compiled.model.info[0]["bilateral"])
    report.redundant, report.singular = rank.redundant, rank.singular
    report.contacts = {
        name: float(gap)
        for name, gap in zip((*compiled.contacts, *compiled.pads), compiled.gaps, strict=True)
        if gap < 1e299
    }
    report.notes += [*compiled.notes, *backlash_notes(system), *open_contacts(system)]
    sharing = shared_friction(compiled)
    report.sharing = sharing.normal if sharing else {}
    for note in (*contact_notes(compiled), *([sharing.note()] if sharing else [])):
        (report.warnings if note.startswith("warning: ") else report.notes).append(note.removeprefix("warning: "))
    if rank.mobility == 0:
        driven = len(compiled.model.driven)
        report.notes.append("every motion is driven" if driven else "nothing can move: the joints fix every body")
    return report


def _connections(system: System) -> list[str]:
    """Bodies that nothing holds, and groups that hang together but not on the ground."""
    group = {body.name: body.name for body in system.bodies} | {GROUND: GROUND}

    def root(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    links = [(joint.first, joint.second) for joint in system.joints]
    links += [(spring.first, spring.second) for spring in system.springs]
    for first, second in links:
        a, b = root(first.body), root(second.body)
        group[a if b == GROUND else b] = b if b == GROUND else a
    loose: dict[str, list[str]] = {}
    for body in system.bodies:
        if root(body.name) != root(GROUND):
            loose.setdefault(root(body.name), []).append(body.name)
    found = []
    for names in loose.values():
        shown = ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")
        if len(names) == 1:
            found.append(f"body {shown} is connected to nothing: it moves freely")
        else:
            found.append(f"bodies {shown} are connected to each other but not to the ground")
    return found


def _scales(system: System, size: float) -> list[str]:
    """Sizes that look like a wrong unit in a mechanism of this size (m)."""
    found = []
    masses = {body.name: body.mass for body in system.bodies}
    light, heavy = min(masses, key=masses.__getitem__), max(masses, key=masses.__getitem__)
    if masses[heavy] > MASS_RATIO * masses[light]:
        found.append(f"{heavy} has {masses[heavy]:g} kg beside {light} with {masses[light]:g} kg: is a unit wrong?")
    for body in system.bodies:
        moments = [body.inertia[2, 2]] if system.planar else np.linalg.eigvalsh(body.inertia)
        least, most = (float(np.sqrt(m / body.mass)) for m in (np.min(moments), np.max(moments)))
        if most > GYRATION[1] * size or least < GYRATION[0] * size:
            radius = most if most > GYRATION[1] * size else least
            found.append(
                f"the inertia of {body.name} belongs to a radius of gyration of {radius:.3g} m in a mechanism of "
                f"{size:.3g} m: is it in kg m2, about the centre of mass?"
            )
    weight = float(np.linalg.norm(system.gravity))
    if weight > GRAVITY:
        found.append(f"gravity is {weight:g} m/s2: is it in m/s2?")
    return found


def _horizon(system: System) -> list[str]:
    """Tables that end before the run does."""
    until = (system.run or {}).get("until")
    if not until:
        return []
    signals = [(load.name, c) for load in system.loads for c in load.components]
    for joint in system.joints:
        for laws in joint.free.values():
            signals += [(joint.name, law.value) for law in laws if hasattr(law, "value")]
    found = []
    for name, given in signals:
        end = getattr(given, "end", None)
        if end is not None and end < until:
            found.append(f"the table of {name} ends at {end:g} s, before the run ({until:g} s): its last value is held")
    return found
