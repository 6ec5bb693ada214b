"""Quantities to plot beside the picture: a sensible choice, or those requested."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..results.solution import Solution
from .frames import envelope
from .pack import Pack

MOST = 40
PARTS = {2: ("1", "2"), 3: ("x", "y", "z"), 4: ("e0", "e1", "e2", "e3")}
SHOWN = 3


def curve_names(solution: Solution, chosen: list[str] | str | None) -> list[str]:
    """Names in the order of the menu; the first three are shown. Those requested come first."""
    wanted = [chosen] if isinstance(chosen, str) else chosen
    names = solution.names
    forces = sorted((f"|{name}|" for name in names if _is(name, "force")), key=lambda one: -_peak(solution, one))
    gaps = [name for name in names if _is(name, "gap")]
    paths = [name for name in names if name.rsplit(".", 1)[-1].startswith(("angle", "displacement", "length"))]
    paths = [name for name in paths if "rate" not in name and _is_coordinate(solution, name)]
    efforts = [name for name in names if name.endswith(("stop_force", "stop_torque", "drive_torque", "drive_force"))]
    efforts = [name for name in efforts if _peak(solution, name) > 0.0]
    energies = ["energy.kinetic", "energy.potential", "energy.dissipated", "energy.input", "energy.error"]
    energies = [name for name in energies if _peak(solution, name) > 0.0 or name == "energy.kinetic"]
    speeds = [f"|{name}|" for name in names if _is(name, "velocity") and not name.startswith("energy")]
    clear = {name.removesuffix(".gap") for name in gaps}
    of_play = [one for one in forces if one.strip("|").removesuffix(".force") in clear]
    lost = "energy.dissipated" in energies and _peak(solution, "energy.dissipated") > 1e-3 * _peak(
        solution, "energy.kinetic"
    )
    first = [
        *(of_play or forces)[:1],
        *(gaps[:1] or efforts[:1] or paths[:1]),
        "energy.dissipated" if lost else "energy.kinetic",
    ]
    menu = [*_checked(solution, wanted or []), *first, *forces, *gaps, *paths, *efforts, *energies, *speeds]
    return list(dict.fromkeys(menu))[: max(MOST, len(wanted or []))]


def _is(name: str, ending: str) -> bool:
    return name.rsplit(".", 1)[-1] == ending


def _is_coordinate(solution: Solution, name: str) -> bool:
    return solution[name].ndim == 1


def _peak(solution: Solution, name: str) -> float:
    values = np.abs(solution[name])
    return float(values.max()) if values.size and np.isfinite(values).all() else 0.0


def _checked(solution: Solution, wanted: list[str]) -> list[str]:
    problems = []
    for name in wanted:
        try:
            solution[name]
        except KeyError as error:
            problems.append(Problem("curves", str(error.args[0])))
    if problems:
        raise InputError(problems)
    return wanted


def add_curves(solution: Solution, names: list[str], kept: np.ndarray, pack: Pack) -> list[dict[str, Any]]:
    """Put curves into the pack; where frames are left out, the extremes between them are kept too."""
    found = []
    whole = len(kept) == len(solution.time)
    for k, name in enumerate(names):
        values = solution[name]
        values = values.reshape(len(values), -1)
        width = values.shape[1]
        parts = () if width == 1 else PARTS.get(width, ()) if not _is(name, "gap") else ()
        labels = list(parts) or ([str(n) for n in range(width)] if width > 1 else [""])
        pack.add(f"curve.{k}", values[kept])
        if not whole:
            low, high = envelope(values, kept)
            pack.add(f"curve.{k}.low", low)
            pack.add(f"curve.{k}.high", high)
        found.append({"name": name, "unit": solution.units[name], "labels": labels})
    return found
