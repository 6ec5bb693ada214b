"""First order through impacts: it is trusted only where a thousand runs agree with it."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.gallery import entries
from jointplay.studies.first_order import WITHIN, judge

CRANK = entries()["slider_crank_clearance"]
SPEED, LOST = jp.Final("crank.angular_velocity[2]"), jp.Final("energy.dissipated")


def eight(share):
    """Eight parameters with tolerances of a share of 2 % of the gap and 0.1 % of other sizes."""
    return {
        "gap": jp.Normal("1 mm", sigma=20e-6 * share),
        "mu": jp.Normal(0.01, sigma=2e-4 * share),
        "restitution": jp.Normal(0.4, sigma=2e-3 * share),
        "crank": jp.Normal("153 mm", sigma=15e-6 * share),
        "rod": jp.Normal("306 mm", sigma=30e-6 * share),
        "bodies.slider.mass": jp.Normal("76 g", sigma=76e-6 * share),
        "bodies.rod.mass": jp.Normal("38 g", sigma=38e-6 * share),
        "bodies.crank.inertia": jp.Normal(7.4e-5, sigma=7.4e-8 * share),
    }


@pytest.mark.study
@pytest.mark.parametrize("until", [4e-3, 8e-3, 32e-3, 69e-3])  # 2, 6, about 50 and about 90 impacts
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_verdicts_agree_with_a_thousand_runs(until, share):
    options = {"until": until, "method": jp.Moreau(step=1e-5), "save": [until]}
    found = jp.first_order(CRANK, eight(share), [SPEED, LOST], **options)
    study = jp.study(CRANK, eight(share), [SPEED, LOST], plan=jp.Random(1000, seed=5), **options)
    for key in found.outputs:
        ratio = study.sigma(key).value / found.sigma[key]
        print(f"{until:g} s, share {share}, {key}: sigma of runs / first order {ratio:.4f}; {found.verdicts[key]}")
        if found.verdicts[key].trust:
            assert abs(ratio - 1.0) <= WITHIN, (key, ratio, found.verdicts[key])


@pytest.mark.slow
def test_before_impacts_it_is_trusted():
    options = {"until": 2e-3, "method": jp.Moreau(step=1e-5), "save": [2e-3]}
    found = jp.first_order(CRANK, eight(1.0), [SPEED], **options)
    assert found.verdicts[str(SPEED)].trust
    assert sum(found.contributions[str(SPEED)].values()) == pytest.approx(1.0)


def line(n, seed):
    x = np.random.default_rng(seed).standard_normal(n)
    return x


@pytest.mark.parametrize(
    "bend, trust",
    [(lambda x: 0.0 * x, True), (lambda x: 0.02 * x**2, True), (lambda x: 0.5 * x, False), (lambda x: x**2, False)],
    ids=["straight", "nearly", "steeper", "curved"],
)
def test_verdicts_on_made_up_runs(bend, trust):
    right = 0
    for seed in range(50):
        x = line(16, seed)
        right += judge(x + bend(x), x, 1.0, 0, 1).trust == trust
    assert right >= 48


def test_failed_or_jumping_runs_forbid_it():
    x = line(16, 1)
    assert not judge(x[:15], x[:15], 1.0, 1, 1).trust
    jump = x.copy()
    jump[3] += 3.0
    verdict = judge(jump, x, 1.0, 0, 5)
    assert not verdict.trust and "5 different orders" in str(verdict)
    assert judge(np.ones(16), np.ones(16), 0.0, 0, 1).trust
    assert not judge(x, np.ones(16), 0.0, 0, 1).trust


def test_outputs_without_derivatives_are_refused():
    with pytest.raises(jp.InputError, match="no derivatives"):
        jp.first_order(CRANK, {"gap": jp.Uniform("0.9 mm", "1.1 mm")}, [jp.Impacts()], until=1e-3)
