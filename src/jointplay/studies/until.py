"""Until: stop when it is known. Looked at only at doubling sizes, and the level is split over the looks.

Looking again and again until an interval happens to be short makes it a lie. Here the number of looks is known before
the first row (sizes 2^k up to the plan), and each look has its share of the error: all intervals hold together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import InputError, Problem
from .estimate import LEVEL

FIRST = 64  # samples at the first look


@dataclass(frozen=True)
class Until:
    """Stop a study when its answer is known well enough.

    Args:
        yield_within: half width of the interval of the yield, 0.002 for +-0.2 %.
        mean_within: half width of the intervals of all means, relative to their standard deviation.
        level: at which all intervals hold.
    """

    yield_within: float | None = None
    mean_within: float | None = None
    level: float = LEVEL

    def __post_init__(self) -> None:
        if self.yield_within is None and self.mean_within is None:
            raise InputError(Problem("Until", "needs yield_within or mean_within"))
        for name in ("yield_within", "mean_within", "level"):
            value = getattr(self, name)
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1
            ):
                raise InputError(Problem(f"Until: {name}", f"needs a number between 0 and 1, not {value!r}"))

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        found = {"yield_within": self.yield_within, "mean_within": self.mean_within}
        return {key: value for key, value in found.items() if value is not None} | {"level": self.level}

    def looks(self, count: int, group: int) -> list[int]:
        """Numbers of samples at which to look: doubling, whole groups, and the whole plan."""
        sizes, size = [], max(FIRST, 1)
        while size * group < count:
            sizes.append(size * group)
            size *= 2
        return [*sizes, count]

    def split(self, count: int, group: int) -> float:
        """Level of each look, so that all of them hold together at ours."""
        return 1.0 - (1.0 - self.level) / len(self.looks(count, group))
