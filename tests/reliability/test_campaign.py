"""The campaign: 506 scenes with closed forms or event-driven truths, and 1,000 random mechanisms of all kinds.

No NaN, no hang, no wrong result with a bare DONE; what fails says what and where.
"""

from __future__ import annotations

import numpy as np
import pytest
from reliability.closed_forms import Scene, disturbed, size_of
from reliability.random_mechanisms import mechanism
from reliability.scenes import KINDS

import jointplay as jp
from jointplay.trust import LEDGER

pytestmark = pytest.mark.study
PER_KIND = 46  # of 11 kinds: 506 scenes
WITHIN = 3.0
TURNING = {"shaft_with_far_stop"}  # compared where it has come to rest: saves are interpolated within turns
BUDGET = 300_000  # steps: a run that needs more ends with an outcome that says so
GROUPS = 50


def amplification(name: str, seed: int, scene: Scene) -> float:
    """How many times a relative disturbance of the initial state of a scene grows, at least 1."""
    amount = 1e-6
    with disturbed(amount):
        other = KINDS[name](np.random.default_rng(seed))
    times = np.linspace(0.0, 0.999 * min(scene.until, other.until), 300)
    # away from impacts, whose instants differ
    away = np.abs(times[:, None] - scene.strikes[None, :]).min(axis=1, initial=np.inf) > 1e-3 * scene.until
    off = np.abs(other.truth(times[away]) - scene.truth(times[away])).max() / scene.scale
    return max(1.0, float(off) / amount)


@pytest.mark.parametrize("name", KINDS)
def test_closed_forms(name: str) -> None:
    wrong = []
    for seed in range(PER_KIND):
        scene = KINDS[name](np.random.default_rng(10_000 + seed))
        for rtol in (1e-3, 1e-5):
            sol = scene.run(jp.Moreau(rtol=rtol), count=51)
            error = scene.error(sol)
            if name in TURNING:
                error = abs(float(sol[scene.quantity][-1] - scene.truth(sol.time[-1:])[0]))
            allowed = WITHIN * rtol
            if error > allowed:
                allowed *= amplification(name, 10_000 + seed, scene)
            if not sol.outcome.ok or (error > allowed and not sol.outcome.warnings):
                wrong.append(f"{name} {seed}: {error / rtol:.2g} rtol at {rtol}, {sol.outcome.message}")
    assert not wrong, "\n".join(wrong)


def complaints(system: jp.System, sol: jp.Solution) -> list[str]:
    """What is wrong with a run beyond what it says itself.

    A mechanism that is nearly at rest exchanges what closing its joints leaves: energies count beside 1e-5 of its
    weight times its size.
    """
    mass = sum(body.mass for body in system.bodies)
    faint = 1e-5 * mass * float(np.linalg.norm(system.gravity)) * size_of(system)
    found = []
    for name in sol.names:
        if not np.all(np.isfinite(sol[name])):
            found.append(f"{name} is not finite")
    if not sol.outcome.ok:
        return found if sol.outcome.message else [*found, "a failure without a sentence"]
    if sol.outcome.warnings:
        return found
    energies = [np.abs(sol[f"energy.{one}"]).max() for one in ("kinetic", "dissipated", "input", "elastic")]
    scale = max(*energies, float(np.ptp(sol["energy.gravity"])), faint)
    if np.abs(sol["energy.error"]).max() > LEDGER * scale:
        found.append(f"ledger off by {np.abs(sol['energy.error']).max():.2g} J of {scale:.2g} J")
    if np.diff(sol["energy.dissipated"]).min() < -1e-6 * scale:
        found.append("dissipated energy falls")
    return found


@pytest.mark.parametrize("group", range(20))
def test_random_mechanisms(group: int) -> None:
    wrong = []
    for seed in range(GROUPS * group, GROUPS * (group + 1)):
        system = mechanism(seed)
        sol = jp.simulate(system, until=0.1, save=2e-3, max_steps=BUDGET)
        wrong += [f"{system.name} {seed}: {one}" for one in complaints(system, sol)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("group", range(10))
def test_first_impacts_of_random_mechanisms_do_not_depend_on_rtol(group: int) -> None:
    """Up to the second impact nothing is amplified much: its instant is that of a run ten times tighter."""
    wrong = []
    for seed in range(10 * group, 10 * (group + 1)):
        system = mechanism(seed)
        first = jp.simulate(system, until=0.05, save=5e-3, max_steps=BUDGET)
        if not first.outcome.ok or "Moreau" not in first.meta["method"]:
            continue
        tight = jp.simulate(system, until=0.05, save=5e-3, method=jp.Moreau(rtol=1e-7), max_steps=4 * BUDGET)
        if not tight.outcome.ok:
            continue
        slowest = np.abs(tight.impacts["speed_before"][:2]).min(initial=np.inf)
        # an error of a place of 3 rtol size shifts an instant by as much over the speed of approach
        allowed = 1e-9 + WITHIN * 1e-6 * size_of(system) / slowest
        a, b = (np.unique(sol.impacts["time"])[:2] for sol in (first, tight))
        if len(a) != len(b) or np.abs(a - b).max(initial=0.0) > allowed:
            wrong.append(f"{system.name} {seed}: {a} and {b}")
    assert not wrong, "\n".join(wrong)
