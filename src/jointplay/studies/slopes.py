r"""Derivatives of the run of a member: prepared once for a study, not once for a sample.

What the derivatives of a run begin with are those of all numbers of its model, dx/dp. A study that fills numbers
(filling.py) takes them from members that are filled at p and a small part of the box beside it, with the formulas and
estimates of error of ``sensitivity/variation.py``; nothing is read or compiled. Members that are compiled, and models
in several independent parts, are left to ``sensitivities``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Model, State
from ..compile.pack import Compiled
from ..design.guard import quiet
from ..errors import InputError, Problem
from ..model.system import System
from ..numerics.jit import readable
from ..sensitivity.solve import Task, differentiated, solve
from ..sensitivity.targets import targets_of
from ..sensitivity.variation import Nominal, Variation, variation
from .lane import Lane
from .members import named

if TYPE_CHECKING:
    from .engine import ModelEngine
    from .variants import Variant

SHARE = 0.02  # of the width of the box: the step of differences
STOPPED = "the run at this point stopped early, so that there are no derivatives"

Answer = tuple[np.ndarray, np.ndarray, list[str]]  # values (m,), derivatives (m, d), notes about them


class SlopeLane:
    """Room for one thread that differentiates runs."""

    def __init__(self, engine: ModelEngine) -> None:
        self.engine = engine
        self._lanes: dict[int, Lane] = {}

    def gradient(self, variant: Variant, p: np.ndarray, wanted: list[Any]) -> Answer:
        """Values and derivatives of outputs at p; by differences where no exact method takes the model."""
        way = "adjoint" if len(p) > 4 * len(wanted) else "direct"
        with quiet():
            try:
                found = self._filled(variant, p, wanted, way)
            except InputError:  # sensitivities reports what is wrong, in the words of its arguments
                found = None
            return found or self._by_sensitivities(variant, p, wanted, way)

    # -- of members that are filled ----------------------------------------------------------------------------------

    def _filled(self, variant: Variant, p: np.ndarray, wanted: list[Any], way: str) -> Answer | None:
        filling, members, settings = variant.filling, variant.members, self.engine.settings
        if filling is None or len(members.parts) > 1 or filling.inputs(p) is None or members.system.switches:
            return None
        if id(variant) not in self._lanes:
            self._lanes[id(variant)] = self.engine.room(variant, whole=True)
        lane = self._lanes[id(variant)]
        member = self._member(lane, p)
        targets = targets_of(members.layout, wanted)
        nominal = Nominal.of(member)
        variations = [self._variation(lane, nominal, p, k) for k in range(len(p))]
        given = members.source, members.system, member, targets, settings.method, settings.times, settings.times
        found = differentiated(Task(*given, settings.end), way, variations)
        if len(found.time) < len(settings.times):
            raise InputError(Problem("model", STOPPED))
        keys = [target.key for target in targets.targets]
        slopes = [[float(found.derivatives[key][name]) for name in members.names] for key in keys]
        values = np.array([float(found.values[key]) for key in keys])
        return values, np.array(slopes), [*found.notes, *_broken(found.invalid)]

    @staticmethod
    def _member(lane: Lane, p: np.ndarray) -> Compiled:
        """The member at p, as something of its own; raises InputError."""
        assert lane.filling is not None
        inputs = lane.filling.beyond(p)
        if inputs is None:
            raise InputError(Problem("vary", "is outside of what is filled"))
        (track,) = lane.fill(p, inputs)
        model = readable(Model(*(np.array(one) for one in track.model)))
        state = readable(State(*(np.array(one) for one in track.state)))
        return replace(track.nominal, model=model, state=state, notes=[], scratch=[])

    def _variation(self, lane: Lane, nominal: Nominal, p: np.ndarray, k: int) -> Variation:
        assert lane.filling is not None
        width = float(lane.filling.high[k] - lane.filling.low[k])
        size = abs(float(p[k])) or width

        def make(changed: dict[str, float]) -> Compiled:
            beside = p.copy()
            (beside[k],) = changed.values()
            return self._member(lane, beside)

        step = SHARE * width / size
        return variation(lane.members.names[k], float(p[k]), size, nominal, make, relative=step, alike=True)

    # -- of all others -----------------------------------------------------------------------------------------------

    def _by_sensitivities(self, variant: Variant, p: np.ndarray, wanted: list[Any], way: str) -> Answer:
        settings, source = self.engine.settings, variant.members.source
        point = named(variant.members.names, p)

        def model(**values: float) -> System:  # read already: no file is read for a sample
            return source.system(values)

        options: dict[str, Any] = {"until": settings.end, "method": settings.method, "save": settings.times}
        try:
            found = solve(model, point, wanted, derivative=way, **options)
        except InputError as error:
            if {one.field for one in error.problems} - {"method", "derivative"}:
                raise
            found = solve(model, point, wanted, derivative="differences", **options)
        if len(found.time) < len(settings.times):
            raise InputError(Problem("model", STOPPED))
        values = np.array([float(found.values[one]) for one in wanted])
        slopes = [[float(found[one][name]) for name in variant.members.names] for one in wanted]
        return values, np.array(slopes), [*found.notes, *_broken(found.invalid)]


def _broken(invalid: list[tuple[float, str]]) -> list[str]:
    return [f"derivatives do not hold from {t:.6g} s on: {why}" for t, why in invalid]
