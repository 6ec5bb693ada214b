"""Keep: whole runs of some samples, as result files beside the file of a study.

A study holds a few numbers of each run, since any run can be had again (``study.rerun``). Where runs are wanted at
hand, ``keep=`` chooses them: "failed", "worst 10", "every 100". They are written when all rows are known, each to its
own file, ``pin_runs/000017.nc`` for sample 17 of ``pin.nc``. A study that goes on writes what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, Problem
from ..writing import cannot_write, reason
from .engine import ModelEngine
from .status import REFUSED

if TYPE_CHECKING:
    from .answers import Study

Chosen = Callable[["Study", int], list[int]]

KINDS: dict[str, Chosen] = {
    "none": lambda study, count: [],
    "failed": lambda study, count: study.failed.tolist(),
    "worst": lambda study, count: study.worst(count).tolist(),
    "every": lambda study, count: [i for i in study.done.tolist() if i % count == 0],
}
COUNTED = ("worst", "every")
TEXT = re.compile(r"\s*([a-z]+)(?:\s+(\d+))?\s*\Z")


@dataclass(frozen=True)
class Keep:
    """Which runs to keep."""

    kind: str = "none"
    count: int = 0

    @staticmethod
    def of(given: Any) -> Keep:
        """From a text; InputError with what is known."""
        found = TEXT.match(given) if isinstance(given, str) else None
        if given is None or isinstance(given, Keep):
            return given or Keep()
        counted = found is not None and found[1] in COUNTED
        if (
            found is None
            or found[1] not in KINDS
            or counted != (found[2] is not None)
            or (counted and not int(found[2]))
        ):
            raise InputError(Problem("keep", f"needs 'none', 'failed', 'worst 10' or 'every 100', not {given!r}"))
        return Keep(found[1], int(found[2] or 0))

    def __bool__(self) -> bool:
        return self.kind != "none"

    def __str__(self) -> str:
        return f"{self.kind} {self.count}" if self.count else self.kind

    def check(self, engine: Any, output: Any) -> None:
        """InputError where there is no place for runs, or there are none."""
        if self and output is None:
            raise InputError(Problem("keep", "runs are kept beside the file of a study: give output='NAME.nc' too"))
        if self and not isinstance(engine, ModelEngine):
            raise InputError(Problem("keep", "this study is one of a plain function, which has no motion"))

    def write(self, study: Study) -> None:
        """Write the runs that are wanted and not there; what cannot be had is reported in the notes of the study."""
        if not self:
            return
        refused = set(study.failed[study._column("outcome")[study.failed] == REFUSED].tolist())
        chosen = KINDS[self.kind](study, self.count)
        kept = kept_runs(study)
        for i in chosen:
            if i in kept or i in refused:
                continue
            path = place_of(study, i)
            try:
                path.parent.mkdir(exist_ok=True)
            except OSError as error:
                raise cannot_write(path, reason(error)) from None
            solution = study.rerun(i)
            solution.meta |= {"study": study.description.key, "sample": i}
            solution.save(path)
        nothing = len(refused.intersection(chosen))
        if nothing:
            study.notes.append(f"{nothing} samples have no run to keep: their model cannot be built")


def folder_of(study: Study) -> Path | None:
    """Where runs of a study are kept."""
    return None if study.path is None else study.path.with_name(f"{study.path.stem}_runs")


def place_of(study: Study, i: int) -> Path:
    """File of one sample."""
    folder = folder_of(study)
    assert folder is not None
    return folder / f"{i:06d}.nc"


def kept_runs(study: Study) -> dict[int, Path]:
    """Runs that are kept of this very study, by sample; files of another one do not count."""
    from ..results.file import load

    folder, out = folder_of(study), {}
    for path in sorted(folder.glob("*.nc")) if folder is not None and folder.is_dir() else ():
        with suppress(InputError, OSError):
            meta = load(path).meta
            if meta.get("study") == study.description.key:
                out[int(meta["sample"])] = path
    return out
