"""Paper D (Chaturvedi, Sandu, Sandu): a slider in a guide with play, under its weight and a pull off its centre.

The paper gives no data; these are m = 3.2 kg, J = 2e-3 kg m2, ends 10 mm from the centre, F = 50 N, c = 10 micrometre,
and pulls that act 0, 2 and 30 mm below the centre. At rest across the guide the balance of forces and moments gives the
forces at the ends, (m g +- F s / a) / 2, if both stand on the lower wall, |F s| < m g a; beyond that the slider tilts
and the right end presses on the upper wall with half of F s / a - m g. The slider of the paper is a line.
"""

from __future__ import annotations

import numpy as np
import pytest
from clearances import slider_in_guide

import jointplay as jp

C, A, M, F = 1e-5, 0.01, 3.2, 50.0  # m, m, kg, N
CASES = {  # arm of the pull (m) -> heights of the ends (m), forces on them (N)
    0.0: ((-C, -C), (15.696, 15.696)),
    2e-3: ((-C, -C), (20.696, 10.696)),
    30e-3: ((-C, C), (90.696, 59.304)),
}
METHODS = [jp.Moreau(step=1e-3), jp.Moreau(step=1e-4), jp.Moreau()]
EACH_METHOD = pytest.mark.parametrize("method", METHODS, ids=["1e-3", "1e-4", "controlled"])


def settled(arm: float, method: jp.Moreau, **given: object) -> jp.Solution:
    sol = jp.simulate(slider_in_guide(arm=arm, **given), until=0.2, method=method, save=1e-2)  # type: ignore[arg-type]
    assert sol.outcome.ok, sol.outcome.message
    return sol


def ends(sol: jp.Solution) -> np.ndarray:
    """Heights of the left and the right end of the centre line at the end of the run."""
    y = sol["slider.position"][-1, 1]
    p = sol["slider.orientation"][-1]
    return y + A * np.array([-1.0, 1.0]) * 2.0 * p[0] * p[3]


def forces(sol: jp.Solution) -> np.ndarray:
    """Forces on the left and the right end, whichever wall gives them."""
    upper, lower = np.split(sol["D.normal_force"][-1], 2)
    assert np.all(np.minimum(upper, lower) <= 1e-12)
    return np.asarray(upper + lower)


@EACH_METHOD
@pytest.mark.parametrize("arm", CASES)
def test_ends_settle_at_the_walls_with_the_forces_of_statics(arm: float, method: jp.Moreau) -> None:
    sol = settled(arm, method)
    heights, statics = CASES[arm]
    assert np.max(np.abs(ends(sol) - heights)) <= 1e-10
    assert np.max(np.abs(forces(sol) - statics)) <= 1e-6
    assert np.allclose(sol["slider.acceleration"][-1], (F / M, 0.0, 0.0), atol=1e-8)
    assert np.min(sol["D.gap"]) >= -1e-10


@pytest.mark.parametrize("arm", CASES)
def test_a_moving_guide_around_a_fixed_slide_settles_alike(arm: float) -> None:
    """The outer member moves: its upper wall rests on the slide. Tilted, its rims stand 2 c sin(th) further apart.

    That changes the forces by a millionth.
    """
    sol = settled(arm, METHODS[1], outer=True)
    heights, statics = CASES[arm]
    assert np.max(np.abs(ends(sol) - heights)) <= 1e-10
    assert np.max(np.abs(forces(sol) - statics)) <= (2e-4 if arm == 30e-3 else 1e-6)


@pytest.mark.parametrize("outer", [False, True], ids=["inner", "outer"])
def test_the_width_of_a_tilted_slider_counts(outer: bool) -> None:
    """Tilted by th, the corners that touch lie l cos(th) - w sin(th) apart along x, the rims of a guide + w sin(th).

    The pull turns the body with F s cos(th), so N1 + N2 is twice that over the distance.
    """
    w, s = 0.01, 0.03
    sol = settled(s, METHODS[1], outer=outer, width=w)
    p = sol["slider.orientation"][-1]
    tilt = 2.0 * np.arctan2(p[3], p[0])
    upper, lower = np.split(sol["D.normal_force"][-1], 2)
    total = float(np.sum(upper) + np.sum(lower))
    reach = 2 * A * np.cos(tilt) + ((w + 2 * C) * np.sin(tilt) if outer else -w * np.sin(tilt))
    # the force of an edge on a rim is counted along the wall's normal, cos(th) = 1 - 5e-7
    assert abs(total - 2.0 * F * s * np.cos(tilt) / reach) <= (2e-4 if outer else 1e-6)
    assert np.allclose(sol["D.force"][-1], (0.0, M * 9.81, 0.0), atol=1e-8)


@EACH_METHOD
def test_free_fall_to_the_wall(method: jp.Moreau) -> None:
    """Through 10 micrometre: sqrt(2 c / g) = 1.4278 ms, both ends at once."""
    sol = settled(0.0, method)
    first = sol.impacts[:2]
    assert np.allclose(first["time"], np.sqrt(2 * C / 9.81), rtol=1e-9, atol=0)
    assert np.allclose(first["speed_before"], -np.sqrt(2 * C * 9.81), rtol=1e-9, atol=0)


@EACH_METHOD
@pytest.mark.parametrize("arm", CASES)
def test_the_ledger_closes(arm: float, method: jp.Moreau) -> None:
    sol = settled(arm, method)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6 * np.max(sol["energy.kinetic"])
    assert np.all(np.diff(sol["energy.dissipated"]) >= -1e-15)
