"""Numbers of the page: how far quantised ones may be off, and that a reader gets them back."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import pytest

from jointplay.viewer.frames import choose_frames, envelope
from jointplay.viewer.pack import Pack


def unpack(pack: Pack, name: str) -> np.ndarray:
    """What the page does, in Python: written from the description, not from the code that packs."""
    data = zlib.decompress(base64.b64decode(pack.text))
    facts: dict[str, Any] = pack.index[name]
    frames, columns, at = facts["frames"], facts["columns"], facts["at"]
    out = np.empty((frames, columns))
    for c in range(columns):
        first = at + 2 * c * frames
        low, high = data[first : first + frames], data[first + frames : first + 2 * frames]
        q = 0
        for f in range(frames):
            q = (q + low[f] + 256 * high[f]) % 65536
            out[f, c] = facts["low"][c] + (facts["high"][c] - facts["low"][c]) * q / 65535
    return out


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e4])
def test_quantised_within_half_a_step(size: float) -> None:
    rng = np.random.default_rng(1)
    values = size * rng.normal(size=(300, 5))
    pack = Pack()
    pack.add("other", rng.normal(size=(7, 2)))
    pack.add("x", values)
    bound = np.ptp(values, axis=0) / 131070
    error = np.abs(unpack(pack, "x") - values).max(axis=0)
    assert (error <= bound * (1 + 1e-6)).all()
    assert (error > 0.2 * bound).all()  # it is quantised


def test_constant_columns_are_exact() -> None:
    values = np.column_stack([np.full(10, 0.1), np.zeros(10), np.linspace(0, 1, 10)])
    pack = Pack()
    pack.add("x", values)
    assert np.array_equal(unpack(pack, "x")[:, :2], values[:, :2])


def test_smooth_motion_compresses() -> None:
    t = np.linspace(0.0, 1.0, 5000)
    pack = Pack()
    pack.add("x", np.column_stack([np.sin(20 * t + k) for k in range(20)]))
    assert len(pack.text) < 0.6 * 4 / 3 * 2 * 5000 * 20


def test_few_frames_are_all_kept() -> None:
    assert np.array_equal(choose_frames(np.linspace(0, 1, 50), np.array([0.5])), np.arange(50))


def test_many_frames_are_thinned_but_not_at_impacts() -> None:
    time = np.linspace(0.0, 10.0, 100_001)
    impacts = np.array([1.23456, 7.65432])
    kept = choose_frames(time, impacts)
    assert len(kept) <= 5000
    assert kept[0] == 0 and kept[-1] == 100_000
    assert (np.diff(kept) > 0).all() and np.diff(kept).max() <= 21
    for impact in impacts:
        before = int(np.searchsorted(time, impact)) - 1
        assert before in kept and before + 1 in kept


def test_more_impacts_than_room() -> None:
    time = np.linspace(0.0, 1.0, 20_001)
    kept = choose_frames(time, np.linspace(0.0, 1.0, 9_000))
    assert len(kept) <= 5000
    assert np.diff(kept).max() < 20


def test_no_peak_is_lost() -> None:
    values = np.zeros((1000, 1))
    values[503] = 7.0
    low, high = envelope(values, np.arange(0, 1000, 10))
    assert high.max() == 7.0 and low.min() == 0.0
    assert high[50] == 7.0
