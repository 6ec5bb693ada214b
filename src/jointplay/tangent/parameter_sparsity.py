"""What each parameter touches, as lists: a column has few entries that are not zero, and only those are handled.

A mass touches one body of twenty; a sweep over all bodies, relations and rows for each of a hundred parameters would
cost more than the step itself.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..arrays import NONE, Model
from ..numerics.jit import link
from ..numerics.signals import INPUT, PROGRAM

KINDS = 11
# what is evaluated: bodies with their inertia or weight, closed and FORCE relations, bundles, friction of joints whose
# normal force depends on it, and where only the law of friction does, loads, driven rows; and where a column may have
# entries: bodies, closed rows, inner states
BODY, CLOSED, FORCE, BUNDLE, RUB, RUB_LAW, LOAD, DRIVEN, PLACE, ROW, INNER = range(KINDS)


def changed(slope: np.ndarray) -> np.ndarray:
    """Which records of an array (parameters, records) have a derivative that is not zero."""
    if slope.dtype.names is None:
        return np.asarray(slope != 0.0)
    found = np.zeros(slope.shape, dtype=bool)
    for name in slope.dtype.names:
        if slope[name].dtype.kind == "f":
            found[np.nonzero(slope[name])[:2]] = True
    return found


def signals_touched(model: Model, slope: Model) -> np.ndarray:
    """Functions of time that depend on each parameter."""
    found = np.zeros((len(slope.info), len(model.signal)), dtype=bool)
    for k, s in enumerate(model.signal):
        first, count = int(s["start"]), int(s["count"])
        if s["kind"] == PROGRAM:
            own = model.code[first : first + count]
            held = own["arg"][own["op"] == INPUT].astype(np.int64)
            found[:, k] = changed(slope.code["arg"][:, first : first + count]).any(axis=1)
            found[:, k] |= changed(slope.number[:, held]).any(axis=1)
        else:
            size = count + 1 + count * (int(s["degree"]) + 1)
            found[:, k] = changed(slope.number[:, first : first + size]).any(axis=1)
    return found


def lists_of(model: Model, slope: Model, signals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All lists of all parameters, end to end: where each begins, and their entries.

    ``slope`` has one line per parameter in each array; ``signals``: functions of time that each touches.
    """
    info, row = model.info[0], model.row
    closed, last, rows = int(info["bilateral_relations"]), int(info["force_relations"]), int(info["bilateral"])
    turned, laws = changed(slope.relation), _laws(model, slope)
    body = changed(slope.body)
    body[:, 1:] |= (slope.info["gravity"] != 0.0).any(axis=(1, 2))[:, None]
    ways = [[int(row[r]["relation"]) for r in one["row"] if r != info["measure"]] for one in model.bundle]
    bundle = changed(slope.bundle)
    for k, way in enumerate(ways):
        bundle[:, k] |= turned[:, way].any(axis=1)
    rub, rub_law = _rubs(model, slope, turned, laws)
    # what is sensed may depend on any relation: forces that sense are always evaluated
    signals = signals | ((model.signal["kind"] == PROGRAM) & (model.signal["degree"] > 0))
    force = turned | _pushing(model, slope, laws)
    force |= _leading(bundle, ((k, n) for k, way in enumerate(ways) for n in way), force.shape[1])
    force[:, row[model.control]["relation"]] = True
    force[:, :closed] = force[:, last:] = False
    load = changed(slope.load)
    load |= _leading(
        signals, ((s, k) for k, one in enumerate(model.load) for s in one["signal"] if s != NONE), load.shape[1]
    )
    driven = _leading(signals, ((row[r]["target"], r) for r in model.driven), rows)
    ties = turned[:, :closed]
    own_rows = _leading(ties, ((n, r) for n in range(closed) for r in _rows(model, n) if r < rows), rows)
    ends = [(n, int(c[end])) for n, c in enumerate(model.relation) for end in ("i", "j")]
    rubbing = [(k, int(row[r][end])) for k in range(len(model.rub)) for r in _sliding(model, k) for end in ("i", "j")]
    place = body | _leading(turned | force, ends, body.shape[1]) | _leading(rub | rub_law, rubbing, body.shape[1])
    place |= _leading(load, ((k, int(one["body"])) for k, one in enumerate(model.load)), body.shape[1])
    place[:, 0] = False
    inner = _inner(model, force, rub | rub_law, signals)
    masks = (body, ties, force, bundle, rub, rub_law, load, driven, place, own_rows | driven, inner)
    return _stacked(masks)


def _leading(mask: np.ndarray, pairs: Iterable[tuple[int, int]], size: int) -> np.ndarray:
    """Things of another kind that those in the mask lead to, by pairs of both."""
    found = np.zeros((len(mask), size), dtype=bool)
    for one, other in pairs:
        found[:, other] |= mask[:, one]
    return found


def _rows(model: Model, n: int) -> list[int]:
    return [int(r) for r in model.relation[n]["row"][: model.relation[n]["count"]]]


def _sliding(model: Model, k: int) -> list[int]:
    return [int(r) for r in model.rub[k]["row"][: model.rub[k]["count"]]]


def _laws(model: Model, slope: Model) -> np.ndarray:
    """Laws one of whose numbers depends on the parameter."""
    numbers = changed(slope.constant)
    parts = [numbers[:, r["first"] : r["first"] + r["count"]].any(axis=1) for r in model.law]
    return np.array(parts, dtype=bool).reshape(len(parts), len(numbers)).T


def _pushing(model: Model, slope: Model, laws: np.ndarray) -> np.ndarray:
    """Relations one of whose laws or pads depends on the parameter."""
    size = len(model.relation)
    found = _leading(laws, ((one["law"], one["relation"]) for one in model.row if one["law"] != NONE), size)
    own = [(k, int(c["relation"])) for k, c in enumerate(model.pad)]
    by_law = [(c[which], int(c["relation"])) for c in model.pad for which in ("law", "friction") if c[which] != NONE]
    return found | _leading(changed(slope.pad), own, size) | _leading(laws, by_law, size)


def _rubs(model: Model, slope: Model, turned: np.ndarray, laws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Joints that rub: whose normal force or speed depends on the parameter, and those where the law alone does."""
    found, joints, by_law = (
        changed(slope.rub),
        changed(slope.joint),
        np.zeros((len(turned), len(model.rub)), dtype=bool),
    )
    for k, c in enumerate(model.rub):
        joint = model.joint[c["joint"]]
        rows = [*range(joint["first"], joint["first"] + joint["count"]), *_sliding(model, k)]
        soft = range(joint["soft_first"], joint["soft_first"] + joint["soft_count"])
        found[:, k] |= joints[:, c["joint"]]
        found[:, k] |= turned[:, model.row["relation"][[*rows, *soft]]].any(axis=1)
        found[:, k] |= laws[:, [int(n) for n in model.row["law"][soft] if n != NONE]].any(axis=1)
        if c["law"] != NONE:
            by_law[:, k] = laws[:, c["law"]]
    return found, by_law & ~found


def _inner(model: Model, force: np.ndarray, rub: np.ndarray, signals: np.ndarray) -> np.ndarray:
    """Inner states whose rates depend on the parameter."""
    info, size = model.info[0], int(model.info[0]["inner"])
    by_rub = [
        (k, int(model.law[c["law"]]["inner"]) + m) for k, c in enumerate(model.rub) if c["states"] > 0 for m in range(3)
    ]
    by_signal = [(one["rate"], int(one["inner"])) for one in model.state if one["rate"] != NONE]
    own = [
        (n, model.law[model.row[r]["law"]])
        for n in range(len(model.relation))
        for r in _rows(model, n)
        if r < info["force"] and model.row[r]["law"] != NONE
    ]
    own += [(int(one["relation"]), one) for one in model.pad]
    by_force = [(n, int(one["inner"]) + m) for n, one in own for m in range(int(one["states"]))]
    return _leading(rub, by_rub, size) | _leading(signals, by_signal, size) | _leading(force, by_force, size)


def _stacked(masks: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Masks of all kinds as lists: where each begins, parameter by parameter, and all entries."""
    places = [np.nonzero(mask) for mask in masks]
    list_of = np.concatenate([KINDS * parameter + kind for kind, (parameter, _) in enumerate(places)])
    order = np.argsort(list_of, kind="stable")
    ends = np.searchsorted(list_of[order], np.arange(KINDS * len(masks[0]) + 1))
    first = ends[KINDS * np.arange(len(masks[0]))[:, None] + np.arange(KINDS + 1)]
    return first.astype(np.int64), np.concatenate([item for _, item in places])[order].astype(np.int64)


@link
def touched(P, k, kind):
    """The list of one kind of parameter k."""
    return P.item[P.first[k, kind] : P.first[k, kind + 1]]
