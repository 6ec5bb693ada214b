"""What each parameter touches, as lists: a column has few entries that are not zero, and only those are handled.

A mass touches one body of twenty; a sweep over all bodies, relations and rows for each of a hundred parameters would
cost more than the step itself.
"""

from __future__ import annotations

import numpy as np

from ..arrays import NONE, Model
from ..numerics.jit import link
from ..numerics.signals import PROGRAM

KINDS = 10
# what is evaluated: bodies with their inertia or weight, closed and FORCE relations, bundles, friction of joints,
# loads, driven rows; and where a column may have entries: bodies, closed rows, inner states
BODY, CLOSED, FORCE, BUNDLE, RUB, LOAD, DRIVEN, PLACE, ROW, INNER = range(KINDS)


def changed(slope: np.ndarray) -> np.ndarray:
    """Which records of an array have a derivative that is not zero."""
    found = np.zeros(len(slope), dtype=np.uint8)
    if slope.dtype.names is None:
        return (slope != 0.0).astype(np.uint8)
    for name in slope.dtype.names:
        part = slope[name]
        if part.dtype.kind == "f":
            found |= (part != 0.0).any(axis=tuple(range(1, part.ndim))).astype(np.uint8)
    return found


def lists_of(model: Model, slope: Model, signals: np.ndarray) -> list[list[int]]:
    """One list per kind, for a parameter with these derivatives; ``signals``: functions of time that it touches."""
    info, relation, row = model.info[0], model.relation, model.row
    turned, laws = changed(slope.relation), _laws(model, slope)
    bodies = set(_where(changed(slope.body)))
    if np.any(slope.info["gravity"]):
        bodies = set(range(1, len(model.body)))
    last, closed = int(info["force_relations"]), int(info["bilateral_relations"])
    ways = [{int(row[r]["relation"]) for r in one["row"] if r != info["measure"]} for one in model.bundle]
    own_bundle = changed(slope.bundle)
    bundles = [k for k, way in enumerate(ways) if own_bundle[k] or any(turned[n] for n in way)]
    rubs = _rubs(model, slope, turned, laws)
    wanted = _pushing(model, slope, laws).union(*(ways[k] for k in bundles))
    forces = [n for n in range(closed, last) if turned[n] or n in wanted]
    own_load = changed(slope.load)
    # what is sensed may depend on any relation: forces that sense are always evaluated
    signals = signals | ((model.signal["kind"] == PROGRAM) & (model.signal["degree"] > 0)).astype(np.uint8)
    forces = sorted({*forces, *(int(row[r]["relation"]) for r in model.control)})
    loads = [
        k for k, one in enumerate(model.load) if own_load[k] or any(signals[s] for s in one["signal"] if s != NONE)
    ]
    driven = [int(r) for r in model.driven if signals[row[r]["target"]]]
    ties = [n for n in _where(turned) if n < closed]
    rows = {int(r) for n in ties for r in relation[n]["row"][: relation[n]["count"]] if r < info["bilateral"]}
    places = bodies | {int(model.load[k]["body"]) for k in loads}
    for n in {*_where(turned), *forces}:
        places |= {int(relation[n]["i"]), int(relation[n]["j"])}
    for r in [r for k in rubs for r in model.rub[k]["row"][: model.rub[k]["count"]]]:
        places |= {int(row[r]["i"]), int(row[r]["j"])}
    inner = [
        int(model.law[model.rub[k]["law"]]["inner"]) + m for k in rubs if model.rub[k]["states"] > 0 for m in range(3)
    ]
    inner += [int(one["inner"]) for one in model.state if one["rate"] != NONE and signals[one["rate"]]]
    rows_of = [r for n in forces for r in relation[n]["row"][: relation[n]["count"]] if r < info["force"]]
    own = [model.law[row[r]["law"]] for r in rows_of if row[r]["law"] != NONE]
    inner += [int(law["inner"]) + m for law in own for m in range(int(law["states"]))]
    pads = [one for one in model.pad if int(one["relation"]) in forces]
    inner += [int(one["inner"]) + m for one in pads for m in range(int(one["states"]))]
    found = (bodies, ties, forces, bundles, rubs, loads, driven, places - {0}, rows | set(driven), set(inner))
    return [sorted(one) for one in found]


def _where(mask: np.ndarray) -> list[int]:
    return [int(n) for n in np.flatnonzero(mask)]


def _laws(model: Model, slope: Model) -> np.ndarray:
    """Laws one of whose numbers depends on the parameter."""
    numbers = np.concatenate([[0], np.cumsum(slope.constant != 0.0)])
    return np.array([numbers[r["first"] + r["count"]] > numbers[r["first"]] for r in model.law], dtype=bool)


def _pushing(model: Model, slope: Model, laws: np.ndarray) -> set[int]:
    """Relations one of whose laws or pads depends on the parameter."""
    found = {int(fact["relation"]) for fact in model.row if fact["law"] != NONE and laws[fact["law"]]}
    for own, c in zip(changed(slope.pad), model.pad, strict=True):
        if own or laws[c["law"]] or (c["friction"] != NONE and laws[c["friction"]]):
            found.add(int(c["relation"]))
    return found


def _rubs(model: Model, slope: Model, turned: np.ndarray, laws: np.ndarray) -> list[int]:
    """Joints that rub and whose friction depends on the parameter."""
    own, joints, found = changed(slope.rub), changed(slope.joint), []
    for k, c in enumerate(model.rub):
        joint = model.joint[c["joint"]]
        rows = [*range(joint["first"], joint["first"] + joint["count"]), *c["row"][: c["count"]]]
        soft = range(joint["soft_first"], joint["soft_first"] + joint["soft_count"])
        numbers = [int(n) for n in (c["law"], *model.row["law"][soft]) if n != NONE]
        by_law = any(laws[n] for n in numbers)
        if own[k] or by_law or joints[c["joint"]] or any(turned[model.row["relation"][[*rows, *soft]]]):
            found.append(k)
    return found


def stacked(lists: list[list[list[int]]]) -> tuple[np.ndarray, np.ndarray]:
    """Lists of all parameters as two arrays: where each begins, and all entries."""
    sizes = [len(one) for lines in lists for one in lines]
    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    first = np.array([ends[KINDS * k : KINDS * k + KINDS + 1] for k in range(len(lists))], dtype=np.int64)
    item = np.array([n for lines in lists for one in lines for n in one], dtype=np.int64)
    return first.reshape(len(lists), KINDS + 1), item


@link
def touched(P, k, kind):
    """The list of one kind of parameter k."""
    return P.item[P.first[k, kind] : P.first[k, kind + 1]]
