"""``method=`` is the integrator and ``derivative=`` the kind of derivative; what was spelt otherwise is understood."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.methods.registry import METHODS, REGISTRY
from jointplay.report.reproduce import method_tree

UNTIL = 0.05
NEW: dict[str, Any] = {"method": jp.Index1(step=1e-3), "derivative": "direct"}


def pendulum(length: float = 1.0, mass: float = 2.0) -> jp.System:
    s = jp.System("pendulum", planar=True)
    bar = s.body("bar", mass=mass, inertia=mass * length**2 / 12, position=(length / 2, 0))
    s.revolute("P", s.ground, bar, point=(0, 0))
    return s


def slope(**given: Any) -> float:
    found = jp.sensitivities(pendulum, ["length"], "P.angle", until=UNTIL, save=[UNTIL], **given)
    return float(found["P.angle"]["length"][-1])


def test_the_first_thing_that_anyone_tries() -> None:
    """The angle depends on t/sqrt(length) alone: d/d length = -t/(2 length) times its rate."""
    found = jp.sensitivities(pendulum, ["length"], "P.angle", until=1.0)
    truth = -found.time / 2.0 * found.solution["P.angle_rate"]
    assert isinstance(found.method, jp.Explicit) and found.derivative == "direct"
    assert np.max(np.abs(found["P.angle"]["length"] - truth)) < 1e-6 * np.max(np.abs(truth))


def test_new_words_need_no_note() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slope(**NEW)
        slope(method="index1")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"method": "direct", "scheme": jp.Index1(step=1e-3)}, "write derivative='direct'"),
        ({"scheme": jp.Index1(step=1e-3)}, "write method="),
        ({"method": jp.Index1(step=1e-3), "derivative": "finite-difference"}, "'differences'"),
    ],
)
def test_earlier_words(given: dict[str, Any], told: str) -> None:
    with pytest.warns(FutureWarning, match=told):
        found = slope(**given)
    assert found == pytest.approx(slope(**NEW), rel=1e-6)


def test_positional_kind() -> None:
    with pytest.warns(FutureWarning, match="derivative='adjoint'"):
        found = jp.sensitivities(pendulum, ["length"], jp.Final("P.angle"), "adjoint", until=UNTIL, save=[UNTIL])
    assert found.derivative == "adjoint" and isinstance(found.method, jp.Explicit)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"derivative": "forward"}, "there is no kind of derivative 'forward'"),
        ({"method": "eksplicit"}, "there is no method 'eksplicit'; did you mean 'explicit'"),
        ({"method": "direct", "derivative": "direct"}, "says already"),
        ({"method": jp.Explicit(), "scheme": jp.Explicit()}, "is given too"),
    ],
)
def test_words_that_contradict(given: dict[str, Any], told: str) -> None:
    with pytest.raises(jp.InputError, match=told):
        slope(**given)


@pytest.mark.parametrize("search", [jp.fit, jp.optimise])
def test_searches_speak_the_same(search: Any) -> None:
    """Both words are understood; nothing is run, because the start values are refused first."""
    with pytest.warns(FutureWarning, match="write method="), pytest.raises(jp.InputError):
        search(pendulum, {}, {"no such": 1.0}, scheme=jp.Explicit())


# --- The repr of a method is exact ----------------------------------------------------------------------------------

ODD = 1e-3 / 3.0
GIVEN = {
    "explicit": {"rtol": ODD, "h_max": ODD, "threshold": 0.0},
    "implicit": {"rtol": ODD, "atol": ODD},
    "index1": {"step": ODD, "coupling": "fixed-point"},
    "verlet": {"step": ODD},
    "moreau": {"step": ODD},
    "optimal_step": {"h_min": ODD, "h_max": 2.0 * ODD, "reference": True},
}


@pytest.mark.parametrize("key", [one.key for one in REGISTRY])
def test_a_method_is_rebuilt_from_its_repr(key: str) -> None:
    for given in ({}, GIVEN.get(key, {})):
        method = METHODS[key](**given)
        tree = method_tree(repr(method))
        assert tree is not None and METHODS[key](**tree[key]) == method
        assert eval(repr(method), {METHODS[key].__name__: METHODS[key]}) == method


def test_a_result_file_repeats_its_run_bit_for_bit(tmp_path: Any) -> None:
    system = jp.load_model(entries()["pendulum"])
    first = jp.simulate(system, until=0.1, method=jp.Explicit(rtol=1e-6 / 3.0, h_max=0.1 / 7.0), save=0.01)
    first.save(tmp_path / "run.nc")
    tree = method_tree(str(jp.load(tmp_path / "run.nc").meta["method"]))
    assert tree is not None
    again = jp.simulate(system, until=0.1, method=jp.Explicit(**tree["explicit"]), save=0.01)
    assert all(np.array_equal(first[name], again[name], equal_nan=True) for name in first.names)
