"""Systems that follow an earlier one: the same elements where nothing changed, and never a stale one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import jointplay as jp
from jointplay.model.reuse import following, is_plain


def arm(mass: Any = 1.0, x: Any = 0.5, k: Any = 2.0, push: Any = 3.0, named: Any = "4 N") -> jp.System:
    s = jp.System("arm", parameters={"p": named, "other": 1.0})
    a = s.body("a", mass=mass, inertia=0.1, position=(x, 0, 0))
    b = s.body("b", mass=2.0, inertia=0.1, position=(2.0, 0, 0))
    tip = s.marker("tip", b, position=(0.1, 0, 0))
    foot = s.marker("foot", s.ground, position=(3.0, 0, 0))
    s.revolute("A", s.ground, a, point=(0, 0, 0), axis=(0, 1, 0), angle=jp.Spring(stiffness=k))
    s.spring("S", tip, foot, stiffness=100.0, free_length=0.1)
    s.force("F", a, force=(push, "p", 0))
    s.force("G", b, force=("other * 1 N", 0, 0))
    return s


def shared(other: jp.System, first: jp.System) -> dict[str, bool]:
    """Which elements of two systems are the very same."""
    pairs = [
        (one, two)
        for group in ("bodies", "markers", "joints", "springs", "loads")
        for one, two in zip(getattr(other, group), getattr(first, group), strict=True)
    ]
    return {one.name: one is two for one, two in pairs}


@pytest.mark.parametrize(
    ("changed", "new"),
    [
        ({}, set()),
        ({"mass": 1.1}, {"a"}),
        ({"x": 0.6}, {"a", "A", "F"}),  # what is fixed on a moved body has another place on it
        ({"k": 2.1}, {"A"}),
        ({"push": 3.1}, {"F"}),
        ({"named": "5 N"}, {"F"}),  # only what names the parameter
        ({"mass": 2}, {"a"}),
    ],
)
def test_only_what_changed_is_read(changed: dict[str, Any], new: set[str]) -> None:
    first = arm()
    with following(first.readings):
        other = arm(**changed)
    assert {name for name, is_same in shared(other, first).items() if not is_same} == new
    assert other.to_yaml() == arm(**changed).to_yaml()
    assert repr(other.bodies) == repr(arm(**changed).bodies)
    assert repr(other.joints) == repr(arm(**changed).joints)
    assert not any(shared(arm(), first).values())  # outside of the block all is read


def test_functions_are_always_read() -> None:
    """Nobody knows what a function depends on."""
    size = [1.0]

    def push(t: float) -> float:
        return size[0]

    first = arm(push=push)
    size[0] = 2.0
    with following(first.readings):
        other = arm(push=push)
    assert not shared(other, first)["F"]
    assert other.loads[0].components[0].value(0.0) == 2.0


def test_problems_are_told_all_the_same() -> None:
    first = arm()

    def told(build: Callable[[], jp.System]) -> str:
        with pytest.raises(jp.InputError) as error:
            build()
        return str(error.value)

    def twice() -> jp.System:
        s = arm()
        s.body("a", mass=1.0, inertia=0.1, position=(0.5, 0, 0))
        return s

    for build in (twice, lambda: arm(mass=-1.0), lambda: arm(named="4 kg")):
        plain = told(build)
        with following(first.readings):
            assert told(build) == plain


def test_warnings_are_kept() -> None:
    def soft() -> jp.System:
        s = jp.System("soft")
        a = s.body("a", mass=1.0, inertia=0.1)
        stop = jp.Stop(lower=-1.0, contact=jp.Hertz(stiffness="5e6 N/m"))
        s.prismatic("D", s.ground, a, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
        return s

    first = soft()
    assert first.warnings
    with following(first.readings):
        other = soft()
    assert other.joints[0] is first.joints[0]
    assert other.warnings == first.warnings


def test_what_is_plain() -> None:
    assert is_plain({"a": [1, 2.0, "3 m", None, True], "law": jp.Spring(stiffness=1.0)})
    assert not is_plain({"force": [lambda t: t]})
    assert not is_plain(jp.Drive(abs))
