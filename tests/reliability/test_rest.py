"""Guarantee (d): rest is decided cluster by cluster, from what its contacts have done, and every rest is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reliability.closed_forms import G
from reliability.scenes import rigid

import jointplay as jp


def falling(e: float, height: float = 1.0, mass: float = 1.0) -> jp.System:
    """A block that falls on a stop."""
    s = jp.System("falling", planar=True, gravity=(0, -G, 0))
    add_falling(s, "b", e, height, mass)
    return s


def add_falling(
    s: jp.System, name: str, e: float, height: float, mass: float, base: Any = None, x: float = 0.0
) -> None:
    """A falling block beside others."""
    body = s.body(name, mass=mass, inertia=0.1, position=(x, 0))
    stop = jp.Stop(lower=-height, contact=rigid(e))
    s.prismatic(f"{name}_guide", base or s.ground, body, point=(x, 0), axis=(0, 1), displacement=stop)


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("e", [0.05, 0.4, 0.7, 0.9])
def test_a_block_comes_to_rest_when_it_should(e: float, rtol: float) -> None:
    """Impacts end after sqrt(2 h / g) (1 + e) / (1 - e); the energy taken out is that of the last flight."""
    ends = np.sqrt(2.0 / G) * (1 + e) / (1 - e)
    sol = jp.simulate(falling(e), until=1.5 * ends, method=jp.Moreau(rtol=rtol), save=ends / 100)
    assert sol.stats["rests"] == 1
    # flights below max(1e-12, 1e-4 rtol) of the first are taken out, with the energy m g h of one of them
    low = max(1e-12, 1e-4 * rtol)
    assert 0.0 <= sol.stats["rest_loss"] <= low * G
    # ... and with all that would have come after: each flight takes e times the time of the last
    left = 2 * np.sqrt(2 * low / G) / (1 - e)
    last = sol.impacts["time"][-1]
    assert ends - left - 1e-9 <= last <= ends * (1 + 1e-12)
    after = sol.time > ends
    assert sol["b_guide.displacement"][after] == pytest.approx(-1.0, abs=1e-12)
    assert not sol.outcome.warnings


def test_the_ledger_holds_the_rests() -> None:
    """All energy that is lost was lost in listed impacts and in rests."""
    sol = jp.simulate(falling(0.6), until=4.0, save=0.1)
    total = float(np.sum(sol.impacts["energy_loss"])) + sol.stats["rest_loss"]
    assert sol["energy.dissipated"][-1] == pytest.approx(total, rel=1e-9)
    assert sol["energy.dissipated"][-1] == pytest.approx(G, rel=1e-9)


@pytest.mark.parametrize("others", [1, 5])
def test_others_at_rest_take_no_rebound(others: int) -> None:
    """Blocks that rest on the same base, from long before, and one that bounces on."""
    s = jp.System("beside", planar=True, gravity=(0, -G, 0))
    base = s.body("base", mass=1.0, inertia=1.0)
    s.prismatic("hold", s.ground, base, point=(0, 0), axis=(1, 0), displacement=jp.Drive("0*t"))
    for k in range(others):
        add_falling(s, f"low{k}", 0.3, 1e-3 * (k + 1), 10.0, base, 1.0 + k)
    add_falling(s, "high", 0.95, 0.5, 0.1, base)
    sol = jp.simulate(s, until=3.0, save=0.1)
    fall, e = np.sqrt(1.0 / G), 0.95
    strikes = fall * (1 + 2 * np.cumsum(np.concatenate([[0.0], e ** np.arange(1.0, 40.0)])))
    strikes = strikes[strikes < 3.0]
    mine = sol.impacts["time"][sol.impacts["joint"] == "high_guide"]
    assert mine == pytest.approx(strikes, rel=1e-10)
    assert sol.stats["rests"] == others


def test_elastic_contacts_never_rest() -> None:
    sol = jp.simulate(falling(1.0, height=1e-3), until=5.0, save=0.5)
    assert sol.stats["rests"] == 0
    assert sol.stats["rest_loss"] == 0.0
    assert len(sol.impacts) == int((5.0 / np.sqrt(2e-3 / G) + 1) / 2)
    assert sol["energy.total"] == pytest.approx(sol["energy.total"][0], abs=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.3, 0.8])
def test_corners_of_a_face(e: float) -> None:
    """A block that lands on its face: corners chatter to rest, with less than 1e-6 of its energy taken out."""
    s = jp.System("block", planar=True, gravity=(0, -G, 0))
    body = s.body("b", mass=2.0, inertia=1e-2, angular_velocity=0.3)
    play = jp.Clearance("5 mm", contact=rigid(e))
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), length=0.1, width=0.05, radial=play)
    sol = jp.simulate(s, until=1.0, save=0.01)
    assert sol.outcome.ok
    assert np.abs(sol["b.velocity"][-1, 1]) < 1e-9
    assert np.abs(sol["b.angular_velocity"][-1]).max() < 1e-9
    assert sol.stats["rest_loss"] + sol.stats["forced_rest_loss"] < 1e-6 * sol["energy.dissipated"][-1]
    total = float(np.sum(sol.impacts["energy_loss"])) + sol.stats["rest_loss"] + sol.stats["forced_rest_loss"]
    # faint impulses, below 1e-10 of the largest, have no line in the list
    assert sol["energy.dissipated"][-1] == pytest.approx(total, rel=1e-6)
