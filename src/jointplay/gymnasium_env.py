"""The class behind ``environment``; the only file that needs gymnasium."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from .simulation import seconds
from .stepper import Stepper

Judge = Callable[[Stepper], float]


class Environment(gymnasium.Env[np.ndarray, np.ndarray]):
    """A Stepper behind the interface of gymnasium; made by ``jp.environment``."""

    metadata = {"render_modes": []}  # noqa: RUF012  as gymnasium declares it

    def __init__(
        self,
        sim: Stepper,
        observe: list[str],
        act: list[str],
        bounds: np.ndarray,
        reward: Judge,
        ends: Judge | None,
        begin: Callable[[Stepper, np.random.Generator], None] | None,
        span: float | str,
        at_most: float | str,
    ) -> None:
        self.sim = sim
        self._observe, self._act, self._reward, self._ends, self._begin = observe, act, reward, ends, begin
        self._span, self._last = span, seconds("at_most", at_most)
        self.action_space = gymnasium.spaces.Box(bounds[0], bounds[1], dtype=np.float64)
        size = len(self._look())
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), dtype=np.float64)

    def _look(self) -> np.ndarray:
        return np.concatenate([np.ravel(self.sim[name]) for name in self._observe]).astype(np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Back to the start, varied by ``begin``."""
        super().reset(seed=seed)
        self.sim.reset()
        if self._begin is not None:
            self._begin(self.sim, self.np_random)
        return self._look(), {"time": self.sim.time}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Set the inputs and go on by one span."""
        for name, value in zip(self._act, np.asarray(action, dtype=np.float64).tolist(), strict=True):
            self.sim.set(name, value)
        good = self.sim.advance(self._span)
        over = not good or (self._ends is not None and self._ends(self.sim) > 0.0)
        truncated = self.sim.time >= self._last * (1.0 - 1e-9)
        info: dict[str, Any] = {"time": self.sim.time}
        if not good:
            info["outcome"] = self.sim.outcome.message
        return self._look(), float(self._reward(self.sim)), bool(over), bool(truncated and good), info
