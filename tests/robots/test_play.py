"""Imperfections by the names of joints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from robot_texts import arm, joint, link, written

import jointplay as jp


def test_a_law_goes_where_it_belongs(tmp_path: Path) -> None:
    file = written(tmp_path, arm(link("tool"), joint("mount", "lower", "tool", "fixed")))
    gap = jp.Clearance("0.1 mm", contact=jp.Rigid(restitution=0.5))
    system, _ = jp.read(file, play={"elbow": gap, "shoulder": jp.Spring(stiffness=2.0), "mount": jp.Bushing(1e7, 1e4)})
    shoulder, elbow, mount = system.joints
    assert elbow.closed["radial"] == jp.Clearance(1e-4, contact=jp.Rigid(restitution=0.5))
    assert [law.key for law in shoulder.free["angle"]] == ["stop", "spring"]
    assert mount.kind.key == "fixed" and mount.closed["radial"].key == "bushing"


def test_a_mapping_gives_any_field(tmp_path: Path) -> None:
    friction = jp.Coulomb(0.1)
    fields = {"radial": jp.Clearance("0.1 mm", friction=friction), "radius": "5 mm", "length": "20 mm"}
    system, _ = jp.read(written(tmp_path, arm()), play={"elbow": fields})
    assert system.joints[1].geometry == {"radius": 0.005, "length": 0.02}
    assert "tilt" not in system.joints[1].closed  # the journal holds it
    with pytest.raises(jp.InputError, match="'radius' is missing") as caught:
        jp.read(tmp_path / "r.urdf", play={"elbow": fields["radial"]})
    assert caught.value.problems[0].line == 6


def test_play_shows_in_a_run(tmp_path: Path) -> None:
    file = written(tmp_path, arm())
    gap = jp.Clearance("0.1 mm", contact=jp.Rigid(restitution=0.0))
    system, _ = jp.read(file, play={"elbow": {"radial": gap, "length": "30 mm"}})
    sol = jp.simulate(system, until=0.2, method=jp.Moreau(step=1e-4), save=1e-2)
    assert sol.outcome.ok
    gaps = sol["elbow.gap"]
    assert gaps.min() > -1e-9 and gaps.max() > 1e-5
    ideal = jp.simulate(jp.read(file)[0], until=0.2, method=jp.Moreau(step=1e-4), save=1e-2)
    apart = np.linalg.norm(sol["lower.position"] - ideal["lower.position"], axis=1)
    assert 1e-5 < apart.max() < 1e-2
