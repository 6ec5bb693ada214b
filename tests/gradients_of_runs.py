"""Adjoint gradients of a run beside its direct derivatives."""

from __future__ import annotations

from typing import Any

import jointplay as jp


def compare(build: Any, wrt: Any, of: list[Any], agreement: float = 1e-9, **run: Any) -> float:
    """Largest difference of adjoint and direct derivatives, relative to the largest effect of a relative change."""
    adjoint = jp.sensitivities(build, wrt, of, method="adjoint", **run)
    direct = jp.sensitivities(build, wrt, of, method="direct", **run)
    assert [one[1] for one in adjoint.invalid] == [one[1] for one in direct.invalid]
    assert adjoint.stats["agreement"] < agreement
    worst = 0.0
    for one in of:
        there = direct[one]
        assert any(there.values()), f"{one} does not depend on anything"
        for name in there:
            # an effect below 1e-6 of the largest is compared beside that: 1e-8 of it are some roundings of the largest
            size = max(abs(there[name]), 1e-6 * max(abs(x) for x in there.values()))
            worst = max(worst, abs(adjoint[one][name] - there[name]) / size)
    return worst
