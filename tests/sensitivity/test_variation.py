"""Derivatives of compiled numbers: known by formula, free of noise, refused where there are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.compile.build import compile_system
from jointplay.compile.pack import Compiled
from jointplay.sensitivity.source import source_of
from jointplay.sensitivity.variation import CENTRAL, EXACT, FORWARD, Variation, _line, vary


def variations(given: Any, wrt: Any, horizon: float = 1.0) -> tuple[Compiled, dict[str, Variation]]:
    source = source_of(given, wrt)
    compiled = compile_system(source.system(), horizon)
    return compiled, {one.name: one for one in vary(source, compiled, horizon)}


def test_formulas_are_exact_for_polynomials() -> None:
    for power in range(7):
        nodes = np.arange(7.0) ** power
        halves = [((1.0 * k) ** power - (-1.0 * k) ** power) / (2.0 * k) for k in (1, 2, 3)]
        assert CENTRAL[2] @ halves == pytest.approx(float(power == 1), abs=1e-12)
        assert FORWARD[2] @ nodes == pytest.approx(float(power == 1), abs=1e-10)
        if power < 5:
            assert CENTRAL[1] @ halves == pytest.approx(float(power == 1), abs=1e-12)
            assert FORWARD[0] @ nodes == pytest.approx(float(power == 1), abs=1e-12)


def test_lines_are_told_from_all_else() -> None:
    """Four nodes are enough for x and 1/x that are straight, and for nothing else."""
    h = 5e-3
    t = 1.0 + h * np.arange(-1.0, 3.0)
    straight = [3.0 + 2.0 * t, -7.0 * t, 1.0 / t, 2.0 / (3.0 - 0.5 * t), 1e-3 * t]
    slope, off = _line(np.array(straight).T, h)
    assert slope == pytest.approx([2.0, -7.0, -1.0, 1.0 / 2.5**2, 1e-3], rel=1e-12)
    assert np.max(off / np.abs(slope)) < EXACT
    bends = [np.maximum(0.0, t - 1.0 - k * h) + c * t for k in (-0.9, -0.5, 0.0, 0.5, 0.9, 1.5) for c in (0.0, 1.0)]
    curved = [t**2, t**3, (t - 1.0) ** 3, (t - 1.0) * np.abs(t - 1.0), np.sin(t), 1.0 + 1.0 / t, np.sqrt(t), *bends]
    _, off = _line(np.array(curved).T, h)
    assert np.min(off) > 1e6 * EXACT


def test_few_models_where_few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three for straight lines and quotients, four for parabolas, six beyond; the same derivatives as by six."""
    import jointplay.sensitivity.variation as module

    def bar(mass: float = 2.0, stiff: float = 30.0, width: float = 0.2, angle: float = 0.3) -> jp.System:
        s = jp.System("bar", planar=True)
        b = s.body("b", mass=mass, inertia=0.1 + width**2, position=(np.cos(angle), np.sin(angle)))
        s.revolute("P", s.ground, b, point=(0, 0), angle=jp.Spring(stiffness=stiff))
        return s

    models: list[float] = []

    def counted(*given: Any, **more: Any) -> Compiled:
        models.append(1)
        return compile_system(*given, **more)

    monkeypatch.setattr(module, "compile_system", counted)
    counts, found = {}, {}
    for name in ("mass", "stiff", "width", "angle"):
        models.clear()
        found |= variations(bar, [name])[1]
        counts[name] = len(models)
    assert counts == {"mass": 3, "stiff": 3, "width": 6, "angle": 6}
    assert found["mass"].model.body["minv"][1] == pytest.approx([-0.25, -0.25, 0.0], rel=1e-12)
    assert found["stiff"].model.constant.sum() == pytest.approx(1.0, rel=1e-12)
    assert found["width"].model.body["J"][1, 2, 2] == pytest.approx(0.4, rel=1e-12)
    assert found["width"].model.body["Jinv"][1, 2, 2] == pytest.approx(-0.4 / 0.14**2, rel=1e-11)
    assert found["angle"].y[:2] == pytest.approx([-np.sin(0.3), np.cos(0.3)], rel=1e-11)


def test_a_mass() -> None:
    compiled, found = variations(entries()["pendulum"], ["mass", "length"])
    mass = found["mass"]
    assert mass.model.body["mass"][1] == pytest.approx(1.0, rel=1e-12)
    assert mass.model.body["minv"][1] == pytest.approx([-0.25, -0.25, 0.0], rel=1e-11)
    assert mass.model.body["Jinv"][1, 2, 2] == pytest.approx(-12.0 / 4.0, rel=1e-11)
    assert not mass.y.any()  # not even noise
    assert not mass.model.relation["sj"].any()
    length = found["length"]
    assert length.y[0] == pytest.approx(0.5, rel=1e-12)
    assert length.model.body["J"][1, 2, 2] == pytest.approx(2.0 / 6.0, rel=1e-12)
    for one in found.values():
        assert one.error < 1e-10
        assert all(a.dtype == b.dtype for a, b in zip(one.model, compiled.model, strict=True))
        assert all(a.shape == b.shape for a, b in zip(one.model, compiled.model, strict=True))


def test_velocities_follow_the_constraints() -> None:
    """Paper E eq. 16: rod and slider are assembled after the crank; with a straight crank v = speed crank there."""
    _, found = variations(entries()["slider_crank"], ["speed", "crank", "rod", "bodies.slider.mass"])
    bodies = 3
    velocity = found["speed"].y[7 * bodies :].reshape(-1)[: 6 * bodies].reshape(bodies, 6)
    compiled, _ = variations(entries()["slider_crank"], ["speed"])
    now = compiled.state.y[7 * bodies : 13 * bodies].reshape(bodies, 6)
    assert velocity == pytest.approx(now / 6.0, abs=1e-9)  # homogeneous in the speed
    assert found["speed"].energy0 == pytest.approx(2.0 * _kinetic(compiled) / 6.0, rel=1e-9)
    assert np.max(np.abs(found["bodies.slider.mass"].y)) < 1e-9
    assert max(one.error for one in found.values()) < 1e-8
    # sliders have no play here: x = sqrt(rod^2 - y^2 - z^2)
    assert found["rod"].y[14] == pytest.approx(0.3 / np.sqrt(0.09 - 0.01 - 0.04), rel=1e-10)


def _kinetic(compiled: Compiled) -> float:
    sol = jp.simulate(compiled.system, 1e-6, save=[0.0])
    return float(sol["energy.kinetic"][0])


def test_contacts_and_laws() -> None:
    names = ["gap", "restitution", "mu", "joints.D.length", "crank"]
    compiled, found = variations(entries()["slider_crank_clearance"], names)
    assert found["restitution"].model.contact["restitution"] == pytest.approx(np.ones(4))
    assert found["mu"].model.contact["mu"] == pytest.approx(np.ones(4))
    assert not any(found["mu"].model.contact[field].any() for field in ("limit", "restitution", "lever"))
    assert np.abs(found["gap"].model.relation["si"]).max() + np.abs(found["gap"].model.relation["shape"]).max() > 0.5
    assert not found["crank"].model.info["length"].any()  # a choice, not a number of the mechanism
    assert compiled.model.info["length"][0] > 0.0


def loaded(force: float = 3.0, rate: float = 2.0, stiff: float = 1e5) -> jp.System:
    s = jp.System("loaded")
    block = s.body("block", mass=1.0, inertia=0.1)
    s.force("push", block, force=(f"{force}*sin({rate}*t)", force, 0))
    s.force("table", block, force=({"table": [[0, 0], [1, force], [2, 0]], "kind": "linear"}, 0, 0))
    stop = jp.Stop(lower=-1.0, contact=jp.Hertz(stiffness=stiff))
    s.prismatic("D", s.ground, block, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
    return s


def test_functions_of_time_and_constants_of_laws() -> None:
    _, found = variations(loaded, ["force", "rate", "stiff"], 2.0)
    assert sorted(set(found["rate"].model.code["arg"])) == pytest.approx([0.0, 1.0])
    assert sorted(set(np.round(found["force"].model.code["arg"], 9))) == [0.0, 1.0]
    assert np.max(found["force"].model.number) == pytest.approx(0.5)  # (a + b)/2 on each piece
    assert found["force"].model.load["value"][0] == pytest.approx([0, 1, 0])
    assert np.max(found["stiff"].model.constant) == pytest.approx(1.0, rel=1e-10)


def test_turned_bodies_stay_on_one_side() -> None:
    """A body drawn upside down: Euler parameters change sign between neighbours, orientations do not."""

    def build(angle: float = np.pi) -> jp.System:
        s = jp.System("turned")
        matrix = [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
        s.body("a", mass=1.0, inertia=1.0, orientation=matrix)
        return s

    compiled, found = variations(build, ["angle"])
    p, dp = compiled.state.y[3:7], found["angle"].y[3:7]
    half = np.arctan2(p[3], p[0])
    assert dp == pytest.approx([-0.5 * np.sin(half), 0, 0, 0.5 * np.cos(half)], abs=1e-10)


def test_where_there_is_no_derivative() -> None:
    def rough(mu: float = 0.0) -> jp.System:
        s = jp.System("rough", planar=True)
        bar = s.body("bar", mass=1.0, inertia=0.1, position=(0.5, 0))
        play = jp.Clearance(1e-3, contact=jp.Rigid(), friction=jp.Coulomb(mu))
        s.revolute("P", s.ground, bar, point=(0, 0), radius=0.01, radial=play)
        return s

    with pytest.raises(jp.InputError, match="mu: (changes the structure|cannot vary)"):
        variations(rough, ["mu"])

    def bent(side: float = 1.0) -> jp.System:
        s = jp.System("bent")
        s.body("a", mass=1.0, inertia=1.0, position=(abs(side - 1.0), 0, 0))
        return s

    with pytest.raises(jp.InputError, match="does not depend smoothly"):
        variations(bent, ["side"])

    def kinked(side: float = 1.0) -> jp.System:
        s = jp.System("kinked")
        s.body("a", mass=1.0, inertia=1.0, position=(max(side, 2.0 * side - 1.0), 0, 0))
        s.body("b", mass=side, inertia=1.0)
        return s

    with pytest.raises(jp.InputError, match="side: the model does not depend smoothly"):
        variations(kinked, ["side"])
    # beside the kink there is a derivative, found with a smaller step
    assert variations(kinked, {"side": 1.002})[1]["side"].y[0] == pytest.approx(2.0, rel=1e-9)
    assert variations(kinked, {"side": 0.998})[1]["side"].y[0] == pytest.approx(1.0, rel=1e-9)


def test_one_side_of_a_limit() -> None:
    _, found = variations(entries()["bouncing_ball"], {"restitution": 1.0})
    assert found["restitution"].model.contact["restitution"] == pytest.approx([1.0], rel=1e-9)


def test_a_value_that_no_neighbour_can_have() -> None:
    def fixed(size: float = 1.0) -> jp.System:
        if size != 1.0:
            raise jp.InputError("only 1 will do")
        s = jp.System("fixed")
        s.body("a", mass=size, inertia=1.0)
        return s

    with pytest.raises(jp.InputError, match="size: cannot vary: at .*only 1 will do"):
        variations(fixed, ["size"])
