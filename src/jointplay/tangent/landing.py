"""Tangents at the end of a step of Moreau: over impacts, over contacts that come to rest, and back onto the joints."""

from __future__ import annotations

import numpy as np

from ..arrays import HOLD, IMPACTS, NONE, SLOTS
from ..numerics.jit import jit
from .contacts import along
from .impact import list_closing, strike_tangents
from .program import carry

FAINT = 1e-60  # N s, an impulse that does nothing
PARTED = 1e-6  # relative change of a gap that counts as parting two contacts
GRAZED, PARTS, CROWDED, SINGULAR, LONG, LOOSE, BACK, BOUNDED = 1, 2, 3, 4, 5, 6, 7, 8


@jit
def blame(fault, t, reason):
    """Note the first instant from which on the derivative is not to be trusted."""
    if fault[1] == 0.0:
        fault[0], fault[1] = t, reason


@jit
def close_tangents(model, kit, t, y, memory, work, tan):
    """Tangents on the closed rows at y."""
    if model.info[0].bilateral > 0:
        list_closing(model, kit, t, y, memory, work)
        carry(model, kit, len(kit.P.energy0), 0.0, work, tan, tan, tan)


@jit
def slide_faintly(model, c, y, work):
    """Friction of a contact with the normal impulse FAINT, if it slides."""
    law, u, dim = model.contact[c], y[7 * (model.info[0].bodies - 1) :], model.info[0].dim
    square = 0.0
    for m in range(1, dim):
        square += along(model.row[law.row[m]], work.row[law.row[m]].w, u) ** 2
    if square > 1e-18:
        for m in range(1, dim):
            v = along(model.row[law.row[m]], work.row[law.row[m]].w, u)
            work.touch[c].impulse[m] = -law.mu * FAINT * v / np.sqrt(square)


@jit
def mark_rest(model, y, memory, work):
    """Contacts that came to rest, as an impact without rebound: velocities along their normals vanish.

    No impulse is left, but its direction counts: a contact that slides takes a tangent along the edge of its cone.
    """
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        t = work.touch[c]
        held = memory[turns + SLOTS * c + HOLD] != 0.0 and model.contact[c].brake == 0
        t.place = 0 if held else NONE
        for m in range(3):
            t.impulse[m] = 0.0
        if held:
            t.impulse[0] = FAINT
            slide_faintly(model, c, y, work)


@jit
def strike_all(model, kit, impacts, state, work, tan, spare):
    """Tangents over what happened at the end of the step: an impact, or contacts that came to rest."""
    P, act = kit.P, kit.act
    before, dgap, fault = spare.before, spare.dgap, spare.fault
    t, y, shift = state.clock[0].t, state.y, 7 * (model.info[0].bodies - 1)
    jump = 0.0
    for m in range(len(before)):
        jump = max(jump, abs(y[shift + m] - before[m]))
    if jump == 0.0:
        return
    if work.tally[IMPACTS] == impacts:
        mark_rest(model, y, state.memory, work)
        strike_tangents(model, kit, False, t, before, y, state.memory, work, tan)
        return
    if not strike_tangents(model, kit, True, t, before, y, state.memory, work, tan):
        blame(fault, t, SINGULAR)
    for c in range(len(model.contact)):
        if act.on[c] and work.touch[c].rebound < 1.0:
            blame(fault, t, BOUNDED)
        if act.on[c] and model.contact[c].brake == 0:
            for k in range(len(P.energy0)):
                size = 0.0
                for m in range(tan.eta.shape[1]):
                    size = max(size, abs(tan.eta[k, m]))
                if abs(dgap[c, k]) > PARTED * max(size, 1e-3 * model.info[0].length):
                    blame(fault, t, PARTS)
