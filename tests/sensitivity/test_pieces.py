"""The pieces one by one: extrapolation, sequences of impacts, derivatives of functions, objectives, quantities."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.compile.build import compile_system
from jointplay.results.layout import layout_of
from jointplay.sensitivity.quantity import Names
from jointplay.sensitivity.richardson import Best, Tableau
from jointplay.sensitivity.sequence import compare
from jointplay.sensitivity.slope import slope
from jointplay.sensitivity.targets import channels_of, targets_of, times_second

# --- extrapolation ----------------------------------------------------------------------------------------------------


def extrapolate(function: Any, at: np.ndarray, first: float, levels: int) -> Best:
    tableau, best = Tableau(2), Best(at.shape)
    for level in range(levels):
        h = first / 4.0**level
        for entry, off in tableau.add(h, (function(at + h) - function(at - h)) / (2 * h)):
            best.offer(entry, off, h)
    return best


def test_extrapolation_beats_single_differences() -> None:
    at = np.linspace(0.5, 2.0, 7)
    best = extrapolate(lambda x: np.exp(x) / x, at, 0.1, 7)
    truth = np.exp(at) * (at - 1) / at**2
    assert np.max(np.abs(best.value - truth)) < 1e-11
    assert np.max(best.error) < 1e-9
    assert np.max(np.abs(best.value - truth)) <= 10 * np.max(best.error) + 1e-14


def test_noise_asks_for_longer_steps() -> None:
    """With noise of 1e-7 a step of 1e-5 would be wrong by 1e-2; the error that is told covers the true one."""
    random = np.random.default_rng(5)

    def noisy(x: np.ndarray) -> np.ndarray:
        return np.sin(x) + 1e-7 * random.standard_normal(x.shape)

    at = np.array([0.7, 0.9])
    best = extrapolate(noisy, at, 0.1, 9)
    assert np.max(np.abs(best.value - np.cos(at))) < 1e-4
    assert np.min(best.step) > 1e-3


def test_unknown_instants_take_what_knows_them() -> None:
    """An entry that is better, but blind at one instant, leaves that instant to a worse one."""
    best = Best((3,))
    best.offer(np.array([1.0, 1.0, 1.0]), np.array([0.1, 0.1, 0.1]), 0.5)
    best.offer(np.array([2.0, np.nan, 2.0]), np.array([0.01, np.nan, 0.01]), 0.1)
    assert best.value == pytest.approx([2.0, 1.0, 2.0])
    assert best.step == pytest.approx([0.1, 0.5, 0.1])
    assert best.known.all()


# --- impacts ----------------------------------------------------------------------------------------------------------


def run(*impacts: tuple[float, str]) -> Any:
    table = np.zeros(len(impacts), dtype=[("time", float), ("contact", "U8")]).view(np.recarray)
    for line, (time, contact) in zip(table, impacts, strict=True):
        line["time"], line["contact"] = time, contact
    return SimpleNamespace(impacts=table)


def test_instants_between_the_same_impact_are_not_clear() -> None:
    time = np.linspace(0.0, 1.0, 11)
    runs = [run((first, "a"), (last, "b")) for first, last in ((0.30, 0.72), (0.34, 0.68), (0.26, 0.75))]
    likeness = compare(time, runs)
    assert likeness.differs == np.inf
    assert time[~likeness.clear] == pytest.approx([0.3, 0.7])


def test_another_order_ends_it() -> None:
    time = np.linspace(0.0, 1.0, 11)
    likeness = compare(time, [run((0.3, "a"), (0.55, "b"), (0.6, "c")), run((0.3, "a"), (0.53, "c"), (0.6, "b"))])
    assert likeness.differs == 0.53
    assert likeness.clear.tolist() == [True] * 6 + [False] * 5
    missing = compare(time, [run((0.3, "a"), (0.55, "b")), run((0.3, "a"))])
    assert missing.differs == 0.55
    assert compare(time, [run(), run((1.5, "a"))]).differs == np.inf  # after the end


# --- functions of the user --------------------------------------------------------------------------------------------


def test_slopes() -> None:
    x = np.linspace(0.1, 2.0, 20)
    found, exact = slope(lambda x: np.exp(x) * np.sin(x), x, "f")
    assert exact
    assert found == pytest.approx(np.exp(x) * (np.sin(x) + np.cos(x)), rel=1e-14)
    v = np.random.default_rng(1).standard_normal((9, 3))
    found, exact = slope(lambda v: np.sqrt((v**2).sum(axis=-1)), v, "norm")
    assert exact
    assert found == pytest.approx(v / np.linalg.norm(v, axis=1)[:, None], rel=1e-12)


def test_functions_that_are_not_analytic() -> None:
    x = np.linspace(-1.0, 1.0, 8)  # not at zero
    for function in (np.abs, lambda x: np.maximum(x.real, 0.0), lambda x: np.array([abs(float(one)) for one in x])):
        found, exact = slope(function, x, "f")
        assert not exact
        assert found == pytest.approx(np.where(x > 0, 1.0, 0.0 if function(x)[0] == 0.0 else -1.0), abs=1e-9)
    with pytest.raises(jp.InputError, match="one number per instant"):
        slope(np.sum, x, "f")


# --- objectives -------------------------------------------------------------------------------------------------------


def test_objectives_form_sums() -> None:
    a, b = jp.Final("a"), jp.Integral("b", function=np.square)
    assert str(a + 2 * b) == "Final('a') + 2*Integral('b', function=square)"
    assert str(-a - b / 4) == "-Final('a') - 0.25*Integral('b', function=square)"
    assert sum([a, b]).terms == ((1.0, a), (1.0, b))  # type: ignore[union-attr]
    assert jp.Final("a") == jp.Final("a")
    assert str(jp.Peak("a", refined=False)) == "Peak('a', refined=False)"
    with pytest.raises(TypeError):
        a + 1  # type: ignore[operator]
    with pytest.raises(TypeError):
        a * b  # type: ignore[operator]


def test_shares() -> None:
    time = np.array([0.0, 1.0, 3.0, 4.0])
    x = np.array([1.0, 5.0, 2.0, 4.0])
    assert jp.Final("x").share(time, x) @ x == 4.0
    assert jp.Integral("x").share(time, x) @ x == 0.5 * (6.0 + 2 * 7.0 + 6.0)
    assert jp.Peak("x", refined=False).share(time, x) @ x == 5.0


@pytest.mark.parametrize("place", [0.31, 0.349, 0.3])
def test_a_refined_peak_lies_between_instants(place: float) -> None:
    """Value and derivative of the peak of a parabola."""
    time = np.array([0.0, 0.1, 0.19, 0.31, 0.4, 0.5, 0.6])
    peak = jp.Peak("x")

    def value(height: float, centre: float) -> float:
        x = height - (time - centre) ** 2
        return float(peak.share(time, x) @ x)

    assert value(2.0, place) == pytest.approx(2.0, rel=1e-12)
    x = 2.0 - (time - place) ** 2
    by_height, by_place = np.ones_like(time), 2 * (time - place)
    assert peak.share(time, x) @ by_height == pytest.approx(1.0, rel=1e-12)
    assert peak.share(time, x) @ by_place == pytest.approx(0.0, abs=1e-12)  # the vertex does not rise as it moves
    saved = jp.Peak("x", refined=False)
    assert abs(saved.share(time, x) @ by_place) > 1e-3 or place == 0.31


def test_a_jump_is_not_taken_for_a_peak() -> None:
    time, x = np.arange(7.0), np.array([0.0, 0.0, 0.0, 10.0, 9.9, 9.8, 9.7])
    assert jp.Peak("x").share(time, x) @ x == 10.0


def test_units_of_integrals() -> None:
    assert [times_second(unit) for unit in ("m/s", "N", "1", "rad/s2")] == ["m", "N s", "s", "rad/s2 s"]


# --- quantities -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solution() -> jp.Solution:
    return jp.simulate(jp.load_model(entries()["slider_crank_clearance"]), 0.004, save=1e-4)


def test_quantities_read_what_solutions_read(solution: jp.Solution) -> None:
    names = Names(solution.layout)
    channels = channels_of(solution, np.arange(solution.layout.channels))
    listed = [*solution.names, "|D.force|", "|D.gap|", "|D.friction_force|", "slider.position[-1]", "|rod.velocity[1]|"]
    for name in listed:
        quantity = names.find(name)
        assert np.array_equal(quantity.value(channels), solution[name]), name
        assert quantity.shape == solution[name].shape[1:]
        assert quantity.unit == solution.units[name]


def test_derivatives_and_weights_of_quantities_agree(solution: jp.Solution) -> None:
    """Weights on a quantity, taken back to channels, weigh changes of channels alike."""
    random = np.random.default_rng(3)
    channels = channels_of(solution, np.arange(solution.layout.channels))
    change = random.standard_normal(channels.shape)
    for name in ("|D.force|", "|D.gap|", "energy.total", "rod.position", "D.friction_force", "|rod.velocity[1]|"):
        quantity = Names(solution.layout).find(name)
        h = 1e-6
        truth = (quantity.value(channels + h * change) - quantity.value(channels - h * change)) / (2 * h)
        found = quantity.change(channels, change)
        size = quantity.value(channels)
        calm = size > 1e-3 if quantity.magnitude else np.full(found.shape, True)
        assert found[calm] == pytest.approx(truth[calm], rel=1e-4, abs=1e-4), name
        weight = random.standard_normal(found.shape)
        onto = np.zeros_like(channels)
        quantity.weigh(channels, weight, onto)
        assert np.sum(onto * change) == pytest.approx(np.sum(weight * found), rel=1e-10)


def test_only_what_is_needed_is_taken_from_a_run(solution: jp.Solution) -> None:
    targets = targets_of(solution.layout, ["rod.position[1]", jp.Peak("|D.force|"), "energy.potential"])
    assert len(targets.columns) == 1 + 3 + 2
    channels = channels_of(solution, targets.columns)
    values = targets.values(solution.time, channels)
    assert np.array_equal(values["rod.position[1]"], solution["rod.position[1]"])
    assert values["Peak('|D.force|')"] == pytest.approx(np.max(solution["|D.force|"]), rel=1e-2)


def test_problems_of_targets() -> None:
    layout = layout_of(compile_system(jp.load_model(entries()["pendulum"])))
    objectives = [jp.Final("bar.position"), jp.Final("no.such")]
    wrong = ["P.angel", "bar.position[7]", *objectives, 3, "time", "P.angle", "P.angle"]
    with pytest.raises(jp.InputError) as caught:
        targets_of(layout, wrong)  # type: ignore[arg-type]
    messages = {problem.field: problem.message for problem in caught.value.problems}
    assert "did you mean P.angle" in messages["of: P.angel"]
    assert "3 component(s), not [7]" in messages["of: bar.position[7]"]
    assert "has 3 components; take one" in messages["of: Final('bar.position')"]
    assert "no quantity named 'no.such'" in messages["of: no.such"]
    assert "needs names of quantities or objectives, not 3" in messages["of"]
    assert "does not depend on parameters" in messages["of: time"]
    assert "requested twice" in messages["of: P.angle"]
    with pytest.raises(jp.InputError, match="is empty"):
        targets_of(layout, [])
