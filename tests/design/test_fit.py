from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from design_cases import COARSE, DIFFERENCES, FINE, G, oscillator, swing, throw, toggle
from scipy.stats import norm, t

import jointplay as jp

USUAL: dict[str, Any] = {"scheme": FINE, "method": DIFFERENCES}
TIMES = np.linspace(0.05, 2.0, 40)
NOISE = 0.02  # m
WRT = {"v": 1.0, "g": 5.0}


def fall(v: float, g: float) -> jp.System:
    """z = v t - g t^2 / 2: linear in both parameters."""
    s = jp.System("fall", gravity=(0, 0, -g))
    s.body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 0), velocity=(0, 0, v))
    return s


def heights(seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Noisy data of a fall, and the design matrix A of z = A (v, g)."""
    design = np.column_stack([TIMES, -0.5 * TIMES**2])
    return design @ [4.0, G] + np.random.default_rng(seed).normal(0.0, NOISE, len(TIMES)), design


def test_linear_problem_has_the_textbook_answer() -> None:
    data, design = heights()
    found = jp.fit(fall, {"ball.position[2]": (TIMES, data)}, WRT, **USUAL)
    best, rss, *_ = np.linalg.lstsq(design, data, rcond=None)
    freedom = len(TIMES) - 2
    covariance = rss[0] / freedom * np.linalg.inv(design.T @ design)
    assert found.ok
    assert list(found.parameters.values()) == pytest.approx(best, rel=1e-8)
    assert found.covariance == pytest.approx(covariance, rel=1e-6)
    assert found.correlation[0, 1] == pytest.approx(covariance[0, 1] / np.sqrt(np.prod(np.diag(covariance))), rel=1e-6)
    for level in (0.5, 0.95):
        half = t.ppf(0.5 + level / 2, freedom) * np.sqrt(np.diag(covariance))
        for (low, high), value, width in zip(found.intervals(level).values(), best, half, strict=True):
            assert (low, high) == pytest.approx((value - width, value + width), rel=1e-7)
    assert found.residuals["ball.position[2]"] == pytest.approx(data - design @ best, abs=1e-8)
    assert found.sigma["ball.position[2]"][0] == pytest.approx(np.sqrt(rss[0] / freedom), rel=1e-7)
    unit = design / np.linalg.norm(design, axis=0)
    assert found.condition == pytest.approx(np.linalg.cond(unit), rel=1e-6)


def test_known_noise_is_not_estimated() -> None:
    data, design = heights()
    numbers = np.where(TIMES < 1.0, 0.01, 0.04)
    found = jp.fit(fall, {"ball.position[2]": (TIMES, data)}, WRT, sigma={"ball.position[2]": numbers}, **USUAL)
    weighted = design / numbers[:, None]
    best, chi2, *_ = np.linalg.lstsq(weighted, data / numbers, rcond=None)
    covariance = np.linalg.inv(weighted.T @ weighted)
    assert list(found.parameters.values()) == pytest.approx(best, rel=1e-7)
    assert found.covariance == pytest.approx(covariance, rel=1e-6)
    assert found.reduced_chi2 == pytest.approx(chi2[0] / (len(TIMES) - 2), rel=1e-6)
    low, high = found.intervals(0.9)["g"]
    assert high - low == pytest.approx(2 * norm.ppf(0.95) * np.sqrt(covariance[1, 1]), rel=1e-6)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    # the numbers of one fit give the covariance of all, so that 2,000 fits cost a matrix product
    data, design = heights()
    found = jp.fit(fall, {"ball.position[2]": (TIMES, data)}, {"v": 4.0, "g": 9.0}, sigma=NOISE, **USUAL)
    gain = np.linalg.pinv(design)
    noise = np.random.default_rng(0).normal(0.0, NOISE, (len(TIMES), 2000))
    off = gain @ noise
    low, high = found.intervals(0.9)["g"]
    assert np.mean(np.abs(off[1]) < 0.5 * (high - low)) == pytest.approx(0.9, abs=0.02)


def test_damped_oscillator() -> None:
    times, truth = np.linspace(0.02, 4.0, 200), (40.0, 0.5)
    data = swing(times, *truth) + np.random.default_rng(1).normal(0.0, 5e-3, len(times))
    found = jp.fit(oscillator, {"P.displacement": (times, data)}, {"k": "30 N/m", "c": 0.2}, sigma="5 mm", **USUAL)
    k, c = found.parameters.values()
    step = 1e-30j
    jacobian = np.column_stack([swing(times, k + step, c).imag, swing(times, k, c + step).imag]) / 1e-30
    assert found.covariance == pytest.approx(25e-6 * np.linalg.inv(jacobian.T @ jacobian), rel=1e-5, abs=1e-12)
    assert jacobian.T @ (data - swing(times, k, c)) == pytest.approx([0.0, 0.0], abs=1e-6)
    for value, (low, high) in zip(truth, found.intervals().values(), strict=True):
        assert low < value < high
    assert found.solution["P.displacement"] == pytest.approx(swing(times, k, c), abs=1e-8)
    assert "40" in str(found) and "N/m" not in str(found.outcome)


def test_parameters_known_only_together_are_named() -> None:
    # free motion depends on k/m alone
    times = np.linspace(0.05, 3.0, 60)
    data = swing(times, 40.0, 0.0) + np.random.default_rng(2).normal(0.0, 1e-3, len(times))
    found = jp.fit(
        lambda k, m, idle: oscillator(k, 0.0, m),
        {"P.displacement": (times, data)},
        {"k": 38.0, "m": 1.0, "idle": 3.0},
        **USUAL,
    )
    assert "the data determine k and m only together, not each" in found.warnings
    assert "the data do not depend on idle" in found.warnings
    assert all(np.isinf(found.errors[name]) for name in ("k", "m", "idle"))
    assert found.condition > 1e6
    assert found.parameters["k"] / found.parameters["m"] == pytest.approx(40.0, rel=0.01)
    assert found.parameters["idle"] == 3.0
    assert "unknown" in str(found)


@pytest.mark.slow
def test_channels_of_different_noise_are_weighed() -> None:
    times = np.linspace(0.02, 3.0, 150)
    rng = np.random.default_rng(4)
    late = times[::2]
    x = swing(times, 40.0, 0.5) + rng.normal(0.0, 2e-3, len(times))
    late_x = oscillator_speed(late, 40.0, 0.5) + rng.normal(0.0, 0.3, len(late))
    data = {"P.displacement": (times, x), "body.velocity[0]": (late, late_x)}
    found = jp.fit(oscillator, data, {"k": 36.0, "c": 0.4}, **USUAL)
    assert found.sigma["P.displacement"][0] == pytest.approx(2e-3, rel=0.15)
    assert found.sigma["body.velocity[0]"][0] == pytest.approx(0.3, rel=0.2)
    given = jp.fit(
        oscillator, data, {"k": 36.0, "c": 0.4}, sigma={"P.displacement": 2e-3, "body.velocity[0]": 0.3}, **USUAL
    )
    for name in ("k", "c"):
        assert abs(found.parameters[name] - given.parameters[name]) < 0.2 * given.errors[name]


def oscillator_speed(times: np.ndarray, k: float, c: float) -> np.ndarray:
    step = 1e-30j
    return np.asarray(swing(times + step, k, c).imag / 1e-30)


def test_outliers_count_less() -> None:
    data, _ = heights()
    data[::8] += 3.0
    plain, robust = (
        jp.fit(fall, {"ball.position[2]": (TIMES, data)}, {"v": 3.0, "g": 9.0}, loss=loss, **USUAL)
        for loss in ("linear", "cauchy")
    )
    assert abs(plain.parameters["g"] - G) > 0.1 or abs(plain.parameters["v"] - 4.0) > 0.1
    for name, truth in (("v", 4.0), ("g", G)):
        low, high = robust.intervals()[name]
        assert low < truth < high
        assert high - low < 0.2


def test_wrong_sigma_is_doubted() -> None:
    data, _ = heights()
    found = jp.fit(fall, {"ball.position[2]": (TIMES, data)}, {"v": 3.0, "g": 9.0}, sigma=NOISE / 5, **USUAL)
    assert any("larger than sigma allows" in one for one in found.warnings)


def test_parameter_on_its_bound_has_no_error() -> None:
    data, design = heights()
    found = jp.fit(fall, {"ball.position[2]": (TIMES, data)}, {"v": 3.0, "g": 9.0}, bounds={"g": (0, 9.5)}, **USUAL)
    assert found.parameters["g"] == pytest.approx(9.5, abs=1e-4)
    assert np.isnan(found.errors["g"]) and np.isfinite(found.errors["v"])
    # with g held, v is a problem of one parameter
    v = design[:, 0] @ (data - 9.5 * design[:, 1]) / (design[:, 0] @ design[:, 0])
    assert found.parameters["v"] == pytest.approx(v, abs=1e-4)
    assert any("upper bound" in note for note in found.notes)


def test_trials_that_fail_are_stepped_back_from() -> None:
    times = np.linspace(0.1, 1.0, 10)
    data = np.sqrt(1.0 - (0.2 + 0.78 * times) ** 2)  # ends just before the bar locks
    found = jp.fit(
        toggle,
        {"ball.position[1]": (times, data)},
        {"speed": 0.1},
        bounds={"speed": (0.05, 3.0)},
        scheme=COARSE,
        method=DIFFERENCES,
    )
    assert found.parameters["speed"] == pytest.approx(0.78, abs=1e-6)
    assert not found.history["ok"].all()
    assert any("stepped back" in note for note in found.notes)


def test_vectors_and_missing_measurements() -> None:
    sol = jp.simulate(throw(3.0, 4.0), 2.0, FINE, save=TIMES)
    data = sol["ball.position"].copy()
    data[5:9, 2] = np.nan
    found = jp.fit(throw, {"ball.position": (TIMES, data)}, {"vx": 1.0, "vz": 1.0}, sigma=0.01, **USUAL)
    assert list(found.parameters.values()) == pytest.approx([3.0, 4.0], rel=1e-8)
    assert found.freedom == 3 * len(TIMES) - 4 - 2
    with pytest.raises(jp.InputError, match="3 components"):
        jp.fit(throw, {"ball.position": (TIMES, data[:, 0])}, {"vx": 1.0, "vz": 1.0}, **USUAL)


def test_runs_are_limited() -> None:
    data, _ = heights()
    found = jp.fit(fall, {"ball.position[2]": (TIMES, data)}, WRT, max_runs=1, **USUAL)
    assert not found.ok and "max_runs" in found.outcome
    assert found.parameters == {"v": 1.0, "g": 5.0}


def test_mistakes() -> None:
    data, _ = heights()
    wrong = {"a": ([0.0, -1.0], [1.0, 2.0]), "b": ([0.0], [1.0, 2.0]), "c": 5}
    with pytest.raises(jp.InputError) as caught:
        jp.fit(fall, wrong, {"v": "1 kg m", "h": 3.0}, loss="square", **USUAL)
    fields = [one.field for one in caught.value.problems]
    assert fields[0] == "loss" and {"data['a']", "data['b']", "data['c']"} < set(fields)
    assert any("h" in field for field in fields)
    channel = {"ball.position[2]": (TIMES, data)}
    with pytest.raises(jp.InputError, match="too few"):
        jp.fit(fall, {"ball.position[2]": ([0.1, 0.2], [0.3, 0.6])}, WRT, **USUAL)
    with pytest.raises(jp.InputError, match="sigma.*positive"):
        jp.fit(fall, channel, WRT, sigma=0.0, **USUAL)
    with pytest.raises(jp.InputError, match="no data of 'x'"):
        jp.fit(fall, channel, WRT, sigma={"x": 1.0}, **USUAL)
    with pytest.raises(jp.InputError, match="after the end"):
        jp.fit(fall, channel, WRT, until=1.0, **USUAL)
    with pytest.raises(jp.InputError, match="level"):
        jp.fit(fall, channel, WRT, **USUAL).intervals(95)


def test_words_and_picture(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    data, _ = heights()
    found = jp.fit(
        fall, {"ball.position[2]": (TIMES, data)}, {"v": "3 m/s", "g": 9.0}, save=0.01, progress=True, **USUAL
    )
    assert "run 1: v = 3, g = 9" in capsys.readouterr().err
    text = str(found)
    for part in (
        "95 % from",
        "m/s",
        "correlation",
        "40 measurements",
        "(estimated)",
        "derivatives by differences",
    ):
        assert part in text
    assert len(found.solution.time) == 201
    found.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 10_000


def test_fit_through_impacts_with_exact_derivatives() -> None:
    # a ball bounces between floor and start: the height after two impacts tells g and e
    def bounce(e: float, g: float) -> jp.System:
        s = jp.System("bounce", gravity=(0, 0, -g))
        ball = s.body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 1))
        stop = jp.Stop(lower=-1.0, contact=jp.Rigid(restitution=e))
        s.prismatic("P", s.ground, ball, point=(0, 0, 1), axis=(0, 0, 1), displacement=stop)
        return s

    def height(t: np.ndarray, e: float, g: float) -> np.ndarray:
        fall = np.sqrt(2.0 / g)  # of 1 m
        first, second = fall, fall * (1.0 + 2.0 * e)
        up = [e * np.sqrt(2.0 * g), e * e * np.sqrt(2.0 * g)]
        rise = up[0] * (t - first) - 0.5 * g * (t - first) ** 2
        again = up[1] * (t - second) - 0.5 * g * (t - second) ** 2
        return np.asarray(np.where(t < first, 1.0 - 0.5 * g * t * t, np.where(t < second, rise, again)))

    times = np.linspace(0.02, 1.2, 60)
    data = height(times, 0.7, G) + np.random.default_rng(6).normal(0.0, 2e-3, len(times))
    found = jp.fit(
        bounce, {"ball.position[2]": (times, data)}, {"e": 0.6, "g": 9.5}, sigma=2e-3, scheme=jp.Moreau(step=0.01)
    )
    assert found.derivative == "direct"
    e, g = found.parameters.values()
    h = 1e-6
    jacobian = np.column_stack(
        [
            (height(times, e + h, g) - height(times, e - h, g)) / (2 * h),
            (height(times, e, g + h) - height(times, e, g - h)) / (2 * h),
        ]
    )
    assert found.covariance == pytest.approx(4e-6 * np.linalg.inv(jacobian.T @ jacobian), rel=1e-3)
    for name, truth in (("e", 0.7), ("g", G)):
        low, high = found.intervals(0.99)[name]
        assert low < truth < high
