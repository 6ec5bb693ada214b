"""Names of things and titles: what is refused and why, and that what is taken works throughout."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import jointplay as jp
from jointplay.errors import InputError, visible
from jointplay.model.names import LONGEST, LONGEST_TITLE, name_problem, title_problem


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a.b", "'.', which parts"),
        (".hidden", "'.', which parts"),
        ("..", "'.', which parts"),
        ("a[0]", "'[', which opens the number"),
        ("a]", "']', which closes"),
        ("|a|", "'|', which stands for the magnitude"),
        ("a|b", "'|', which stands for the magnitude"),
        ("a/b", "'/', which opens a group"),
        ("a\\b", "which parts folders"),
        ("$x$", "'$', which begins a formula"),
        ("5$", "'$', which begins a formula"),
        ("a=b", "'=', which parts the path"),
        ('say "a"', "which would end a quoted name"),
        ("a\tb", r"'\t', which cannot be seen"),
        ("a\nb", r"'\n', which cannot be seen"),
        ("\x1bc", r"'\x1b', which cannot be seen"),
        ("a\u200bb", "which cannot be seen"),
        ("a\u202eb", "which cannot be seen"),
        ("\ud800", "which cannot be seen"),
        ("", "empty"),
        (" a", "begin or end with a blank"),
        ("x" * (LONGEST + 1), f"longer than {LONGEST} characters"),
        ("energy", "reserved"),
        (5, "must be text"),
        (None, "must be text"),
    ],
)
def test_names_that_are_refused(name: object, why: str) -> None:
    """Each with its reason, before anything is made of it."""
    assert why in name_problem(name, {})


@pytest.mark.parametrize(
    "name", ["a", "A'", "link 2", "α", "杆", "a,b", "a-b_c", "<b>", "#1", "50 %", "{0}", "x" * LONGEST]
)
def test_names_that_are_taken(name: str) -> None:
    """Any script, and any sign that means nothing in the names of results."""
    assert name_problem(name, {}) == ""


@pytest.mark.parametrize("title", ["", "costs $5", "$\\frac$", "a\nb\n", "</script>", "|a|", "é" * LONGEST_TITLE])
def test_titles_are_free(title: str) -> None:
    """They are only shown."""
    assert title_problem(title) == ""


@pytest.mark.parametrize("title", ["\x1b[31m", "a\0", "a\ud800", "a\u202eb", "x" * (LONGEST_TITLE + 1)])
def test_titles_that_cannot_be_shown(title: str) -> None:
    """Signs that steer a terminal, and what no page holds."""
    with pytest.raises(InputError, match="system: name: must not"):
        jp.System(title)


def test_a_title_is_shown_on_one_line() -> None:
    """Its file keeps it as it was given."""
    s = jp.System("crank\n  and rocker\n")
    assert s.name == "crank and rocker"
    assert s.to_tree()["name"] == "crank\n  and rocker\n"


def test_messages_steer_no_terminal() -> None:
    """What cannot be printed is written as an escape."""
    with pytest.raises(InputError) as caught:
        jp.System().body("\x1b[2J\ud800", mass=1, inertia=1)
    assert visible(str(caught.value)) == str(caught.value)
    str(caught.value).encode()


@pytest.mark.parametrize(("name", "title"), [("A', {0} %s", "costs $5 and $6"), ("<b>&", "$\\frac$\n</script>")])
def test_what_is_taken_works_throughout(name: str, title: str, tmp_path: Path) -> None:
    """Summary, files, tables, figures, pages, and the way back."""
    s = jp.System(title, planar=True)
    body = s.body(name, mass=1, inertia=1, position=[0.5, 0])
    s.revolute("J", s.ground, body, point=[0, 0])
    sol = jp.simulate(s, 5e-3, jp.Explicit(), 1e-3, output=tmp_path / "a.nc")
    assert sol.summary()
    assert str(s.check())
    with sol.to_csv(tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len({len(row) for row in rows}) == 1
    assert f"{name}.position[0] [m]" in rows[0]
    sol.view(tmp_path / "a.html")
    sol.report(tmp_path / "r.html")
    sol.plot(f"|{name}.position|", path=tmp_path / "a.png")
    (tmp_path / "m.yaml").write_text(s.to_yaml(), encoding="utf-8")
    again = jp.load_model(tmp_path / "m.yaml", overrides={f"bodies.{name}.mass": "2"})
    assert (again.name, again.bodies[0].name, again.bodies[0].mass) == (s.name, name, 2.0)
    assert (jp.load(tmp_path / "a.nc")[f"{name}.position"] == sol[f"{name}.position"]).all()
