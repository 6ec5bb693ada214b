"""Every quantity of a run has a name of its own."""

from __future__ import annotations

from typing import Any

import pytest

import jointplay as jp
from jointplay.compile.build import compile_system
from jointplay.results.layout import Layout, Variable, layout_of


def slider(*, contact: Any = None, **laws: Any) -> jp.System:
    s = jp.System("guide", planar=True)
    b = s.body("b", mass=1, inertia=1)
    clear = jp.Clearance(1e-3, contact=contact or jp.Rigid(), friction=jp.Coulomb(0.1, creep=1e-3 if contact else None))
    s.prismatic("D", s.ground, b, point=[0, 0], axis=[1, 0, 0], length=0.1, width=0.05, radial=clear, **laws)
    return s


SOFT = jp.Hertz(1e6)


@pytest.mark.parametrize("contact", [None, SOFT], ids=["rigid", "compliant"])
@pytest.mark.parametrize(
    "laws",
    [
        [jp.Coulomb(0.1, load=10)],
        [jp.ConstantFriction(3.0)],
        [jp.BrownMcPhee(0.2, 0.1, 1e-3, load=10)],
        [jp.ConstantFriction(3.0), jp.Coulomb(0.1, load=10), jp.Spring(stiffness=1.0)],
    ],
    ids=["coulomb", "constant", "smooth", "several"],
)
def test_friction_in_a_clearance_and_on_the_coordinate(contact: Any, laws: list[Any]) -> None:
    layout = layout_of(compile_system(slider(contact=contact, displacement=laws)))
    frictions = [name for name in layout.names if "friction_force" in name]
    rubs = sum(not isinstance(law, jp.Spring) for law in laws)
    assert frictions[-1] == "D.friction_force" and frictions[:-1] == [f"D.friction_force_{k + 2}" for k in range(rubs)]
    own = [layout.find(name) for name in layout.names]
    assert layout.find("D.friction_force")[0].grouped
    assert all(variable.name == "effort" for variable, _ in (layout.find(name) for name in frictions[:-1]))
    used = [c for variable, k in own for e in (k if isinstance(k, list) else [k]) for c in variable.columns[e]]
    assert len(set(used)) == len(used)  # no number is read by two names


def test_a_joint_without_contacts_keeps_plain_names() -> None:
    s = jp.System("guide", planar=True)
    b = s.body("b", mass=1, inertia=1)
    s.prismatic("D", s.ground, b, point=[0, 0], axis=[1, 0, 0], displacement=jp.ConstantFriction(1.0))
    assert "D.friction_force" in layout_of(compile_system(s)).names


def test_two_quantities_of_one_name_are_refused() -> None:
    def variable(name: str, *publics: str, grouped: bool = False) -> Variable:
        columns = tuple((k,) for k in range(len(publics)))
        return Variable(name, "law", publics, publics, ("N",) * len(publics), columns, "", grouped)

    Layout((variable("gap", "D.gap", "D.gap", grouped=True), variable("effort", "D.force")), 3)
    for pair in (
        (variable("gap", "D.gap", grouped=True), variable("effort", "D.gap")),
        (variable("effort", "D.gap", "D.gap"),),
        (variable("gap", "D.gap", grouped=True), variable("room", "D.gap", grouped=True)),
    ):
        with pytest.raises(ValueError, match="two quantities of one name: D.gap"):
            Layout(pair, 3)
