"""Members of a compiled model: filled or compiled, they are the model; failures are codes."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.gallery import entries
from jointplay.studies.engine import ModelEngine
from jointplay.studies.vary import Vary

CRANK = entries()["slider_crank_clearance"]
SHORT = {"until": 0.01, "method": jp.Moreau(step=1e-5), "save": "0.5 ms"}
OF = [jp.Final("crank.angular_velocity[2]"), jp.Peak("|B.force|"), jp.Impacts("D"), jp.HardestImpact()]
LINES = {"gap": jp.Uniform("0.5 mm", "1.5 mm"), "mu": jp.Uniform(0.005, 0.02), "restitution": jp.Uniform(0.3, 0.5)}
CURVES = {
    "gap": jp.Uniform("0.9 mm", "1.1 mm"),
    "crank": "153 mm +- 0.1 mm",
    "rod": "306 mm +- 0.1 mm",
    "bodies.slider.mass": "76 g +- 0.5 g",
}


def simulated(vary, x):
    values = {
        (name if "." in name else f"parameters.{name}"): (
            f"{float(v)!r} {one.dimension}" if one.dimension else float(v)
        )
        for (name, one), v in zip(vary.inputs.items(), x, strict=True)
    }
    return jp.simulate(jp.load_model(CRANK, overrides=values), **SHORT)


@pytest.mark.parametrize("given", [LINES, CURVES], ids=["lines", "curves"])
def test_members_are_the_model(given):
    batch = jp.Batch(CRANK, 6, given, of=OF, threads=2, **SHORT)
    filling = batch._engine.filling
    assert filling is not None and filling.affine == (given is LINES)
    found = batch.run()
    assert found.ok.all() and np.all(found.codes == 0)
    for x, row in zip(batch.inputs[:3], found.values, strict=False):
        sol = simulated(batch.vary, x)
        assert row[0] == pytest.approx(sol["crank.angular_velocity[2]"][-1], rel=1e-9)
        assert row[2] == np.count_nonzero(sol.impacts["joint"] == "D")
        assert row[3] == pytest.approx(-sol.impacts["speed_before"].min(), rel=1e-7)


def test_filled_and_compiled_members_agree():
    vary = Vary(CURVES)
    filled = ModelEngine(CRANK, vary, OF, **SHORT)
    compiled = ModelEngine(CRANK, vary, OF, filling=None, **SHORT)
    for x in jp.Random(5, seed=2).points(vary, 0, 5):
        a, b = filled.lane().row(x), compiled.lane().row(x)
        assert np.allclose(a.values, b.values, rtol=1e-8) and a.order == b.order


def test_the_same_bits_whatever_ran_before():
    batch = jp.Batch(CRANK, 5, LINES, of=OF, threads=1, **SHORT)
    first = batch.run().values
    again = batch.run(batch.inputs[::-1]).values[::-1]
    assert np.array_equal(first, again)
    assert np.array_equal(jp.Batch(CRANK, 5, LINES, of=OF, threads=2, **SHORT).run().values, first)


def test_a_bend_is_compiled():
    """A number that is no polynomial over the range is compiled for every member."""

    def build(edge=1.0):
        s = jp.System("mass", gravity=(0, 0, -9.81))
        s.body("m", mass=1.0 + abs(edge - 1.001), inertia=(1, 1, 1))
        return s

    batch = jp.Batch(build, 4, {"edge": jp.Uniform(0.9, 1.1)}, of=[jp.Final("energy.kinetic")], until=0.1, threads=1)
    assert batch._engine.filling is None
    mass = 1.0 + np.abs(batch.inputs[:, 0] - 1.001)
    assert np.allclose(batch.run().values[:, 0], 0.5 * mass * (0.981) ** 2)


def test_failures_are_codes():
    given = {"gap": jp.Normal("10 um", sigma="10 um")}
    batch = jp.Batch(
        CRANK, 40, given, of=[jp.Final("crank.angular_velocity[2]")], until="1 ms", method=jp.Moreau(step=1e-5)
    )
    found = batch.run()
    refused = batch.inputs[:, 0] < 0.0
    assert refused.any() and np.array_equal(found.codes == 100, refused)
    assert np.array_equal(np.isnan(found.values[:, 0]), refused)
    assert any("at least 0" in text for text in found.messages)


def test_independent_parts():
    def build(v=1.0, w=2.0):
        s = jp.System("two", gravity=(0, 0, 0))
        s.body("a", mass=1, inertia=(1, 1, 1), velocity=(v, 0, 0))
        s.body("b", mass=2, inertia=(1, 1, 1), position=(0, 1, 0), velocity=(w, 0, 0))
        return s

    of = [jp.Final("a.position[0]"), jp.Final("b.position[0]"), jp.Final("energy.kinetic")]
    batch = jp.Batch(build, 5, {"v": jp.Uniform(1, 2), "w": jp.Uniform(2, 3)}, of=of, until=1.0, threads=1)
    v, w = batch.inputs.T
    assert np.allclose(batch.run().values, np.column_stack([v, w, 0.5 * v**2 + w**2]))


def test_advance_goes_on():
    names = ["crank.angular_velocity[2]", "energy.dissipated"]
    batch = jp.Batch(CRANK, 4, LINES, observe=names, method=jp.Moreau(step=1e-5), threads=2)
    for _ in range(5):
        values, codes = batch.advance("2 ms")
    assert np.all(codes == 0)
    sol = simulated(batch.vary, batch.inputs[1])
    assert values[1] == pytest.approx([sol[name][-1] for name in names], rel=1e-9)
    batch.reset()
    assert np.array_equal(batch.advance("1 ms")[1], np.zeros(4))


def test_bad_batches():
    for arguments, words in (
        (({"gapp": jp.Uniform(1, 2)},), "gap"),
        (({"gap": jp.Uniform("1 kg", "2 kg")},), "mass"),
        (({"gap": jp.Uniform("1 mm", "2 mm")},), "no quantity"),
    ):
        with pytest.raises(jp.InputError, match=words):
            jp.Batch(CRANK, 3, *arguments, of=[jp.Final("nothing.at_all")], **SHORT)


MECHANISMS = {  # model: inputs, and until when
    "worn_four_bar": (
        {"gap": "0.2 mm +- 0.02 mm", "coupler": "250 mm +- 0.1 mm", "rho": "1.2 kg/m +- 0.01 kg/m"},
        0.02,
    ),
    "slider_crank_ball_play": (
        {"gap": "0.1 mm +- 0.01 mm", "rod": "300 mm +- 0.2 mm", "speed": "6 rad/s +- 0.1 rad/s"},
        0.02,
    ),
    "press": ({"squeeze": "0.5 mm +- 0.05 mm", "rod": "200 mm +- 0.1 mm", "back": jp.Uniform(0.05, 0.15)}, 0.02),
    "driven_four_bar_3d": ({"base": "300 mm +- 0.1 mm", "rho": "1.2 kg/m +- 0.02 kg/m"}, 0.02),
    "triple_pendulum_stops": (
        {"travel": "250 mm +- 5 mm", "swing": "45 deg +- 1 deg", "bodies.one.mass": "0.1 kg +- 1 g"},
        0.05,
    ),
    "rabinowicz": ({"mu_s": jp.Uniform(0.38, 0.42), "pull": "0.15 m/s +- 0.01 m/s"}, 0.2),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_are_filled_as_they_are_compiled(name):
    """In a plane and in space, with closed loops, compliant contacts, stops, friction and drives."""
    given, until = MECHANISMS[name]
    of = [jp.Final("energy.kinetic"), jp.Final("energy.dissipated")]
    vary = Vary(given)
    filled = ModelEngine(entries()[name], vary, of, until=until)
    compiled = ModelEngine(entries()[name], vary, of, until=until, filling=None)
    assert filled.filling is not None
    for x in jp.Random(2, seed=4).points(vary, 0, 2):
        a, b = filled.lane().row(x), compiled.lane().row(x)
        assert a.ok and b.ok
        assert np.allclose(a.values, b.values, rtol=1e-6, atol=1e-9 * abs(b.values[0]))
