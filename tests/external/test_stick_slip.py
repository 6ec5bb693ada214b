"""Measured stick-slip of a slider on paper, drawn by a spring (Colas et al. 2019; the experiment of Rabinowicz).

With constant coefficients the cycle is known: with w = sqrt(k/m), D = (mu_s - mu_k) m g and a = D w/(k V) the slider
sticks for 2 D/(k V), slips for 2 (pi - atan a)/w, and the spring swings by sqrt(D^2 + (k V/w)^2) about mu_k m g.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from friction_cases import run
from paper_e import block
from paper_e_reference import Block
from refs import columns, reference

import jointplay as jp

FOLDER = "stick_slip_experiment"
MASS, G = 0.0307, 9.81
# k (N/m), V (m/s), median peak and valley of the force over m g, median period (s): summary of the data, typed in
RECORDS = [
    (168.0, 42e-6, 0.31432, 0.25918, 2.62),
    (168.0, 1.1e-3, 0.36966, 0.29377, 0.176),
    (1002.0, 1.1e-3, 0.36673, 0.30265, 0.040),
]


def coefficients(k: float, V: float, peak: float, valley: float) -> tuple[float, float]:
    """mu_k and mu_s of a cycle with this peak and valley."""
    swing, speed = 0.5 * (peak - valley) * MASS * G, V * np.sqrt(k * MASS)
    return 0.5 * (peak + valley), 0.5 * (peak + valley) + np.sqrt(swing**2 - speed**2) / (MASS * G)


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: f"k{one[0]:g}-v{1e6 * one[1]:g}")
def test_cycle(record: tuple[float, ...]) -> None:
    k, V, peak, valley, measured = record
    mu_k, mu_s = coefficients(k, V, peak, valley)
    w, D = np.sqrt(k / MASS), (mu_s - mu_k) * MASS * G
    sticking, slipping = 2.0 * D / (k * V), 2.0 * (np.pi - np.arctan(D * w / (k * V))) / w
    first = mu_s * MASS * G / (k * V)  # s until it slips
    data = Block(m=MASS, k=k, g=G, v=V, mu_s=mu_s, mu_d=mu_k)
    until = first + 3.2 * (sticking + slipping)
    times = np.linspace(first - 0.1 * slipping, until, 20001)
    sol = run(block("coulomb", data), until, jp.Moreau(step=2e-3 / w), times)
    v = sol["block.velocity[0]"]
    still = np.abs(v) < 1e-12
    starts, ends = sol.time[:-1][still[:-1] & ~still[1:]], sol.time[:-1][~still[:-1] & still[1:]]
    period, tick = sticking + slipping, times[1] - times[0]
    assert len(starts) == 4
    assert np.diff(starts) == pytest.approx(period, abs=1e-3 * period)
    assert starts[1:] - ends[:3] == pytest.approx(sticking, abs=1e-3 * period + tick)
    force = (V * sol.time - sol["block.position[0]"]) * k / (MASS * G)
    cycle = sol.time > starts[1]
    assert np.max(force[cycle]) == pytest.approx(peak, rel=1e-3)
    assert np.min(force[cycle]) == pytest.approx(valley, rel=1e-3)
    assert period == pytest.approx(measured, rel=0.15)


def test_typed_figures_are_those_of_the_data() -> None:
    summary = json.loads((reference(FOLDER) / "summary.json").read_text(encoding="utf-8"))
    assert (summary["mass_kg"], summary["g"]) == (MASS, G)
    keys = ("k_N_per_m", "V_m_per_s", "median_peak", "median_valley", "median_period_s")
    assert [tuple(one[key] for key in keys) for one in summary["records"][:3]] == RECORDS
    for one in summary["records"]:
        table = columns(reference(FOLDER) / one["file"])
        assert np.mean(table["F_over_mg"]) == pytest.approx(one["mean"], abs=1e-3)


@pytest.mark.parametrize("record", [(1002.0, 4.3e-3, 0.359, 0.219), (2254.0, 4.3e-3, 0.432, 0.254)])
def test_fast_records_do_not_stick(record: tuple[float, ...]) -> None:
    """Half the swing is below k V/w: no constant coefficients make the slider rest."""
    k, V, peak, valley = record
    assert 0.5 * (peak - valley) * MASS * G < V * np.sqrt(k * MASS)
