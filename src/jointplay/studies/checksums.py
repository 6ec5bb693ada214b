r"""Checksums of rows: each row of a study file carries its own, since rows are written in any order.

.. math::  h = \sum_k b_k P^{n - k} \bmod 2^{64}, \qquad \text{checksum} = \text{32 bits of } h \text{ stirred},

with the bits b of the row's number and of all its columns and an odd P: a change of one of them always changes h. A row
whose checksum is not its own counts as not done. So a disk that lost power, or a byte that flipped, costs a sample that
is run again, and no number is silently wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .stirring import stirred

ODD = np.uint64(0x9FB21C651E98DF25)


def row_sums(first: int, columns: Iterable[np.ndarray]) -> np.ndarray:
    """Checksums (n,) of the rows from ``first`` on, of their columns as the file holds them."""
    total: np.ndarray | None = None
    for column in columns:
        plain = np.ascontiguousarray(column)
        bits = plain.view(f"<u{plain.dtype.itemsize}").astype(np.uint64)
        if total is None:
            total = np.arange(first, first + len(bits), dtype=np.uint64)
        total *= ODD
        total += bits
    assert total is not None
    return (stirred(total, 0) >> np.uint64(32)).astype("<u4")
