"""Sketches of mechanisms: everything is there, where it was drawn; joints that are not perfect are red."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.figures import schematic
from jointplay.figures.style import RED


def test_planar_mechanism() -> None:
    system = jp.load_model(GALLERY / "slider_crank_clearance.yaml")
    (ax,) = schematic(system).axes
    said = {text.get_text(): text for text in ax.texts}
    assert set(said) == {"crank", "rod", "slider", "A", "B", "C, D"}  # C and D lie upon each other
    assert said["C, D"].get_color() == RED and said["A"].get_color() != RED
    assert said["rod"].xy == pytest.approx(system.bodies[1].position[:2])
    places = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "s"]
    assert places == [pytest.approx([0.459, 0.0])]
    assert ax.get_aspect() == 1.0


def test_springs_and_space() -> None:
    (ax,) = schematic(jp.load_model(GALLERY / "rabinowicz.yaml")).axes
    coils = [line for line in ax.lines if len(line.get_xdata()) == 15]
    assert len(coils) == 1
    feet = [line for line in ax.lines if line.get_marker() == 6]
    assert len(feet) == 2
    upright = schematic(jp.load_model(GALLERY / "slider_crank.yaml")).axes[0]
    ends = {text.get_text(): np.array(text.xy) for text in upright.texts}
    assert ends["B"][0] == pytest.approx(ends["A"][0]) and ends["B"][1] > ends["A"][1]  # z is up


def test_nothing_to_draw() -> None:
    with pytest.raises(jp.InputError, match="no bodies"):
        schematic(jp.System("empty"))
