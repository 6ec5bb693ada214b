"""Solution: what a run gives back. Named arrays with units, the outcome, statistics, and a State to go on from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, overload

import numpy as np

from ..arrays import EVENT_COLUMNS, State
from ..codes import Outcome
from .impacts import table_of
from .layout import Layout, Variable
from .name_table import NameTable, name_table, nearest
from .peaks import Peaks

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

    from ..viewer import FilmOptions, Shown

DERIVED = {  # public name -> (unit, parts to add)
    "energy.potential": ("J", ("energy.gravity", "energy.elastic")),
    "energy.total": ("J", ("energy.kinetic", "energy.gravity", "energy.elastic")),
}


class Event(NamedTuple):
    """An instant at which a condition became true."""

    time: float  # s
    name: str


class Units(Mapping[str, str]):
    """Units by name."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution

    def __getitem__(self, name: str) -> str:
        if name == "time":
            return "s"
        name = name.strip("|")
        base, _ = self._solution._split(name)
        if base in DERIVED:
            return DERIVED[base][0]
        variable, k = self._solution._find(base)
        return variable.units[k if isinstance(k, int) else k[0]]

    def __iter__(self) -> Any:
        return iter(self._solution.names)

    def __len__(self) -> int:
        return len(self._solution.names)


class Solution:
    """Result of a run.

    ``sol.time`` and ``sol["crank.position"]`` are arrays; ``sol["crank.position[2]"]`` is one component and
    ``sol["|B.force|"]`` the magnitude; ``sol.names`` lists all names, ``sol.find("force")`` those that contain a word,
    ``sol.units[name]`` the unit.
    """

    def __init__(
        self,
        *,
        layout: Layout,
        time: np.ndarray,
        data: Mapping[str, np.ndarray],
        outcome: Outcome,
        stats: dict[str, Any],
        meta: dict[str, Any],
        state: State | None,
        path: Path | None = None,
        events: np.ndarray | None = None,
        extremes: np.ndarray | None = None,
    ) -> None:
        self.layout = layout
        self.time = time
        self.outcome = outcome
        self.stats = stats
        self.meta = meta  # name, method, notes, versions, model text
        self.state = state
        self.path = path
        self.failed_contact: dict[str, Any] | None = None  # the contact problem that had no answer, if a run ended so
        self._data = data
        self._events = np.zeros((0, EVENT_COLUMNS)) if events is None else events
        self._extremes = extremes  # over every step (peaks.py)

    # -- reading ---------------------------------------------------------------------------------------------------

    @staticmethod
    def _split(name: str) -> tuple[str, int | None]:
        match = re.fullmatch(r"(.+)\[(-?\d+)\]", name)
        return (match[1], int(match[2])) if match else (name, None)

    def _find(self, base: str) -> tuple[Variable, int | list[int]]:
        try:
            return self.layout.find(base)
        except KeyError:
            if base.endswith(".stop_force"):  # on an angle it is a torque
                return self._find(base.removesuffix("force") + "torque")
            raise KeyError(f"no quantity named {base!r}{nearest(base, self.names)}") from None

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "time":
            return self.time
        if len(name) > 2 and name[0] == name[-1] == "|":
            values, (base, component) = self[name[1:-1]], self._split(name[1:-1])
            scalar = component is not None or base in DERIVED or self._find(base)[0].width == 1
            return np.abs(values) if scalar else np.asarray(np.linalg.norm(values, axis=-1))
        base, component = self._split(name)
        if base in DERIVED:
            values = np.sum([self[part] for part in DERIVED[base][1]], axis=0)
        else:
            variable, k = self._find(base)
            block = self._data[variable.name]
            values = np.asarray(block[:, k]) if variable.dimension else np.asarray(block)
        if component is None:
            return values
        if values.ndim == 1 or not -values.shape[1] <= component < values.shape[1]:
            raise KeyError(f"{base!r} has {1 if values.ndim == 1 else values.shape[1]} component(s), not [{component}]")
        return values[:, component]

    def __contains__(self, name: str) -> bool:
        return self._split(name)[0] in self.names

    @property
    def names(self) -> list[str]:
        """All names that the result knows."""
        return [*self.layout.names, *DERIVED]

    @property
    def units(self) -> Mapping[str, str]:
        """Unit of each name."""
        return Units(self)

    @property
    def impacts(self) -> np.recarray:
        """All impacts: time, impact number, joint, contact, speeds before and after, impulses, energy loss."""
        return table_of(self._events, self.layout)

    @property
    def events(self) -> list[Event]:
        """Instants at which conditions became true (``until`` and ``record`` of simulate), in order of time."""
        return [Event(float(time), str(name)) for time, name in self.meta.get("events", [])]

    @property
    def peaks(self) -> Peaks:
        """Least and greatest value of each name with their times, over every step of the run where that is known."""
        return Peaks(self, self._extremes)

    def find(self, word: str = "") -> NameTable:
        """Names that contain ``word`` (case does not matter): a list that prints itself with units and meanings."""
        return name_table(self, [name for name in self.names if word.lower() in name.lower()], word)

    # -- keeping ---------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write one NetCDF-4 file."""
        from .file import write_solution

        return write_solution(self, Path(path))

    def to_xarray(self) -> xarray.Dataset:
        """The result as an xarray Dataset, with units and labels."""
        from .export import to_xarray

        return to_xarray(self)

    def to_pandas(self, names: list[str] | None = None) -> pandas.DataFrame:
        """The result as a pandas DataFrame: a row per saved time (the index), a column per component, as in ``to_csv``.

        Columns are called ``crank.position[0] [m]``: the name, the component and the unit.
        """
        from .export import to_pandas

        return to_pandas(self, names)

    to_dataframe = to_pandas

    def to_csv(self, path: str | Path, names: list[str] | None = None) -> Path:
        """Write a table with one line per saved time; all names by default, units in the head."""
        from .export import to_csv

        return to_csv(self, Path(path), names)

    def export(self, path: str | Path, names: list[str] | None = None) -> Path:
        """Write the table of ``to_pandas`` as .csv, .xlsx (Excel) or .parquet, whichever the ending names."""
        from .export import export

        return export(self, Path(path), names)

    @overload
    def view(self, path: None = None, *, curves: list[str] | str | None = None, title: str | None = None) -> Shown: ...
    @overload
    def view(
        self,
        path: str | Path,
        *,
        curves: list[str] | str | None = None,
        title: str | None = None,
        **options: Unpack[FilmOptions],
    ) -> Path: ...

    def view(
        self,
        path: str | Path | None = None,
        *,
        curves: list[str] | str | None = None,
        title: str | None = None,
        **options: Unpack[FilmOptions],
    ) -> Path | Shown:
        """Show the motion: in the cell of a notebook, or in the browser; with a path, write it to one HTML file.

        The page needs no network and can be mailed. ``curves`` names quantities to plot beside the picture; the first
        three are shown, the others are in a menu. A path that ends in .mp4, .webm or .gif is written as a film, which
        needs Chromium, Chrome or Edge; ``options`` are then fps, size ("1280x720"), speed (0.01: a hundred times slower
        than it happened), start, end, magnify, look ("front", "side", "top", "3d"), dark, panel, browser, progress.
        """
        from ..viewer import show, view

        if path is None:
            return show(self, curves=curves, title=title)
        return view(self, path, curves=curves, title=title, **options)

    def explore(self, *names: str) -> Any:
        """A slider over time, for notebooks: the mechanism at that instant, and quantities with a cursor and values.

        Joint forces are drawn if no name is given. Needs ``pip install 'jointplay[notebook]'``.
        """
        from ..notebook import explore

        return explore(self, *names)

    def plot(self, *names: str, path: str | Path | None = None, **options: Any) -> Figure:
        """Draw quantities over time, one panel per unit; save the figure if a path is given.

        Options are those of ``jointplay.figures.lines``: ``against``, ``start``, ``end``, ``width``, ``dpi``, ...
        ``jointplay.figures`` has more kinds of figures, and draws several runs over each other.
        """
        from ..figures.lines import lines

        return lines(self, *names, path=path, **options)

    def report(self, path: str | Path) -> Path:
        """Write one HTML page about the run: outcome, animation, forces, contacts, energy, model, how to repeat it."""
        from ..report import report

        return report(self, path)

    # -- reports ---------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """A few lines for people: outcome, statistics, energy, worst residual, peak joint forces; what to do next."""
        from .summary import summary

        return summary(self)

    def _repr_html_(self) -> str:
        from ..notebook import solution_html

        return solution_html(self)

    def __repr__(self) -> str:
        return f"<Solution {self.meta.get('name', '')!r}: {len(self.time)} times, {self.outcome.message}>"
