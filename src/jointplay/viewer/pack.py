"""Numbers for the page: each column in 16 bits over its own range, differences in time, compressed.

    v = low + (high - low) q / 65535,      0 <= q <= 65535,      |error| <= (high - low) / 131070

Motion is smooth, so differences of q between frames are small; their low and high bytes are kept apart, which is what
a general compressor needs to see it. The page undoes all of this when it opens.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

STEPS = 65535


class Pack:
    """Collects blocks of columns over time; ``text`` is what the page holds, ``index`` lists what is where."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._at = 0
        self.index: dict[str, dict[str, Any]] = {}

    def add(self, name: str, values: np.ndarray) -> None:
        """A block (frames, columns), quantised."""
        table = np.nan_to_num(np.asarray(values, dtype=float).reshape(len(values), -1), posinf=0.0, neginf=0.0)
        low, high = (table.min(axis=0), table.max(axis=0)) if len(table) else (np.zeros(table.shape[1]),) * 2
        self._put(name, "q16", quantise(table, low, high), low=low.tolist(), high=high.tolist())

    def add_exact(self, name: str, values: np.ndarray, kind: str) -> None:
        """A block of one column kept as it is: "f64", "f32", "u32" or "u16"."""
        code = {"f64": "<f8", "f32": "<f4", "u32": "<u4", "u16": "<u2"}[kind]
        self._append(name, kind, np.ascontiguousarray(values, dtype=code).tobytes(), len(values), 1)

    def _put(self, name: str, kind: str, q: np.ndarray, **facts: Any) -> None:
        change = np.diff(q.astype(np.int32), axis=0, prepend=0).astype(np.uint16)
        columns = np.ascontiguousarray(change.T)
        split = np.stack([(columns & 255).astype(np.uint8), (columns >> 8).astype(np.uint8)], axis=1)
        self._append(name, kind, split.tobytes(), *q.shape, **facts)

    def _append(self, name: str, kind: str, data: bytes, frames: int, columns: int, **facts: Any) -> None:
        self.index[name] = {"kind": kind, "at": self._at, "frames": frames, "columns": columns, **facts}
        self._parts.append(data)
        self._at += len(data)

    @property
    def text(self) -> str:
        """All blocks, compressed, as text."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 9)).decode("ascii")


def quantise(table: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Columns as whole numbers from 0 to 65535; a column that never changes is 0."""
    span = np.where(high > low, high - low, 1.0)
    return np.rint((table - low) / span * STEPS).astype(np.uint16)
