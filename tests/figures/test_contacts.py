"""Orbits, modes, gaps: the circle has the size of the clearance, the colours say contact, the marks are the impacts."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

import jointplay as jp
from jointplay.analysis import contact_modes, mode_shares
from jointplay.cli.examples import GALLERY
from jointplay.figures import gaps, modes, orbit
from jointplay.figures.contact_look import CLOSED, OPEN


def line(ax: object, label: str) -> object:
    (found,) = [one for one in ax.lines if one.get_label() == label]  # type: ignore[attr-defined]
    return found


def pieces(ax: object) -> dict[str, np.ndarray]:
    """Pieces of the path by label."""
    found = [c for c in ax.collections if isinstance(c, LineCollection)]  # type: ignore[attr-defined]
    assert {c.get_label(): to_hex(c.get_colors()[0]).upper() for c in found}.items() <= {
        "free": OPEN,
        "contact": CLOSED,
    }.items()
    return {c.get_label(): np.array(c.get_segments()) for c in found}


def test_journal(pendulum: jp.Solution) -> None:
    figure = orbit(pendulum, "R")
    assert [ax.get_title() for ax in figure.axes] == ["radial[0]", "radial[1]"]
    ax = figure.axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("h [mm]", "t [mm]")
    assert ax.get_aspect() == 1.0
    assert ax.get_xlim() == pytest.approx((-1.08, 1.08), rel=0.01)
    wall = ax.lines[0].get_xydata()
    assert np.linalg.norm(wall, axis=1) == pytest.approx(1.0)  # 1 mm of clearance
    drawn = pieces(ax)
    assert sum(map(len, drawn.values())) == len(pendulum.time) - 1
    assert np.linalg.norm(drawn["contact"].reshape(-1, 2), axis=1) == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(drawn["free"].reshape(-1, 2), axis=1).min() < 0.9
    hits = line(ax, "impact").get_xydata()  # type: ignore[attr-defined]
    assert len(hits) == (pendulum.impacts["contact"] == "R.radial[0]").sum() > 5
    assert np.linalg.norm(hits, axis=1) == pytest.approx(1.0)
    assert "clearance of 1 mm" in figure.get_suptitle()


def test_small_clearances_are_in_micrometres() -> None:
    s = jp.System("sleeve", planar=True, gravity=(0, -9.81))
    body = s.body("sleeve", mass=1.0, inertia=1e-3)
    s.revolute("P", s.ground, body, point=(0, 0), radial=jp.Clearance("0.2 mm"))
    (ax,) = orbit(jp.simulate(s, 0.02, jp.Moreau(step=1e-4), 1e-4), "P").axes
    assert ax.get_xlabel() == "h [µm]"
    assert np.linalg.norm(ax.lines[0].get_xydata(), axis=1) == pytest.approx(200.0)
    ends = pieces(ax)["contact"].reshape(-1, 2)
    assert np.ptp(ends, axis=0) == pytest.approx(0.0, abs=0.1)  # it lies at the bottom
    assert np.linalg.norm(ends[0]) == pytest.approx(200.0, rel=1e-3)


def test_ball_in_three_projections(ball: jp.Solution) -> None:
    figure = orbit(ball, "S")
    assert [(ax.get_xlabel()[0], ax.get_ylabel()[0]) for ax in figure.axes] == [("h", "t"), ("h", "b"), ("t", "b")]
    last = ball["S.offset"][-1, 0]
    for ax, across in zip(figure.axes, [(0, 1), (0, 2), (1, 2)], strict=True):
        tail = [part[-1, 1] for part in pieces(ax).values()]
        assert min(np.abs(one - 1e3 * last[list(across)]).max() for one in tail) < 1e-9


def test_a_part_of_the_time_and_one_contact(pendulum: jp.Solution) -> None:
    (ax,) = orbit(pendulum, "R", contact="radial[1]", start=0.2, end=0.3).axes
    assert sum(map(len, pieces(ax).values())) == 200
    with pytest.raises(jp.InputError, match=r"no round contact 'radial\[7\]'; known: radial\[0\], radial\[1\]"):
        orbit(pendulum, "R", contact="radial[7]")


def test_slider_in_its_rhombus() -> None:
    """Pushed off its centre a slider ends up across its guide, on two opposite corners: y = 0, tilt at its limit."""
    system = jp.load_model(GALLERY / "guided_slider.yaml")
    sol = jp.simulate(system, 0.1, jp.Moreau(step=1e-4), 1e-3)
    (ax,) = orbit(sol, "D").axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("place across the guide [µm]", "tilt × half length [µm]")
    rhombus = ax.patches[0].get_xy()
    assert np.abs(rhombus).sum(axis=1) == pytest.approx(10.0)
    path = np.concatenate([part.reshape(-1, 2) for part in pieces(ax).values()])
    assert np.abs(path).sum(axis=1).max() <= 10.0 + 1e-6
    assert path[np.argmax(np.abs(path[:, 1]))] == pytest.approx([0.0, 10.0], abs=1e-6) or path[
        np.argmax(np.abs(path[:, 1]))
    ] == pytest.approx([0.0, -10.0], abs=1e-6)


def test_strips_of_a_compliant_bearing() -> None:
    """The two ends are drawn; a tilted pin has a little less room, and the circle is the full clearance."""
    system = jp.load_model(GALLERY / "slider_crank_journal_play.yaml")
    sol = jp.simulate(system, 5e-3, jp.Implicit(rtol=1e-6, atol=1e-8), 1e-4)
    figure = orbit(sol, "A")
    assert [ax.get_title() for ax in figure.axes] == ["radial[0]", "radial[9]"]
    assert np.linalg.norm(figure.axes[0].lines[0].get_xydata(), axis=1) == pytest.approx(100.0, rel=1e-3)


def test_timeline_of_modes(crank: jp.Solution) -> None:
    (ax,) = modes(crank, "D").axes
    labels = [text.get_text() for text in ax.get_yticklabels()]
    found = contact_modes(crank, "D")
    shares = mode_shares(found)
    assert sorted(labels) == sorted(shares)
    assert labels[0] == "none"
    for place, label in enumerate(labels):
        (bars,) = [c for c in ax.collections if abs(c.get_paths()[0].vertices[:, 1].mean() - place) < 0.2]
        spans = [(p.vertices[:, 0].min(), p.vertices[:, 0].max()) for p in bars.get_paths()]
        wanted = [(1e3 * one.start, 1e3 * one.end) for one in found if one.label == label]
        assert np.array(spans) == pytest.approx(np.array(wanted))
    assert [text.get_text() for text in ax.texts] == [f"{100 * shares[label]:.1f} %" for label in labels]
    assert ax.get_xlabel() == "time [ms]"


def test_gaps_impulses_modes(crank: jp.Solution) -> None:
    figure = gaps(crank, "D")
    *panels, blows, timeline = figure.axes
    assert [ax.get_ylabel() for ax in panels] == [f"radial[{k}]" for k in range(4)]
    for k, ax in enumerate(panels):
        assert ax.lines[0].get_ydata() == pytest.approx(1e3 * crank["D.gap"][:, k])
        mine = crank.impacts[crank.impacts["contact"] == f"D.radial[{k}]"]
        assert ax.lines[1].get_xdata() == pytest.approx(1e3 * mine["time"])
    assert "[mm]" in figure.get_suptitle()
    assert blows.get_ylabel() == "impulse [mN·s]"
    first = crank.impacts[crank.impacts["impact"] == crank.impacts["impact"][0]]  # two corners at once
    top = max(line.get_ydata()[0] for line in blows.lines[:2])
    assert len(first) == 2
    assert top == pytest.approx(1e3 * first["impulse"].sum())  # they stand upon each other
    assert [text.get_text() for text in timeline.get_yticklabels()] == ["none", "two adjacent corners"]


def test_forces_where_nothing_strikes() -> None:
    """Compliant contacts have no impacts: their forces are drawn, of the six that carry most."""
    system = jp.load_model(GALLERY / "slider_crank_journal_play.yaml")
    sol = jp.simulate(system, 1e-2, jp.Implicit(rtol=1e-6, atol=1e-8), 1e-4)
    figure = gaps(sol, "A")
    assert len(figure.axes) == 8
    assert "6 of 12 contacts" in figure.get_suptitle()
    assert figure.axes[-2].get_ylabel().startswith("normal force")
    loads = sol["A.normal_impulse"][-1]
    shown = [ax.get_ylabel() for ax in figure.axes[:6]]
    names = [name.partition(".")[2] for name in jp.analysis.contact_names(sol, "A")]
    assert sorted(loads[names.index(name)] for name in shown) == pytest.approx(np.sort(loads)[-6:])


def test_layout_does_not_collapse(pendulum: jp.Solution, tmp_path: Path) -> None:
    """Contacts that were never struck have no marks, and still a panel."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = gaps(pendulum, "R", path=tmp_path / "gaps.png")
    assert min(ax.get_position().height for ax in figure.axes) > 0.02


def test_joints_that_are_meant(crank: jp.Solution, swing: jp.Solution) -> None:
    with pytest.raises(jp.InputError, match="the joints with clearance are D"):
        modes(crank, "A")
    with pytest.raises(jp.InputError, match="did you mean 'D'"):
        gaps(crank, "d")
    with pytest.raises(jp.InputError, match="no joint of this run has clearance"):
        orbit(swing, "T")
    with pytest.raises(jp.InputError, match=r"\.xyz"):
        modes(crank, "D", path="modes.xyz")
