"""The twin of a packed model in which every closed direction is ideal: no play, no give.

Velocities that were left open follow from the given ones as ideal joints would pass them on, so that a direction can be
made ideal, clear or soft without another word about the start. For that only closed rows count. The twin has those of
its own; bodies, functions of time and the size are those of the model, laws and contacts it has none.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import INDEX, NONE, Model, State
from ..codes import Regime
from ..laws.ideal import Ideal
from ..model.elements import Joint
from ..numerics.jit import readable
from .book import LawBook
from .coordinates import pack_relations
from .interactions import Interaction, interactions_of, of_joint
from .pack import Compiled, count_rows, find_layout, pack_state, row_facts

SHARED = ("signal", "code", "number", "breaks")  # drives keep their numbers: rows of them stand in the same order


def is_ideal(joint: Joint) -> bool:
    """True if every direction that its kind closes is closed."""
    return set(joint.closed) == set(joint.kind.closed) and all(isinstance(one, Ideal) for one in joint.closed.values())


def _closed(joint: Joint, plane: np.ndarray | None) -> list[Interaction]:
    """What would hold and drive a joint if it were ideal."""
    ideal = replace(joint, closed=dict.fromkeys(joint.kind.closed, Ideal()), bushing=None)
    return [one for one in of_joint(ideal, plane) if one.regime is Regime.BILATERAL]


def ideal_twin(compiled: Compiled, like: Compiled | None = None) -> Compiled:
    """Closed rows of a packed model as if all its joints were ideal; InputError where a drive could not move then.

    ``like`` is an earlier model whose twin may have much of it.
    """
    system, before = compiled.system, like.twin if like else None
    parts = interactions_of(system, (before.system, before.parts) if before else None, _closed)
    found = [one for joint in system.joints for one in parts[joint.name]]
    bodies = len(system.bodies)
    given = compiled.state.y[: 13 * bodies]
    old, body = compiled.model, compiled.model.body.copy()
    layout = find_layout(system, found, compiled.layout.signals, before.layout if before else None, body, given)
    interactions = [found[k] for k in layout.order]
    fits = before is not None and layout is before.layout
    bare = pack_relations(system, interactions, layout, (before.interactions, before.bare) if before and fits else None)
    info = old.info.copy()
    count_rows(info, layout)
    for name in ("contacts", "recorded", "recorded_pads", "rubs", "inner", "integrals"):
        info[name] = 0
    info["pads"] = layout.slots
    place, link, pair, column, hub = (array.copy() for array in layout.graph)
    own = {
        "info": info,
        "body": body,
        "relation": bare.copy(),
        "row": row_facts(layout, interactions, float(info[0]["length"])),
        "pair": pair,
        "column": column,
        "place": place,
        "link": link,
        "hub": hub,
        "driven": np.flatnonzero(layout.fact["target"] != NONE).astype(INDEX),
    }
    shared = {name: getattr(old, name) for name in SHARED}
    others = {name: array[:0] for name, array in zip(old._fields, old, strict=True)}
    state: State = pack_state(given, 0, layout.slots)
    return Compiled(
        system,
        readable(Model(**(others | shared | own))),
        readable(state),
        interactions,
        list(layout.row_names),
        [],
        compiled.joints,
        layout,
        parts,
        bare,
        LawBook(),
    )
