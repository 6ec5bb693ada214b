"""Guarantee (a), first half: a part changes no other; order, mirror images and shifts of time change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from reliability.closed_forms import G
from reliability.scenes import rigid

import jointplay as jp

# Constant accelerations are followed to rounding; every impact adds a few roundings of a place (1 m) and amplifies
# none (falling on a floor, speeds are multiplied by e < 1): 1e-12 is several thousand of them.
SAME = 1e-12


class Block:
    """A bouncing block of its own: height, restitution, mass and speed."""

    def __init__(self, draw: np.random.Generator, k: int) -> None:
        self.name = f"block{k}"
        self.height, self.e, self.mass = draw.uniform(0.05, 0.5), draw.uniform(0.2, 0.95), 10 ** draw.uniform(-3, 3)
        self.x, self.speed = float(k), draw.uniform(-1, 1)

    def add(self, s: jp.System, base: Any, flip: float, drift: float) -> None:
        """To a system, in its guide; ``flip`` = -1 for the mirror image, ``drift`` is the speed of the guide."""
        velocity = (drift, flip * self.speed)
        body = s.body(self.name, mass=self.mass, inertia=0.1, position=(self.x, 0), velocity=velocity)
        stop = jp.Stop(lower=-self.height, contact=rigid(self.e))
        s.prismatic(f"{self.name}_guide", base, body, point=(self.x, 0), axis=(0, flip), displacement=stop)


def run(
    blocks: Sequence[Block], *, flip: float = 1.0, carried: bool = False, method: jp.Moreau | None = None
) -> jp.Solution:
    """Blocks side by side on the ground, or all in one part on a base that is driven along x."""
    s = jp.System("blocks", planar=True, gravity=(0, -flip * G, 0))
    base: Any = s.ground
    if carried:
        base = s.body("base", mass=1e3, inertia=1e3, velocity=(0.3, 0))
        s.prismatic("base_guide", s.ground, base, point=(0, 0), axis=(1, 0), displacement=jp.Drive("0.3*t"))
    for block in blocks:
        block.add(s, base, flip, 0.3 if carried else 0.0)
    return jp.simulate(s, until=1.0, method=method, save=0.02)


def path(sol: jp.Solution, block: Block) -> np.ndarray:
    """Displacement of a block."""
    return np.asarray(sol[f"{block.name}_guide.displacement"])


def strikes(sol: jp.Solution, block: Block) -> np.ndarray:
    """Instants at which it strikes."""
    return np.asarray(sol.impacts["time"][sol.impacts["joint"] == f"{block.name}_guide"])


@pytest.mark.parametrize("method", [None, jp.Moreau(step=1e-3)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_blocks_that_nothing_connects(seed: int, method: jp.Moreau | None) -> None:
    """Bit by bit what each does alone."""
    draw = np.random.default_rng(seed)
    blocks = [Block(draw, k) for k in range(12)]
    together = run(blocks, method=method)
    for block in blocks[:4]:
        alone = run([block], method=method)
        assert np.array_equal(path(together, block), path(alone, block))
        assert np.array_equal(strikes(together, block), strikes(alone, block))


@pytest.mark.parametrize("seed", range(3))
def test_blocks_on_one_driven_base(seed: int) -> None:
    """One part of the model: what one block does shortens steps of others, and changes nothing else.

    A block that rests, bounces or comes to rest takes no rebound from the others.
    """
    draw = np.random.default_rng(100 + seed)
    blocks = [Block(draw, k) for k in range(8)]
    together = run(blocks, carried=True)
    for block in blocks:
        alone = run([block], carried=True)
        assert path(together, block) == pytest.approx(path(alone, block), abs=SAME)


def test_many_bodies_that_land_at_one_instant() -> None:
    """60 equal blocks: each keeps its rebound."""
    s = jp.System("hail", planar=True, gravity=(0, -G, 0))
    for k in range(60):
        body = s.body(f"b{k}", mass=1.0, inertia=0.1, position=(k, 0))
        s.prismatic(
            f"D{k}", s.ground, body, point=(k, 0), axis=(0, 1), displacement=jp.Stop(lower=-0.1, contact=rigid(0.8))
        )
    sol = jp.simulate(s, until=0.2, save=0.1)
    fall = np.sqrt(0.2 / G)
    rest = 0.2 - fall
    expected = -0.1 + 0.8 * G * fall * rest - G * rest**2 / 2
    assert [sol[f"D{k}.displacement"][-1] for k in range(60)] == pytest.approx([expected] * 60, abs=SAME)


@pytest.mark.parametrize("carried", [False, True])
def test_order_of_bodies(carried: bool) -> None:
    draw = np.random.default_rng(5)
    blocks = [Block(draw, k) for k in range(6)]
    forth, back = run(blocks, carried=carried), run(blocks[::-1], carried=carried)
    for block in blocks:
        assert path(forth, block) == pytest.approx(path(back, block), abs=SAME)


@pytest.mark.parametrize("carried", [False, True])
def test_mirror_image(carried: bool) -> None:
    draw = np.random.default_rng(6)
    blocks = [Block(draw, k) for k in range(6)]
    upright, upside_down = run(blocks, carried=carried), run(blocks, carried=carried, flip=-1.0)
    for block in blocks:
        assert path(upright, block) == pytest.approx(path(upside_down, block), abs=SAME)


@pytest.mark.parametrize("seed", range(3))
def test_shifted_time(seed: int) -> None:
    """A mass that reaches its wall later does the same later."""
    draw = np.random.default_rng(20 + seed)
    e, height = draw.uniform(0.3, 0.9), draw.uniform(0.1, 0.5)
    paths = []
    for shift in (0.0, 1.0, 100.0):
        # flies without gravity towards its wall, at a distance that takes ``shift``
        s = jp.System("shifted", planar=True, gravity=(0, 0, 0))
        body = s.body("b", mass=1.0, inertia=0.1, velocity=(1.0, 0))
        stop = jp.Stop(lower=-height, upper=shift + height, contact=rigid(e))
        s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), displacement=stop)
        times = shift + np.linspace(0, height * (1 + 1 / e), 21)
        sol = jp.simulate(s, until=times[-1], save=times)
        paths.append(sol["D.displacement"] - shift)
    # times and places near 100 are rounded to 1.4e-14; two impacts
    assert paths[1] == pytest.approx(paths[0], abs=SAME)
    assert paths[2] == pytest.approx(paths[0], abs=1e-11)
