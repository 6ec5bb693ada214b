"""Which forces of a run are those of rigid contacts: impulses, whose height at an instant has no meaning.

What is recorded as the force of a rigid contact at an instant, or as a reaction or an acceleration that carries it, is
as high as the time that it acts in is short; step and saved instants decide it, not the mechanism.
"""

from __future__ import annotations

from .layout import Layout

WHY = "a rigid contact passes on impulses: its force at an instant is as high as a step is short, and is no result"
NOT_FORCES = "impacts of rigid contacts are impulses, not forces: see sol.impacts"  # shown beside curves and columns
CARRIED = {  # variables that carry the forces of rigid contacts anywhere in the model
    "force",
    "torque",
    "force_local",
    "torque_local",
    "acceleration",
    "angular_acceleration",
    "marker_acceleration",
    "friction_normal",
}
STOPS = ("[lower]", "[upper]")
CONTACT = {"normal_force", "friction_force"}
FINITE = ("spring_", "bushing_", "force", "torque")  # efforts that follow from positions and velocities


def walls(layout: Layout) -> list[str]:
    """Rigid contacts of clearances and stops, such as ``D.radial[0]``; brakes have no wall."""
    return [name for name in layout.contacts if name.endswith("]")]


def impulsive(layout: Layout, public: str) -> bool:
    """Whether the quantity of a public name is a force that rigid contacts make."""
    rigid = walls(layout)
    try:
        variable, places = layout.find(public)
    except KeyError:  # made from others, such as the total energy
        return False
    if not rigid or variable.name in CARRIED:
        return bool(rigid)
    if variable.name in CONTACT and isinstance(places, list):
        return any(variable.labels[k] in rigid for k in places)
    if variable.name != "effort":
        return False
    quantity = public.partition(".")[2]
    return bool(stop_walls(layout, public)) if quantity.startswith("stop_") else not quantity.startswith(FINITE)


def is_impulsive(layout: Layout, name: str) -> bool:
    """The same for a component, ``B.force[0]``, and for a magnitude, ``|B.force|``."""
    return impulsive(layout, name.strip("|").partition("[")[0])


def stop_walls(layout: Layout, effort: str) -> list[str]:
    """Rigid walls whose force is the ``effort`` of a stop: ``A.angle[upper]`` of ``A.stop_torque``."""
    owner, _, quantity = effort.partition(".")
    unit = "rad" if quantity.startswith("stop_torque") else "m"
    free = {
        label
        for variable in layout.variables
        if variable.name == "coordinate_value"
        for label, of in zip(variable.labels, variable.units, strict=True)
        if label.startswith(f"{owner}.") and of == unit
    }
    return [name for name in walls(layout) if name.endswith(STOPS) and name.rpartition("[")[0] in free]
