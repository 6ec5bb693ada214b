"""Rotations: the kernels' formula, the way back, and poses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jointplay.model.geometry import Pose, euler_parameters, nearest_rotation, rotation_matrix, turn
from jointplay.numerics import vec

number = st.floats(-1.0, 1.0)
parameters = st.tuples(number, number, number, number).filter(lambda p: np.linalg.norm(p) > 0.1)


def unit(p: tuple[float, ...]) -> np.ndarray:
    """The vector with unit length."""
    return np.asarray(np.array(p) / np.linalg.norm(p))


@given(parameters)
def test_rotation_is_orthonormal_and_right_handed(p: tuple[float, ...]) -> None:
    """A A^T = I and det A = 1."""
    A = rotation_matrix(unit(p))
    np.testing.assert_allclose(A @ A.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(A) == pytest.approx(1.0, abs=1e-14)


def test_rotation_equals_the_kernel() -> None:
    """Python and kernels use one formula, to the last bit."""
    p, A = unit((0.3, -0.5, 0.7, 0.2)), np.empty((3, 3))
    getattr(vec.rotation, "py_func", vec.rotation)(p, A)
    assert np.array_equal(rotation_matrix(p), A)


@given(parameters)
def test_euler_parameters_invert_rotation(p: tuple[float, ...]) -> None:
    """P comes back up to its sign, half turns included."""
    q = euler_parameters(rotation_matrix(unit(p)))
    assert abs(np.dot(q, unit(p))) == pytest.approx(1.0, abs=1e-14)
    assert q[0] >= 0.0


@pytest.mark.parametrize("axis", np.eye(3))
def test_half_turns(axis: np.ndarray) -> None:
    """A half turn has e0 = 0, where formulas that divide by e0 fail."""
    A = rotation_matrix(turn(axis, np.pi))
    np.testing.assert_allclose(rotation_matrix(euler_parameters(A)), A, atol=1e-15)


def test_turn_about_z_by_90_degrees_takes_x_to_y() -> None:
    """Sign and sense of the angle."""
    np.testing.assert_allclose(
        rotation_matrix(turn(np.array([0, 0, 5.0]), np.pi / 2)) @ [1, 0, 0], [0, 1, 0], atol=1e-15
    )


def test_nearest_rotation_mends_rounded_digits() -> None:
    """A typed matrix with four digits becomes orthonormal without turning much."""
    rough = np.array([[0.7071, -0.7071, 0.0], [0.7071, 0.7071, 0.0], [0.0, 0.0, 1.0]])
    A = nearest_rotation(rough)
    np.testing.assert_allclose(A @ A.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(A, rough, atol=1e-4)


def test_pose_there_and_back() -> None:
    """point_in undoes point_out; axes_in gives components along body axes."""
    pose = Pose(np.array([1.0, 2.0, 3.0]), rotation_matrix(turn(np.array([1.0, 1.0, 0.0]), 0.7)))
    point = np.array([0.1, -0.2, 0.3])
    np.testing.assert_allclose(pose.point_in(pose.point_out(point)), point, atol=1e-15)
    np.testing.assert_allclose(pose.axes_in(pose.A.T), np.eye(3), atol=1e-15)
