"""Names that can be searched, with units and meanings; the nearest one where a name does not exist."""

from __future__ import annotations

import pytest

import jointplay as jp
from jointplay.results.name_table import NameTable


def test_found_names_are_a_list_and_a_table(solution: jp.Solution) -> None:
    found = solution.find("FORCE")
    assert isinstance(found, list) and isinstance(found, NameTable)
    assert found == [f"{joint}.{what}" for what in ("force", "force_local") for joint in "ABCD"]
    line = str(found).splitlines()[0]
    assert line.startswith("A.force ") and "[N]" in line
    assert line.endswith("reaction on the second body, global axes (3 components)")
    assert repr(found) == str(found)
    assert len(str(found).splitlines()) == len(found)


def test_all_names_have_a_meaning(solution: jp.Solution) -> None:
    everything = solution.find()
    assert list(everything) == solution.names
    assert all(unit and meaning for _, unit, meaning in everything.rows)


def test_nothing_found(solution: jp.Solution) -> None:
    none = solution.find("forse")
    assert none == [] and not none
    assert "no name contains 'forse'; did you mean" in str(none) and "force" in str(none)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("B.forse", "B.force"),
        ("slider.positon", "slider.position"),
        ("sldier.position", "slider.position"),
        ("A.angel", "A.angle"),
    ],
)
def test_the_nearest_name(solution: jp.Solution, asked: str, meant: str) -> None:
    for ask in (lambda: solution[asked], lambda: solution.units[asked], lambda: solution[f"|{asked}|"]):
        with pytest.raises(KeyError, match=f"did you mean {meant}"):
            ask()


def test_public_names_of_the_package() -> None:
    for asked, meant in (("Moreu", "Moreau"), ("moreau", "Moreau"), ("simulat", "simulate"), ("figure", "figures")):
        with pytest.raises(AttributeError, match=f"did you mean '{meant}'"):
            getattr(jp, asked)
    with pytest.raises(AttributeError) as caught:
        jp.something_else_entirely  # noqa: B018
    assert "did you mean" not in str(caught.value)
    assert not hasattr(jp, "__wrapped__")
