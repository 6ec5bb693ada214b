"""Where the unknowns of implicit methods stand in their matrix, and the envelope of its nonzeros.

Unknowns are six velocities per body and one multiplier per closed row. Bodies are ordered by the reverse Cuthill-McKee
rule over the graph of everything that joins them; a row stands behind the later one of its bodies, so that its pivot
exists by then. In a chain all nonzeros stay near the diagonal.
"""

from __future__ import annotations

import numpy as np

from ..arrays import NONE, RATE, STATE, Model
from ..numerics.lu import BOTTOM, LEFT, LINES, RIGHT
from ..numerics.signals import PROGRAM, SENSE


def envelope(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Place of each body (its first unknown; the ground's is -1) and then of each closed row; and the envelope."""
    from scipy import sparse as sp  # slow to import, and only implicit methods need it

    bodies, closed = int(model.info[0]["bodies"]), int(model.info[0]["bilateral"])
    joined = [(int(c["i"]), int(c["j"])) for c in model.relation] + sensed_pairs(model)
    pairs = np.array(joined, dtype=np.int64).reshape(-1, 2)
    pairs = pairs[(pairs > 0).all(axis=1)] - 1
    graph = sp.coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(bodies - 1, bodies - 1))
    order = sp.csgraph.reverse_cuthill_mckee((graph + graph.T).tocsr(), symmetric_mode=True)
    rank = np.empty(bodies - 1, dtype=np.int64)
    rank[order] = np.arange(bodies - 1)
    behind: list[list[int]] = [[] for _ in range(bodies - 1)]
    for row in range(closed):
        own = [int(model.row[row][side]) - 1 for side in ("i", "j") if model.row[row][side] > 0]
        behind[max(own, key=lambda body: rank[body])].append(row)
    place = np.full(bodies + closed, -1, dtype=np.int64)
    n = 0
    for body in order:
        place[body + 1] = n
        n += 6
        for row in behind[body]:
            place[bodies + row] = n
            n += 1
    return place, _profile(model, place, n)


def sensed_pairs(model: Model) -> list[tuple[int, int]]:
    """Bodies that forces join which sense one, or a state that senses it, and push another."""
    seen: list[set[int]] = []
    for s in model.sense:
        fact = model.row[s["at"]] if s["kind"] <= RATE else None
        seen.append(
            set() if s["kind"] == STATE else {int(s["at"])} if fact is None else {int(fact["i"]), int(fact["j"])}
        )
    pushed: list[tuple[int, set[int]]] = [
        (int(model.row[r]["target"]), {int(model.row[r]["i"]), int(model.row[r]["j"])}) for r in model.control
    ]
    pushed += [(int(s), {int(one["body"])}) for one in model.load for s in one["signal"] if s != NONE]
    rates = {int(one["inner"]): int(one["rate"]) for one in model.state if one["rate"] != NONE}
    found = set()
    for signal, bodies in pushed:
        waiting, done = [signal], {signal}
        while waiting:  # what a state senses acts on the force by way of it
            for k in _lines(model, waiting.pop()):
                found |= {(a, b) for a in bodies for b in seen[k] if a != b}
                rate = rates.get(int(model.sense[k]["at"])) if model.sense[k]["kind"] == STATE else None
                if rate is not None and rate not in done:
                    done.add(rate)
                    waiting.append(rate)
    return sorted(found)


def _lines(model: Model, signal: int) -> list[int]:
    """Numbers of the senses that a signal uses."""
    record = model.signal[signal]
    if record["kind"] != PROGRAM or record["degree"] == 0:
        return []
    code = model.code[int(record["start"]) : int(record["start"]) + int(record["count"])]
    return [int(k) for k in code["arg"][code["op"] == SENSE]]


def _profile(model: Model, place: np.ndarray, n: int) -> np.ndarray:
    """Running bounds of columns and rows (numerics/lu.py)."""
    bodies, closed = int(model.info[0]["bodies"]), int(model.info[0]["bilateral"])
    high = np.arange(n)  # last nonzero of each row of the symmetric pattern

    def couple(a: range, b: range) -> None:
        for one, other in ((a, b), (b, a)):
            for k in one:
                high[k] = max(high[k], other[-1])

    def block(body: int) -> range:
        return range(place[body], place[body] + 6)

    for body in range(1, bodies):
        couple(block(body), block(body))
    for c in model.relation:
        if c["i"] > 0 and c["j"] > 0:
            couple(block(int(c["i"])), block(int(c["j"])))
    for a, b in sensed_pairs(model):
        if a > 0 and b > 0:
            couple(block(a), block(b))
    for row in range(closed):
        at = range(place[bodies + row], place[bodies + row] + 1)
        for side in ("i", "j"):
            if model.row[row][side] > 0:
                couple(block(int(model.row[row][side])), at)
    band = np.zeros((LINES, n), dtype=np.int64)
    # the pattern is symmetric: columns reach as far down as rows to the right
    band[BOTTOM] = np.maximum.accumulate(high)
    # row k may take the place of any row down to bottom[k]
    band[RIGHT] = [int(high[: bottom + 1].max()) for bottom in band[BOTTOM]]
    band[LEFT] = np.searchsorted(band[BOTTOM], np.arange(n))
    return band
