"""Study: what ``study`` gives back. Rows, and what they tell: yield, means, contributions, indices, reruns, a page."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codes import Code
from ..errors import InputError, Problem
from ..model.names import suggest
from .description import Description
from .engine import Engine, ModelEngine
from .estimate import LEVEL, Estimate, Yield, mean_of, sigma_of, yield_of
from .indices import Bounds, Halved, Indices, correlation_ratios, dgsm, halving, regression, sobol_indices
from .limits import AnyLimit, ends, limits_of
from .plans import Plan, Saltelli
from .status import WORDS, sentence
from .store import DONE, HIDDEN, RESERVED, Rows, StudyFile
from .until import Until

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

    from ..results.solution import Solution

OFTEN = 1.0  # s between two estimates while a study runs


class Study:
    """Rows of a study and what they tell.

    ``study["gap"]`` and ``study["Peak('|B.force|')"]`` are columns over all samples that are done, not a number where a
    run failed. ``rows`` is the whole table.
    """

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
        self._said: tuple[float, str] = (-np.inf, "")
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
        asked = self.limits if limits is None else limits_of(limits)
        if not asked:
            raise InputError(Problem("limits", "this study has none; give some: yield_(limits=[AtMost(...)])"))
        failed = self._column("outcome")[which] != Code.DONE
        good = np.ones(len(which), dtype=bool)
        for limit in asked:
            with np.errstate(invalid="ignore"):
                good &= limit.margin(self._column(self._key(limit.objective))[which]) >= 0.0
        return good & ~failed, failed

    # -- what rows tell ------------------------------------------------------------------------------------------------

    def yield_(self, limits: Any = None, *, level: float = LEVEL, size: int | None = None) -> Yield:
        """Share of machines that keep all limits, bounded both ways where samples failed."""
        which = self._sample(size)
        good, failed = self.good(which, limits)
        return yield_of(good, failed, self._replicate(which), level)

    def mean(self, of: Any = None, *, level: float = LEVEL, size: int | None = None, control: Any = None) -> Estimate:
        """Mean of an output over the samples that are well; a ``first_order`` as ``control`` lessens its scatter."""
        which = self._sample(size)
        x, ok = self._values(of, which)
        replicate = self._replicate(which)
        if control is not None:
            from .control import controlled_mean

            points = np.column_stack([self._column(name)[which][ok] for name in self.inputs])
            return controlled_mean(x[ok], control.predict(points, self._key(of)), control.mean_of(self._key(of)), level)
        return mean_of(x[ok], None if replicate is None else replicate[ok], level)

    def sigma(self, of: Any = None, *, level: float = LEVEL) -> Estimate:
        """Standard deviation of an output."""
        x, ok = self._values(of, self._sample())
        return sigma_of(x[ok], level)

    def quantile(self, share: float, of: Any = None) -> float:
        """The value that an output stays below in this share of machines."""
        x, ok = self._values(of, self._sample())
        return float(np.quantile(x[ok], share))

    def cpk(self, of: Any = None) -> float:
        """Distance of the mean to the nearer limit in units of 3 sigma; infinite without limits."""
        key = self._key(of)
        low, high = self.ends_of(key)
        mean, sigma = self.mean(key).value, self.sigma(key).value
        if not sigma > 0.0 or not (np.isfinite(low) or np.isfinite(high)):
            return np.inf
        return float(min(mean - low, high - mean) / (3.0 * sigma))

    def ends_of(self, of: Any) -> tuple[float, float]:
        """Least and greatest value that the limits allow an output; infinite where none does."""
        key = self._key(of)
        own = [ends(one) for one in self.limits if self._key(one.objective) == key]
        return max((a for a, _ in own), default=-np.inf), min((b for _, b in own), default=np.inf)

    def contributions(self, of: Any = None) -> dict[str, Any]:
        """Share of each input in the variance of an output, by a straight line through the samples.

        Of several outputs a mapping by output. ``ratios`` knows no straight line, ``indices`` knows interactions.
        """
        if of is None and len(self.outputs) > 1:
            return {key: self.contributions(key) for key in self.outputs}
        return self._regression(of)[0]

    def linearity(self, of: Any = None) -> float:
        """Share of the variance of an output that a straight line explains (R squared)."""
        return self._regression(of)[1]

    def _regression(self, of: Any) -> tuple[dict[str, float], float]:
        which = self._sample() if self.plan.samples else self.done
        y, ok = self._values(of, which)
        return regression(self._drawn(which[ok]), y[ok], self.inputs, self.vary.independent)

    def ratios(self, of: Any = None, *, level: float = LEVEL) -> dict[str, Any]:
        """Correlation ratio of each input: the share of the variance that it explains by itself, however curved."""
        if of is None and len(self.outputs) > 1:
            return {key: self.ratios(key, level=level) for key in self.outputs}
        which = self._sample()
        y, ok = self._values(of, which)
        return correlation_ratios(self._drawn(which[ok]), y[ok], self.inputs, level)

    def indices(self, of: Any = None, *, level: float = LEVEL) -> Any:
        """Sobol' indices of an output, of a study with the plan ``Saltelli``; "failed" is an output too."""
        if not isinstance(self.plan, Saltelli):
            message = f"Sobol' indices need the plan Saltelli, not {self.plan!r}; ratios() takes any sample"
            raise InputError(Problem("plan", message))
        if not self.vary.independent:
            raise InputError(Problem("correlations", "Sobol' indices tell nothing of correlated inputs; see ratios()"))
        if of is None and len(self.outputs) > 1:
            return {key: self.indices(key, level=level) for key in self.outputs}
        group = len(self.vary) + 2
        status = np.asarray(self._rows.column("status")) == DONE
        whole = status[: len(status) // group * group].reshape(-1, group).all(axis=1)
        codes = self._column("outcome")[: len(whole) * group].reshape(-1, group)[whole]
        if isinstance(of, str) and of == "failed":
            values = (codes != Code.DONE).astype(float)
            return sobol_indices(values, np.ones_like(values, dtype=bool), self.inputs, level)
        values = self._column(self._key(of))[: len(whole) * group].reshape(-1, group)[whole]
        found: Indices = sobol_indices(values, codes == Code.DONE, self.inputs, level)
        return found

    def dgsm(self, of: Any = None, *, level: float = LEVEL) -> Bounds:
        """Bounds on total indices from the derivatives of all samples (``study(..., gradients=True)``)."""
        key = self._key(of)
        labels = [*self._labels(), *(f"d {a} by {b}" for a in self.outputs for b in self.inputs)]
        first = labels.index(f"d {key} by {self.inputs[0]}")
        columns = self._rows.columns[first : first + len(self.inputs)]
        if columns[0].meaning != "derivative":
            raise InputError(Problem("gradients", "were not kept; run the study with gradients=True"))
        which = self._sample()
        y, ok = self._values(key, which)
        slopes = np.column_stack([np.asarray(self._rows.column(one.name))[which][ok] for one in columns])
        known = np.all(np.isfinite(slopes), axis=1)
        return dgsm(slopes[known] @ self.vary.heat_matrix, float(np.var(y[ok])), self.vary, level)

    def halved(self, of: Any = None) -> dict[str, Halved]:
        """What halving the tolerance of each input would bring, from the same samples."""
        if not self.vary.independent:
            raise InputError(Problem("correlations", "samples of correlated inputs cannot be weighed one by one"))
        which = self._sample()
        y, ok = self._values(of, which)
        good = self.good(which)[0][ok] if self.limits else None
        drawn = self._drawn(which[ok])
        return {
            name: halving(name, one, drawn[:, k], y[ok], good) for k, (name, one) in enumerate(self.vary.inputs.items())
        }

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
        if now - self._said[0] < OFTEN:
            return self._said[1]
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
        self._said = (clock.monotonic(), text)
        return text

    def known(self, stop: Until, size: int, level: float) -> bool:
        """Whether the first ``size`` samples tell what ``stop`` asks for."""
        if stop.yield_within is not None and self.yield_(level=level, size=size).half > stop.yield_within:
            return False
        if stop.mean_within is not None:
            for key in self.outputs:
                x, ok = self._values(key, self._sample(size))
                spread = float(np.std(x[ok])) if ok.any() else 0.0
                if self.mean(key, level=level, size=size).half > stop.mean_within * spread:
                    return False
        self.notes.append(f"stopped after {size} of {self.count} samples: the answer is known as asked for")
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
        """Close the file for writing; what is asked for later is read from it."""
        if isinstance(self._rows, StudyFile):
            self._rows.close()
            assert self.path is not None
            self._rows = StudyFile(self.path, write=False)

    # -- telling -------------------------------------------------------------------------------------------------------

    def to_xarray(self) -> xarray.Dataset:
        """Rows that are done as a Dataset over ``sample``, with units."""
        import xarray

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
        import pandas

        return pandas.DataFrame({name: self.rows[name] for name in self.rows.dtype.names or ()}).set_index("sample")

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Rows that are done as a table, units in the head."""
        from ..results.tables import write_csv
        from .table import table_of

        return write_csv(path, *table_of(self._rows, self.engine.culprits))

    def export(self, path: str | PathLike[str], names: Sequence[str] | None = None) -> Path:
        """The same, or some columns of it, as .csv, .xlsx (Excel) or .parquet, whichever the ending names."""
        from ..results.tables import write_table
        from .table import table_of

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
        from .telling import summary

        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"<Study: {len(self.done)} of {self.count} samples of {', '.join(self.inputs)}, {len(self.failed)} failed>"
        )
