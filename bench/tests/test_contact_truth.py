"""The references with contact: against printed facts, against each other, and against conservation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.slidercrank_reference import TWO_TURNS, Mechanism, Reference, accurate, contact_work, moreau, solve_contacts

from ..p2 import form_of, touches
from ..peers import loops_
from ..problems import GUIDE_CRANK, JOURNAL
from ..truth import guide_crank, guide_mechanism, journal_pendulum

TIMES = np.linspace(0.0, TWO_TURNS, 56)


@pytest.fixture(scope="module")
def reference() -> Reference:
    """Two crank turns with every impact located."""
    return accurate(Mechanism(), TIMES)


def test_the_problem_is_the_reference() -> None:
    """Bench data and the reference's defaults are one table of one paper."""
    assert guide_mechanism(GUIDE_CRANK.gap) == Mechanism()


def test_known_facts_of_the_slider_crank(reference: Reference) -> None:
    """First impact, duration of two turns, order and times of the first touches."""
    first = reference.impacts[0]
    assert first.face == "upper"
    assert first.time == pytest.approx(2.6925e-3, abs=5e-8)
    assert first.before == pytest.approx(-0.8416, abs=5e-5)
    assert reference.q[-1, 0] == pytest.approx(4 * np.pi, abs=150 * 5e-8)
    faces, times = zip(*reference.first_touches(), strict=True)
    assert faces == ("upper", "lower") * 4
    published = (0.0027, 0.0258, 0.0398, 0.0622, 0.0721, 0.0924, 0.1087)
    np.testing.assert_allclose(times[:7], published, rtol=0.03)
    assert reference.closed[0][1:] == pytest.approx((9.1456e-3, 15.0287e-3), abs=1e-7)


def test_newtons_law_and_energy_of_the_reference(reference: Reference) -> None:
    """Every impact loses, and what is lost is what impacts and friction took."""
    for impact in reference.impacts:
        assert impact.before < 0.0 and impact.after == pytest.approx(-0.4 * impact.before)
        assert impact.impulse > 0.0 and impact.loss > 0.0
    lost = reference.friction_work + reference.impact_loss
    assert reference.energy_start - reference.energy_end == pytest.approx(lost, abs=1e-10)
    assert reference.friction_work == pytest.approx(0.0139277, abs=1e-6)


def test_reference_does_not_depend_on_its_settings(reference: Reference) -> None:
    """Tolerance, and where infinitely many rebounds are cut off."""
    other = accurate(Mechanism(), TIMES, rtol=1e-10, shortest=1e-6)
    np.testing.assert_allclose(other.q, reference.q, atol=1e-11)
    with pytest.raises(ValueError, match="round-off"):
        accurate(Mechanism(), TIMES, shortest=1e-9)


def test_without_loss_energy_stays() -> None:
    """Restitution 1 and no friction: the event-located run and Moreau's rule keep the energy up to their own errors."""
    mechanism = replace(Mechanism(), restitution=1.0, mu=0.0)
    run = accurate(mechanism, np.array([0.0, 0.02]))
    assert run.impacts and run.energy_end == pytest.approx(run.energy_start, rel=1e-10)


def test_moreau_converges_to_the_reference() -> None:
    """First order: ten times the steps, a tenth of the error; the slider does not turn."""
    errors = []
    times = np.linspace(0.0, 0.1375, 1376)
    exact = accurate(Mechanism(), times)
    for refine in (1, 10):
        run = moreau(Mechanism(), step=1e-5 / refine, steps=13750 * refine, every=10 * refine)
        errors.append(np.max(np.abs(run.q[:, 0] - exact.q[:, 0])))
        assert np.max(np.abs(run.q[:, 2])) < 1e-12
    assert errors[0] < 0.05 and errors[0] / errors[1] == pytest.approx(10.0, rel=0.1)


def test_contacts_of_a_block() -> None:
    """A block on two corners, pressed and pushed: sticks below mu N, slides above, leaves when it is pulled."""
    # Mass 1, moment 1, corners at (+-1, -1): rows (x, y, turn).
    rows = np.array([[0.0, 1.0, -1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    G = np.zeros((8, 8))
    G[:4, :4] = rows @ rows.T
    P = np.zeros(8)
    for speeds, slides in (((0.1, -1.0, 0.0), False), ((1.0, -1.0, 0.0), True)):
        c = np.zeros(8)
        c[:4] = rows @ speeds
        assert solve_contacts(G, c, 0.5, 2, P, contact_work())
        after = np.array(speeds) + rows.T @ P[:4]
        assert after[1] == pytest.approx(0.0, abs=1e-12) and after[2] == pytest.approx(0.0, abs=1e-12)
        assert after[0] == pytest.approx(0.5 if slides else 0.0, abs=1e-12)
        assert P[0] + P[2] == pytest.approx(1.0)
    c[:4] = rows @ (0.0, 1.0, 0.0)
    assert solve_contacts(G, c, 0.5, 2, P, contact_work()) and not P.any()


def test_touches_take_turns() -> None:
    """A rebound on the same face is no new touch."""
    height = np.array([0.0, 0.96, 0.5, 1.0, 0.0, -0.97, -1.0, 0.99])
    seen = touches(np.arange(8.0), height, 1.0)
    assert seen == [("upper", 1.0), ("lower", 5.0), ("upper", 7.0)]


def test_the_hand_written_loop_passes_its_check() -> None:
    """The criteria of P2 accept a right scheme of first order."""
    times = GUIDE_CRANK.step * GUIDE_CRANK.sampling * np.arange(GUIDE_CRANK.steps // GUIDE_CRANK.sampling + 1)
    truth, height = guide_crank(times, GUIDE_CRANK.gap)
    run = loops_.guide()[0].run(GUIDE_CRANK.gap, GUIDE_CRANK.sampling)
    assert form_of(run, times, truth.q[:, 0], height).complaints == []


def test_journal_falls_swings_and_loses() -> None:
    """Free fall through the clearance first; without friction and clearance in view, a pendulum of known period."""
    angle, eccentricity, lost = journal_pendulum(10)
    assert 0.3 < lost < 0.5
    assert np.min(angle) > -np.pi and eccentricity[0] == 0.0
    # A pendulum released from the horizontal swings to 180 degrees and back in 1.18034 times its small period.
    smooth = replace(JOURNAL, friction=0.0, restitution=0.0, gap=1e-6, sampling=1)
    angle = journal_pendulum(10, data=smooth)[0]
    about_pin = smooth.inertia + smooth.mass * smooth.arm**2
    period = 1.18034 * 2 * np.pi * np.sqrt(about_pin / (smooth.mass * smooth.gravity * smooth.arm))
    lowest = smooth.step * np.argmin(angle)  # the far end of the swing
    assert lowest == pytest.approx(period / 2, rel=5e-3)


def test_journal_truth_is_at_rest_with_its_step() -> None:
    """Refining once more moves the truth by far less than what P3 allows."""
    coarse, fine = (journal_pendulum(refine)[0] for refine in (100, 1000))
    assert np.max(np.abs(coarse - fine)) < 5e-3


def test_damping_ratio_gives_the_restitution() -> None:
    """The contact spring of MuJoCo, integrated."""
    mujoco_ = pytest.importorskip("bench.peers.mujoco_")
    zeta = mujoco_.damping_ratio(0.4)
    r, v, h = 0.0, 1.0, 1e-4
    while r + 2 * zeta * v > 0.0:
        v -= h * (2 * zeta * v + r)
        r += h * v
    assert -v == pytest.approx(0.4, abs=1e-3)
