"""Studies: rows, files, resuming, shards, stops, failures, reruns."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.gallery import entries
from jointplay.studies.estimate import wilson

CRANK = entries()["slider_crank_clearance"]
VARY = {"gap": jp.Uniform("0.9 mm", "1.1 mm"), "mu": jp.Uniform(0.005, 0.02), "restitution": jp.Uniform(0.3, 0.5)}
SPEED = jp.Final("crank.angular_velocity[2]")
SHORT = {"until": 0.006, "method": jp.Moreau(step=1e-5), "save": "0.5 ms"}


def crank(**options):
    given = {"of": [SPEED, jp.Impacts("D")], "plan": jp.Sobol(32, seed=1), "workers": 1} | SHORT | options
    return jp.study(CRANK, VARY, **given)


def failing(x):
    if x > 1.0:
        raise ArithmeticError("too large")
    return x


def test_rows_are_the_same_for_any_workers(tmp_path):
    files = [tmp_path / f"{k}.nc" for k in range(2)]
    crank(output=files[0], workers=1)
    crank(output=files[1], workers=2)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.slow
def test_rows_are_the_same_in_processes(tmp_path):
    files = [tmp_path / f"{k}.nc" for k in range(2)]
    crank(output=files[0], workers=1)
    crank(output=files[1], workers="2 processes")
    assert files[0].read_bytes() == files[1].read_bytes()


def test_rerun_has_the_bits_of_the_row():
    study = crank()
    sol = study.rerun(17)
    assert sol.outcome.ok and sol["crank.angular_velocity[2]"][-1] == study[SPEED][17]
    assert np.count_nonzero(sol.impacts["joint"] == "D") == study["Impacts('D')"][17]
    assert f"{study['mu'][17]!r}"[11:20] in sol.meta["model"]  # the text of the model is that of the sample


def test_a_study_goes_on_and_grows(tmp_path):
    path = tmp_path / "s.nc"
    whole = crank(output=tmp_path / "whole.nc", plan=jp.Sobol(64, seed=1))
    crank(output=path)
    grown = crank(output=path, plan=jp.Sobol(64, seed=1))
    assert len(grown.done) == 64 and np.array_equal(grown[SPEED], whole[SPEED])
    assert path.read_bytes() == (tmp_path / "whole.nc").read_bytes()


def test_a_file_opens_again(tmp_path):
    study = crank(output=tmp_path / "s.nc", limits=[jp.AtMost(SPEED, "90 rad/s")])
    again = jp.load_study(tmp_path / "s.nc")
    assert np.array_equal(again.rows, study.rows) and again.yield_().value == study.yield_().value
    assert np.array_equal(again.rerun(3)["slider.position"], study.rerun(3)["slider.position"])
    data = again.to_xarray()
    assert data[str(SPEED)].attrs["units"] == "rad/s" and data.sizes["sample"] == 32


def test_another_study_is_refused_with_the_lines_that_differ(tmp_path):
    path = tmp_path / "s.nc"
    crank(output=path)
    before = path.read_bytes()
    with pytest.raises(jp.InputError) as caught:
        crank(output=path, plan=jp.Sobol(32, seed=2))
    assert '-plan | {"plan": "sobol", "replicates": 8, "seed": 1}' in str(caught.value)
    with pytest.raises(jp.InputError, match="another study"):
        crank(output=path, until=0.005)
    assert path.read_bytes() == before
    other = tmp_path / "other.nc"
    other.write_text("notes")
    with pytest.raises(jp.InputError, match="no study"):
        crank(output=other)
    assert other.read_text() == "notes"


def test_shards_merge_to_the_whole(tmp_path):
    crank(output=tmp_path / "whole.nc")
    for k in (1, 2, 3):
        crank(output=tmp_path / f"{k}.nc", shard=f"{k}/3")
    merged = jp.merge_studies([tmp_path / f"{k}.nc" for k in (3, 1, 2)], tmp_path / "merged.nc")
    assert merged.read_bytes() == (tmp_path / "whole.nc").read_bytes()
    crank(output=tmp_path / "odd.nc", plan=jp.Sobol(32, seed=5))
    with pytest.raises(jp.InputError, match="seed"):
        jp.merge_studies([tmp_path / "1.nc", tmp_path / "odd.nc"], tmp_path / "no.nc")
    assert not (tmp_path / "no.nc").exists()


def test_failures_are_rows_and_bound_the_yield():
    study = jp.study(
        failing, {"x": jp.Uniform(0, 2)}, limits=[jp.AtMost("value", 0.5)], plan=jp.Random(4000, seed=1), workers=1
    )
    n, failed = 4000, len(study.failed)
    assert np.array_equal(np.isnan(study["value"]), study["x"] > 1.0)
    found = study.yield_()
    good = np.count_nonzero(study["x"] <= 0.5)
    assert found.bounds == (good / n, (good + failed) / n)
    assert (found.low, found.high) == (wilson(good, n)[0], wilson(good + failed, n)[1])
    assert "too large" in study.why(int(study.failed[-1]))
    assert study.failures() == {"a function of the study failed": failed}


def test_indices_drop_whole_base_points():
    def f(x, y):
        return failing(x) + y

    study = jp.study(f, {"x": jp.Uniform(0, 1.02), "y": jp.Uniform(0, 1)}, plan=jp.Saltelli(1024, seed=1), workers=1)
    found = study.indices()
    codes = study.rows["outcome"].reshape(-1, 4)
    assert found.dropped == np.count_nonzero((codes != 0).any(axis=1)) > 0
    assert found.base + found.dropped == 1024 and "dropped" in str(found)
    assert study.indices("failed").first["x"].value > 0.9


def test_a_first_chunk_that_fails_stops_with_its_sentence(tmp_path):
    calls = []

    def bad(x):
        calls.append(x)
        if len(calls) > 1:  # the nominal point is well
            raise ValueError("the spring is missing")
        return x

    with pytest.raises(jp.InputError, match="spring is missing"):
        jp.study(bad, {"x": jp.Uniform(0, 1)}, plan=jp.Random(100_000), workers=1)
    assert len(calls) < 100


def test_until_looks_only_at_doubling_sizes():
    stop = jp.Until(yield_within=0.02)
    study = jp.study(
        lambda x: x, {"x": jp.Normal(0, 1)}, limits=[jp.AtMost("value", 1)], plan=jp.Random(100_000, seed=1), stop=stop,
        workers=1,
    )  # fmt: skip
    count = len(study.done)
    assert count in stop.looks(100_000, 1) and count < 100_000 and study.count == count
    level = stop.split(100_000, 1)
    assert study.yield_(level=level).half <= 0.02
    assert study.yield_(level=level, size=count // 2).half > 0.02
    assert study.yield_().low <= 0.841345 <= study.yield_().high
    means = jp.study(
        lambda x: x, {"x": jp.Normal(0, 1)}, plan=jp.Sobol(65536, seed=1), stop=jp.Until(mean_within=0.01), workers=1
    )
    assert len(means.done) < 65536 and abs(means.mean().value) < 0.02


def test_intervals_of_scramblings_are_honest():
    """Of 60 seeds the 95 % interval of a mean misses its value in few."""
    missed = 0
    for seed in range(60):
        study = jp.study(lambda x, y: x * y + x**2, {"x": jp.Uniform(0, 1), "y": jp.Uniform(0, 1)},
                         plan=jp.Sobol(256, seed=seed), workers=1)  # fmt: skip
        mean = study.mean()
        missed += not mean.low <= 0.25 + 1 / 3 <= mean.high
    assert missed <= 8


def test_wilson():
    """Against the closed form by hand: 8 of 10 at 95 %."""
    low, high = wilson(8, 10)
    assert (low, high) == (pytest.approx(0.490162, abs=1e-6), pytest.approx(0.943318, abs=1e-6))
    assert wilson(0, 20)[0] == 0.0 and wilson(20, 20)[1] == 1.0 and wilson(0, 0) == (0.0, 1.0)


def test_halving_tells_what_a_new_study_would():
    def f(x, y):
        return 3.0 * x + y**2

    vary = {"x": jp.Normal(0, 1), "y": jp.Uniform(-1, 1)}
    study = jp.study(f, vary, limits=[jp.AtMost("value", 4)], plan=jp.Sobol(1 << 15, seed=1), workers=1)
    for name in vary:
        other = jp.study(
            f,
            vary | {name: vary[name].halved()},
            limits=[jp.AtMost("value", 4)],
            plan=jp.Sobol(1 << 15, seed=2),
            workers=1,
        )
        told = study.halved()[name]
        assert told.sigma == pytest.approx(other.sigma().value, rel=0.02)
        assert told.yield_ == pytest.approx(other.yield_().value, abs=0.01)


@pytest.mark.parametrize("name", ["x", "y"])
def test_intervals_of_yields_with_a_halved_tolerance_cover_the_truth(name):
    """y = 3 x + n, both normal: P(y <= 4) is a value of the normal distribution; 95 % intervals miss it in 1 of 20."""
    from scipy.stats import norm

    from jointplay.studies.indices import halving

    one = jp.Normal(0, 1)
    stream, runs, met = np.random.default_rng(3), 400, 0
    sigma = np.hypot(1.5, 2.0) if name == "x" else np.hypot(3.0, 1.0)
    truth = norm.cdf(4.0 / sigma)
    for _ in range(runs):
        x, y = stream.normal(0.0, one.sigma, (2, 300)) / one.sigma
        value = 3.0 * x + 2.0 * y
        column = (x if name == "x" else y) * one.sigma
        told = halving(name, one, column, value, value <= 4.0)
        met += told.low <= truth <= told.high
    assert met >= 0.95 * runs - 3.0 * np.sqrt(runs * 0.05 * 0.95)


def test_ratios_see_what_a_straight_line_does_not():
    study = jp.study(
        lambda x, y: x**2 + 0.1 * y, {"x": jp.Uniform(-1, 1), "y": jp.Uniform(-1, 1)}, plan=jp.Sobol(8192), workers=1
    )
    whole = 4 / 45 + 0.01 / 3
    assert study.ratios()["x"].value == pytest.approx(4 / 45 / whole, abs=0.02)
    assert study.contributions()["x"] < 0.1 and study.linearity() < 0.1


def test_functions_of_a_solution_are_outputs():
    def strongest(sol):
        return sol.impacts["impulse"].max()

    study = crank(of={"speed": SPEED, "blow": strongest}, plan=jp.Random(3, seed=1))
    assert study.outputs == ["speed", "blow"]
    assert study["blow"][2] == study.rerun(2).impacts["impulse"].max()


def test_mean_and_quantile_of_a_history():
    study = crank(of=[jp.Mean("crank.angular_velocity[2]"), jp.Quantile("crank.angular_velocity[2]", level=0.25)],
                  plan=jp.Random(2, seed=1))  # fmt: skip
    sol = study.rerun(1)
    x = sol["crank.angular_velocity[2]"]
    assert study.rows[study.outputs[0]][1] == pytest.approx(np.trapezoid(x, sol.time) / sol.time[-1])
    assert study.rows[study.outputs[1]][1] == pytest.approx(np.quantile(x, 0.25))


def test_temperature_that_only_heats_stays_outside_of_the_model():
    fit = jp.Fit("500 H7/g6", hole="aluminium", pin="steel", warmer="dT")
    study = jp.study(CRANK, {"gap": fit, "dT": jp.Uniform("0 K", "60 K")}, [jp.HardestImpact()],
                     plan=jp.Random(4, seed=1), workers=1, **SHORT)  # fmt: skip
    assert len(study.failed) == 0 and study["gap"].max() > 1.2 * fit.mean


@pytest.mark.parametrize(
    "options, words",
    [
        ({"limits": [jp.AtMost(SPEED, 90)]}, "needs a unit"),
        ({"limits": [jp.AtMost(SPEED, "90 N")]}, "force"),
        ({"limits": ["90 rad/s"]}, "AtMost"),
        ({"of": []}, "is empty"),
        ({"of": ["slider.position"]}, "Peak"),
        ({"of": [jp.Impacts("B")]}, "no rigid contacts"),
        ({"plan": 100}, "needs a plan"),
        ({"workers": "many"}, "workers"),
        ({"workers": 0}, "workers"),
        ({"stop": jp.Until(yield_within=0.1)}, "limits"),
        ({"shard": "9/3"}, "shard"),
        ({"output": "table.csv"}, "NAME.nc"),
        ({"until": "-1 s"}, "after the start"),
        ({"method": jp.Explicit()}, "cannot take"),
        ({"plan": jp.Points({"gap": [1e-3]})}, "missing"),
    ],
)
def test_bad_input_is_one_sentence(options, words):
    with pytest.raises(jp.InputError, match=words):
        crank(**options)


def test_a_study_does_not_end_at_a_condition() -> None:
    s = jp.System("pushed", planar=True, gravity=(0, 0, 0), parameters={"q": "2 N"})
    s.body("b", mass=2, inertia=0.1)
    s.prismatic("P", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0))
    s.force("F", "b", force=["q", 0, 0])
    given = {"vary": {"q": jp.Uniform(1, 2)}, "of": [jp.Final("P.displacement")]}
    with pytest.raises(jp.InputError, match="until: is a condition, but all runs of a study end at one time"):
        jp.study(s, until="P.displacement > 0.1", plan=jp.Random(4), **given)
