"""A few figures of the reference data, typed in, for a clone without the data folder; the source stands beside each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks import (
    body_on_a_joint,
    car_axis,
    double_pendulum,
    four_bar_windows,
    gonzalez_slider_crank,
    simple_pendulum,
    spring_pendulum,
    torque_driven_slider_crank,
)

import jointplay as jp

FINE = jp.Explicit(rtol=1e-11, atol=1e-12)


def run(system: jp.System, *times: float) -> jp.Solution:
    sol = jp.simulate(system, until=times[-1], method=FINE, save=np.array(times))
    assert sol.outcome.ok, sol.outcome.message
    return sol


# projectchrono/chrono (BSD-3-Clause), data/testing/joints, computed with MSC ADAMS
HINGED: dict[str, Any] = {
    "joint": "revolute",
    "joint_point": (0, 0, 0),
    "joint_frame_quat": (0.5**0.5, -(0.5**0.5), 0, 0),
    "body": {
        "mass": 1.0,
        "inertia_diag_body": (0.04, 0.1, 0.1),
        "com0": (2.0, 0, 0),
        "quat0": (0.5**0.5, -(0.5**0.5), 0, 0),
        "vel0": (0, 0, 0),
        "omega0": (0, 0, 0),
    },
}


def test_adams_revolute() -> None:
    """Revolute_Case01 at 1, 2.5 and 5 s: position and the reaction on the ground."""
    sol = run(body_on_a_joint(HINGED, (0, 0, -9.80665)), 1.0, 2.5, 5.0)
    position = [(-0.892381, 0, -1.78988), (-0.265506, 0, -1.9823), (-1.99968, 0, -0.0355587)]
    reaction = [(-11.4612, 0, -23.2273), (-3.77661, 0, -28.4357), (-0.510225, 0, -0.248259)]
    assert np.allclose(sol["b.position"], position, rtol=0, atol=2e-5)
    assert np.allclose(-sol["J.force"], reaction, rtol=0, atol=2e-3)


def test_adams_torsional_spring() -> None:
    """RotSpring_Case01 at 1 and 2.5 s: position, and the torque on the ground with the spring's part."""
    sol = run(body_on_a_joint({**HINGED, "spring": {"k": 200.0, "c": 10.0}}, (0, 0, -9.80665)), 1.0, 2.5)
    assert np.allclose(sol["b.position"], [(1.994921, 0, -0.1424453), (1.990319, 0, -0.1965414)], rtol=0, atol=2e-5)
    assert np.allclose(-sol["J.spring_torque"], (15.45839, 19.35666), rtol=0, atol=5e-4)


def test_iftomm_pendulum() -> None:
    """A01 of the IFToMM library as kept in Jiaqi-knight/simEngine3D (MIT)."""
    sol = run(simple_pendulum(), 10.0, 100.0, 1000.0, 2000.0)
    wanted = [(-0.275087, -0.961419), (-0.181513, -0.983388), (0.68323, -0.730203), (0.814603, -0.580019)]
    assert np.allclose(sol["mass.position"][:, :2], wanted, rtol=0, atol=5e-6)


@pytest.mark.slow
def test_iftomm_windows() -> None:
    """A02 with 40 windows, same source: upper end of the first upright."""
    sol = run(four_bar_windows(40), 1.0, 2.0, 5.0, 10.0)
    wanted = [(-0.115357, -0.993324), (0.0344663, 0.999406), (-0.540191, -0.841543), (0.180513, 0.983573)]
    assert np.allclose(sol["tip.position"][:, :2], wanted, rtol=0, atol=1e-5)


def test_spatial_slider_crank_of_gonzalez() -> None:
    """Submitted to the IFToMM library by Gonzalez, as kept in jgerstmayr/EXUDYN (BSD-like)."""
    sol = run(gonzalez_slider_crank(), 1.0, 3.0, 5.0)
    assert np.allclose(sol["slider.position[0]"], (0.211754668, 0.228450093, 0.240761815), rtol=0, atol=2e-4)


def test_torque_driven_slider_crank() -> None:
    """From jgerstmayr/EXUDYN (BSD-like), slidercrankRefSolM0.1_tol1e-6."""
    sol = run(torque_driven_slider_crank(), 0.49149936, 3.0)
    assert sol["A.angle"] == pytest.approx([3.9399202, 121.89082], abs=9e-3)
    assert sol["A.angle"][0] == pytest.approx(3.9399202, abs=2e-6)


def test_modelica_pendulums() -> None:
    """Modelica Standard Library 4.0.0 (BSD-3-Clause), results of Dymola from MAP-LIB_ReferenceResults."""
    sol = run(double_pendulum(), 1.5, 3.0)
    assert np.allclose(sol["A.angle"], (-1.48885217, -2.31792856), rtol=0, atol=1.2e-4)
    assert np.allclose(sol["B.angle"], (1.36457739, -1.73649167), rtol=0, atol=1.2e-4)
    sol = run(spring_pendulum(), 1.0, 2.0, 5.0, 10.0)
    assert np.allclose(
        sol["B.displacement"] + 0.5, (0.741836761, 0.316075798, 0.856737197, 0.746849622), rtol=0, atol=4.5e-5
    )
    assert np.allclose(sol["A.angle"], (-1.3569457, -2.26181299, -1.8305871, -1.3329077), rtol=0, atol=4.5e-5)


def test_car_axis() -> None:
    """Test Set for IVP Solvers (Mazzia, Magherini): positions of both masses at 3 s."""
    sol = run(car_axis(M=10, eps=0.01, L=1, L0=0.5, r=0.1, omega=10, g=1), 3.0)
    assert sol["left.position"][-1, :2] == pytest.approx((0.04934557842754028, 0.49698946023017115), rel=1e-8)
    assert sol["right.position"][-1, :2] == pytest.approx((1.0417425248854215, 0.37391102726536124), rel=1e-8)
