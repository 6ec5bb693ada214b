"""``jointplay doctor``: what is installed, whether kernels are compiled, where files can be written, and advice."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .console import OK, Json, command, echo, emit

NEEDED = ("numpy", "scipy", "pint", "ruamel.yaml", "h5netcdf", "h5py", "matplotlib", "typer", "rich")
EXTRAS = {  # package: name of the extra, and what it is for
    "numba": ("build", "laws of your own, editing kernels"),
    "xarray": ("xarray", "results as Datasets with labels and units"),
    "pandas": ("pandas", "results as DataFrames"),
    "openpyxl": ("excel", "tables for Excel"),
    "pyarrow": ("parquet", "tables as Parquet"),
    "mujoco-core": ("mujoco", "robot files in MJCF"),
    "ipywidgets": ("notebook", "a slider over a run in a notebook"),
    "gymnasium": ("gym", "environments of reinforcement learning"),
    "distributed": ("dask", "studies on several machines"),
}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def facts() -> dict[str, Any]:
    """All that is looked at, and advice where something is not well."""
    from .. import __version__
    from ..native.library import library, made_here
    from ..native.processor import levels
    from ..native.sources import LIBRARIES, PACKAGE

    libraries = {}
    for name in LIBRARIES:
        held = library(name)
        libraries[name] = {
            "place": str(held.path) if held else None,
            "level": held.facts["level"] if held else None,
            "current": held.is_current if held else False,
        }
    packages = {name: _version(name) for name in (*NEEDED, *EXTRAS)}
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    here = Path.cwd()
    advice = [f"{name} is missing: pip install {name}" for name in NEEDED if packages[name] is None]
    missing = [name for name in EXTRAS if packages[name] is None]
    for name, found in libraries.items():
        if not found["current"]:
            state = "are not compiled yet" if found["place"] is None else "were edited since they were compiled"
            how = (
                "jointplay warmup does it"
                if packages["numba"]
                else "pip install 'jointplay[build]', then jointplay warmup"
            )
            advice.append(f"kernels ({name}) {state}: {how}")
    if "jointplay-kernels-" in made_here().name:
        advice.append("no lasting place for compiled kernels can be written; set JOINTPLAY_CACHE_DIR to a folder")
    if not os.access(here, os.W_OK):
        advice.append(f"{here} cannot be written: give results another place with -o")
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        advice.append("NUMBA_DISABLE_JIT is set: runs will be a thousand times slower")
    return {
        "jointplay": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "package": str(PACKAGE),
        "packages": packages,
        "optional": [f"{EXTRAS[one][1]}: pip install 'jointplay[{EXTRAS[one][0]}]'" for one in missing],
        "kernels": libraries,
        "processor": levels()[0],
        "cores": {"machine": os.cpu_count(), "usable": usable},
        "current_folder": {"path": str(here), "writable": os.access(here, os.W_OK)},
        "advice": advice,
    }


@command
def doctor(as_json: Json = False) -> int:
    """Look at the installation and report what could be better."""
    found = facts()
    kernels, cores = found["kernels"], found["cores"]
    lines = [
        f"jointplay  {found['jointplay']} in {found['package']}",
        f"python     {found['python']} on {found['platform']}",
        "packages   "
        + ", ".join(
            f"{one} {number or 'missing'}" for one, number in found["packages"].items() if number or one in NEEDED
        ),
        *(f"optional   {one}" for one in found["optional"]),
        *(f"kernels    {name}: {one['place'] or 'not compiled'}" for name, one in kernels.items()),
        f"processor  {found['processor']}",
        f"cores      {cores['usable']} usable of {cores['machine']}; one run uses one",
        f"here       {found['current_folder']['path']}"
        + ("" if found["current_folder"]["writable"] else " (cannot be written)"),
    ]
    lines += [f"advice     {line}" for line in found["advice"]] or ["all is well"]
    echo("\n".join(lines), as_json)
    if as_json:
        emit({"ok": True} | found)
    return OK
