"""Scratch arrays for a model, made once per run."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..arrays import Model, State, Work


def make_work(model: Model, state: State, stages: int = 1, scalar: type = float) -> Work:
    """Work for a model; ``stages`` lines of rates for the method. The ground stands still at the origin."""
    info = model.info[0]
    bodies, rows, size = int(info["bodies"]), int(info["bilateral"]), len(state.y)
    kin = np.zeros(bodies, dtype=arrays.kinematics_dtype(scalar))
    kin[0]["A"] = np.eye(3)
    return Work(
        kin=kin,
        row=np.zeros(int(info["measure"]) + 1, dtype=arrays.row_dtype(scalar)),
        force=np.zeros((bodies, 6), dtype=scalar),
        accel=np.zeros((bodies, 6), dtype=scalar),
        shift=np.zeros((bodies, 6), dtype=scalar),
        entry=np.zeros(len(model.pair), dtype=scalar),
        lower=np.zeros(len(model.factor.column_row), dtype=scalar),
        diagonal=np.zeros(rows, dtype=scalar),
        scratch=np.zeros(rows, dtype=scalar),
        rhs=np.zeros(rows, dtype=scalar),
        lam=np.zeros(rows, dtype=scalar),
        residual=np.zeros(rows, dtype=scalar),
        stage=np.zeros((stages, size), dtype=scalar),
        y_try=np.zeros(size, dtype=scalar),
        y_new=np.zeros(size, dtype=scalar),
        dy_new=np.zeros(size, dtype=scalar),
        y_out=np.zeros(size, dtype=scalar),
        dy_out=np.zeros(size, dtype=scalar),
        stack=np.zeros((64, 3)),
        tally=np.zeros(arrays.TALLY),
    )
