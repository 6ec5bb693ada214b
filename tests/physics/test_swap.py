"""Any nature for any joint of one mechanism: one argument changes, nothing else, and no method is named.

The play is so small and the contacts are so stiff that the crank of the spatial slider-crank (paper C) turns almost as
with ideal joints; how almost is the play over the crank's length, and what friction and impacts take.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries

UNTIL = 0.1  # s
IDEAL = 0.560206  # rad turned until then
GAP = 1e-4  # m
CONTACT = jp.HuntCrossley(stiffness=1e10, restitution=0.5, form="exact")
SIDE = 8e-3
SIZES: dict[str, dict[str, Any]] = {
    "A": {"length": 0.02, "radius": 8e-3},
    "B": {"radius": 8e-3},
    "C": {"radius": 8e-3},
    "D": {"length": 0.04, "section": [[0, -SIDE, -SIDE], [0, SIDE, -SIDE], [0, SIDE, SIDE], [0, -SIDE, SIDE]]},
}
BLENDED = jp.Blended(jp.Bushing(stiffness=1e6), travel=1e-4, hard=jp.Hertz(stiffness=1e11), blend=1e-5)
NATURES: dict[str, Any] = {
    "ideal": jp.Ideal(),
    "rigid": jp.Clearance(GAP, contact=jp.Rigid(restitution=0.5)),
    "rigid with friction": jp.Clearance(GAP, contact=jp.Rigid(restitution=0.5), friction=jp.Coulomb(0.01)),
    "compliant": jp.Clearance(GAP, contact=CONTACT),
    "compliant with friction": jp.Clearance(GAP, contact=CONTACT, friction=jp.Coulomb(0.01)),
    "compliant without play": jp.Clearance(0.0, contact=CONTACT),
    "steel": jp.Clearance(GAP, contact=jp.Flores(material="steel", restitution=0.5)),
    "blended": jp.Clearance(GAP, contact=BLENDED),
    "bushing": jp.Bushing(stiffness=1e6, damping=100.0),
    "curve": jp.Bushing(curve=[(0, 0), (1e-4, 50), (2e-4, 200)], damping=10.0),
}


def swapped(joint: str, argument: str, law: Any) -> jp.Solution:
    """A run of the slider-crank, whose joints have sizes, with one argument of one joint set to ``law``."""
    tree = jp.load_model(entries()["slider_crank"]).to_tree()
    for name, sizes in SIZES.items():
        tree["joints"][name].update(sizes)
    tree["joints"][joint][argument] = law
    sol = jp.simulate(jp.System.from_tree(tree), UNTIL, save=1e-3)
    assert sol.outcome.ok, sol.outcome.message
    return sol


@pytest.mark.parametrize("nature", NATURES)
@pytest.mark.parametrize("joint", SIZES)
def test_every_nature_of_every_joint(joint: str, nature: str) -> None:
    if (joint, nature) == ("D", "steel"):
        with pytest.raises(jp.InputError, match="radii"):  # flat walls have none to find a stiffness from
            swapped(joint, "radial", NATURES[nature])
        return
    sol = swapped(joint, "radial", NATURES[nature])
    loose = {"ideal": 1e-6, "compliant without play": 1e-3}.get(nature, 2e-2)
    assert abs(sol["A.angle"][-1] - IDEAL) <= loose
    assert np.max(np.abs(sol["energy.error"])) <= 2e-6
    assert sol["energy.dissipated"][-1] >= 0.0
    assert sol.stats.get("deepest_onset", 0.0) <= 1.01e-9
    chosen = "Moreau" if nature.startswith("rigid") else ("Explicit", "Implicit")
    assert sol.meta["method"].startswith(chosen)


@pytest.mark.parametrize("contact", [CONTACT, jp.Rigid(restitution=0.5)], ids=["compliant", "rigid"])
@pytest.mark.parametrize(("joint", "coordinate"), [("A", "angle"), ("C", "angle_a"), ("C", "angle_b")])
def test_a_stop_on_any_free_coordinate(joint: str, coordinate: str, contact: Any) -> None:
    """Each of these angles would pass 0.05 rad."""
    sol = swapped(joint, coordinate, jp.Stop(lower=-0.05, upper=0.05, contact=contact))
    assert 0.049 < np.max(np.abs(sol[f"{joint}.{coordinate}"])) <= 0.0501
    assert sol["energy.dissipated"][-1] > 0.01
    assert np.max(np.abs(sol["energy.error"])) <= 2e-6
