"""Variants of a model whose fits may interfere: where the pin is larger than its hole, the joint has no play.

``Fit("12 H7/k6", interference="ideal")`` requests it. A sample with such a fit at or below zero is run by a variant of
the model in which this clearance is left out, so that its direction is ideal; all other samples by the model itself.
Without that request a gap below zero is refused by the model, and the sample is a row that failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..laws.clearance import Clearance
from ..model.system import System
from ..sensitivity.source import Source
from .filling import Filling
from .fits import OPEN
from .members import Members, Settings
from .outputs import Outputs
from .vary import Vary


@dataclass(frozen=True, eq=False)
class Variant:
    """A model that is compiled, and which inputs are its numbers."""

    members: Members
    outputs: Outputs
    filling: Filling | None
    places: tuple[int, ...]

    def numbers(self, x: np.ndarray) -> np.ndarray:
        """Values of its own inputs."""
        return x[list(self.places)]


def closed_source(source: Source, names: tuple[str, ...]) -> Source:
    """The source of a model without the clearances of these inputs; raises InputError where there are none."""
    own = {name: _clearances(source, name) for name in names}
    wrong = [name for name, found in own.items() if not found]
    if wrong:
        message = "interference='ideal' needs a clearance in a joint whose gap it is"
        raise InputError([Problem(f"vary: {name}", message) for name in wrong])
    gone = {place for found in own.values() for place in found}

    def make(values: Mapping[str, float]) -> System:
        whole = source.make({**values, **dict.fromkeys(names, OPEN)})
        tree = whole.to_tree()
        joints = {
            joint: {key: raw for key, raw in fields.items() if (joint, key) not in gone}
            for joint, fields in tree["joints"].items()
        }
        return System.from_tree({**tree, "joints": joints}, whole.allowed)

    return Source(tuple(one for one in source.parameters if one.name not in names), make)


def _clearances(source: Source, name: str) -> list[tuple[str, str]]:
    """Joints and directions whose gap follows an input."""
    value = next(one.value for one in source.parameters if one.name == name)
    gaps = [
        {
            (joint.name, group): float(law.gap)
            for joint in source.system(changed).joints
            for group, law in joint.closed.items()
            if isinstance(law, Clearance)
        }
        for changed in ({}, {name: 1.25 * value})
    ]
    return [place for place, gap in gaps[0].items() if gaps[1].get(place, gap) != gap]


class Variants:
    """All variants of an engine, made when a sample needs them."""

    def __init__(self, base: Variant, vary: Vary, of: Any, limited: list[Any], settings: Settings) -> None:
        self.base, self.vary, self.of, self.limited, self.settings = base, vary, of, limited, settings
        self.closing = tuple(k for k in vary.closing if k in base.places)
        self._made: dict[tuple[int, ...], Variant | InputError] = {(): base}
        self._lock = Lock()

    def at(self, x: np.ndarray) -> Variant:
        """The variant that runs a sample; raises InputError where there is none."""
        closed = tuple(k for k in self.closing if not x[k] > 0.0)
        with self._lock:
            if closed not in self._made:
                try:
                    self._made[closed] = self._make(closed)
                except InputError as error:
                    self._made[closed] = error
            found = self._made[closed]
        if isinstance(found, InputError):
            raise found
        return found

    def all_closed(self) -> Variant:
        """The variant in which every such fit interferes; raises InputError where a model cannot be that."""
        return self.at(np.where(np.isin(np.arange(len(self.vary)), self.closing), -1.0, 1.0))

    def _make(self, closed: tuple[int, ...]) -> Variant:
        base = self.base
        source = closed_source(base.members.source, tuple(self.vary.names[k] for k in closed))
        members = Members(source, until=self.settings.end, method=self.settings.method, save=self.settings.save)
        outputs = Outputs(members.layout, self.of, self.limited, like=base.outputs)
        return replace(
            base,
            members=members,
            outputs=outputs,
            filling=None,
            places=tuple(k for k in base.places if k not in closed),
        )
