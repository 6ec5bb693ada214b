"""Study: what ``study`` gives back. Rows, and what they show; single runs again, files, a page."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codes import Code
from ..errors import InputError, Problem
from ..extras import needed
from .engine import ModelEngine
from .learnt import Learnt
from .store import HIDDEN, RESERVED, Rows, StudyFile
from .until import Until

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

    from ..results.solution import Solution

OFTEN = 1.0  # s between two estimates while a study runs


class Study(Learnt):
    """Rows of a study and what they show.

    ``study["gap"]`` and ``study["Peak('|B.force|')"]`` are columns over all samples that are done, not a number where a
    run failed. ``rows`` is the whole table.
    """

    _last: tuple[float, str] = (-np.inf, "")  # when the answer so far was last reported, and what it was

    # -- single runs ---------------------------------------------------------------------------------------------------

    def worst(self, count: int = 1, of: Any = None) -> np.ndarray:
        """Numbers of the samples with the least margin to the limits, or the greatest values of an output."""
        done = self.done
        ok = done[self._column("outcome")[done] == Code.DONE]
        if self.limits and of is None:
            scaled = []
            for limit in self.limits:
                values = self._column(self._key(limit.objective))[ok]
                scaled.append(limit.margin(values) / (np.std(values) or 1.0))
            rank = np.min(scaled, axis=0)
        else:
            rank = -self._column(self._key(of or self.outputs[0]))[ok]
        return np.asarray(ok[np.argsort(rank, kind="stable")[:count]])

    def median(self, of: Any = None) -> int:
        """Number of the sample in the middle of an output."""
        done = self.done
        ok = done[self._column("outcome")[done] == Code.DONE]
        if not len(ok):
            raise InputError(Problem("study", "no sample is well"))
        x = self._column(self._key(of or self.outputs[0]))[ok]
        return int(ok[np.argsort(x, kind="stable")[len(x) // 2]])

    def rerun(self, i: int, *, save: Any = None) -> Solution:
        """The whole Solution of a sample: the same numbers of the model, the same bits of the motion."""
        if not isinstance(self.engine, ModelEngine):
            raise InputError(Problem("rerun", "this study is one of a plain function, which has no motion"))
        from .again import again

        return again(self.engine, self.point(i), save)

    @property
    def kept(self) -> dict[int, Path]:
        """Files of whole runs that are kept beside that of the study (``keep=``), by sample."""
        from .keep import kept_runs

        return kept_runs(self)

    # -- while it runs -------------------------------------------------------------------------------------------------

    def so_far(self) -> str:
        """The running estimate in words."""
        now = clock.monotonic()
        if now - self._last[0] < OFTEN:
            return self._last[1]
        text = ""
        try:
            if not self.plan.samples or not len(self.done):
                text = ""
            elif self.limits:
                found = self.yield_()
                text = f"yield {100 * found.low:.4g} to {100 * found.high:.4g} %"
            elif self.outputs:
                mean = self.mean(self.outputs[0])
                text = f"mean {self.outputs[0]} {mean.value:.4g} +- {mean.half:.2g}"
        except (InputError, KeyError, ValueError):
            text = ""
        self._last = (clock.monotonic(), text)
        return text

    def known(self, stop: Until, size: int, level: float) -> bool:
        """Whether the first ``size`` samples answer what ``stop`` requires."""
        if stop.yield_within is not None and self.yield_(level=level, size=size).half > stop.yield_within:
            return False
        if stop.mean_within is not None:
            for key in self.outputs:
                x, ok = self._values(key, self._sample(size))
                spread = float(np.std(x[ok])) if ok.any() else 0.0
                if self.mean(key, level=level, size=size).half > stop.mean_within * spread:
                    return False
        self.notes.append(f"stopped after {size} of {self.count} samples: the answer is as sure as requested")
        return True

    def cut(self, size: int) -> None:
        """Keep the first samples only."""
        if isinstance(self._rows, StudyFile):
            self._rows = self._rows.resized(size)
        else:
            kept = Rows(size, self._rows.columns)
            for one in kept.columns:
                kept.column(one.name)[:] = self._rows.column(one.name)[:size]
            self._rows = kept

    def settle(self) -> None:
        """Close the file for writing; what is needed later is read from it."""
        if isinstance(self._rows, StudyFile):
            self._rows.close()
            assert self.path is not None
            self._rows = StudyFile(self.path, write=False)

    # -- reports -------------------------------------------------------------------------------------------------------

    def to_xarray(self) -> xarray.Dataset:
        """Rows that are done as a Dataset over ``sample``, with units."""
        xarray = needed("xarray", "to_xarray", "xarray")
        done = self.done
        units = self.units
        data = {name: ("sample", self._column(name)[done], {"units": units[name]}) for name in self._labels()}
        for name in RESERVED:
            if name not in (*HIDDEN, "culprit"):
                data[name] = ("sample", self._column(name)[done], {"long_name": RESERVED[name][1]})
        known = np.array([*self.engine.culprits, ""], dtype=object)
        data["culprit"] = ("sample", known[self._column("culprit")[done]].astype(str), {})
        facts = {"key": self.description.key, "plan": repr(self.plan)}
        return xarray.Dataset(data, coords={"sample": done}, attrs=facts)

    def to_pandas(self) -> pandas.DataFrame:
        """Rows that are done as a DataFrame."""
        pandas = needed("pandas", "to_pandas", "pandas")
        return pandas.DataFrame({name: self.rows[name] for name in self.rows.dtype.names or ()}).set_index("sample")

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Rows that are done as a table, units in the head."""
        from ..results.tables import write_csv
        from .row_table import table_of

        return write_csv(path, *table_of(self._rows, self.engine.culprits))

    def export(self, path: str | PathLike[str], names: Sequence[str] | None = None) -> Path:
        """The same, or some columns of it, as .csv, .xlsx (Excel) or .parquet, whichever the ending names."""
        from ..results.tables import write_table
        from .row_table import table_of

        return write_table(path, *table_of(self._rows, self.engine.culprits, names))

    def report(self, path: str | PathLike[str]) -> Path:
        """Write one HTML page: yield, histograms with limits, tornado, convergence, worst and median run."""
        from ..report.study import report

        return report(self, Path(path))

    def plot(self, kind: str = "histogram", **options: Any) -> Figure:
        """Draw "histogram", "tornado", "convergence", "scatter" or "worst"; options are those of the figure."""
        from ..figures import studies

        return studies.draw(self, kind, **options)

    def summary(self) -> str:
        """A few lines for people."""
        from .summaries import summary

        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"<Study: {len(self.done)} of {self.count} samples of {', '.join(self.inputs)}, {len(self.failed)} failed>"
        )
