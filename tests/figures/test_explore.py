"""The slider of notebooks, moved without a notebook: picture, cursors and values follow."""

from __future__ import annotations

import sys
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

import jointplay as jp

pytest.importorskip("ipywidgets")


def test_everything_follows_the_slider(crank: jp.Solution) -> None:
    found = crank.explore("slider.position[0]", "|A.force|")
    seen = []
    for k in (0, len(crank.time) // 3, len(crank.time) - 1):
        found.slider.value = k
        assert found.time == crank.time[k]
        x, force = crank["slider.position"][k, 0], np.linalg.norm(crank["A.force"][k])
        assert f"{1e3 * x:.5g} mm" in found.values.value or f"{x:.5g} m" in found.values.value
        assert f"{force:.5g} N" in found.values.value
        assert all(cursor.get_xdata()[0] == pytest.approx(found._times[k]) for cursor in found._cursors)
        seen.append((found.mechanism.value, found.curves.value))
        centres = [line.get_xydata()[0] for line in found._sticks.axes[0].lines if line.get_marker() == "o"]
        assert any(np.allclose(one, crank["rod.position"][k, :2], atol=1e-12) for one in centres)
    assert len({a for a, _ in seen}) == len({b for _, b in seen}) == 3
    shapes = {imread(BytesIO(a), format="png").shape for a, _ in seen}
    assert len(shapes) == 1  # the room is that of the whole run


def test_the_mechanism_stays_in_the_picture(crank: jp.Solution) -> None:
    found = crank.explore()
    for k in range(0, len(crank.time), max(1, len(crank.time) // 7)):
        found.slider.value = k
        ax = found._sticks.axes[0]
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        for line in ax.lines:
            x, y = line.get_xydata().T
            assert left < x.min() and x.max() < right and low < y.min() and y.max() < high


def test_joint_forces_unless_named_and_what_a_notebook_gets(crank: jp.Solution) -> None:
    found = crank.explore()
    assert "|A.force|" in found.names
    assert "application/vnd.jupyter.widget-view+json" in found._repr_mimebundle_()
    assert found.play.max == found.slider.max == len(crank.time) - 1
    assert found.box.children[0].children == (found.play, found.slider)


def test_names_that_are_not_there(crank: jp.Solution) -> None:
    with pytest.raises(KeyError, match=r"did you mean .*A\.force"):
        crank.explore("A.farce")


def test_without_the_package(crank: jp.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(jp.InputError, match=r"needs the package ipywidgets: pip install 'jointplay\[notebook\]'"):
        crank.explore()
