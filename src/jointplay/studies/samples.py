"""Samples of a study: its rows as columns and tables, what failed and why, and which of them count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..codes import Code
from ..errors import InputError, Problem
from ..model.names import suggest
from .description import Description
from .engine import Engine
from .limits import AnyLimit, limits_of
from .plans import Plan
from .status import WORDS, sentence
from .store import DONE, HIDDEN, RESERVED, Rows


class Samples:
    """Rows of a study, by name and number."""

    def __init__(
        self,
        engine: Engine,
        rows: Rows,
        plan: Plan,
        limits: Sequence[AnyLimit],
        description: Description,
        model: Any,
    ) -> None:
        self.engine, self.plan, self.limits = engine, plan, list(limits)
        self.vary, self.description, self.model = engine.vary, description, model
        self.notes: list[str] = []
        self.messages: dict[int, str] = {}  # sentences of some samples that failed
        self.path = rows.path
        self._rows = rows
        if rows.damaged:
            self.notes.append(
                f"{rows.damaged} rows do not agree with their checksums and count as not done; a study that goes on "
                "runs them again"
            )

    # -- rows ----------------------------------------------------------------------------------------------------------

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs."""
        return [one.key for one in self.engine.columns]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self.vary.names

    @property
    def units(self) -> dict[str, str]:
        """Unit of each column, in SI."""
        return {label: one.unit for label, one in zip(self._labels(), self._rows.columns, strict=False)}

    def _labels(self) -> list[str]:
        return [*self.inputs, *self.outputs]

    @property
    def count(self) -> int:
        """Samples of the plan."""
        return self._rows.count

    @property
    def done(self) -> np.ndarray:
        """Numbers of the samples that are done."""
        return np.flatnonzero(np.asarray(self._rows.column("status")) == DONE)

    @property
    def complete(self) -> bool:
        """True if all samples are done."""
        return len(self.done) == self.count

    def _column(self, name: str) -> np.ndarray:
        """A column by its public name, over all samples."""
        labels = self._labels()
        if name in RESERVED:
            return np.asarray(self._rows.column(name))
        if name not in labels:
            raise KeyError(f"no column named '{name}'{suggest(str(name), [*labels, *RESERVED])}")
        return np.asarray(self._rows.column(self._rows.columns[labels.index(name)].name))

    def __getitem__(self, name: Any) -> np.ndarray:
        key = name if isinstance(name, str) else self.engine.columns[self.engine.find(name)].key
        return self._column(key)[self.done]

    @property
    def rows(self) -> np.ndarray:
        """All samples that are done, as a table: sample, inputs, outputs, outcome and what led to it."""
        done = self.done
        names = [*self._labels(), *(name for name in RESERVED if name not in HIDDEN)]
        kinds: list[tuple[str, Any]] = [("sample", np.int64)]
        kinds += [(name, self._column(name).dtype) for name in names if name != "culprit"] + [("culprit", object)]
        table = np.zeros(len(done), dtype=kinds)
        table["sample"] = done
        for name in names:
            if name != "culprit":
                table[name] = self._column(name)[done]
        known = np.array([*self.engine.culprits, ""], dtype=object)
        table["culprit"] = known[self._column("culprit")[done]]
        return table

    @property
    def failed(self) -> np.ndarray:
        """Numbers of the samples that are done and have no values."""
        done = self.done
        return np.asarray(done[self._column("outcome")[done] != Code.DONE])

    def failures(self) -> dict[str, int]:
        """How many samples failed, by outcome and culprit."""
        out: dict[str, int] = {}
        known = [*self.engine.culprits, ""]
        codes, culprits = self._column("outcome"), self._column("culprit")
        for i in self.failed:
            code = int(codes[i])
            word = WORDS.get(code) or Code(code).name.lower().replace("_", " ")
            at = known[int(culprits[i])]
            key = f"{word} at {at}" if at else word
            out[key] = out.get(key, 0) + 1
        return dict(sorted(out.items(), key=lambda one: -one[1]))

    def why(self, i: int) -> str:
        """The sentence of a sample."""
        i = self._place(i)
        if i in self.messages:
            return self.messages[i]
        code, at = int(self._column("outcome")[i]), int(self._column("culprit")[i])
        if code in WORDS:  # a file holds no texts: run it again
            row = self.engine.lane().row(self.point(i))
            return sentence(row.code, row.time, row.culprit, row.detail, row.message)
        culprit = [*self.engine.culprits, ""][at]
        return sentence(code, float(self._column("time_reached")[i]), culprit, float(self._column("detail")[i]))

    def _place(self, i: int) -> int:
        if not 0 <= int(i) < self.count:
            raise InputError(Problem("i", f"samples have numbers from 0 to {self.count - 1}, not {i}"))
        return int(i)

    def point(self, i: int) -> np.ndarray:
        """Inputs of a sample, from the plan."""
        return self.plan.points(self.vary, self._place(i), self._place(i) + 1)[0]

    # -- samples that count --------------------------------------------------------------------------------------------

    def _sample(self, size: int | None = None) -> np.ndarray:
        """Numbers of the samples that follow the distributions, done or up to a size."""
        if not self.plan.samples:
            message = f"points of {self.plan!r} do not follow the distributions; take Sobol, Random or LatinHypercube"
            raise InputError(Problem("plan", message))
        done = self.done
        done = done if size is None else done[done < size]
        group = self.plan.groups(self.vary)
        return done[done % group < 2] if group > 1 else done

    def _replicate(self, which: np.ndarray) -> np.ndarray | None:
        many = self.plan.replicates
        return which % many if many > 1 and len(which) >= 4 * many else None

    def _values(self, of: Any, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values of an output at samples, and which of them are well."""
        key = self._key(of)
        ok = self._column("outcome")[which] == Code.DONE
        return self._column(key)[which], ok

    def _drawn(self, which: np.ndarray) -> np.ndarray:
        """Inputs of samples as each of them varied by itself, before heat."""
        return self.vary.drawn(np.column_stack([self._column(name)[which] for name in self.inputs]))

    def _key(self, of: Any) -> str:
        if of is None:
            if len(self.outputs) > 1:
                raise InputError(Problem("of", f"this study keeps several outputs; choose one of {self.outputs}"))
            return self.outputs[0]
        try:
            return self.engine.columns[self.engine.find(of)].key
        except KeyError as error:
            raise InputError(Problem("of", str(error.args[0]))) from None

    def good(self, which: np.ndarray, limits: Sequence[AnyLimit] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Which samples keep all limits, and which have no values."""
        chosen = self.limits if limits is None else limits_of(limits)
        if not chosen:
            raise InputError(Problem("limits", "this study has none; give some: yield_(limits=[AtMost(...)])"))
        failed = self._column("outcome")[which] != Code.DONE
        good = np.ones(len(which), dtype=bool)
        for limit in chosen:
            with np.errstate(invalid="ignore"):
                good &= limit.margin(self._column(self._key(limit.objective))[which]) >= 0.0
        return good & ~failed, failed
