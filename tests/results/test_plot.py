"""``Solution.plot``: what is drawn by which names, with which labels; what cannot be drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jointplay as jp

matplotlib = pytest.importorskip("matplotlib")


def ink(path: Path) -> float:
    """Share of the pixels that are not white."""
    from matplotlib.image import imread

    return float(np.mean(np.any(imread(path)[..., :3] < 0.95, axis=-1)))


def test_default_is_the_joint_forces(solution: jp.Solution, tmp_path: Path) -> None:
    figure = solution.plot(path=tmp_path / "forces.png")
    (ax,) = figure.axes
    assert [line.get_label() for line in ax.lines] == [f"|{joint}.force|" for joint in "ABCD"]
    assert ax.get_ylabel() == "force [N]"
    assert ax.get_xlabel() == "time [s]"
    assert 0.01 < ink(tmp_path / "forces.png") < 0.5
    assert np.array_equal(ax.lines[1].get_ydata(), np.linalg.norm(solution["B.force"], axis=1))


def test_one_panel_per_unit(solution: jp.Solution) -> None:
    figure = solution.plot("slider.position", "B.force", "rod.position[2]", "A.torque", "rod.orientation")
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["position [m]", "force [N]", "torque [N·m]", "orientation"]
    assert [ax.get_xlabel() for ax in figure.axes] == ["", "", "", "time [s]"]
    names = [line.get_label() for line in figure.axes[0].lines]
    assert names == ["slider.position x", "slider.position y", "slider.position z", "rod.position[2]"]
    assert [line.get_label() for line in figure.axes[3].lines][-1] == "rod.orientation e3"


def test_colours_differ_within_a_panel(solution: jp.Solution) -> None:
    (ax,) = solution.plot("B.force", "D.force").axes
    assert len({line.get_color() for line in ax.lines}) == 6


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_formats(solution: jp.Solution, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{ending}"
    solution.plot("A.angle", path=path)
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(start)


def test_what_cannot_be_drawn(solution: jp.Solution, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match=r"did you mean B\.force") as caught:
        solution.plot("B.forse", "slider.positon")
    assert "slider.position" in str(caught.value)  # all that is wrong, in one go
    with pytest.raises(jp.InputError, match=r"\.xyz"):
        solution.plot("B.force", path=tmp_path / "figure.xyz")
    with pytest.raises(jp.InputError, match="cannot write"):
        solution.plot("B.force", path=tmp_path / "no folder" / "figure.png")
